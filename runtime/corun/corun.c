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
#include "runtime/corun/corun.h"

#include "runtime/exec/fault.h"
#include "runtime/gpu/figures.h"
#include "runtime/gpu/gpu.h"

/* One grid of a co-run, over all its launches. */
struct hd_corun_grid {
	uint64_t ticket, stream, launches; /* launches: that ended in it */
	uint64_t busy;			   /* cycles in which one of them was on its way */
	uint64_t came;			   /* cycles after the co-run's first */
	uint64_t first_block;		   /* cycle in which a block of it started; HD_NEVER */
	struct hd_arena names;
	const char *kernel;
	struct hd_stats stats;
};

struct hd_corun {
	struct hd_gpu *gpu;
	HD_VEC(struct hd_corun_grid *) grids; /* of the one that is going on or ending */
	uint64_t start;
	bool open; /* its cycles have not passed */
	bool over; /* those of the first one have */
};

static struct hd_corun_grid *entry_of(const struct hd_corun *corun, const struct hd_grid *grid)
{
	const struct hd_gpu *gpu = corun->gpu;
	for (uint32_t i = 0; i < corun->grids.len; i++) {
		struct hd_corun_grid *entry = corun->grids.data[i];
		if (gpu->options.corun_streams
			    ? entry->stream == grid->stream && !strcmp(entry->kernel, hd_kernel_title(grid->kernel))
			    : entry->ticket == grid->ticket)
			return entry;
	}
	return NULL;
}

static void add_entry(struct hd_corun *corun, const struct hd_grid *grid)
{
	const struct hd_gpu *gpu = corun->gpu;
	struct hd_corun_grid *entry = hd_xcalloc(1, sizeof *entry);
	hd_arena_init(&entry->names);
	entry->ticket = grid->ticket;
	entry->stream = grid->stream;
	entry->came = gpu->now - corun->start;
	entry->first_block = HD_NEVER;
	entry->kernel = hd_arena_strdup(&entry->names, hd_kernel_title(grid->kernel));
	hd_vec_push(&corun->grids, entry);
}

bool hd_corun_waits(struct hd_corun *corun, const struct hd_grid *grid)
{
	struct hd_gpu *gpu = corun->gpu;
	uint64_t apart = gpu->options.corun_streams ? 0 : gpu->options.corun_apart;
	if (!apart || !corun->open || !gpu->running || entry_of(corun, grid))
		return false;
	uint64_t due = corun->start + apart * corun->grids.len;
	if (gpu->now >= due)
		return false;
	gpu->begin_next = due;
	return true;
}

void hd_corun_begin(struct hd_corun *corun, const struct hd_grid *grid)
{
	struct hd_gpu *gpu = corun->gpu;
	if (gpu->options.corun_streams && corun->over)
		return;
	if (!corun->open) {
		corun->open = true;
		corun->start = gpu->now;
		gpu->corun_end = gpu->now + gpu->options.corun_cycles;
	}
	if (!entry_of(corun, grid))
		add_entry(corun, grid);
}

/* What the grid has caused since it began. */
static void count(const struct hd_corun *corun, struct hd_grid *grid)
{
	const struct hd_gpu *gpu = corun->gpu;
	struct hd_corun_grid *entry = entry_of(corun, grid);
	hd_grid_note_slot(gpu, grid);
	struct hd_stats own = {0}, before = {.counters = grid->slot_before};
	hd_gpu_add_counted(gpu, grid->slot, &own.counters);
	hd_stats_subtract(&own, &before);
	hd_stats_add(&entry->stats, &own);
	/* Cycles in which nothing happens are skipped, the last of the window among them. */
	uint64_t end = corun->start + gpu->options.corun_cycles;
	end = gpu->now < end ? gpu->now : end;
	entry->first_block = hd_earlier(entry->first_block, grid->first_block);
	entry->busy += grid->started < end ? end - grid->started : 0;
}

bool hd_corun_ended(struct hd_corun *corun, struct hd_grid *grid)
{
	const struct hd_gpu *gpu = corun->gpu;
	if (!corun->open || !entry_of(corun, grid))
		return false;
	count(corun, grid);
	entry_of(corun, grid)->launches++;
	return !gpu->options.corun_streams && !gpu->error && !gpu->interrupted;
}

bool hd_corun_over(const struct hd_corun *corun)
{
	return corun->over;
}

static void corun_end(const struct hd_watcher_handle *self, struct hd_gpu *gpu)
{
	struct hd_corun *corun = self->state;
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->running && entry_of(corun, gpu->grids.data[i]))
			count(corun, gpu->grids.data[i]);
	corun->open = false;
	corun->over = true;
	gpu->corun_end = HD_NEVER;
}

static const struct hd_watcher corun_watcher = {.name = "corun", .corun_end = corun_end};

struct hd_corun *hd_corun_new(struct hd_gpu *gpu)
{
	struct hd_corun *corun = hd_xcalloc(1, sizeof *corun);
	corun->gpu = gpu;
	hd_watcher_add(gpu, &corun_watcher, corun);
	return corun;
}

bool hd_corun_ending(const struct hd_corun *corun)
{
	return corun->grids.len && !corun->open && corun->gpu->running;
}

static json_t *grid_object(const struct hd_corun *corun, struct hd_corun_grid *entry)
{
	const struct hd_gpu *gpu = corun->gpu;
	json_t *object = json_object();
	struct hd_stats *stats = &entry->stats;
	stats->counters.cycles = gpu->options.corun_streams ? entry->busy : gpu->options.corun_cycles - entry->came;
	stats->stalls[HD_STALL_issued] = hd_slots_issued(&stats->counters);
	json_object_set_new(object, "kernel", json_string(entry->kernel));
	json_object_set_new(object, "stream", json_integer((json_int_t)entry->stream));
	json_object_set_new(object, "came", json_integer((json_int_t)entry->came));
	if (entry->first_block != HD_NEVER)
		json_object_set_new(object, "first_block",
				    json_integer((json_int_t)(entry->first_block - corun->start - entry->came)));
	json_object_set_new(object, "launches", json_integer((json_int_t)entry->launches));
	hd_stats_json(object, stats, gpu);
	return object;
}

static void forget(struct hd_corun *corun)
{
	for (uint32_t i = 0; i < corun->grids.len; i++) {
		hd_arena_release(&corun->grids.data[i]->names);
		free(corun->grids.data[i]);
	}
	corun->grids.len = 0;
}

json_t *hd_corun_rest(struct hd_corun *corun)
{
	struct hd_gpu *gpu = corun->gpu;
	json_t *object, *grids;
	/* Its grids are launched again at once; not after a fault: then it was no co-run. */
	if (!corun->grids.len || (corun->open && !gpu->error && !gpu->interrupted))
		return NULL;
	if (corun->open) {
		corun->open = false;
		gpu->corun_end = HD_NEVER;
		forget(corun);
		return NULL;
	}
	object = json_object();
	grids = json_array();
	json_object_set_new(object, "start_cycle", json_integer((json_int_t)corun->start));
	json_object_set_new(object, "cycles", json_integer((json_int_t)gpu->options.corun_cycles));
	json_object_set_new(object, "grids", grids);
	for (uint32_t i = 0; i < corun->grids.len; i++)
		json_array_append_new(grids, grid_object(corun, corun->grids.data[i]));
	forget(corun);
	return object;
}

void hd_corun_free(struct hd_corun *corun)
{
	if (!corun)
		return;
	forget(corun);
	hd_vec_release(&corun->grids);
	free(corun);
}
