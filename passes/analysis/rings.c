/*
 * The rings of rings.h.
 *
 * The address names the register by its term at the begin of a turn (sums.h). What the register holds then is written
 * in two places, once before the loop and once in each turn.
 */
#include "passes/analysis/rings.h"

#include "heddle/opcodes.h"

enum { APART = 8, MOST = 1 << 16 }; /* bytes between slots: a barrier at least */

/* What a register holds when the loop's turn begins. */
struct round {
	uint32_t first; /* in the first turn */
	uint32_t slots; /* behind which it is zero again; 0: it is a counter */
};

/* By what number the odd term is multiplied; 0: by none that a stride can be. */
static uint32_t multiple_of(uint64_t term, uint64_t odd)
{
	uint64_t inverse = odd;
	for (int bits = 3; bits < 64; bits *= 2)
		inverse *= 2 - odd * inverse;
	uint64_t by = term * inverse;
	return by <= MOST ? (uint32_t)by : 0;
}

static bool is_next(const struct hd_sum *sum, uint64_t term)
{
	return sum->known && !sum->modulus && sum->term == term && sum->number == 1;
}

/* The number of slots, if the predicate says that the last one of them is reached; `wraps`: it is true then. */
static uint32_t slots_of(struct hd_writers_search *search, uint32_t inst, unsigned pred, uint64_t term, bool *wraps)
{
	struct hd_writers writers = hd_writers_find(search, inst, HD_WRITERS_PREDICATE + pred, HD_NO_NODE);
	if (!hd_writers_is_sole(&writers))
		return 0;
	const struct hd_inst *compare = &search->flow->function->insts[writers.one];
	uint32_t how = hd_mod_get(compare->mods, HD_MOD_CMP);
	bool zero = compare->xkind == HD_X_NONE && compare->b == HD_RZ;
	if (compare->op != HD_OP_ISETP || compare->guard != HD_PT || compare->srcmods || compare->linear ||
	    compare->psrc != HD_PT || (compare->xkind != HD_X_IMM_B && !zero) || hd_mod_get(compare->mods, HD_MOD_EX) ||
	    hd_mod_get(compare->mods, HD_MOD_BOOL) != HD_BOOL_AND)
		return 0;
	uint32_t edge = zero ? 0 : compare->x;
	/* The number itself is compared, or the next one. */
	struct hd_sum compared = hd_sum_of(search, writers.one, compare->a);
	if (!compared.known || compared.modulus || compared.term != term || compared.number > 1)
		return 0;
	*wraps = how == HD_CMP_EQ || how == HD_CMP_GE || how == HD_CMP_GT;
	bool behind = how == HD_CMP_GT || how == HD_CMP_LE;
	bool plain = *wraps || how == HD_CMP_NE || how == HD_CMP_LT || how == HD_CMP_LE;
	return plain && edge < MOST ? edge + behind + 1 - compared.number : 0;
}

/* The number of slots, if the instruction chooses between the next number and zero. */
static uint32_t slots_chosen(struct hd_writers_search *search, uint32_t inst, uint64_t term)
{
	const struct hd_inst *code = &search->flow->function->insts[inst];
	if (code->op != HD_OP_SEL || code->guard != HD_PT || code->srcmods || code->linear || code->mods ||
	    (code->psrc & ~HD_PRED_NOT) == HD_PT)
		return 0;
	bool wraps, zero_in_a = code->a == HD_RZ,
		    zero_in_b = code->xkind == HD_X_IMM_B ? !code->x : code->xkind == HD_X_NONE && code->b == HD_RZ;
	if (zero_in_a == zero_in_b || (zero_in_a && code->xkind != HD_X_NONE))
		return 0;
	struct hd_sum next = hd_sum_of(search, inst, zero_in_a ? code->b : code->a);
	uint32_t slots = is_next(&next, term) ? slots_of(search, inst, code->psrc & ~HD_PRED_NOT, term, &wraps) : 0;
	return slots && (wraps != !!(code->psrc & HD_PRED_NOT)) == zero_in_a ? slots : 0;
}

