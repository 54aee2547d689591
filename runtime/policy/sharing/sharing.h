/*
 * What designs for several kernels on one GPU have in common (sharing.c): which kernels are there, what each has shown
 * while it had SMs of its own, how many of its blocks each SM may have. Kernels are told apart by code and stream, so
 * that a launch that follows another of the same kernel takes its place and nothing is measured anew.
 *
 * A design goes through phases whenever the set of kernels changes: SETTLE and MEASURE, when SM s runs kernel s mod K
 * with a number of blocks of its own, and RUN, with what the design has made of that. With `apart` there is a SETTLE
 * and a MEASURE for each kernel, which has all SMs while the others wait. What was measured is kept (known.c): a kernel
 * that comes back is measured again only beside others, and with `apart` never. With one kernel, or more than
 * SHARING_KERNELS, it is off and the GPU is the baseline.
 */
#ifndef HD_RUNTIME_POLICY_SHARING_SHARING_H
#define HD_RUNTIME_POLICY_SHARING_SHARING_H

#include "runtime/policy/sharing/drf.h"
#include "runtime/sm/policy_space.h"

#define SHARING_KERNELS DRF_KERNELS
#define SHARING_NOBODY UINT8_MAX
#define SHARING_KNOWN 32 /* kernels, with their partners, whose curves are kept */
#define SHARING_TICK 200 /* cycles: the unit of the issue-rate controllers (Lin, 4.5.1) */

enum sharing_phase { SHARING_OFF, SHARING_SETTLE, SHARING_MEASURE, SHARING_RUN };

/* Of one kernel on one SM, or on all, in a window. */
struct sharing_counts {
	uint64_t instructions; /* of warps */
	uint64_t requests, flits_up, flits_down;
	uint64_t replies, latency; /* cycles from SM to SM, summed */
	uint64_t residents;	   /* blocks, summed over looks */
	uint64_t dram_bytes;	   /* of the whole GPU only: kernels' counts have nothing else until they are summed */
};

/* By the number of blocks on each SM: per cent of what the GPU can sustain; warp instructions an SM and cycle. */
struct sharing_curves {
	double noc[DRF_BLOCKS], dram[DRF_BLOCKS], up[DRF_BLOCKS], ipc[DRF_BLOCKS];
	double noc_wanted, dram_wanted; /* with most blocks, as if all SMs were like those measured: also above 100 */
};

/* What a request has taken, on average: from L2 to the SMs; of DRAM. */
struct sharing_cost {
	double flits, bytes;
};

struct sharing_kernel {
	const struct hd_kernel *kernel; /* with its stream: what it is known by */
	uint64_t stream;
	const struct hd_grid *grid; /* NULL: it has ended, and may be launched again */
	uint64_t ended;
	uint32_t most; /* blocks that an SM has room for */
	struct drf_block block;
	bool known;		      /* it has curves: measured, or kept from an earlier launch */
	struct sharing_curves curves; /* since the last MEASURE */
	struct sharing_cost cost;     /* in the last window with requests */
	struct sharing_counts counts; /* of the whole GPU, since the window began */
};

/* What a kernel has shown, with blocks of this size; beside these others, alone if there are none. */
struct sharing_known {
	const struct hd_kernel *kernel, *partners[SHARING_KERNELS - 1];
	uint32_t partner_count, most;
	struct drf_block block;
	struct sharing_curves curves;
	struct sharing_cost cost;
	uint64_t used; /* when it was wanted last, counted in uses; 0: the place is free */
};

struct sharing_sm {
	struct sharing_counts counts[SHARING_KERNELS]; /* since the window began */
	uint64_t seen[HD_MAX_GRIDS];		       /* instructions of each slot at the last look */
};

struct hd_policy_handle;
struct sharing_gpu;

struct sharing_design {
	bool measures; /* it has the phases SETTLE and MEASURE */
	bool spatial;  /* each SM belongs to one kernel, always */
	/* The set is known, and its curves if it measures: fills in `blocks`. */
	void (*decide)(const struct hd_policy_handle *self, struct hd_gpu *gpu, struct sharing_gpu *sharing);
	/* In phase RUN, every SHARING_TICK cycles; may be NULL. */
	void (*look)(const struct hd_policy_handle *self, struct hd_gpu *gpu, struct sharing_gpu *sharing,
		     uint64_t now);
};

