/*
 * Dependences inside a block: registers by word (true, anti and output), memory by address
 * space with disjoint offsets from one base told apart, side effects and convergent
 * operations in their order. Constant and read-only loads depend on addresses only; but
 * read-only loads keep their order with the wait for an earlier grid, which may write what
 * they read, and with calls, which may wait. Edges are near linear: an aliasing window that
 * grows beyond WINDOW accesses is closed by a store that everything later depends on. Needs
 * machine IR out of SSA.
 */
#include "passes/opt/dag.h"
#include "heddle/opcodes.h"

#define WINDOW 64u
#define GLOBAL_CYCLES \
	60u /* of a load that may miss: ptxas puts more between it and its reader than behind one of shared memory */

uint32_t hd_minst_latency(const struct hd_minst *inst)
{
	static const uint8_t cycles[HD_LAT_COUNT] = {
#define X(name, key, expected) [HD_LAT_##name] = expected,
		HD_LAT_LIST(X)
#undef X
			[HD_LAT_MEM] = HD_LAT_MEM_EXPECTED,
	};
	if (inst->op == HD_OP_UNDEF)
		return 0;
	if (hd_minst_is_global_load(inst))
		return GLOBAL_CYCLES;
	return inst->op < HD_OP_LIMIT ? cycles[hd_opinfo[inst->op].lat] : cycles[HD_LAT_IADD];
}

static void add_edge(struct hd_dag *dag, uint32_t from, uint32_t to, uint32_t latency)
{
	struct hd_dag_node *node = &dag->nodes.data[from];
	if (from == to)
		return;
	hd_vec_push(&dag->edges, (struct hd_dag_edge){to, latency, node->succs});
	node->succs = dag->edges.len;
	dag->nodes.data[to].waiting++;
}

/* ---- values, backwards ---- */

static uint32_t word_of(const struct hd_dag *dag, struct hd_mreg reg)
{
	if (hd_mreg_is_virtual(reg.id))
		return hd_live_word(dag->live, reg);
	return dag->live->words + reg.id + reg.sub;
}

static uint32_t open_value(struct hd_dag *dag, uint32_t word, bool is_pred)
{
	if (!dag->open[word]) {
		hd_vec_push(&dag->values, (struct hd_dag_value){.live_out = dag->live_now[word], .is_pred = is_pred});
		dag->open[word] = dag->values.len;
		hd_vec_push(&dag->touched, word);
	}
	return dag->open[word] - 1;
}

static void note_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_dag *dag = context;
	if (!is_def || !hd_mreg_is_virtual(reg->id))
		return;
	bool is_pred = hd_mreg_is_pred(dag->func, reg->id);
	for (uint32_t i = 0, word = word_of(dag, *reg); i < reg->words; i++, word++) {
		if (!dag->open[word] && !dag->live_now[word])
			continue; /* never read */
		hd_vec_push(&dag->defined, open_value(dag, word, is_pred));
		dag->nodes.data[dag->node].def_count++;
		dag->open[word] = 0;
		dag->live_now[word] = false;
	}
}

static void note_use(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_dag *dag = context;
	if (is_def || !hd_mreg_is_virtual(reg->id))
		return;
	bool is_pred = hd_mreg_is_pred(dag->func, reg->id);
	for (uint32_t i = 0, word = word_of(dag, *reg); i < reg->words; i++, word++) {
		uint32_t value = open_value(dag, word, is_pred);
		dag->live_now[word] = true;
		dag->values.data[value].uses++;
		hd_vec_push(&dag->used, value);
		dag->nodes.data[dag->node].use_count++;
	}
}

static void build_values(struct hd_dag *dag)
{
	for (uint32_t i = dag->count; i-- > 0;) {
		dag->node = i;
		dag->nodes.data[i].defs = dag->defined.len;
		hd_minst_visit(dag->func, &dag->insts[i], note_def, dag);
		dag->nodes.data[i].uses = dag->used.len;
		hd_minst_visit(dag->func, &dag->insts[i], note_use, dag);
	}
	for (uint32_t i = 0; i < dag->touched.len; i++) {
		uint32_t word = dag->touched.data[i];
		if (dag->open[word])
			dag->values.data[dag->open[word] - 1].live_in = true;
		dag->open[word] = 0;
	}
	hd_vec_clear(&dag->touched);
}

/* ---- register dependences, forwards ---- */

static void depend_use(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_dag *dag = context;
	if (is_def)
		return;
	for (uint32_t i = 0, word = word_of(dag, *reg); i < reg->words; i++, word++) {
		uint32_t def = dag->last_def[word];
		if (def)
			add_edge(dag, def - 1, dag->node, hd_minst_latency(&dag->insts[def - 1]));
		hd_vec_push(&dag->read_list, (struct hd_dag_read){dag->node, dag->reads[word]});
		dag->reads[word] = dag->read_list.len;
		hd_vec_push(&dag->touched, word);
	}
}

