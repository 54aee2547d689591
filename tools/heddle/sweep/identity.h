/*
 * Who a run is: the hash of all that decides its outcome, and its record in results.
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_IDENTITY_H
#define HD_TOOLS_HEDDLE_SWEEP_IDENTITY_H

#include <jansson.h>

#include "tools/heddle/sweep/runs.h"

/* Digests of files, each read once. */
struct identity_file;

struct identity {
	struct hd_arena arena;
	char runtime[HD_SHA256_TEXT]; /* of the simulator's library */
	HD_VEC(struct identity_file) files;
	struct hd_hash_set set;
};

/* 0, or -1 with the error reported: there is no simulator. Released either way. */
int identity_init(struct identity *identity, struct hd_diag *diag);
void identity_release(struct identity *identity);

/* The SHA-256 of a file's content; "" where there is no such regular file. */
const char *identity_file(struct identity *identity, const char *path);
/* Forgets a file that has changed. */
void identity_forget(struct identity *identity, const char *path);

/*
 * Gives every run whose program is there its key, and finds those that are the same. The key is of the program's
 * content, the words of its arguments with the content of files that they name, the effective configuration, the
 * policy with the content of its objects, the options, Heddle's version and the simulator's library.
 */
void identity_keys(struct identity *identity, struct sweep_runs *runs);

/* The run's record: its coordinates, key, digests and Heddle's version. A new reference. */
json_t *identity_record(const struct identity *identity, const struct sweep_runs *runs, const struct sweep_run *run);

#endif
