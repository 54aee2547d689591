/*
 * Linear versions of kernels (r2d2-isca23, 4.1): the linear streams, executed functionally: coefficients and
 * thread-index parts once per launch, block-index parts when a block starts. runtime/sm/linear.c chooses between the
 * version and the original code.
 *
 * Cost: the streams' instructions; coefficients and thread-index parts for each thread of one block a launch.
 */
#include "runtime/exec/linear.h"

#include "heddle/figures.h"
#include "runtime/exec/exec.h"

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
	hd_warp_name_threads(warp, grid, index);
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

/* ---- versions */

uint32_t hd_linear_body_registers(const struct hd_linear *linear, const struct hd_grid *grid)
{
	const struct hd_meta_function *meta = grid->kernel->meta;
	uint32_t own = linear->body.registers;
	bool calls = meta && meta->call_count;
	return calls && meta->registers > own ? meta->registers : own;
}

bool hd_linear_in_time(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (gpu->policies[i].hooks->streams)
			return true;
	return false;
}

struct hd_linear_parts hd_linear_parts_new(const struct hd_linear_state *state)
{
	size_t threads = (size_t)state->linear->threads * state->stride;
	return (struct hd_linear_parts){
		.coefficients = hd_xcalloc(state->linear->coefficients + 1, sizeof(uint64_t)),
		.threads = hd_xcalloc(threads + 1, sizeof(uint64_t)),
	};
}

void hd_linear_start(const struct hd_gpu *gpu, struct hd_grid *grid, const struct hd_linear *linear, uint32_t ctas)
{
	const struct hd_module *module = grid->kernel->module;
	struct hd_linear_state *state = hd_xcalloc(1, sizeof *state);
	struct hd_cta cta = {.grid = grid};
	state->linear = linear;
	state->ctas = ctas;
	state->function = module->first_linear + (uint32_t)(linear - module->object.linears);
	state->stride = grid->block_warps * HD_WARP_LANES;
	grid->linear = state;
	if (!hd_linear_in_time(gpu)) {
		state->parts = hd_linear_parts_new(state);
		cta.parts = &state->parts;
		make_coefficients(gpu->exec, &cta, state);
		make_thread_parts(gpu->exec, &cta, state);
	}
	grid->function = state->function;
	grid->entry = gpu->program.functions.data[state->function].first + linear->start[HD_STREAM_MAIN];
	grid->registers = hd_linear_body_registers(linear, grid);
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

uint32_t hd_linear_stream(const struct hd_gpu *gpu, const struct hd_grid *grid, enum hd_stream which, uint32_t *count)
{
	const struct hd_linear *linear = grid->linear->linear;
	*count = linear->start[which + 1] - linear->start[which];
	return gpu->program.functions.data[grid->linear->function].first + linear->start[which];
}

uint32_t hd_linear_block_parts(struct hd_exec *exec, struct hd_cta *cta)
{
	struct hd_linear_state *state = cta->grid->linear;
	struct stream_warp stream;
	start_stream_warp(&stream, cta, 0);
	state->stream[HD_STREAM_BLOCK] = run_stream(exec, &stream, HD_STREAM_BLOCK, (1u << HD_LR_COUNT) - 1);
	free(stream.rows);
	return state->stream[HD_STREAM_BLOCK];
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
