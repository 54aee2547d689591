/*
 * What runs beside a warp's instructions. Three kinds of work end in groups: copies (LDGSTS), products of warpgroups,
 * and copies in bulk to global memory. A wait leaves the youngest groups under way. So the code is read backwards from
 * it, and ends of groups are counted: work behind fewer of them than the wait leaves is not awaited, nor is work that
 * an earlier wait on the path has seen to its end.
 *
 * A wait at a barrier in shared memory (mbarrier) is for what comes to this barrier, from any thread: the whole
 * function is searched. Barriers are told apart by what their addresses add to an index: a ring of them has one base.
 * Where copies come to the barrier they have the whole wait, since an arrival takes some cycles and a copy hundreds.
 *
 * A fence waits for the stores since the one before it, and so does a warp that has ended.
 *
 * Cost: O(instructions * groups) for a wait; for a barrier, that of a few producers (flow.h) for each arrival.
 */
#include "tools/heddle/report/pending.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/opcodes.h"
#include "heddle/stats.h"
#include "lib/hash.h"
#include "lib/vec.h"

enum step { NOTHING, START, COMMIT, WAIT };
typedef enum step classify(const struct hd_inst *inst);

/* ------------------------------------------------------------------ groups */

static enum step step_of_copy(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_LDGSTS: return START;
	case HD_OP_LDGDEPBAR: return COMMIT;
	case HD_OP_DEPBAR: return WAIT;
	default: return NOTHING;
	}
}

static enum step step_of_product(const struct hd_inst *inst)
{
	if (inst->op == HD_OP_WGMMA)
		return START;
	if (inst->op != HD_OP_WARPGROUP)
		return NOTHING;
	switch (hd_mod_get(inst->mods, HD_MOD_WGMODE)) {
	case HD_WG_COMMIT: return COMMIT;
	case HD_WG_WAIT:
	case HD_WG_SERIALIZE: return WAIT;
	default: return NOTHING;
	}
}

static bool is_bulk_store(const struct hd_inst *inst)
{
	bool bytes = inst->op == HD_OP_UBLKCP || inst->op == HD_OP_UBLKRED;
	return (bytes && hd_mod_get(inst->mods, HD_MOD_BULK) == HD_BULK_S2G) || inst->op == HD_OP_UTMASTG ||
	       inst->op == HD_OP_UTMAREDG;
}

static enum step step_of_store(const struct hd_inst *inst)
{
	if (is_bulk_store(inst))
		return START;
	return inst->op == HD_OP_UTMACMDFLUSH ? COMMIT : inst->op == HD_OP_UTMAWAIT ? WAIT : NOTHING;
}

struct place {
	uint32_t at, ends; /* an instruction, and ends of groups between it and the wait */
};

struct walk {
	const struct flow *flow;
	/* By instruction and ends: how many ends there may be between work and the wait, plus one; 0: no path has come
	 * here. */
	uint8_t (*most)[HD_COPY_GROUPS + 1];
	HD_VEC(struct place) work;
};

static void reach(struct walk *walk, uint32_t index, uint32_t ends, uint32_t most)
{
	const uint32_t *before;
	uint32_t count = flow_before(walk->flow, index, &before);
	for (uint32_t i = 0; i < count && ends <= most && ends <= HD_COPY_GROUPS; i++) {
		uint8_t *seen = &walk->most[before[i]][ends];
		if (*seen > most)
			continue;
		*seen = (uint8_t)(most + 1);
		hd_vec_push(&walk->work, (struct place){before[i], ends});
	}
}

static void pass(struct walk *walk, const struct hd_inst *inst, struct place place, enum step step)
{
	uint32_t most = walk->most[place.at][place.ends] - 1u;
	bool surely = inst->guard == HD_PT;
	if (step == COMMIT)
		reach(walk, place.at, place.ends + 1, most);
	if (step == WAIT && surely && most > place.ends + inst->x)
		most = place.ends + inst->x;
	if (step != COMMIT || !surely)
		reach(walk, place.at, place.ends, most);
}

