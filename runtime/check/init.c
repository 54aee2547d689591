/*
 * --check=init: values that mean nothing, because nothing has written the memory that they come from or because the
 * lane that a shuffle reads does not take part in it. They are followed by bits through registers, predicates and
 * memory (values.c, fresh.c, stack.c), and reported where one decides something: a branch, an address, an atomic
 * operation, or what is stored that is no copy.
 *
 * A copy is no use, so that structures are copied with their padding, and partial sums of lanes that nobody asks for
 * are none. Neither is it one when a word goes back to where it came from with some of its bits written, as bit fields
 * are; or goes elsewhere so, when some of them were before.
 */
#include "heddle/opcodes.h"
#include "runtime/check/state.h"
#include "runtime/exec/devmem.h"

#include "lib/machine/abi.h"

struct now {
	struct hd_check *check;
	const struct hd_exec *exec;
	const struct hd_dinst *inst;
	struct hd_values *values;
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
	uint32_t lanes = reg == HD_RZ ? 0 : now->values->regs[reg].lanes & now->exec->mask;
	if (lanes)
		use(now, lanes, &now->values->regs[reg].of, what);
}

/* A word that is exchanged as a whole may have a neighbour in it that nobody has written; compared once, both are one.
 */
static void exchange_register(const struct now *now, uint8_t reg)
{
	if (reg == HD_RZ)
		return;
	struct hd_value_row *row = &now->values->regs[reg];
	HD_FOR_LANES (lane, row->lanes & now->exec->mask)
		if (row->bits[lane] == HD_FULL || row->how.altered >> lane & 1)
			use(now, 1u << lane, &row->of, "goes into this atomic operation");
	row->lanes &= ~now->exec->mask;
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
	bool compares = info->effects & HD_FX_ATOMIC && hd_mod_get(inst->mods, HD_MOD_ATOMOP) == HD_ATOM_CAS;
	if (compares) {
		exchange_register(now, inst->b);
		exchange_register(now, inst->c);
	} else if (info->effects & HD_FX_ATOMIC) {
		use_register(now, inst->b, "goes into this atomic operation");
	}
	if (inst->op == HD_OP_BRX || inst->op == HD_OP_CALLI)
		use_register(now, inst->a, "decides where this goes");
	if (inst->op == HD_OP_SHFL && !hd_mod_get(inst->mods, HD_MOD_BIMM))
		use_register(now, inst->b, "is the lane of this shuffle");
}

/* ---- results */

static void put_meaning(const struct now *now)
{
	const struct hd_hazard *writes = &now->inst->writes;
	for (unsigned word = 0; word < 4; word++)
		for (uint64_t left = writes->bits[word]; left; left &= left - 1)
			now->values->regs[64 * word + (unsigned)__builtin_ctzll(left)].lanes &= ~now->exec->mask;
	for (uint32_t pred = 0; pred < HD_PT; pred++)
		if (writes->bits[4] >> pred & 1)
			now->values->preds[pred] &= ~now->exec->mask;
}

/* Lanes of which it means nothing whether they execute the instruction. */
static uint32_t guarded(const struct now *now)
{
	uint8_t guard = now->inst->inst.guard & 7;
	return guard == HD_PT ? 0 : now->values->preds[guard] & now->exec->warp->active;
}

/* ---- shuffles */

/* What comes from a lane of another path is not followed. */
static void shuffle(struct now *now)
{
	const struct hd_exec *exec = now->exec;
	const struct hd_inst *inst = &now->inst->inst;
	struct hd_value_row row = {0};
	const struct hd_value_row *source = inst->a == HD_RZ ? NULL : &now->values->regs[inst->a];
	const struct hd_origin_of absent = {.pc = exec->warp->pc, .kind = HD_FOUND_SHUFFLE};
	HD_FOR_LANES (lane, exec->mask) {
		bool inside;
		uint32_t from = hd_exec_shuffle_source(exec->warp, inst, lane, &inside);
		uint32_t elsewhere = exec->warp->met >> lane & 1 ? hd_meeting_mask(exec->warp, inst, lane) : 0;
		if (exec->mask >> from & 1 && source)
			hd_value_copy_lane(&row, lane, source, from);
		else if (!((exec->mask | elsewhere) >> from & 1)) {
			hd_value_read(&row, lane, HD_FULL, 4, 0, &absent);
			row.how.altered |= 1u << lane;
		}
	}
	if (inst->dst != HD_RZ)
		hd_value_copy(&now->values->regs[inst->dst], &row, exec->mask);
	now->values->any |= row.lanes != 0;
}

