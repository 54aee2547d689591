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

void hd_launch_record_free(struct hd_launch_record *record)
{
	if (!record)
		return;
	hd_vec_release(&record->figures);
	hd_samples_release(&record->sampler);
	json_decref(record->sampling);
	hd_arena_release(&record->arena);
	free(record);
}

struct hd_launch_record *hd_record_new(const struct hd_grid *grid)
{
	const struct hd_kernel *kernel = grid->kernel;
	struct hd_launch_record *record = hd_xcalloc(1, sizeof *record);
	hd_arena_init(&record->arena);
	record->stats.kernel = hd_arena_strdup(&record->arena, hd_kernel_title(kernel));
	if (kernel->meta && kernel->meta->source.file) {
		record->stats.file = hd_arena_strdup(&record->arena, kernel->meta->source.file);
		record->stats.line = kernel->meta->source.line;
	}
	memcpy(record->stats.grid, grid->grid, sizeof grid->grid);
	memcpy(record->stats.block, grid->block, sizeof grid->block);
	record->stats.dynamic_shared = grid->dynamic_shared;
	record->stats.resident_ctas = grid->fit.ctas;
	record->stats.limiter = hd_occupancy_limit_name(grid->fit.limit);
	return record;
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
	hd_gpu_add_counted(gpu, grid->slot, &stats->counters);
	hd_stats_subtract(stats, &before);
	if (gpu->functional)
		return;
	stats->counters.cycles = gpu->now - grid->started;
	stats->stalls[HD_STALL_issued] = hd_slots_issued(&stats->counters);
}

void hd_record_finish(struct hd_sim *sim, struct hd_grid *grid)
{
	struct hd_gpu *gpu = &sim->gpu;
	struct hd_launch_record *record = grid->record;
	record->partial = gpu->error != 0;
	record->stats.stream = grid->stream;
	record->stats.start = grid->started;
	record->stats.shared = grid->shared;
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
	grid->record = NULL;
	record->sampling = gpu->sampling ? hd_sampling_launch_json(gpu->sampling) : NULL;
	if (!gpu->options.record) {
		hd_vec_push(&sim->launches, record);
		return;
	}
	gpu->grid = NULL; /* the policies' figures there are of the whole run */
	hd_record_launch(sim, record);
	gpu->grid = grid;
	hd_launch_record_free(record);
}
