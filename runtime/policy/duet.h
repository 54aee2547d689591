/*
 * GPUDuet at warp level, as its parts see it (gpu-multiprogramming-lin, chapter 3): the monitor and the number of extra
 * blocks with the GPU (duet.c), queues and the one engine that moves contexts with each SM (duet_switch.c).
 */
#ifndef HD_RUNTIME_POLICY_DUET_H
#define HD_RUNTIME_POLICY_DUET_H

#include "runtime/policy/duet_monitor.h"
#include "runtime/policy/duet_space.h"
#include "runtime/sm/context.h"

#define DUET_QUEUE 16 /* warps: Table 3.4 */

/* Of a kernel's turn. */
struct duet_gpu {
	const struct hd_grid *grid; /* whose warps switch; NULL: nobody's */
	struct duet_kernel kernel;
	enum duet_level level;
	struct duet_growth growth;
	bool fixed;		 /* ME is a parameter and stays */
	bool barriers, eager;	 /* settings */
	uint32_t port;		 /* bytes a cycle */
	uint64_t window, next;	 /* cycles; when it ends */
	struct hd_counters seen; /* when it began */
	/* Of all kernels so far. */
	uint64_t kernels, grown, saturated; /* that ran; that got extra blocks; that were saturated at once */
	uint32_t most;			    /* extra blocks of any */
};

/* Numbers of warps, the oldest entry first. */
struct duet_queue {
	uint32_t count;
	uint32_t warps[DUET_QUEUE];
};

struct duet_sm {
	struct duet_space space;
	struct duet_queue stalled, ready;
	uint32_t away;		  /* warps without a slot */
	bool asked;		  /* to look at the queues in the next cycle */
	bool busy;		  /* the engine moves: */
	struct hd_warp *out, *in; /* NULL: none */
};

/* Running: it has its places and no entry in a queue. Away without a context: it has not begun yet. */
enum duet_state { DUET_RUNNING, DUET_STALLED, DUET_LEAVING, DUET_ABSENT, DUET_READY, DUET_ENTERING };

struct duet_warp {
	uint8_t state;		 /* enum duet_state */
	bool ended;		 /* what it stalled on, while it leaves */
	bool asks;		 /* its queue was full */
	bool context;		 /* `at` is a context's place, not its registers' */
	uint32_t at;		 /* unit */
	struct hd_hazard missed; /* registers of loads under way that missed or went past L1 */
};

struct duet_cta {
	uint32_t at; /* unit of its shared memory */
};

struct duet_counts {
	uint64_t switched_out, switched_in, turned_back, swaps, began, cycles, bytes, queue_full, stalls,
		barrier_stalls;
};

enum duet_setting { DUET_WINDOW, DUET_PORT, DUET_SLOT_BYTES, DUET_BARRIERS, DUET_EAGER };

static inline struct duet_gpu *duet_gpu_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return hd_policy_gpu(self, gpu);
}
static inline struct duet_sm *duet_sm_of(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return hd_policy_sm(self, sm);
}
static inline struct duet_warp *duet_warp_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_warp(self, warp);
}
/* Whether warps of this grid may switch. */
static inline bool duet_switches(const struct hd_policy_handle *self, const struct hd_sm *sm,
				 const struct hd_grid *grid)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	return duet->level == DUET_WARPS && duet->grid == grid;
}

/* duet_switch.c: hooks. */
void duet_cta_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
void duet_cta_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
void duet_warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void duet_load_miss(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		    uint64_t now);
void duet_first_use(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_first_use *use,
		    uint64_t now);
void duet_barrier_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void duet_barrier_resume(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void duet_drained(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void duet_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now);
void duet_verify_before(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst);
bool duet_why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size);

#endif
