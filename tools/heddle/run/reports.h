/*
 * What a program's processes tell `heddle run` besides their figures, a line each, as "fault: TEXT" or
 * "timeline: complete" (hd_cudart_report). They come through a pipe, which needs no room on a disk. A process that has
 * closed it, or opened another file in its place, puts them in a file in the folder of the records.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_REPORTS_H
#define HD_TOOLS_HEDDLE_RUN_REPORTS_H

#include "lib/diag.h"

struct run_reports {
	int from, to; /* descriptors of the pipe; the program inherits `to` */
};

/* 0, or -1 with the error reported. */
int run_reports_open(struct run_reports *reports, struct hd_diag *diag);
/* In the process that becomes the program: tells it of the pipe, in HEDDLE_STATUS_FD. */
void run_reports_set(const struct run_reports *reports);
/* After the fork. */
void run_reports_listen(struct run_reports *reports);
/* Closes the pipe and gives all lines; the caller frees them. */
char *run_reports_take(struct run_reports *reports, const char *folder);

#endif
