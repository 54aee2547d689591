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
#include "passes/analysis/callgraph.h"
#include "passes/pass.h"

/* Places in the code of one function, or in all that it reaches. */
enum place { ACCESSES, SECTORS, CONFLICTS, RECURSIVE, DYNAMIC, UNKNOWN, PLACES };

static struct hd_meta_function *facts_of(struct hd_unit *unit, uint32_t function)
{
	return hd_metadata_find_symbol(&unit->metadata, unit->object.functions[function].name);
}

static void count_access(uint32_t places[PLACES], enum hd_access_space space)
{
	places[ACCESSES]++;
	places[SECTORS] += space != HD_ACCESS_SHARED;
	places[CONFLICTS] += space != HD_ACCESS_GLOBAL;
}

/* Code that no analysis has looked at: device functions. */
static void count_code(const struct hd_function *code, uint32_t places[PLACES])
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

static void count_places(struct hd_unit *unit, const struct hd_callgraph *calls, uint32_t function,
			 uint32_t places[PLACES])
{
	const struct hd_meta_function *facts = facts_of(unit, function);
	places[DYNAMIC] = facts->dynamic_stack;
	if (!facts->affine)
		count_code(&unit->object.functions[function], places);
	for (uint32_t i = 0; facts->affine && i < facts->affine->access_count; i++) {
		const struct hd_meta_access *access = &facts->affine->accesses[i];
		if (!access->sectors_most && !access->conflicts_most)
			count_access(places, access->space);
	}
	for (uint32_t s = calls->site_start[function]; s < calls->site_start[function + 1]; s++) {
		places[RECURSIVE] += calls->sites[s].recursive;
		places[UNKNOWN] += calls->sites[s].unknown || calls->sites[s].external;
	}
}

void hd_proof_describe(struct hd_unit *unit)
{
	const struct hd_callgraph *calls = hd_pass_result(unit, HD_PASS_CALLGRAPH);
	uint32_t count = unit->object.function_count;
	uint32_t *own = HD_ARENA_NEW(&unit->arena, uint32_t, (size_t)count *PLACES);
	for (uint32_t f = 0; f < count; f++)
		count_places(unit, calls, f, &own[(size_t)f * PLACES]);
	const uint32_t *sums = hd_callgraph_sums(calls, count, own, PLACES, &unit->arena);
	for (uint32_t f = 0; f < count; f++) {
		struct hd_meta_function *facts = facts_of(unit, f);
		const uint32_t *sum = &sums[(size_t)f * PLACES];
		/* Without shared memory, a generic access is none to it. */
		bool shared = !facts->kernel || facts->shared_bytes || facts->dynamic_shared;
		facts->unproven_accesses = sum[ACCESSES];
		facts->unproven_sectors = sum[SECTORS];
		facts->unproven_conflicts = shared ? sum[CONFLICTS] : 0;
		facts->recursive_calls = sum[RECURSIVE];
		facts->dynamic_frames = sum[DYNAMIC];
		facts->unknown_calls = sum[UNKNOWN];
	}
}
