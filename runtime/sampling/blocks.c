/*
 * Sampling of blocks. A grid that is simulated with time and has many times as many blocks as the GPU runs at once is
 * looked at each time that as many have ended as ran at a time when the first one did, a wave: whole waves, since the
 * GPU's pace changes while the blocks of one go through their phases together. The first wave does not count. From then
 * on each one is a sample of the cycles for an instruction, and of all other figures. When LEAST of them are there and
 * tell the mean cycles to options.sampling (t test, estimate.c), no more blocks begin, those under way run to their end
 * with time, and the rest, whole waves, is executed without and gets
 * the waves' figures for its instructions. After MOST samples that do
 * not tell so much it begins anew, with samples of twice as many waves, which differ less and depend less on each
 * other: batch means. So a pace that settles late is found, too.
 *
 * Not so where blocks may wait for each other: cooperative launches, and kernels that reach a loop in which lanes may
 * wait (lib/object/spins.h).
 *
 * Methods: the stable rate after a full wave as in Principal Kernel Projection (MICRO 2021, section 3.2), regions of
 * like blocks as in TBPoint (IPDPS 2014); the test is another one, and ramp and drain are simulated.
 *
 * Cost: a comparison a visited cycle; a sum over SMs and an array of figures a wave.
 */
#include "heddle/config.h"
#include "runtime/exec/later.h"
#include "runtime/gpu/functional.h"
#include "runtime/gpu/gpu.h"
#include "runtime/sampling/private.h"
#include "runtime/sm/scheduler.h"

enum {
	LEAST = 3, /* waves that are samples */
	MOST = 8,
};

void hd_sampled_blocks_init(struct hd_sampling *sampling)
{
	struct hd_sampled_blocks *blocks = &sampling->blocks;
	blocks->before = HD_ARENA_NEW(&sampling->arena, double, sampling->width);
	blocks->windows = HD_ARENA_NEW(&sampling->arena, double, sampling->width);
	blocks->errors = HD_ARENA_NEW(&sampling->arena, double, sampling->width);
	blocks->ends = HD_ARENA_NEW(&sampling->arena, double, sampling->width);
	blocks->squares = HD_ARENA_NEW(&sampling->arena, double, sampling->width);
	hd_estimator_init(&blocks->estimator, sampling->width, &sampling->arena);
}

void hd_sampled_blocks_begin(struct hd_sampling *sampling, struct hd_grid *grid)
{
	struct hd_sampled_blocks *blocks = &sampling->blocks;
	bool apart = sampling->kind == HD_SAMPLED_DETAILED && !grid->cooperative && !grid->clusters &&
		     grid->cta_total / HD_SAMPLED_WAVES >= sampling->gpu->sm_count &&
		     !hd_program_waits(&sampling->gpu->program, grid->entry);
	blocks->wave = 0;
	apart &= !hd_sampled_stretch_begin(sampling, grid);
	grid->cta_look = apart ? 1 : HD_NEVER;
}

double hd_sampled_look(struct hd_sampling *sampling, const struct hd_grid *grid, double *figures)
{
	struct hd_gpu *gpu = sampling->gpu;
	struct hd_stats stats;
	hd_gpu_charge(gpu);
	hd_sampled_stats(sampling, grid, &stats);
	stats.counters.cycles = gpu->now - grid->started;
	hd_sampled_figures(sampling, grid, stats, figures);
	return hd_sampled_work(&stats.counters);
}

/* The first block has ended: as many run as there was room for. */
static void find_wave(struct hd_sampled_blocks *blocks, struct hd_grid *grid)
{
	blocks->wave = grid->cta_next - grid->cta_done;
	grid->cta_look = blocks->wave && grid->cta_total / HD_SAMPLED_WAVES >= blocks->wave ? blocks->wave : HD_NEVER;
	blocks->window = blocks->wave;
	hd_estimator_forget(&blocks->estimator);
	blocks->work = 0;
}

