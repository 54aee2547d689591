/*
 * R2D2's hardware in time (r2d2-isca23, 3 and 4): launches run the linear version of their kernel, and the warps of
 * each SM its linear streams. The SM's first warp runs the coefficient stream with one lane, then the warps of the
 * first block the thread-index stream; then the first warp of each block runs the block-index stream, lane n for linear
 * register n, and the block's warps begin their bodies. Blocks that come later run the block-index stream alone. The
 * paper has bodies wait for all SMs (5.3), but SMs do not communicate (3): here a block waits for its own SM only.
 *
 * Linear registers lie in the SM's register file in the order of 4.2: thread-index parts, which all blocks share, two
 * warp registers for each warp of a block; block-index parts, sixteen of 64 bits a warp register, like coefficients.
 * Reading %lr or %cr reads the banks of these; what comes of one thread register is broadcast and moves no other lanes.
 * A thread-index part whose values are all 32 bits, sign-extended, is one row when it is read: 4.2 finds one register
 * by its id, and 5.6 counts 32 bits a thread. The second row has the high words where they are needed.
 * Finding the ids and adding the parts take cycles (5.4), in the load/store unit for addresses and in the
 * instruction's own pipeline elsewhere. Schedulers go round-robin while a stream runs on the SM (4.1). Where schedulers
 * have register files of their own each has all linear registers.
 *
 * Cost: a scan of the SM's blocks when a stream ends.
 */
#include <stdio.h>

#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "runtime/exec/linear.h"
#include "runtime/policy/r2d2.h"
#include "runtime/sm/policy_space.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/stream.h"

enum { PAIR = 2 /* words of a value */ };
enum { START_CYCLES, ID_CYCLES, ADD_CYCLES }; /* settings */

/* Of a launch, or of those before it. */
struct r2d2_counts {
	uint64_t instructions[HD_STREAM_COUNT]; /* of each stream */
	uint64_t turning;			/* cycles in which the schedulers went round-robin */
};

struct r2d2_sm {
	uint64_t grid;	  /* id + 1 of the grid that the rest is about */
	bool parts_done;  /* the flag of 4.1: coefficients and thread-index parts are there */
	uint32_t left;	  /* warps of the first block that have not ended their thread-index part */
	uint32_t wide;	  /* thread-index parts, as bits, of which some value does not fit 32 bits */
	uint32_t running; /* warps that run streams */
	uint64_t turned;  /* cycle since which the schedulers have gone round-robin */
	struct r2d2_counts launch, before;
};

struct r2d2_cta {
	bool first, done; /* of the SM; its block-index part is there */
};

struct r2d2_warp {
	uint8_t stream; /* enum hd_stream: what it runs, or waits to begin behind others */
};

static struct r2d2_warp *warp_state(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_warp(self, warp);
}

/* ---- streams */

static void count_stream(struct hd_sm *sm, struct r2d2_sm *state, int change)
{
	state->running = (uint32_t)((int)state->running + change);
	if (change > 0 && state->running == 1) {
		state->turned = sm->now;
		hd_sm_schedule_by(sm, HD_SCHED_LRR);
	} else if (change < 0 && !state->running) {
		state->launch.turning += sm->now - state->turned;
		hd_sm_schedule_by(sm, (uint8_t)sm->gpu->config->scheduler);
	}
}

static void run(const struct hd_policy_handle *self, struct hd_warp *warp, enum hd_stream stream)
{
	static const uint32_t lanes[] = {[HD_STREAM_COEFFICIENT] = 1,
					 [HD_STREAM_THREAD] = UINT32_MAX,
					 [HD_STREAM_BLOCK] = (1u << HD_LR_COUNT) - 1};
	struct hd_sm *sm = warp->cta->sm;
	uint32_t count;
	warp_state(self, warp)->stream = (uint8_t)stream;
	hd_warp_run(warp, hd_linear_stream(sm->gpu, warp->cta->grid, stream, &count), lanes[stream],
		    (uint32_t)hd_policy_setting(self, sm->gpu, START_CYCLES));
	count_stream(sm, hd_policy_sm(self, sm), 1);
}

