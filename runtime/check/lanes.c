/*
 * --check=init: what lanes of a warp tell each other (shuffles, votes, matches), matrices that all of them hold
 * together (tensor cores and what loads and transposes fragments), and uniform registers.
 *
 * Which bits of a product depend on bits that mean nothing is tried out, as of other instructions (values.c): a zero
 * beside them hides them in integers, and not in floating point. What moves elements of matrices hands on what is known
 * of them. What lanes of several paths find out together is worked out when the last of them comes (meet.c).
 *
 * Cost: O(lanes), of a match O(lanes * lanes).
 */
#include "heddle/opcodes.h"
#include "runtime/check/init.h"

/* Lanes that do one operation together, each with its own instruction for it; and what comes out. */
struct party {
	struct hd_values *values;
	const struct hd_warp *warp;
	const struct hd_inst *inst[HD_WARP_LANES];
	uint32_t lanes;
	bool in_parts; /* by their masks; else all together */
	struct hd_value_row row;
	uint32_t open; /* lanes of which the predicate means nothing */
	struct hd_origin_of of;
};

static bool names_mask(const struct hd_inst *inst)
{
	return hd_mod_get(inst->mods, HD_MOD_MEMBERS) == HD_MEMBERS_MASK;
}

/* Those that take part with the lane. */
static uint32_t members_of(const struct party *party, uint32_t lane)
{
	const struct hd_inst *inst = party->inst[lane];
	bool some = party->in_parts && names_mask(inst);
	return party->lanes & (some ? hd_meeting_mask(party->warp, inst, lane) : HD_FULL);
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

static void shuffle(struct party *party)
{
	const struct hd_origin_of absent = {.pc = party->warp->pc, .kind = HD_FOUND_SHUFFLE};
	HD_FOR_LANES (lane, party->lanes) {
		bool inside;
		uint32_t from = hd_exec_shuffle_source(party->warp, party->inst[lane], lane, &inside);
		if (!(party->lanes >> from & 1))
			hd_value_made(&party->row, lane, HD_FULL, &absent);
		else if (party->inst[from]->a != HD_RZ)
			hd_value_copy_lane(&party->row, lane, &party->values->regs[party->inst[from]->a], from);
	}
}

/* A vote is decided by those that mean something, or it is not. */
static void vote(struct party *party)
{
	uint32_t unknown = 0, values = 0;
	HD_FOR_LANES (lane, party->lanes) {
		uint8_t pred = party->inst[lane]->psrc & 7;
		bool means_nothing = pred != HD_PT && party->values->preds[pred] >> lane & 1;
		if (means_nothing && !unknown)
			party->of = party->values->of_pred[pred];
		unknown |= (uint32_t)means_nothing << lane;
		values |= hd_pred(party->warp, party->inst[lane]->psrc) & 1u << lane;
	}
	HD_FOR_LANES (lane, unknown ? party->lanes : 0) {
		uint32_t members = members_of(party, lane), bits = unknown & members;
		uint32_t mode = hd_mod_get(party->inst[lane]->mods, HD_MOD_VOTEMODE);
		bool yes = members & ~unknown & values, no = members & ~unknown & ~values;
		bool decided = mode == HD_VOTE_ALL ? no : mode == HD_VOTE_ANY ? yes : yes && no;
		if (bits)
			hd_value_made(&party->row, lane, bits, &party->of);
		party->open |= (uint32_t)(bits && !decided) << lane;
	}
}

/* Of what a lane brings to a match. */
static uint64_t unknown_value(struct party *party, uint32_t lane)
{
	const struct hd_inst *inst = party->inst[lane];
	uint64_t bits = 0;
	for (uint32_t word = 0; word < hd_op_width(HD_OP_MATCH, inst->mods, HD_SLOT_A) && inst->a != HD_RZ; word++) {
		const struct hd_value_row *row = &party->values->regs[inst->a + word];
		if (!(row->lanes >> lane & 1))
			continue;
		bits |= (uint64_t)row->bits[lane] << 32 * word;
		party->of = row->of;
	}
	return bits;
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
static void match(struct party *party)
{
	uint64_t values[HD_WARP_LANES], unknown[HD_WARP_LANES];
	uint32_t with_unknown = 0, differ[HD_WARP_LANES];
	HD_FOR_LANES (lane, party->lanes) {
		values[lane] = hd_exec_match_value(party->warp, party->inst[lane], lane);
		unknown[lane] = unknown_value(party, lane);
		with_unknown |= (uint32_t)(unknown[lane] != 0) << lane;
	}
	HD_FOR_LANES (lane, with_unknown ? party->lanes : 0)
		differ[lane] = unlike(lane, party->lanes, values, unknown);
	HD_FOR_LANES (lane, with_unknown ? party->lanes : 0) {
		uint32_t members = members_of(party, lane), self = 1u << lane;
		uint32_t bits = (with_unknown & self ? members : with_unknown & members) & ~differ[lane] & ~self;
		bool any_mode = hd_mod_get(party->inst[lane]->mods, HD_MOD_VOTEMODE) == HD_VOTE_ANY, decided = false;
		HD_FOR_LANES (other, members)
			decided |= differ[other] & members;
		if (!any_mode)
			bits = bits && !decided ? members : 0;
		if (bits)
			hd_value_made(&party->row, lane, bits, &party->of);
		party->open |= bits && !any_mode ? self : 0;
	}
}

static void find_out(struct party *party, unsigned op)
{
	switch (op) {
	case HD_OP_SHFL: shuffle(party); break;
	case HD_OP_VOTE: vote(party); break;
	default: match(party); break;
	}
}

void hd_check_met(struct hd_check *check, const struct hd_warp *warp, const struct hd_inst *const *inst, uint32_t lanes)
{
	uint32_t op = inst[__builtin_ctz(lanes)]->op;
	if (op == HD_OP_WARPSYNC) /* each path executes its own afterwards, which orders the lanes of that path alone */
		hd_clocks_warpsync(&hd_check_block_of(check, warp->cta)->clocks, warp->index, lanes);
	if (!(check->kinds & HD_CHECK_INIT))
		return;
	struct hd_values *values = &hd_check_warp(check, warp)->values;
	struct party party = {.values = values, .warp = warp, .lanes = lanes};
	memcpy(party.inst, inst, sizeof(party.inst));
	if (op != HD_OP_WARPSYNC && (values->any || op == HD_OP_SHFL))
		find_out(&party, op);
	hd_value_copy(&values->answers, &party.row, lanes);
	values->answered = (values->answered & ~lanes) | party.open;
	if (party.open)
		values->of_answered = party.of;
}

/* What comes out of one for the lanes here; those that met others elsewhere have it already. */
static void meet(const struct hd_init *init)
{
	const struct hd_exec *exec = init->exec;
	const struct hd_inst *inst = &init->inst->inst;
	struct hd_values *values = init->values;
	if (exec->mask & exec->warp->met) {
		put_row(init, inst->dst, &values->answers);
		put_predicate(init, inst->pdst, values->answered & exec->mask, &values->of_answered);
		return;
	}
	struct party party = {.values = values, .warp = exec->warp, .lanes = exec->mask, .in_parts = true};
	HD_FOR_LANES (lane, exec->mask)
		party.inst[lane] = inst;
	find_out(&party, inst->op);
	put_row(init, inst->dst, &party.row);
	put_predicate(init, inst->pdst, party.open, &party.of);
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
	const struct hd_fresh *fresh =
		hd_init_fresh(init, init->exec->warp->cta, HD_MEM_SHARED, accesses->address[lane] + 2 * column, 2, &at);
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
	case HD_OP_SHFL:
	case HD_OP_VOTE:
	case HD_OP_MATCH: meet(init); return true;
	case HD_OP_REDUX: put_row(init, inst->dst, &(struct hd_value_row){0}); return true; /* check_combined() */
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
