/*
 * What is certain of reuse distances (malekeh, 3.2), for --verify to hold a run against: an operand
 * whose next read stands in the same block, without a call between, is read after exactly so many
 * instructions of the warp; one that is written there first, or that liveness calls dead at the end
 * of the block, is never read. Of a pair or quad the nearest read counts, whatever becomes of the rest. All else
 * depends on branches, and is left to the expectation.
 *
 * Calls and returns pass registers on that they do not name, and a callee's length is its own: of
 * what lies beyond them in the block nothing is said. Linear in the code.
 */
#include <string.h>

#include "passes/analysis/reuse.h"

enum touch { UNKNOWN, READ, WRITTEN };

/* The next touch of each register, going from the end of a block to its start. */
struct ahead {
	uint8_t touch[HD_MAX_REGS];
	bool mixed[HD_MAX_REGS]; /* a guarded write comes first: in its lanes that touch is of another value */
	uint32_t inst[HD_MAX_REGS];
};

static void begin(struct ahead *ahead, const struct hd_flow *flow, uint32_t block)
{
	memset(ahead->mixed, 0, sizeof(ahead->mixed));
	for (uint32_t reg = 0; reg < HD_MAX_REGS; reg++)
		ahead->touch[reg] = hd_regset_has(&flow->live_out[block], reg) ? UNKNOWN : WRITTEN;
}

static void set(struct ahead *ahead, const struct hd_regset *registers, enum touch touch, uint32_t inst)
{
	HD_REGSET_FOREACH (registers, reg) {
		ahead->touch[reg] = (uint8_t)touch;
		ahead->mixed[reg] = false;
		ahead->inst[reg] = inst;
	}
}

static bool passes_registers_on(const struct hd_inst *inst)
{
	return hd_opinfo[inst->op].effects & (HD_FX_CALL | HD_FX_RET);
}

/*
 * Of the operand's `width` registers from `reg` on: the nearest read. A register of which nothing is known is not read
 * before the block or what stands in between is left, which is later than any read that is. One that a guard may
 * overwrite is read in the other lanes only: what is nearest has to be another.
 */
static uint8_t claim(const struct ahead *ahead, const struct hd_regset *kills, uint32_t reg, unsigned width,
		     uint32_t inst)
{
	uint32_t nearest = UINT32_MAX, mixed = UINT32_MAX;
	bool unknown = false;
	for (uint32_t r = reg; r < reg + width && r < HD_RZ; r++) {
		if (kills && hd_regset_has(kills, r))
			continue;
		unknown |= ahead->touch[r] == UNKNOWN;
		uint32_t *first = ahead->mixed[r] && width > 1 ? &mixed : &nearest;
		if (ahead->touch[r] == READ && ahead->inst[r] < *first)
			*first = ahead->inst[r];
	}
	if (nearest == UINT32_MAX && mixed == UINT32_MAX)
		return unknown ? HD_REUSE_NO_CLAIM : HD_REUSE_NEVER;
	if (mixed <= nearest && mixed != UINT32_MAX)
		return HD_REUSE_NO_CLAIM;
	return nearest - inst <= HD_REUSE_EXACT_MOST ? (uint8_t)(nearest - inst) : HD_REUSE_NO_CLAIM;
}

static void claim_operands(const struct ahead *ahead, const struct hd_inst *code, const struct hd_regset *kills,
			   uint32_t inst, uint8_t claims[4])
{
	const uint8_t regs[] = {code->dst, code->a, code->b, code->c};
	for (unsigned slot = HD_SLOT_DST; slot <= HD_SLOT_C; slot++)
		if (hd_reuse_has(code, slot))
			claims[slot] = claim(ahead, slot == HD_SLOT_DST ? NULL : kills, regs[slot],
					     hd_op_width(code->op, code->mods, slot), inst);
}

/* Claims the operands of one instruction and goes to before it. */
static void step(struct ahead *ahead, const struct hd_flow *flow, uint32_t inst, uint8_t claims[4])
{
	const struct hd_inst *code = &flow->function->insts[inst];
	struct hd_flow_effects effects;
	if (passes_registers_on(code)) {
		memset(ahead->touch, UNKNOWN, sizeof(ahead->touch));
		return;
	}
	hd_flow_effects(flow, inst, &effects);
	claim_operands(ahead, code, &effects.covers, inst, claims);
	HD_REGSET_FOREACH (&effects.writes, reg) {
		ahead->mixed[reg] = true;
	}
	set(ahead, &effects.covers, WRITTEN, inst);
	set(ahead, &effects.reads, READ, inst);
}

uint8_t *hd_reuse_claims(const struct hd_flow *flow, struct hd_arena *arena)
{
	uint8_t *claims = HD_ARENA_NEW(arena, uint8_t, (size_t)4 * flow->function->inst_count);
	struct ahead ahead;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		begin(&ahead, flow, b);
		for (uint32_t i = hd_flow_last(flow, b) + 1; i-- > flow->blocks[b].first;)
			step(&ahead, flow, i, claims + (size_t)4 * i);
	}
	return claims;
}
