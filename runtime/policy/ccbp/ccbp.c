/*
 * CCBP: CTA combination and bandwidth partitioning for kernels that run together (Lin, chapter 4; what its text leaves
 * open, docs/papers.md). Kernels are measured on SMs of their own, told apart as sensitive to latency, intensive in the
 * crossbar or in DRAM (4.5.4), and get blocks and bandwidth by Algorithm 1 (drf.h), the same on every SM. Issue-rate
 * controllers hold the last: of each kernel that is intensive so many requests leave an SM's miss queue in 200 cycles
 * as its part of the bandwidth is worth (rates.c); those sensitive to latency go first, unthrottled
 * (4.4.2, 4.5.1).
 *
 * Where the text ends, these are ours, each a key: what Algorithm 1 leaves is given out, too (`rest`); costs of
 * requests are those of some windows (`weight`), and a rate is bound by one bandwidth unless the other is short
 * (`follow`); a share is that of the SMs that have blocks of the kernel (`active`); tokens lapse (`carry`).
 *
 * ccbp:blocks is the combination of blocks alone, ccbp:bandwidth the controllers with blocks by static resources.
 *
 * Cost: a look at the miss queues' heads a packet; Algorithm 1 when the set of kernels changes or their figures have.
 */
#include <math.h>
#include <string.h>

#include "runtime/memory/packet.h"
#include "runtime/policy/ccbp/ccbp.h"

enum {
	PRIORITY = SHARING_SETTINGS,
	STEP,
	REVIEW,
	MOVED,
	NOC_ABOVE,
	DRAM_ABOVE,
	REST,
	FOLLOW,
	WEIGHT,
	CARRY,
	ACTIVE,
	AUTO
};

static struct ccbp_gpu *ccbp_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return hd_policy_gpu(self, gpu);
}

/* ---- what each kernel is and gets */

enum drf_class ccbp_class(double noc, double dram, double dram_peak, double noc_above, double dram_above)
{
	if (noc <= noc_above && dram_peak <= dram_above)
		return DRF_LATENCY;
	return noc >= dram ? DRF_NOC : DRF_DRAM;
}

static enum drf_class class_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
			       const struct sharing_curves *curves)
{
	double noc = curves->noc_wanted, dram = curves->dram_wanted;
	return ccbp_class(noc, dram, dram * hd_policy_setting(self, gpu, SHARING_DRAM),
			  hd_policy_setting(self, gpu, NOC_ABOVE), hd_policy_setting(self, gpu, DRAM_ABOVE));
}

static void set_rates(const struct hd_policy_handle *self, const struct hd_gpu *gpu, struct ccbp_gpu *ccbp)
{
	ccbp_set_rates(ccbp, gpu->sm_count, hd_policy_setting(self, gpu, FOLLOW) > 0);
}

static void combine(const struct hd_policy_handle *self, const struct hd_gpu *gpu, struct ccbp_gpu *ccbp)
{
	struct sharing_gpu *sharing = &ccbp->sharing;
	double step = hd_policy_setting(self, gpu, STEP);
	sharing_drf(sharing, ccbp->kernels);
	drf_allocate(ccbp->kernels, sharing->count, step, 1, NULL, NULL);
	for (uint32_t i = 0; i < sharing->count; i++)
		sharing->blocks[i] = ccbp->kernels[i].blocks;
	for (uint32_t i = 0; i < sharing->count; i++) {
		const struct sharing_curves *curves = &sharing->kernels[i].curves;
		ccbp->kernels[i].class = class_of(self, gpu, curves);
		ccbp->kernels[i].noc = curves->noc;
		ccbp->kernels[i].dram = curves->dram;
		ccbp->kernels[i].up = curves->up;
	}
	drf_allocate(ccbp->kernels, sharing->count, step, ccbp->priority, NULL, NULL);
	if (hd_policy_setting(self, gpu, REST) > 0)
		drf_give_rest(ccbp->kernels, sharing->count, step);
	for (uint32_t i = 0; i < sharing->count && ccbp->combines; i++)
		sharing->blocks[i] = ccbp->kernels[i].blocks;
	ccbp->decisions++;
	set_rates(self, gpu, ccbp);
}

/* ---- is it as expected? */

static void scale(double *curve, double by)
{
	for (uint32_t i = 0; i < DRF_BLOCKS; i++)
		curve[i] = curve[i] * by > 100 ? 100 : curve[i] * by;
}

