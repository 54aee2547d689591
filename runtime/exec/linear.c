/*
 * Linear versions of kernels at launch (r2d2-isca23, 4.1 and 4.4): the choice between them and the original code, and
 * the linear streams, executed functionally: coefficients and thread-index parts once a launch, block-index parts when
 * a block starts. As in the paper each SM makes the former for itself; they are the same, so they are computed once and
 * counted for every SM that runs a block.
 *
 * Cost: the streams' instructions; coefficients and thread-index parts for each thread of one block a launch.
 */
#include "runtime/exec/linear.h"

#include "heddle/figures.h"
#include "heddle/occupancy.h"
#include "runtime/exec/exec.h"
#include "runtime/sm/places.h"
#include "runtime/sm/sm.h"

/* ---- the streams */

/* A warp outside any SM: as many registers as the body has. */
struct stream_warp {
	struct hd_warp warp;
	struct hd_effect effect;
	uint32_t *rows;
};

static void start_stream_warp(struct stream_warp *stream, struct hd_cta *cta, uint32_t index)
{
	struct hd_warp *warp = &stream->warp;
	const struct hd_grid *grid = cta->grid;
	size_t rows = hd_linear_rows(grid->linear->linear) + HD_HIDDEN_ROWS;
	memset(stream, 0, sizeof *stream);
	/* Rows are as aligned as the executor's widest loads may assume. */
	stream->rows = aligned_alloc(HD_ROW_BYTES, rows * HD_ROW_BYTES);
	if (!stream->rows)
		abort();
	memset(stream->rows, 0, rows * HD_ROW_BYTES);
	warp->regs = (uint32_t(*)[HD_WARP_LANES])(void *)stream->rows + HD_HIDDEN_ROWS;
	warp->preds[HD_PT] = UINT32_MAX;
	warp->cta = cta;
	warp->index = index;
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++) {
		uint32_t thread = index * HD_WARP_LANES + lane;
		warp->tid[0][lane] = thread % grid->block[0];
		warp->tid[1][lane] = thread / grid->block[0] % grid->block[1];
		warp->tid[2][lane] = thread / grid->block[0] / grid->block[1];
	}
}

/* Straight-line code up to EXIT (hd_object_verify). Returns the instructions executed. */
static uint32_t run_stream(struct hd_exec *exec, struct stream_warp *stream, enum hd_stream which, uint32_t mask)
{
	const struct hd_linear_state *state = stream->warp.cta->grid->linear;
	const struct hd_program *program = &exec->gpu->program;
	uint32_t first = program->functions.data[state->function].first, count = 1;
	struct hd_warp *warp = &stream->warp;
	warp->pc = first + state->linear->start[which];
	exec->warp = warp;
	exec->effect = &stream->effect;
	exec->fault = false;
	for (;; warp->pc++, count++) {
		const struct hd_dinst *inst = &program->code.data[warp->pc];
		if (!inst->exec)
			return count;
		exec->mask = mask & hd_pred(warp, inst->inst.guard);
		if (exec->mask)
			inst->exec(exec, inst);
	}
}

static void make_coefficients(struct hd_exec *exec, struct hd_cta *cta, struct hd_linear_state *state)
{
	struct stream_warp stream;
	start_stream_warp(&stream, cta, 0);
	state->stream[HD_STREAM_COEFFICIENT] = run_stream(exec, &stream, HD_STREAM_COEFFICIENT, 1);
	free(stream.rows);
}

static void make_thread_parts(struct hd_exec *exec, struct hd_cta *cta, struct hd_linear_state *state)
{
	for (uint32_t index = 0; index * HD_WARP_LANES < state->stride; index++) {
		struct stream_warp stream;
		start_stream_warp(&stream, cta, index);
		state->stream[HD_STREAM_THREAD] = run_stream(exec, &stream, HD_STREAM_THREAD, UINT32_MAX);
		free(stream.rows);
	}
}

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

/* Registers of a thread: the body's, or what the functions that it calls need. */
static uint32_t registers_of(const struct hd_linear *linear, const struct hd_grid *grid)
{
	const struct hd_meta_function *meta = grid->kernel->meta;
	uint32_t own = linear->body.registers;
	bool calls = meta && meta->call_count;
	return calls && meta->registers > own ? meta->registers : own;
}

/* Section 4.4: the blocks that an SM has of the original code, with the linear registers in what they leave. */
static bool registers_suffice(const struct hd_gpu *gpu, const struct hd_linear *linear, const struct hd_grid *grid,
			      const struct hd_occupancy *fit)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	uint32_t registers = registers_of(linear, grid), threads = grid->block_warps * HD_WARP_LANES;
	if (hd_occupancy_compute(&limits, registers, grid->block_threads, grid->shared_bytes).ctas < fit->ctas)
		return false;
	return hd_linear_registers(linear, threads, fit->ctas, true) <=
	       hd_linear_free_registers(limits.registers, registers, threads, fit->ctas);
}

/* A cooperative grid has to stay resident as a whole. */
static bool keeps_grid(const struct hd_gpu *gpu, const struct hd_linear *linear, const struct hd_grid *grid)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	return !grid->cooperative ||
	       hd_occupancy_compute(&limits, registers_of(linear, grid), grid->block_threads, grid->shared_bytes)
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

/* Warps run the streams. */
static bool in_time(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (gpu->policies[i].hooks->streams)
			return true;
	return false;
}

