/*
 * List scheduling inside blocks, before register allocation. Instructions whose operands are ready go first, those on
 * the longest chain before others, as long as the registers live at once stay under a limit. The limit is what the
 * function needs anyway, or what it may have on a full SM, whichever is more. A kernel that needs more than on a full
 * SM gets sixteen beside its need, and what its occupancy then leaves; so it comes nearest to ptxas. At the limit,
 * whatever frees most registers goes first. What reads no register waits until something else can read it, and so do
 * addresses, when some registers are live, and loads from shared memory that the longest chain does not need yet. What
 * is left to the next block, or across a loop's back edge, counts as read there at once. An order that needs more
 * registers than the original one and the limit allow is thrown away. Where even the original needs more than there
 * are, values will be spilled, and the order counts that asks for least beyond them in sum.
 *
 * Calls with the copies of their arguments and results, the copies at the entry and before
 * RET, and branches keep their places; stretches between them are scheduled. Needs machine
 * IR out of SSA. A bounded number of candidates is compared at each step, so the cost is that
 * of the dependence graph.
 */
#include <assert.h>

#include "heddle/opcodes.h"
#include "passes/mir/register_budgets.h"
#include "passes/opt/dag.h"

#define CANDIDATES 96u /* youngest ready instructions that are compared */
#define OLDEST 32u     /* and so many of the oldest, so that none waits for ever */
#define FREE_PREDICATES 5u
#define LEAF_CYCLES 5u	 /* latency up to which an instruction without operands waits for its reader */
#define AHEAD 100u	 /* cycles that a load from a fixed place may come before it must */
#define SHARED_AHEAD 20u /* the same for loads of shared memory, which take about as long */
#define SPARE_WORDS 16u	 /* that a kernel may have beyond its need, for loads that are under way */
#define KEPT_WORDS 3u	 /* of a kernel's registers: R1, and room for two that aligned pairs leave empty */
#define LOOP_WORDS 29u	 /* for loads under way in loops, where an SM is full with ROOMY_WORDS */
#define ROOMY_WORDS 60u
#define FEW_WORDS 4u	 /* as long as no more are live, it need not */
#define SOME_WORDS 12u	 /* with so many live, addresses wait; ptxas keeps six to eight of them ready */

#define NONE UINT32_MAX

struct pressure {
	int32_t words, preds;
};

struct scheduler {
	struct hd_mfunc *func;
	struct hd_arena arena;
	struct hd_live live;
	struct hd_dag dag;
	bool *pred_word; /* by word: it is a predicate */
	uint32_t limit;
	struct pressure live_after; /* behind the stretch */
	/* the stretch being scheduled */
	uint32_t *next, *previous; /* ready list, by node; index count is its head */
	uint32_t *ready, *waiting, *uses;
	uint32_t *leaves; /* by node: edges to it from leaves that have not been issued */
	bool *leaf;	  /* by node: is quickly made, of nothing in the stretch but leaves */
	uint32_t *chosen;
	struct pressure now, most;
	uint32_t *steps; /* by node: products of warpgroups, and waits for some, that the program has in front of it */
	bool *issued;
	uint32_t first;		 /* node that has not been issued; all before it have */
	uint32_t step;		 /* ready node that is such a product, or waits for some; NONE: there is none */
	uint32_t cycle, size;	 /* size: capacity of the arrays */
	uint32_t length;	 /* cycles of the longest chain */
	uint32_t registers;	 /* that there are */
	uint32_t peak;		 /* most words live at once in the original order */
	uint64_t excess;	 /* words beyond them, summed over the instructions */
	bool hiding;		 /* latencies; else registers alone count */
	bool lazy, late;	 /* without operands; with some */
	bool patient;		 /* with loads of shared memory */
	bool sparing;		 /* of registers beyond those that there are */
	const uint32_t *budgets; /* by block: registers at its beginning; NULL: they are `registers` and `limit` */
};

/* ---- pressure ---- */

static void count_value(struct pressure *pressure, const struct hd_dag_value *value, int32_t by)
{
	if (value->is_pred)
		pressure->preds += by;
	else
		pressure->words += by;
}