struct sharing_curves ccbp_corrected(const struct ccbp_gpu *ccbp, uint32_t which, double cycles)
{
	const struct sharing_gpu *sharing = &ccbp->sharing;
	const struct sharing_kernel *kernel = &sharing->kernels[which];
	struct sharing_curves curves = kernel->curves;
	double noc = 100 * (double)kernel->counts.flits_down / (sharing->flits * cycles);
	double dram = 100 * (double)kernel->counts.dram_bytes / (sharing->dram_bytes * cycles);
	double expected = ccbp->kernels[which].noc_share;
	if (!(noc > 0) || !(expected > 0) || !(curves.dram_wanted > 0))
		return curves;
	double by = ccbp->kernels[which].class == DRF_LATENCY ? noc / expected : 1;
	double dram_by = by * dram / noc * curves.noc_wanted / curves.dram_wanted;
	scale(curves.noc, by);
	scale(curves.up, by);
	scale(curves.dram, dram_by);
	curves.noc_wanted *= by;
	curves.dram_wanted *= dram_by;
	return curves;
}

/* Is that another kernel than the one that blocks and bandwidth were given to? */
static bool has_moved(const struct hd_policy_handle *self, const struct hd_gpu *gpu, const struct ccbp_gpu *ccbp,
		      uint32_t which, const struct sharing_curves *now)
{
	const struct drf_kernel *given = &ccbp->kernels[which];
	const struct sharing_curves *before = &ccbp->sharing.kernels[which].curves;
	double most = hd_policy_setting(self, gpu, MOVED), noc = 0, dram = 0;
	if (before->noc_wanted > 0)
		noc = given->noc_share * (now->noc_wanted / before->noc_wanted - 1);
	if (before->dram_wanted > 0)
		dram = given->dram_share * (now->dram_wanted / before->dram_wanted - 1);
	return class_of(self, gpu, now) != given->class || fabs(noc) > most || fabs(dram) > most;
}

/* Of kernels that were another one at two reviews in a row the curves are corrected, and Algorithm 1 runs again; so it
 * does with another priority. */
static void review(const struct hd_policy_handle *self, struct hd_gpu *gpu, struct ccbp_gpu *ccbp, uint64_t now)
{
	struct sharing_gpu *sharing = &ccbp->sharing;
	uint32_t moved = 0;
	bool again = false;
	for (uint32_t i = 0; i < sharing->count; i++) {
		struct sharing_curves curves = ccbp_corrected(ccbp, i, (double)(now - sharing->window));
		if (!has_moved(self, gpu, ccbp, i, &curves))
			continue;
		moved |= UINT32_C(1) << i;
		if (!(ccbp->moved >> i & 1))
			continue;
		sharing->kernels[i].curves = curves;
		again = true;
	}
	ccbp->moved = again ? 0 : moved;
	ccbp->reviews++;
	if (hd_policy_setting(self, gpu, AUTO) > 0 &&
	    ccbp_follow_slowdowns(ccbp, gpu->sm_count, (double)(now - sharing->window))) {
		ccbp->preferred++;
		again = true;
	}
	if (!again)
		return;
	combine(self, gpu, ccbp);
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		hd_sm_request_dispatch(gpu->sms[i]);
}

/* ---- the design's part of the phases */

/* For the figures of launches, which are read when the set has changed already. */
static void note(const struct hd_policy_handle *self, const struct ccbp_gpu *ccbp, bool all)
{
	for (uint32_t i = 0; i < ccbp->sharing.count; i++) {
		const struct sharing_kernel *kernel = &ccbp->sharing.kernels[i];
		struct ccbp_grid *grid = kernel->grid ? hd_policy_grid(self, kernel->grid) : NULL;
		if (!grid || (grid->known && !all))
			continue;
		*grid = (struct ccbp_grid){.known = true,
					   .given = ccbp->kernels[i],
					   .blocks = ccbp->sharing.blocks[i],
					   .rate = ccbp->rates[i],
					   .noc_wanted = kernel->curves.noc_wanted,
					   .dram_wanted = kernel->curves.dram_wanted,
					   .cost = kernel->cost};
	}
}

/* A window of `cycles` in which controllers were on has ended: what was given, what was taken. */
static void add_up(struct ccbp_gpu *ccbp, double cycles)
{
	const struct sharing_gpu *sharing = &ccbp->sharing;
	struct ccbp_sums *sums = &ccbp->sums;
	sums->cycles += (uint64_t)cycles;
	for (uint32_t i = 0; i < sharing->count; i++) {
		const struct sharing_counts *counts = &sharing->kernels[i].counts;
		ccbp->noc_used[i] = 100 * (double)counts->flits_down / (sharing->flits * cycles);
		ccbp->dram_used[i] = 100 * (double)counts->dram_bytes / (sharing->dram_bytes * cycles);
		sums->noc_given += ccbp->kernels[i].noc_share * cycles;
		sums->dram_given += ccbp->kernels[i].dram_share * cycles;
		sums->noc_used += ccbp->noc_used[i] * cycles;
		sums->dram_used += ccbp->dram_used[i] * cycles;
	}
}

