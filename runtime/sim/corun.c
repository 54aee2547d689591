/*
 * Co-runs: see corun.h. A co-run begins with the first grid that begins on an idle GPU, or after another co-run; the
 * first launches of streams that begin later in it take part, too, each `corun_apart` cycles after the one before if
 * that is asked for. It is a number of cycles, not of launches: what runs when they have passed is counted up to there
 * and then runs to its end, so that the program goes on with results; until then nothing else begins. Launches that
 * come behind in the streams make another co-run.
 *
 * A co-run of streams (options.corun_streams) launches nothing again: who submits does, and all launches of a kernel in
 * a stream are one figure, over the cycles in which they ran. There is one such co-run.
 *
 * Cost: O(grids of a co-run) when one ends.
 */
#include "runtime/sim/corun.h"

#include "runtime/memory/clock.h"
#include "runtime/sim/report.h"

/* One grid of a co-run, over all its launches. */
struct hd_corun_grid {
	uint64_t ticket, stream, launches; /* launches: that ended in it */
	uint64_t busy;			   /* cycles in which one of them was on its way */
	uint64_t came;			   /* cycles after the co-run's first */
	struct hd_arena names;
	const char *kernel;
	struct hd_stats stats;
};

static struct hd_corun_grid *entry_of(struct hd_sim *sim, const struct hd_grid *grid)
{
	for (uint32_t i = 0; i < sim->corun.grids.len; i++) {
		struct hd_corun_grid *entry = sim->corun.grids.data[i];
		if (sim->gpu.options.corun_streams
			    ? entry->stream == grid->stream && !strcmp(entry->kernel, grid->record->stats.kernel)
			    : entry->ticket == grid->ticket)
			return entry;
	}
	return NULL;
}

static void add_entry(struct hd_sim *sim, const struct hd_grid *grid)
{
	struct hd_corun_grid *entry = hd_xcalloc(1, sizeof *entry);
	hd_arena_init(&entry->names);
	entry->ticket = grid->ticket;
	entry->stream = grid->stream;
	entry->came = sim->gpu.now - sim->corun.start;
	entry->kernel = hd_arena_strdup(&entry->names, grid->record->stats.kernel);
	hd_vec_push(&sim->corun.grids, entry);
}

bool hd_corun_waits(struct hd_sim *sim, const struct hd_grid *grid)
{
	struct hd_gpu *gpu = &sim->gpu;
	uint64_t apart = gpu->options.corun_streams ? 0 : gpu->options.corun_apart;
	if (!apart || !sim->corun.open || !gpu->running || entry_of(sim, grid))
		return false;
	uint64_t due = sim->corun.start + apart * sim->corun.grids.len;
	if (gpu->now >= due)
		return false;
	gpu->corun_next = due;
	return true;
}

void hd_corun_begin(struct hd_sim *sim, const struct hd_grid *grid)
{
	struct hd_gpu *gpu = &sim->gpu;
	if (!gpu->options.corun_cycles || (gpu->options.corun_streams && sim->corun.over))
		return;
	if (!sim->corun.open) {
		sim->corun.open = true;
		sim->corun.start = gpu->now;
		gpu->corun_end = gpu->now + gpu->options.corun_cycles;
	}
	if (!entry_of(sim, grid))
		add_entry(sim, grid);
}

/* What the grid has caused since it began. */
static void count(struct hd_sim *sim, struct hd_grid *grid)
{
	struct hd_corun_grid *entry = entry_of(sim, grid);
	hd_grid_note_slot(&sim->gpu, grid);
	struct hd_stats own = {0}, before = {.counters = grid->slot_before};
	hd_gpu_add_counted(&sim->gpu, grid->slot, &own.counters);
	hd_stats_subtract(&own, &before);
	hd_stats_add(&entry->stats, &own);
	/* Cycles in which nothing happens are skipped, the last of the window among them. */
	uint64_t end = sim->corun.start + sim->gpu.options.corun_cycles;
	end = sim->gpu.now < end ? sim->gpu.now : end;
	entry->busy += grid->started < end ? end - grid->started : 0;
}

bool hd_corun_ended(struct hd_sim *sim, struct hd_grid *grid)
{
	if (!sim->corun.open || !entry_of(sim, grid))
		return false;
	count(sim, grid);
	entry_of(sim, grid)->launches++;
	return !sim->gpu.options.corun_streams && !sim->gpu.error && !sim->gpu.interrupted;
}

bool hd_sim_corun_over(const struct hd_sim *sim)
{
	return sim->corun.over;
}

void hd_corun_close(struct hd_gpu *gpu)
{
	struct hd_sim *sim = hd_sim_of(gpu);
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->running && entry_of(sim, gpu->grids.data[i]))
			count(sim, gpu->grids.data[i]);
	sim->corun.open = false;
	sim->corun.over = true;
	gpu->corun_end = HD_NEVER;
}

bool hd_corun_ending(const struct hd_sim *sim)
{
	return sim->corun.grids.len && !sim->corun.open && sim->gpu.running;
}

static json_t *grid_object(const struct hd_sim *sim, struct hd_corun_grid *entry)
{
	json_t *object = json_object();
	struct hd_stats *stats = &entry->stats;
	stats->counters.cycles =
		sim->gpu.options.corun_streams ? entry->busy : sim->gpu.options.corun_cycles - entry->came;
	stats->stalls[HD_STALL_issued] = hd_slots_issued(&stats->counters);
	json_object_set_new(object, "kernel", json_string(entry->kernel));
	json_object_set_new(object, "stream", json_integer((json_int_t)entry->stream));
	json_object_set_new(object, "came", json_integer((json_int_t)entry->came));
	json_object_set_new(object, "launches", json_integer((json_int_t)entry->launches));
	hd_stats_json(object, stats, &sim->gpu);
	return object;
}

static void forget(struct hd_sim *sim)
{
	for (uint32_t i = 0; i < sim->corun.grids.len; i++) {
		hd_arena_release(&sim->corun.grids.data[i]->names);
		free(sim->corun.grids.data[i]);
	}
	sim->corun.grids.len = 0;
}

void hd_corun_rest(struct hd_sim *sim)
{
	json_t *object, *grids;
	/* Its grids are launched again at once; not after a fault: then it was no co-run. */
	if (!sim->corun.grids.len || (sim->corun.open && !sim->gpu.error && !sim->gpu.interrupted))
		return;
	if (sim->corun.open) {
		sim->corun.open = false;
		sim->gpu.corun_end = HD_NEVER;
		forget(sim);
		return;
	}
	object = json_object();
	grids = json_array();
	json_object_set_new(object, "start_cycle", json_integer((json_int_t)sim->corun.start));
	json_object_set_new(object, "cycles", json_integer((json_int_t)sim->gpu.options.corun_cycles));
	json_object_set_new(object, "grids", grids);
	for (uint32_t i = 0; i < sim->corun.grids.len; i++)
		json_array_append_new(grids, grid_object(sim, sim->corun.grids.data[i]));
	forget(sim);
	if (sim->gpu.options.record) {
		hd_record_corun(sim, object);
		return;
	}
	if (!sim->corun.done)
		sim->corun.done = json_array();
	json_array_append_new(sim->corun.done, object);
}

json_t *hd_corun_json(const struct hd_sim *sim)
{
	return sim->corun.done ? json_deep_copy(sim->corun.done) : NULL;
}

void hd_corun_release(struct hd_sim *sim)
{
	forget(sim);
	hd_vec_release(&sim->corun.grids);
	json_decref(sim->corun.done);
}
