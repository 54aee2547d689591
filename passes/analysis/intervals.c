/*
 * intervals (ltrf-asplos18, 3.3): Algorithm 1 grows register-intervals out of blocks and cuts blocks
 * where they end; Algorithm 2 merges intervals, again and again until nothing changes. Needs the
 * flow and the liveness of one function. Pass 1 is linear in the code, each round of pass 2 in the
 * intervals and the edges between them; there are about as many rounds as loops are nested.
 *
 * Where the two listings and the text differ, these hold:
 *
 *   - Register lists are those of the whole interval, not of the paths to a block: "the active
 *     registers already in the register-interval and the ones added by the new block" must fit,
 *     since the PREFETCH at the entry brings all of them. Line 13's size test then always holds,
 *     and TRAVERSE cuts where the interval would pass N.
 *   - Line 12 of Algorithm 2 leaves out the registers of h itself; "the union of their register
 *     working-sets still fits" has them in.
 *   - "Each function call becomes a separate register-interval": Algorithm 2 does not merge it either. A helper
 *     (heddle/object.h) is an instruction of the program, whose call does not end an interval; its code has intervals
 *     of its own, which come and go as those of another path of the warp do.
 *
 * Code growth (`make bench-analyses`): over the examples, 826 instructions, N = 16 makes 71 PREFETCHes, 17 % as vectors
 * of 32 bytes and 26 % with an instruction of 16 before each, N = 32 makes 62 (15 %, 23 %). The paper has 7 % and 9 %,
 * of 8-byte instructions: these would be 34 % for the vectors. The examples are short functions: of the 71, 27 are at
 * the entries of kernels and functions and 17 behind calls, where every N has one, 8 at loops, 8 where paths join, and
 * only 11 where the registers of two neighbours pass N. That is a PREFETCH in 11.6 instructions; with 32 bytes to an
 * instruction's 8, the paper's 7 % are one in 57.
 *
 * Lengths in runs (`heddle info --intervals`), N = 16, instructions of a warp from one PREFETCH to the next beside the
 * most that any choice of places could reach; the paper's Table 4 has 31.2 of 34.7 on the mean of 35 workloads, 89 %:
 *
 *   bfs 180.9 of 180.9   histogram 153 of 153 and 151 of 151   reduce 87.5 of 87.5 and 101 of 101   vecadd 15 of 15
 *   matmul 14.2 of 16.1 (88 %)   shapes 62 of 62 and, with calls in its loop, 4.7 of 3709
 *   nbody 8.0 of 29.8 and fib 6.5 of 21006, both all calls
 *
 * Without calls 99.8 % of what could be, on the mean of 8 kernels: most fit into one interval. Calls cut what N would
 * not.
 *
 * Strands (6.6) grow by Algorithm 1 alone and also end after every long-latency operation and
 * every backward branch, so that a warp does not leave the SM's active set inside one.
 */
#include "passes/analysis/intervals.h"

#include <string.h>

#include "lib/vec.h"

/* ---- instructions */

struct hd_regset hd_subgraph_registers(const struct hd_inst *inst)
{
	struct hd_regset set, writes, accumulator;
	hd_inst_reads(inst, &set);
	hd_inst_writes(inst, &writes);
	hd_inst_accumulator(inst, &accumulator);
	hd_regset_union(&set, &writes);
	hd_regset_subtract(&set, &accumulator);
	set.preds = 0;
	return set;
}

static bool is_call(const struct hd_subgraphs *subgraphs, uint32_t inst)
{
	return hd_flow_calls(subgraphs->flow, inst);
}

/* Loads that may miss the caches, and atomics that return a value. */
static bool is_long(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	bool far = hd_op_loads_device(inst->op);
	if (info->effects & HD_FX_ATOMIC)
		return far && inst->dst != HD_RZ;
	if (info->effects & HD_FX_ASYNC) /* nobody waits for a register */
		return false;
	return far || (info->effects & HD_FX_LOAD && info->space == HD_AT_LOCAL);
}

