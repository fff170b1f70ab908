/* For nodes with a foreign MCAPI: what a call says is checked, and the file `slow` names the node that rests. */
#pragma once

#include <mcapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What each call writes into. */
static mcapi_status_t status;

/* Ends the node unless the last call went well. */
static inline void check(const char* what) {
  if (status == MCAPI_SUCCESS) return;
  printf("node: %s gave %d\n", what, (int)status);
  exit(1);
}

static inline void rest_if_slow(int node) {
  int slow = 0;
  FILE* file = fopen("slow", "r");
  if (file == NULL) return;
  if (fscanf(file, "%d", &slow) == 1 && slow == node) nanosleep(&(struct timespec){0, 15000000}, NULL);
  fclose(file);
}
