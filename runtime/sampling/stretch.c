/*
 * Sampling inside a wave. A grid of which all blocks run at once, or nearly all, has no waves to compare (blocks.c).
 * Its warps go round in loops instead. It is looked at each `window` cycles; the first window after a start does not
 * count, the others are samples of the cycles for an instruction and of all other figures. When LEAST of them tell the
 * mean cycles to options.sampling the pace is steady: the warps are halted, what they have under way ends, and they go
 * on without time. MOST samples that do not tell so much begin anew with windows of twice as many cycles.
 *
 * A warp goes on as long as it stays in its loop, the outermost one of the kernel, and for at most `reach` times what
 * its SM's warps have executed in the samples. So all SMs are brought on by the same time, though some are faster, and
 * what follows the loop has time again. Then windows begin anew, with twice the reach if the pace is the one of before.
 *
 * The stretch takes as many cycles as its SMs need at their pace. Where some of them have left their loops before
 * others it is half way between the mean SM and the slowest one. What the stretch executes beside what the samples
 * execute (hd_mix_unlike) is an error, and so is a pace that turns out to be another one behind it.
 *
 * Not so under policies, which keep state of warps that they would have to bring on, and where blocks or lanes may wait
 * for each other: nor where warpgroups multiply (wgmma), whose four warps would halt at different products.
 *
 * Methods: Photon (MICRO 2023) leaves out the rest of a warp when the pace of its loop is stable; samples with
 * stretches between them as in SMARTS (ISCA 2003).
 *
 * Cost: a comparison a visited cycle; a sum over SMs and an array of figures a window; a stretch, O(code) a warp.
 */
#include <math.h>

#include "heddle/opcodes.h"
#include "runtime/exec/later.h"
#include "runtime/gpu/functional.h"
#include "runtime/gpu/gpu.h"
#include "runtime/sampling/private.h"
#include "runtime/sm/sm.h"

/* A pace drifts more slowly than the samples show. Measured, docs/sampling.md. */
#define DRIFT 0.02

enum {
	WINDOW = 2048, /* cycles at first: some turns of a loop that waits for DRAM */
	LEAST = 4,     /* samples */
	MOST = 12,
	REACH = 8,
	MOST_REACH = 64,
	MOST_OUT = 16, /* a stretch ends when one in so many warps has left its loop */
	PAUSE = 64,    /* cycles: a stretch takes as many at least, so that all results of fixed latency are there */
};

void hd_sampled_stretch_init(struct hd_sampling *sampling)
{
	struct hd_sampled_stretch *stretch = &sampling->stretch;
	stretch->before = HD_ARENA_NEW(&sampling->arena, double, sampling->width);
	stretch->means = HD_ARENA_NEW(&sampling->arena, double, sampling->width);
	stretch->paces = HD_ARENA_NEW(&sampling->arena, struct hd_sampled_pace, sampling->gpu->sm_count);
	stretch->ways = HD_ARENA_NEW_SPARSE(&sampling->arena, struct hd_way, sampling->gpu->sm_count * HD_MAX_CONTEXTS);
	hd_estimator_init(&stretch->estimator, sampling->width, &sampling->arena);
}

/* Windows begin, of which the first is not a sample. */
static void begin_windows(struct hd_sampling *sampling, struct hd_grid *grid, uint64_t from)
{
	struct hd_sampled_stretch *stretch = &sampling->stretch;
	hd_estimator_forget(&stretch->estimator);
	stretch->warm = false;
	grid->cycle_look = from + stretch->window;
}

bool hd_sampled_stretch_begin(struct hd_sampling *sampling, struct hd_grid *grid)
{
	const struct hd_gpu *gpu = sampling->gpu;
	struct hd_sampled_stretch *stretch = &sampling->stretch;
	grid->cycle_look = HD_NEVER;
	stretch->skipped = stretch->last_work = 0;
	if (sampling->kind != HD_SAMPLED_DETAILED || grid->cooperative || grid->clusters || gpu->policy_count ||
	    grid->cta_total >= HD_SAMPLED_WAVES * grid->fit.ctas * gpu->sm_count ||
	    hd_program_waits(&gpu->program, grid->entry) || hd_program_has_products(&gpu->program, grid->entry) ||
	    hd_program_resizes(&gpu->program, grid->entry))
		return false;
	memset(sampling->blocks.errors, 0, sampling->width * sizeof *sampling->blocks.errors);
	stretch->window = WINDOW;
	stretch->reach = REACH;
	begin_windows(sampling, grid, gpu->now + sampling->launching);
	return true;
}

/* ---- windows */

