/* Statistics of this process for `heddle run` (records.c). */
#ifndef HD_RUNTIME_CUDART_RECORDS_H
#define HD_RUNTIME_CUDART_RECORDS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct hd_cudart;

struct hd_records {
	bool on;
	pid_t owner; /* the process whose they are: a child of it may share this memory */
	char path[PATH_MAX];
};

/* Makes the file when `heddle run` listens; false: nobody does. */
bool hd_cudart_records_start(struct hd_cudart *cudart);
/* Adds a record: struct hd_sim_options.record, `context` is the struct hd_cudart. */
void hd_cudart_record(void *context, const char *line);

#endif
