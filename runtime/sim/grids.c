/*
 * Grids on their way. A submitted grid waits until those of its stream that came before have ended, then it gets its
 * turn and runs beside grids of other streams, at most HD_MAX_GRIDS; gpu.c runs them until one has ended. A
 * cooperative grid, whose blocks must all be resident, runs alone, and nothing passes it while it waits for that. So
 * does every grid under a policy that knows of one grid only, and where the program is checked for mistakes or counted
 * for ideal machines, which look at one at a time, or recorded.
 *
 * A programmatic grid (cudaLaunchAttributeProgrammaticStreamSerialization) gets its turn when each block of the grid
 * before it in its stream has allowed that (griddepcontrol.launch_dependents) or has ended. Its launch is prepared
 * meanwhile. It counts as ended after all before it. Where grids run one at a time, under policies and in co-runs, with
 * sampling and without time it waits for their end as others do, which its program must expect anyway.
 *
 * Simulated time passes only while somebody waits for a grid: what is submitted in between begins in the same cycle.
 *
 * Cost: O(grids on their way) a grid.
 */
#include <assert.h>
#include <fenv.h>

#include "heddle/config.h"
#include "lib/store.h"
#include "runtime/check/check.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/corun/corun.h"
#include "runtime/corun/recorder.h"
#include "runtime/exec/exec.h"
#include "runtime/sampling/sampling.h"
#include "runtime/sim/report.h"
#include "runtime/sim/sim_private.h"
#include "runtime/sm/linear.h"
#include "runtime/verify/conservation.h"

/* May grids run beside each other at all? */
static bool runs_several(const struct hd_sim *sim)
{
	const struct hd_gpu *gpu = &sim->gpu;
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (!gpu->policies[i].hooks->several_grids)
			return false;
	return !gpu->one_grid && !sim->recorder;
}

static bool wants_alone(const struct hd_sim *sim, const struct hd_grid *grid)
{
	return grid->cooperative || !runs_several(sim);
}

/* The grid that runs when there is one; NULL: there are none, or several. */
static struct hd_grid *only_running(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; gpu->running == 1 && i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->running)
			return gpu->grids.data[i];
	return NULL;
}

/* The last one before it in its stream; NULL: there is none. */
static struct hd_grid *grid_before(const struct hd_gpu *gpu, uint32_t index)
{
	for (uint32_t i = index; i-- > 0;)
		if (gpu->grids.data[i]->stream == gpu->grids.data[index]->stream)
			return gpu->grids.data[i];
	return NULL;
}

/* Policies know of no grid that begins before the ones it follows have ended, or make blocks wait for places again. */
static bool lets_overlap(const struct hd_sim *sim)
{
	const struct hd_gpu *gpu = &sim->gpu;
	return !gpu->policy_count && runs_several(sim) && !gpu->functional && !gpu->sampling && !gpu->corun;
}

/* Whether its turn in its stream has come. A programmatic launch is prepared while the one before it runs. */
static bool may_follow(struct hd_sim *sim, uint32_t index)
{
	struct hd_gpu *gpu = &sim->gpu;
	struct hd_grid *grid = gpu->grids.data[index];
	const struct hd_grid *before = grid_before(gpu, index);
	if (!before)
		return true;
	if (!grid->programmatic || !before->running || !lets_overlap(sim) || wants_alone(sim, grid))
		return false;
	grid->prepared = grid->prepared > before->started ? grid->prepared : before->started;
	grid->early = true;
	gpu->awaits_fire |= before->fired < before->cta_total;
	return before->fired == before->cta_total;
}

static uint8_t free_slot(const struct hd_gpu *gpu)
{
	uint32_t used = 0;
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->running)
			used |= UINT32_C(1) << gpu->grids.data[i]->slot;
	return (uint8_t)__builtin_ctz(~used);
}

/* No grid runs any more: everything is counted, and agrees. */
static void settle_accounts(struct hd_sim *sim)
{
	struct hd_gpu *gpu = &sim->gpu;
	struct hd_stats since = sim->now;
	uint64_t slots = 0;
	hd_stats_subtract(&since, &sim->before);
	if (gpu->options.verify && !gpu->error && !gpu->interrupted)
		gpu->error = hd_verify_conservation(gpu, &since, sim->shared ? NULL : &sim->power);
	/* Every scheduler slot of every cycle has exactly one reason (docs/architecture.md, Statistics). */
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		slots += since.stalls[i];
	uint64_t expected = gpu->config->schedulers * gpu->sm_count * since.counters.cycles;
	assert(gpu->functional || gpu->options.verify || slots == expected);
	assert(gpu->functional || gpu->error || since.stalls[HD_STALL_issued] == hd_slots_issued(&since.counters));
	(void)slots;
	(void)expected;
}

static void note_slots(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->running)
			hd_grid_note_slot(gpu, gpu->grids.data[i]);
}

