/*
 * LTRF's figures in the statistics: what moves, how often the main register file is read beside the operands that it
 * would serve without a cache (ltrf-asplos18 4.2: four to six times less), waits, and the storage of the control
 * blocks.
 */
#include "heddle/config.h"
#include "runtime/policy/ltrf/ltrf.h"
#include "runtime/sm/counts.h"

const struct hd_policy_count ltrf_counts[] = {
	LTRF_COUNTS(HD_COUNT_ROW){0},
};

const struct hd_policy_count ltrf_reported[] = {
	{"main_access_reduction", "times",
	 "accesses to the main register file without the cache, divided by those with it"},
	{"storage", "bytes", "storage of the warp control blocks of an SM"},
	{0},
};

void ltrf_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		 void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	const struct ltrf_gpu *ltrf = ltrf_gpu_of(self, gpu);
	struct ltrf_counts counts;
	hd_policy_sum(self, gpu, &counts);
	uint64_t without = counts.cache_reads + counts.main_reads + counts.cache_writes + counts.main_writes;
	uint64_t with = counts.main_reads + counts.main_writes + counts.prefetched + counts.refetched +
			counts.written_back + counts.saved;
	add(context, "main_access_reduction", with ? (double)without / (double)with : 0, "times");
	add(context, "storage",
	    (double)hd_wcb_storage_bits((uint32_t)gpu->config->max_warps, ltrf->banks, ltrf->rows) / 8, "bytes");
}

void ltrf_dump(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out)
{
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		const struct hd_sm *sm = gpu->sms[i];
		for (uint32_t id = 0; id < sm->warp_count && sm->resident_warps; id++) {
			const struct ltrf_warp *mine = ltrf_warp_of(self, &sm->warps[id]);
			if (mine->row)
				fprintf(out, "ltrf, SM %u: warp %u has row %u with %u registers\n", i, id,
					mine->row - 1, hd_wcb_count(&mine->block.set));
		}
	}
}
