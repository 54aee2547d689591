/*
 * A tool's temporary directory.
 */
#ifndef HD_LIB_SCRATCH_H
#define HD_LIB_SCRATCH_H

#include "lib/arena.h"
#include "lib/diag.h"

/* Makes TOOL-XXXXXX in $TMPDIR or /tmp; its path, or NULL with the error reported. */
char *hd_scratch_make(const char *tool, struct hd_arena *arena, struct hd_diag *diag);
/* Removes it with the files in it. NULL is nothing. */
void hd_scratch_remove(const char *directory);

#endif
