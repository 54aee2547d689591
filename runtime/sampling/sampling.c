/*
 * Sampling of launches. A launch is known by what it executes: warp instructions, active lanes, blocks and the shares
 * of the kinds of instructions (struct hd_mix). Launches of one kernel with blocks of one shape that differ by less
 * than RADIUS make a cluster. Which one a launch will be of is known when it has ended; before, it is taken to be that
 * of the last launch of this kernel with about as many blocks. Where the mean of the cluster's samples is known well
 * enough the launch is executed without time (functional.c) and gets the cluster's figures for its work; else it is
 * simulated. One that turns out to be of another cluster gets that one's figures, or the nearest one's, and a new
 * cluster's next launch is simulated. Each time a cluster's launches have doubled, one is simulated again, so that slow
 * changes are seen.
 *
 * After a launch without time, figures that have no meaning without it are set so that accounts balance: the time goes
 * on by the estimated cycles, issue slots have reasons in the samples' proportions. Counts of what was executed are
 * exact under the baseline; policies add to them and take away, so that under these all but blocks and warps follow the
 * samples.
 *
 * A launch that begins while grids of other streams are on their way is simulated, and is nobody's sample.
 *
 * Methods: Principal Kernel Analysis (MICRO 2021), Sieve (ISPASS 2023), TBPoint (IPDPS 2014), Photon (MICRO 2023);
 * docs/sampling.md says what is whose.
 *
 * Cost: O(clusters of the kernel + counters) a launch.
 */
#include <math.h>
#include <stddef.h>

#include "heddle/config.h"
#include "runtime/gpu/functional.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/power.h"
#include "runtime/sampling/private.h"
#include "runtime/sm/counts.h"
#include "runtime/sm/energy.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"

#define RADIUS 0.1	/* of a cluster; TBPoint's of launches, too */
#define FIRST_CHECK 16u /* launches of a cluster, after which one is simulated each time they have doubled */

/* ---- what it goes with */

static bool is_about_time(const struct hd_gpu *gpu, uint32_t index)
{
	return gpu->policies[index].policy->touches & (HD_TOUCH_CODE | HD_TOUCH_DISPATCH | HD_TOUCH_SHARES);
}

int hd_sampling_check(const struct hd_gpu *gpu, struct hd_diag *diag)
{
	const struct hd_sim_options *options = &gpu->options;
	const char *what = options->functional		       ? "--functional"
			   : options->verify		       ? "--verify"
			   : options->check		       ? "--check"
			   : options->ideal		       ? "--ideal"
			   : options->blame		       ? "--by-line or --by-instruction"
			   : options->max_cycles	       ? "--max-cycles"
			   : options->sample		       ? "--sample"
			   : options->corun_cycles	       ? "--corun-cycles"
			   : options->rehearsal		       ? "a rehearsal"
			   : options->trace && *options->trace ? "--trace"
							       : NULL;
	if (what)
		return hd_error(diag, HD_NOWHERE, "--sampling cannot be combined with %s: it simulates only a part",
				what);
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (is_about_time(gpu, i) || gpu->policies[i].hooks->linear || gpu->policies[i].hooks->ideal)
			return hd_error(diag, HD_NOWHERE,
					"--sampling: policy '%s' changes the code that runs or shares the GPU among "
					"kernels (run it without --sampling)",
					gpu->policies[i].policy->name);
	return 0;
}

/* ---- from start to end */

static uint32_t index_of(size_t offset)
{
	uint32_t index = 0;
	while (hd_counter_info[index].offset != offset)
		index++;
	return index;
}

static void blocks_ended(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	if (grid->cycle_look != HD_NEVER)
		hd_sampled_stretch_look(self->state, grid);
	else
		hd_sampled_blocks_look(self->state, grid);
	(void)gpu;
}

static const struct hd_watcher sampling_watcher = {.name = "sampling", .blocks_ended = blocks_ended};

