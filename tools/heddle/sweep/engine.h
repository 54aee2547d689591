/*
 * What runs the jobs of a sweep: this machine (local.c), or a cluster's queue (slurm.c), which finds logs and outputs
 * in the shared file system. A job is words, paths and limits, and says nothing about where it runs. Results are made
 * by whoever polls, so there is one writer.
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_ENGINE_H
#define HD_TOOLS_HEDDLE_SWEEP_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/child.h"
#include "lib/diag.h"
#include "tools/heddle/sweep/store.h"

struct engine_job {
	uint32_t id;
	const char *key;    /* its name in files; only where jobs outlive this process */
	char *const *words; /* program and arguments; copied by an engine that needs them later */
	const char *log;    /* takes what it prints */
	const char *output; /* the file that it makes, one of the words; NULL: none */
	double seconds;	    /* limits; 0: none */
	uint64_t bytes;
	uint32_t slots;		 /* processors that it uses */
	uint64_t expected_bytes; /* of memory; 0: not known */
	double expected_seconds; /* 0: not known */
	bool again;		 /* also when an earlier process has left a failure of it */
};

/* LOST: the machines that had it failed each time. LEFT: it was taken out of the queue, or could not be put there. */
enum engine_end_kind { ENGINE_EXITED, ENGINE_SIGNALED, ENGINE_TIME, ENGINE_MEMORY, ENGINE_LOST, ENGINE_LEFT };

struct engine_end {
	uint32_t id;
	enum engine_end_kind kind;
	int code;	 /* exit status, or signal */
	const char *why; /* LOST: what became of it at last; the engine's, until the next poll */
	struct store_cost cost;
};

enum engine_event { ENGINE_NOTHING, ENGINE_ENDED, ENGINE_INTERRUPTED };

struct engine {
	uint32_t running; /* jobs that were submitted and have not ended */
	/* Whether the job may be submitted now; always when nothing is running. */
	bool (*has_room)(struct engine *engine, const struct engine_job *job);
	/* Starts it. 0, or -1 with the error reported. */
	int (*submit)(struct engine *engine, const struct engine_job *job, struct hd_diag *diag);
	/* Waits for an end, for so long at most. After ENGINE_INTERRUPTED jobs are on their way to their end, or go on
	 * without this process, and `running` is 0. */
	enum engine_event (*poll)(struct engine *engine, unsigned milliseconds, struct engine_end *end);
	/* What there was of an ended job is kept: the engine forgets it. NULL: it has nothing to forget. */
	void (*settle)(struct engine *engine, uint32_t id);
	void (*release)(struct engine *engine);
};

/* Jobs on this machine, on so many processors and in the memory that is free now. Freed by its release. */
struct engine *engine_local(struct hd_signals *signals, uint32_t slots);

/* What `sbatch` is told; NULL: nothing. */
struct slurm_options {
	const char *partition, *time, *memory, *account;
	uint32_t tasks; /* at most in the queue; 0: what Slurm takes */
	double chunk;	/* seconds that a task takes at least, by estimates */
};

/*
 * Jobs in Slurm's queue (docs/cluster.md), with files of its own in `folder`, which all nodes see; `heddle` is this
 * program. Takes up jobs of the same keys that an earlier process has left there. NULL with the error reported: there
 * is no Slurm. Freed by its release.
 */
struct engine *engine_slurm(struct hd_signals *signals, const struct slurm_options *options, const char *folder,
			    const char *heddle, struct hd_diag *diag);
/* On a node: the jobs of the file PATH one after the other. The exit status; see task.c. */
int engine_task(const char *path);

#endif
