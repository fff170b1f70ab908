/* The second sample program of CARE: two parties in one process, which share an object.
 *
 *   client2 [TIME_OUT]      how long client2b waits for a message that does not come, in hundredths of a second
 */
#include <reprise/care.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Object *obj;
static int last_time_out = 1000;

static int find(Pinfo *pinfo, const char *name) {
  const int found = FindPartner(pinfo, name);
  if (found == -1) {
    printf("Error, %s routine not accessible\n", name);
    exit(1);
  }
  return found;
}

static void client2a(void *argument) {
  Pinfo *pinfo;
  int client2b_id, server_id, i;
  char buffer[100], *reply;
  (void)argument;

  pinfo = Init("client2a");
  if (pinfo == NULL) exit(1);

  /* Wait a second for client2b and the server to register */
  sleep(1);
  client2b_id = find(pinfo, "client2b");
  server_id = find(pinfo, "server");

  /* send messages to server and other client */
  for (i = 1; i < 11; i++) {
    sprintf(buffer, "This is client2a message %d", i);
    if (i % 2) {
      /* Nonblocking send to server */
      MsgSend(pinfo, server_id, buffer, (int)strlen(buffer) + 1);
      continue;
    }
    /* write into shared object */
    WriteEntry(pinfo, obj);
    *(int *)obj->data = i;
    WriteExit(pinfo, obj);

    /* Read shared object */
    ReadEntry(pinfo, obj);
    printf("2a Number pre-call: %d\n", *(int *)obj->data);
    ReadExit(pinfo, obj);

    /* Call client 2b */
    reply = (char *)MsgCall(pinfo, client2b_id, buffer, (int)strlen(buffer) + 1, -1);
    printf("2a received reply: %s\n", reply != NULL ? reply : "none");
    free(reply);

    /* Object value changes after call as set by client2b */
    ReadEntry(pinfo, obj);
    printf("2a Number post-call: %d\n", *(int *)obj->data);
    ReadExit(pinfo, obj);
  }
  Finish(pinfo);
}

static void client2b(void *argument) {
  Pinfo *pinfo;
  char name[MAX_NAME_SIZE], host[HOST_SIZE], reply_buffer[200];
  int m_id, id, type, i;
  unsigned char *message;
  (void)argument;

  pinfo = Init("client2b");
  if (pinfo == NULL) exit(1);

  /* Process messages from client2a and change object value */
  for (i = 50; i < 55; i++) {
    message = MsgReceive(pinfo, host, name, &m_id, &id, &type, -1);
    printf("client2b: from %s, id = %d: %s\n", name, m_id, (char *)message);
    if (type == EXPECT_REP) {
      sprintf(reply_buffer, "c2b reply to message %d from %s on host %s", m_id, name, host);

      /* Change object value */
      WriteEntry(pinfo, obj);
      *(int *)obj->data = i;
      WriteExit(pinfo, obj);

      /* Send a reply */
      MsgReply(pinfo, id, reply_buffer, (int)strlen(reply_buffer) + 1, m_id);
    }
    free(message);
  }

  /* This MsgReceive will time out after about 10 seconds */
  message = MsgReceive(pinfo, host, name, &m_id, &id, &type, last_time_out);
  free(message);
  Finish(pinfo);
}

static void client2(void *argument) {
  static int number = 9;
  (void)argument;

  /* Initialize object once for shared access */
  obj = ObjectInit(&number, "Number", sizeof number);

  /* Create two new threads */
  THREADcreate(client2a, 0, 0, 1, 16384, 8);
  THREADcreate(client2b, 0, 0, 1, 16384, 8);
}

int main(int argc, char **argv) {
  if (argc > 1) last_time_out = atoi(argv[1]);
  return THREADgo(0, 0, client2, 0, 0, 16384, 8);
}
