/*
 * A tool's temporary directory, which goes when the tool does, however it ends: a small process waits for that.
 */
#ifndef HD_LIB_SCRATCH_H
#define HD_LIB_SCRATCH_H

#include "lib/arena.h"
#include "lib/diag.h"

struct hd_scratch {
	char *path; /* NULL: there is none */
	int alive;  /* a socket that ends with the tool and with those that it has forked, but not with what they run */
};

/* Makes TOOL-XXXXXX in $TMPDIR or /tmp; its path is in the arena. 0, or -1 with the error reported. */
int hd_scratch_make(struct hd_scratch *scratch, const char *tool, struct hd_arena *arena, struct hd_diag *diag);
/* Removes it with all that is in it. One that is all zero is none. */
void hd_scratch_release(struct hd_scratch *scratch);
/* The same of another process's. NULL is nothing. */
void hd_scratch_remove(const char *directory);

#endif
