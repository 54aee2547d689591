/*
 * --check=init: what lanes of a warp tell each other (shuffles, votes, matches), matrices that all of them hold
 * together (tensor cores and what loads and transposes fragments), and uniform registers.
 *
 * Which bits of a product depend on bits that mean nothing is tried out, as of other instructions (values.c): a zero
 * beside them hides them in integers, and not in floating point. What moves elements of matrices hands on what is known
 * of them. What comes from a lane of another path is not followed.
 *
 * Cost: O(lanes), of a match O(lanes * lanes).
 */
#include "heddle/opcodes.h"
#include "runtime/check/init.h"

static bool names_mask(const struct hd_inst *inst)
{
	return hd_mod_get(inst->mods, HD_MOD_MEMBERS) == HD_MEMBERS_MASK;
}

/* Those of this path that take part with the lane. */
static uint32_t members_of(const struct hd_init *init, uint32_t lane)
{
	const struct hd_inst *inst = &init->inst->inst;
	return init->exec->mask & (names_mask(inst) ? hd_meeting_mask(init->exec->warp, inst, lane) : HD_FULL);
}

static void put_row(const struct hd_init *init, uint8_t reg, const struct hd_value_row *row)
{
	if (reg != HD_RZ)
		hd_value_copy(&init->values->regs[reg], row, init->exec->mask);
	init->values->any |= row->lanes != 0;
}

static void put_predicate(const struct hd_init *init, uint8_t pred, uint32_t lanes, const struct hd_origin_of *of)
{
	if (pred == HD_PT)
		return;
	init->values->preds[pred] = (init->values->preds[pred] & ~init->exec->mask) | lanes;
	if (lanes)
		init->values->of_pred[pred] = *of;
}

/* ---- shuffles, votes, matches */

static void shuffle(const struct hd_init *init)
{
	const struct hd_exec *exec = init->exec;
	const struct hd_inst *inst = &init->inst->inst;
	struct hd_value_row row = {0};
	const struct hd_value_row *source = inst->a == HD_RZ ? NULL : &init->values->regs[inst->a];
	const struct hd_origin_of absent = {.pc = exec->warp->pc, .kind = HD_FOUND_SHUFFLE};
	HD_FOR_LANES (lane, exec->mask) {
		bool inside;
		uint32_t from = hd_exec_shuffle_source(exec->warp, inst, lane, &inside);
		uint32_t elsewhere = exec->warp->met >> lane & 1 ? hd_meeting_mask(exec->warp, inst, lane) : 0;
		if (exec->mask >> from & 1 && source)
			hd_value_copy_lane(&row, lane, source, from);
		else if (!((exec->mask | elsewhere) >> from & 1))
			hd_value_made(&row, lane, HD_FULL, &absent);
	}
	put_row(init, inst->dst, &row);
	put_predicate(init, inst->pdst, 0, NULL);
}

/* A vote is decided by those that mean something, or it is not. */
static void vote(const struct hd_init *init)
{
	const struct hd_exec *exec = init->exec;
	const struct hd_inst *inst = &init->inst->inst;
	uint8_t pred = inst->psrc & 7;
	uint32_t unknown = pred == HD_PT ? 0 : init->values->preds[pred] & exec->mask, open = 0;
	uint32_t values = hd_pred(exec->warp, inst->psrc), mode = hd_mod_get(inst->mods, HD_MOD_VOTEMODE);
	const struct hd_origin_of *of = &init->values->of_pred[pred];
	struct hd_value_row row = {0};
	HD_FOR_LANES (lane, unknown ? exec->mask : 0) {
		uint32_t members = members_of(init, lane), bits = unknown & members;
		bool yes = members & ~unknown & values, no = members & ~unknown & ~values;
		bool decided = mode == HD_VOTE_ALL ? no : mode == HD_VOTE_ANY ? yes : yes && no;
		if (bits)
			hd_value_made(&row, lane, bits, of);
		if (bits && !decided && !(exec->warp->met >> lane & 1))
			open |= 1u << lane;
	}
	put_row(init, inst->dst, &row);
	put_predicate(init, inst->pdst, open, of);
}