static void decide(const struct hd_policy_handle *self, struct hd_gpu *gpu, struct sharing_gpu *sharing)
{
	struct ccbp_gpu *ccbp = ccbp_of(self, gpu);
	(void)sharing;
	ccbp->reviewed = gpu->now;
	ccbp->moved = 0;
	ccbp->priority = hd_policy_setting(self, gpu, PRIORITY);
	ccbp_learn_costs(ccbp, 1);
	combine(self, gpu, ccbp);
	note(self, ccbp, true);
}

/* Which SMs have blocks of each kernel: these have the share of the others. */
static void look_where(struct ccbp_gpu *ccbp, const struct hd_gpu *gpu)
{
	for (uint32_t which = 0; which < ccbp->sharing.count; which++) {
		const struct hd_grid *grid = ccbp->sharing.kernels[which].grid;
		uint32_t sms = 0;
		for (uint32_t i = 0; grid && i < gpu->sm_count; i++)
			sms += gpu->sms[i]->grids[grid->slot].resident > 0;
		ccbp->more[which] = sms ? (double)gpu->sm_count / sms - 1 : 0;
	}
}

static void look(const struct hd_policy_handle *self, struct hd_gpu *gpu, struct sharing_gpu *sharing, uint64_t now)
{
	struct ccbp_gpu *ccbp = ccbp_of(self, gpu);
	note(self, ccbp, false);
	if (hd_policy_setting(self, gpu, ACTIVE) > 0)
		look_where(ccbp, gpu);
	if (now - sharing->window < (uint64_t)hd_policy_setting(self, gpu, SHARING_WINDOW))
		return;
	sharing_sum(self, gpu);
	add_up(ccbp, (double)(now - sharing->window));
	ccbp_learn_costs(ccbp, hd_policy_setting(self, gpu, WEIGHT));
	set_rates(self, gpu, ccbp);
	if (now - ccbp->reviewed >= (uint64_t)hd_policy_setting(self, gpu, REVIEW)) {
		ccbp->reviewed = now;
		review(self, gpu, ccbp, now);
	}
	note(self, ccbp, true);
	sharing_begin_window(self, gpu, now);
}

/* ---- issue-rate controllers */

#define ROUNDING 1e-9 /* fractions that add up to one are one */

void ccbp_refill(struct ccbp_sm *mine, const struct ccbp_gpu *ccbp, uint64_t now)
{
	if (mine->unit == now / SHARING_TICK)
		return;
	mine->unit = now / SHARING_TICK;
	for (uint32_t i = 0; i < ccbp->sharing.count; i++) {
		double rate = ccbp->rates[i] * (1 + ccbp->more[i]),
		       kept = fmin((double)mine->tokens[i], ccbp->carry * rate);
		double tokens = rate + mine->rest[i];
		uint64_t whole = (uint64_t)(tokens + ROUNDING);
		mine->counts[i].tokens += whole;
		mine->counts[i].lapsed += mine->tokens[i] - (uint64_t)kept;
		mine->tokens[i] = whole + (uint64_t)kept;
		mine->rest[i] = fmax(tokens - (double)whole, 0);
	}
}

static bool goes_first(const struct ccbp_gpu *ccbp, const struct hd_packet *packet)
{
	uint32_t which = sharing_which(&ccbp->sharing, packet->grid);
	return which == SHARING_NOBODY || ccbp->kernels[which].class == DRF_LATENCY;
}

static void count_throttled(struct ccbp_sm *mine, uint32_t which, uint64_t now)
{
	mine->counts[which].throttled += mine->throttled_at[which] != now;
	mine->throttled_at[which] = now;
}

uint32_t ccbp_choose(struct ccbp_sm *mine, const struct ccbp_gpu *ccbp, const struct hd_packet *const *heads,
		     uint32_t count, uint64_t now)
{
	for (uint32_t i = 0; i < count; i++)
		if (goes_first(ccbp, heads[i]))
			return i;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t which = sharing_which(&ccbp->sharing, heads[i]->grid);
		if (heads[i]->kind == HD_PACKET_WRITEBACK || heads[i]->flags & HD_PACKET_LINE)
			return i; /* nobody asked for it: what leaves L1, and contexts */
		if (mine->tokens[which]) {
			mine->tokens[which]--;
			return i;
		}
		count_throttled(mine, which, now);
	}
	return HD_NO_PACKET;
}

/* What was counted of kernels is that of their launches. */
static void settle(const struct hd_policy_handle *self, struct hd_sm *sm, const struct sharing_gpu *sharing)
{
	struct ccbp_sm *mine = hd_policy_sm(self, sm);
	for (uint32_t i = 0; i < sharing->count; i++) {
		const struct hd_grid *grid = sharing->kernels[i].grid;
		if (!grid)
			continue;
		struct ccbp_counts *sum = hd_policy_counts_of(self, sm, grid->slot), *own = &mine->counts[i];
#define X(name, unit, help) sum->name += own->name;
		CCBP_COUNTS(X)
#undef X
		*own = (struct ccbp_counts){0};
	}
}

