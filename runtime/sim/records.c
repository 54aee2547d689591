/*
 * The records of launches: what each cost, filled in when it has ended.
 *
 * Cost: O(counters + figures of policies) a launch.
 */
#include "heddle/figures.h"
#include "heddle/occupancy.h"
#include "runtime/exec/exec.h"
#include "runtime/sampling/sampling.h"
#include "runtime/sim/sim_private.h"
#include "runtime/sm/counts.h"
#include "runtime/sm/energy.h"
#include "runtime/sm/hooks.h"

static void add_figure(void *context, const char *key, double value, const char *unit)
{
	struct hd_launch_record *record = context;
	struct hd_policy_figure figure = {.policy = record->reporting, .value = value};
	figure.key = hd_arena_strdup(&record->arena, key);
	figure.unit = hd_arena_strdup(&record->arena, unit ? unit : "");
	hd_vec_push(&record->figures, figure);
}

static void release_parts(struct hd_launch_record *record)
{
	hd_samples_release(&record->sampler);
	json_decref(record->sampling);
	record->sampling = NULL;
	hd_arena_release(&record->arena);
	record->figures.len = 0;
}

void hd_launch_record_free(struct hd_launch_record *record)
{
	if (!record)
		return;
	release_parts(record);
	hd_vec_release(&record->figures);
	free(record);
}

/* Everything that happened while the grid ran alone. */
static void count_all(const struct hd_sim *sim, const struct hd_grid *grid, struct hd_stats *stats)
{
	*stats = sim->now;
	hd_stats_subtract(stats, &grid->before);
}

/* What the grid caused beside others. Slots that were lost are no grid's: the total has them. */
static void count_own(const struct hd_gpu *gpu, const struct hd_grid *grid, struct hd_stats *stats)
{
	struct hd_stats before = {.counters = grid->slot_before};
	*stats = (struct hd_stats){0};
	hd_gpu_add_counted(gpu, grid->slot, &stats->counters);
	hd_stats_subtract(stats, &before);
	if (gpu->functional)
		return;
	stats->counters.cycles = gpu->now - grid->started;
	stats->stalls[HD_STALL_issued] = hd_slots_issued(&stats->counters);
}

/* Whether records are kept for who asks later. */
static bool stores(const struct hd_gpu *gpu)
{
	return !gpu->options.record && !gpu->options.unrecorded;
}

/* One that is kept, or the one that is written and used again. All its other fields are set below. */
static struct hd_launch_record *take_record(struct hd_sim *sim)
{
	if (stores(&sim->gpu)) {
		struct hd_launch_record *record = hd_xmalloc(sizeof *record);
		memset(&record->figures, 0, sizeof record->figures);
		hd_arena_init(&record->arena);
		hd_vec_push(&sim->launches, record);
		return record;
	}
	if (!sim->scratch)
		sim->scratch = hd_xcalloc(1, sizeof *sim->scratch);
	return sim->scratch;
}

/* Copies of the kernel's name and file for all records of its launches. */
static void keep_names(struct hd_sim *sim, struct hd_kernel *kernel)
{
	if (kernel->title)
		return;
	kernel->title = hd_arena_strdup(&sim->gpu.arena, hd_kernel_title(kernel));
	if (kernel->meta && kernel->meta->source.file)
		kernel->file = hd_arena_strdup(&sim->gpu.arena, kernel->meta->source.file);
}

static void describe(struct hd_sim *sim, struct hd_launch_record *record, const struct hd_grid *grid)
{
	struct hd_kernel *kernel = &grid->kernel->module->kernels[grid->kernel - grid->kernel->module->kernels];
	struct hd_launch_stats *stats = &record->stats;
	keep_names(sim, kernel);
	stats->kernel = kernel->title;
	stats->file = kernel->file;
	stats->line = kernel->file ? kernel->meta->source.line : 0;
	memcpy(stats->grid, grid->grid, sizeof grid->grid);
	memcpy(stats->block, grid->block, sizeof grid->block);
	stats->dynamic_shared = grid->dynamic_shared;
	stats->resident_ctas = grid->fit.ctas;
	stats->limiter = hd_occupancy_limit_name(grid->fit.limit);
	stats->stream = grid->stream;
	stats->start = grid->started;
	stats->shared = grid->shared;
}

void hd_record_finish(struct hd_sim *sim, struct hd_grid *grid)
{
	struct hd_gpu *gpu = &sim->gpu;
	struct hd_launch_record *record = take_record(sim);
	describe(sim, record, grid);
	record->partial = gpu->error != 0;
	if (grid->shared)
		count_own(gpu, grid, &record->stats.stats);
	else
		count_all(sim, grid, &record->stats.stats);
	record->sampler = hd_samples_take(gpu, grid);
	hd_energy_take(gpu, grid, record->spent);
	for (record->reporting = 0; record->reporting < gpu->policy_count; record->reporting++)
		hd_counts_report(&gpu->policies[record->reporting], gpu, add_figure, record);
	hd_stats_add(&sim->counted, &record->stats.stats);
	hd_power_compute(&record->power, &record->stats.stats.counters, gpu->config);
	hd_power_add(&sim->power, &record->power);
	record->sampling = gpu->sampling ? hd_sampling_launch_json(gpu->sampling) : NULL;
	if (stores(gpu))
		return;
	gpu->grid = NULL; /* the policies' figures there are of the whole run */
	hd_record_launch(sim, grid->kernel, record);
	gpu->grid = grid;
	release_parts(record);
}
