/*
 * CCBP's figures: by launch what its kernel is taken for and has been given last, and what the controllers did with it;
 * for the run how much of the bandwidth was given out and how much was taken; over time (--sample) the shares of each
 * kernel, and what it took of them in the last window. Which of what controllers cost is which: requests that were
 * throttled wait for tokens, tokens that lapsed were there when no request was, and what is neither given nor taken is
 * bandwidth that nobody may use.
 *
 * Cost: none but when asked; the counts are an addition an event (ccbp.c).
 */
#include "runtime/policy/ccbp/ccbp.h"

const struct hd_policy_count ccbp_counts[] = {
	CCBP_COUNTS(HD_COUNT_ROW){0},
};

const char *const ccbp_series[] = {
#define KERNEL(i) "noc_given_" #i, "dram_given_" #i, "noc_used_" #i, "dram_used_" #i, "blocks_" #i,
	KERNEL(0) KERNEL(1) KERNEL(2) KERNEL(3) NULL};

void ccbp_sample(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values)
{
	const struct ccbp_gpu *ccbp = hd_policy_gpu(self, gpu);
	for (uint32_t i = 0; i < SHARING_KERNELS; i++) {
		bool given = ccbp->sharing.phase == SHARING_RUN && i < ccbp->sharing.count;
		*values++ = given ? ccbp->kernels[i].noc_share : 0;
		*values++ = given ? ccbp->kernels[i].dram_share : 0;
		*values++ = given ? ccbp->noc_used[i] : 0;
		*values++ = given ? ccbp->dram_used[i] : 0;
		*values++ = given ? ccbp->sharing.blocks[i] : 0;
	}
}

static void report_launch(const struct ccbp_grid *grid, void (*add)(void *, const char *, double, const char *),
			  void *context)
{
	if (!grid->known)
		return;
	add(context, "class", grid->given.class, "0 latency, 1 crossbar, 2 DRAM");
	add(context, "blocks", grid->blocks, "CTAs an SM");
	add(context, "noc_share", grid->given.noc_share, "%");
	add(context, "dram_share", grid->given.dram_share, "%");
	add(context, "noc_wanted", grid->noc_wanted, "%");
	add(context, "dram_wanted", grid->dram_wanted, "%");
	add(context, "rate", grid->rate, "requests an SM in 200 cycles");
	add(context, "request_flits", grid->cost.flits, "flits to the SMs, a request");
	add(context, "request_bytes", grid->cost.bytes, "bytes of DRAM, a request");
}

const struct hd_policy_count ccbp_reported[] = {
	{"class", "", "what limits the kernel: 0 latency, 1 the crossbar, 2 DRAM"},
	{"blocks", "CTAs per SM", "blocks that the kernel is given on an SM"},
	{"noc_share", "%", "share of the crossbar that the kernel is given"},
	{"dram_share", "%", "share of DRAM's bandwidth that the kernel is given"},
	{"noc_wanted", "%", "share of the crossbar that the kernel takes alone"},
	{"dram_wanted", "%", "share of DRAM's bandwidth that the kernel takes alone"},
	{"rate", "requests per SM", "requests in 200 cycles"},
	{"request_flits", "flits", "flits to the SMs per request"},
	{"request_bytes", "bytes", "bytes of DRAM per request"},
	{"measured", "times", "measurements of kernels beside each other"},
	{"recalled", "kernels", "kernels whose curves an earlier launch had measured"},
	{"decisions", "times", "times that bandwidth and blocks were divided"},
	{"reviews", "times", "times that a division was looked at again"},
	{"preferred", "times", "times that the priority changed"},
	{"refused", "SMs*cycles", "SMs that held back a kernel's requests, summed over cycles"},
	{"controlled", "cycles", "cycles in which bandwidth was divided"},
	{"noc_given", "%", "share of the crossbar's sustainable bandwidth that was given out, mean"},
	{"noc_used", "%", "share of the crossbar's sustainable bandwidth that was used, mean"},
	{"dram_given", "%", "share of DRAM's sustainable bandwidth that was given out, mean"},
	{"dram_used", "%", "share of DRAM's sustainable bandwidth that was used, mean"},
	{0},
};

void ccbp_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		 void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	const struct ccbp_gpu *ccbp = hd_policy_gpu(self, gpu);
	const struct ccbp_sums *sums = &ccbp->sums;
	double cycles = sums->cycles ? (double)sums->cycles : 1;
	uint64_t refused = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		refused += ((const struct ccbp_sm *)hd_policy_sm(self, gpu->sms[i]))->refused;
	if (gpu->grid) {
		report_launch(hd_policy_grid(self, gpu->grid), add, context);
		return;
	}
	add(context, "measured", (double)ccbp->sharing.measured, "times");
	add(context, "recalled", (double)ccbp->sharing.recalled, "kernels with curves of an earlier launch");
	add(context, "decisions", (double)ccbp->decisions, "times");
	add(context, "reviews", (double)ccbp->reviews, "times");
	add(context, "preferred", (double)ccbp->preferred, "times that the priority changed");
	add(context, "refused", (double)refused, "SMs*cycles");
	add(context, "controlled", (double)sums->cycles, "cycles");
	add(context, "noc_given", sums->noc_given / cycles, "% of sustainable, mean");
	add(context, "noc_used", sums->noc_used / cycles, "% of sustainable, mean");
	add(context, "dram_given", sums->dram_given / cycles, "% of sustainable, mean");
	add(context, "dram_used", sums->dram_used / cycles, "% of sustainable, mean");
}