/* Adds the work that the wait is for: in groups older than the `left` youngest ones. */
static void find_groups(const struct flow *flow, const struct hd_function *function, uint32_t index, uint32_t left,
			classify *step_of, bool *found)
{
	struct walk walk = {.flow = flow, .most = hd_xcalloc(function->inst_count + 1, sizeof(*walk.most))};
	reach(&walk, index, 0, HD_COPY_GROUPS);
	while (walk.work.len) {
		struct place place = walk.work.data[--walk.work.len];
		const struct hd_inst *inst = &function->insts[place.at];
		enum step step = step_of(inst);
		found[place.at] |= step == START && place.ends > left;
		pass(&walk, inst, place, step);
	}
	free(walk.most);
	hd_vec_release(&walk.work);
}

/* ------------------------------------------------------------------ what stands before */

typedef bool test(const struct hd_inst *inst);

/* Adds what is `wanted` on the paths to the instruction, back to the first that surely is what they end at. */
static void find_before(const struct flow *flow, const struct hd_function *function, uint32_t index, test *wanted,
			test *ends, bool *found)
{
	HD_VEC(uint32_t) work = {0};
	bool *seen = hd_xcalloc(function->inst_count + 1, sizeof(*seen));
	hd_vec_push(&work, index);
	while (work.len) {
		const uint32_t *before;
		uint32_t count = flow_before(flow, work.data[--work.len], &before);
		for (uint32_t i = 0; i < count; i++) {
			const struct hd_inst *inst = &function->insts[before[i]];
			if (seen[before[i]])
				continue;
			seen[before[i]] = true;
			found[before[i]] |= wanted(inst);
			if (!ends(inst) || inst->guard != HD_PT)
				hd_vec_push(&work, before[i]);
		}
	}
	free(seen);
	hd_vec_release(&work);
}

static bool is_copy(const struct hd_inst *inst)
{
	return inst->op == HD_OP_LDGSTS;
}

static bool is_arrival_of_copies(const struct hd_inst *inst)
{
	return inst->op == HD_OP_ARRIVES;
}

static bool is_product(const struct hd_inst *inst)
{
	return inst->op == HD_OP_WGMMA;
}

static bool is_bulk_load(const struct hd_inst *inst)
{
	bool bytes = inst->op == HD_OP_UBLKCP || inst->op == HD_OP_UBLKRED;
	uint32_t way = hd_mod_get(inst->mods, HD_MOD_BULK);
	return (bytes && (way == HD_BULK_G2S || way == HD_BULK_S2S)) || inst->op == HD_OP_UTMALDG;
}

static bool is_bulk(const struct hd_inst *inst)
{
	return is_bulk_load(inst) || is_bulk_store(inst) || inst->op == HD_OP_UBLKCP || inst->op == HD_OP_UTMAPF;
}

static bool is_fence(const struct hd_inst *inst)
{
	return hd_opinfo[inst->op].effects & HD_FX_FENCE;
}

/* Loads are in front of what reads their results; copies in front of the waits for their group or barrier. */
static bool is_store(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	bool remote = inst->op == HD_OP_STAS || inst->op == HD_OP_REDAS;
	return info->effects & HD_FX_STORE && (remote || info->space != HD_AT_SHARED);
}

static bool is_access(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	return info->effects & (HD_FX_LOAD | HD_FX_STORE | HD_FX_ATOMIC) && info->space != HD_AT_CONST;
}

/* Adds the stores that an instruction finds under way; where there are none, all accesses. */
static void find_accesses(const struct flow *flow, const struct hd_function *function, uint32_t index, bool *found)
{
	bool any = false;
	find_before(flow, function, index, is_store, is_fence, found);
	for (uint32_t i = 0; i < function->inst_count; i++)
		any |= found[i];
	if (!any)
		find_before(flow, function, index, is_access, is_fence, found);
}

/* ------------------------------------------------------------------ barriers in shared memory */

/* What an address is beside an index: a number, and the sum of hashes of values that the function's caller or its
 * parameters have given. */
struct base {
	bool known;
	uint32_t number;
	uint64_t given;
};

struct bases {
	const struct flow *flow;
	const struct hd_function *function;
	struct hd_arena *arena;
	bool *inside; /* by instruction: its result is being looked at */
	uint32_t left;
};

enum { LOOKS = 200 }; /* instructions that one address is followed through */

static struct base base_of(struct bases *bases, uint32_t index, unsigned reg);

