/*
 * CCBP's state and the parts of it that stand alone (Lin, chapter 4): classes of kernels, the issue-rate
 * controllers at the miss queues (ccbp.c, rates.c), and what is counted of them (report.c).
 */
#ifndef HD_RUNTIME_POLICY_CCBP_CCBP_H
#define HD_RUNTIME_POLICY_CCBP_CCBP_H

#include "runtime/policy/sharing/sharing.h"

/* Of each launch, summed over SMs, while controllers are on. */
#define CCBP_COUNTS(X) \
	X(tokens, "requests", "requests that the kernel's rate allowed") \
	X(lapsed, "requests", "requests that were allowed but not made within 200 cycles") \
	X(throttled, "SMs*cycles", "cycles per SM in which a ready request had no token") \
	X(sent, "requests", "requests that left the SM")

struct ccbp_counts {
	CCBP_COUNTS(HD_COUNT_FIELD)
};

/* Sums over the cycles in which controllers were on; per cent of what can be sustained, times cycles. */
struct ccbp_sums {
	uint64_t cycles;
	double noc_given, dram_given, noc_used, dram_used;
};

struct ccbp_gpu {
	struct sharing_gpu sharing;
	bool throttles, combines;
	struct ccbp_sums sums;
	double noc_used[SHARING_KERNELS], dram_used[SHARING_KERNELS]; /* per cent, in the last window */
	struct drf_kernel kernels[SHARING_KERNELS];		      /* as decided last */
	struct sharing_cost costs[SHARING_KERNELS];		      /* of a request, over some windows */
	double rates[SHARING_KERNELS]; /* requests an SM in SHARING_TICK cycles, if all SMs make some; */
	double more[SHARING_KERNELS];  /* so many times more on those that do, since others do not */
	double carry;		       /* units of time for which tokens are kept */
	double priority;	       /* priorLSK in effect */
	uint64_t reviewed;
	uint32_t moved; /* bit a kernel whose share was another one than expected at the last review */
	uint64_t decisions, reviews;
	uint64_t preferred; /* times that priorLSK has changed */
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
	uint64_t throttled_at[SHARING_KERNELS];
	struct ccbp_counts counts[SHARING_KERNELS]; /* that no launch has yet */
};

/* By what a kernel takes alone: `noc` and `dram` per cent of what can be sustained, `dram_peak` of DRAM's peak; a
 * kernel above one of the limits is intensive in what it takes more of (4.5.4; limits of 3.4.2). */
enum drf_class ccbp_class(double noc, double dram, double dram_peak, double noc_above, double dram_above);
/* A kernel's curves as the last window of so many cycles has them. What requests cost in DRAM beside what they cost in
 * the crossbar is known of every kernel; how much it asks for only of those that are not throttled. */
struct sharing_curves ccbp_corrected(const struct ccbp_gpu *ccbp, uint32_t which, double cycles);
/* rates.c. What requests cost: the last window's with this weight, 0 to 1, those before with the rest. */
void ccbp_learn_costs(struct ccbp_gpu *ccbp, double weight);
/* Requests an SM and unit of time, from shares and costs. `follows`: of what a kernel is intensive in its share is
 * kept, of the other one what there is; else both shares. */
void ccbp_set_rates(struct ccbp_gpu *ccbp, uint32_t sms, bool follows);
/* A priorLSK for kernels sensitive to latency that are slowed down by a tenth more than the others are, or less
 * (4.5.5): a quarter up or down, between 1/4 and 4. Slowdowns are of what each issued alone, with as many blocks as
 * fit, over what it issued in a window of `cycles`. False: it stays. */
bool ccbp_follow_slowdowns(struct ccbp_gpu *ccbp, uint32_t sms, double cycles);
/* Tokens for the unit of time that `now` is in. What was left lapses, but for the fraction of a request. */
void ccbp_refill(struct ccbp_sm *mine, const struct ccbp_gpu *ccbp, uint64_t now);
/* Which packet goes: the first of a kernel sensitive to latency, else the first that has a token, which it takes, or
 * needs none, being a write-back. HD_NO_PACKET: none. */
uint32_t ccbp_choose(struct ccbp_sm *mine, const struct ccbp_gpu *ccbp, const struct hd_packet *const *heads,
		     uint32_t count, uint64_t now);

/* report.c: what a launch and the run have in the statistics, and figures over time (--sample). */
extern const struct hd_policy_count ccbp_counts[];
extern const char *const ccbp_series[];
void ccbp_sample(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values);
extern const struct hd_policy_count ccbp_reported[];
void ccbp_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		 void (*add)(void *context, const char *key, double value, const char *unit), void *context);

#endif