static uint64_t issued(const struct hd_sampling *sampling, const struct hd_grid *grid, uint32_t sm)
{
	return sampling->gpu->sms[sm]->counted[grid->slot].warp_instructions;
}

/* Samples begin here. */
static void begin_samples(struct hd_sampling *sampling, const struct hd_grid *grid)
{
	struct hd_sampled_stretch *stretch = &sampling->stretch;
	hd_sampled_stats(sampling, grid, &stretch->stats);
	stretch->since = sampling->gpu->now;
	stretch->warm = true;
	for (uint32_t i = 0; i < sampling->gpu->sm_count; i++)
		stretch->paces[i] = (struct hd_sampled_pace){.last = issued(sampling, grid, i)};
}

/* The outermost loop of the kernel with this instruction: its first one, and how many; none: 0. */
static uint32_t loop_at(const struct hd_gpu *gpu, const struct hd_pfunction *kernel, uint32_t pc, uint32_t *from)
{
	uint32_t low = pc, high = pc;
	bool any = false, grows = true;
	while (grows) {
		grows = false;
		for (uint32_t i = low; i < kernel->first + kernel->count; i++) {
			const struct hd_inst *inst = &gpu->program.code.data[i].inst;
			bool back =
				hd_opinfo[inst->op].effects & HD_FX_BRANCH && inst->x >= kernel->first && inst->x <= i;
			if (!back || inst->x > low || i < low || (inst->x == low && i <= high && any))
				continue;
			any = grows = true;
			low = inst->x;
			high = i > high ? i : high;
		}
	}
	*from = low;
	return any ? high - low + 1 : 0;
}

/* Where a warp goes. One that is in a function that the kernel calls is in a loop, or it would not have been at a
 * steady pace: it goes on until it is back and leaves that. */
static struct hd_way way_of(const struct hd_gpu *gpu, const struct hd_warp *warp)
{
	const struct hd_pfunction *kernel = &gpu->program.functions.data[warp->cta->grid->function];
	struct hd_way way = {0};
	if (warp->pc - kernel->first >= kernel->count)
		return way;
	way.own = kernel->first;
	way.own_count = kernel->count;
	way.inside_count = loop_at(gpu, kernel, warp->pc, &way.inside);
	way.out = !way.inside_count;
	return way;
}

static bool is_under_way(const struct hd_warp *warp)
{
	return warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER;
}

static struct hd_way *ways_of(const struct hd_sampling *sampling, const struct hd_sm *sm)
{
	return &sampling->stretch.ways[sm->id * HD_MAX_CONTEXTS];
}

/* Finds out how the warps go on; returns how many have some way to go. */
static uint32_t find_ways(struct hd_sampling *sampling)
{
	const struct hd_gpu *gpu = sampling->gpu;
	uint32_t count = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		for (uint32_t id = 0; id < gpu->sms[i]->warp_count; id++) {
			const struct hd_warp *warp = &gpu->sms[i]->warps[id];
			struct hd_way *way = &ways_of(sampling, gpu->sms[i])[id];
			*way = is_under_way(warp) ? way_of(gpu, warp) : (struct hd_way){.out = true};
			count += !way->out;
		}
	return count;
}

/* Are at least half of the warps in loops? */
static bool goes_round(struct hd_sampling *sampling)
{
	uint32_t warps = 0;
	for (uint32_t i = 0; i < sampling->gpu->sm_count; i++)
		warps += sampling->gpu->sms[i]->resident_warps;
	return warps && 2 * find_ways(sampling) >= warps;
}

/* The pace behind the last stretch is known, too: the stretch may have had either. */
static void compare_pace(struct hd_sampling *sampling)
{
	struct hd_sampled_stretch *stretch = &sampling->stretch;
	const double *means = stretch->estimator.mean, old = stretch->means[sampling->cycles];
	if (stretch->last_work > 0) {
		bool same = fabs(means[sampling->cycles] - old) <= 2 * sampling->target * old;
		stretch->reach = same && stretch->reach < MOST_REACH ? 2 * stretch->reach : same ? MOST_REACH : REACH;
	}
	for (uint32_t i = 0; i < sampling->width; i++) {
		double off = fabs(means[i] - stretch->means[i]) / 2 * stretch->last_work;
		sampling->blocks.errors[i] += off;
		sampling->blocks.ends[i] += off;
		stretch->means[i] = means[i];
	}
}

/* An SM's pace differs from that of others with as many warps by its work, and by chance, which must not add up over a
 * stretch: as much of the difference is left out as the SM's samples differ from each other (Stein's estimator). SMs
 * that have no warps any more take no part in it, whatever they did during the samples. */
