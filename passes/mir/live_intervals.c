/*
 * Live intervals: for each word of a virtual register the ascending segments of the linear
 * order in which its value is needed, holes included; for physical registers the segments
 * in which calls, the entry and returns hold them. One backward scan over the blocks in
 * their linear order; cost of the instructions plus the live sets.
 */
#include "passes/mir/live.h"

struct node {
	struct hd_segment segment;
	uint32_t next;
};

struct build {
	struct hd_live_intervals *out;
	uint32_t *head; /* by word: first node, + 1 */
	uint32_t *open; /* by word: end of the segment being built, 0 none */
	uint32_t open_fixed[HD_MREG_VIRTUAL];
	HD_VEC(struct node) nodes;
	uint32_t inst; /* linear index */
};

static void emit(struct build *build, uint32_t word, uint32_t start, uint32_t end)
{
	uint32_t head = build->head[word];
	if (head && build->nodes.data[head - 1].segment.start <= end) {
		build->nodes.data[head - 1].segment.start = start;
		return;
	}
	hd_vec_push(&build->nodes, (struct node){{start, end}, head});
	build->head[word] = build->nodes.len;
}

static void emit_fixed(struct build *build, uint32_t reg, uint32_t start, uint32_t end)
{
	hd_vec_push(&build->out->fixed, (struct hd_fixed){reg, {start, end}});
}

static void scan_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct build *build = context;
	if (!is_def)
		return;
	uint32_t start = 2 * build->inst + 1;
	for (uint32_t i = 0; i < reg->words; i++) {
		bool fixed = !hd_mreg_is_virtual(reg->id);
		uint32_t word = fixed ? reg->id + reg->sub + i : hd_live_word(&build->out->live, *reg) + i;
		uint32_t *open = fixed ? &build->open_fixed[word] : &build->open[word];
		uint32_t end = *open ? *open : start + 1;
		*open = 0;
		if (fixed)
			emit_fixed(build, word, start, end);
		else
			emit(build, word, start, end);
	}
}

static void scan_use(void *context, struct hd_mreg *reg, bool is_def)
{
	struct build *build = context;
	if (is_def)
		return;
	for (uint32_t i = 0; i < reg->words; i++) {
		bool fixed = !hd_mreg_is_virtual(reg->id);
		uint32_t word = fixed ? reg->id + reg->sub + i : hd_live_word(&build->out->live, *reg) + i;
		uint32_t *open = fixed ? &build->open_fixed[word] : &build->open[word];
		if (!*open)
			*open = 2 * build->inst + 1;
	}
}

static void scan_block(struct hd_mfunc *func, struct build *build, uint32_t id)
{
	struct hd_live_intervals *out = build->out;
	struct hd_mblock *block = &func->blocks.data[id];
	uint32_t first = out->first[id], start = 2 * first, end = 2 * (first + block->insts.len);
	const struct hd_live *live = &out->live;
	for (uint32_t i = live->out_start[id]; i < live->out_start[id + 1]; i++)
		build->open[live->out[i]] = end;
	for (uint32_t i = block->insts.len; i-- > 0;) {
		struct hd_minst *inst = &block->insts.data[i];
		build->inst = first + i;
		if (inst->op < HD_OP_LIMIT && hd_opinfo[inst->op].effects & HD_FX_CALL)
			hd_vec_push(&out->calls, build->inst);
		hd_minst_visit(func, inst, scan_def, build);
		hd_minst_visit(func, inst, scan_use, build);
	}
	for (uint32_t i = live->in_start[id]; i < live->in_start[id + 1]; i++) {
		emit(build, live->in[i], start, build->open[live->in[i]]);
		build->open[live->in[i]] = 0;
	}
	for (uint32_t reg = 0; reg < HD_MREG_VIRTUAL; reg++) {
		if (build->open_fixed[reg])
			emit_fixed(build, reg, start, build->open_fixed[reg]);
		build->open_fixed[reg] = 0;
	}
}

static void number_instructions(struct hd_mfunc *func, struct hd_arena *arena, struct hd_live_intervals *out)
{
	out->order_count = hd_mfunc_block_order(func, arena, &out->order);
	out->first = HD_ARENA_NEW(arena, uint32_t, func->blocks.len);
	out->inst_count = 0;
	for (uint32_t i = 0; i < out->order_count; i++) {
		out->first[out->order[i]] = out->inst_count;
		out->inst_count += func->blocks.data[out->order[i]].insts.len;
	}
}

static void collect(struct build *build, struct hd_arena *arena)
{
	struct hd_live_intervals *out = build->out;
	out->segment_start = HD_ARENA_NEW(arena, uint32_t, out->live.words + 1);
	out->segments = HD_ARENA_NEW(arena, struct hd_segment, build->nodes.len + 1);
	uint32_t count = 0;
	for (uint32_t word = 0; word < out->live.words; word++) {
		out->segment_start[word] = count;
		for (uint32_t i = build->head[word]; i; i = build->nodes.data[i - 1].next)
			out->segments[count++] = build->nodes.data[i - 1].segment;
	}
	out->segment_start[out->live.words] = count;
}

void hd_live_intervals_compute(struct hd_mfunc *func, struct hd_arena *arena, struct hd_live_intervals *out)
{
	struct hd_arena scratch;
	hd_arena_init(&scratch);
	*out = (struct hd_live_intervals){0};
	hd_live_compute(func, arena, &out->live);
	number_instructions(func, arena, out);
	struct build build = {.out = out};
	build.head = HD_ARENA_NEW(&scratch, uint32_t, out->live.words + 1);
	build.open = HD_ARENA_NEW(&scratch, uint32_t, out->live.words + 1);
	for (uint32_t i = out->order_count; i-- > 0;)
		scan_block(func, &build, out->order[i]);
	collect(&build, arena);
	hd_vec_release(&build.nodes);
	hd_arena_release(&scratch);
}

void hd_live_intervals_release(struct hd_live_intervals *intervals)
{
	hd_vec_release(&intervals->fixed);
	hd_vec_release(&intervals->calls);
}

uint32_t hd_live_intervals_block(const struct hd_live_intervals *intervals, uint32_t position)
{
	uint32_t after;
	HD_BISECT(after, 1, intervals->order_count, 2 * intervals->first[intervals->order[after]] <= position);
	return after - 1;
}
