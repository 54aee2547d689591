/*
 * The branches and counters of turns.h.
 */
#include "passes/analysis/turns.h"

#include "heddle/opcodes.h"
#include "passes/analysis/sums.h"

enum {
	DEPTH = 12, /* instructions behind each other, followed from a branch or counter */
	FEW = 64    /* turns */
};

/* The variable that grows by a constant each turn, if the register is that with a small constant added; else 0. */
static uint64_t counter_of(struct hd_turns *turns, uint32_t inst, unsigned reg, uint32_t loop)
{
	const struct hd_flow *flow = turns->search->flow;
	uint64_t sum = 0;
	uint32_t added = 0;
	for (unsigned hops = 0; hops < DEPTH && reg != HD_RZ; hops++) {
		struct hd_writers writers = hd_writers_find(turns->search, inst, reg, HD_NO_NODE);
		uint32_t in = writers.one;
		if (writers.entry || writers.count > 2 || !writers.count)
			return 0;
		if (writers.count == 2) {
			if (sum)
				return sum == writers.sum ? sum : 0;
			sum = writers.sum;
			bool one = hd_flow_in_loop(flow, flow->block_of[writers.one], loop);
			if (one == hd_flow_in_loop(flow, flow->block_of[writers.other], loop))
				return 0;
			in = one ? writers.one : writers.other;
		}
		const struct hd_inst *code = &flow->function->insts[in];
		if (code->guard != HD_PT || code->srcmods || code->linear || code->mods)
			return 0;
		if (code->op == HD_OP_MOV && code->xkind == HD_X_NONE && writers.count == 1)
			reg = code->b;
		else if (code->op == HD_OP_IADD3 && code->xkind == HD_X_IMM_B && code->c == HD_RZ &&
			 code->x <= FEW - added)
			reg = code->a, added += code->x;
		else
			return 0;
		inst = in;
	}
	return 0;
}

static bool is_thread_number(struct hd_turns *turns, uint32_t inst, unsigned reg)
{
	for (unsigned hops = 0; hops < DEPTH && reg != HD_RZ; hops++) {
		struct hd_writers writers = hd_writers_find(turns->search, inst, reg, HD_NO_NODE);
		if (!hd_writers_is_sole(&writers))
			return false;
		const struct hd_inst *code = &turns->search->flow->function->insts[writers.one];
		uint32_t which = hd_mod_get(code->mods, HD_MOD_SR);
		if (code->op == HD_OP_S2R)
			return which == HD_SR_LANEID || which == HD_SR_TID_X || which == HD_SR_TID_Y ||
			       which == HD_SR_TID_Z;
		bool bits = code->op == HD_OP_LOP3 && hd_mod_get(code->mods, HD_MOD_LUT) == 0xc0 && code->c == HD_RZ;
		if ((!bits && code->op != HD_OP_SHR) || code->xkind != HD_X_IMM_B || code->srcmods)
			return false;
		inst = writers.one;
		reg = code->a;
	}
	return false;
}

/* The comparison behind a branch; NULL: it is none of integers. */
static const struct hd_inst *comparison(struct hd_turns *turns, uint32_t inst, unsigned pred, uint32_t *at)
{
	struct hd_writers writers = hd_writers_find(turns->search, inst, HD_WRITERS_PREDICATE + pred, HD_NO_NODE);
	if (!hd_writers_is_sole(&writers))
		return NULL;
	const struct hd_inst *code = &turns->search->flow->function->insts[ *at = writers.one];
	bool plain = code->op == HD_OP_ISETP && code->guard == HD_PT && !code->srcmods && !code->linear &&
		     !hd_mod_get(code->mods, HD_MOD_EX) && hd_mod_get(code->mods, HD_MOD_BOOL) == HD_BOOL_AND;
	return plain ? code : NULL;
}

/* Whether a comparison that comes out so says that a counter is less than a bound, or is not yet equal to it. */
static bool says_less(const struct hd_inst *compare, bool truth, bool *unequal)
{
	uint32_t how = hd_mod_get(compare->mods, HD_MOD_CMP);
	*unequal = how == (truth ? HD_CMP_NE : HD_CMP_EQ);
	return truth ? how == HD_CMP_LT || how == HD_CMP_LE : how == HD_CMP_GE || how == HD_CMP_GT;
}

/* Whether the loop's turns all come through the block: its first one, or the only one from which the next turn begins.
 */
static bool is_in_each_turn(const struct hd_flow *flow, uint32_t block, uint32_t loop)
{
	uint32_t header = flow->loops.loops[loop].header, others = 0;
	for (uint32_t k = flow->graph.pred_start[header]; k < flow->graph.pred_start[header + 1]; k++)
		others += hd_flow_in_loop(flow, flow->graph.pred[k], loop) && flow->graph.pred[k] != block;
	return block == header || !others;
}