static uint32_t send(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_packet *const *heads,
		     uint32_t count, uint64_t now)
{
	const struct ccbp_gpu *ccbp = ccbp_of(self, sm->gpu);
	struct ccbp_sm *mine = hd_policy_sm(self, sm);
	if (ccbp->sharing.phase != SHARING_RUN || !ccbp->throttles)
		return sharing_send(self, sm, heads, count, now);
	if (mine->unit != now / SHARING_TICK)
		settle(self, sm, &ccbp->sharing);
	ccbp_refill(mine, ccbp, now);
	uint32_t chosen = ccbp_choose(mine, ccbp, heads, count, now);
	if (chosen == HD_NO_PACKET) {
		mine->refused++;
		return chosen;
	}
	uint32_t which = sharing_which(&ccbp->sharing, heads[chosen]->grid);
	sharing_count_sent(&mine->sharing, which, heads[chosen]);
	if (which != SHARING_NOBODY)
		mine->counts[which].sent++;
	return chosen;
}

/* ---- as a policy */

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	(void)config;
	if (!*parameter || !strcmp(parameter, "blocks") || !strcmp(parameter, "bandwidth"))
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy 'ccbp': expected %s, not '%s'", policy->parameters, parameter);
}

static const struct sharing_design design = {.measures = true, .decide = decide, .look = look};

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct ccbp_gpu *ccbp = ccbp_of(self, gpu);
	sharing_start(self, gpu, &design);
	ccbp->carry = hd_policy_setting(self, gpu, CARRY);
	ccbp->throttles = strcmp(self->parameter, "blocks") != 0;
	ccbp->combines = strcmp(self->parameter, "bandwidth") != 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		((struct ccbp_sm *)hd_policy_sm(self, gpu->sms[i]))->unit = UINT64_MAX;
}

static const struct hd_policy_setting settings[] = {
	SHARING_SETTING_ROWS,
	[PRIORITY] = {"priority", "priority of latency-sensitive kernels, priorLSK (Lin, 4.5.5)", 1, 0.01, 100},
	[STEP] = {"step", "bandwidth step of Algorithm 1, percent (Lin, 4.5.2)", 1, 0.01, 100},
	[REVIEW] = {"review", "cycles between checks of the shares that kernels really use (ours)", 100000, 200, 1e12},
	[MOVED] = {"moved", "percent by which a share must differ from the expected one to count as changed (ours)", 10,
		   0, 1000},
	[NOC_ABOVE] = {"noc_above",
		       "percent of the sustainable crossbar bandwidth above which a kernel is intensive (Lin, 3.4.2)",
		       60, 0, 100},
	[DRAM_ABOVE] = {"dram_above", "percent of DRAM's peak bandwidth above which a kernel is intensive (Lin, 3.4.2)",
			50, 0, 100},
	[REST] = {"rest",
		  "1: intensive kernels get the bandwidth that Algorithm 1 leaves over; 0: it stays unused (ours)", 1,
		  0, 1},
	[FOLLOW] = {"follow",
		    "1: a kernel keeps its share of the resource that it uses intensively, and of the other one only "
		    "if that is short; 0: it keeps both shares (ours)",
		    1, 0, 1},
	[WEIGHT] = {"weight", "weight of the last window in the measured cost of requests (ours)", 0.25, 0.01, 1},
	[CARRY] = {"carry", "how long tokens are kept, in units of 200 cycles (ours)", 0, 0, 1000},
	[ACTIVE] = {"active", "1: share of the SMs that hold blocks of the kernel; 0: of all SMs (ours)", 1, 0, 1},
	[AUTO] = {"auto",
		  "1: each review adapts the priority to the slowdowns, between 0.25 and 4; 0: fixed priority (ours)",
		  0, 0, 1},
	{0},
};

const struct hd_policy_hooks hd_hooks_ccbp = {
	.several_grids = true,
	.own_quota = true,
	.gpu_bytes = sizeof(struct ccbp_gpu),
	.sm_bytes = sizeof(struct ccbp_sm),
	.grid_bytes = sizeof(struct ccbp_grid),
	.settings = settings,
	.counts = ccbp_counts,
	.configure = configure,
	.start = start,
	.grid_begin = sharing_grid_begin,
	.grid_end = sharing_grid_end,
	.allocation.quota = sharing_quota,
	.memory.send = send,
	.memory.reply = sharing_reply,
	.gpu_tick_interval = SHARING_TICK,
	.gpu_tick = sharing_tick,
	.observation.series = ccbp_series,
	.observation.sample = ccbp_sample,
	.observation.report = ccbp_report,
	.observation.reported = ccbp_reported,
};
