/*
 * Copies in bulk under way while their warps work (copies.h).
 *
 * Two counts of barriers that were told to expect bytes and were not waited for since, from the function's start to
 * each instruction: at least and at most. At least: along the paths of a thread that starts copies, as long as there
 * are more. Where a branch inside a loop passes a start by (`if (threadIdx.x == 0 && next < n)`), the path with the
 * start counts. Each wait that may be for a copy takes one away, and a second start that may tell the same barrier of
 * the same phase counts as none. At most: along all paths, and a wait takes one away where a start has the same
 * address. A loop that only repeats a wait until it succeeds is one wait.
 *
 * A wait is ahead where work follows it with at least one under way, and serial where all work does with at most none.
 *
 * Warps with roles: a loop that starts copies and waits for barriers of which the code never expects bytes, at
 * addresses that provably differ, waits for room. It runs ahead of those who read, if the barrier that it tells of
 * bytes is another one in the next turn: if its address depends on a register that the loop changes.
 *
 * Addresses are compared as a term of registers, and a number. A register stands for the instructions that may have
 * written what it holds, so that two terms are compared within a turn of a loop.
 */
#include "passes/analysis/copies.h"

#include "heddle/mbarrier.h"
#include "heddle/opcodes.h"
#include "lib/bitset.h"

enum {
	MOST = 64,   /* counts beyond are as this */
	NEVER = 255, /* at least: not reached */
	DEPTH = 16   /* of an address's term */
};
enum step { NOTHING, START, WAIT, WORK, CALL };

/* term 0: the number alone. */
struct address {
	bool known;
	uint64_t term;
	uint32_t number;
};

struct site {
	uint32_t inst;
	struct address address;
	bool counts; /* of a start: tells a barrier that no other start may have told in the same phase */
	bool alike;  /* of a wait: a start has its address */
	bool other;  /* of a wait: all starts have other addresses */
};

struct copies {
	const struct hd_flow *flow;
	struct hd_arena arena;
	uint8_t *steps;	 /* by instruction, enum step */
	uint32_t *sites; /* by instruction, of starts and waits */
	struct site *starts, *waits;
	uint32_t start_count, wait_count;
	struct hd_bitset again;	 /* edges that repeat a wait */
	struct hd_bitset passes; /* edges that pass a start by */
	uint8_t *least, *most;	 /* by block, at its begin */
	uint32_t *queue;
	struct hd_bitset seen;
};

/* ---------------------------------------------------------------- addresses */

/* The instructions that may have written what a register holds. */
struct writers {
	uint32_t count, first; /* first: some one */
	uint64_t sum;	       /* the same for the same ones */
	bool entry;	       /* or the function's caller has */
	bool inside;	       /* some are in `loop` */
};

static uint64_t mixed(uint64_t a, uint64_t b)
{
	a = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xbf58476d1ce4e5b9);
	return (a ^ a >> 29) | 1;
}

static bool look_in(struct copies *copies, struct writers *writers, uint32_t block, uint32_t end, unsigned reg,
		    uint32_t loop)
{
	const struct hd_flow *flow = copies->flow;
	for (uint32_t inst = end; inst-- > flow->blocks[block].first;) {
		struct hd_flow_effects effects;
		hd_flow_effects(flow, inst, &effects);
		if (!hd_regset_has(&effects.writes, reg))
			continue;
		writers->count++;
		writers->first = inst;
		writers->sum += mixed(inst, reg);
		writers->inside |= loop != HD_NO_NODE && hd_flow_in_loop(flow, block, loop);
		if (hd_regset_has(&effects.kills, reg))
			return true;
	}
	return false;
}