/* What issuing a node changes. Results are counted beside the operands that they replace only when those live on. */
static struct pressure change_of(const struct scheduler *s, uint32_t index)
{
	struct pressure change = {0};
	const struct hd_dag *dag = &s->dag;
	const struct hd_dag_node *node = &dag->nodes.data[index];
	for (uint32_t i = 0; i < node->def_count; i++)
		count_value(&change, &dag->values.data[dag->defined.data[node->defs + i]], 1);
	for (uint32_t i = 0; i < node->use_count; i++) {
		uint32_t value = dag->used.data[node->uses + i], reads = 0;
		bool first = true;
		for (uint32_t k = 0; k < node->use_count; k++) {
			reads += dag->used.data[node->uses + k] == value;
			first &= k >= i || dag->used.data[node->uses + k] != value;
		}
		if (first && s->uses[value] == reads && !dag->values.data[value].live_out)
			count_value(&change, &dag->values.data[value], -1);
	}
	return change;
}

static void issue(struct scheduler *s, uint32_t index)
{
	struct pressure change = change_of(s, index);
	const struct hd_dag_node *node = &s->dag.nodes.data[index];
	for (uint32_t i = 0; i < node->use_count; i++)
		s->uses[s->dag.used.data[node->uses + i]]--;
	s->now.words += change.words;
	s->now.preds += change.preds;
	s->most.words = s->now.words > s->most.words ? s->now.words : s->most.words;
	s->most.preds = s->now.preds > s->most.preds ? s->now.preds : s->most.preds;
	if (s->now.words > (int32_t)s->registers)
		s->excess += (uint32_t)s->now.words - s->registers;
}

static void start(struct scheduler *s)
{
	struct pressure before = s->live_after;
	for (uint32_t i = 0; i < s->dag.values.len; i++) {
		const struct hd_dag_value *value = &s->dag.values.data[i];
		s->uses[i] = value->uses;
		count_value(&before, value, (int32_t)value->live_in - (int32_t)value->live_out);
	}
	s->now = s->most = before;
	s->excess = 0;
	s->cycle = 0;
}

static struct pressure original_pressure(struct scheduler *s)
{
	start(s);
	for (uint32_t i = 0; i < s->dag.count; i++)
		issue(s, i);
	return s->most;
}

/* ---- the ready list ---- */

static void add_ready(struct scheduler *s, uint32_t node, uint32_t before)
{
	uint32_t after = s->previous[before];
	s->previous[node] = after;
	s->next[node] = before;
	s->next[after] = s->previous[before] = node;
}

static void drop_ready(struct scheduler *s, uint32_t node)
{
	s->next[s->previous[node]] = s->next[node];
	s->previous[s->next[node]] = s->previous[node];
}

struct candidate {
	uint32_t node;
	struct pressure change;
	bool fits, early; /* stays under the limits; operands ready */
	bool idle;	  /* a leaf that nothing could read yet */
	bool frees;	  /* a predicate where they are short, for no more words */
	uint32_t turn;	  /* those of lower turns go first, while a product or a wait for some is ready */
	uint32_t steps;	  /* of the program that stand in front of it */
};

static bool is_better(const struct scheduler *s, const struct candidate *a, const struct candidate *b)
{
	const struct hd_dag_node *left = &s->dag.nodes.data[a->node], *right = &s->dag.nodes.data[b->node];
	if (a->idle != b->idle)
		return b->idle;
	if (a->fits != b->fits)
		return a->fits;
	/* Predicates that are short say nothing about instructions that end none. */
	if (a->frees != b->frees)
		return a->frees;
	if (s->now.words >= (int32_t)s->limit || a->frees || !a->fits || !s->hiding) {
		int32_t cost = a->change.words + a->change.preds, other = b->change.words + b->change.preds;
		return cost != other ? cost < other : a->node < b->node;
	}
	if (a->turn != b->turn)
		return a->turn < b->turn;
	if (a->early != b->early)
		return a->early;
	if (!a->early && s->ready[a->node] != s->ready[b->node])
		return s->ready[a->node] < s->ready[b->node];
	if (a->steps != b->steps)
		return a->steps < b->steps;
	if (left->height != right->height)
		return left->height > right->height;
	return a->node < b->node;
}

/* Products of warpgroups and waits for them keep their order, so one of them at most is ready. */
static bool is_product(const struct hd_minst *inst)
{
	return inst->op == HD_OP_WGMMA;
}

static bool waits_for_products(const struct hd_minst *inst)
{
	return inst->op == HD_OP_WARPGROUP && hd_mod_get(inst->mods, HD_MOD_WGMODE) == HD_WG_WAIT;
}

/*
 * What the program has behind a product is done beside it: it does not come in front of a product that can be issued,
 * and what stands in front of one goes first. A wait for products is held back until all that the program has in front
 * of it is issued, since that is done while they are under way. Nothing comes in front of it that the program has
 * behind a later product.
 */
