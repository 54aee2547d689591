/*
 * Figure 2.5 of gpu-multiprogramming-lin has lanes wait where a SIMT stack leaves them: at a divergent branch or where
 * its paths meet. Two things make others run past that place meanwhile, to the end of the kernel if nothing stops them:
 * a path that spins makes way (runtime/exec/yield.c), and a path that is at a shuffle, vote, match or __syncwarp waits
 * for lanes of its mask that are elsewhere (runtime/exec/meet.c).
 *
 * Where a loop can be a wait (lib/object/spins.h) and lanes can part, a lane may wait at any place of the functions
 * that call each other there, while others are at any other one, and what a warp needs is what any of these places
 * does.
 *
 * An operation among lanes makes lanes wait out of order where it stands between a divergent branch and the point where
 * its paths meet. In a kernel any place that the branch leads to may then be run while others are at any other such
 * place; before the branch all are together. In a function the same goes on in its callers: the functions that call
 * each other there are taken as above, and so they are when one with such an operation is called where lanes are apart.
 *
 * The masks of preemption points, what intervals bring, and operands that are dead for the whole warp are then as wide.
 *
 * Linear in the code for each divergent branch, and in the calls for each round of joining functions; helpers join
 * nothing, unless there is such an operation in them.
 */
#include "passes/analysis/yields.h"
#include "heddle/opcodes.h"

#include "lib/object/spins.h"
#include "lib/vec.h"
#include "passes/analysis/spread.h"

/* Functions that call each other, by the least of them. */
struct group {
	struct hd_regset needs;
	bool spins, parts, meets_apart;
};

struct finder {
	const struct hd_object *object;
	const struct hd_flow *flows;
	const struct hd_callgraph *calls;
	const struct hd_bitset *uniform;
	struct hd_arena *arena;
	bool *meets;		  /* of each function: it or what it calls has an operation among lanes */
	bool *entered_apart;	  /* ... and it may be called where lanes of the warp are elsewhere */
	struct hd_bitset *apart;  /* blocks in which some may be elsewhere */
	struct hd_bitset *behind; /* blocks that such a branch leads to */
};

/* ---- operations among lanes */

static bool has_meeting(const struct hd_function *function)
{
	for (uint32_t i = 0; i < function->inst_count; i++)
		if (hd_op_meets(function->insts[i].op, function->insts[i].mods))
			return true;
	return false;
}

static bool site_meets(const struct finder *finder, const struct hd_call_site *site)
{
	bool meets = site->unknown;
	for (uint32_t c = 0; c < site->callee_count; c++)
		meets |= finder->meets[site->callees[c]];
	return meets;
}

static void find_meetings(struct finder *finder)
{
	for (uint32_t f = 0; f < finder->object->function_count; f++)
		finder->meets[f] = has_meeting(&finder->object->functions[f]);
	for (bool again = true; again;) {
		again = false;
		for (uint32_t s = 0; s < finder->calls->site_count; s++) {
			const struct hd_call_site *site = &finder->calls->sites[s];
			bool before = finder->meets[site->function];
			finder->meets[site->function] |= site_meets(finder, site);
			again |= finder->meets[site->function] != before;
		}
	}
}

/* Blocks with such an operation, or a call of what has one. */
static struct hd_bitset meeting_blocks(const struct finder *finder, uint32_t f)
{
	const struct hd_flow *flow = &finder->flows[f];
	struct hd_bitset blocks = hd_bitset_new(finder->arena, flow->block_count);
	for (uint32_t i = 0; i < flow->function->inst_count; i++)
		if (hd_op_meets(flow->function->insts[i].op, flow->function->insts[i].mods))
			hd_bitset_add(&blocks, flow->block_of[i]);
	for (uint32_t s = finder->calls->site_start[f]; s < finder->calls->site_start[f + 1]; s++)
		if (site_meets(finder, &finder->calls->sites[s]))
			hd_bitset_add(&blocks, flow->block_of[finder->calls->sites[s].inst]);
	return blocks;
}

static bool share_a_block(const struct hd_bitset *a, const struct hd_bitset *b)
{
	HD_BITSET_FOREACH (a, block)
		if (hd_bitset_has(b, block))
			return true;
	return false;
}

static void add_blocks(struct hd_bitset *to, const struct hd_bitset *from)
{
	HD_BITSET_FOREACH (from, block)
		hd_bitset_add(to, block);
}

