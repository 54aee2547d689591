/*
 * From CCBP's shares to rates of requests (ccbp.h; Lin, 4.5.1 and 4.5.3, whose text is not complete): what requests
 * cost is counted, and a kernel's rate is what its share of the bandwidth that it is intensive in is worth. And from
 * slowdowns to the priority of kernels sensitive to latency (4.5.5).
 *
 * What a request costs changes from window to window, most of all in DRAM: a kernel that finds its data in L2 takes
 * little of it, and twice that when another one has driven lines out. A rate that kept to both shares as Algorithm 1
 * knew them would fall to a half for that, and bandwidth that nobody asked for stays idle. So the other share counts
 * only where that bandwidth is short.
 *
 * Cost: O(kernels) a window.
 */
#include "runtime/policy/ccbp/ccbp.h"

static double at_least(double value, double least)
{
	return value > least ? value : least;
}

/* ---- costs */

void ccbp_learn_costs(struct ccbp_gpu *ccbp, double weight)
{
	for (uint32_t i = 0; i < ccbp->sharing.count; i++) {
		const struct sharing_cost *last = &ccbp->sharing.kernels[i].cost;
		ccbp->costs[i].flits += weight * (last->flits - ccbp->costs[i].flits);
		ccbp->costs[i].bytes += weight * (last->bytes - ccbp->costs[i].bytes);
	}
}

/* ---- rates */

/* What a kernel is expected to take of one bandwidth, per cent of what can be sustained; those sensitive to latency
 * what Algorithm 1 has set aside. */
static double demand_of(const struct ccbp_gpu *ccbp, uint32_t sms, uint32_t which, bool noc)
{
	const struct drf_kernel *given = &ccbp->kernels[which];
	const struct sharing_cost *cost = &ccbp->costs[which];
	double requests = ccbp->rates[which] * sms / SHARING_TICK;
	if (given->class == DRF_LATENCY)
		return noc ? given->noc_share : given->dram_share;
	return noc ? 100 * requests * cost->flits / ccbp->sharing.flits
		   : 100 * requests * cost->bytes / ccbp->sharing.dram_bytes;
}

/* Which kernels make way where one bandwidth is short, a bit each: those intensive in it, or all intensive ones. */
static uint32_t who_bends(const struct ccbp_gpu *ccbp, bool noc)
{
	uint32_t own = 0, all = 0;
	for (uint32_t i = 0; i < ccbp->sharing.count; i++) {
		enum drf_class class = ccbp->kernels[i].class;
		own |= (uint32_t)(class == (noc ? DRF_NOC : DRF_DRAM)) << i;
		all |= (uint32_t)(class != DRF_LATENCY) << i;
	}
	return own ? own : all;
}

static void keep_within(struct ccbp_gpu *ccbp, uint32_t sms, bool noc)
{
	uint32_t bends = who_bends(ccbp, noc);
	double fixed = 0, bent = 0;
	for (uint32_t i = 0; i < ccbp->sharing.count; i++)
		*(bends >> i & 1 ? &bent : &fixed) += demand_of(ccbp, sms, i, noc);
	if (fixed + bent <= 100 || !(bent > 0))
		return;
	for (uint32_t i = 0; i < ccbp->sharing.count; i++)
		if (bends >> i & 1)
			ccbp->rates[i] *= at_least(100 - fixed, 0) / bent;
}

/* A request is one flit and one byte at least, so that rates end. */
void ccbp_set_rates(struct ccbp_gpu *ccbp, uint32_t sms, bool follows)
{
	for (uint32_t i = 0; i < ccbp->sharing.count; i++) {
		const struct drf_kernel *kernel = &ccbp->kernels[i];
		double flits = kernel->noc_share / 100 * ccbp->sharing.flits * SHARING_TICK / sms;
		double bytes = kernel->dram_share / 100 * ccbp->sharing.dram_bytes * SHARING_TICK / sms;
		double by_noc = flits / at_least(ccbp->costs[i].flits, 1);
		double by_dram = bytes / at_least(ccbp->costs[i].bytes, 1);
		/* One that takes nothing of DRAM has no share of it to keep to. */
		ccbp->rates[i] = kernel->dram_share > 0 && by_dram < by_noc ? by_dram : by_noc;
		if (follows && kernel->class != DRF_LATENCY)
			ccbp->rates[i] = kernel->class == DRF_NOC ? by_noc : by_dram;
	}
	for (uint32_t i = 0; follows && i < 2; i++)
		keep_within(ccbp, sms, i == 0);
}

/* ---- priority */

#define MUCH_MORE 1.1 /* times another's slowdown */
#define PRIORITY_STEP 1.25
#define PRIORITY_LEAST 0.25
#define PRIORITY_MOST 4.0

/* The worst of those sensitive to latency, or of the others; 0: none is known. */
static double worst_slowdown(const struct ccbp_gpu *ccbp, uint32_t sms, double cycles, bool latency)
{
	double worst = 0;
	for (uint32_t i = 0; i < ccbp->sharing.count; i++) {
		const struct sharing_kernel *kernel = &ccbp->sharing.kernels[i];
		double now = (double)kernel->counts.instructions / (cycles * sms);
		if ((ccbp->kernels[i].class == DRF_LATENCY) != latency || !(now > 0))
			continue;
		worst = at_least(kernel->curves.ipc[kernel->most] / now, worst);
	}
	return worst;
}

bool ccbp_follow_slowdowns(struct ccbp_gpu *ccbp, uint32_t sms, double cycles)
{
	double sensitive = worst_slowdown(ccbp, sms, cycles, true), others = worst_slowdown(ccbp, sms, cycles, false);
	double before = ccbp->priority;
	if (!(sensitive > 0) || !(others > 0))
		return false;
	if (sensitive > others * MUCH_MORE && before < PRIORITY_MOST)
		ccbp->priority = before * PRIORITY_STEP < PRIORITY_MOST ? before * PRIORITY_STEP : PRIORITY_MOST;
	else if (others > sensitive * MUCH_MORE && before > PRIORITY_LEAST)
		ccbp->priority = at_least(before / PRIORITY_STEP, PRIORITY_LEAST);
	return ccbp->priority != before;
}