struct hd_sampling *hd_sampling_new(struct hd_gpu *gpu)
{
	struct hd_sampling *sampling = hd_xcalloc(1, sizeof *sampling);
	hd_arena_init(&sampling->arena);
	sampling->gpu = gpu;
	sampling->functional = hd_functional_new(gpu);
	sampling->target = gpu->options.sampling;
	sampling->width = hd_sampled_event(sampling, gpu->energy_count) + 1;
	sampling->cycles = index_of(offsetof(struct hd_counters, cycles));
	sampling->misses = index_of(offsetof(struct hd_counters, l2_misses));
	sampling->figures = HD_ARENA_NEW(&sampling->arena, double, sampling->width);
	sampling->behind = HD_ARENA_NEW(&sampling->arena, double, sampling->width);
	sampling->rows = HD_ARENA_NEW(&sampling->arena, uint64_t, gpu->count_rows + 1);
	hd_sampled_blocks_init(sampling);
	hd_sampled_stretch_init(sampling);
	hd_watcher_add(gpu, &sampling_watcher, sampling);
	sampling->hooks = HD_ARENA_NEW(&sampling->arena, uint64_t, gpu->sm_count);
	return sampling;
}

void hd_sampling_free(struct hd_sampling *sampling)
{
	if (!sampling)
		return;
	hd_functional_free(sampling->functional);
	hd_vec_release(&sampling->clusters);
	hd_vec_release(&sampling->families);
	hd_arena_release(&sampling->arena);
	free(sampling);
}

/* ---- with and without time */

void hd_sampled_leave(struct hd_sampling *sampling)
{
	struct hd_gpu *gpu = sampling->gpu;
	gpu->functional = sampling->functional;
	sampling->policies = gpu->policy_count;
	gpu->policy_count = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		sampling->hooks[i] = gpu->sms[i]->hooks;
		gpu->sms[i]->hooks = 0;
	}
}

void hd_sampled_return(struct hd_sampling *sampling, uint64_t cycle)
{
	struct hd_gpu *gpu = sampling->gpu;
	gpu->functional = NULL;
	gpu->policy_count = sampling->policies;
	gpu->now = cycle;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		gpu->sms[i]->hooks = sampling->hooks[i];
		gpu->sms[i]->now = cycle;
	}
}

/* ---- clusters */

static bool is_of(const struct hd_sampled_cluster *cluster, const struct hd_grid *grid)
{
	return cluster->kernel == grid->kernel && !memcmp(cluster->block, grid->block, sizeof grid->block) &&
	       cluster->dynamic_shared == grid->dynamic_shared;
}

static bool has_blocks(const struct hd_sampled_cluster *cluster, const struct hd_grid *grid)
{
	return fabs(log((double)grid->cta_total / cluster->mix.blocks)) <= RADIUS;
}

/* That of the last launch of the kernel; with about as many blocks, where `alike`. NULL: there was none. */
static struct hd_sampled_cluster *last_cluster(const struct hd_sampling *sampling, const struct hd_grid *grid,
					       bool alike)
{
	struct hd_sampled_cluster *last = NULL;
	for (uint32_t i = 0; i < sampling->clusters.len; i++) {
		struct hd_sampled_cluster *cluster = sampling->clusters.data[i];
		if (is_of(cluster, grid) && (!alike || has_blocks(cluster, grid)) &&
		    (!last || cluster->used > last->used))
			last = cluster;
	}
	return last;
}

/* What followed the last launch's cluster before, if that has about as many blocks as this one; NULL: nothing is known.
 */
static struct hd_sampled_cluster *expected(const struct hd_sampling *sampling, const struct hd_grid *grid)
{
	const struct hd_sampled_cluster *last = last_cluster(sampling, grid, false);
	if (last && last->next && has_blocks(last->next, grid))
		return last->next;
	return last_cluster(sampling, grid, true);
}

/* The nearest of those that have so many samples; NULL: there is none. */
static struct hd_sampled_cluster *nearest(const struct hd_sampling *sampling, const struct hd_grid *grid,
					  const struct hd_mix *mix, uint32_t samples, double *distance)
{
	struct hd_sampled_cluster *best = NULL;
	for (uint32_t i = 0; i < sampling->clusters.len; i++) {
		struct hd_sampled_cluster *cluster = sampling->clusters.data[i];
		if (!is_of(cluster, grid) || cluster->estimator.samples < samples)
			continue;
		double far = hd_mix_distance(&cluster->mix, mix);
		if (!best || far < *distance) {
			*distance = far;
			best = cluster;
		}
	}
	return best;
}

