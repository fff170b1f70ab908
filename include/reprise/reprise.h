// Everything of reprise that a program may use.
#pragma once

#include <reprise/atomic.h>
#include <reprise/atomic_ref.h>
#include <reprise/barrier.h>
#include <reprise/call_once.h>
#include <reprise/chrono.h>
#include <reprise/condition_variable.h>
#include <reprise/future.h>
#include <reprise/input.h>
#include <reprise/latch.h>
#include <reprise/monitor.h>
#include <reprise/mutex.h>
#include <reprise/out.h>
#include <reprise/semaphore.h>
#include <reprise/stop_token.h>
#include <reprise/thread.h>
#include <reprise/value.h>
