/*
 * CCBP's state and the parts of it that stand alone (ccbp.c; Lin, chapter 4): classes of kernels, and the issue-rate
 * controllers at the miss queues.
 */
#ifndef HD_RUNTIME_POLICY_CCBP_H
#define HD_RUNTIME_POLICY_CCBP_H

#include "runtime/policy/sharing.h"

struct ccbp_gpu {
	struct sharing_gpu sharing;
	bool throttles, combines;
	struct drf_kernel kernels[SHARING_KERNELS]; /* as decided last */
	double rates[SHARING_KERNELS];		    /* requests an SM in SHARING_TICK cycles */
	uint64_t reviewed;
	uint32_t moved; /* bit a kernel whose share was another one than expected at the last review */
	uint64_t decisions, reviews;
};

/* Of a launch: what its kernel has been given last. */
struct ccbp_grid {
	bool known;
	struct drf_kernel given;
	uint32_t blocks;
	double rate, noc_wanted, dram_wanted;
	struct sharing_cost cost;
};

struct ccbp_sm {
	struct sharing_sm sharing;
	uint64_t unit; /* of time: cycle / SHARING_TICK */
	uint64_t tokens[SHARING_KERNELS];
	double rest[SHARING_KERNELS];
	uint64_t refused; /* cycles in which no request was allowed to go */
};

/* By what a kernel takes alone: `noc` and `dram` per cent of what can be sustained, `dram_peak` of DRAM's peak; a
 * kernel above one of the limits is intensive in what it takes more of (4.5.4; limits of 3.4.2). */
enum drf_class ccbp_class(double noc, double dram, double dram_peak, double noc_above, double dram_above);
/* Tokens for the unit of time that `now` is in. What was left lapses, but for the fraction of a request. */
void ccbp_refill(struct ccbp_sm *mine, const struct ccbp_gpu *ccbp, uint64_t now);
/* Which packet goes: the first of a kernel sensitive to latency, else the first that has a token, which it takes, or
 * needs none, being a write-back. HD_NO_PACKET: none. */
uint32_t ccbp_choose(struct ccbp_sm *mine, const struct ccbp_gpu *ccbp, const struct hd_packet *const *heads,
		     uint32_t count);

#endif