static void take_turn(const struct scheduler *s, struct candidate *candidate)
{
	uint32_t step = s->step;
	candidate->steps = s->steps[candidate->node];
	if (step == NONE)
		return;
	bool waits = !is_product(&s->dag.insts[step]), holds = waits && s->first < step;
	bool later = candidate->steps > s->steps[step] + waits && (waits || s->ready[step] <= s->cycle);
	candidate->turn = later ? 2 : holds && candidate->node == step;
}

/* Reads no register and is never too early: only its result takes a register. */
static bool is_source(const struct hd_dag_node *node)
{
	return !node->use_count && node->def_count && !node->waiting;
}

/* Cycles before it must that a load is issued at the earliest: of a fixed place, of shared memory where that takes more
 * registers. NONE: of others at any time. */
static uint32_t ahead_of(const struct scheduler *s, uint32_t index, struct pressure change)
{
	if (is_source(&s->dag.nodes.data[index]))
		return AHEAD;
	bool shared = s->dag.insts[index].op == HD_OP_LDS && change.words > 0;
	return shared && s->patient ? SHARED_AHEAD : NONE;
}

/* Whether a result would only wait: of a leaf because nothing that reads it has all its other operands, of a load from
 * a fixed place because the chain that needs it is long. A leaf with operands is worth it if a pair more is live after
 * it, as after most addresses. */
static bool is_idle(const struct scheduler *s, uint32_t index, struct pressure change)
{
	const struct hd_dag_node *node = &s->dag.nodes.data[index];
	if (!s->lazy || s->now.words < (int32_t)FEW_WORDS)
		return false;
	if (!s->leaf[index])
		return (uint64_t)s->cycle + node->height + ahead_of(s, index, change) < s->length;
	if (node->use_count && (change.words < 2 || s->now.words < (int32_t)SOME_WORDS))
		return false;
	for (uint32_t e = node->succs; e; e = s->dag.edges.data[e - 1].next) {
		uint32_t to = s->dag.edges.data[e - 1].to;
		if (s->waiting[to] == s->leaves[to])
			return false;
	}
	return node->succs;
}

static struct candidate consider(const struct scheduler *s, uint32_t node)
{
	struct pressure change = change_of(s, node);
	struct candidate candidate = {.node = node,
				      .change = change,
				      .early = s->ready[node] <= s->cycle,
				      .idle = is_idle(s, node, change)};
	int32_t words = s->now.words + change.words, preds = s->now.preds + change.preds;
	candidate.frees =
		s->now.preds >= (int32_t)FREE_PREDICATES && change.preds < 0 && change.words + change.preds <= 0;
	take_turn(s, &candidate);
	candidate.fits = (change.words <= 0 || words <= (int32_t)s->limit) &&
			 (change.preds <= 0 || preds <= (int32_t)FREE_PREDICATES);
	return candidate;
}

static void compete(const struct scheduler *s, uint32_t node, struct candidate *best)
{
	struct candidate candidate = consider(s, node);
	if (best->node == NONE || is_better(s, &candidate, best))
		*best = candidate;
}

static uint32_t pick(const struct scheduler *s)
{
	uint32_t head = s->dag.count, seen = 0, node = s->next[head];
	struct candidate best = {.node = NONE};
	for (; node != head && seen < CANDIDATES; node = s->next[node], seen++)
		compete(s, node, &best);
	if (node == head)
		return best.node;
	node = s->previous[head];
	for (seen = 0; node != head && seen < OLDEST; node = s->previous[node], seen++)
		compete(s, node, &best);
	return best.node;
}

static void make_ready(struct scheduler *s, uint32_t node, uint32_t before)
{
	add_ready(s, node, before);
	if (is_product(&s->dag.insts[node]) || waits_for_products(&s->dag.insts[node]))
		s->step = node;
}

static void release_successors(struct scheduler *s, uint32_t index)
{
	uint32_t head = s->dag.count;
	for (uint32_t e = s->dag.nodes.data[index].succs; e; e = s->dag.edges.data[e - 1].next) {
		const struct hd_dag_edge *edge = &s->dag.edges.data[e - 1];
		uint32_t at = s->cycle + edge->latency;
		s->ready[edge->to] = at > s->ready[edge->to] ? at : s->ready[edge->to];
		s->leaves[edge->to] -= s->leaf[index];
		if (--s->waiting[edge->to] == 0)
			make_ready(s, edge->to, s->next[head]); /* in front: finish chains first */
	}
}

