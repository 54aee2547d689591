/*
 * --check=init: values that mean nothing, because nothing has written the memory that they come from or because the
 * lane that a shuffle reads does not take part in it. They are followed through registers, predicates and memory, and
 * reported where one decides something: a branch, an address, an atomic operation, or what a computation stores. A copy
 * is no use, so that structures are copied with their padding, and partial sums of lanes that nobody asks for are none.
 *
 * Memory is followed by bytes, a register as a whole: a word of which some bytes are written is fine. The stack is not
 * followed.
 */
#include "heddle/opcodes.h"
#include "runtime/check/state.h"

#include "lib/machine/abi.h"

struct now {
	struct hd_check *check;
	const struct hd_exec *exec;
	const struct hd_dinst *inst;
	struct hd_values *values;
	/* What the instruction's operands hold: lanes, and where the first such operand's value is from. */
	uint32_t lanes, computed;
	struct hd_origin_of of;
};

static void use(const struct now *now, uint32_t lanes, const struct hd_origin_of *of, const char *what)
{
	HD_FOR_LANES (lane, lanes)
		hd_check_found(now->check, now->exec->warp, lane,
			       (struct hd_finding){.kind = of->kind,
						   .pc = now->exec->warp->pc,
						   .other_pc = of->pc,
						   .other = UINT32_MAX,
						   .bytes = now->inst->access_bytes,
						   .space = of->space,
						   .address = of->address,
						   .what = what});
}

static void use_register(const struct now *now, uint8_t reg, const char *what)
{
	uint32_t lanes = reg == HD_RZ ? 0 : now->values->regs[reg] & now->exec->mask;
	if (lanes)
		use(now, lanes, &now->values->of_reg[reg], what);
}

/* ---- what is decided */

static bool is_control(const struct hd_dinst *inst)
{
	return inst->effects & (HD_FX_BRANCH | HD_FX_CALL | HD_FX_RET | HD_FX_EXIT | HD_FX_BARRIER) ||
	       inst->inst.op == HD_OP_TRAP;
}

static void check_guard(const struct now *now)
{
	const struct hd_warp *warp = now->exec->warp;
	uint8_t guard = now->inst->inst.guard & 7;
	uint32_t lanes = guard == HD_PT ? 0 : now->values->preds[guard] & warp->active;
	if (lanes && (is_control(now->inst) || now->inst->effects & HD_FX_STORE))
		use(now, lanes, &now->values->of_pred[guard],
		    is_control(now->inst) ? "decides this branch" : "decides about this store");
}

static void check_operands(const struct now *now)
{
	const struct hd_inst *inst = &now->inst->inst;
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	bool pair = info->space == HD_AT_GLOBAL || info->space == HD_AT_GENERIC;
	if (info->space && inst->op != HD_OP_LDSM) {
		use_register(now, inst->a, "is used as an address");
		if (info->effects & HD_FX_ASYNC)
			use_register(now, inst->b, "is used as an address");
		if (pair && inst->a != HD_RZ)
			use_register(now, (uint8_t)(inst->a + 1), "is used as an address");
	}
	if (info->effects & HD_FX_ATOMIC) {
		use_register(now, inst->b, "goes into this atomic operation");
		if (hd_mod_get(inst->mods, HD_MOD_ATOMOP) == HD_ATOM_CAS)
			use_register(now, inst->c, "goes into this atomic operation");
	}
	if (inst->op == HD_OP_BRX || inst->op == HD_OP_CALLI)
		use_register(now, inst->a, "decides where this goes");
	if (inst->op == HD_OP_SHFL && !hd_mod_get(inst->mods, HD_MOD_BIMM))
		use_register(now, inst->b, "is the lane of this shuffle");
}

/* ---- results */

/* Those whose result is made of bits of their operands: still a copy. */
static bool moves_bits(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_MOV:
	case HD_OP_SEL:
	case HD_OP_PRMT:
	case HD_OP_LOP3:
	case HD_OP_SHL:
	case HD_OP_SHR:
	case HD_OP_SHF_L:
	case HD_OP_SHF_R:
	case HD_OP_SGXT:
	case HD_OP_BREV: return true;
	default: return false;
	}
}

static void take_register(struct now *now, uint8_t reg, uint32_t lanes)
{
	if (reg == HD_RZ || !(now->values->regs[reg] & lanes))
		return;
	if (!now->lanes)
		now->of = now->values->of_reg[reg];
	now->lanes |= now->values->regs[reg] & lanes;
	now->computed |= now->values->computed[reg] & lanes;
}

static void take_predicates(struct now *now, uint32_t preds)
{
	for (uint32_t pred = 0; pred < HD_PT; pred++) {
		uint32_t lanes = preds >> pred & 1 ? now->values->preds[pred] & now->exec->mask : 0;
		if (!lanes)
			continue;
		if (!now->lanes)
			now->of = now->values->of_pred[pred];
		now->lanes |= lanes;
		now->computed |= lanes;
	}
}