static struct writers find_writers(struct copies *copies, uint32_t inst, unsigned reg, uint32_t loop)
{
	const struct hd_graph *graph = &copies->flow->graph;
	struct writers writers = {0};
	uint32_t block = copies->flow->block_of[inst], queued = 0;
	hd_bitset_clear(&copies->seen);
	bool done = look_in(copies, &writers, block, inst, reg, loop);
	for (uint32_t i = 0;; block = copies->queue[i++]) {
		if (i)
			done = look_in(copies, &writers, block, hd_flow_last(copies->flow, block) + 1, reg, loop);
		writers.entry |= !done && block == 0;
		for (uint32_t k = graph->pred_start[block]; !done && k < graph->pred_start[block + 1]; k++)
			if (!hd_bitset_has(&copies->seen, graph->pred[k])) {
				hd_bitset_add(&copies->seen, graph->pred[k]);
				copies->queue[queued++] = graph->pred[k];
			}
		if (i == queued)
			break;
	}
	return writers;
}

static struct address term_of(uint64_t term)
{
	return (struct address){true, term | 1, 0};
}

static struct address number_of(uint32_t number)
{
	return (struct address){true, 0, number};
}

static struct address scaled(struct address address, uint32_t by)
{
	return (struct address){address.known, address.term * by, address.number * by};
}

static struct address sum_of(struct address a, struct address b)
{
	return (struct address){a.known && b.known, a.term + b.term, a.number + b.number};
}

static struct address value_of(struct copies *copies, uint32_t inst, unsigned reg, unsigned depth);

/* The operand in b, or in c. */
static struct address operand_of(struct copies *copies, uint32_t inst, bool in_c, unsigned depth)
{
	const struct hd_inst *code = &copies->flow->function->insts[inst];
	if (code->xkind == (in_c ? HD_X_IMM_C : HD_X_IMM_B))
		return number_of(code->x);
	if (in_c ? hd_x_in_c(code->xkind) : hd_x_in_b(code->xkind))
		return (struct address){0};
	return value_of(copies, inst, in_c ? code->c : code->b, depth);
}

/* What an instruction computes; not known: it is no sum of products with numbers. */
static struct address result_of(struct copies *copies, uint32_t inst, unsigned depth)
{
	const struct hd_inst *code = &copies->flow->function->insts[inst];
	struct address by;
	if (code->srcmods || code->linear)
		return (struct address){0};
	switch (code->op) {
	case HD_OP_MOV: return operand_of(copies, inst, false, depth);
	case HD_OP_IADD3:
		if (code->mods)
			return (struct address){0};
		by = sum_of(operand_of(copies, inst, false, depth), operand_of(copies, inst, true, depth));
		return sum_of(value_of(copies, inst, code->a, depth), by);
	case HD_OP_LEA:
		return sum_of(scaled(value_of(copies, inst, code->a, depth),
				     UINT32_C(1) << hd_mod_get(code->mods, HD_MOD_SHAMT)),
			      operand_of(copies, inst, false, depth));
	case HD_OP_SHL:
	case HD_OP_IMAD:
		by = operand_of(copies, inst, false, depth);
		if (!by.known || by.term || (code->op == HD_OP_SHL && by.number > 31))
			return (struct address){0};
		if (code->op == HD_OP_SHL)
			return scaled(value_of(copies, inst, code->a, depth), UINT32_C(1) << by.number);
		return sum_of(scaled(value_of(copies, inst, code->a, depth), by.number),
			      operand_of(copies, inst, true, depth));
	default: return (struct address){0};
	}
}

/* Of a register before an instruction. */
static struct address value_of(struct copies *copies, uint32_t inst, unsigned reg, unsigned depth)
{
	if (reg == HD_RZ)
		return number_of(0);
	struct writers writers = find_writers(copies, inst, reg, HD_NO_NODE);
	if (writers.entry || writers.count != 1)
		return term_of(mixed(writers.sum, writers.entry ? reg : HD_RZ));
	struct address result = depth ? result_of(copies, writers.first, depth - 1) : (struct address){0};
	return result.known ? result : term_of(writers.sum);
}

