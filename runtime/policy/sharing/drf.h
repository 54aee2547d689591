/*
 * Dominant-resource fairness over blocks and bandwidth: Algorithm 1 of CCBP (Lin, 4.5.2). Of the kernels that share a
 * GPU the one with the least share of its dominant resource gets the next step: a further block an SM where it is
 * sensitive to latency, a further per cent of the crossbar's or the DRAM's bandwidth where it is intensive in that.
 * Without curves of bandwidth, and with every kernel sensitive to latency, it is the block combination of SMK.
 *
 * Cost: O(kernels) a step; at most 100 / step steps a kernel that wants bandwidth, one a block for the others.
 */
#ifndef HD_RUNTIME_POLICY_SHARING_DRF_H
#define HD_RUNTIME_POLICY_SHARING_DRF_H

#include <stdbool.h>
#include <stdint.h>

#define DRF_KERNELS 4	/* that share a GPU (Lin, 4.5: two to four) */
#define DRF_BLOCKS 33	/* of a kernel on an SM, none included */

enum drf_class { DRF_LATENCY, DRF_NOC, DRF_DRAM }; /* LS, NBI, DBI */

/* What one block takes of an SM, as a part of it, 0 to 1. */
struct drf_block {
	double threads, registers, shared, slots;
};

struct drf_kernel {
	enum drf_class class;
	uint32_t most; /* blocks that an SM has room for when nothing else is there; below DRF_BLOCKS */
	struct drf_block block;
	/* By the number of blocks an SM: per cent of what the GPU can sustain from L2 to the SMs, of DRAM, and from the
	 * SMs to L2. None falls; [0] is 0. NULL: it takes none. */
	const double *noc, *dram, *up;
	/* What it gets, on each SM: */
	uint32_t blocks;
	double noc_share, dram_share, up_share; /* per cent */
	double dominant;			/* its share of its dominant resource, per cent */
};

/* One step, taken or refused, for those who want to follow. */
struct drf_step {
	uint32_t kernel;
	bool taken;
	struct drf_kernel after; /* what it would have */
};
typedef void (*drf_follow)(void *context, const struct drf_step *step);

/* Fills in what each of `count` kernels gets. `step`: per cent; `latency_priority`: priorLSK (4.5.5), by which the
 * shares of kernels sensitive to latency are divided. `follow` may be NULL. */
void drf_allocate(struct drf_kernel *kernels, uint32_t count, double step, double latency_priority, drf_follow follow,
		  void *context);
/* What drf_allocate has left of the bandwidths, since blocks did not fit or asked for no more, goes to the kernels that
 * are intensive in bandwidth, by the same rule and with the same blocks: of the one with the least share all shares
 * grow as the dominant one does, by a step. */
void drf_give_rest(struct drf_kernel *kernels, uint32_t count, double step);

#endif