static bool branches_back(const struct hd_flow *flow, uint32_t inst)
{
	uint32_t block = flow->block_of[inst];
	if (inst != hd_flow_last(flow, block))
		return false;
	for (uint32_t e = flow->graph.succ_start[block]; e < flow->graph.succ_start[block + 1]; e++)
		if (flow->graph.succ[e] <= block)
			return true;
	return false;
}

bool hd_subgraph_ends(const struct hd_subgraphs *subgraphs, uint32_t inst)
{
	const struct hd_flow *flow = subgraphs->flow;
	return is_call(subgraphs, inst) ||
	       (subgraphs->kind == HD_STRANDS && (is_long(&flow->function->insts[inst]) || branches_back(flow, inst)));
}

/* ---- Algorithm 1 */

struct growth {
	struct hd_subgraphs *subgraphs;
	HD_VEC(struct hd_subgraph) list; /* each new one joins the paper's Working-Set: those not grown yet */
	HD_VEC(uint32_t) done;		 /* blocks whose end is in the subgraph that grows */
	HD_VEC(uint32_t) ready;		 /* blocks whose predecessors all are */
	uint32_t *arrived, *arrived_at;	 /* of each block: edges from that subgraph, and which one that was */
	uint32_t too_wide;
};

static void begin(struct growth *growth, uint32_t inst)
{
	growth->subgraphs->of[inst] = growth->list.len;
	hd_vec_push(&growth->list, (struct hd_subgraph){.entry = inst, .call = is_call(growth->subgraphs, inst)});
}

/* Whether the instruction may stand in the subgraph, whose set then has its registers. */
static bool takes(struct growth *growth, uint32_t id, uint32_t inst)
{
	const struct hd_subgraphs *subgraphs = growth->subgraphs;
	struct hd_subgraph *subgraph = &growth->list.data[id];
	struct hd_regset set = hd_subgraph_registers(&subgraphs->flow->function->insts[inst]);
	uint32_t block = subgraphs->flow->block_of[inst];
	bool first = inst == subgraphs->flow->blocks[block].first;
	if (inst != subgraph->entry && (is_call(subgraphs, inst) || (!first && hd_subgraph_ends(subgraphs, inst - 1))))
		return false;
	hd_regset_union(&set, &subgraph->set);
	if (hd_regset_count(&set) > subgraphs->limit) {
		if (inst == subgraph->entry && growth->too_wide == HD_NO_NODE)
			growth->too_wide = inst;
		return inst == subgraph->entry;
	}
	subgraph->set = set;
	return true;
}

/* Lines 26 to 39, from an instruction to the end of its block or to where the block is cut. */
static void traverse(struct growth *growth, uint32_t id, uint32_t inst)
{
	const struct hd_flow *flow = growth->subgraphs->flow;
	uint32_t block = flow->block_of[inst], last = hd_flow_last(flow, block);
	for (; inst <= last; inst++) {
		if (!takes(growth, id, inst)) {
			begin(growth, inst);
			return;
		}
		growth->subgraphs->of[inst] = id;
	}
	hd_vec_push(&growth->done, block);
}

static bool is_unknown(const struct growth *growth, uint32_t block)
{
	return growth->subgraphs->of[growth->subgraphs->flow->blocks[block].first] == HD_NO_NODE;
}

/* Counts the edges out of a block that is done: line 13's "all of h predecessors belong to i". */
static void arrive(struct growth *growth, uint32_t id, uint32_t block)
{
	const struct hd_flow *flow = growth->subgraphs->flow;
	const struct hd_graph *graph = &flow->graph;
	if (hd_subgraph_ends(growth->subgraphs, hd_flow_last(flow, block)))
		return;
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++) {
		uint32_t to = graph->succ[e];
		if (growth->arrived_at[to] != id)
			growth->arrived[to] = 0;
		growth->arrived_at[to] = id;
		if (++growth->arrived[to] == graph->pred_start[to + 1] - graph->pred_start[to] &&
		    is_unknown(growth, to))
			hd_vec_push(&growth->ready, to);
	}
}