static void depend_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_dag *dag = context;
	if (!is_def)
		return;
	for (uint32_t i = 0, word = word_of(dag, *reg); i < reg->words; i++, word++) {
		for (uint32_t read = dag->reads[word]; read; read = dag->read_list.data[read - 1].next)
			add_edge(dag, dag->read_list.data[read - 1].node, dag->node, 0);
		if (dag->last_def[word])
			add_edge(dag, dag->last_def[word] - 1, dag->node, 1);
		dag->reads[word] = 0;
		dag->last_def[word] = dag->node + 1;
		hd_vec_push(&dag->touched, word);
	}
}

/* ---- memory and order ---- */

enum { SPACE_GLOBAL = 1, SPACE_SHARED = 2, SPACE_LOCAL = 4, SPACE_ALL = 7 };

struct access {
	uint32_t node;
	unsigned spaces;
	bool store;
	uint32_t linear;		 /* operand and coefficient register of the address */
	uint32_t base, base_def, object; /* of the address; object: frame object, HD_NO_BLOCK none */
	uint32_t start, bytes;
};

struct order {
	HD_VEC(struct access) loads, stores; /* since the last fence */
	uint32_t fence;			     /* node + 1 that all later accesses wait for */
	uint32_t side;			     /* node + 1 of the last side effect or convergent operation */
	uint32_t tensor;		     /* node + 1 of the last product of matrices */
	uint32_t clock;			     /* node + 1 of the last clock read, 0 when there was none */
	uint32_t grids;			     /* node + 1 of the last that may wait for grids */
};

static bool is_read_only(const struct hd_minst *inst)
{
	return inst->op == HD_OP_LDG && hd_mod_get(inst->mods, HD_MOD_CACHE) == HD_CACHE_CI;
}

static unsigned spaces_of(const struct hd_minst *inst)
{
	static const uint8_t of[] = {[HD_AT_GENERIC] = SPACE_ALL,
				     [HD_AT_GLOBAL] = SPACE_GLOBAL,
				     [HD_AT_SHARED] = SPACE_SHARED,
				     [HD_AT_LOCAL] = SPACE_LOCAL,
				     [HD_AT_CONST] = 0,
				     [HD_AT_TEXTURE] = 0}; /* nothing writes what a kernel fetches */
	if (inst->op == HD_OP_LDCX || is_read_only(inst))
		return 0;
	return inst->op < HD_OP_LIMIT ? of[hd_opinfo[inst->op].space] : 0;
}

static bool has_mod(const struct hd_minst *inst, enum hd_mod_kind kind)
{
	return hd_opinfo[inst->op].mods >> kind & 1;
}

/* Ordered with every other access: fences, barriers, volatile and synchronising accesses. */
static bool is_fence(const struct hd_minst *inst)
{
	unsigned effects = hd_minst_effects(inst);
	if (effects & (HD_FX_SIDE | HD_FX_BARRIER | HD_FX_FENCE | HD_FX_CALL))
		return true;
	return effects & (HD_FX_LOAD | HD_FX_STORE) && has_mod(inst, HD_MOD_SEM) &&
	       hd_mod_get(inst->mods, HD_MOD_SEM) > HD_SEM_RELAXED;
}

static bool is_clock(const struct hd_minst *inst)
{
	return (inst->op == HD_OP_S2R || inst->op == HD_OP_CS2R) && hd_mod_get(inst->mods, HD_MOD_SR) >= HD_SR_CLOCK_LO;
}

static bool is_ordered(const struct hd_minst *inst)
{
	if (hd_op_is_exchange(inst->op))
		return false;
	return is_clock(inst) ||
	       hd_minst_effects(inst) & (HD_FX_ASYNC | HD_FX_SIDE | HD_FX_CONVERGENT | HD_FX_BARRIER | HD_FX_FENCE);
}

static bool may_alias(const struct access *a, const struct access *b)
{
	if (!(a->spaces & b->spaces))
		return false;
	if (a->object != HD_NO_BLOCK && b->object != HD_NO_BLOCK && a->object != b->object)
		return false;
	bool same_base =
		a->object == b->object && a->linear == b->linear && a->base == b->base && a->base_def == b->base_def;
	if (!same_base || !a->bytes || !b->bytes)
		return true;
	int32_t apart = (int32_t)(b->start - a->start);
	return apart >= 0 ? (uint32_t)apart < a->bytes : (uint32_t)-apart < b->bytes;
}

