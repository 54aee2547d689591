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
#include "runtime/check/init.h"
#include "heddle/opcodes.h"
#include "lib/machine/abi.h"
#include "runtime/exec/devmem.h"

struct hd_finding hd_init_finding(const struct hd_init *now, const struct hd_origin_of *of, const char *what)
{
	return (struct hd_finding){.kind = of->kind,
				   .pc = now->exec->warp->pc,
				   .other_pc = of->pc,
				   .other = UINT32_MAX,
				   .bytes = now->inst->access_bytes,
				   .space = of->space,
				   .address = of->address,
				   .what = what};
}

static void use(const struct hd_init *now, uint32_t lanes, const struct hd_origin_of *of, const char *what)
{
	HD_FOR_LANES (lane, lanes & ~now->told)
		hd_check_found(now->check, now->exec->warp, lane, hd_init_finding(now, of, what));
}

static void use_of_lanes(const struct hd_init *now, uint8_t reg, uint32_t of_lanes, const char *what)
{
	uint32_t lanes = reg == HD_RZ ? 0 : now->values->regs[reg].lanes & now->exec->mask & of_lanes;
	if (lanes)
		use(now, lanes, &now->values->regs[reg].of, what);
}

static void use_register(const struct hd_init *now, uint8_t reg, const char *what)
{
	use_of_lanes(now, reg, HD_FULL, what);
}

/* A word that is exchanged as a whole may have a neighbour in it that nobody has written; compared once, both are one.
 */
static void exchange_register(const struct hd_init *now, uint8_t reg)
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

static void check_guard(struct hd_init *now)
{
	const struct hd_warp *warp = now->exec->warp;
	uint8_t guard = now->inst->inst.guard & 7;
	uint32_t lanes = guard == HD_PT ? 0 : now->values->preds[guard] & warp->active;
	if (!lanes || !(is_control(now->inst) || now->inst->effects & HD_FX_STORE))
		return;
	use(now, lanes, &now->values->of_pred[guard],
	    is_control(now->inst) ? "decides this branch" : "decides about this store");
	now->told = lanes;
}

static void check_texture(const struct hd_init *now)
{
	const struct hd_inst *inst = &now->inst->inst;
	uint32_t count = hd_op_coordinates(inst->op, inst->mods), gradients = inst->op == HD_OP_TXD ? 2 * count : 0;
	for (uint32_t word = 0; word < 2 && !hd_x_in_b(inst->xkind); word++)
		use_register(now, (uint8_t)hd_next_reg(inst->b, word), "is the texture of this fetch");
	for (uint32_t i = 0; i < count; i++)
		use_register(now, (uint8_t)(i < 2 ? hd_next_reg(inst->a, i) : hd_next_reg(inst->c, i - 2)),
			     "is a coordinate of this fetch");
	for (uint32_t i = 0; i < gradients; i++)
		use_register(now, (uint8_t)hd_next_reg(inst->c, i), "is a gradient of this fetch");
}

/* Who takes part, and what a barrier puts together. */
static void check_meeting(const struct hd_init *now)
{
	const struct hd_inst *inst = &now->inst->inst;
	bool has_mask = hd_mod_get(inst->mods, HD_MOD_MEMBERS) == HD_MEMBERS_MASK;
	if (inst->op == HD_OP_SHFL && has_mask)
		use_register(now, inst->c, "is the mask of this operation");
	else if (inst->op == HD_OP_WARPSYNC || (inst->op != HD_OP_SHFL && inst->op != HD_OP_BAR && has_mask))
		use_register(now, inst->b, "is the mask of this operation");
	if (inst->op != HD_OP_BAR)
		return;
	uint8_t pred = inst->psrc & 7;
	use_register(now, inst->b, "is the number of this barrier");
	use_register(now, inst->c, "is the number of threads of this barrier");
	uint32_t lanes = pred == HD_PT ? 0 : now->values->preds[pred] & now->exec->mask;
	if (lanes)
		use(now, lanes, &now->values->of_pred[pred], "goes into this barrier's result");
}

/* What a lane gives to an atomic operation that one lane makes for all, by REDUX or by shuffles: the finding is of the
 * lane that has it. Shuffles hand it on to the lane that makes the operation. From the first of them on it counts as
 * written, so that the finding is of no other lane. */
