/*
 * Figure 2.5 of gpu-multiprogramming-lin has lanes wait where a SIMT stack leaves them: at a divergent branch or where
 * its paths meet. A path that spins makes way for others (runtime/exec/yield.c), which then run past that place, to the
 * end of the kernel if nothing stops them. So where a loop can be a wait (lib/object/spins.h) and lanes can part, a
 * lane may wait at any place of the functions that call each other there, while others are at any other one, and what
 * a warp needs is what any of these places does. The masks of preemption points, what intervals bring, and operands
 * that are dead for the whole warp are then as wide.
 *
 * Linear in the code, and in the calls for each round of joining functions; helpers join nothing.
 */
#include "passes/analysis/yields.h"
#include "heddle/opcodes.h"

#include "lib/object/spins.h"

/* Functions that call each other, by the least of them. */
struct group {
	struct hd_regset needs;
	bool spins, parts;
};

static uint32_t *join_functions(const struct hd_callgraph *calls, uint32_t count, struct hd_arena *arena)
{
	uint32_t *of = HD_ARENA_NEW(arena, uint32_t, count + 1);
	for (uint32_t f = 0; f < count; f++)
		of[f] = f;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t s = 0; s < calls->site_count; s++)
			for (uint32_t c = 0; c < calls->sites[s].callee_count && !calls->sites[s].helper; c++) {
				uint32_t *a = &of[calls->sites[s].function], *b = &of[calls->sites[s].callees[c]];
				again |= *a != *b;
				*a = *b = *a < *b ? *a : *b;
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

/* What is live before any instruction. */
static void add_needs(const struct hd_flow *flow, struct hd_regset *needs)
{
	for (uint32_t b = 0; b < flow->block_count; b++) {
		struct hd_regset live = flow->live_out[b];
		hd_regset_union(needs, &live);
		for (uint32_t i = hd_flow_last(flow, b) + 1; i-- > flow->blocks[b].first;) {
			hd_flow_live_before(flow, i, &live);
			hd_regset_union(needs, &live);
		}
	}
}

void hd_yields_add(const struct hd_object *object, const struct hd_flow *flows, const struct hd_callgraph *calls,
		   const struct hd_bitset *uniform, struct hd_regset *waiting, bool *yields)
{
	struct hd_arena arena;
	struct hd_spins spins;
	uint32_t count = object->function_count;
	hd_arena_init(&arena);
	hd_spins_init(&spins, object, &arena);
	uint32_t *of = join_functions(calls, count, &arena);
	struct group *groups = HD_ARENA_NEW(&arena, struct group, count + 1);
	for (uint32_t f = 0; f < count; f++) {
		groups[of[f]].spins |= may_wait(&spins, &object->functions[f]);
		groups[of[f]].parts |= may_part(&flows[f], &uniform[f]);
	}
	for (uint32_t s = 0; s < calls->site_count; s++) /* code that is not here may do both */
		if (calls->sites[s].unknown)
			groups[of[calls->sites[s].function]].spins = groups[of[calls->sites[s].function]].parts = true;
	for (uint32_t f = 0; f < count; f++) {
		yields[f] = groups[of[f]].spins && groups[of[f]].parts;
		if (yields[f])
			add_needs(&flows[f], &groups[of[f]].needs);
	}
	for (uint32_t f = 0; f < count; f++)
		if (yields[f])
			hd_regset_union(&waiting[f], &groups[of[f]].needs);
	hd_arena_release(&arena);
}