static struct access describe(const struct hd_dag *dag, const struct hd_minst *inst)
{
	struct access access = {.node = dag->node, .spaces = spaces_of(inst), .object = HD_NO_BLOCK};
	uint32_t word = word_of(dag, inst->a);
	access.store = hd_minst_effects(inst) & HD_FX_STORE;
	access.base = inst->a.words ? word : HD_NO_BLOCK;
	access.base_def = inst->a.words ? dag->last_def[word] : 0;
	access.linear = inst->linear * 256u + inst->coefficient;
	access.start = inst->x;
	/* LDSM reads at the addresses of other lanes, too. */
	access.bytes = inst->op == HD_OP_LDSM ? 0 : hd_op_access_bytes(inst->op, inst->mods);
	if (inst->ref_kind == HD_MREF_FRAME)
		access.object = inst->ref;
	return access;
}

static void wait_for_all(struct hd_dag *dag, struct order *order)
{
	for (uint32_t i = 0; i < order->loads.len; i++)
		add_edge(dag, order->loads.data[i].node, dag->node, 0);
	for (uint32_t i = 0; i < order->stores.len; i++)
		add_edge(dag, order->stores.data[i].node, dag->node, 1);
	if (order->fence)
		add_edge(dag, order->fence - 1, dag->node, 1);
	hd_vec_clear(&order->loads);
	hd_vec_clear(&order->stores);
	order->fence = dag->node + 1;
}

static void depend_access(struct hd_dag *dag, struct order *order, struct access access)
{
	if (access.store && order->loads.len + order->stores.len >= WINDOW) {
		wait_for_all(dag, order);
		return;
	}
	if (order->fence)
		add_edge(dag, order->fence - 1, dag->node, 1);
	for (uint32_t i = 0; i < order->stores.len; i++)
		if (may_alias(&order->stores.data[i], &access))
			add_edge(dag, order->stores.data[i].node, dag->node, 1);
	for (uint32_t i = 0; access.store && i < order->loads.len; i++)
		if (may_alias(&order->loads.data[i], &access))
			add_edge(dag, order->loads.data[i].node, dag->node, 0);
	if (access.store)
		hd_vec_push(&order->stores, access);
	else
		hd_vec_push(&order->loads, access);
}

/* An asynchronous copy stores to shared memory what it loads. */
static void depend_memory(struct hd_dag *dag, struct order *order, const struct hd_minst *inst)
{
	if (!spaces_of(inst))
		return;
	depend_access(dag, order, describe(dag, inst));
	if (hd_minst_effects(inst) & HD_FX_ASYNC)
		depend_access(dag, order,
			      (struct access){.node = dag->node,
					      .spaces = SPACE_SHARED,
					      .store = true,
					      .base = HD_NO_BLOCK,
					      .object = HD_NO_BLOCK});
}

/* What stands between two clock reads is what they measure: nothing passes one, arithmetic neither. */
static void depend_clock(struct hd_dag *dag, struct order *order, const struct hd_minst *inst)
{
	if (order->clock)
		add_edge(dag, order->clock - 1, dag->node, 1);
	if (!is_clock(inst))
		return;
	for (uint32_t i = order->clock; i < dag->node; i++)
		add_edge(dag, i, dag->node, 0);
	order->clock = dag->node + 1;
}

/* Products of matrices stay in their order, which is chosen for independent ones to follow each other: that of a
 * program's tiles, and of the steps of one product. */
static void depend_tensor(struct hd_dag *dag, struct order *order, const struct hd_minst *inst)
{
	if (inst->op >= HD_OP_LIMIT || hd_opinfo[inst->op].pipe != HD_PIPE_TENSOR)
		return;
	if (order->tensor)
		add_edge(dag, order->tensor - 1, dag->node, 1);
	order->tensor = dag->node + 1;
}

static bool may_wait_for_grids(const struct hd_minst *inst)
{
	return inst->op == HD_OP_ACQBULK || (hd_minst_effects(inst) & HD_FX_CALL && !inst->helper);
}

/* An earlier grid has written what a read-only load reads behind the wait for it, and may still write it before. */
static void depend_grids(struct hd_dag *dag, struct order *order, const struct hd_minst *inst)
{
	if (is_read_only(inst) && order->grids)
		add_edge(dag, order->grids - 1, dag->node, 1);
	if (!may_wait_for_grids(inst))
		return;
	for (uint32_t i = order->grids; i < dag->node; i++)
		if (is_read_only(&dag->insts[i]))
			add_edge(dag, i, dag->node, 0);
	order->grids = dag->node + 1;
}