static void hold(const struct hd_policy_handle *self, struct hd_warp *warp)
{
	warp_state(self, warp)->stream = HD_STREAM_MAIN;
	hd_warp_hold(warp->cta->sm, warp);
}

static void warp_start(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_cta *cta = warp->cta;
	struct r2d2_sm *state = hd_policy_sm(self, cta->sm);
	struct r2d2_cta *block = hd_policy_cta(self, cta);
	(void)now;
	warp_state(self, warp)->stream = HD_STREAM_MAIN;
	if (!cta->grid->linear)
		return;
	if (state->grid != cta->grid->id + 1) {
		state->grid = cta->grid->id + 1;
		state->parts_done = false;
		state->left = cta->grid->block_warps;
		state->wide = 0;
		block->first = true;
		run(self, warp, HD_STREAM_COEFFICIENT);
	} else if (state->parts_done && !warp->index) {
		run(self, warp, HD_STREAM_BLOCK);
	} else {
		hold(self, warp);
	}
}

static void begin(const struct hd_policy_handle *self, struct hd_warp *warp, enum hd_stream stream, uint64_t now)
{
	run(self, warp, stream);
	if (warp->held)
		hd_warp_resume(warp->cta->sm, warp, now);
}

/* The parts that all blocks share are there: the first warp of each goes on. */
static void begin_blocks(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid,
			 uint64_t now)
{
	for (uint32_t i = 0; i < sm->cta_count; i++)
		if (sm->ctas[i].used && sm->ctas[i].grid == grid)
			begin(self, sm->ctas[i].warps[0], HD_STREAM_BLOCK, now);
}

static void end_thread_part(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct r2d2_sm *state = hd_policy_sm(self, sm);
	hold(self, warp);
	if (--state->left)
		return;
	state->parts_done = true;
	begin_blocks(self, sm, warp->cta->grid, now);
}

static void end_block_part(const struct hd_policy_handle *self, struct hd_cta *cta, uint64_t now)
{
	((struct r2d2_cta *)hd_policy_cta(self, cta))->done = true;
	for (uint32_t i = 1; i < cta->warp_count; i++)
		hd_warp_resume(cta->sm, cta->warps[i], now);
}

static void stream_end(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_cta *cta = warp->cta;
	enum hd_stream ended = (enum hd_stream)warp_state(self, warp)->stream;
	count_stream(cta->sm, hd_policy_sm(self, cta->sm), -1);
	warp_state(self, warp)->stream = HD_STREAM_MAIN;
	if (ended == HD_STREAM_COEFFICIENT)
		for (uint32_t i = 0; i < cta->warp_count; i++)
			begin(self, cta->warps[i], HD_STREAM_THREAD, now);
	else if (ended == HD_STREAM_THREAD)
		end_thread_part(self, warp, now);
	else
		end_block_part(self, cta, now);
}

/* Whether a value of the warp's part, which R2TR has just written, has a high word of its own. */
static bool is_wide(const struct hd_warp *warp, uint32_t part)
{
	uint32_t stride = warp->cta->grid->linear->stride;
	const uint64_t *value = &warp->cta->parts->threads[(size_t)part * stride + warp->index * HD_WARP_LANES];
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		if (value[lane] != (uint64_t)(int64_t)(int32_t)value[lane])
			return true;
	return false;
}

static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	struct r2d2_sm *state = hd_policy_sm(self, warp->cta->sm);
	(void)effect, (void)now;
	if (!warp->stream)
		return;
	state->launch.instructions[warp_state(self, warp)->stream]++;
	if (inst->inst.op == HD_OP_R2TR && is_wide(warp, inst->inst.x))
		state->wide |= 1u << inst->inst.x;
}

/* ---- linear registers */

static struct r2d2_layout layout_of(const struct hd_grid *grid)
{
	const struct hd_linear *linear = grid->linear->linear;
	return r2d2_layout_of(linear->threads, grid->block_warps, PAIR, grid->linear->ctas, linear->coefficients);
}

