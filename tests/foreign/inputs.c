/* Nodes whose doings depend on clocks, random numbers and standard input; knows MCAPI and libc only.
 *
 *   inputs processes|threads < text
 *
 * Node 1 reads standard input and collects; nodes 2 and 3 send it as many messages as a random number says, until a
 * clock says that it is enough. Each prints what it got.
 */
#include <fcntl.h>
#include <mcapi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { domain = 0, collector = 1, nodes = 3, messages_min = 4 };

struct message {
  int from;
  int left;
  long long stamp;
  int number;
};

static long long now_ns(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void check(mcapi_status_t status, const char* what) {
  if (status == MCAPI_SUCCESS || status == MCAPI_PENDING) return;
  fprintf(stderr, "%s: %d\n", what, (int)status);
  exit(1);
}

static int random_byte(void) {
  unsigned char byte = 0;
  if (getrandom(&byte, 1, 0) != 1) exit(1);
  return byte;
}

static int random_of_file(void) {
  unsigned short number = 0;
  unsigned short other = 0;
  const int file = open("/dev/urandom", O_RDONLY);
  if (file < 0 || read(file, &number, sizeof number) != sizeof number) exit(1);
  close(file);
  FILE* stream = fopen("/dev/urandom", "rb");
  if (stream == NULL || fread(&other, sizeof other, 1, stream) != 1) exit(1);
  fclose(stream);
  return number * 65536 + other;
}

static void describe(int node) {
  struct timeval day;
  unsigned int entropy = 0;
  gettimeofday(&day, NULL);
  if (getentropy(&entropy, sizeof entropy) != 0) exit(1);
  printf("node %d: clock %lld %lld day %ld.%06ld time %ld cpu %ld entropy %08x file %08x\n", node,
         now_ns(CLOCK_REALTIME), now_ns(CLOCK_MONOTONIC), (long)day.tv_sec, (long)day.tv_usec, (long)time(NULL),
         (long)clock(), entropy, (unsigned)random_of_file());
}

/* A line, a character, a number, and what read() gives of the rest. */
static void read_input(int node) {
  char line[80] = "";
  int number = 0;
  if (fgets(line, sizeof line, stdin) == NULL) strcpy(line, "nothing\n");
  const int letter = getchar();
  if (scanf("%d", &number) != 1) number = -1;
  printf("node %d: letter %d number %d line %s", node, letter, number, line);
  ssize_t rest = read(0, line, sizeof line);
  printf("node %d: rest %ld end %d terminal %d\n", node, (long)rest, feof(stdin) != 0, fileno(stdin));
}

static void collect(void) {
  mcapi_status_t status;
  mcapi_endpoint_t here = mcapi_endpoint_create(1, &status);
  check(status, "create");
  read_input(collector);
  for (int ended = 0; ended < nodes - 1;) {
    struct message message;
    mcapi_request_t request;
    size_t size = 0;
    int failed = 0;
    mcapi_msg_recv_i(here, &message, sizeof message, &request, &status);
    check(status, "recv_i");
    /* As long as a clock allows, ask; then wait. */
    const long long until = now_ns(CLOCK_MONOTONIC) + 300000;
    while (!mcapi_test(&request, &size, &status) && now_ns(CLOCK_MONOTONIC) < until) ++failed;
    if (!mcapi_wait(&request, &size, MCAPI_TIMEOUT_INFINITE, &status)) check(status, "wait");
    printf("node %d: failed %d from %d left %d stamp %lld number %d\n", collector, failed, message.from, message.left,
           message.stamp, message.number);
    if (message.left == 0) ++ended;
  }
}

static void send_all(int node) {
  mcapi_status_t status;
  mcapi_endpoint_t from = mcapi_endpoint_create(node, &status);
  check(status, "create");
  mcapi_endpoint_t to = mcapi_endpoint_get(domain, collector, 1, MCAPI_TIMEOUT_INFINITE, &status);
  check(status, "get");
  for (int left = messages_min + random_byte() % 8; left >= 0; --left) {
    struct message message;
    memset(&message, 0, sizeof message);
    message.from = node;
    message.left = left;
    message.stamp = now_ns(CLOCK_REALTIME);
    message.number = rand();
    mcapi_msg_send(from, to, &message, sizeof message, 0, &status);
    check(status, "send");
    if (message.number % 3 == 0) usleep(200);
  }
}

static void* run(void* argument) {
  const int node = (int)(long)argument;
  mcapi_info_t info;
  mcapi_status_t status;
  mcapi_initialize(domain, node, NULL, NULL, &info, &status);
  check(status, "initialize");
  describe(node);
  printf("node %d: rand %d random %ld\n", node, rand() % 1000, random() % 1000);
  if (node == collector) {
    collect();
  } else {
    send_all(node);
  }
  mcapi_finalize(&status);
  return NULL;
}

/* A handler runs when it runs: what it reads is no step of the program. */
static volatile sig_atomic_t signalled;
static void on_signal(int number) {
  (void)number;
  signalled = time(NULL) != 0 && now_ns(CLOCK_MONOTONIC) != 0;
}

int main(int count, char** words) {
  const int as_threads = count > 1 && strcmp(words[1], "threads") == 0;
  pthread_t threads[nodes + 1];
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  if (!signalled) return 1;
  srand((unsigned)now_ns(CLOCK_REALTIME));
  for (long node = 1; node <= nodes; ++node) {
    if (as_threads) {
      pthread_create(&threads[node], NULL, run, (void*)node);
    } else if (fork() == 0) {
      srand((unsigned)(now_ns(CLOCK_REALTIME) + node));
      run((void*)node);
      return 0;
    }
  }
  int result = 0;
  for (int node = 1; node <= nodes; ++node) {
    int status = 0;
    if (as_threads) pthread_join(threads[node], NULL);
    if (!as_threads && (wait(&status) < 0 || status != 0)) result = 1;
  }
  return result;
}