static void check_combined(const struct hd_init *now)
{
	const struct hd_inst *inst = &now->inst->inst;
	bool shuffles = inst->op == HD_OP_SHFL && inst->role == HD_ROLE_WARP_ATOMIC;
	if (!shuffles && inst->op != HD_OP_REDUX)
		return;
	use_register(now, inst->a, "goes into this atomic operation");
	if (shuffles && inst->a != HD_RZ)
		now->values->regs[inst->a].lanes &= ~now->exec->mask;
}

static void check_operands(const struct hd_init *now)
{
	const struct hd_inst *inst = &now->inst->inst;
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	bool pair = info->space == HD_AT_GLOBAL || info->space == HD_AT_GENERIC;
	if (info->space == HD_AT_TEXTURE) {
		check_texture(now);
	} else if (info->space) {
		use_of_lanes(now, inst->a, hd_op_address_lanes(inst->op, inst->mods), "is used as an address");
		if (info->effects & HD_FX_ASYNC)
			use_register(now, inst->b, "is used as an address");
		if (pair)
			use_register(now, (uint8_t)hd_next_reg(inst->a, 1), "is used as an address");
	}
	bool compares = info->effects & HD_FX_ATOMIC && hd_mod_get(inst->mods, HD_MOD_ATOMOP) == HD_ATOM_CAS;
	for (uint32_t word = 0; info->effects & HD_FX_ATOMIC && 4 * word < now->inst->access_bytes; word++) {
		if (compares) {
			exchange_register(now, (uint8_t)hd_next_reg(inst->b, word));
			exchange_register(now, (uint8_t)hd_next_reg(inst->c, word));
		} else {
			use_register(now, (uint8_t)hd_next_reg(inst->b, word), "goes into this atomic operation");
		}
	}
	check_combined(now);
	if (inst->op == HD_OP_BRX || inst->op == HD_OP_CALLI)
		use_register(now, inst->a, "decides where this goes");
	if (inst->op == HD_OP_SHFL && !hd_mod_get(inst->mods, HD_MOD_BIMM))
		use_register(now, inst->b, "is the lane of this shuffle");
	if (now->inst->meets || inst->op == HD_OP_BAR)
		check_meeting(now);
}

/* Lanes of which it means nothing whether they execute the instruction. */
static uint32_t guarded(const struct hd_init *now)
{
	uint8_t guard = now->inst->inst.guard & 7;
	return guard == HD_PT ? 0 : now->values->preds[guard] & now->exec->warp->active;
}

/* ---- memory */

struct hd_fresh *hd_init_fresh(const struct hd_init *init, const struct hd_cta *owner, unsigned space, uint64_t address,
			       uint32_t bytes, uint64_t *at)
{
	struct hd_check *check = init->check;
	struct hd_block_check *block = hd_check_block_of(check, owner);
	*at = address;
	if (space == HD_MEM_SHARED)
		return address + bytes <= block->shared_bytes ? &block->fresh : NULL;
	*at -= HD_DEVICE_BASE;
	bool inside = *at < check->fresh_bytes && bytes <= check->fresh_bytes - *at;
	return space == HD_MEM_GLOBAL && inside ? &check->fresh : NULL;
}

static struct hd_fresh *fresh_of(const struct hd_init *now, uint32_t lane, const struct hd_accesses *accesses,
				 uint64_t *at)
{
	const struct hd_cta *owner = accesses->in_cluster ? accesses->owner[lane] : now->exec->warp->cta;
	return hd_init_fresh(now, owner, accesses->space[lane], accesses->address[lane], now->inst->access_bytes, at);
}

static struct hd_origin_of origin_of(const struct hd_init *now, uint32_t lane, const struct hd_accesses *accesses)
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

static void load_lane(const struct hd_init *now, uint32_t lane, const struct hd_accesses *accesses)
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

static void atomic(const struct hd_init *now, const struct hd_accesses *accesses)
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
	hd_values_known(now->values, now->inst, now->exec->mask);
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

