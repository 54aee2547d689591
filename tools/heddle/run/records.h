/* The records that the processes of a program left (runtime/cudart/records.c), as one document. */
#ifndef HD_TOOLS_HEDDLE_RUN_RECORDS_H
#define HD_TOOLS_HEDDLE_RUN_RECORDS_H

#include "tools/heddle/run/statistics.h"

/*
 * Reads *.records in a folder to *to; NULL there: no process used the simulated GPU. Of a process without
 * its last record, what it has is taken, marked, and said by a note. `said`: what the processes said themselves, in
 * lines (hd_cudart_report). `launches`: as for run_statistics_new. The folder is not needed any more afterwards.
 * Returns -1 behind an error, with NULL in *to, where something could not be read.
 */
int run_records_read(const char *folder, const char *said, bool launches, struct run_statistics **to,
		     struct hd_diag *diag);

#endif
