/*
 * Dead-operand bits: liveness of physical registers in finished machine IR, one 256-bit set
 * a block, and from it which source operands are read for the last time on every path.
 * Callee-saved registers and the stack pointer count as read by every call (the callee's
 * prologue stores them) and by RET. Costs the instructions times the few passes of the
 * data-flow iteration. LTRF+ (ltrf-asplos18, 3.2).
 */
#include "passes/mir/last_use.h"

static void add(struct hd_lower_regs *set, struct hd_mreg reg)
{
	for (uint32_t i = 0; i < reg.words && reg.id < HD_RZ; i++) {
		uint32_t id = reg.id + reg.sub + i;
		set->words[id / 64] |= UINT64_C(1) << (id % 64);
	}
}

static void drop(struct hd_lower_regs *set, struct hd_mreg reg)
{
	for (uint32_t i = 0; i < reg.words && reg.id < HD_RZ; i++) {
		uint32_t id = reg.id + reg.sub + i;
		set->words[id / 64] &= ~(UINT64_C(1) << (id % 64));
	}
}

bool hd_lower_regs_has_any(const struct hd_lower_regs *set, struct hd_mreg reg)
{
	for (uint32_t id = reg.id + reg.sub; id < reg.id + reg.sub + reg.words && id < HD_RZ; id++)
		if (set->words[id / 64] >> (id % 64) & 1)
			return true;
	return false;
}

static bool is_register(struct hd_mreg reg)
{
	return reg.words && reg.id < HD_RZ;
}

static void add_kept(const struct hd_mfunc *func, struct hd_lower_regs *set)
{
	for (uint32_t i = 0; i < 4; i++)
		set->words[i] |= func->abi->callee_saved[i];
	add(set, (struct hd_mreg){func->abi->stack_pointer, 0, 1});
}

/* Live registers before `inst` from those after it; the bits of its last reads. */
static uint8_t step(const struct hd_mfunc *func, const struct hd_minst *inst, struct hd_lower_regs *live)
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
		if (is_register(sources[i]) && !hd_lower_regs_has_any(live, sources[i]))
			bits |= (uint8_t)(1u << i);
	for (unsigned i = 0; i < 3; i++)
		if (is_register(sources[i]))
			add(live, sources[i]);
	return bits;
}

static bool scan_block(const struct hd_mfunc *func, uint32_t id, struct hd_lower_regs *live_in, uint8_t *bits)
{
	const struct hd_mblock *block = &func->blocks.data[id];
	struct hd_lower_regs live = {0};
	for (uint32_t i = 0; i < block->succs.len; i++)
		for (unsigned w = 0; w < 4; w++)
			live.words[w] |= live_in[block->succs.data[i]].words[w];
	for (uint32_t i = block->insts.len; i-- > 0;) {
		uint8_t dead = step(func, &block->insts.data[i], &live);
		if (bits)
			bits[i] = dead;
	}
	bool changed = memcmp(&live, &live_in[id], sizeof(live)) != 0;
	live_in[id] = live;
	return changed;
}

struct hd_lower_regs *hd_dead_live_in(const struct hd_mfunc *func, const uint32_t *order, uint32_t count,
				      struct hd_arena *arena)
{
	struct hd_lower_regs *live_in = HD_ARENA_NEW(arena, struct hd_lower_regs, func->blocks.len);
	bool changed = true;
	while (changed) {
		changed = false;
		for (uint32_t place = count; place-- > 0;)
			changed |= scan_block(func, order[place], live_in, NULL);
	}
	return live_in;
}

void hd_dead_compute(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_dead *dead)
{
	struct hd_lower_regs *live_in = hd_dead_live_in(func, func->order.data, func->order.len, arena);
	uint32_t count = 0;
	dead->start = HD_ARENA_NEW(arena, uint32_t, func->blocks.len);
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		dead->start[id] = count;
		count += func->blocks.data[id].insts.len;
	}
	dead->bits = HD_ARENA_NEW(arena, uint8_t, count + 1);
	for (uint32_t place = 0; place < func->order.len; place++) {
		uint32_t id = func->order.data[place];
		scan_block(func, id, live_in, dead->bits + dead->start[id]);
	}
}