/* Lines 10 to 24. */
static void grow(struct growth *growth, uint32_t id)
{
	const struct hd_flow *flow = growth->subgraphs->flow;
	const struct hd_graph *graph = &flow->graph;
	hd_vec_clear(&growth->done);
	hd_vec_clear(&growth->ready);
	traverse(growth, id, growth->list.data[id].entry);
	for (uint32_t seen = 0, next = 0;; next++) {
		while (seen < growth->done.len)
			arrive(growth, id, growth->done.data[seen++]);
		if (next == growth->ready.len)
			break;
		traverse(growth, id, flow->blocks[growth->ready.data[next]].first);
	}
	for (uint32_t i = 0; i < growth->done.len; i++) {
		uint32_t block = growth->done.data[i];
		for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++)
			if (is_unknown(growth, graph->succ[e]))
				begin(growth, flow->blocks[graph->succ[e]].first);
	}
}

static void form(struct growth *growth, struct hd_arena *arena)
{
	const struct hd_flow *flow = growth->subgraphs->flow;
	growth->arrived = HD_ARENA_NEW(arena, uint32_t, flow->block_count);
	growth->arrived_at = HD_ARENA_NEW(arena, uint32_t, flow->block_count);
	memset(growth->arrived_at, 0xff, sizeof(uint32_t) * flow->block_count);
	/* The entry comes first. Other blocks that are unknown here cannot be reached, and are as good as entries. */
	for (uint32_t block = 0, id = 0; block < flow->block_count; block++) {
		if (is_unknown(growth, block))
			begin(growth, flow->blocks[block].first);
		while (id < growth->list.len)
			grow(growth, id++);
	}
}

/* ---- Algorithm 2 */

struct edges {
	HD_VEC(struct hd_edge) list;
};

/* Edges between subgraphs; one that several branches take stands as often. */
static void find_edges(const struct hd_subgraphs *subgraphs, struct edges *edges)
{
	const struct hd_flow *flow = subgraphs->flow;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		uint32_t last = hd_flow_last(flow, b), from = subgraphs->of[last];
		for (uint32_t i = flow->blocks[b].first; i < last; i++)
			if (subgraphs->of[i] != subgraphs->of[i + 1])
				hd_vec_push(&edges->list, (struct hd_edge){subgraphs->of[i], subgraphs->of[i + 1]});
		for (uint32_t e = flow->graph.succ_start[b]; e < flow->graph.succ_start[b + 1]; e++) {
			uint32_t to = subgraphs->of[flow->blocks[flow->graph.succ[e]].first];
			if (from != to)
				hd_vec_push(&edges->list, (struct hd_edge){from, to});
		}
	}
}

struct reduction {
	uint32_t limit, merged;
	const struct hd_subgraph *from;
	struct hd_graph graph;
	HD_VEC(struct hd_subgraph) list; /* the next level */
	HD_VEC(uint32_t) header;	 /* of each of these, its first member */
	HD_VEC(uint32_t) members;	 /* of the one that grows */
	HD_VEC(uint32_t) ready;
	uint32_t *next_level, *arrived, *arrived_at; /* of each subgraph of this level */
};

static void begin_next(struct reduction *reduction, uint32_t member)
{
	reduction->next_level[member] = reduction->list.len;
	hd_vec_push(&reduction->list, reduction->from[member]);
	hd_vec_push(&reduction->header, member);
}

