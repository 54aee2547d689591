/*
 * The folder of a sweep's results (docs/sweep.md has its layout). A result is there whole or not at all; one that was
 * damaged afterwards is found by its length and check sum.
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_STORE_H
#define HD_TOOLS_HEDDLE_SWEEP_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/diag.h"

struct store {
	struct hd_arena arena;
	const char *path;      /* absolute */
	const char *temporary; /* folder of what is being made; NULL when opened for reading */
	int lock;	       /* -1: opened for reading */
};

enum store_state { STORE_MISSING, STORE_DONE, STORE_DAMAGED, STORE_FAILED };

/* What a run took of the host. */
struct store_cost {
	double seconds, cpu_seconds;
	uint64_t peak_bytes;
};

/* Makes the folder if `write`, and holds it against other sweeps. 0, or -1 with the error reported. */
int store_open(struct store *store, const char *path, bool write, struct hd_diag *diag);
void store_close(struct store *store);

/* Paths in the folder, in its arena. */
const char *store_result(struct store *store, const char *key);
const char *store_failure(struct store *store, const char *key);
const char *store_log(struct store *store, const char *key);
/* Of what is being made; emptied when a sweep begins. */
const char *store_temporary(struct store *store, const char *name, const char *suffix);

/* Reads all of a result. */
enum store_state store_look(struct store *store, const char *key);
/* The whole document of a good result, NULL otherwise. The caller frees it. */
char *store_text(struct store *store, const char *key, size_t *size);

/* Makes a result of the statistics in a file, which goes, of the run's record, and of what it printed, the last 256 KiB
 * of the log. 0, or -1 with the error reported. */
int store_put(struct store *store, const char *key, const json_t *record, const struct store_cost *cost,
	      const char *statistics, const char *log, struct hd_diag *diag);
/* Keeps why a run failed, in one line, and its log, which moves there. */
int store_fail(struct store *store, const char *key, const json_t *record, const struct store_cost *cost,
	       const char *cause, const char *log, struct hd_diag *diag);
/* The cause; NULL: none is there. The caller frees it. */
char *store_cause(struct store *store, const char *key);

#endif