/* Of a selection only the operand counts that was selected. */
static void take_selected(struct now *now)
{
	const struct hd_inst *inst = &now->inst->inst;
	uint32_t first = hd_pred(now->exec->warp, inst->psrc) & now->exec->mask;
	take_register(now, inst->a, first);
	if (!hd_x_in_b(inst->xkind))
		take_register(now, inst->b, now->exec->mask & ~first);
	take_predicates(now, 1u << (inst->psrc & 7));
}

static void take_operands(struct now *now)
{
	struct hd_regset reads;
	if (now->inst->inst.op == HD_OP_SEL) {
		take_selected(now);
		return;
	}
	hd_inst_reads(&now->inst->inst, &reads);
	for (unsigned i = 0; i < now->inst->read_count; i++)
		take_register(now, now->inst->read_regs[i], now->exec->mask);
	uint8_t guard = now->inst->inst.guard & 7; /* whether a result is kept is told by take_guard */
	take_predicates(now, reads.preds & (guard == HD_PT ? 0xffu : ~(1u << guard)));
	if (!moves_bits(&now->inst->inst))
		now->computed = now->lanes;
}

static void put_register(struct hd_values *values, uint32_t reg, uint32_t mask, uint32_t lanes, uint32_t computed,
			 const struct hd_origin_of *of)
{
	values->regs[reg] = (values->regs[reg] & ~mask) | lanes;
	values->computed[reg] = (values->computed[reg] & ~mask) | computed;
	if (lanes) {
		values->of_reg[reg] = *of;
		values->any = true;
	}
}

static void put_results(const struct now *now)
{
	const struct hd_hazard *writes = &now->inst->writes;
	uint32_t mask = now->exec->mask;
	for (unsigned word = 0; word < 4; word++)
		for (uint64_t left = writes->bits[word]; left; left &= left - 1)
			put_register(now->values, 64 * word + (unsigned)__builtin_ctzll(left), mask, now->lanes,
				     now->computed, &now->of);
	for (uint32_t pred = 0; pred < HD_PT; pred++) {
		if (!(writes->bits[4] >> pred & 1))
			continue;
		now->values->preds[pred] = (now->values->preds[pred] & ~mask) | now->lanes;
		if (now->lanes)
			now->values->of_pred[pred] = now->of;
	}
}

/* ---- shuffles */

/* What comes from a lane of another path is not followed. */
static void shuffle(struct now *now)
{
	const struct hd_exec *exec = now->exec;
	const struct hd_inst *inst = &now->inst->inst;
	uint32_t absent = 0;
	HD_FOR_LANES (lane, exec->mask) {
		bool inside;
		uint32_t from = hd_exec_shuffle_source(exec->warp, inst, lane, &inside);
		uint32_t elsewhere = exec->warp->met >> lane & 1 ? hd_meeting_mask(exec->warp, inst, lane) : 0;
		absent |= (uint32_t)!((exec->mask | elsewhere) >> from & 1) << lane;
		if (exec->mask >> from & 1 && inst->a != HD_RZ && now->values->regs[inst->a] >> from & 1) {
			now->lanes |= 1u << lane;
			now->of = now->values->of_reg[inst->a];
		}
	}
	if (absent)
		now->of = (struct hd_origin_of){.pc = exec->warp->pc, .kind = HD_FOUND_SHUFFLE};
	now->lanes |= absent;
	now->computed = now->lanes;
	put_register(now->values, inst->dst == HD_RZ ? 255 : inst->dst, exec->mask, now->lanes, now->computed,
		     &now->of);
}

/* ---- memory */

/* The bits of the bytes at an address, and where in them; NULL: they are not followed. */
static uint8_t *bits_of(const struct now *now, uint32_t lane, const struct hd_accesses *accesses, uint64_t *at)
{
	const struct hd_block_check *block = hd_check_block_of(now->check, now->exec->warp->cta);
	*at = accesses->address[lane];
	if (accesses->space[lane] == HD_MEM_SHARED)
		return *at + now->inst->access_bytes <= block->shared_bytes ? block->fresh : NULL;
	*at -= HD_DEVICE_BASE;
	return accesses->space[lane] == HD_MEM_GLOBAL && *at < now->check->fresh_bytes &&
			       now->inst->access_bytes <= now->check->fresh_bytes - *at
		       ? now->check->fresh
		       : NULL;
}

static struct hd_origin_of origin_of(const struct now *now, uint32_t lane, const struct hd_accesses *accesses)
{
	return (struct hd_origin_of){.pc = now->exec->warp->pc,
				     .kind = HD_FOUND_UNWRITTEN,
				     .space = accesses->space[lane],
				     .address = accesses->address[lane]};
}