static void add_member(struct reduction *reduction, uint32_t id, uint32_t member)
{
	const struct hd_graph *graph = &reduction->graph;
	reduction->next_level[member] = id;
	hd_vec_push(&reduction->members, member);
	for (uint32_t e = graph->succ_start[member]; e < graph->succ_start[member + 1]; e++) {
		uint32_t to = graph->succ[e];
		if (reduction->arrived_at[to] != id)
			reduction->arrived[to] = 0;
		reduction->arrived_at[to] = id;
		if (++reduction->arrived[to] == graph->pred_start[to + 1] - graph->pred_start[to])
			hd_vec_push(&reduction->ready, to);
	}
}

static void merge(struct reduction *reduction, uint32_t id, uint32_t member)
{
	struct hd_subgraph *into = &reduction->list.data[id];
	const struct hd_subgraph *from = &reduction->from[member];
	struct hd_regset set = into->set;
	hd_regset_union(&set, &from->set);
	if (reduction->next_level[member] != HD_NO_NODE || into->call || from->call ||
	    hd_regset_count(&set) > reduction->limit)
		return;
	into->set = set;
	reduction->merged++;
	add_member(reduction, id, member);
}

/* Lines 9 to 21. */
static void reduce_one(struct reduction *reduction, uint32_t id)
{
	const struct hd_graph *graph = &reduction->graph;
	hd_vec_clear(&reduction->members);
	hd_vec_clear(&reduction->ready);
	add_member(reduction, id, reduction->header.data[id]);
	for (uint32_t next = 0; next < reduction->ready.len; next++)
		merge(reduction, id, reduction->ready.data[next]);
	for (uint32_t i = 0; i < reduction->members.len; i++) {
		uint32_t member = reduction->members.data[i];
		for (uint32_t e = graph->succ_start[member]; e < graph->succ_start[member + 1]; e++)
			if (reduction->next_level[graph->succ[e]] == HD_NO_NODE)
				begin_next(reduction, graph->succ[e]);
	}
}

static void relabel(struct edges *edges, const uint32_t *map)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < edges->list.len; i++) {
		struct hd_edge edge = {map[edges->list.data[i].from], map[edges->list.data[i].to]};
		if (edge.from != edge.to)
			edges->list.data[kept++] = edge;
	}
	edges->list.len = kept;
}

/* One application of Algorithm 2 to growth->list. `total` maps what pass 1 made to what is there now. */
static uint32_t reduce(struct growth *growth, struct edges *edges, uint32_t *total, uint32_t total_count)
{
	struct hd_arena arena;
	uint32_t count = growth->list.len;
	struct reduction reduction = {.limit = growth->subgraphs->limit, .from = growth->list.data};
	hd_arena_init(&arena);
	hd_graph_build(&reduction.graph, &arena, count, 0, edges->list.data, edges->list.len);
	reduction.next_level = HD_ARENA_NEW(&arena, uint32_t, count);
	reduction.arrived = HD_ARENA_NEW(&arena, uint32_t, count);
	reduction.arrived_at = HD_ARENA_NEW(&arena, uint32_t, count);
	memset(reduction.next_level, 0xff, sizeof(uint32_t) * count);
	memset(reduction.arrived_at, 0xff, sizeof(uint32_t) * count);
	for (uint32_t member = 0, id = 0; member < count; member++) {
		if (reduction.next_level[member] == HD_NO_NODE)
			begin_next(&reduction, member);
		while (id < reduction.list.len)
			reduce_one(&reduction, id++);
	}
	relabel(edges, reduction.next_level);
	for (uint32_t i = 0; i < total_count; i++)
		total[i] = reduction.next_level[total[i]];
	if (count)
		memcpy(growth->list.data, reduction.list.data, sizeof(*growth->list.data) * reduction.list.len);
	growth->list.len = reduction.list.len;
	hd_vec_release(&reduction.list);
	hd_vec_release(&reduction.header);
	hd_vec_release(&reduction.members);
	hd_vec_release(&reduction.ready);
	hd_arena_release(&arena);
	return reduction.merged;
}