/* Blocks that the end of `from` leads to, up to `until` but without it. */
static void walk(const struct hd_flow *flow, uint32_t from, uint32_t until, struct hd_bitset *blocks)
{
	HD_VEC(uint32_t) queue = {0};
	hd_vec_push(&queue, from);
	while (queue.len) {
		uint32_t at = hd_vec_pop(&queue);
		for (uint32_t e = flow->graph.succ_start[at]; e < flow->graph.succ_start[at + 1]; e++) {
			uint32_t to = flow->graph.succ[e];
			if (to == until || hd_bitset_has(blocks, to))
				continue;
			hd_bitset_add(blocks, to);
			hd_vec_push(&queue, to);
		}
	}
	hd_vec_release(&queue);
}

static bool parts_at(const struct finder *finder, uint32_t f, uint32_t inst)
{
	const struct hd_inst *code = &finder->flows[f].function->insts[inst];
	bool branches = hd_opinfo[code->op].effects & HD_FX_BRANCH && (code->guard != HD_PT || code->op == HD_OP_BRX);
	return branches && !hd_bitset_has(&finder->uniform[f], inst);
}

static void find_apart(struct finder *finder, uint32_t f)
{
	const struct hd_flow *flow = &finder->flows[f];
	struct hd_bitset meeting = meeting_blocks(finder, f);
	finder->apart[f] = hd_bitset_new(finder->arena, flow->block_count);
	finder->behind[f] = hd_bitset_new(finder->arena, flow->block_count);
	for (uint32_t b = 0; b < flow->block_count; b++) {
		if (!parts_at(finder, f, hd_flow_last(flow, b)))
			continue;
		struct hd_bitset region = hd_bitset_new(finder->arena, flow->block_count);
		walk(flow, b, hd_reconvergence_block(flow, b), &region);
		add_blocks(&finder->apart[f], &region);
		if (share_a_block(&region, &meeting))
			walk(flow, b, HD_NO_NODE, &finder->behind[f]);
	}
	for (uint32_t s = finder->calls->site_start[f]; s < finder->calls->site_start[f + 1]; s++) {
		const struct hd_call_site *site = &finder->calls->sites[s];
		const struct hd_inst *call = &flow->function->insts[site->inst];
		uint32_t block = flow->block_of[site->inst];
		if (call->guard == HD_PT && call->op != HD_OP_CALLI)
			continue;
		hd_bitset_add(&finder->apart[f], block);
		if (!site_meets(finder, site))
			continue;
		hd_bitset_add(&finder->behind[f], block);
		walk(flow, block, HD_NO_NODE, &finder->behind[f]);
	}
	add_blocks(&finder->apart[f], &finder->behind[f]);
}

static void find_entered(struct finder *finder)
{
	for (uint32_t f = 0; f < finder->object->function_count; f++)
		finder->entered_apart[f] = finder->calls->address_taken[f];
	for (bool again = true; again;) {
		again = false;
		for (uint32_t s = 0; s < finder->calls->site_count; s++) {
			const struct hd_call_site *site = &finder->calls->sites[s];
			uint32_t block = finder->flows[site->function].block_of[site->inst];
			bool apart = finder->entered_apart[site->function] ||
				     hd_bitset_has(&finder->apart[site->function], block);
			for (uint32_t c = 0; c < site->callee_count && apart; c++) {
				again |= !finder->entered_apart[site->callees[c]];
				finder->entered_apart[site->callees[c]] = true;
			}
		}
	}
}

/* ---- groups */

static uint32_t *join_functions(const struct finder *finder)
{
	uint32_t count = finder->object->function_count, *of = HD_ARENA_NEW(finder->arena, uint32_t, count + 1);
	for (uint32_t f = 0; f < count; f++)
		of[f] = f;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t s = 0; s < finder->calls->site_count; s++) {
			const struct hd_call_site *site = &finder->calls->sites[s];
			bool joins = !site->helper || site_meets(finder, site);
			for (uint32_t c = 0; c < site->callee_count && joins; c++) {
				uint32_t *a = &of[site->function], *b = &of[site->callees[c]];
				again |= *a != *b;
				*a = *b = *a < *b ? *a : *b;
			}
		}
	}
	return of;
}

static bool may_wait(const struct hd_spins *spins, const struct hd_function *function)
{
	uint8_t *of = hd_xcalloc(function->inst_count + 1, 1);
	unsigned any = HD_SPIN_NEVER;
	hd_spins_find(spins, function, of);
	for (uint32_t i = 0; i < function->inst_count; i++)
		any |= of[i];
	free(of);
	return any != HD_SPIN_NEVER;
}