/* Mixed twice, so that a sum of some places is not that of others: multiples of one number would be. */
static struct base given_by(uint64_t place)
{
	return (struct base){true, 0, hd_hash_mix(hd_hash_mix(0, place + 1), 0)};
}

static struct base sum_of(struct base a, struct base b)
{
	return (struct base){a.known && b.known, a.number + b.number, a.given + b.given};
}

static struct base operand_of(struct bases *bases, uint32_t index, bool third)
{
	const struct hd_inst *inst = &bases->function->insts[index];
	uint8_t kind = inst->xkind;
	if (third ? hd_x_in_c(kind) : hd_x_in_b(kind))
		return hd_x_is_immediate(kind)	? (struct base){true, inst->x, 0}
		       : hd_x_is_constant(kind) ? given_by(UINT64_C(1) << 32 | inst->x)
						: (struct base){true, 0, 0};
	return base_of(bases, index, third ? inst->c : inst->b);
}

/* What is no sum, a product for example, is an index. */
static struct base base_of_result(struct bases *bases, uint32_t index, unsigned reg)
{
	const struct hd_inst *inst = &bases->function->insts[index];
	if (inst->dst != reg || inst->srcmods)
		return (struct base){true, 0, 0};
	switch (inst->op) {
	case HD_OP_MOV:
	case HD_OP_LEA: return operand_of(bases, index, false);
	case HD_OP_MAPA: return base_of(bases, index, inst->a);
	case HD_OP_IMAD:
	case HD_OP_IMAD_WIDE: return operand_of(bases, index, true);
	case HD_OP_IADD3:
		return sum_of(base_of(bases, index, inst->a),
			      sum_of(operand_of(bases, index, false), operand_of(bases, index, true)));
	default: return (struct base){true, 0, 0};
	}
}

/* What comes around a loop to the same instruction has been counted there. */
static struct base base_of(struct bases *bases, uint32_t index, unsigned reg)
{
	struct base all = {true, 0, 0};
	bool any = false;
	if (reg == HD_RZ)
		return all;
	if (!bases->left)
		return (struct base){0};
	bases->left--;
	uint32_t count, *setters = flow_setters(bases->flow, index, reg, 1, bases->arena, &count);
	for (uint32_t i = 0; i < count; i++) {
		bool caller = setters[i] == FLOW_CALLER;
		if (!caller && bases->inside[setters[i]])
			continue;
		if (!caller)
			bases->inside[setters[i]] = true;
		struct base one = caller ? given_by(reg) : base_of_result(bases, setters[i], reg);
		if (!caller)
			bases->inside[setters[i]] = false;
		if (any && (one.number != all.number || one.given != all.given))
			one.known = false;
		all = one;
		any = true;
		if (!all.known)
			break;
	}
	return all;
}

/* Returns whether the instruction makes something come to a barrier; `base` gets which. */
static bool comes_to_barrier(struct bases *bases, uint32_t index, struct base *base)
{
	const struct hd_inst *inst = &bases->function->insts[index];
	bool at_a = inst->op == HD_OP_SYNCS || inst->op == HD_OP_SYNCS_WAIT || inst->op == HD_OP_ARRIVES;
	bases->left = LOOKS;
	if (at_a)
		*base = sum_of(base_of(bases, index, inst->a), (struct base){true, inst->x, 0});
	else if (inst->op == HD_OP_STAS)
		*base = base_of(bases, index, inst->b);
	else if (inst->op == HD_OP_REDAS)
		*base = base_of(bases, index, inst->c);
	else if (is_bulk_load(inst))
		*base = base_of(bases, index, inst->a + 3u);
	else
		return false;
	return true;
}

static bool brings_data(const struct hd_inst *inst)
{
	return is_bulk_load(inst) || inst->op == HD_OP_ARRIVES || inst->op == HD_OP_STAS || inst->op == HD_OP_REDAS;
}

static bool is_arrival(const struct hd_inst *inst)
{
	if (inst->op != HD_OP_SYNCS)
		return false;
	switch (hd_mod_get(inst->mods, HD_MOD_SYNCSOP)) {
	case HD_SYNCS_ARRIVE:
	case HD_SYNCS_ARRIVE_TX:
	case HD_SYNCS_DROP:
	case HD_SYNCS_DROP_TX:
	case HD_SYNCS_COMPLETE_TX: return true;
	default: return false;
	}
}