static struct hd_sampled_cluster *add_cluster(struct hd_sampling *sampling, const struct hd_grid *grid,
					      const struct hd_mix *mix)
{
	struct hd_sampled_cluster *cluster = HD_ARENA_NEW(&sampling->arena, struct hd_sampled_cluster, 1);
	*cluster = (struct hd_sampled_cluster){.kernel = grid->kernel,
					       .dynamic_shared = grid->dynamic_shared,
					       .mix = *mix};
	memcpy(cluster->block, grid->block, sizeof cluster->block);
	hd_estimator_init(&cluster->estimator, sampling->width, &sampling->arena);
	struct hd_sampled_cluster *kin = last_cluster(sampling, grid, false);
	if (kin)
		hd_estimator_join(&cluster->estimator, &kin->estimator);
	hd_vec_push(&sampling->clusters, cluster);
	return cluster;
}

/* The cluster that a launch with this mix is of. */
static struct hd_sampled_cluster *cluster_of(struct hd_sampling *sampling, const struct hd_grid *grid,
					     const struct hd_mix *mix)
{
	double distance = 0;
	struct hd_sampled_cluster *cluster = nearest(sampling, grid, mix, 0, &distance);
	if (!cluster || distance > RADIUS)
		cluster = add_cluster(sampling, grid, mix);
	cluster->launches++;
	struct hd_sampled_cluster *last = last_cluster(sampling, grid, false);
	if (last)
		last->next = cluster;
	cluster->used = sampling->gpu->grids_launched;
	return cluster;
}

static struct hd_sampled_family *family_of(struct hd_sampling *sampling, const struct hd_grid *grid)
{
	for (uint32_t i = 0; i < sampling->families.len; i++) {
		struct hd_sampled_family *family = sampling->families.data[i];
		if (family->kernel == grid->kernel && !memcmp(family->block, grid->block, sizeof grid->block) &&
		    family->dynamic_shared == grid->dynamic_shared)
			return family;
	}
	struct hd_sampled_family *family = HD_ARENA_NEW(&sampling->arena, struct hd_sampled_family, 1);
	family->kernel = grid->kernel;
	family->dynamic_shared = grid->dynamic_shared;
	memcpy(family->block, grid->block, sizeof family->block);
	hd_trend_init(&family->trend, sampling->width, sampling->cycles, sampling->target, &sampling->arena);
	hd_vec_push(&sampling->families, family);
	return family;
}

static bool is_due(const struct hd_sampling *sampling, const struct hd_sampled_cluster *cluster)
{
	uint64_t next = cluster->launches + 1;
	if (next >= FIRST_CHECK && !(next & (next - 1)))
		return true;
	return !hd_estimator_settled(&cluster->estimator, sampling->cycles, sampling->target);
}

/* ---- a launch begins */

static bool is_alone(const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->stream != grid->stream)
			return false;
	return true;
}

static enum hd_sampled choose(struct hd_sampling *sampling, const struct hd_grid *grid)
{
	const struct hd_sampled_cluster *cluster = expected(sampling, grid);
	if (!is_alone(sampling->gpu, grid))
		return HD_SAMPLED_BESIDE;
	if (cluster && !is_due(sampling, cluster))
		return HD_SAMPLED_FUNCTIONAL;
	const struct hd_trend *trend = &family_of(sampling, grid)->trend;
	bool tells = hd_trend_tells(trend, (double)grid->cta_total);
	return tells ? HD_SAMPLED_FUNCTIONAL : HD_SAMPLED_DETAILED;
}

void hd_sampling_begin(struct hd_sampling *sampling, struct hd_grid *grid)
{
	sampling->kind = choose(sampling, grid);
	sampling->start = sampling->gpu->now;
	sampling->launching = hd_gpu_launch_cycles(sampling->gpu, grid);
	sampling->cluster = NULL;
	sampling->family = NULL;
	hd_sampled_blocks_begin(sampling, grid);
	if (sampling->kind != HD_SAMPLED_FUNCTIONAL)
		return;
	hd_counts_begin(sampling->gpu, grid);
	hd_sampled_leave(sampling);
}

/* ---- a launch ends */

