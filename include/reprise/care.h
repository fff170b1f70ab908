// CARE: the interface of the capture and replay package of 1991, for C and C++ (docs/guide/care.md).
//
//   Pinfo *me = Init("client");
//   int server = FindPartner(me, "server");            /* -1 at once if it is not there */
//   MsgSend(me, server, "hello", 6);
//   unsigned char *reply = MsgCall(me, server, "well?", 6, 500);   /* NULL after five seconds */
//   free(reply);
//   Finish(me);
//
// A thin layer over <reprise/message.h> and <reprise/shared_mutex.h>: what holds there holds here. Differences from the
// paper's manual: ObjectInit() takes a size, routines of threads take an argument, MsgSend and MsgReply tell of errors.
//
// Modes     CARE_MODE=NORMAL|CAPTURE|FULL_CAPTURE|REPLAY|REPLAY_ONE|CHECKPOINT, or the program's own `int MODE`, looked
//           at when THREADgo (or the first Init) is called. A program that `reprise` records or replays is in that mode
//           already.
//           CHECKPOINT is FULL_CAPTURE, and each thread leaves a checkpoint every CP_COUNT events (or CARE_CP_COUNT;
//           100); `reprise replay PROGRAM_rec --from-checkpoint` goes on from the last.
// Time      Time-outs are hundredths of a second: zero does not wait, a negative one waits for ever.
// Threads   Any, for all of it.
// Errors    NULL or -1, with errno and, but for time-outs and missing partners, a line on stderr. Nothing exits.
// Lifetime  Messages and replies belong to the caller, who frees them with free(); a zero follows their last byte.
#ifndef REPRISE_CARE_H
#define REPRISE_CARE_H

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(readability-identifier-naming): the names are those of the paper.

/* Types of messages. */
#define NORMAL 0
#define REPLY 1
#define EXPECT_REP 2

/* Modes; NORMAL is one of them. */
#define REPLAY 1
#define CAPTURE 2
#define REPLAY_ONE 3
#define FULL_CAPTURE 4
#define CHECKPOINT 5

/* Room for names, with the zero at their end. What is longer is cut, with a warning. */
#define MAX_NAME_SIZE 16
#define OBJ_NAME_SIZE 16
#define HOST_SIZE 65

/* A program may define them: int MODE = CHECKPOINT; int CP_COUNT = 1000; (events between two checkpoints) */
extern int MODE __attribute__((weak));
extern int CP_COUNT __attribute__((weak));

typedef struct Pinfo Pinfo;

typedef struct Object {
  char* data; /* touched between entry and exit only */
  unsigned long size;
  char name[OBJ_NAME_SIZE];
} Object;

typedef void (*CareRoutine)(void* argument);

#define CARE_API __attribute__((visibility("default")))
CARE_API void care_count(const int* count);
CARE_API Pinfo* care_init(const char* name, const int* mode);
CARE_API void care_finish(Pinfo* pinfo);
CARE_API int care_find(Pinfo* pinfo, const char* name);
CARE_API unsigned char* care_receive(Pinfo* pinfo, char* host, char* name, int* message_id, int* identifier, int* type,
                                     int time_out);
CARE_API unsigned char* care_call(Pinfo* pinfo, int identifier, const void* message, int message_length, int time_out);
CARE_API int care_send(Pinfo* pinfo, int identifier, const void* message, int message_length);
CARE_API int care_reply(Pinfo* pinfo, int identifier, const void* message, int message_length, int message_id);
CARE_API Object* care_object(void* data, const char* name, unsigned long size);
CARE_API void care_read_entry(Pinfo* pinfo, Object* object);
CARE_API void care_read_exit(Pinfo* pinfo, Object* object);
CARE_API void care_write_entry(Pinfo* pinfo, Object* object);
CARE_API void care_write_exit(Pinfo* pinfo, Object* object);
CARE_API int care_go(CareRoutine routine, void* argument, int argument_length, const int* mode);
CARE_API int care_create(CareRoutine routine, void* argument, int argument_length);
#undef CARE_API

/* Registers `name`. Errno: EEXIST (a living party has it), EINVAL (no name), ENOTSUP (the mode). */
static inline Pinfo* Init(const char* name) {
  care_count(&CP_COUNT);
  return care_init(name, &MODE);
}
static inline void Finish(Pinfo* pinfo) { care_finish(pinfo); }

/* An identifier, or -1 at once: nobody of this name is registered. */
static inline int FindPartner(Pinfo* pinfo, const char* name) { return care_find(pinfo, name); }

/* The next message, or NULL when none came in time; then nothing is written to what the others point to. Each of them
   may be NULL. */
static inline unsigned char* MsgReceive(Pinfo* pinfo, char* host, char* name, int* message_id, int* identifier,
                                        int* type, int time_out) {
  return care_receive(pinfo, host, name, message_id, identifier, type, time_out);
}

/* Sends and waits for the reply. NULL: none came in time (ETIMEDOUT), or the partner is gone (ECONNRESET). */
static inline unsigned char* MsgCall(Pinfo* pinfo, int identifier, const void* message, int message_length,
                                     int time_out) {
  return care_call(pinfo, identifier, message, message_length, time_out);
}

/* 0, or -1: ECONNRESET, EMSGSIZE, EINVAL (no such identifier, nothing to reply to). */
static inline int MsgSend(Pinfo* pinfo, int identifier, const void* message, int message_length) {
  return care_send(pinfo, identifier, message, message_length);
}
static inline int MsgReply(Pinfo* pinfo, int identifier, const void* message, int message_length, int message_id) {
  return care_reply(pinfo, identifier, message, message_length, message_id);
}

/* `data` stays the caller's and must outlive the object, which lives as long as the process. */
static inline Object* ObjectInit(void* data, const char* name, unsigned long size) {
  return care_object(data, name, size);
}
static inline void ReadEntry(Pinfo* pinfo, Object* object) { care_read_entry(pinfo, object); }
static inline void ReadExit(Pinfo* pinfo, Object* object) { care_read_exit(pinfo, object); }
static inline void WriteEntry(Pinfo* pinfo, Object* object) { care_write_entry(pinfo, object); }
static inline void WriteExit(Pinfo* pinfo, Object* object) { care_write_exit(pinfo, object); }

/* Runs `routine` in a thread and returns when it and all that THREADcreate started have ended: 0, or 1 when the mode
   cannot be had. An argument with a length is copied. Processors, sharing, stack and priority are not looked at. */
static inline int THREADgo(int processors, int sharing, CareRoutine routine, void* argument, int argument_length,
                           int stack, int priority) {
  (void)processors;
  (void)sharing;
  (void)stack;
  (void)priority;
  care_count(&CP_COUNT);
  return care_go(routine, argument, argument_length, &MODE);
}
/* 0, or -1 when there is no room for another thread. */
static inline int THREADcreate(CareRoutine routine, void* argument, int argument_length, int detached, int stack,
                               int priority) {
  (void)detached;
  (void)stack;
  (void)priority;
  return care_create(routine, argument, argument_length);
}

// NOLINTEND(readability-identifier-naming)

#ifdef __cplusplus
}
#endif

#endif