static bool is_same(const struct base *a, const struct base *b)
{
	return a->known && b->known && a->number == b->number && a->given == b->given;
}

/* An arrival behind copies is these copies. */
static void add_arrival(const struct bases *bases, uint32_t index, bool *found)
{
	if (is_arrival_of_copies(&bases->function->insts[index]))
		find_before(bases->flow, bases->function, index, is_copy, is_arrival_of_copies, found);
	else
		found[index] = true;
}

/* What comes to the same base; where nothing is known to, what comes to any barrier. */
static void find_phase(const struct flow *flow, const struct hd_function *function, uint32_t index,
		       struct hd_arena *arena, bool *found)
{
	enum { OTHER, MAYBE, SAME } *at = hd_xcalloc(function->inst_count + 1, sizeof(*at)), best = OTHER;
	struct bases bases = {.flow = flow, .function = function, .arena = arena};
	struct base own, base;
	bool data = false;
	bases.inside = hd_xcalloc(function->inst_count + 1, sizeof(*bases.inside));
	comes_to_barrier(&bases, index, &own);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		const struct hd_inst *inst = &function->insts[i];
		if ((!brings_data(inst) && !is_arrival(inst)) || !comes_to_barrier(&bases, i, &base))
			continue;
		at[i] = is_same(&own, &base) ? SAME : MAYBE;
		best = at[i] > best ? at[i] : best;
	}
	for (uint32_t i = 0; i < function->inst_count; i++)
		data |= best != OTHER && at[i] == best && brings_data(&function->insts[i]);
	for (uint32_t i = 0; i < function->inst_count; i++)
		if (best != OTHER && at[i] == best && data == brings_data(&function->insts[i]))
			add_arrival(&bases, i, found);
	free(bases.inside);
	free(at);
}

/* ------------------------------------------------------------------ by reason */

static void find(const struct flow *flow, const struct hd_function *function, uint32_t index, unsigned reason,
		 struct hd_arena *arena, bool *found)
{
	const struct hd_inst *inst = &function->insts[index];
	/* An end of one group more than there is room for waits for the oldest. */
	uint32_t full = HD_COPY_GROUPS - 2;
	if (reason == HD_STALL_data_memory && step_of_copy(inst) >= COMMIT)
		find_groups(flow, function, index, inst->op == HD_OP_DEPBAR ? inst->x : full, step_of_copy, found);
	else if (reason == HD_STALL_data_memory && inst->op == HD_OP_ARRIVES)
		find_before(flow, function, index, is_copy, is_arrival_of_copies, found);
	else if (reason == HD_STALL_tensor && step_of_product(inst) == WAIT)
		find_groups(flow, function, index, inst->x, step_of_product, found);
	else if (reason == HD_STALL_tensor)
		find_before(flow, function, index, is_product, is_product, found);
	else if (reason == HD_STALL_bulk && step_of_store(inst) >= COMMIT)
		find_groups(flow, function, index, inst->op == HD_OP_UTMAWAIT ? inst->x : full, step_of_store, found);
	else if (reason == HD_STALL_bulk)
		find_before(flow, function, index, is_bulk, is_bulk, found);
	else if (reason == HD_STALL_async && inst->op == HD_OP_SYNCS_WAIT)
		find_phase(flow, function, index, arena, found);
	else if ((reason == HD_STALL_fence && is_fence(inst)) ||
		 (reason == HD_STALL_data_memory && hd_opinfo[inst->op].effects & HD_FX_EXIT))
		find_accesses(flow, function, index, found);
}

uint32_t *pending_find(const struct flow *flow, const struct hd_function *function, uint32_t index, unsigned reason,
		       struct hd_arena *arena, uint32_t *count)
{
	uint32_t *list = HD_ARENA_NEW(arena, uint32_t, function->inst_count + 1);
	bool *found = hd_xcalloc(function->inst_count + 1, sizeof(*found));
	find(flow, function, index, reason, arena, found);
	*count = 0;
	for (uint32_t i = 0; i < function->inst_count; i++)
		if (found[i])
			list[(*count)++] = i;
	free(found);
	return list;
}