/* Instructions of the program, without what policies add and with what they take away. */
double hd_sampled_work(const struct hd_counters *c)
{
	return (double)(c->warp_instructions + c->elided - c->injected - c->micro_operations - c->stream_instructions);
}

struct hd_mix hd_sampled_mix(const struct hd_counters *c)
{
	double work = fmax(hd_sampled_work(c), 1), threads = (double)(c->thread_instructions + c->elided_threads);
	struct hd_mix mix = {.work = work, .lanes = fmax(threads / work, 1e-3), .blocks = fmax((double)c->ctas, 1)};
	uint64_t kinds[HD_MIX_SHARES] = {c->int_instructions, c->fp32_instructions,   c->fp64_instructions,
					 c->sfu_instructions, c->tensor_instructions, c->lsu_instructions,
					 c->barriers};
	for (uint32_t i = 0; i < HD_MIX_SHARES; i++)
		mix.shares[i] = (double)kinds[i] / work;
	return mix;
}

static uint64_t *counter_at(struct hd_counters *counters, uint32_t index)
{
	return (uint64_t *)(void *)((char *)counters + hd_counter_info[index].offset);
}

static uint64_t slots_of(const struct hd_gpu *gpu, uint64_t cycles)
{
	return gpu->config->schedulers * gpu->sm_count * cycles;
}

/* Nothing ran in these cycles. */
static void leave_launching(const struct hd_gpu *gpu, struct hd_stats *stats)
{
	uint64_t slots = slots_of(gpu, stats->counters.launch_cycles), *idle = &stats->stalls[HD_STALL_idle];
	stats->counters.cycles -= stats->counters.launch_cycles;
	*idle -= slots < *idle ? slots : *idle;
	stats->counters.launch_cycles = 0;
}

static void energy_figures(const struct hd_sampling *sampling, const struct hd_grid *grid,
			   const struct hd_counters *counters, double *figures)
{
	const struct hd_gpu *gpu = sampling->gpu;
	struct hd_power power;
	uint64_t spent[HD_MAX_ENERGY] = {0};
	for (uint32_t row = 0; row < gpu->energy_count; row++) {
		for (uint32_t i = 0; i < gpu->sm_count; i++)
			spent[row] += gpu->sms[i]->policy_spent[grid->slot][row];
		figures[hd_sampled_event(sampling, row)] = (double)spent[row];
	}
	hd_power_compute(&power, counters, gpu->config);
	figures[hd_sampled_joules(sampling)] = hd_power_total(&power) + hd_energy_joules(gpu, spent);
}

void hd_sampled_stats(const struct hd_sampling *sampling, const struct hd_grid *grid, struct hd_stats *stats)
{
	hd_gpu_snapshot(sampling->gpu, stats);
	hd_stats_subtract(stats, &grid->before);
}

/* All but for launching it. */
void hd_sampled_figures(struct hd_sampling *sampling, const struct hd_grid *grid, struct hd_stats stats,
			double *figures)
{
	const struct hd_gpu *gpu = sampling->gpu;
	leave_launching(gpu, &stats);
	for (uint32_t i = 0; i < hd_counter_count; i++)
		figures[i] = (double)*counter_at(&stats.counters, i);
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		figures[hd_sampled_stall(i)] = (double)stats.stalls[i];
	hd_counts_sum(gpu, grid, sampling->rows);
	for (uint32_t i = 0; i < gpu->count_rows; i++)
		figures[hd_sampled_row(i)] = (double)sampling->rows[i];
	energy_figures(sampling, grid, &stats.counters, figures);
}

bool hd_sampled_exactly(const struct hd_sampling *sampling, uint32_t index)
{
	static const size_t exact[] = {
#define X(name) offsetof(struct hd_counters, name),
		X(ctas) X(warps) X(tensor_instructions) X(tensor_products) X(tensor_int_products)
			HD_FUNCTIONAL_COUNTERS(X)
#undef X
	};
	uint32_t count = sampling->gpu->policy_count ? 2 : sizeof exact / sizeof *exact; /* the first two always are */
	for (uint32_t i = 0; i < count; i++)
		if (exact[i] == hd_counter_info[index].offset)
			return true;
	return false;
}

/* Reasons for all issue slots of the estimated cycles: as many with instructions as there are, the others as guessed.
 */