static int begin(struct hd_sim *sim, struct hd_grid *grid)
{
	struct hd_gpu *gpu = &sim->gpu;
	grid->slot = free_slot(gpu);
	if (gpu->grid_slots <= grid->slot)
		gpu->grid_slots = grid->slot + 1u;
	if (gpu->running) {
		note_slots(gpu);
		hd_grid_begin_slot(gpu, grid);
		if (gpu->sampling)
			hd_gpu_snapshot(gpu, &grid->before);
	} else { /* nothing was counted since the last one ended */
		grid->before = sim->before = sim->now;
		sim->counted = (struct hd_stats){0};
		sim->power = (struct hd_power){0};
		sim->shared = false;
	}
	if (sim->recorder)
		hd_recorder_begin(sim->recorder, grid);
	gpu->grid = grid;
	grid->ended_before = gpu->stats;
	hd_record_start(sim, grid->kernel);
	if (gpu->sampling)
		hd_sampling_begin(gpu->sampling, grid);
	hd_linear_begin(gpu, grid, &grid->fit);
	HD_TELL(gpu, grid_begin, gpu, grid);
	if (gpu->corun)
		hd_corun_begin(gpu->corun, grid);
	int error = hd_gpu_begin(gpu, grid);
	sim->shared |= gpu->running > 1;
	for (uint32_t i = 0; gpu->running > 1 && i < gpu->grids.len; i++)
		gpu->grids.data[i]->shared |= gpu->grids.data[i]->running;
	return error;
}

/* Its place in the stream is free, or has the same launch once more. */
static void leave(struct hd_gpu *gpu, struct hd_grid *grid, bool again)
{
	struct hd_grid *next = NULL;
	uint32_t kept = 0;
	if (again && hd_grid_again(gpu, grid, &next))
		next = NULL;
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		struct hd_grid *other = gpu->grids.data[i] == grid ? next : gpu->grids.data[i];
		if (other)
			gpu->grids.data[kept++] = other;
	}
	gpu->grids.len = kept;
	hd_grid_free(grid);
}

/* Takes a grid that has ended, or could not begin, from the GPU. */
static void end(struct hd_sim *sim, struct hd_grid *grid)
{
	struct hd_gpu *gpu = &sim->gpu;
	gpu->grid = grid;
	bool again = grid->running && gpu->corun && hd_corun_ended(gpu->corun, grid);
	if (gpu->sampling)
		hd_sampling_ending(gpu->sampling, grid);
	if (grid->running)
		hd_gpu_end(gpu, grid);
	if (gpu->sampling)
		hd_sampling_end(gpu->sampling, grid);
	if (gpu->options.verify && !gpu->error && !gpu->interrupted)
		gpu->error = hd_verify_grid_left(gpu, grid);
	if (sim->recorder)
		hd_recorder_end(sim->recorder, grid);
	if (!gpu->running) /* grids that others ran beside are counted by their slots */
		hd_gpu_snapshot(gpu, &sim->now);
	hd_record_finish(sim, grid);
	hd_outside_report(gpu);
	if (hd_check_of(gpu))
		hd_check_report(hd_check_of(gpu));
	if (!gpu->running)
		settle_accounts(sim);
	if (!gpu->running && sim->shared)
		hd_record_rest(sim);
	json_t *corun = gpu->corun && !gpu->running ? hd_corun_rest(gpu->corun) : NULL;
	if (corun)
		hd_record_corun(sim, corun);
	leave(gpu, grid, again);
	gpu->grid = only_running(gpu);
}

/* Gives grids their turn whose time has come. An error is that of a grid that could not begin, which is gone. */
static int begin_due(struct hd_sim *sim)
{
	struct hd_gpu *gpu = &sim->gpu;
	gpu->begin_next = HD_NEVER;
	gpu->awaits_fire = false;
	if (gpu->corun && hd_corun_ending(gpu->corun))
		return 0;
	const struct hd_grid *only = only_running(gpu);
	if (only && wants_alone(sim, only))
		return 0;
	for (uint32_t i = 0; i < gpu->grids.len && gpu->running < HD_MAX_GRIDS; i++) {
		struct hd_grid *grid = gpu->grids.data[i];
		if (grid->running || !may_follow(sim, i))
			continue;
		if (grid->earliest > gpu->now) {
			gpu->begin_next = hd_earlier(gpu->begin_next, grid->earliest);
			continue;
		}
		if (gpu->running && wants_alone(sim, grid))
			return 0;
		if (gpu->corun && hd_corun_waits(gpu->corun, grid))
			break;
		int error = begin(sim, grid);
		if (error) {
			gpu->error = error;
			end(sim, grid);
			gpu->error = 0;
			return error;
		}
		if (wants_alone(sim, grid))
			break;
	}
	gpu->grid = only_running(gpu);
	return 0;
}

/* The same. With nothing to run until a later cycle, that is the next one. */
static int begin_waiting(struct hd_sim *sim)
{
	struct hd_gpu *gpu = &sim->gpu;
	int error = begin_due(sim);
	while (!error && !gpu->running && gpu->begin_next != HD_NEVER) {
		gpu->now = gpu->begin_next;
		error = begin_due(sim);
	}
	return error;
}