/* Whether what a register holds before an instruction depends on what the loop changes from turn to turn. */
static bool varies(struct copies *copies, uint32_t inst, unsigned reg, uint32_t loop, unsigned depth)
{
	struct writers writers = find_writers(copies, inst, reg, loop);
	struct hd_flow_effects effects;
	if (!writers.inside || !depth)
		return false;
	if (writers.entry || writers.count != 1)
		return true;
	hd_flow_effects(copies->flow, writers.first, &effects);
	for (uint32_t read = hd_regset_next(&effects.reads, 0); read < HD_RZ;
	     read = hd_regset_next(&effects.reads, read + 1))
		if (varies(copies, writers.first, read, loop, depth - 1))
			return true;
	return false;
}

static bool is_same(const struct address *a, const struct address *b)
{
	return a->known && b->known && a->term == b->term && a->number == b->number;
}

static bool is_other(const struct address *a, const struct address *b)
{
	return a->known && b->known && a->term == b->term && a->number != b->number;
}

/* ---------------------------------------------------------------- starts and waits */

static enum step step_of(const struct hd_flow *flow, uint32_t inst)
{
	const struct hd_inst *code = &flow->function->insts[inst];
	const struct hd_opinfo *info = &hd_opinfo[code->op];
	if (code->op == HD_OP_SYNCS)
		return hd_syncs_expects((enum hd_syncsop)hd_mod_get(code->mods, HD_MOD_SYNCSOP)) ? START : NOTHING;
	if (code->op == HD_OP_SYNCS_WAIT)
		return WAIT;
	if (hd_flow_calls(flow, inst))
		return CALL;
	bool accesses = info->effects & (HD_FX_LOAD | HD_FX_STORE | HD_FX_ATOMIC) && info->space != HD_AT_CONST &&
			info->space != HD_AT_LOCAL;
	bool computes = info->pipe == HD_PIPE_FP32 || info->pipe == HD_PIPE_FP64 || info->pipe == HD_PIPE_SFU ||
			info->pipe == HD_PIPE_TENSOR || code->op == HD_OP_WGMMA;
	return accesses || computes ? WORK : NOTHING;
}

static bool loads_in_bulk(const struct hd_function *function)
{
	for (uint32_t i = 0; i < function->inst_count; i++)
		if (function->insts[i].op == HD_OP_UTMALDG || function->insts[i].op == HD_OP_UBLKCP)
			return true;
	return false;
}

static struct site site_at(struct copies *copies, uint32_t inst)
{
	const struct hd_inst *code = &copies->flow->function->insts[inst];
	struct address address = sum_of(value_of(copies, inst, code->a, DEPTH), number_of(code->x));
	return (struct site){.inst = inst, .address = address};
}

static void find_sites(struct copies *copies)
{
	const struct hd_flow *flow = copies->flow;
	uint32_t count = flow->function->inst_count;
	copies->steps = HD_ARENA_NEW(&copies->arena, uint8_t, count);
	copies->sites = HD_ARENA_NEW(&copies->arena, uint32_t, count);
	copies->queue = HD_ARENA_NEW(&copies->arena, uint32_t, flow->block_count + 1);
	copies->seen = hd_bitset_new(&copies->arena, flow->block_count);
	for (uint32_t i = 0; i < count; i++) {
		copies->steps[i] = flow->position[flow->block_of[i]] == HD_NO_NODE ? NOTHING : step_of(flow, i);
		copies->start_count += copies->steps[i] == START;
		copies->wait_count += copies->steps[i] == WAIT;
	}
	copies->starts = HD_ARENA_NEW(&copies->arena, struct site, copies->start_count);
	copies->waits = HD_ARENA_NEW(&copies->arena, struct site, copies->wait_count);
	uint32_t starts = 0, waits = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (copies->steps[i] == START)
			copies->starts[copies->sites[i] = starts++] = site_at(copies, i);
		else if (copies->steps[i] == WAIT)
			copies->waits[copies->sites[i] = waits++] = site_at(copies, i);
	}
}

/* Appends the block's successors that are new; returns how many are in the queue now. */
static uint32_t push_successors(struct copies *copies, uint32_t block, uint32_t queued)
{
	const struct hd_graph *graph = &copies->flow->graph;
	for (uint32_t k = graph->succ_start[block]; k < graph->succ_start[block + 1]; k++)
		if (!hd_bitset_has(&copies->seen, graph->succ[k])) {
			hd_bitset_add(&copies->seen, graph->succ[k]);
			copies->queue[queued++] = graph->succ[k];
		}
	return queued;
}