static bool is_leaf(const struct scheduler *s, uint32_t index)
{
	const struct hd_dag_node *node = &s->dag.nodes.data[index];
	bool made = s->late ? node->def_count && node->waiting == s->leaves[index] : is_source(node);
	return made && hd_minst_latency(&s->dag.insts[index]) <= LEAF_CYCLES;
}

/* Constants, frame addresses, sums of what was live before and the like need not be made before they are read. */
static void find_leaves(struct scheduler *s)
{
	memset(s->leaves, 0, s->dag.count * sizeof(*s->leaves));
	s->length = 0;
	for (uint32_t i = 0; i < s->dag.count; i++) {
		const struct hd_dag_node *node = &s->dag.nodes.data[i];
		s->leaf[i] = is_leaf(s, i);
		s->length = node->height > s->length ? node->height : s->length;
		for (uint32_t e = s->leaf[i] ? node->succs : 0; e; e = s->dag.edges.data[e - 1].next)
			s->leaves[s->dag.edges.data[e - 1].to]++;
	}
}

static void run(struct scheduler *s)
{
	uint32_t head = s->dag.count;
	start(s);
	find_leaves(s);
	s->next[head] = s->previous[head] = head;
	s->first = 0;
	s->step = NONE;
	for (uint32_t i = 0, steps = 0; i < s->dag.count; i++) {
		s->ready[i] = 0;
		s->issued[i] = false;
		s->steps[i] = steps;
		steps += is_product(&s->dag.insts[i]) || waits_for_products(&s->dag.insts[i]);
		s->waiting[i] = s->dag.nodes.data[i].waiting;
		if (!s->waiting[i])
			make_ready(s, i, head);
	}
	for (uint32_t i = 0; i < s->dag.count; i++) {
		uint32_t node = pick(s);
		if (s->ready[node] > s->cycle)
			s->cycle = s->ready[node];
		drop_ready(s, node);
		s->step = s->step == node ? NONE : s->step;
		s->issued[node] = true;
		while (s->first < s->dag.count && s->issued[s->first])
			s->first++;
		issue(s, node);
		s->chosen[i] = node;
		release_successors(s, node);
		s->cycle++;
	}
}

/* ---- stretches ---- */

static void reserve(struct scheduler *s, uint32_t count, uint32_t values)
{
	uint32_t want = count > values ? count : values;
	if (want < s->size)
		return;
	s->size = 2 * want + 64;
	uint32_t **arrays[] = {&s->next, &s->previous, &s->ready,  &s->waiting,
			       &s->uses, &s->chosen,   &s->leaves, &s->steps};
	for (unsigned i = 0; i < 8; i++)
		*arrays[i] = hd_xrealloc(*arrays[i], s->size * sizeof(uint32_t));
	s->leaf = hd_xrealloc(s->leaf, s->size * sizeof(bool));
	s->issued = hd_xrealloc(s->issued, s->size * sizeof(bool));
}

static bool is_worse(const struct scheduler *s, struct pressure original)
{
	int32_t words = original.words > (int32_t)s->limit ? original.words : (int32_t)s->limit;
	int32_t preds = original.preds > (int32_t)FREE_PREDICATES ? original.preds : (int32_t)FREE_PREDICATES;
	return s->most.words > words || s->most.preds > preds;
}

static void permute(struct scheduler *s)
{
	struct hd_minst *copy = hd_xmalloc(s->dag.count * sizeof(*copy));
	for (uint32_t i = 0; i < s->dag.count; i++)
		copy[i] = s->dag.insts[s->chosen[i]];
	memcpy(s->dag.insts, copy, s->dag.count * sizeof(*copy));
	free(copy);
}

static void run_cautiously(struct scheduler *s, struct pressure original)
{
	uint32_t limit = s->limit;
	s->limit = (uint32_t)original.words < limit ? (uint32_t)original.words : limit;
	s->limit -= s->limit / 4;
	run(s);
	s->limit = limit;
}

static void order_by_latency(struct scheduler *s, struct pressure original)
{
	run(s);
	if (is_worse(s, original))
		run_cautiously(s, original);
	if (!is_worse(s, original))
		permute(s);
}

/* What does not fit is spilled for as long as it does not: the least of two orders and the original. */
static void order_by_excess(struct scheduler *s, struct pressure original, uint64_t excess)
{
	run_cautiously(s, original);
	uint64_t cautious = s->excess;
	run(s);
	if (cautious < s->excess)
		run_cautiously(s, original);
	if (s->excess < excess)
		permute(s);
}