/* Whether each turn comes to the instruction, and once. */
static bool is_once_a_turn(const struct hd_flow *flow, uint32_t inst, uint32_t loop)
{
	uint32_t block = flow->block_of[inst], header = flow->loops.loops[loop].header;
	for (uint32_t k = flow->graph.pred_start[header]; k < flow->graph.pred_start[header + 1]; k++)
		if (hd_flow_in_loop(flow, flow->graph.pred[k], loop) &&
		    !hd_flow_precedes(flow, block, flow->graph.pred[k]))
			return false;
	return flow->loops.loop_of[block] == loop;
}

static bool round_of(struct hd_writers_search *search, unsigned reg, uint32_t loop, struct round *round)
{
	const struct hd_flow *flow = search->flow;
	uint32_t header = flow->blocks[flow->loops.loops[loop].header].first;
	struct hd_writers writers = hd_writers_find(search, header, reg, HD_NO_NODE);
	if (writers.count != 2 || writers.entry)
		return false;
	bool one = hd_flow_in_loop(flow, flow->block_of[writers.one], loop);
	uint32_t in = one ? writers.one : writers.other, before = one ? writers.other : writers.one;
	if (hd_flow_in_loop(flow, flow->block_of[before], loop) || !is_once_a_turn(flow, in, loop))
		return false;
	struct hd_sum first = hd_sum_of_result(search, before), next = hd_sum_of_result(search, in);
	uint64_t term = hd_sum_turn_term(loop, reg);
	if (!first.known || first.term || first.modulus)
		return false;
	*round = (struct round){.first = first.number};
	if (is_next(&next, term))
		return true;
	if (next.known && next.modulus && !next.term && !next.number && next.scale == 1 && next.turn_term == term &&
	    next.turn_number == 1)
		round->slots = next.modulus;
	else
		round->slots = slots_chosen(search, in, term);
	return round->slots;
}

static struct hd_ring ring_by(struct hd_writers_search *search, const struct hd_sum *address, unsigned reg,
			      uint32_t loop)
{
	uint64_t term = hd_sum_turn_term(loop, reg);
	struct hd_ring ring = {.base = address->number, .stride = address->scale};
	struct round round;
	if (address->modulus ? address->turn_term != term : !(ring.stride = multiple_of(address->term, term)))
		return (struct hd_ring){0};
	if (!round_of(search, reg, loop, &round) || !round.slots != !!address->modulus)
		return (struct hd_ring){0};
	uint32_t slots = address->modulus ? address->modulus : round.slots;
	ring.first = round.first + (address->modulus ? address->turn_number : 0);
	if (slots < 2 || ring.first >= slots || ring.stride < APART || ring.stride > MOST)
		return (struct hd_ring){0};
	ring.slots = slots;
	return ring;
}

struct hd_ring hd_ring_of(struct hd_writers_search *search, const struct hd_sum *address, uint32_t loop)
{
	struct hd_ring ring = {0};
	bool simple = address->known && (address->modulus ? !address->term : address->term);
	for (unsigned reg = 0; simple && reg < HD_RZ && !ring.slots; reg++)
		ring = ring_by(search, address, reg, loop);
	return ring;
}

bool hd_ring_is_same(const struct hd_ring *a, const struct hd_ring *b)
{
	return a->slots && a->slots == b->slots && a->base == b->base && a->stride == b->stride && a->first == b->first;
}

bool hd_rings_are_apart(const struct hd_ring *a, const struct hd_ring *b)
{
	if (!a->slots || !b->slots)
		return false;
	uint64_t a_end = a->base + (uint64_t)a->stride * a->slots, b_end = b->base + (uint64_t)b->stride * b->slots;
	return a_end <= b->base || b_end <= a->base ||
	       (a->stride == b->stride && (a->base > b->base ? a->base - b->base : b->base - a->base) % a->stride);
}

bool hd_ring_is_without(const struct hd_ring *ring, const struct hd_sum *address)
{
	if (!ring->slots || !address->known || address->term || address->modulus)
		return false;
	uint64_t from = address->number - (uint64_t)ring->base;
	return address->number < ring->base || from % ring->stride || from / ring->stride >= ring->slots;
}