typedef bool visit(void *context, uint32_t inst);

/* Visits what may follow an instruction; a path ends where `visit` returns false. */
static void follow(struct copies *copies, uint32_t inst, visit *visits, void *context)
{
	const struct hd_flow *flow = copies->flow;
	uint32_t block = flow->block_of[inst], first = inst + 1, queued = 0;
	hd_bitset_clear(&copies->seen);
	for (uint32_t i = 0;; block = copies->queue[i++], first = flow->blocks[block].first) {
		bool on = true;
		for (uint32_t at = first; on && at <= hd_flow_last(flow, block); at++)
			on = visits(context, at);
		if (on)
			queued = push_successors(copies, block, queued);
		if (i == queued)
			break;
	}
}

/* Another start that may be of the same phase: in the same loop, before any wait. */
struct twin {
	const struct copies *copies;
	const struct site *site;
	bool found;
};

static bool visit_twin(void *context, uint32_t inst)
{
	struct twin *twin = context;
	const struct copies *copies = twin->copies;
	const uint32_t *loop_of = copies->flow->loops.loop_of, *block_of = copies->flow->block_of;
	if (copies->steps[inst] != START)
		return copies->steps[inst] != WAIT;
	if (inst == twin->site->inst)
		return false;
	const struct site *other = &copies->starts[copies->sites[inst]];
	twin->found |= !is_other(&other->address, &twin->site->address) &&
		       loop_of[block_of[inst]] == loop_of[block_of[twin->site->inst]];
	return true;
}

static void relate_sites(struct copies *copies)
{
	for (uint32_t w = 0; w < copies->wait_count; w++) {
		struct site *wait = &copies->waits[w];
		wait->other = true;
		for (uint32_t s = 0; s < copies->start_count; s++) {
			wait->alike |= is_same(&wait->address, &copies->starts[s].address);
			wait->other &= is_other(&wait->address, &copies->starts[s].address);
		}
	}
	for (uint32_t s = 0; s < copies->start_count; s++)
		copies->starts[s].counts = true;
	for (uint32_t s = 0; s < copies->start_count; s++) {
		struct twin twin = {copies, &copies->starts[s], false};
		follow(copies, copies->starts[s].inst, visit_twin, &twin);
		copies->starts[s].counts = !twin.found;
	}
}

/* ---------------------------------------------------------------- edges */

static uint32_t steps_in(const struct copies *copies, uint32_t block)
{
	uint32_t set = 0;
	for (uint32_t i = copies->flow->blocks[block].first; i <= hd_flow_last(copies->flow, block); i++)
		set |= 1u << copies->steps[i];
	return set;
}

/* Edges back to the header of a loop that does nothing but wait. */
static void find_repeats(struct copies *copies)
{
	const struct hd_graph *graph = &copies->flow->graph;
	copies->again = hd_bitset_new(&copies->arena, graph->edges);
	for (uint32_t l = 0; l < copies->flow->loops.count; l++) {
		const struct hd_loop *loop = &copies->flow->loops.loops[l];
		uint32_t set = 0;
		for (uint32_t n = 0; n < loop->node_count; n++)
			set |= steps_in(copies, loop->nodes[n]);
		if ((set & ~(1u << NOTHING)) != 1u << WAIT)
			continue;
		for (uint32_t n = 0; n < loop->node_count; n++)
			for (uint32_t k = graph->succ_start[loop->nodes[n]]; k < graph->succ_start[loop->nodes[n] + 1];
			     k++)
				if (graph->succ[k] == loop->header)
					hd_bitset_add(&copies->again, k);
	}
}

static bool is_within(const struct copies *copies, uint32_t block, uint32_t loop)
{
	return loop == HD_NO_NODE ||
	       (hd_flow_in_loop(copies->flow, block, loop) && block != copies->flow->loops.loops[loop].header);
}