static uint32_t reserve(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid)
{
	(void)self;
	return grid->linear ? layout_of(grid).general * sm->gpu->shape.parts : 0;
}

/* Values of 64 bits in a row: %br's, as %cr's. */
static uint32_t add_pairs(struct hd_range_access *list, uint32_t row, uint32_t count)
{
	*list = (struct hd_range_access){row, PAIR * count};
	return 1;
}

/* A word of each thread, and the high words in a row of their own. */
static uint32_t add_thread_part(struct hd_range_access *list, uint32_t row, bool wide)
{
	uint32_t words = wide ? PAIR : 1;
	for (uint32_t i = 0; i < words; i++)
		list[i] = (struct hd_range_access){row + i, HD_WARP_LANES};
	return words;
}

static uint32_t thread_row(const struct hd_warp *warp, uint32_t part)
{
	struct r2d2_layout layout = layout_of(warp->cta->grid);
	return r2d2_thread_row(&layout, part, warp->index);
}

static uint32_t block_row(const struct hd_warp *warp)
{
	const struct hd_cta *cta = warp->cta;
	struct r2d2_layout layout = layout_of(cta->grid);
	return r2d2_block_row(&layout, (uint32_t)(cta - cta->sm->ctas) % cta->grid->linear->ctas);
}

/* %cr, or sixteen of them from it on, which may lie in two rows. */
static uint32_t add_coefficients(struct hd_range_access *list, const struct hd_grid *grid, uint32_t number, bool vector)
{
	struct r2d2_layout layout = layout_of(grid);
	uint32_t count = grid->linear->linear->coefficients, end = vector ? number + HD_LR_COUNT : number + 1,
		 added = 0;
	for (uint32_t last = 0; number < count && number < end; number++) {
		uint32_t thread, row = r2d2_coefficient_row(&layout, number, &thread);
		if (!added || row != last)
			list[added++] = (struct hd_range_access){row, 0};
		list[added - 1].lanes += PAIR;
		last = row;
	}
	return added;
}

static uint32_t range_reads(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			    struct hd_range_access list[HD_MAX_RANGE])
{
	const struct hd_grid *grid = warp->cta->grid;
	const uint8_t regs[] = {inst->inst.dst, inst->inst.a, inst->inst.b, inst->inst.c};
	enum hd_lr_kind kind = hd_lr_kind(inst->inst.linear);
	unsigned reg = hd_lr_reg(inst->inst.linear);
	uint32_t count = 0;
	if (kind != HD_LR_COEFFICIENT) {
		const struct r2d2_sm *state = hd_policy_sm(self, warp->cta->sm);
		uint8_t part = grid->linear->linear->thread_of[reg];
		if (part != HD_LR_NO_THREAD)
			count += add_thread_part(list, thread_row(warp, part), state->wide >> part & 1);
		count += add_pairs(list + count, block_row(warp), 1);
	}
	if (kind != HD_LR_OFFSET)
		count += add_coefficients(list + count, grid, regs[hd_lr_slot(inst->inst.linear) & 3],
					  kind == HD_LR_COEFFICIENT && reg);
	return count;
}

static uint32_t range_writes(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			     struct hd_range_access list[HD_MAX_RANGE])
{
	const struct r2d2_sm *state = hd_policy_sm(self, warp->cta->sm);
	switch (inst->inst.op) {
	case HD_OP_R2CR: return add_coefficients(list, warp->cta->grid, inst->inst.x, false);
	case HD_OP_R2TR: return add_thread_part(list, thread_row(warp, inst->inst.x), state->wide >> inst->inst.x & 1);
	default: return add_pairs(list, block_row(warp), HD_LR_COUNT);
	}
}

static void decode(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		   struct hd_dinst *code)
{
	uint32_t id = (uint32_t)hd_policy_setting(self, gpu, ID_CYCLES),
		 add = (uint32_t)hd_policy_setting(self, gpu, ADD_CYCLES);
	for (uint32_t i = 0; i < function->count; i++) {
		enum hd_lr_kind kind = hd_lr_kind(code[i].inst.linear);
		if (kind == HD_LR_NONE)
			continue;
		uint32_t cycles = id + (kind == HD_LR_COEFFICIENT ? 0 : add); /* one part: nothing is added */
		if (code[i].pipe == HD_PIPE_LSU)
			code[i].extra = (uint8_t)cycles;
		else
			code[i].latency = (uint16_t)(code[i].latency + cycles);
	}
}