/* ---- memory */

/* Of the memory at an address, and where in it; NULL: it is not followed. */
static struct hd_fresh *fresh_of(const struct now *now, uint32_t lane, const struct hd_accesses *accesses, uint64_t *at)
{
	struct hd_block_check *block = hd_check_block_of(now->check, now->exec->warp->cta);
	*at = accesses->address[lane];
	if (accesses->space[lane] == HD_MEM_SHARED)
		return *at + now->inst->access_bytes <= block->shared_bytes ? &block->fresh : NULL;
	*at -= HD_DEVICE_BASE;
	return accesses->space[lane] == HD_MEM_GLOBAL && *at < now->check->fresh_bytes &&
			       now->inst->access_bytes <= now->check->fresh_bytes - *at
		       ? &now->check->fresh
		       : NULL;
}

static struct hd_origin_of origin_of(const struct now *now, uint32_t lane, const struct hd_accesses *accesses)
{
	return (struct hd_origin_of){.pc = now->exec->warp->pc,
				     .kind = HD_FOUND_UNWRITTEN,
				     .space = accesses->space[lane],
				     .address = accesses->address[lane]};
}

static bool extends_sign(const struct hd_inst *inst)
{
	unsigned size = hd_mod_get(inst->mods, HD_MOD_SIZE);
	return size == HD_SIZE_S8 || size == HD_SIZE_S16;
}

static void load_lane(const struct now *now, uint32_t lane, const struct hd_accesses *accesses)
{
	const struct hd_inst *inst = &now->inst->inst;
	uint32_t bytes = now->inst->access_bytes, count = bytes < 4 ? bytes : 4;
	uint64_t at;
	if (accesses->space[lane] == HD_MEM_LOCAL) {
		hd_values_load_local(now->values, lane, (uint32_t)accesses->address[lane], bytes, inst->dst,
				     now->exec->warp->pc, extends_sign(inst));
		return;
	}
	const struct hd_fresh *fresh = fresh_of(now, lane, accesses, &at);
	if (inst->dst == HD_RZ)
		return;
	bool any = fresh && hd_fresh_any(fresh, at, bytes);
	for (uint32_t word = 0; word < bytes; word += 4) {
		struct hd_value_row *to = &now->values->regs[inst->dst + word / 4];
		to->lanes &= ~(1u << lane);
		uint32_t bits = any ? hd_fresh_mask(fresh, at + word, count) : 0;
		if (!bits)
			continue;
		struct hd_origin_of of = origin_of(now, lane, accesses);
		of.address += word;
		if (bytes < 4 && extends_sign(inst) && bits >> (8 * bytes - 1) & 1)
			bits |= HD_FULL << 8 * bytes;
		hd_value_read(to, lane, bits, count, (uint32_t)of.address, &of);
		now->values->any = true;
	}
}

static void atomic(const struct now *now, const struct hd_accesses *accesses)
{
	HD_FOR_LANES (lane, now->exec->mask) {
		uint64_t at;
		struct hd_fresh *fresh = fresh_of(now, lane, accesses, &at);
		uint32_t bytes = now->inst->access_bytes;
		if (!fresh || !hd_fresh_any(fresh, at, bytes))
			continue;
		struct hd_origin_of of = origin_of(now, lane, accesses);
		unsigned operation = hd_mod_get(now->inst->inst.mods, HD_MOD_ATOMOP);
		uint32_t all = bytes < 4 ? (1u << 8 * bytes) - 1 : HD_FULL;
		uint32_t bits = hd_fresh_mask(fresh, at, bytes < 4 ? bytes : 4);
		if (operation != HD_ATOM_EXCH && (operation != HD_ATOM_CAS || bits == all))
			use(now, 1u << lane, &of, "goes into this atomic operation");
		if (operation != HD_ATOM_CAS || bits == all)
			hd_fresh_set(fresh, at, bytes, false);
	}
	put_meaning(now);
}

/* Is what a register holds of these bytes more than a copy, stored at this address? */
static bool is_made(const struct hd_value_row *row, uint32_t lane, uint32_t bytes, uint32_t address)
{
	uint32_t bit = 1u << lane;
	if (row->how.altered & bit)
		return true;
	if ((row->how.bytes1 & bit && bytes > 1) || (row->how.bytes2 & bit && bytes > 2))
		return true;
	return row->how.cut & bit && row->from[lane] != address;
}

