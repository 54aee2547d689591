/*
 * Files between a sweep and its tasks on a cluster's nodes: jobs, a file a task, and ends, a file a job. Both are there
 * whole or not at all.
 *
 *	FOLDER/id		names the sweep's arrays in Slurm's queue: heddle-ID-N
 *	FOLDER/N/I.jobs		jobs of task I of array N, a line of JSON each
 *	FOLDER/N/I.out		what the task itself says
 *	FOLDER/ends/KEY		a job's end
 *	FOLDER/runs/KEY.*	what jobs make
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_SLURM_FILES_H
#define HD_TOOLS_HEDDLE_SWEEP_SLURM_FILES_H

#include "tools/heddle/sweep/engine.h"

/* A job as it was read; the texts are of `document`. */
struct slurm_job {
	struct engine_job job;
	const char *end; /* the file of its end */
	struct json_t *document;
};

/* A line of a .jobs file, for a job whose end goes to the file `end`. The caller frees it; NULL: a word is not UTF-8.
 */
char *slurm_job_text(const struct engine_job *job, const char *end);
/* Reads one. False: that is none. Released either way. */
bool slurm_job_read(struct slurm_job *job, const char *text);
void slurm_job_release(struct slurm_job *job);

/* Writes an end, when what the job made is on the disk. 0, or -1 with the error reported. */
int slurm_end_write(const char *path, const struct engine_end *end, struct hd_diag *diag);
/* All but the id. False: there is none, or none that is whole. */
bool slurm_end_read(const char *path, struct engine_end *end);

/* Writes a text file beside its place, syncs and renames it. 0, or -1 with the error reported. */
int slurm_file_write(const char *path, const char *text, size_t size, struct hd_diag *diag);

#endif