/* Whether lanes may go on at different places, as calls and returns under a guard have it, too. */
static bool may_part(const struct hd_flow *flow, const struct hd_bitset *uniform)
{
	for (uint32_t i = 0; i < flow->function->inst_count; i++) {
		const struct hd_inst *inst = &flow->function->insts[i];
		unsigned effects = hd_opinfo[inst->op].effects;
		bool guarded = inst->guard != HD_PT && effects & (HD_FX_BRANCH | HD_FX_CALL | HD_FX_RET);
		if ((guarded || inst->op == HD_OP_BRX || inst->op == HD_OP_CALLI) && !hd_bitset_has(uniform, i))
			return true;
	}
	return false;
}

/* What is live before any instruction of a block. */
static void add_needs(const struct hd_flow *flow, uint32_t block, struct hd_regset *needs)
{
	struct hd_regset live = flow->live_out[block];
	hd_regset_union(needs, &live);
	for (uint32_t i = hd_flow_last(flow, block) + 1; i-- > flow->blocks[block].first;) {
		hd_flow_live_before(flow, i, &live);
		hd_regset_union(needs, &live);
	}
}

static struct group *find_groups(const struct finder *finder, const uint32_t *of)
{
	uint32_t count = finder->object->function_count;
	struct group *groups = HD_ARENA_NEW(finder->arena, struct group, count + 1);
	struct hd_spins spins;
	hd_spins_init(&spins, finder->object, finder->arena);
	for (uint32_t f = 0; f < count; f++) {
		const struct hd_function *function = &finder->object->functions[f];
		bool inside = finder->meets[f] && finder->entered_apart[f];
		groups[of[f]].spins |= may_wait(&spins, function);
		groups[of[f]].parts |= may_part(&finder->flows[f], &finder->uniform[f]);
		if (!function->kernel)
			groups[of[f]].meets_apart |= inside || hd_bitset_count(&finder->behind[f]);
	}
	for (uint32_t s = 0; s < finder->calls->site_count; s++) /* code that is not here may do all of it */
		if (finder->calls->sites[s].unknown)
			groups[of[finder->calls->sites[s].function]].meets_apart = true;
	return groups;
}

static void add_all(const struct finder *finder, const uint32_t *of, struct group *groups, struct hd_yields *yields)
{
	uint32_t count = finder->object->function_count;
	for (uint32_t f = 0; f < count; f++) {
		const struct group *group = &groups[of[f]];
		if ((!group->spins || !group->parts) && !group->meets_apart)
			continue;
		for (uint32_t b = 0; b < finder->flows[f].block_count; b++) {
			hd_bitset_add(&yields[f].blocks, b);
			add_needs(&finder->flows[f], b, &groups[of[f]].needs);
		}
	}
	for (uint32_t f = 0; f < count; f++)
		yields[f].needs = groups[of[f]].needs;
}

struct hd_yields *hd_yields_find(const struct hd_object *object, const struct hd_flow *flows,
				 const struct hd_callgraph *calls, const struct hd_bitset *uniform,
				 struct hd_arena *arena)
{
	uint32_t count = object->function_count;
	struct finder finder = {.object = object, .flows = flows, .calls = calls, .uniform = uniform, .arena = arena};
	struct hd_yields *yields = HD_ARENA_NEW(arena, struct hd_yields, count + 1);
	finder.meets = HD_ARENA_NEW(arena, bool, count + 1);
	finder.entered_apart = HD_ARENA_NEW(arena, bool, count + 1);
	finder.apart = HD_ARENA_NEW(arena, struct hd_bitset, count + 1);
	finder.behind = HD_ARENA_NEW(arena, struct hd_bitset, count + 1);
	find_meetings(&finder);
	for (uint32_t f = 0; f < count; f++) {
		find_apart(&finder, f);
		yields[f].blocks = hd_bitset_new(arena, flows[f].block_count);
	}
	find_entered(&finder);
	const uint32_t *of = join_functions(&finder);
	add_all(&finder, of, find_groups(&finder, of), yields);
	for (uint32_t f = 0; f < count; f++)
		for (uint32_t b = 0; b < flows[f].block_count; b++) {
			if (!hd_bitset_has(&finder.behind[f], b))
				continue;
			hd_bitset_add(&yields[f].blocks, b);
			add_needs(&flows[f], b, &yields[f].needs);
		}
	return yields;
}
