/*
 * Dead-operand bits: liveness of physical registers in finished machine IR, one 256-bit set
 * a block, and from it which source operands are read for the last time on every path.
 * Callee-saved registers and the stack pointer count as read by every call (the callee's
 * prologue stores them) and by RET. Linear in the instructions, and in
 * the blocks times the depth of loops. LTRF+ (ltrf-asplos18, 3.2).
 */
#include "passes/mir/last_use.h"

enum { REGISTERS = 256 };

static void add(struct hd_bitset *set, struct hd_mreg reg)
{
	for (uint32_t i = 0; i < reg.words && reg.id < HD_RZ; i++)
		hd_bitset_add(set, reg.id + reg.sub + i);
}

static void drop(struct hd_bitset *set, struct hd_mreg reg)
{
	for (uint32_t i = 0; i < reg.words && reg.id < HD_RZ; i++)
		hd_bitset_remove(set, reg.id + reg.sub + i);
}

bool hd_registers_have_any(const struct hd_bitset *set, struct hd_mreg reg)
{
	for (uint32_t id = reg.id + reg.sub; id < reg.id + reg.sub + reg.words && id < HD_RZ; id++)
		if (hd_bitset_has(set, id))
			return true;
	return false;
}

static bool is_register(struct hd_mreg reg)
{
	return reg.words && reg.id < HD_RZ;
}

static void add_kept(const struct hd_mfunc *func, struct hd_bitset *set)
{
	for (uint32_t i = 0; i < REGISTERS / 64; i++)
		set->words[i] |= func->abi->callee_saved[i];
	add(set, (struct hd_mreg){func->abi->stack_pointer, 0, 1});
}

/* Live registers before `inst` from those after it; the bits of its last reads. */
static uint8_t step(const struct hd_mfunc *func, const struct hd_minst *inst, struct hd_bitset *live)
{
	const struct hd_mreg *extras = &func->extras.data[inst->extra];
	uint32_t reads = inst->extra_count - inst->extra_defs;
	unsigned effects = hd_minst_effects(inst);
	bool ends = inst->guard == HD_MREG_PT || inst->covers;
	if (is_register(inst->dst) && ends)
		drop(live, inst->dst);
	for (uint32_t i = reads; i < inst->extra_count; i++)
		drop(live, extras[i]);
	if (effects & HD_FX_CALL || (effects & HD_FX_RET && !func->kernel))
		add_kept(func, live);
	for (uint32_t i = 0; i < reads; i++)
		add(live, extras[i]);
	const struct hd_mreg sources[] = {inst->a, inst->b, inst->c};
	uint8_t bits = 0;
	for (unsigned i = 0; i < 3; i++)
		if (is_register(sources[i]) && !hd_registers_have_any(live, sources[i]))
			bits |= (uint8_t)(1u << i);
	for (unsigned i = 0; i < 3; i++)
		if (is_register(sources[i]))
			add(live, sources[i]);
	return bits;
}

/* What is live before a block from what is live behind it. */
static void step_block(void *context, uint32_t id, struct hd_bitset *live)
{
	const struct hd_mfunc *const *func = context;
	const struct hd_mblock *block = &(*func)->blocks.data[id];
	for (uint32_t i = block->insts.len; i-- > 0;)
		step(*func, &block->insts.data[i], live);
}

void hd_dead_live(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_dataflow *live)
{
	struct hd_graph *graph = HD_ARENA_NEW(arena, struct hd_graph, 1);
	hd_mfunc_graph(func, arena, graph);
	hd_dataflow_init(live, graph, REGISTERS, true, false, arena);
	hd_dataflow_take(live, step_block, &func);
	hd_dataflow_solve(live);
}

void hd_dead_compute(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_dead *dead)
{
	struct hd_arena scratch;
	struct hd_dataflow live;
	uint32_t count = 0;
	hd_arena_init(&scratch);
	hd_dead_live(func, &scratch, &live);
	dead->start = HD_ARENA_NEW(arena, uint32_t, func->blocks.len);
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		dead->start[id] = count;
		count += func->blocks.data[id].insts.len;
	}
	dead->bits = HD_ARENA_NEW(arena, uint8_t, count + 1);
	for (uint32_t place = 0; place < func->order.len; place++) {
		uint32_t id = func->order.data[place];
		const struct hd_mblock *block = &func->blocks.data[id];
		struct hd_bitset now = hd_dataflow_row(&live, live.after, id);
		for (uint32_t i = block->insts.len; i-- > 0;)
			dead->bits[dead->start[id] + i] = step(func, &block->insts.data[i], &now);
	}
	hd_arena_release(&scratch);
}