/* After a fault nothing that was submitted can be relied on. */
static void drop_waiting(struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		hd_grid_free(gpu->grids.data[i]);
	gpu->grids.len = 0;
}

static void run_rest(struct hd_gpu *gpu)
{
	hd_sampling_leave(gpu->sampling);
	hd_gpu_restart(gpu);
	hd_gpu_run(gpu);
	hd_sampling_return(gpu->sampling);
}

/* Runs until at least one of those that have had their turn has ended. */
static int go_on(struct hd_sim *sim)
{
	struct hd_gpu *gpu = &sim->gpu;
	for (hd_gpu_run(gpu); hd_gpu_is_halted(gpu); hd_gpu_run(gpu)) /* some of it gets no time (sampling/stretch.c) */
		hd_sampling_skip(gpu->sampling);
	if (hd_gpu_has_drained(gpu)) /* the other blocks get no time (sampling/blocks.c) */
		run_rest(gpu);
	if (gpu->interrupted)
		HD_TELL(gpu, interrupted, gpu, gpu->interrupted);
	for (struct hd_grid *grid; (grid = hd_gpu_ended(gpu));)
		end(sim, grid);
	if (gpu->error)
		drop_waiting(gpu);
	return gpu->error;
}

/* The same. One must be on its way. */
static int step(struct hd_sim *sim)
{
	struct hd_gpu *gpu = &sim->gpu;
	enum hd_checkpoint_turn turn = hd_checkpoint_begin_step(gpu);
	if (turn == HD_TURN_DONE)
		return gpu->error;
	gpu->error = 0;
	int error = turn == HD_TURN_RUN ? begin_waiting(sim) : 0;
	if (!error)
		error = go_on(sim);
	hd_checkpoint_end_step(gpu, error);
	return error;
}

static bool is_on_its_way(const struct hd_gpu *gpu, uint64_t ticket)
{
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->ticket == ticket)
			return true;
	return false;
}

int hd_sim_submit(struct hd_sim *sim, const struct hd_launch *launch, uint64_t *ticket)
{
	struct hd_grid *grid;
	HD_STORE_SCOPE(HD_STORE_STATE);
	int error = hd_grid_new(&sim->gpu, launch, &grid);
	if (error)
		return error;
	error = hd_checkpoint_submit(&sim->gpu, grid);
	if (error) {
		hd_grid_free(grid);
		return error;
	}
	/* The copy lies where memory of the program's may have been that nothing had written. */
	if (grid->parameters && hd_check_of(&sim->gpu))
		hd_check_written(hd_check_of(&sim->gpu), grid->parameters, grid->parameter_bytes);
	hd_vec_push(&sim->gpu.grids, grid);
	*ticket = grid->id;
	return 0;
}

int hd_sim_check(struct hd_sim *sim, const struct hd_launch *launch)
{
	struct hd_grid *grid;
	HD_STORE_SCOPE(HD_STORE_STATE);
	int error = hd_grid_new(&sim->gpu, launch, &grid);
	if (!error)
		hd_grid_free(grid);
	return error;
}

int hd_sim_clusters(struct hd_sim *sim, const struct hd_launch *launch, uint32_t *clusters)
{
	struct hd_grid *grid;
	HD_STORE_SCOPE(HD_STORE_STATE);
	int error = hd_grid_new(&sim->gpu, launch, &grid);
	*clusters = error ? 0 : hd_grid_clusters(grid);
	if (!error) {
		hd_grid_free(grid);
		sim->gpu.grids_launched--;
	}
	return error;
}

bool hd_sim_finished(const struct hd_sim *sim, uint64_t ticket)
{
	return !is_on_its_way(&sim->gpu, ticket);
}

bool hd_sim_working(const struct hd_sim *sim)
{
	return sim->gpu.grids.len > 0;
}

/* A host program built with -ffast-math flushes denormals in its own thread; the simulated GPU does not. */
int hd_sim_step(struct hd_sim *sim)
{
	fenv_t host;
	HD_STORE_SCOPE(HD_STORE_STATE);
	if (!hd_sim_working(sim))
		return 0;
	fegetenv(&host);
	fesetenv(FE_DFL_ENV);
	int error = step(sim);
	fesetenv(&host);
	return error;
}

int hd_sim_wait(struct hd_sim *sim, uint64_t ticket)
{
	int first = 0;
	while (is_on_its_way(&sim->gpu, ticket)) {
		int error = hd_sim_step(sim);
		first = first ? first : error;
	}
	return first;
}

int hd_sim_wait_all(struct hd_sim *sim)
{
	int first = 0;
	while (hd_sim_working(sim)) {
		int error = hd_sim_step(sim);
		first = first ? first : error;
	}
	return first;
}

int hd_sim_launch(struct hd_sim *sim, const struct hd_launch *launch)
{
	uint64_t ticket;
	int error = hd_sim_submit(sim, launch, &ticket);
	return error ? error : hd_sim_wait(sim, ticket);
}
