/* The first sample program of CARE: sends to the server, and calls it, in turns. */
#include <reprise/care.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void client1(void *argument) {
  Pinfo *pinfo;
  int server_id, i;
  char buffer[100], *reply;
  (void)argument;

  /* Initialize ourselves */
  pinfo = Init("client1");
  if (pinfo == NULL) exit(1);

  /* Find the server, which may have been started with us: ten seconds */
  for (i = 0; (server_id = FindPartner(pinfo, "server")) == -1 && i < 1000; i++) usleep(10000);
  if (server_id == -1) {
    printf("Error, server routine not accessible\n");
    exit(1);
  }

  /* Send messages, alternate between nonblocking and blocking sends */
  for (i = 1; i < 11; i++) {
    sprintf(buffer, "This is client1 message %d", i);
    if (i % 2) {
      MsgSend(pinfo, server_id, buffer, (int)strlen(buffer) + 1);
    } else {
      reply = (char *)MsgCall(pinfo, server_id, buffer, (int)strlen(buffer) + 1, -1);
      printf("Reply: %s\n", reply != NULL ? reply : "none");
      free(reply);
    }
  }

  /* Clean up */
  Finish(pinfo);
}

int main(void) { return THREADgo(0, 0, client1, 0, 0, 16384, 8); }
