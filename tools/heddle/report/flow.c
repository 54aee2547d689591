/*
 * The flow of values through one function. A call reads the argument registers and sets the caller-saved ones: what is
 * read behind it and is not callee-saved comes from it.
 *
 * Cost: liveness O(instructions * loop depth); producers of one instruction O(instructions) at most.
 */
#include "tools/heddle/report/flow.h"

#include <stdlib.h>

#include "lib/machine/abi.h"
#include "lib/machine/regset.h"
#include "lib/vec.h"

/* Registers, predicates and uniform registers. */
struct names {
	struct hd_regset set;
	uint64_t uniform;
};

struct flow {
	const struct hd_function *function;
	struct names *reads, *writes; /* of each instruction */
	struct hd_regset *live;	      /* before each instruction */
	uint32_t *before;	      /* [before_start[i] .. before_start[i + 1]): predecessors of instruction i */
	uint32_t *before_start;
};

static bool is_empty(const struct names *names)
{
	return !names->uniform && !names->set.preds && !hd_regset_count(&names->set);
}

static bool meets(const struct names *a, const struct names *b)
{
	struct hd_regset both = a->set;
	hd_regset_intersect(&both, &b->set);
	return a->uniform & b->uniform || both.preds || hd_regset_count(&both);
}

static void subtract(struct names *from, const struct names *names)
{
	hd_regset_subtract(&from->set, &names->set);
	from->uniform &= ~names->uniform;
}

/* Returns whether `to` grew. */
static bool unite(struct names *to, const struct names *names)
{
	uint64_t uniform = to->uniform;
	to->uniform |= names->uniform;
	return hd_regset_union(&to->set, &names->set) || uniform != to->uniform;
}

/* ------------------------------------------------------------------ each instruction */

static const struct hd_function *callee_of(const struct hd_listing *listing, uint32_t index)
{
	const struct hd_reloc *reloc = listing->reloc[index];
	if (!reloc || reloc->kind != HD_REL_CALL)
		return NULL;
	const struct hd_symbol *symbol = &listing->object->symbols[reloc->symbol];
	return symbol->defined && symbol->kind == HD_SYM_FUNCTION ? &listing->object->functions[symbol->function]
								  : NULL;
}

/* Whether the callee keeps what it does not write itself: its callers know which registers a helper uses. */
static bool is_leaf_helper(const struct hd_function *callee)
{
	for (uint32_t i = 0; callee && callee->helper && i < callee->inst_count; i++)
		if (hd_opinfo[callee->insts[i].op].effects & HD_FX_CALL)
			return false;
	return callee && callee->helper;
}

static void add_call(const struct hd_listing *listing, uint32_t index, struct names *reads, struct names *writes)
{
	const struct hd_function *callee = callee_of(listing, index);
	bool keeps = is_leaf_helper(callee);
	for (uint32_t reg = 0; reg < HD_ABI_FIRST_SAVED; reg++) {
		bool argument = reg >= HD_ABI_FIRST_ARG && reg < HD_ABI_FIRST_ARG + HD_ABI_ARG_COUNT;
		if (reg == HD_ABI_STACK_POINTER)
			continue;
		if (!keeps)
			hd_regset_add(&writes->set, reg);
		if (argument && !callee)
			hd_regset_add(&reads->set, reg);
	}
	/* What the callee reads before it writes it, in the order of its code: the argument registers of straight code,
	 * and at most too many with branches. */
	struct hd_regset written = {{0}, 0}, read, set;
	for (uint32_t i = 0; callee && i < callee->inst_count; i++) {
		hd_inst_reads(&callee->insts[i], &read);
		hd_inst_writes(&callee->insts[i], &set);
		for (uint32_t reg = 0; reg < HD_ABI_FIRST_SAVED; reg++)
			if (hd_regset_has(&read, reg) && !hd_regset_has(&written, reg))
				hd_regset_add(&reads->set, reg);
		if (keeps)
			hd_regset_union(&writes->set, &set);
		if (callee->insts[i].guard == HD_PT)
			hd_regset_union(&written, &set);
	}
}

static void find_names(struct flow *flow, const struct hd_listing *listing)
{
	for (uint32_t i = 0; i < flow->function->inst_count; i++) {
		const struct hd_inst *inst = &flow->function->insts[i];
		uint16_t effects = hd_opinfo[inst->op].effects;
		hd_inst_reads(inst, &flow->reads[i].set);
		hd_inst_writes(inst, &flow->writes[i].set);
		flow->reads[i].uniform = hd_inst_uniform_reads(inst);
		flow->writes[i].uniform = hd_inst_uniform_writes(inst);
		if (effects & HD_FX_CALL)
			add_call(listing, i, &flow->reads[i], &flow->writes[i]);
		if (effects & HD_FX_RET && !flow->function->kernel)
			hd_regset_add_run(&flow->reads[i].set, HD_ABI_FIRST_RESULT, flow->function->result_words);
	}
}

static uint32_t successors(const struct flow *flow, uint32_t index, uint32_t **room, uint32_t *capacity)
{
	uint32_t count = hd_inst_successors(flow->function, index, *room, *capacity);
	if (count > *capacity) {
		*capacity = count;
		*room = hd_xrealloc(*room, sizeof(**room) * count);
		hd_inst_successors(flow->function, index, *room, count);
	}
	return count;
}