static void find_paces(struct hd_sampling *sampling)
{
	struct hd_sampled_pace *paces = sampling->stretch.paces;
	uint32_t count = (uint32_t)sampling->gpu->sm_count;
	double samples = sampling->stretch.estimator.samples;
	sampling->stretch.spread = 0;
	for (uint32_t i = 0; i < count; i++)
		paces[i].warps = sampling->gpu->sms[i]->resident_warps;
	for (uint32_t i = 0; i < count; i++) {
		double alike = 0, mean = 0, within = 0, between = 0;
		if (!paces[i].warps)
			continue;
		for (uint32_t j = 0; j < count; j++) {
			double own = paces[j].sum / samples;
			if (paces[j].warps != paces[i].warps)
				continue;
			double off = own - mean;
			mean += off / ++alike;
			between += off * (own - mean);
			within += paces[j].squares / samples - own * own;
		}
		double chance = within / alike / (samples - 1), share = between > 0 ? chance * alike / between : 1;
		double kept = alike > 1 && share < 1 ? 1 - share : alike > 1 ? 0 : 1;
		double off = kept * (paces[i].sum / samples - mean);
		paces[i].mean = mean + off;
		sampling->stretch.spread = fmax(sampling->stretch.spread, mean > 0 ? fabs(off) / mean : 0);
	}
}

static void halt(struct hd_sampling *sampling, struct hd_grid *grid)
{
	struct hd_sampled_stretch *stretch = &sampling->stretch;
	struct hd_gpu *gpu = sampling->gpu;
	struct hd_stats now;
	hd_sampled_stats(sampling, grid, &now);
	hd_stats_subtract(&now, &stretch->stats);
	stretch->mix = hd_sampled_mix(&now.counters);
	find_paces(sampling);
	stretch->halted = gpu->now;
	compare_pace(sampling);
	grid->cycle_look = HD_NEVER;
	hd_gpu_halt(gpu);
}

static void look_at_sms(struct hd_sampling *sampling, const struct hd_grid *grid)
{
	for (uint32_t i = 0; i < sampling->gpu->sm_count; i++) {
		struct hd_sampled_pace *pace = &sampling->stretch.paces[i];
		uint64_t now = issued(sampling, grid, i);
		double step = (double)(now - pace->last);
		pace->last = now;
		pace->sum += step;
		pace->squares += step * step;
	}
}

void hd_sampled_stretch_look(struct hd_sampling *sampling, struct hd_grid *grid)
{
	struct hd_sampled_stretch *stretch = &sampling->stretch;
	struct hd_estimator *estimator = &stretch->estimator;
	double work = hd_sampled_look(sampling, grid, sampling->figures);
	grid->cycle_look = sampling->gpu->now + stretch->window;
	for (uint32_t i = 0; i < sampling->width; i++) {
		double figure = sampling->figures[i];
		sampling->figures[i] -= stretch->before[i];
		stretch->before[i] = figure;
	}
	if (stretch->warm && work > stretch->work) {
		hd_estimator_sample(estimator, sampling->figures, NULL, work - stretch->work);
		look_at_sms(sampling, grid);
	}
	stretch->work = work;
	bool settled =
		estimator->samples >= LEAST && hd_estimator_settled(estimator, sampling->cycles, sampling->target);
	if (settled && goes_round(sampling)) {
		halt(sampling, grid);
	} else if (!stretch->warm || settled || estimator->samples == MOST) {
		stretch->window *= stretch->warm ? 2 : 1;
		hd_estimator_forget(estimator);
		begin_samples(sampling, grid);
		grid->cycle_look = sampling->gpu->now + stretch->window;
	}
}

/* ---- a stretch */

/* Each warp of an SM may go so far. Returns how many have left their loops. */
static uint32_t bring_on(struct hd_sampling *sampling, struct hd_sm *sm, uint64_t each)
{
	struct hd_way *ways = ways_of(sampling, sm);
	uint32_t out = 0;
	for (uint32_t id = 0; id < sm->warp_count; id++)
		ways[id].left = each;
	for (uint32_t i = 0; i < sm->cta_count; i++)
		if (sm->ctas[i].used)
			hd_functional_skip(sampling->functional, &sm->ctas[i], ways);
	for (uint32_t id = 0; id < sm->warp_count; id++)
		out += ways[id].out;
	return out;
}

/* Rounds of a sample's length, until too many warps have left their loops: then others have more of what all share, and
 * the pace is another one. */
