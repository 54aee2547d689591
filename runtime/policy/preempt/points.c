/*
 * Preemption points in the code (gpu-multiprogramming-lin, 2.4.1): a pp and a dummy behind it, with the two masks,
 * stand in front of an instruction; they are fetched and take an issue slot each whether or not a preemption is asked
 * for. A bar.pp is a barrier and costs nothing more.
 *
 * What the paper leaves open: an instruction of 8 bytes each on its GPU, so of the GPU's own size here.
 *
 * Cost: O(1) an instruction that a warp comes to, O(instructions) a function that is loaded.
 */
#include <string.h>

#include "heddle/figures.h"
#include "runtime/policy/preempt/preempt.h"

enum { POINT_INSTRUCTIONS = 2 };

/* Room for the counts of instructions below `end`. */
static uint32_t *grow(struct hd_gpu *gpu, struct preempt_gpu *preempt, uint32_t end)
{
	if (end > preempt->point_capacity) {
		uint32_t capacity = 2 * end;
		uint32_t *points = HD_ARENA_NEW(&gpu->arena, uint32_t, capacity);
		if (preempt->point_count)
			memcpy(points, preempt->points, preempt->point_count * sizeof(*points));
		preempt->points = points;
		preempt->point_capacity = capacity;
	}
	preempt->point_count = end > preempt->point_count ? end : preempt->point_count;
	return preempt->points;
}

void preempt_decode(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		    struct hd_dinst *code)
{
	struct preempt_gpu *preempt = preempt_gpu_of(self, gpu);
	const struct hd_meta_function *said = function->said;
	uint32_t *points = grow(gpu, preempt, function->first + function->count);
	uint32_t count = function->first ? points[function->first - 1] : 0;
	for (uint32_t i = 0; said && i < said->point_count; i++) {
		struct hd_dinst *inst = &code[said->points[i].pc / HD_INST_BYTES];
		inst->stops |= PREEMPT_POINT;
		inst->stops |= preempt->marked && said->points[i].kind == HD_PREEMPT_PP ? PREEMPT_PP : 0;
	}
	for (uint32_t i = 0; i < function->count; i++) {
		count += (code[i].stops & PREEMPT_PP) != 0;
		points[function->first + i] = count;
	}
}

void preempt_fetch(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t pc, uint64_t now)
{
	struct preempt_warp *own = preempt_warp_of(self, warp);
	struct hd_sm *sm = warp->cta->sm;
	const struct hd_injected instructions = {.rows = POINT_INSTRUCTIONS,
						 .mask = warp->active,
						 .kind = HD_INJECT_CONTROL};
	bool due = sm->gpu->program.code.data[pc].stops & PREEMPT_PP && !own->announced;
	(void)now;
	own->announced = due;
	if (!due)
		return;
	preempt_counts_of(preempt_sm_of(self, sm), warp->cta)->points++;
	hd_warp_inject(warp, &instructions);
}

uint64_t preempt_code_place(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t pc,
			    uint64_t address, uint32_t *bytes)
{
	const struct hd_gpu *gpu = warp->cta->sm->gpu;
	uint32_t each = POINT_INSTRUCTIONS * *bytes;
	bool due = gpu->program.code.data[pc].stops & PREEMPT_PP && preempt_warp_of(self, warp)->announced;
	address += (uint64_t)preempt_gpu_of(self, gpu)->points[pc] * each;
	if (!due)
		return address;
	*bytes += each; /* they come with the instruction behind them */
	return address - each;
}
