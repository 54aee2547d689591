/*
 * What the figures leave open (the group `proof` of heddle/metadata.def): accesses of which nothing is proven, and
 * calls that make a figure over the call graph no bound. Each place in what a function reaches counts once.
 *
 * Needs the metadata's functions with their accesses and the call graph. Cost: linear in what each function reaches,
 * for those that reach anything to count.
 */
#include "passes/report/proof.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/bitset.h"
#include "passes/analysis/callgraph.h"
#include "passes/analysis/chain.h"
#include "passes/pass.h"

/* Places in the code of one function, or in all that it reaches. */
struct places {
	uint32_t accesses, sectors, conflicts, recursive, dynamic, unknown;
};

static struct hd_meta_function *facts_of(struct hd_unit *unit, uint32_t function)
{
	return hd_metadata_find_symbol(&unit->metadata, unit->object.functions[function].name);
}

static void count_access(struct places *places, enum hd_access_space space)
{
	places->accesses++;
	places->sectors += space != HD_ACCESS_SHARED;
	places->conflicts += space != HD_ACCESS_GLOBAL;
}

/* Code that no analysis has looked at: device functions. */
static void count_code(const struct hd_function *code, struct places *places)
{
	for (uint32_t i = 0; i < code->inst_count; i++) {
		const struct hd_opinfo *info = &hd_opinfo[code->insts[i].op];
		if (!(info->effects & (HD_FX_LOAD | HD_FX_STORE | HD_FX_ATOMIC)))
			continue;
		switch (info->space) {
		case HD_AT_GLOBAL: count_access(places, HD_ACCESS_GLOBAL); break;
		case HD_AT_SHARED: count_access(places, HD_ACCESS_SHARED); break;
		case HD_AT_GENERIC: count_access(places, HD_ACCESS_GENERIC); break;
		default: break;
		}
	}
}

static struct places own_places(struct hd_unit *unit, const struct hd_callgraph *calls, uint32_t function)
{
	const struct hd_meta_function *facts = facts_of(unit, function);
	struct places own = {.dynamic = facts->dynamic_stack};
	if (!facts->affine)
		count_code(&unit->object.functions[function], &own);
	for (uint32_t i = 0; facts->affine && i < facts->affine->access_count; i++) {
		const struct hd_meta_access *access = &facts->affine->accesses[i];
		if (!access->sectors_most && !access->conflicts_most)
			count_access(&own, access->space);
	}
	for (uint32_t s = calls->site_start[function]; s < calls->site_start[function + 1]; s++) {
		own.recursive += calls->sites[s].recursive;
		own.unknown += calls->sites[s].unknown || calls->sites[s].external;
	}
	return own;
}

static bool is_any(const struct places *places)
{
	return places->accesses || places->recursive || places->dynamic || places->unknown;
}

static void add(struct places *sum, const struct places *own)
{
	sum->accesses += own->accesses;
	sum->sectors += own->sectors;
	sum->conflicts += own->conflicts;
	sum->recursive += own->recursive;
	sum->dynamic += own->dynamic;
	sum->unknown += own->unknown;
}

static struct places sum_of_reached(const struct hd_callgraph *calls, const struct places *own, uint32_t root,
				    uint32_t *queue, struct hd_bitset *seen)
{
	struct places sum = {0};
	uint32_t count = 1;
	hd_bitset_clear(seen);
	hd_bitset_add(seen, root);
	queue[0] = root;
	for (uint32_t i = 0; i < count; i++) {
		add(&sum, &own[queue[i]]);
		for (uint32_t s = calls->site_start[queue[i]]; s < calls->site_start[queue[i] + 1]; s++)
			for (uint32_t c = 0; c < calls->sites[s].callee_count; c++) {
				uint32_t callee = calls->sites[s].callees[c];
				if (hd_bitset_has(seen, callee))
					continue;
				hd_bitset_add(seen, callee);
				queue[count++] = callee;
			}
	}
	return sum;
}

void hd_proof_describe(struct hd_unit *unit)
{
	const struct hd_callgraph *calls = hd_pass_result(unit, HD_PASS_CALLGRAPH);
	uint32_t count = unit->object.function_count;
	struct places *own = HD_ARENA_NEW(&unit->arena, struct places, count);
	uint32_t *any = HD_ARENA_NEW(&unit->arena, uint32_t, count),
		 *queue = HD_ARENA_NEW(&unit->arena, uint32_t, count);
	struct hd_bitset seen = hd_bitset_new(&unit->arena, count);
	for (uint32_t f = 0; f < count; f++) {
		own[f] = own_places(unit, calls, f);
		any[f] = is_any(&own[f]);
	}
	any = hd_chain_reachable_max(&calls->graph, any, &unit->arena);
	for (uint32_t f = 0; f < count; f++) {
		struct hd_meta_function *facts = facts_of(unit, f);
		if (!any[f])
			continue;
		struct places sum = sum_of_reached(calls, own, f, queue, &seen);
		/* Without shared memory, a generic access is none to it. */
		bool shared = !facts->kernel || facts->shared_bytes || facts->dynamic_shared;
		facts->unproven_accesses = sum.accesses;
		facts->unproven_sectors = sum.sectors;
		facts->unproven_conflicts = shared ? sum.conflicts : 0;
		facts->recursive_calls = sum.recursive;
		facts->dynamic_frames = sum.dynamic;
		facts->unknown_calls = sum.unknown;
	}
}