/* ---- the rest */

int r2d2_configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		   struct hd_diag *diag)
{
	(void)config;
	if (!*parameter || !strcmp(parameter, "always"))
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy '%s:%s': expected 'always'", policy->name, parameter);
}

static bool why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size)
{
	const struct r2d2_sm *state = hd_policy_sm(self, warp->cta->sm);
	if (!warp->cta->grid->linear || ((const struct r2d2_cta *)hd_policy_cta(self, warp->cta))->done)
		return false;
	snprintf(text, size, "waits for %s",
		 state->parts_done ? "its block's index parts" : "the SM's coefficients and thread-index parts");
	return true;
}

static void add_counts(struct r2d2_counts *to, const struct r2d2_counts *from)
{
	for (uint32_t stream = 0; stream < HD_STREAM_COUNT; stream++)
		to->instructions[stream] += from->instructions[stream];
	to->turning += from->turning;
}

static void grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	(void)grid;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct r2d2_sm *state = hd_policy_sm(self, gpu->sms[i]);
		struct r2d2_counts before = state->before;
		add_counts(&before, &state->launch);
		*state = (struct r2d2_sm){.before = before};
	}
}

static const struct hd_policy_count reported[] = {
	{"linear", "", "1: the launch ran its linear version"},
	{"coefficient_instructions", "instructions", "warp instructions of coefficient streams"},
	{"thread_instructions", "instructions", "warp instructions of thread-index streams"},
	{"block_instructions", "instructions", "warp instructions of block-index streams"},
	{"stream_cycles", "cycles", "cycles that SMs spent at the start of streams"},
	{0},
};

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	struct r2d2_counts sum = {0};
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		const struct r2d2_sm *state = hd_policy_sm(self, gpu->sms[i]);
		add_counts(&sum, &state->launch);
		if (!gpu->grid)
			add_counts(&sum, &state->before);
	}
	if (gpu->grid)
		add(context, "linear", gpu->grid->linear != NULL, "");
	add(context, "coefficient_instructions", (double)sum.instructions[HD_STREAM_COEFFICIENT], "instructions");
	add(context, "thread_instructions", (double)sum.instructions[HD_STREAM_THREAD], "instructions");
	add(context, "block_instructions", (double)sum.instructions[HD_STREAM_BLOCK], "instructions");
	add(context, "stream_cycles", (double)sum.turning, "cycles");
}

/* The sum is assumed to take what a core's addition does (5.4); the others are nothing but where they are swept. */
static const struct hd_policy_setting settings[] = {
	[START_CYCLES] = {"start_cycles", "extra fetch cycles at the start of a linear stream (r2d2-isca23 5.4)", 0, 0,
			  10000},
	[ID_CYCLES] = {"id_cycles", "cycles to find the ids of linear registers (r2d2-isca23 5.4)", 0, 0, 100},
	[ADD_CYCLES] = {"add_cycles", "cycles to add the parts of an operand (r2d2-isca23 5.4)", 4, 0, 100},
	{0},
};

const struct hd_policy_hooks hd_hooks_r2d2 = {
	.sm_bytes = sizeof(struct r2d2_sm),
	.cta_bytes = sizeof(struct r2d2_cta),
	.warp_bytes = sizeof(struct r2d2_warp),
	.linear = true,
	.streams = true,
	.settings = settings,
	.configure = r2d2_configure,
	.decode = decode,
	.own_state = true,
	.grid_begin = grid_begin,
	.allocation.reserve = reserve,
	.issue.warp_start = warp_start,
	.issue.stream_end = stream_end,
	.issue.issued = issued,
	.operands.range_reads = range_reads,
	.operands.range_writes = range_writes,
	.observation.why_held = why_held,
	.observation.report = report,
	.observation.reported = reported,
};