static void schedule_stretch(struct scheduler *s, struct hd_minst *insts, uint32_t count, bool movable)
{
	hd_dag_build(&s->dag, insts, count);
	reserve(s, count, s->dag.values.len);
	struct pressure original = original_pressure(s);
	s->peak = original.words > (int32_t)s->peak ? (uint32_t)original.words : s->peak;
	if (movable && count > 2 && s->excess && s->sparing)
		order_by_excess(s, original, s->excess);
	else if (movable && count > 2)
		order_by_latency(s, original);
	start(s);
	s->live_after = s->now; /* the stretch before ends with what this one begins with */
}

/* ---- what keeps its place ---- */

static void note_fixed(void *context, struct hd_mreg *reg, bool is_def)
{
	struct scheduler *s = context;
	bool stack = (reg->id == s->func->abi->stack_pointer || reg->id == hd_mfunc_frame_base(s->func)) && !is_def;
	if (!hd_mreg_is_virtual(reg->id) && !stack)
		s->cycle = 1;
}

static bool is_anchor(struct scheduler *s, struct hd_minst *inst)
{
	unsigned effects = hd_minst_effects(inst);
	if (effects & (HD_FX_CALL | HD_FX_BRANCH | HD_FX_RET | HD_FX_EXIT | HD_FX_READ_PREDS | HD_FX_WRITE_PREDS))
		return true;
	if (inst->op == HD_OP_TRAP || inst->op == HD_OP_USETMAXREG)
		return true;
	s->cycle = 0;
	hd_minst_visit(s->func, inst, note_fixed, s);
	return s->cycle;
}

static bool is_call(const struct hd_minst *inst)
{
	return inst->op < HD_OP_LIMIT && hd_opinfo[inst->op].effects & (HD_FX_CALL | HD_FX_RET);
}

/* From copies into physical registers up to the call that reads them nothing moves; the same after it, and at the
 * entry. */
static void mark_anchors(struct scheduler *s, struct hd_mblock *block, bool *anchor)
{
	uint32_t count = block->insts.len;
	for (uint32_t i = 0; i < count; i++)
		anchor[i] = is_anchor(s, &block->insts.data[i]);
	for (uint32_t i = 0; i < count; i++) {
		struct hd_minst *inst = &block->insts.data[i];
		if (inst->op != HD_OP_COPY || !anchor[i] || hd_mreg_is_virtual(inst->dst.id))
			continue;
		while (i < count && !is_call(&block->insts.data[i]))
			anchor[i++] = true;
	}
	bool reading = false; /* backwards: before a copy out of a physical register, up to the call or entry */
	for (uint32_t i = count; i-- > 0;) {
		struct hd_minst *inst = &block->insts.data[i];
		bool out = inst->op == HD_OP_COPY && inst->dst.words && hd_mreg_is_virtual(inst->dst.id) && anchor[i];
		reading = (reading || out) && !is_call(inst);
		anchor[i] |= reading;
	}
}

/* As many registers as a thread has where a stretch begins; USETMAXREG keeps its place, and ends one. */
static void take_budget(struct scheduler *s, uint32_t id, uint32_t begin)
{
	if (!s->budgets)
		return;
	uint32_t budget = s->budgets[id];
	for (uint32_t i = 0; i <= begin; i++)
		budget = hd_budget_behind(&s->func->blocks.data[id].insts.data[i], budget);
	s->registers = hd_budget_cap(s->func, budget) - 1;
	s->limit = s->registers - 3;
}

/* `measure`: nothing moves. */
static void schedule_block(struct scheduler *s, uint32_t id, bool measure)
{
	struct hd_mblock *block = &s->func->blocks.data[id];
	bool *anchor = hd_xcalloc(block->insts.len + 1, sizeof(bool));
	mark_anchors(s, block, anchor);
	s->live_after = (struct pressure){0};
	for (uint32_t i = s->live.out_start[id]; i < s->live.out_start[id + 1]; i++) {
		uint32_t word = s->live.out[i];
		s->dag.live_now[word] = true;
		s->live_after.preds += s->pred_word[word];
		s->live_after.words += !s->pred_word[word];
	}
	for (uint32_t end = block->insts.len; end > 0;) {
		uint32_t begin = end - 1;
		bool movable = !anchor[begin];
		while (begin > 0 && anchor[begin - 1] == !movable)
			begin--;
		take_budget(s, id, begin);
		schedule_stretch(s, &block->insts.data[begin], end - begin, movable && !measure);
		end = begin;
	}
	for (uint32_t i = s->live.in_start[id]; i < s->live.in_start[id + 1]; i++)
		s->dag.live_now[s->live.in[i]] = false;
	free(anchor);
}