static void store_lane(const struct hd_init *now, uint32_t lane, const struct hd_accesses *accesses)
{
	uint32_t bytes = now->inst->access_bytes, count = bytes < 4 ? bytes : 4;
	uint64_t at;
	if (accesses->space[lane] == HD_MEM_LOCAL) {
		hd_values_store_local(now->values, lane, (uint32_t)accesses->address[lane], bytes, now->inst->inst.c);
		return;
	}
	struct hd_fresh *fresh = fresh_of(now, lane, accesses, &at);
	const struct hd_origin_of *of = NULL;
	if (!fresh)
		return;
	uint32_t all = count < 4 ? (1u << 8 * count) - 1 : HD_FULL;
	bool empty = accesses->space[lane] == HD_MEM_GLOBAL;
	for (uint32_t word = 0; word < bytes; word += 4) {
		uint32_t reg = hd_next_reg(now->inst->inst.c, word / 4);
		const struct hd_value_row *row = reg == HD_RZ ? NULL : &now->values->regs[reg];
		uint32_t bits = row && row->lanes >> lane & 1 ? row->bits[lane] : 0;
		bits &= all;
		if (bits && is_made(row, lane, count, (uint32_t)accesses->address[lane] + word)) {
			use(now, 1u << lane, &row->of, "is stored here");
			bits = 0; /* told once */
		}
		empty &= bits == all;
		of = bits && !of ? &row->of : of;
		if (bits || hd_fresh_any(fresh, at + word, count))
			hd_fresh_put(fresh, at + word, count, bits);
	}
	if (empty)
		hd_handed_store(now, lane, at, of);
}

/* Words take over what is known of those that they come from. */
static void copy(const struct hd_init *now, const struct hd_accesses *accesses)
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
static void after_service(const struct hd_init *now)
{
	for (uint32_t reg = 0; reg < HD_ABI_FIRST_ARG + HD_ABI_ARG_COUNT; reg++)
		now->values->regs[reg].lanes &= ~now->exec->mask;
}

static void memory(const struct hd_init *now, const struct hd_accesses *accesses)
{
	const struct hd_dinst *inst = now->inst;
	if (inst->effects & HD_FX_ASYNC) {
		copy(now, accesses);
	} else if (inst->effects & HD_FX_ATOMIC) {
		atomic(now, accesses);
	} else if (inst->inst.op == HD_OP_LDSM) {
		hd_init_load_matrix(now, accesses);
	} else {
		HD_FOR_LANES (lane, now->exec->mask)
			if (inst->effects & HD_FX_STORE)
				store_lane(now, lane, accesses);
			else
				load_lane(now, lane, accesses);
	}
}

/* Lanes of which it means nothing whether they have loaded something. */
static void put_maybe(const struct hd_init *now, uint32_t lanes)
{
	const struct hd_origin_of *of = &now->values->of_pred[now->inst->inst.guard & 7];
	HD_FOR_HAZARD_REGS(reg, &now->inst->writes)
	HD_FOR_LANES (lane, lanes)
		hd_value_made(&now->values->regs[reg], lane, HD_FULL, of);
}

void hd_check_init(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
		   const struct hd_accesses *accesses)
{
	struct hd_values *values = &hd_check_warp(check, exec->warp)->values;
	struct hd_init now = {.check = check, .exec = exec, .inst = inst, .values = values};
	hd_values_follow_stack(values, exec->warp, exec->mask);
	bool fetches = hd_opinfo[inst->inst.op].space == HD_AT_TEXTURE;
	if (!values->any && !accesses && inst->inst.op != HD_OP_SHFL && !fetches)
		return;
	if (values->any) {
		check_guard(&now);
		check_operands(&now);
	}
	uint32_t maybe = values->any ? guarded(&now) : 0;
	if (inst->inst.op == HD_OP_SYSCALL)
		after_service(&now);
	else if (accesses)
		memory(&now, accesses);
	else if (fetches)
		hd_init_texture(&now);
	else if (hd_opinfo[inst->inst.op].space || (inst->effects & HD_FX_CONVERGENT && !hd_init_lanes(&now)))
		hd_values_known(values, inst, exec->mask);
	else if (!(inst->effects & HD_FX_CONVERGENT) && exec->mask | maybe)
		hd_values_try(values, exec, inst, maybe);
	if (maybe && (hd_opinfo[inst->inst.op].space || inst->effects & HD_FX_CONVERGENT))
		put_maybe(&now, maybe);
}