/* The first member of the GPU's state of each design. */
struct sharing_gpu {
	const struct sharing_design *design;
	enum sharing_phase phase;
	uint64_t since;	 /* cycle in which the phase began */
	uint64_t window; /* and the window of counts */
	uint64_t looks;	 /* in this window */
	uint64_t changes, measured, recalled;
	bool changed;	 /* the set has, since the last look */
	bool apart;	 /* kernels are measured one after the other */
	uint32_t turn;	 /* of which kernel, in SETTLE and MEASURE */
	uint64_t shared; /* cycle in which another kernel had blocks in its turn */
	uint32_t count;
	struct sharing_kernel kernels[SHARING_KERNELS];
	struct sharing_known known[SHARING_KNOWN];
	uint64_t uses;	 /* of these */
	uint32_t others; /* grids beyond these */
	uint8_t of_slot[HD_MAX_GRIDS];
	uint64_t dram_seen[HD_MAX_GRIDS];
	uint32_t blocks[SHARING_KERNELS]; /* most on an SM, in phase RUN */
	/* What the GPU can sustain in a core cycle. */
	double flits, dram_bytes;
};

/* Every design's first settings, in this order. */
enum { SHARING_WINDOW, SHARING_NOC, SHARING_DRAM, SHARING_PATIENCE, SHARING_APART, SHARING_SETTINGS };
#define SHARING_SETTING_ROWS \
	[SHARING_WINDOW] = {"window", "cycles to settle, measure, and average running figures over (Lin, 3.6.4)", \
			    10000, 200, 1e9}, \
	[SHARING_NOC] = {"noc_sustainable", "sustainable part of the crossbar's peak bandwidth (Lin, 4.3.2)", 0.6, \
			 0.01, 1}, \
	[SHARING_DRAM] = {"dram_sustainable", "sustainable part of DRAM's peak bandwidth, 0.6 to 0.7 (Lin, 4.3.2)", \
			  0.65, 0.01, 1}, \
	[SHARING_PATIENCE] = {"patience", "cycles after which a kernel that is not relaunched counts as ended (ours)", \
			      1000, 0, 1e9}, \
	[SHARING_APART] = {"apart", \
			   "1: measure kernels one after the other, each alone on all SMs, in earlier runs; 0: " \
			   "measure them concurrently on separate SMs (Lin, 4.5.4)", \
			   0, 0, 1}

/* To be called from the hooks of these names. */
void sharing_start(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct sharing_design *design);
void sharing_grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid);
void sharing_grid_end(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid);
uint32_t sharing_quota(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid);
void sharing_tick(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now);
void sharing_reply(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_reply *reply, uint64_t now);
/* heads[0] goes: counts it. */
uint32_t sharing_send(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_packet *const *heads,
		      uint32_t count, uint64_t now);
void sharing_count_sent(struct sharing_sm *mine, uint32_t which, const struct hd_packet *packet);

/* All counts are 0 from now on. */
void sharing_begin_window(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now);
/* Blocks of its kernel that an SM has while it is measured: the j-th of S such SMs has (j + 1) S-ths of the most. */
uint32_t sharing_trial(const struct sharing_gpu *sharing, const struct hd_sm *sm, uint32_t which);
/* Whose blocks an SM has while kernels are measured. */
uint32_t sharing_owner(const struct sharing_gpu *sharing, const struct hd_sm *sm);
/* known.c: gives each kernel of the set the curves that are kept of it, or none, which `known` says. */
void sharing_recall(struct sharing_gpu *sharing);
/* Keeps those of kernel `which`, in place of the ones that were not wanted for longest where all places are taken. */
void sharing_remember(struct sharing_gpu *sharing, uint32_t which);
/* profile.c: from the counts of the window, which ends now, the curves of the kernels that were measured in it.
 * False: one of them has not had a block anywhere. */
bool sharing_measure(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now);
/* The kernels' counts of the window so far, and from these what their requests cost. */
void sharing_sum(const struct hd_policy_handle *self, struct hd_gpu *gpu);
/* The kernels as drf_allocate wants them, all of class DRF_LATENCY and without curves. */
void sharing_drf(const struct sharing_gpu *sharing, struct drf_kernel kernels[SHARING_KERNELS]);

/* For `report`: the blocks an SM of the launch's kernel; of the run how often kernels were measured. */
extern const struct hd_policy_count sharing_reported[]; /* of these, and of smk's */
void sharing_report_blocks(const struct sharing_gpu *sharing, const struct hd_gpu *gpu,
			   void (*add)(void *, const char *, double, const char *), void *context);

static inline struct sharing_gpu *sharing_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return hd_policy_gpu(self, gpu);
}

static inline struct sharing_sm *sharing_sm_of(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return hd_policy_sm(self, sm);
}

/* The kernel of a grid that runs; SHARING_NOBODY. */
static inline uint32_t sharing_which(const struct sharing_gpu *sharing, uint32_t slot)
{
	return sharing->of_slot[slot];
}

#endif