static void load(const struct now *now, const struct hd_accesses *accesses)
{
	const struct hd_inst *inst = &now->inst->inst;
	uint32_t bytes = now->inst->access_bytes, words = (bytes + 3) / 4;
	for (uint32_t word = 0; word < words; word++) {
		uint32_t lanes = 0;
		struct hd_origin_of of = {0};
		HD_FOR_LANES (lane, now->exec->mask) {
			uint64_t at;
			const uint8_t *bits = bits_of(now, lane, accesses, &at);
			if (!bits || !hd_fresh_all(bits, at + 4 * word, bytes < 4 ? bytes : 4))
				continue;
			if (!lanes)
				of = origin_of(now, lane, accesses);
			lanes |= 1u << lane;
		}
		if (inst->dst != HD_RZ)
			put_register(now->values, inst->dst + word, now->exec->mask, lanes, 0, &of);
	}
}

static void atomic(const struct now *now, const struct hd_accesses *accesses)
{
	HD_FOR_LANES (lane, now->exec->mask) {
		uint64_t at;
		uint8_t *bits = bits_of(now, lane, accesses, &at);
		if (!bits)
			continue;
		struct hd_origin_of of = origin_of(now, lane, accesses);
		bool exchange = hd_mod_get(now->inst->inst.mods, HD_MOD_ATOMOP) == HD_ATOM_EXCH;
		if (!exchange && hd_fresh_all(bits, at, now->inst->access_bytes))
			use(now, 1u << lane, &of, "goes into this atomic operation");
		hd_fresh_set(bits, at, now->inst->access_bytes, false);
	}
	put_results(now);
}

static void store(const struct now *now, const struct hd_accesses *accesses)
{
	uint32_t bytes = now->inst->access_bytes, words = (bytes + 3) / 4;
	for (uint32_t word = 0; word < words; word++) {
		uint32_t reg = hd_next_reg(now->inst->inst.c, word);
		uint32_t lanes = reg == HD_RZ ? 0 : now->values->regs[reg] & now->exec->mask;
		uint32_t computed = lanes & (reg == HD_RZ ? 0 : now->values->computed[reg]);
		uint32_t followed = 0;
		HD_FOR_LANES (lane, now->exec->mask) {
			uint64_t at;
			uint8_t *bits = bits_of(now, lane, accesses, &at);
			if (!bits)
				continue;
			followed |= 1u << lane;
			hd_fresh_set(bits, at + 4 * word, bytes < 4 ? bytes : 4, lanes & ~computed & 1u << lane);
		}
		if (computed & followed)
			use(now, computed & followed, &now->values->of_reg[reg], "is stored here");
	}
}

/* Words take over what is known of those that they come from. */
static void copy(const struct now *now, const struct hd_accesses *accesses)
{
	const struct hd_check *check = now->check;
	HD_FOR_LANES (lane, now->exec->mask) {
		uint64_t at, from;
		uint32_t bytes;
		uint8_t *bits = bits_of(now, lane, accesses, &at);
		hd_exec_copy_source(now->exec, now->inst, lane, &from, &bytes);
		from -= HD_DEVICE_BASE;
		bool followed = from < check->fresh_bytes && bytes <= check->fresh_bytes - from;
		for (uint32_t word = 0; bits && word < now->inst->access_bytes; word += 4) {
			uint32_t count = bytes > word + 4 ? 4 : bytes > word ? bytes - word : 0;
			bool fresh = followed && count && hd_fresh_all(check->fresh, from + word, count);
			hd_fresh_set(bits, at + word, 4, fresh);
		}
	}
}

/* What a service leaves behind is no value of the program's. */
static void after_service(const struct now *now)
{
	for (uint32_t reg = 0; reg < HD_ABI_FIRST_ARG + HD_ABI_ARG_COUNT; reg++)
		put_register(now->values, reg, now->exec->mask, 0, 0, &now->of);
}

void hd_check_init(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
		   const struct hd_accesses *accesses)
{
	struct hd_warp_check *warp = hd_check_warp(check, exec->warp);
	struct now now = {.check = check, .exec = exec, .inst = inst, .values = &warp->values};
	bool memory = accesses && hd_opinfo[inst->inst.op].space != HD_AT_LOCAL;
	if (!warp->values.any && !memory && inst->inst.op != HD_OP_SHFL)
		return;
	if (warp->values.any) {
		check_guard(&now);
		check_operands(&now);
	}
	if (inst->inst.op == HD_OP_SHFL)
		shuffle(&now);
	else if (inst->inst.op == HD_OP_SYSCALL)
		after_service(&now);
	else if (memory && inst->effects & HD_FX_ASYNC)
		copy(&now, accesses);
	else if (memory && inst->effects & HD_FX_ATOMIC)
		atomic(&now, accesses);
	else if (memory && inst->effects & HD_FX_STORE)
		store(&now, accesses);
	else if (memory && inst->inst.op != HD_OP_LDSM)
		load(&now, accesses);
	else {
		if (!hd_opinfo[inst->inst.op].space && !(inst->effects & HD_FX_CONVERGENT))
			take_operands(&now);
		put_results(&now);
	}
}