static void go_rounds(struct hd_sampling *sampling)
{
	const struct hd_gpu *gpu = sampling->gpu;
	const struct hd_sampled_stretch *stretch = &sampling->stretch;
	uint32_t way_to_go = find_ways(sampling), at_first = 0;
	for (uint64_t round = 0;
	     round < stretch->reach * stretch->estimator.samples && !gpu->error && !gpu->interrupted; round++) {
		uint32_t out = 0;
		for (uint32_t i = 0; i < gpu->sm_count; i++) {
			const struct hd_sampled_pace *pace = &stretch->paces[i];
			double each = pace->warps ? pace->mean / pace->warps : 0;
			double before = each * (double)round;
			out += bring_on(sampling, gpu->sms[i], (uint64_t)(before + each) - (uint64_t)before);
		}
		at_first = round ? at_first : out;
		if ((out - at_first) * MOST_OUT > way_to_go)
			break;
	}
}

/* Cycles that an SM would have taken for what its warps have executed. */
static double cycles_of(const struct hd_sampling *sampling, const struct hd_sm *sm)
{
	const struct hd_sampled_stretch *stretch = &sampling->stretch;
	double cycles = (double)(stretch->halted - stretch->since);
	uint64_t gone = 0;
	for (uint32_t id = 0; id < sm->warp_count; id++)
		gone += ways_of(sampling, sm)[id].gone;
	return gone ? (double)gone / stretch->paces[sm->id].mean * cycles / stretch->estimator.samples : 0;
}

/* Cycles of the stretch; `*off`: by how much the true ones may differ. */
static double bring_all_on(struct hd_sampling *sampling, double *off)
{
	struct hd_gpu *gpu = sampling->gpu;
	double most = 0, sum = 0;
	uint32_t count = 0;
	hd_sampled_leave(sampling);
	hd_functional_begin(sampling->functional);
	go_rounds(sampling);
	hd_functional_count(sampling->functional);
	hd_sampled_return(sampling, gpu->now);
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		double cycles = cycles_of(sampling, gpu->sms[i]);
		most = cycles > most ? cycles : most;
		sum += cycles;
		count += cycles > 0;
	}
	double mean = count ? sum / count : 0;
	/* SMs that were slower may come up, and others fall behind. */
	*off = (most - mean) / 2 + sampling->stretch.spread * mean;
	return (most + mean) / 2;
}

static void add_errors(struct hd_sampling *sampling, double work, double distance, double off)
{
	struct hd_sampled_blocks *blocks = &sampling->blocks;
	struct hd_estimator *estimator = &sampling->stretch.estimator;
	estimator->skipped_squares = work * estimator->work;
	for (uint32_t i = 0; i < sampling->width; i++) {
		double chance = hd_estimator_error(estimator, i).chance;
		double bias = (DRIFT + distance) * estimator->mean[i] * work;
		/* Of energy at most as much of it as of the cycles. */
		if (i == sampling->cycles || i == hd_sampled_joules(sampling))
			bias += off * estimator->mean[i] / estimator->mean[sampling->cycles];
		blocks->errors[i] += chance + bias;
		blocks->squares[i] += chance * chance;
		blocks->ends[i] += bias;
	}
}

void hd_sampling_skip(struct hd_sampling *sampling)
{
	struct hd_sampled_stretch *stretch = &sampling->stretch;
	struct hd_gpu *gpu = sampling->gpu;
	struct hd_grid *grid = gpu->grid;
	struct hd_stats before, rest;
	double off, drained = (double)(gpu->now - stretch->halted);
	hd_gpu_charge(gpu);
	hd_sampled_stats(sampling, grid, &before);
	double cycles = bring_all_on(sampling, &off);
	if (gpu->error || gpu->interrupted)
		return;
	hd_sampled_stats(sampling, grid, &rest);
	hd_stats_subtract(&rest, &before);
	struct hd_mix mix = hd_sampled_mix(&rest.counters);
	double work = hd_sampled_work(&rest.counters);
	stretch->estimator.skipped = 0;
	stretch->estimator.skipped_work = 0;
	hd_estimator_guess(&stretch->estimator, work, 0, sampling->figures);
	/* What is under way ends while the warps are halted, and they come back to empty queues. Where a queue's
	 * service limits them it has been served meanwhile, and the stretch takes all of its cycles. Where latency
	 * limits them half of the halt is lost: nothing new went on. Between these: */
	sampling->figures[sampling->cycles] = fmax(cycles - drained / 4, PAUSE);
	add_errors(sampling, work, hd_mix_unlike(&stretch->mix, &mix), off + drained / 2);
	hd_sampled_pass(sampling, &rest);
	sampling->kind = HD_SAMPLED_PARTLY;
	stretch->skipped += work;
	stretch->last_work = work;
	stretch->work = hd_sampled_look(sampling, grid, stretch->before);
	begin_windows(sampling, grid, gpu->now);
}