static void store_lane(const struct now *now, uint32_t lane, const struct hd_accesses *accesses)
{
	uint32_t bytes = now->inst->access_bytes, count = bytes < 4 ? bytes : 4;
	uint64_t at;
	if (accesses->space[lane] == HD_MEM_LOCAL) {
		hd_values_store_local(now->values, lane, (uint32_t)accesses->address[lane], bytes, now->inst->inst.c);
		return;
	}
	struct hd_fresh *fresh = fresh_of(now, lane, accesses, &at);
	if (!fresh)
		return;
	for (uint32_t word = 0; word < bytes; word += 4) {
		uint32_t reg = hd_next_reg(now->inst->inst.c, word / 4);
		const struct hd_value_row *row = reg == HD_RZ ? NULL : &now->values->regs[reg];
		uint32_t bits = row && row->lanes >> lane & 1 ? row->bits[lane] : 0;
		bits &= count < 4 ? (1u << 8 * count) - 1 : HD_FULL;
		if (bits && is_made(row, lane, count, (uint32_t)accesses->address[lane] + word)) {
			use(now, 1u << lane, &row->of, "is stored here");
			bits = 0; /* told once */
		}
		if (bits || hd_fresh_any(fresh, at + word, count))
			hd_fresh_put(fresh, at + word, count, bits);
	}
}

/* Words take over what is known of those that they come from. */
static void copy(const struct now *now, const struct hd_accesses *accesses)
{
	const struct hd_check *check = now->check;
	HD_FOR_LANES (lane, now->exec->mask) {
		uint64_t at, from;
		uint32_t bytes;
		struct hd_fresh *fresh = fresh_of(now, lane, accesses, &at);
		hd_exec_copy_source(now->exec, now->inst, lane, &from, &bytes);
		from -= HD_DEVICE_BASE;
		bool followed = from < check->fresh_bytes && bytes <= check->fresh_bytes - from;
		for (uint32_t word = 0; fresh && word < now->inst->access_bytes; word += 4) {
			uint32_t count = bytes > word + 4 ? 4 : bytes > word ? bytes - word : 0;
			hd_fresh_put(fresh, at + word, 4,
				     followed && count ? hd_fresh_mask(&check->fresh, from + word, count) : 0);
		}
	}
}

/* What a service leaves behind is no value of the program's. */
static void after_service(const struct now *now)
{
	for (uint32_t reg = 0; reg < HD_ABI_FIRST_ARG + HD_ABI_ARG_COUNT; reg++)
		now->values->regs[reg].lanes &= ~now->exec->mask;
}

static void memory(const struct now *now, const struct hd_accesses *accesses)
{
	const struct hd_dinst *inst = now->inst;
	if (inst->effects & HD_FX_ASYNC) {
		copy(now, accesses);
	} else if (inst->effects & HD_FX_ATOMIC) {
		atomic(now, accesses);
	} else if (inst->inst.op != HD_OP_LDSM) {
		HD_FOR_LANES (lane, now->exec->mask)
			if (inst->effects & HD_FX_STORE)
				store_lane(now, lane, accesses);
			else
				load_lane(now, lane, accesses);
	} else {
		put_meaning(now);
	}
}

void hd_check_init(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
		   const struct hd_accesses *accesses)
{
	struct hd_values *values = &hd_check_warp(check, exec->warp)->values;
	struct now now = {.check = check, .exec = exec, .inst = inst, .values = values};
	hd_values_follow_stack(values, exec->warp, exec->mask);
	if (!values->any && !accesses && inst->inst.op != HD_OP_SHFL)
		return;
	if (values->any) {
		check_guard(&now);
		check_operands(&now);
	}
	if (inst->inst.op == HD_OP_SHFL)
		shuffle(&now);
	else if (inst->inst.op == HD_OP_SYSCALL)
		after_service(&now);
	else if (accesses)
		memory(&now, accesses);
	else if (hd_opinfo[inst->inst.op].space || inst->effects & HD_FX_CONVERGENT)
		put_meaning(&now);
	else if (exec->mask | guarded(&now))
		hd_values_try(values, exec, inst, guarded(&now));
}