static void share_slots(const struct hd_gpu *gpu, struct hd_stats *stats)
{
	uint64_t issued = hd_slots_issued(&stats->counters), left, most = HD_STALL_issued == 0;
	uint64_t width = slots_of(gpu, 1);
	double sum = 0;
	if (stats->counters.cycles * width < issued)
		stats->counters.cycles = (issued + width - 1) / width;
	left = stats->counters.cycles * width - issued;
	stats->stalls[HD_STALL_issued] = 0;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		sum += (double)stats->stalls[i];
	uint64_t rest = left;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++) {
		uint64_t part = sum > 0 ? (uint64_t)((double)stats->stalls[i] / sum * (double)left) : 0;
		stats->stalls[i] = part < rest ? part : rest;
		rest -= stats->stalls[i];
		if (i != HD_STALL_issued && stats->stalls[i] > stats->stalls[most])
			most = i;
	}
	stats->stalls[most] += rest;
	stats->stalls[HD_STALL_issued] = issued;
}

/* Makes whole figures of guesses; what was counted stays as it is. */
static void take_guesses(const struct hd_sampling *sampling, struct hd_stats *stats, uint64_t launching)
{
	for (uint32_t i = 0; i < hd_counter_count; i++)
		if (!hd_sampled_exactly(sampling, i))
			*counter_at(&stats->counters, i) = (uint64_t)llround(sampling->figures[i]);
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		stats->stalls[i] = (uint64_t)llround(sampling->figures[hd_sampled_stall(i)]);
	stats->counters.launch_cycles = launching;
	stats->counters.cycles += launching;
	stats->stalls[HD_STALL_idle] += slots_of(sampling->gpu, launching);
	share_slots(sampling->gpu, stats);
}

void hd_sampled_add(struct hd_sampling *sampling, const struct hd_grid *grid, const struct hd_stats *counted,
		    uint64_t launching)
{
	struct hd_gpu *gpu = sampling->gpu;
	struct hd_stats guessed = *counted;
	take_guesses(sampling, &guessed, launching);
	gpu->now += guessed.counters.cycles;
	hd_stats_subtract(&guessed, counted);
	hd_stats_add(&gpu->stats, &guessed);
	for (uint32_t i = 0; i < gpu->count_rows; i++)
		sampling->rows[i] = (uint64_t)llround(sampling->figures[hd_sampled_row(i)]);
	hd_counts_add(gpu, grid, sampling->rows);
	for (uint32_t row = 0; row < gpu->energy_count; row++)
		gpu->sms[0]->policy_spent[grid->slot][row] +=
			(uint64_t)llround(sampling->figures[hd_sampled_event(sampling, row)]);
}