/* Of an access that another lane may wait for, as for a lock that is released. */
static bool may_be_awaited(const struct hd_minst *inst)
{
	return hd_minst_effects(inst) & HD_FX_ATOMIC ||
	       (has_mod(inst, HD_MOD_SEM) && hd_mod_get(inst->mods, HD_MOD_SEM) != HD_SEM_WEAK);
}

/* Who waits for other lanes has done before what these may wait for. */
static void depend_meeting(struct hd_dag *dag, const struct order *order, const struct hd_minst *inst)
{
	if (inst->op >= HD_OP_LIMIT || !hd_op_meets(inst->op, inst->mods))
		return;
	for (uint32_t i = 0; i < order->stores.len; i++)
		if (may_be_awaited(&dag->insts[order->stores.data[i].node]))
			add_edge(dag, order->stores.data[i].node, dag->node, 1);
	if (order->fence)
		add_edge(dag, order->fence - 1, dag->node, 1);
}

static void depend_order(struct hd_dag *dag, struct order *order, const struct hd_minst *inst)
{
	depend_clock(dag, order, inst);
	depend_tensor(dag, order, inst);
	depend_grids(dag, order, inst);
	depend_meeting(dag, order, inst);
	if (is_ordered(inst)) {
		if (order->side)
			add_edge(dag, order->side - 1, dag->node, 1);
		order->side = dag->node + 1;
	}
	if (is_fence(inst))
		wait_for_all(dag, order);
	else
		depend_memory(dag, order, inst);
}

static void build_edges(struct hd_dag *dag)
{
	struct order order = {0};
	for (uint32_t i = 0; i < dag->count; i++) {
		dag->node = i;
		hd_minst_visit(dag->func, &dag->insts[i], depend_use, dag);
		depend_order(dag, &order, &dag->insts[i]);
		hd_minst_visit(dag->func, &dag->insts[i], depend_def, dag);
	}
	for (uint32_t i = 0; i < dag->touched.len; i++)
		dag->last_def[dag->touched.data[i]] = dag->reads[dag->touched.data[i]] = 0;
	hd_vec_clear(&dag->touched);
	hd_vec_release(&order.loads);
	hd_vec_release(&order.stores);
}

/* Edges go forwards in the original order, so one backward scan is enough. A chain ends when its result is there: who
 * reads it may stand at the beginning of the next block, or of the loop's next turn. */
static void compute_heights(struct hd_dag *dag)
{
	for (uint32_t i = dag->count; i-- > 0;) {
		struct hd_dag_node *node = &dag->nodes.data[i];
		node->height = dag->carried ? hd_minst_latency(&dag->insts[i]) : 1;
		for (uint32_t e = node->succs; e; e = dag->edges.data[e - 1].next) {
			const struct hd_dag_edge *edge = &dag->edges.data[e - 1];
			uint32_t height = edge->latency + dag->nodes.data[edge->to].height;
			node->height = height > node->height ? height : node->height;
		}
	}
}

void hd_dag_init(struct hd_dag *dag, struct hd_mfunc *func, const struct hd_live *live, struct hd_arena *arena)
{
	uint32_t words = live->words + HD_MREG_VIRTUAL;
	*dag = (struct hd_dag){.func = func, .live = live};
	dag->carried = hd_switch_is_on(func->without, HD_SWITCH_CARRIED_LATENCY);
	dag->live_now = HD_ARENA_NEW(arena, bool, words);
	dag->open = HD_ARENA_NEW(arena, uint32_t, words);
	dag->last_def = HD_ARENA_NEW(arena, uint32_t, words);
	dag->reads = HD_ARENA_NEW(arena, uint32_t, words);
}

void hd_dag_release(struct hd_dag *dag)
{
	hd_vec_release(&dag->nodes);
	hd_vec_release(&dag->edges);
	hd_vec_release(&dag->values);
	hd_vec_release(&dag->used);
	hd_vec_release(&dag->defined);
	hd_vec_release(&dag->read_list);
	hd_vec_release(&dag->touched);
}

void hd_dag_build(struct hd_dag *dag, struct hd_minst *insts, uint32_t count)
{
	dag->insts = insts;
	dag->count = count;
	hd_vec_clear(&dag->nodes);
	hd_vec_clear(&dag->edges);
	hd_vec_clear(&dag->values);
	hd_vec_clear(&dag->used);
	hd_vec_clear(&dag->defined);
	hd_vec_clear(&dag->read_list);
	for (uint32_t i = 0; i < count; i++)
		hd_vec_push(&dag->nodes, (struct hd_dag_node){0});
	build_values(dag);
	build_edges(dag);
	compute_heights(dag);
}