/* What is done from `block` on, in the loop's turn, before `end`. */
static uint32_t steps_of_side(struct copies *copies, uint32_t block, uint32_t end, uint32_t loop)
{
	const struct hd_graph *graph = &copies->flow->graph;
	uint32_t set = 0, queued = 0;
	hd_bitset_clear(&copies->seen);
	if (block != end)
		copies->queue[queued++] = block;
	for (uint32_t i = 0; i < queued; i++) {
		uint32_t at = copies->queue[i];
		set |= steps_in(copies, at);
		for (uint32_t k = graph->succ_start[at]; k < graph->succ_start[at + 1]; k++) {
			uint32_t next = graph->succ[k];
			if (next == end || !is_within(copies, next, loop) || hd_bitset_has(&copies->seen, next))
				continue;
			hd_bitset_add(&copies->seen, next);
			copies->queue[queued++] = next;
		}
	}
	return set;
}

/* Of a branch one side starts a copy; the other one, in the same turn, does not, and waits for none. */
static void find_passes(struct copies *copies)
{
	const struct hd_flow *flow = copies->flow;
	const struct hd_graph *graph = &flow->graph;
	const uint32_t *ends = hd_graph_post_dominators(graph, &copies->arena);
	copies->passes = hd_bitset_new(&copies->arena, graph->edges);
	for (uint32_t b = 0; b < flow->block_count; b++) {
		uint32_t loop = flow->loops.loop_of[b], all = 0;
		uint32_t first = graph->succ_start[b], last = graph->succ_start[b + 1];
		if (last - first < 2)
			continue;
		for (uint32_t k = first; k < last; k++)
			if (is_within(copies, graph->succ[k], loop))
				all |= steps_of_side(copies, graph->succ[k], ends[b], loop);
		for (uint32_t k = first; all & 1u << START && k < last; k++)
			if (is_within(copies, graph->succ[k], loop) &&
			    !(steps_of_side(copies, graph->succ[k], ends[b], loop) & (1u << START | 1u << WAIT)))
				hd_bitset_add(&copies->passes, k);
	}
}

/* ---------------------------------------------------------------- counts */

struct counts {
	uint8_t least, most;
};

static void go_on(const struct copies *copies, uint32_t inst, struct counts *counts)
{
	const struct site *wait;
	switch ((enum step)copies->steps[inst]) {
	case START:
		counts->least += copies->starts[copies->sites[inst]].counts && counts->least < MOST;
		counts->most += counts->most < MOST;
		break;
	case WAIT:
		wait = &copies->waits[copies->sites[inst]];
		if (counts->least && counts->least != NEVER)
			counts->least -= !wait->other;
		if (counts->most && counts->most < MOST)
			counts->most -= wait->alike && copies->flow->function->insts[inst].guard == HD_PT;
		break;
	case CALL:
		if (counts->least != NEVER)
			counts->least = 0;
		counts->most = MOST;
		break;
	case WORK:
	case NOTHING: break;
	}
}

static struct counts counts_at(const struct copies *copies, uint32_t inst)
{
	uint32_t block = copies->flow->block_of[inst];
	struct counts counts = {copies->least[block], copies->most[block]};
	for (uint32_t i = copies->flow->blocks[block].first; i < inst; i++)
		go_on(copies, i, &counts);
	return counts;
}

static bool count_block(struct copies *copies, uint32_t block)
{
	const struct hd_graph *graph = &copies->flow->graph;
	uint32_t last = hd_flow_last(copies->flow, block);
	struct counts counts = counts_at(copies, last);
	bool changed = false;
	go_on(copies, last, &counts);
	for (uint32_t k = graph->succ_start[block]; k < graph->succ_start[block + 1]; k++) {
		uint32_t next = graph->succ[k];
		if (hd_bitset_has(&copies->again, k))
			continue;
		if (!hd_bitset_has(&copies->passes, k) && counts.least < copies->least[next]) {
			copies->least[next] = counts.least;
			changed = true;
		}
		if (counts.most > copies->most[next]) {
			copies->most[next] = counts.most;
			changed = true;
		}
	}
	return changed;
}