static uint32_t exits_of(const struct hd_flow *flow, uint32_t block, uint32_t loop)
{
	uint32_t exits = 0;
	for (uint32_t k = flow->graph.succ_start[block]; k < flow->graph.succ_start[block + 1]; k++)
		exits += !hd_flow_in_loop(flow, flow->graph.succ[k], loop);
	return exits;
}

/* Whether the branch, which leaves the loop, keeps it going while the counter of the comparison `exit` is less than the
 * bound. A loop that goes on while they differ does so too, where it has no other exit and its counter does not wrap
 * around: otherwise it would not end. */
static bool goes_on_below(const struct hd_flow *flow, const struct hd_inst *branch, const struct hd_inst *exit,
			  const struct hd_inst *compare, uint32_t block, uint32_t loop)
{
	const struct hd_loop *nodes = &flow->loops.loops[loop];
	bool unequal, taken = hd_flow_in_loop(flow, flow->block_of[branch->x], loop);
	uint32_t exits = 0;
	for (uint32_t n = 0; n < nodes->node_count; n++)
		exits += exits_of(flow, nodes->nodes[n], loop);
	bool less = says_less(exit, taken == !(branch->guard & HD_PRED_NOT), &unequal);
	return exit->psrc == HD_PT && is_in_each_turn(flow, block, loop) &&
	       ((unequal && exits == 1) ||
		(less && hd_mod_get(exit->mods, HD_MOD_SIGN) == hd_mod_get(compare->mods, HD_MOD_SIGN)));
}

/* Whether the loop goes on while the same counter is below the same bound, and ends then. */
static bool is_bound(struct hd_turns *turns, const struct hd_inst *compare, uint32_t at, uint32_t loop)
{
	uint64_t counter = counter_of(turns, at, compare->a, loop);
	const struct hd_flow *flow = turns->search->flow;
	const struct hd_loop *nodes = &flow->loops.loops[loop];
	for (uint32_t n = 0; counter && n < nodes->node_count; n++) {
		uint32_t block = nodes->nodes[n], last = hd_flow_last(flow, block), other;
		const struct hd_inst *branch = &flow->function->insts[last];
		if (!exits_of(flow, block, loop) || branch->op != HD_OP_BRA || branch->guard == HD_PT)
			continue;
		const struct hd_inst *exit = comparison(turns, last, branch->guard & ~HD_PRED_NOT, &other);
		if (!exit || exit->xkind != compare->xkind || counter_of(turns, other, exit->a, loop) != counter ||
		    !goes_on_below(flow, branch, exit, compare, block, loop))
			continue;
		if (exit->xkind == HD_X_CONST_B && exit->x == compare->x && exit->b == compare->b)
			return true;
		if (exit->xkind != HD_X_NONE)
			continue;
		struct hd_sum a = hd_sum_of(turns->search, other, exit->b),
			      b = hd_sum_of(turns->search, at, compare->b);
		if (a.once && hd_sum_is_same(&a, &b))
			return true;
	}
	return false;
}

static bool holds(struct hd_turns *turns, uint32_t inst, unsigned pred, bool truth, uint32_t loop, unsigned depth)
{
	uint32_t at;
	if (pred == HD_PT)
		return truth;
	const struct hd_inst *code = comparison(turns, inst, pred, &at);
	if (!code || !depth)
		return false;
	unsigned input = code->psrc & ~HD_PRED_NOT;
	if (code->psrc != HD_PT && (!truth || !holds(turns, at, input, !(code->psrc & HD_PRED_NOT), loop, depth - 1)))
		return false;
	if ((code->xkind == HD_X_IMM_B || (code->xkind == HD_X_NONE && code->b == HD_RZ)) &&
	    is_thread_number(turns, at, code->a))
		return true;
	bool unequal, less = says_less(code, truth, &unequal);
	return (less || unequal) && is_bound(turns, code, at, loop);
}

bool hd_turns_hold(struct hd_turns *turns, uint32_t inst, unsigned pred, bool truth, uint32_t loop)
{
	return holds(turns, inst, pred, truth, loop, DEPTH);
}

bool hd_turns_come_to(struct hd_turns *turns, uint32_t block, uint32_t loop)
{
	const struct hd_flow *flow = turns->search->flow;
	const struct hd_graph *graph = &flow->graph;
	for (uint32_t at = block; at != flow->loops.loops[loop].header;) {
		uint32_t to = at, up = flow->idom[at];
		if (up == HD_NO_NODE || up == at)
			return false;
		at = up;
		if (hd_dominates(turns->ends, turns->end_depth, to, up))
			continue;
		uint32_t last = hd_flow_last(flow, up);
		const struct hd_inst *branch = &flow->function->insts[last];
		if (graph->pred_start[to + 1] - graph->pred_start[to] != 1 || branch->op != HD_OP_BRA)
			return false;
		bool taken = flow->block_of[branch->x] == to;
		if (!exits_of(flow, up, loop) && !hd_turns_hold(turns, last, branch->guard & ~HD_PRED_NOT,
								taken == !(branch->guard & HD_PRED_NOT), loop))
			return false;
	}
	return true;
}
