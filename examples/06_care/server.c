/* The third sample program of CARE: prints what comes, and replies to calls. It does not end by itself. */
#include <reprise/care.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void server(void *argument) {
  unsigned char *message;
  char host[HOST_SIZE], name[MAX_NAME_SIZE], reply_buffer[200];
  int mid, type, id;
  Pinfo *pinfo;
  (void)argument;

  /* Initialize */
  pinfo = Init("server");
  if (pinfo == NULL) exit(1);

  /* Process messages as they arrive. If the message expects a reply send it one */
  for (;;) {
    message = MsgReceive(pinfo, host, name, &mid, &id, &type, -1);
    if (message == NULL) break;
    printf("server: from %s, id = %d: %s\n", name, mid, (char *)message);
    fflush(stdout);
    if (type == EXPECT_REP) {
      sprintf(reply_buffer, "reply to message %d from %s on host %s", mid, name, host);
      MsgReply(pinfo, id, reply_buffer, (int)strlen(reply_buffer) + 1, mid);
    }
    free(message);
  }
  Finish(pinfo);
}

int main(void) { return THREADgo(0, 0, server, 0, 0, 16384, 8); }
