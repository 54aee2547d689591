/*
 * Recorded programs (lib/recording.h) done again beside each other on one simulated GPU, for `heddle corun`.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_REPLAY_H
#define HD_TOOLS_HEDDLE_RUN_REPLAY_H

#include "heddle/sim.h"
#include "lib/recording.h"
#include "tools/heddle/run/requests.h"

struct replay {
	struct hd_recording recording;
	uint64_t bytes; /* of device memory, at most */
	bool prioritised;
	int priority; /* of all launches, where it is `prioritised`, in place of what is recorded */
	bool serves;  /* a pass for each request, no earlier than it arrived, whose times are filled in */
	struct request *requests;
	uint32_t request_count;
	/* What became of it in a run. */
	uint64_t passes; /* in the window, to their end */
	uint64_t first;	 /* cycles until the first pass had ended; 0: it has not */

	/* While it runs. */
	struct hd_module **modules;
	struct hd_kernel **kernels; /* of launches */
	HD_VEC(uint64_t) live;	    /* allocations */
	uint64_t stream, ticket;
	uint32_t next; /* event */
	uint32_t request;
	bool busy, finished, different;
};

/* Reads it. Whatever the result is, replay_release() is due. 0 or -1. */
int replay_load(struct replay *replay, const char *path, struct hd_diag *diag);
void replay_release(struct replay *replay);
/* Whether they can be beside each other: 0, or -1 with what is in the way reported. */
int replays_check(const struct replay *replays, uint32_t count, const struct hd_config *config, struct hd_diag *diag);

/*
 * Does them on one new simulator, each in a stream of its own from `stream` on, and again until options->corun_cycles
 * have passed; 0: each once; with requests as often as these ask for. `compare`: the first pass of each is done to its
 * end, and what each pass left in device memory held against what its program had left. The statistics' JSON is in
 * *stats (malloc'ed, NULL when the simulator could not start). The tool's exit status: 0, 1 when memory differs, 2 for
 * a fault or a wrong recording.
 */
int replays_run(struct replay *replays, uint32_t count, uint64_t stream, const struct hd_sim_options *options,
		bool compare, char **stats);

#endif