static void count_copies(struct copies *copies)
{
	const struct hd_flow *flow = copies->flow;
	copies->least = HD_ARENA_NEW(&copies->arena, uint8_t, flow->block_count);
	copies->most = HD_ARENA_NEW(&copies->arena, uint8_t, flow->block_count);
	memset(copies->least, NEVER, flow->block_count);
	copies->least[0] = 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < flow->rpo_count; i++)
			changed |= count_block(copies, flow->rpo[i]);
	}
}

/* ---------------------------------------------------------------- verdicts */

struct judged {
	const struct copies *copies;
	bool more;		       /* copies are started behind the wait */
	bool works, ahead, not_serial; /* what is done up to the next wait */
};

static bool visit_more(void *context, uint32_t inst)
{
	struct judged *judged = context;
	judged->more |= judged->copies->steps[inst] == START;
	return !judged->more;
}

static bool visit_work(void *context, uint32_t inst)
{
	struct judged *judged = context;
	enum step step = judged->copies->steps[inst];
	if (step == WORK || step == CALL) {
		struct counts counts = counts_at(judged->copies, inst);
		judged->works = true;
		judged->ahead |= step == WORK && counts.least && counts.least != NEVER;
		judged->not_serial |= step == CALL || counts.most;
	}
	return step != WAIT;
}

/* The loop in which a wait for room is of those who start copies; HD_NO_NODE: it is none. */
static uint32_t loop_of_starter(const struct copies *copies, const struct site *wait)
{
	const struct hd_loops *loops = &copies->flow->loops;
	uint32_t loop = loops->loop_of[copies->flow->block_of[wait->inst]], set = 0;
	for (; loop != HD_NO_NODE; loop = loops->loops[loop].parent) {
		set = 0;
		for (uint32_t n = 0; n < loops->loops[loop].node_count; n++)
			set |= steps_in(copies, loops->loops[loop].nodes[n]);
		if (set & 1u << START)
			break;
	}
	for (uint32_t w = 0; loop != HD_NO_NODE && w < copies->wait_count; w++)
		if (!copies->waits[w].other &&
		    hd_flow_in_loop(copies->flow, copies->flow->block_of[copies->waits[w].inst], loop))
			return HD_NO_NODE;
	return loop;
}

static bool changes_barrier(struct copies *copies, uint32_t loop)
{
	for (uint32_t s = 0; s < copies->start_count; s++) {
		uint32_t inst = copies->starts[s].inst;
		if (hd_flow_in_loop(copies->flow, copies->flow->block_of[inst], loop) &&
		    varies(copies, inst, copies->flow->function->insts[inst].a, loop, DEPTH))
			return true;
	}
	return false;
}

static void judge(struct copies *copies, const struct site *wait, struct hd_copies *result)
{
	struct judged judged = {.copies = copies};
	uint32_t loop = loop_of_starter(copies, wait);
	follow(copies, wait->inst, visit_more, &judged);
	if (!judged.more)
		return;
	follow(copies, wait->inst, visit_work, &judged);
	if (loop != HD_NO_NODE)
		judged = (struct judged){.works = true, .ahead = changes_barrier(copies, loop), .not_serial = true};
	result->ahead += judged.works && judged.ahead;
	result->serial += judged.works && !judged.ahead && !judged.not_serial;
	result->unproven += judged.works && !judged.ahead && judged.not_serial;
}

struct hd_copies hd_flow_copies(const struct hd_flow *flow)
{
	struct hd_copies result = {0};
	struct copies copies = {.flow = flow};
	if (!loads_in_bulk(flow->function))
		return result;
	hd_arena_init(&copies.arena);
	find_sites(&copies);
	if (copies.start_count && copies.wait_count) {
		relate_sites(&copies);
		find_repeats(&copies);
		find_passes(&copies);
		count_copies(&copies);
		for (uint32_t w = 0; w < copies.wait_count; w++)
			judge(&copies, &copies.waits[w], &result);
	}
	hd_arena_release(&copies.arena);
	return result;
}