static void add_window(struct hd_sampling *sampling, const struct hd_grid *grid)
{
	struct hd_sampled_blocks *blocks = &sampling->blocks;
	bool first = blocks->work == 0;
	double work = hd_sampled_look(sampling, grid, sampling->figures);
	for (uint32_t i = 0; i < sampling->width; i++) {
		blocks->windows[i] = sampling->figures[i] - blocks->before[i];
		blocks->before[i] = sampling->figures[i];
	}
	if (blocks->estimator.samples == MOST) {
		hd_estimator_forget(&blocks->estimator);
		blocks->window *= 2;
	}
	if (first)
		blocks->wave_work = work;
	else if (work > blocks->work)
		hd_estimator_sample(&blocks->estimator, blocks->windows, NULL, work - blocks->work);
	blocks->work = work;
}

/* Waves that an L2 takes in which there was room cost less than those that push something out, and so they are no
 * samples where such ones are to come. */
static bool is_filling(const struct hd_sampling *sampling, const struct hd_grid *grid)
{
	const struct hd_config *config = sampling->gpu->config;
	double room = (double)(config->l2_slices * config->l2_slice_bytes);
	double taken = sampling->blocks.before[sampling->misses] * (double)config->sector;
	return taken < room && taken * (double)grid->cta_total >= room * (double)grid->cta_done;
}

/* What is left out is whole waves, so that the last blocks with time end as the grid would: with so many beside them.
 */
static void stop(const struct hd_sampled_blocks *blocks, struct hd_grid *grid)
{
	grid->cta_stop = grid->cta_next + (grid->cta_total - grid->cta_next) % blocks->wave;
	grid->cta_look = HD_NEVER;
}

void hd_sampled_blocks_look(struct hd_sampling *sampling, struct hd_grid *grid)
{
	struct hd_sampled_blocks *blocks = &sampling->blocks;
	if (!blocks->wave) {
		find_wave(blocks, grid);
		return;
	}
	add_window(sampling, grid);
	if (is_filling(sampling, grid))
		hd_estimator_forget(&blocks->estimator);
	grid->cta_look = grid->cta_done + blocks->window;
	if (grid->cta_total - grid->cta_next < blocks->window)
		grid->cta_look = HD_NEVER;
	else if (blocks->estimator.samples >= LEAST &&
		 hd_estimator_settled(&blocks->estimator, sampling->cycles, sampling->target))
		stop(blocks, grid);
}

void hd_sampling_leave(struct hd_sampling *sampling)
{
	struct hd_sampled_blocks *blocks = &sampling->blocks;
	struct hd_gpu *gpu = sampling->gpu;
	hd_gpu_charge(gpu);
	hd_sampled_stats(sampling, gpu->grid, &blocks->stats);
	blocks->cycle = gpu->now;
	sampling->kind = HD_SAMPLED_PARTLY;
	gpu->grid->cta_stop = 0;
	hd_sampled_leave(sampling);
}

void hd_sampling_return(struct hd_sampling *sampling)
{
	hd_sampled_return(sampling, sampling->blocks.cycle);
}

/* By chance: the rest is so many waves that differ as the samples do. And by half a wave at the grid's end: whether the
 * blocks of a wave go through their phases together or apart decides how long the last ones take, and changes from the
 * first waves to the last. */
static void find_errors(struct hd_sampling *sampling, double work)
{
	struct hd_sampled_blocks *blocks = &sampling->blocks;
	struct hd_estimator *estimator = &blocks->estimator;
	estimator->skipped_squares = work * estimator->work;
	for (uint32_t i = 0; i < sampling->width; i++) {
		double chance = hd_estimator_error(estimator, i).chance;
		double end = blocks->wave_work * estimator->mean[i] / 2 + hd_estimator_state(estimator, i, work);
		blocks->errors[i] = chance + end;
		blocks->squares[i] += chance * chance;
		blocks->ends[i] += end;
	}
}

void hd_sampled_blocks_end(struct hd_sampling *sampling, const struct hd_grid *grid, const struct hd_stats *counted)
{
	struct hd_sampled_blocks *blocks = &sampling->blocks;
	struct hd_stats rest = *counted;
	hd_stats_subtract(&rest, &blocks->stats);
	rest.counters.cycles = 0; /* those with time were not counted yet when the others began */
	double work = hd_sampled_work(&rest.counters);
	blocks->estimator.skipped = 0;
	blocks->estimator.skipped_work = 0;
	hd_estimator_guess(&blocks->estimator, work, 0, sampling->figures);
	find_errors(sampling, work);
	hd_sampled_add(sampling, grid, &rest, 0);
}
