/*
 * Linear versions of kernels on the SMs (r2d2-isca23, 4.4): the choice between the version and the original code, by
 * what an SM has room for, and what each SM keeps. As in the paper each SM makes coefficients and thread-index parts
 * for itself; they are the same, so runtime/exec/linear.c computes them once and they are counted for every SM that
 * runs a block.
 *
 * Cost: O(checks of the version) per launch; its block-index stream per block.
 */
#include "runtime/exec/linear.h"

#include "heddle/figures.h"
#include "heddle/occupancy.h"
#include "runtime/sm/dispatch.h"
#include "runtime/sm/linear.h"
#include "runtime/sm/places.h"
#include "runtime/sm/range.h"
#include "runtime/sm/sm.h"

/* ---- the choice */

enum choice { CHOSEN, NO_VERSION, CHECK_FAILED, TOO_SMALL, NO_REGISTERS };

static const struct hd_linear *version_of(const struct hd_grid *grid)
{
	const struct hd_module *module = grid->kernel->module;
	return hd_object_linear(&module->object, grid->kernel->function - module->first_function);
}

static bool checks_hold(const struct hd_linear *linear, const struct hd_grid *grid)
{
	for (uint32_t i = 0; i < linear->check_count; i++)
		if (!hd_linear_check_holds(&linear->checks[i], grid->constants))
			return false;
	return true;
}

/* Section 4.4: the blocks that an SM has of the original code, with the linear registers in what they leave. */
static bool registers_suffice(const struct hd_gpu *gpu, const struct hd_linear *linear, const struct hd_grid *grid,
			      const struct hd_occupancy *fit)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	uint32_t registers = hd_linear_body_registers(linear, grid), threads = grid->block_warps * HD_WARP_LANES;
	if (hd_occupancy_compute(&limits, registers, grid->block_threads, grid->shared_bytes).ctas < fit->ctas)
		return false;
	return hd_linear_registers(linear, threads, fit->ctas, true) <=
	       hd_linear_free_registers(limits.registers, registers, threads, fit->ctas);
}

/* A cooperative grid has to stay resident as a whole; the versions of clusters would have to agree. */
static bool keeps_grid(const struct hd_gpu *gpu, const struct hd_linear *linear, const struct hd_grid *grid)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	if (grid->clusters)
		return false;
	return !grid->cooperative || hd_occupancy_compute(&limits, hd_linear_body_registers(linear, grid),
							  grid->block_threads, grid->shared_bytes)
						     .ctas >= grid->cta_share;
}

/* r2d2-functional:always. */
static bool is_forced(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (gpu->policies[i].hooks->linear && !strcmp(gpu->policies[i].parameter, "always"))
			return true;
	return false;
}

static enum choice choose(const struct hd_gpu *gpu, const struct hd_linear *linear, const struct hd_grid *grid,
			  const struct hd_occupancy *fit)
{
	if (!linear)
		return NO_VERSION;
	if (!checks_hold(linear, grid))
		return CHECK_FAILED;
	if (is_forced(gpu) && keeps_grid(gpu, linear, grid))
		return CHOSEN;
	if (!is_forced(gpu) && !hd_linear_pays(linear, grid->cta_total, grid->block_warps, gpu->sm_count))
		return TOO_SMALL;
	return registers_suffice(gpu, linear, grid, fit) ? CHOSEN : NO_REGISTERS;
}

static void count_choice(struct hd_counters *counters, enum choice choice)
{
	counters->linear_launches += choice == CHOSEN;
	counters->linear_without += choice == NO_VERSION;
	counters->linear_check_fallbacks += choice == CHECK_FAILED;
	counters->linear_small_fallbacks += choice == TOO_SMALL;
	counters->linear_register_fallbacks += choice == NO_REGISTERS;
}

static bool is_wanted(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (gpu->policies[i].hooks->linear)
			return true;
	return false;
}

/* Where linear registers take allocation units of their own on an SM: as many blocks still (4.4). Asks the policies. */
static bool range_leaves_room(struct hd_gpu *gpu, const struct hd_grid *grid, const struct hd_occupancy *fit)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	struct hd_sm *sm = gpu->sms[0];
	uint64_t taken = hd_range_share(sm, hd_range_rows(sm, grid)) * hd_register_parts(sm);
	limits.registers -= taken < limits.registers ? (uint32_t)taken : limits.registers;
	return hd_occupancy_compute(&limits, grid->registers, grid->block_threads, grid->shared_bytes).ctas >=
	       fit->ctas;
}

/* False: nothing is changed. */
static bool try(struct hd_gpu *gpu, struct hd_grid *grid, const struct hd_linear *linear,
		const struct hd_occupancy *fit)
{
	uint32_t function = grid->function, entry = grid->entry, registers = grid->registers;
	hd_linear_start(gpu, grid, linear, fit->ctas);
	if (!hd_linear_in_time(gpu) || is_forced(gpu) || range_leaves_room(gpu, grid, fit))
		return true;
	hd_linear_end(grid);
	grid->function = function;
	grid->entry = entry;
	grid->registers = registers;
	return false;
}

void hd_linear_begin(struct hd_gpu *gpu, struct hd_grid *grid, const struct hd_occupancy *fit)
{
	if (!is_wanted(gpu))
		return;
	const struct hd_linear *linear = version_of(grid);
	enum choice choice = choose(gpu, linear, grid, fit);
	if (choice == CHOSEN && !try(gpu, grid, linear, fit))
		choice = NO_REGISTERS;
	count_choice(&gpu->stats.counters, choice);
}

/* ---- on an SM */

void hd_linear_release(struct hd_sm_grid *mine)
{
	if (!mine->parts)
		return;
	free(mine->parts->coefficients);
	free(mine->parts->threads);
	free(mine->parts);
	mine->parts = NULL;
}

void hd_linear_place(struct hd_sm *sm, const struct hd_grid *grid)
{
	struct hd_sm_grid *mine = &sm->grids[grid->slot];
	hd_linear_release(mine);
	if (!grid->linear || !hd_linear_in_time(sm->gpu))
		return;
	mine->parts = hd_xcalloc(1, sizeof *mine->parts);
	*mine->parts = hd_linear_parts_new(grid->linear);
}

void hd_linear_cta(struct hd_sm *sm, struct hd_cta *cta)
{
	struct hd_linear_state *state = cta->grid->linear;
	struct hd_counters *counters = &sm->counted[cta->grid->slot];
	if (!state)
		return;
	memset(cta->block_parts, 0, sizeof cta->block_parts);
	cta->parts = sm->grids[cta->grid->slot].parts;
	if (cta->parts)
		return;
	cta->parts = &state->parts;
	if (sm->linear_grid != cta->grid->id + 1) {
		sm->linear_grid = cta->grid->id + 1;
		counters->linear_coefficient_instructions += state->stream[HD_STREAM_COEFFICIENT];
		counters->linear_thread_instructions +=
			(uint64_t)state->stream[HD_STREAM_THREAD] * cta->grid->block_warps;
		counters->linear_threads += state->stream[HD_STREAM_COEFFICIENT] +
					    (uint64_t)state->stream[HD_STREAM_THREAD] * cta->grid->block_threads;
	}
	uint32_t instructions = hd_linear_block_parts(sm->exec, cta);
	counters->linear_block_instructions += instructions;
	counters->linear_threads += (uint64_t)instructions * state->linear->linears;
}