/* "The second pass is repeated until the CFG can not be reduced anymore." */
static void reduce_all(struct growth *growth)
{
	struct hd_subgraphs *subgraphs = growth->subgraphs;
	uint32_t count = growth->list.len, *total = hd_xcalloc(count + 1, sizeof(*total));
	struct edges edges = {0};
	find_edges(subgraphs, &edges);
	for (uint32_t i = 0; i < count; i++)
		total[i] = i;
	while (reduce(growth, &edges, total, count))
		subgraphs->rounds++;
	for (uint32_t i = 0; i < subgraphs->flow->function->inst_count; i++)
		subgraphs->of[i] = total[subgraphs->of[i]];
	hd_vec_release(&edges.list);
	free(total);
}

/* ---- the result */

/* Numbers them by their entries. */
static void finish(struct growth *growth, struct hd_arena *arena)
{
	struct hd_subgraphs *subgraphs = growth->subgraphs;
	uint32_t inst_count = subgraphs->flow->function->inst_count;
	uint32_t *id = hd_xcalloc(growth->list.len + 1, sizeof(*id));
	subgraphs->list = HD_ARENA_NEW(arena, struct hd_subgraph, growth->list.len);
	for (uint32_t i = 0; i < inst_count; i++) {
		uint32_t old = subgraphs->of[i];
		if (growth->list.data[old].entry != i)
			continue;
		id[old] = subgraphs->count;
		subgraphs->list[subgraphs->count++] = growth->list.data[old];
	}
	for (uint32_t i = 0; i < inst_count; i++) {
		subgraphs->of[i] = id[subgraphs->of[i]];
		subgraphs->list[subgraphs->of[i]].inst_count++;
	}
	free(id);
}

static void find_live(struct hd_subgraphs *subgraphs, const struct hd_liveness *liveness)
{
	const struct hd_flow *flow = subgraphs->flow;
	HD_VEC(struct hd_regset) live = {0};
	for (uint32_t i = 0, block = HD_NO_NODE; i < subgraphs->count; i++) {
		struct hd_subgraph *subgraph = &subgraphs->list[i];
		if (flow->block_of[subgraph->entry] != block) {
			block = flow->block_of[subgraph->entry];
			hd_vec_reserve(&live, flow->blocks[block].count + 1);
			hd_liveness_block(liveness, block, live.data);
		}
		subgraph->live_in =
			hd_liveness_diverged(liveness, block, &live.data[subgraph->entry - flow->blocks[block].first]);
		hd_regset_intersect(&subgraph->live_in, &subgraph->set);
	}
	hd_vec_release(&live);
}

uint32_t hd_subgraphs_compute(struct hd_subgraphs *subgraphs, enum hd_subgraph_kind kind, uint32_t limit,
			      const struct hd_liveness *liveness, struct hd_arena *arena)
{
	const struct hd_flow *flow = liveness->flow;
	struct growth growth = {.subgraphs = subgraphs, .too_wide = HD_NO_NODE};
	*subgraphs = (struct hd_subgraphs){.flow = flow, .kind = kind, .limit = limit};
	subgraphs->of = HD_ARENA_NEW(arena, uint32_t, flow->function->inst_count);
	memset(subgraphs->of, 0xff, sizeof(uint32_t) * flow->function->inst_count);
	form(&growth, arena);
	if (growth.too_wide == HD_NO_NODE) {
		subgraphs->first_count = growth.list.len;
		if (kind == HD_REGISTER_INTERVALS)
			reduce_all(&growth);
		finish(&growth, arena);
		find_live(subgraphs, liveness);
	}
	hd_vec_release(&growth.list);
	hd_vec_release(&growth.done);
	hd_vec_release(&growth.ready);
	return growth.too_wide;
}

uint32_t hd_subgraphs_prefetches(const struct hd_subgraphs *subgraphs)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < subgraphs->count; i++)
		count += hd_regset_count(&subgraphs->list[i].set) != 0;
	return count;
}
