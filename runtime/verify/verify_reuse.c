/*
 * --verify of reuse distances (malekeh, 3.2) and of dead operands (ltrf-asplos18, 3.2), where the metadata is certain:
 *
 *   exact   the next instruction of the warp that reads one of the operand's registers is the one at that
 *           distance: none before it, and nothing writes them first
 *   never   the register is not read before it is written (verify.c, with the other tags): in the lanes
 *           that used it for a reuse distance, in all lanes of the warp for a dead operand
 *
 * Distances count a warp's instructions. They are claimed inside blocks only, which a warp does not leave
 * for its other lanes. What the near and far bits say of the rest is an expectation, and is not held against a run.
 */
#include "heddle/figures.h"
#include "runtime/verify/verify.h"

static const uint8_t *claims_of(const struct hd_exec *exec, const struct hd_pfunction *function)
{
	const struct hd_meta_reuse *reuse = function->said ? function->said->reuse : NULL;
	if (!reuse || reuse->tag_count != function->count)
		return NULL;
	return reuse->exact + (size_t)4 * (exec->warp->pc - function->first);
}

static void check_read(struct hd_exec *exec, uint32_t reg, struct hd_due *due)
{
	uint64_t at = due->at[reg];
	if (!at)
		return;
	for (uint32_t r = due->first[reg]; r < (uint32_t)due->first[reg] + due->width[reg] && r < HD_RZ; r++)
		if (due->at[r] == at && due->first[r] == due->first[reg])
			due->at[r] = 0;
	if (at == due->now)
		return;
	HD_FAULT(exec, (uint32_t)__builtin_ctz(exec->warp->active), HD_SIM_VERIFY,
		 "R%u is read %llu instructions %s than its reuse distance says", reg,
		 (unsigned long long)(at > due->now ? at - due->now : due->now - at),
		 at > due->now ? "earlier" : "later");
}

/* Of a pair the other half may still be read in time. */
static void check_write(struct hd_exec *exec, uint32_t reg, struct hd_due *due)
{
	uint64_t at = due->at[reg];
	due->at[reg] = 0;
	if (at <= due->now || due->width[reg] > 1)
		return;
	HD_FAULT(exec, (uint32_t)__builtin_ctz(exec->warp->active), HD_SIM_VERIFY,
		 "R%u is written before the read that its reuse distance promises", reg);
}

static void promise_slot(const struct hd_inst *inst, enum hd_slot slot, uint8_t claim, struct hd_due *due)
{
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	unsigned width = hd_op_width(inst->op, inst->mods, slot);
	if (!claim || claim > HD_REUSE_EXACT_MOST)
		return;
	for (unsigned reg = regs[slot]; reg < regs[slot] + width && reg < HD_RZ; reg++) {
		due->at[reg] = due->now + claim;
		due->first[reg] = regs[slot];
		due->width[reg] = (uint8_t)width;
	}
}

/* The result comes last: it may overwrite half of a pair that was read, of which nothing more is due then. */
static void promise(const struct hd_inst *inst, const uint8_t claims[4], struct hd_due *due)
{
	unsigned width = hd_op_width(inst->op, inst->mods, HD_SLOT_DST);
	for (unsigned slot = HD_SLOT_A; slot <= HD_SLOT_C; slot++)
		promise_slot(inst, (enum hd_slot)slot, claims[slot], due);
	for (unsigned reg = inst->dst; reg < inst->dst + width && reg < HD_RZ; reg++)
		due->at[reg] = 0;
	promise_slot(inst, HD_SLOT_DST, claims[HD_SLOT_DST], due);
}

/* The code's own registers: a policy may have changed what the decoded instruction reads (CARS's pushes). */
void hd_verify_due(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
		   struct hd_due *due)
{
	const uint8_t *claims = claims_of(exec, function);
	struct hd_regset reads, writes;
	hd_inst_reads(&inst->inst, &reads);
	hd_inst_writes(&inst->inst, &writes);
	due->now++;
	for (unsigned word = 0; word < 4; word++)
		for (uint64_t left = reads.regs[word]; left && !exec->fault; left &= left - 1)
			check_read(exec, 64 * word + (unsigned)__builtin_ctzll(left), due);
	for (unsigned word = 0; word < 4 && inst->inst.guard == HD_PT; word++)
		for (uint64_t left = writes.regs[word]; left && !exec->fault; left &= left - 1)
			check_write(exec, 64 * word + (unsigned)__builtin_ctzll(left), due);
	if (claims && !exec->fault)
		promise(&inst->inst, claims, due);
}

static void tag(uint32_t dead[256], const struct hd_inst *inst, enum hd_slot slot, uint32_t lanes)
{
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	unsigned width = hd_op_width(inst->op, inst->mods, slot);
	for (unsigned reg = regs[slot]; reg < regs[slot] + width && reg < HD_RZ; reg++)
		dead[reg] |= lanes;
}

/* A call that is executed again, for lanes with another target, reads its operands again. */
void hd_verify_tag_sources(const struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
			   uint32_t dead[256])
{
	const struct hd_meta_function *meta = function->said;
	const uint8_t *claims = claims_of(exec, function);
	/* These are for all lanes, those that wait in callers included, and claimed of callers' original code. */
	bool known = meta && (function->linear || !exec->warp->cta->grid->linear) &&
		     meta->dead_operand_count == function->count;
	uint8_t done = known ? meta->dead_operands[exec->warp->pc - function->first] : 0;
	if (inst->effects & HD_FX_CALL)
		return;
	for (unsigned slot = HD_SLOT_A; slot <= HD_SLOT_C; slot++) {
		if (done >> (slot - HD_SLOT_A) & 1)
			tag(dead, &inst->inst, (enum hd_slot)slot, exec->warp->live);
		if (claims && claims[slot] == HD_REUSE_NEVER)
			tag(dead, &inst->inst, (enum hd_slot)slot, exec->mask);
	}
}

void hd_verify_tag_result(const struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
			  uint32_t dead[256])
{
	const uint8_t *claims = claims_of(exec, function);
	if (claims && claims[HD_SLOT_DST] == HD_REUSE_NEVER)
		tag(dead, &inst->inst, HD_SLOT_DST, exec->mask);
}
