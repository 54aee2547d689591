/*
 * heddle run --record: where the recording of a program goes.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_RECORD_H
#define HD_TOOLS_HEDDLE_RUN_RECORD_H

#include <stdint.h>

#include "lib/diag.h"

/* Whether the slot is one (NULL: none is given), and the file can be written. 0 or -1 with what is wrong reported. */
int run_record_check(const char *path, const char *slot, struct hd_diag *diag);
/* The slot of a recording: the given one, or one that follows from its name. */
uint32_t run_record_slot(const char *path, const char *slot);
/* Looks for the one recording in the folder where the program's processes leave them, whether it is whole, and puts it
 * at its place. 0 or -1 with the error reported. */
int run_record_take(const char *folder, const char *path, struct hd_diag *diag);

#endif