static uint64_t unknown_value(const struct hd_init *init, uint32_t lane)
{
	const struct hd_inst *inst = &init->inst->inst;
	uint64_t bits = 0;
	for (uint32_t word = 0; word < hd_op_width(HD_OP_MATCH, inst->mods, HD_SLOT_A) && inst->a != HD_RZ; word++) {
		const struct hd_value_row *row = &init->values->regs[inst->a + word];
		if (row->lanes >> lane & 1)
			bits |= (uint64_t)row->bits[lane] << 32 * word;
	}
	return bits;
}

static const struct hd_origin_of *origin_of_match(const struct hd_init *init)
{
	const struct hd_value_row *row = &init->values->regs[init->inst->inst.a];
	return row->lanes & init->exec->mask ? &row->of : &row[1].of;
}

/* Lanes of which it is known that they have something else. */
static uint32_t unlike(uint32_t lane, uint32_t lanes, const uint64_t *values, const uint64_t *unknown)
{
	uint32_t found = 0;
	HD_FOR_LANES (other, lanes)
		if ((values[lane] ^ values[other]) & ~(unknown[lane] | unknown[other]))
			found |= 1u << other;
	return found;
}

/* Two lanes may have the same or not, where bits that mean nothing decide. */
static void match(const struct hd_init *init)
{
	const struct hd_exec *exec = init->exec;
	const struct hd_inst *inst = &init->inst->inst;
	bool any_mode = hd_mod_get(inst->mods, HD_MOD_VOTEMODE) == HD_VOTE_ANY;
	uint64_t values[HD_WARP_LANES], unknown[HD_WARP_LANES];
	struct hd_value_row row = {0};
	uint32_t with_unknown = 0, open = 0, differ[HD_WARP_LANES];
	HD_FOR_LANES (lane, exec->mask) {
		values[lane] = hd_exec_match_value(exec->warp, inst, lane);
		unknown[lane] = unknown_value(init, lane);
		with_unknown |= (uint32_t)(unknown[lane] != 0) << lane;
	}
	HD_FOR_LANES (lane, with_unknown ? exec->mask : 0)
		differ[lane] = unlike(lane, exec->mask, values, unknown);
	HD_FOR_LANES (lane, with_unknown ? exec->mask : 0) {
		uint32_t members = members_of(init, lane), self = 1u << lane;
		uint32_t bits = (with_unknown & self ? members : with_unknown & members) & ~differ[lane] & ~self;
		bool decided = false;
		HD_FOR_LANES (other, members)
			decided |= differ[other] & members;
		if (!any_mode)
			bits = bits && !decided ? members : 0;
		if (bits)
			hd_value_made(&row, lane, bits, origin_of_match(init));
		open |= bits && !any_mode ? self : 0;
	}
	put_row(init, inst->dst, &row);
	put_predicate(init, inst->pdst, open, open ? origin_of_match(init) : NULL);
}

/* ---- uniform registers */

static void to_uniform(const struct hd_init *init)
{
	const struct hd_inst *inst = &init->inst->inst;
	struct hd_value_row *to = &init->values->uniform[inst->dst];
	const struct hd_value_row *from = NULL;
	uint32_t lane = 0;
	if (inst->op == HD_OP_R2UR && inst->b != HD_RZ)
		from = &init->values->regs[inst->b];
	else if (hd_x_is_uniform(inst->xkind))
		from = &init->values->uniform[inst->x];
	if (!from || !(from->lanes & init->exec->mask)) {
		to->lanes = 0;
		return;
	}
	lane = (uint32_t)__builtin_ctz(from->lanes & init->exec->mask);
	const struct hd_value_row row = *from;
	HD_FOR_LANES (other, HD_FULL)
		hd_value_copy_lane(to, other, &row, lane);
	to->of = row.of;
}

/* ---- matrices */

