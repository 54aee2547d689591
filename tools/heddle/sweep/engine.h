/*
 * What runs the jobs of a sweep. The one that there is runs them on this machine (local.c). One for a cluster submits
 * them to its queue, asks that what has ended, and finds logs and outputs in the shared file system: a job is words,
 * paths and limits, and says nothing about where it runs. Results are made by whoever polls, so there is one writer.
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
	char *const *words; /* program and arguments; copied by an engine that needs them later */
	const char *log;    /* takes what it prints */
	double seconds;	    /* limits; 0: none */
	uint64_t bytes;
	uint32_t slots;		 /* processors that it uses */
	uint64_t expected_bytes; /* of memory; 0: not known */
};

enum engine_end_kind { ENGINE_EXITED, ENGINE_SIGNALED, ENGINE_TIME, ENGINE_MEMORY };

struct engine_end {
	uint32_t id;
	enum engine_end_kind kind;
	int code; /* exit status, or signal */
	struct store_cost cost;
};

enum engine_event { ENGINE_NOTHING, ENGINE_ENDED, ENGINE_INTERRUPTED };

struct engine {
	uint32_t running; /* jobs that were submitted and have not ended */
	/* Whether the job may be submitted now; always when nothing is running. */
	bool (*has_room)(struct engine *engine, const struct engine_job *job);
	/* Starts it. 0, or -1 with the error reported. */
	int (*submit)(struct engine *engine, const struct engine_job *job, struct hd_diag *diag);
	/* Waits for an end, for so long at most. After ENGINE_INTERRUPTED jobs are on their way to their end. */
	enum engine_event (*poll)(struct engine *engine, unsigned milliseconds, struct engine_end *end);
	void (*release)(struct engine *engine);
};

/* Jobs on this machine, on so many processors and in the memory that is free now. Freed by its release. */
struct engine *engine_local(struct hd_signals *signals, uint32_t slots);

#endif