/* Not for time that goes by on the SMs all the same, and is counted there. */
static bool passes(uint32_t index)
{
	static const size_t counted[] = {offsetof(struct hd_counters, cycles),
					 offsetof(struct hd_counters, resident_warp_cycles),
					 offsetof(struct hd_counters, active_sm_cycles)};
	for (uint32_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (counted[i] == hd_counter_info[index].offset)
			return true;
	return false;
}

/* Slots of halted warps get the samples' reasons, and those of what was executed. */
void hd_sampled_pass(struct hd_sampling *sampling, const struct hd_stats *counted)
{
	struct hd_gpu *gpu = sampling->gpu;
	struct hd_stats guessed = *counted, kept = *counted, halted, past;
	take_guesses(sampling, &guessed, 0);
	uint64_t cycles = guessed.counters.cycles;
	for (uint32_t i = 0; i < hd_counter_count; i++)
		if (passes(i))
			*counter_at(&guessed.counters, i) = *counter_at(&kept.counters, i);
	hd_stats_subtract(&guessed, counted);
	hd_gpu_snapshot(gpu, &halted);
	hd_gpu_go_on(gpu, cycles);
	hd_gpu_snapshot(gpu, &past);
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		guessed.stalls[i] -= past.stalls[i] - halted.stalls[i];
	hd_stats_add(&gpu->stats, &guessed);
}

/* Whose figures a launch of a cluster gets: its own, or if that has too few samples to tell an error the nearest's. */
static struct hd_sampled_cluster *source_of(struct hd_sampling *sampling, const struct hd_grid *grid,
					    struct hd_sampled_cluster *own, const struct hd_mix *mix)
{
	double distance = 0;
	struct hd_sampled_cluster *source = nearest(sampling, grid, mix, 2, &distance);
	sampling->distance = 0;
	if (own->estimator.samples >= 2 || !source)
		return own->estimator.samples ? own : nearest(sampling, grid, mix, 1, &distance);
	sampling->distance = distance;
	return source;
}

static void end_functional(struct hd_sampling *sampling, const struct hd_grid *grid, const struct hd_stats *counted)
{
	struct hd_mix mix = hd_sampled_mix(&counted->counters);
	struct hd_sampled_cluster *own = cluster_of(sampling, grid, &mix);
	struct hd_sampled_family *family = family_of(sampling, grid);
	sampling->launch_work = mix.work;
	if (!hd_estimator_settled(&own->estimator, sampling->cycles, sampling->target) &&
	    hd_trend_guess(&family->trend, &mix, sampling->figures)) {
		sampling->cluster = own;
		sampling->family = family;
	} else {
		sampling->cluster = source_of(sampling, grid, own, &mix);
		hd_estimator_guess(&sampling->cluster->estimator, mix.work, sampling->distance, sampling->figures);
	}
	hd_sampled_add(sampling, grid, counted, sampling->launching);
	sampling->work += mix.work;
	sampling->gap = true;
}

/* It found caches, DRAM and network as its predecessor without time has left them. */
static void count_gap(struct hd_sampling *sampling)
{
	for (uint32_t i = 0; sampling->gap && i < sampling->width; i++)
		sampling->behind[i] += HD_SAMPLED_STATE * sampling->figures[i];
	sampling->gap = sampling->kind == HD_SAMPLED_PARTLY || sampling->stretch.skipped > 0;
}

/* The first launch of a cluster finds caches as something else has left them: it is a sample until there is another. */
static void add_sample(struct hd_sampled_cluster *cluster, const double *figures, const double *errors, double work)
{
	if (cluster->estimator.samples && !cluster->warm) {
		hd_estimator_forget(&cluster->estimator);
		cluster->warm = true;
	}
	hd_estimator_sample(&cluster->estimator, figures, errors, work);
}

static void end_detailed(struct hd_sampling *sampling, const struct hd_grid *grid, struct hd_stats *stats)
{
	double timed = hd_sampled_work(&stats->counters);
	if (sampling->stretch.skipped > 0) {
		timed -= sampling->stretch.skipped;
	} else if (sampling->kind == HD_SAMPLED_PARTLY) {
		timed = hd_sampled_work(&sampling->blocks.stats.counters);
		hd_sampled_blocks_end(sampling, grid, stats);
		hd_sampled_stats(sampling, grid, stats);
	}
	struct hd_mix mix = hd_sampled_mix(&stats->counters);
	sampling->work += mix.work;
	sampling->detailed_work += timed;
	if (sampling->kind == HD_SAMPLED_BESIDE)
		return;
	sampling->cluster = cluster_of(sampling, grid, &mix);
	hd_sampled_figures(sampling, grid, *stats, sampling->figures);
	count_gap(sampling);
	add_sample(sampling->cluster, sampling->figures,
		   sampling->kind == HD_SAMPLED_PARTLY ? sampling->blocks.errors : NULL, mix.work);
	hd_trend_add(&family_of(sampling, grid)->trend, &mix, sampling->figures);
}

void hd_sampling_ending(struct hd_sampling *sampling, struct hd_grid *grid)
{
	(void)grid;
	if (sampling->gpu->functional)
		sampling->gpu->now = sampling->start;
}

void hd_sampling_end(struct hd_sampling *sampling, struct hd_grid *grid)
{
	struct hd_gpu *gpu = sampling->gpu;
	struct hd_stats stats;
	bool functional = gpu->functional;
	if (functional)
		hd_sampled_return(sampling, sampling->start);
	sampling->launches[sampling->kind]++;
	if (gpu->error || gpu->interrupted)
		return;
	hd_sampled_stats(sampling, grid, &stats);
	if (functional)
		end_functional(sampling, grid, &stats);
	else
		end_detailed(sampling, grid, &stats);
}