/* Of a word of two halves what is known of each, which come from different places. */
static void join_halves(struct hd_value_row *to, uint32_t lane, const struct hd_value_row *from, uint32_t low,
			uint32_t high, uint32_t shift)
{
	bool low_is = from->lanes >> low & 1 && from->bits[low] >> shift & 0xffff;
	bool high_is = from->lanes >> high & 1 && from->bits[high] >> shift & 0xffff;
	uint32_t bits =
		(low_is ? from->bits[low] >> shift & 0xffff : 0) | (high_is ? from->bits[high] >> shift << 16 : 0);
	if (!bits)
		return;
	hd_value_copy_lane(to, lane, from, low_is ? low : high);
	to->bits[lane] = bits;
	if ((low_is && from->how.altered >> low & 1) || (high_is && from->how.altered >> high & 1))
		to->how.altered |= 1u << lane;
}

/* A matrix of 8 by 8 halves; lane 4 r + j has elements 2 j and 2 j + 1 of row r. */
static void transpose(const struct hd_init *init)
{
	const struct hd_inst *inst = &init->inst->inst;
	struct hd_value_row row = {0};
	for (uint32_t lane = 0; lane < HD_WARP_LANES && inst->a != HD_RZ; lane++) {
		uint32_t line = lane / 4, column = lane % 4 * 2;
		join_halves(&row, lane, &init->values->regs[inst->a], 4 * column + line / 2,
			    4 * (column + 1) + line / 2, line % 2 * 16);
	}
	put_row(init, inst->dst, &row);
}

/* What nobody has written of the half in a row of a matrix. */
static uint32_t unwritten_half(const struct hd_init *init, const struct hd_accesses *accesses, uint32_t lane,
			       uint32_t column, uint32_t *address)
{
	uint64_t at;
	const struct hd_fresh *fresh = hd_init_fresh(init, HD_MEM_SHARED, accesses->address[lane] + 2 * column, 2, &at);
	*address = (uint32_t)at;
	return fresh ? hd_fresh_mask(fresh, at, 2) : 0;
}

void hd_init_load_matrix(const struct hd_init *init, const struct hd_accesses *accesses)
{
	const struct hd_inst *inst = &init->inst->inst;
	uint32_t count = (uint32_t)__builtin_popcount(hd_op_address_lanes(inst->op, inst->mods)) / 8;
	bool transposed = hd_mod_get(inst->mods, HD_MOD_TRANS);
	if (init->exec->mask != HD_FULL) /* it faults */
		return;
	for (uint32_t matrix = 0; matrix < count; matrix++) {
		struct hd_value_row row = {0};
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++) {
			uint32_t line = lane / 4, column = lane % 4 * 2, at[2], halves[2];
			for (uint32_t i = 0; i < 2; i++)
				halves[i] =
					unwritten_half(init, accesses, 8 * matrix + (transposed ? column + i : line),
						       transposed ? line : column + i, &at[i]);
			const struct hd_origin_of of = {.pc = init->exec->warp->pc,
							.kind = HD_FOUND_UNWRITTEN,
							.space = HD_MEM_SHARED,
							.address = at[!halves[0]]};
			hd_value_read(&row, lane, halves[0] | halves[1] << 16, 4, at[0], &of);
		}
		put_row(init, (uint8_t)hd_next_reg(inst->dst, matrix), &row);
	}
}

static bool multiplies(unsigned op)
{
	return hd_opinfo[op].pipe == HD_PIPE_TENSOR;
}

bool hd_init_lanes(const struct hd_init *init)
{
	const struct hd_inst *inst = &init->inst->inst;
	switch (init->exec->mask ? inst->op : HD_OP_NOP) {
	case HD_OP_SHFL: shuffle(init); return true;
	case HD_OP_VOTE: vote(init); return true;
	case HD_OP_MATCH: match(init); return true;
	case HD_OP_R2UR:
	case HD_OP_UMOV: to_uniform(init); return true;
	case HD_OP_MOVM: transpose(init); return true;
	default: break;
	}
	if (!multiplies(inst->op) || init->exec->mask != HD_FULL)
		return false;
	hd_values_try(init->values, init->exec, init->inst, 0);
	return true;
}