/* The registers that the function needs as it stands. */
static uint32_t needed_anyway(struct scheduler *s)
{
	for (uint32_t id = 0; id < s->func->blocks.len; id++)
		schedule_block(s, id, true);
	return s->peak;
}

/*
 * Registers that are free to use where the code needs fewer: as many as fill an SM, or in a function whose callees may
 * write the others those that it need not save.
 */
static uint32_t free_anyway(const struct hd_mfunc *func)
{
	uint32_t unsaved = 0;
	while (unsaved < HD_RZ && !hd_abi_is_saved(func->abi, unsaved))
		unsaved++;
	bool saves =
		!func->kernel && func->calls_program && hd_switch_is_on(func->without, HD_SWITCH_UNSAVED_REGISTERS);
	return saves ? unsaved : hd_mfunc_occupancy_step(func, 1);
}

/* Words beyond the need, for loads under way: none where they might cost one of few warps on an SM. */
static uint32_t spare_words(const struct hd_mfunc *func, uint32_t needed)
{
	return hd_mfunc_occupancy_step(func, needed) < HD_FEW_WARPS_REGISTERS ? SPARE_WORDS : 0;
}

/*
 * In loops, kernels without bounds use half of the registers for loads under way if an SM has 64 for each thread: so
 * kernels for sm_75 come nearest to ptxas. It gives all of them to loops of nothing but loads from a counted address.
 */
static uint32_t limit_in_loops(const struct scheduler *s)
{
	uint32_t least = s->peak > LOOP_WORDS ? s->peak : LOOP_WORDS;
	bool half = s->func->kernel && !s->func->entry_registers && free_anyway(s->func) >= ROOMY_WORDS;
	return half && least < s->limit ? least : s->limit;
}

int hd_schedule_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct scheduler s = {.func = func};
	(void)diag;
	if (!hd_switch_is_on(func->without, HD_SWITCH_SCHEDULE))
		return 0;
	s.hiding = hd_switch_is_on(func->without, HD_SWITCH_HIDDEN_LATENCIES);
	s.lazy = hd_switch_is_on(func->without, HD_SWITCH_LATE_CONSTANTS);
	s.late = hd_switch_is_on(func->without, HD_SWITCH_LATE_ADDRESSES);
	s.patient = hd_switch_is_on(func->without, HD_SWITCH_LATE_SHARED_LOADS);
	hd_arena_init(&s.arena);
	hd_live_compute(func, &s.arena, &s.live);
	hd_dag_init(&s.dag, func, &s.live, &s.arena);
	s.pred_word = HD_ARENA_NEW(&s.arena, bool, s.live.words + 1);
	for (uint32_t i = 0; i < func->vregs.len; i++)
		s.pred_word[s.live.base[i]] = !func->vregs.data[i].words;
	s.sparing = hd_switch_is_on(func->without, HD_SWITCH_LEAST_EXCESS);
	s.registers = hd_mfunc_cap(func) - 1; /* R1 is kept */
	s.budgets = hd_budgets_at_entry(func, &s.arena);
	uint32_t cap = hd_mfunc_cap(func), full = free_anyway(func), needed = needed_anyway(&s);
	/* How many warps an SM holds is the kernel's matter; other functions do not get more for it. ptxas keeps a
	 * kernel that needs no more than a full SM's registers to these. */
	if (func->kernel) {
		assert(full > KEPT_WORDS);
		full -= KEPT_WORDS;
		if (needed > full)
			needed = hd_mfunc_occupancy_step(func, needed + KEPT_WORDS + spare_words(func, needed)) -
				 KEPT_WORDS;
	}
	s.limit = needed > full ? needed : full;
	s.limit = s.limit > cap - 4 ? cap - 4 : s.limit;
	uint32_t all = s.limit, in_loops = limit_in_loops(&s);
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		s.limit = func->blocks.data[id].loop_depth ? in_loops : all;
		schedule_block(&s, id, false);
	}
	hd_dag_release(&s.dag);
	uint32_t *arrays[] = {s.next, s.previous, s.ready, s.waiting, s.uses, s.chosen, s.leaves, s.steps};
	for (unsigned i = 0; i < 8; i++)
		free(arrays[i]);
	free(s.leaf);
	free(s.issued);
	hd_arena_release(&s.arena);
	return 0;
}