static bool is_wanted(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (gpu->policies[i].hooks->linear)
			return true;
	return false;
}

static struct hd_linear_parts new_parts(const struct hd_linear_state *state)
{
	size_t threads = (size_t)state->linear->threads * state->stride;
	return (struct hd_linear_parts){
		.coefficients = hd_xcalloc(state->linear->coefficients + 1, sizeof(uint64_t)),
		.threads = hd_xcalloc(threads + 1, sizeof(uint64_t)),
	};
}

static void start(const struct hd_gpu *gpu, struct hd_exec *exec, struct hd_grid *grid, const struct hd_linear *linear,
		  uint32_t ctas)
{
	const struct hd_module *module = grid->kernel->module;
	struct hd_linear_state *state = hd_xcalloc(1, sizeof *state);
	struct hd_cta cta = {.grid = grid};
	state->linear = linear;
	state->ctas = ctas;
	state->function = module->first_linear + (uint32_t)(linear - module->object.linears);
	state->stride = grid->block_warps * HD_WARP_LANES;
	grid->linear = state;
	if (!in_time(gpu)) {
		state->parts = new_parts(state);
		cta.parts = &state->parts;
		make_coefficients(exec, &cta, state);
		make_thread_parts(exec, &cta, state);
	}
	grid->function = state->function;
	grid->entry = gpu->program.functions.data[state->function].first + linear->start[HD_STREAM_MAIN];
	grid->registers = registers_of(linear, grid);
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
static bool try(struct hd_gpu *gpu, struct hd_exec *exec, struct hd_grid *grid, const struct hd_linear *linear,
		const struct hd_occupancy *fit)
{
	uint32_t function = grid->function, entry = grid->entry, registers = grid->registers;
	start(gpu, exec, grid, linear, fit->ctas);
	if (!in_time(gpu) || is_forced(gpu) || range_leaves_room(gpu, grid, fit))
		return true;
	hd_linear_end(grid);
	grid->function = function;
	grid->entry = entry;
	grid->registers = registers;
	return false;
}

void hd_linear_begin(struct hd_gpu *gpu, struct hd_exec *exec, struct hd_grid *grid, const struct hd_occupancy *fit)
{
	if (!is_wanted(gpu))
		return;
	const struct hd_linear *linear = version_of(grid);
	enum choice choice = choose(gpu, linear, grid, fit);
	if (choice == CHOSEN && !try(gpu, exec, grid, linear, fit))
		choice = NO_REGISTERS;
	count_choice(&gpu->stats.counters, choice);
}

void hd_linear_end(struct hd_grid *grid)
{
	if (!grid->linear)
		return;
	free(grid->linear->parts.coefficients);
	free(grid->linear->parts.threads);
	free(grid->linear);
	grid->linear = NULL;
}

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
	if (!grid->linear || !in_time(sm->gpu))
		return;
	mine->parts = hd_xcalloc(1, sizeof *mine->parts);
	*mine->parts = new_parts(grid->linear);
}

uint32_t hd_linear_stream(const struct hd_gpu *gpu, const struct hd_grid *grid, enum hd_stream which, uint32_t *count)
{
	const struct hd_linear *linear = grid->linear->linear;
	*count = linear->start[which + 1] - linear->start[which];
	return gpu->program.functions.data[grid->linear->function].first + linear->start[which];
}

void hd_linear_cta(struct hd_sm *sm, struct hd_cta *cta)
{
	struct hd_linear_state *state = cta->grid->linear;
	struct hd_counters *counters = &sm->counted[cta->grid->slot];
	struct stream_warp stream;
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
	start_stream_warp(&stream, cta, 0);
	state->stream[HD_STREAM_BLOCK] = run_stream(sm->exec, &stream, HD_STREAM_BLOCK, (1u << HD_LR_COUNT) - 1);
	free(stream.rows);
	counters->linear_block_instructions += state->stream[HD_STREAM_BLOCK];
	counters->linear_threads += (uint64_t)state->stream[HD_STREAM_BLOCK] * state->linear->linears;
}

uint64_t hd_linear_value(const struct hd_cta *cta, const struct hd_inst *inst, uint32_t thread, uint32_t lane)
{
	const struct hd_linear_state *state = cta->grid->linear;
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	enum hd_lr_kind kind = hd_lr_kind(inst->linear);
	unsigned reg = hd_lr_reg(inst->linear), coefficient = regs[hd_lr_slot(inst->linear) & 3];
	uint64_t value = 0;
	if (kind != HD_LR_COEFFICIENT) {
		uint8_t part = state->linear->thread_of[reg];
		value = cta->block_parts[reg];
		if (part != HD_LR_NO_THREAD)
			value += cta->parts->threads[(size_t)part * state->stride + thread];
	} else if (reg) {
		coefficient += lane;
	}
	if (kind != HD_LR_OFFSET && coefficient < state->linear->coefficients)
		value += cta->parts->coefficients[coefficient];
	return value;
}

uint32_t hd_linear_extra_frame(const struct hd_grid *grid)
{
	const struct hd_module *module = grid->kernel->module;
	if (!grid->linear)
		return 0;
	uint32_t own = module->object.functions[grid->kernel->function - module->first_function].frame_bytes;
	uint32_t frame = grid->linear->linear->body.frame_bytes;
	return frame > own ? frame - own : 0;
}