static void find_edges(struct flow *flow, struct hd_arena *arena)
{
	uint32_t count = flow->function->inst_count, capacity = 2, *next = hd_xcalloc(capacity, sizeof(*next));
	flow->before_start = HD_ARENA_NEW(arena, uint32_t, count + 2);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t s = successors(flow, i, &next, &capacity); s-- > 0;)
			flow->before_start[next[s] + 2]++;
	for (uint32_t i = 0; i <= count; i++)
		flow->before_start[i + 1] += flow->before_start[i];
	flow->before = HD_ARENA_NEW(arena, uint32_t, flow->before_start[count + 1] + 1);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t s = successors(flow, i, &next, &capacity); s-- > 0;)
			flow->before[flow->before_start[next[s] + 1]++] = i;
	free(next);
}

/* ------------------------------------------------------------------ liveness */

static struct hd_regset before_of(const struct flow *flow, uint32_t index, const struct hd_regset *after)
{
	struct hd_regset set = *after;
	if (flow->function->insts[index].guard == HD_PT)
		hd_regset_subtract(&set, &flow->writes[index].set);
	hd_regset_union(&set, &flow->reads[index].set);
	return set;
}

/* A work list: an instruction whose set has grown passes it on to those before it. */
static void find_live(struct flow *flow)
{
	uint32_t count = flow->function->inst_count;
	HD_VEC(uint32_t) work = {0};
	struct hd_regset *after = hd_xcalloc(count, sizeof(*after));
	for (uint32_t i = 0; i < count; i++)
		hd_vec_push(&work, i);
	while (work.len) {
		uint32_t i = work.data[--work.len];
		flow->live[i] = before_of(flow, i, &after[i]);
		for (uint32_t e = flow->before_start[i]; e < flow->before_start[i + 1]; e++)
			if (hd_regset_union(&after[flow->before[e]], &flow->live[i]))
				hd_vec_push(&work, flow->before[e]);
	}
	free(after);
	hd_vec_release(&work);
}

struct flow *flow_new(const struct hd_listing *listing, struct hd_arena *arena)
{
	struct flow *flow = HD_ARENA_NEW(arena, struct flow, 1);
	uint32_t count = listing->function->inst_count;
	flow->function = listing->function;
	flow->reads = HD_ARENA_NEW(arena, struct names, count + 1);
	flow->writes = HD_ARENA_NEW(arena, struct names, count + 1);
	flow->live = HD_ARENA_NEW(arena, struct hd_regset, count + 1);
	find_names(flow, listing);
	find_edges(flow, arena);
	find_live(flow);
	return flow;
}

uint32_t flow_before(const struct flow *flow, uint32_t index, const uint32_t **before)
{
	*before = flow->before + flow->before_start[index];
	return flow->before_start[index + 1] - flow->before_start[index];
}

uint32_t flow_live(const struct flow *flow, uint32_t index)
{
	return hd_regset_count(&flow->live[index]);
}

/* ------------------------------------------------------------------ producers */

static int by_number(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	/* FLOW_CALLER is the largest number, and stands first. */
	return (left + 1 > right + 1) - (left + 1 < right + 1);
}

/* Backwards from the instruction, with the names that are still sought at the end of each. */
static uint32_t *find_producers(const struct flow *flow, uint32_t index, struct names wanted, enum flow_kind kind,
				struct hd_arena *arena, uint32_t *count)
{
	struct names *sought = hd_xcalloc(flow->function->inst_count, sizeof(*sought));
	HD_VEC(uint32_t) work = {0}, found = {0};
	bool caller = false;
	uint32_t at = index;
	for (;;) {
		/* `wanted` at the start of `at`: to the end of those before it. */
		caller |= at == 0 && kind == FLOW_VALUE && !is_empty(&wanted);
		for (uint32_t e = flow->before_start[at]; e < flow->before_start[at + 1] && !is_empty(&wanted); e++)
			if (unite(&sought[flow->before[e]], &wanted))
				hd_vec_push(&work, flow->before[e]);
		if (!work.len)
			break;
		at = work.data[--work.len];
		wanted = sought[at];
		if (flow->function->insts[at].guard == HD_PT)
			subtract(&wanted, &flow->writes[at]);
	}
	for (uint32_t i = 0; i < flow->function->inst_count; i++)
		if (meets(&sought[i], &flow->writes[i]) || (kind == FLOW_ORDER && meets(&sought[i], &flow->reads[i])))
			hd_vec_push(&found, i);
	if (caller)
		hd_vec_push(&found, FLOW_CALLER);
	uint32_t *array = HD_ARENA_NEW(arena, uint32_t, found.len + 1);
	for (uint32_t i = 0; i < found.len; i++)
		array[i] = found.data[i];
	qsort(array, found.len, sizeof(*array), by_number);
	*count = found.len;
	free(sought);
	hd_vec_release(&work);
	hd_vec_release(&found);
	return array;
}

uint32_t *flow_producers(const struct flow *flow, uint32_t index, enum flow_kind kind, struct hd_arena *arena,
			 uint32_t *count)
{
	struct names wanted = kind == FLOW_VALUE ? flow->reads[index] : flow->writes[index];
	return find_producers(flow, index, wanted, kind, arena, count);
}

uint32_t *flow_setters(const struct flow *flow, uint32_t index, uint32_t reg, uint32_t words, struct hd_arena *arena,
		       uint32_t *count)
{
	struct names wanted = {0};
	hd_regset_add_run(&wanted.set, reg, words);
	return find_producers(flow, index, wanted, FLOW_VALUE, arena, count);
}
