/*
 * Warped-Slicer (ISCA 2016), a comparator of CCBP (Lin, 4.2.2, 4.6): from instructions by number of blocks, measured on
 * SMs of each kernel's own (sharing.h), the combination in which the kernel that is slowed down most is slowed down
 * least.
 *
 * warped-slicer-memory schedules memory instructions besides, as Dai et al. (HPCA 2018) do: balanced, the kernels'
 * turns to issue them are such that all make as many requests, and limited, so many of a kernel are under way on an SM
 * that L1 can take what they ask for. Of that paper the two ideas are taken; how the numbers come about is ours. A
 * kernel's quota of memory instructions is worth the same number of line accesses as the others'; who has most of its
 * quota left goes first, and when one has used its own, all get another. After so many line accesses of a kernel its
 * limit falls by an eighth where they stalled for a cycle each or more, from the most that it had under way, and else
 * rises by one.
 *
 * Cost: every combination that fits when the set changes; scheduling, a comparison a memory instruction that could
 * issue.
 */
#include <string.h>

#include "runtime/policy/sharing/sharing.h"

/* The combinations that are still to be looked at: blocks of kernels below `at` are chosen. */
struct slices {
	const struct sharing_gpu *sharing;
	uint32_t blocks[SHARING_KERNELS], best[SHARING_KERNELS];
	double least, sum; /* of the best: the slowest kernel's part of what it does alone; of all */
};

static double progress(const struct sharing_kernel *kernel, uint32_t blocks)
{
	double most = 0;
	for (uint32_t i = 1; i <= kernel->most; i++)
		most = kernel->curves.ipc[i] > most ? kernel->curves.ipc[i] : most;
	/* Of one that was not seen nothing is known but that more blocks do not harm. */
	return most > 0 ? kernel->curves.ipc[blocks] / most : (double)blocks / kernel->most;
}

static void judge(struct slices *slices)
{
	double least = 1, sum = 0;
	for (uint32_t i = 0; i < slices->sharing->count; i++) {
		double part = progress(&slices->sharing->kernels[i], slices->blocks[i]);
		least = part < least ? part : least;
		sum += part;
	}
	if (least < slices->least || (least == slices->least && sum <= slices->sum))
		return;
	slices->least = least;
	slices->sum = sum;
	memcpy(slices->best, slices->blocks, sizeof(slices->best));
}

static struct drf_block with(struct drf_block used, const struct drf_block *block)
{
	return (struct drf_block){used.threads + block->threads, used.registers + block->registers,
				  used.shared + block->shared, used.slots + block->slots};
}

static bool is_full(const struct drf_block *used)
{
	const double whole = 1 + 1e-9;
	return used->threads > whole || used->registers > whole || used->shared > whole || used->slots > whole;
}

static void look_at(struct slices *slices, uint32_t at, struct drf_block used)
{
	if (at == slices->sharing->count) {
		judge(slices);
		return;
	}
	const struct sharing_kernel *kernel = &slices->sharing->kernels[at];
	for (uint32_t blocks = 0; blocks <= kernel->most && !is_full(&used); blocks++) {
		slices->blocks[at] = blocks;
		look_at(slices, at + 1, used);
		used = with(used, &kernel->block);
	}
}

static void decide_slices(const struct hd_policy_handle *self, struct hd_gpu *gpu, struct sharing_gpu *sharing)
{
	struct slices slices = {.sharing = sharing, .least = -1};
	(void)self, (void)gpu;
	look_at(&slices, 0, (struct drf_block){0});
	memcpy(sharing->blocks, slices.best, sizeof(sharing->blocks));
}

static const struct sharing_design slices_design = {.measures = true, .decide = decide_slices};

static void start_slices(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	sharing_start(self, gpu, &slices_design);
}

static void report_slices(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
			  void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	sharing_report_blocks(sharing_of(self, gpu), gpu, add, context);
}

static const struct hd_policy_setting slices_settings[] = {
	SHARING_SETTING_ROWS,
	{0},
};

const struct hd_policy_hooks hd_hooks_warped_slicer = {
	.several_grids = true,
	.own_quota = true,
	.gpu_bytes = sizeof(struct sharing_gpu),
	.sm_bytes = sizeof(struct sharing_sm),
	.settings = slices_settings,
	.start = start_slices,
	.grid_begin = sharing_grid_begin,
	.grid_end = sharing_grid_end,
	.allocation.quota = sharing_quota,
	.gpu_tick_interval = SHARING_TICK,
	.gpu_tick = sharing_tick,
	.observation.report = report_slices,
	.observation.reported = sharing_reported,
};

/* ---- memory instructions */

enum { QUOTA = SHARING_SETTINGS, INTERVAL };

/* Of a kernel on an SM. */
struct turns {
	int64_t left;	      /* memory instructions of its quota; those of the last set may be behind */
	uint32_t limit, most; /* under way: allowed, and seen since the last look; limit 0: none yet */
	uint64_t instructions, accesses, stalls; /* since it came; the latter two at the last look */
	uint64_t since;				 /* instructions at the last look */
	double requests;			 /* line accesses an instruction, between the last two looks */
	uint8_t slot;				 /* of its launch */
};

struct memory_sm {
	struct sharing_sm sharing;
	struct turns turns[SHARING_KERNELS];
};

struct memory_counts {
	uint64_t limited, renewed, lowered;
};
static const struct hd_policy_count memory_counts[] = {
	{"limited", "refusals", "memory instructions refused because the limit of requests in flight was reached"},
	{"renewed", "times", "times that this kernel was the first to use up its quota"},
	{"lowered", "times", "times that the limit fell"},
	{0},
};

static bool accesses_memory(const struct hd_dinst *inst)
{
	uint8_t space = hd_opinfo[inst->inst.op].space;
	return inst->effects & (HD_FX_LOAD | HD_FX_STORE | HD_FX_ATOMIC) &&
	       (space == HD_AT_GLOBAL || space == HD_AT_GENERIC || space == HD_AT_LOCAL || space == HD_AT_TEXTURE);
}

/* Of the warp's kernel, SHARING_NOBODY where it has SMs of its own or is alone. */
static uint32_t scheduled(const struct hd_policy_handle *self, const struct hd_warp *warp, const struct hd_dinst *inst)
{
	const struct hd_sm *sm = warp->cta->sm;
	const struct sharing_gpu *sharing = sharing_of(self, sm->gpu);
	if (sharing->phase != SHARING_RUN || !accesses_memory(inst))
		return SHARING_NOBODY;
	return sharing_which(sharing, sm->grid_of[warp->id]);
}

static const struct hd_counters *counters_of(const struct hd_warp *warp)
{
	const struct hd_sm *sm = warp->cta->sm;
	return &sm->counted[sm->grid_of[warp->id]];
}

/* After so many line accesses: what they have stalled for, and how many there are to an instruction. */
static void look(const struct hd_policy_handle *self, const struct hd_warp *warp, struct turns *turns)
{
	const struct hd_counters *counters = counters_of(warp);
	struct memory_counts *counts = hd_policy_counts(self, warp);
	uint64_t accesses = counters->l1d_accesses - turns->accesses;
	uint64_t stalls = (counters->l1d_stall_cycles - turns->stalls) / accesses;
	uint32_t from = turns->limit > turns->most ? turns->most : turns->limit, step = from / 8 + 1;
	counts->lowered += stalls != 0;
	if (stalls)
		turns->limit = from > step ? from - step : 1;
	else if (turns->limit < UINT16_MAX - step)
		turns->limit += step;
	if (turns->instructions > turns->since)
		turns->requests = (double)accesses / (double)(turns->instructions - turns->since);
	turns->accesses = counters->l1d_accesses;
	turns->stalls = counters->l1d_stall_cycles;
	turns->since = turns->instructions;
	turns->most = 0;
}

/* Another launch may be in another slot, whose counters are others. */
static struct turns *turns_of(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t which)
{
	struct hd_sm *sm = warp->cta->sm;
	struct turns *turns = &((struct memory_sm *)hd_policy_sm(self, sm))->turns[which];
	const struct hd_counters *counters = counters_of(warp);
	if (turns->limit && turns->slot == sm->grid_of[warp->id])
		return turns;
	turns->slot = sm->grid_of[warp->id];
	turns->limit = turns->limit ? turns->limit : UINT16_MAX;
	turns->accesses = counters->l1d_accesses;
	turns->stalls = counters->l1d_stall_cycles;
	turns->since = turns->instructions;
	return turns;
}

static bool may_access(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	uint32_t which = scheduled(self, warp, inst);
	(void)now;
	if (which == SHARING_NOBODY)
		return true;
	struct turns *turns = turns_of(self, warp, which);
	uint32_t under_way = hd_lsu_pending(sm->lsu, sm->grid_of[warp->id]);
	turns->most = under_way > turns->most ? under_way : turns->most;
	if (under_way < turns->limit)
		return true;
	((struct memory_counts *)hd_policy_counts(self, warp))->limited++;
	return false;
}

/* Who has less of its quota left than another kernel on the SM comes after it. */
static uint64_t turn_of(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	const struct memory_sm *mine = hd_policy_sm(self, sm);
	const struct sharing_gpu *sharing = sharing_of(self, sm->gpu);
	uint32_t which = scheduled(self, warp, inst);
	uint64_t before = 0;
	(void)now;
	for (uint32_t i = 0; which != SHARING_NOBODY && i < sharing->count; i++) {
		const struct hd_grid *grid = sharing->kernels[i].grid;
		before += grid && sm->grids[grid->slot].resident && mine->turns[i].left > mine->turns[which].left;
	}
	return before;
}

/* All get another quota: instructions that make as many line accesses as the others'. */
static void renew(struct memory_sm *mine, uint32_t kernels, double accesses)
{
	for (uint32_t i = 0; i < kernels; i++) {
		double each = mine->turns[i].requests > 1 ? mine->turns[i].requests : 1;
		double quota = accesses / each;
		mine->turns[i].left += quota > 1 ? (int64_t)quota : 1;
		mine->turns[i].left = mine->turns[i].left > (int64_t)accesses ? (int64_t)accesses : mine->turns[i].left;
	}
}

static void accessed(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		     const struct hd_effect *effect, uint64_t now)
{
	struct hd_gpu *gpu = warp->cta->sm->gpu;
	struct memory_sm *mine = hd_policy_sm(self, warp->cta->sm);
	uint32_t which = scheduled(self, warp, inst);
	(void)effect, (void)now;
	if (which == SHARING_NOBODY)
		return;
	struct turns *turns = turns_of(self, warp, which);
	turns->instructions++;
	if (--turns->left <= 0) {
		renew(mine, sharing_of(self, gpu)->count, hd_policy_setting(self, gpu, QUOTA));
		((struct memory_counts *)hd_policy_counts(self, warp))->renewed++;
	}
	if (counters_of(warp)->l1d_accesses - turns->accesses >= (uint64_t)hd_policy_setting(self, gpu, INTERVAL))
		look(self, warp, turns);
}

static const struct hd_policy_setting memory_settings[] = {
	SHARING_SETTING_ROWS,
	[QUOTA] = {"quota", "line accesses per turn in which a kernel may issue memory instructions (ours)", 256, 1,
		   1e6},
	[INTERVAL] = {"interval", "line accesses of a kernel on an SM between adjustments of its limit (ours)", 1024, 1,
		      1e9},
	{0},
};

const struct hd_policy_hooks hd_hooks_warped_slicer_memory = {
	.several_grids = true,
	.own_quota = true,
	.gpu_bytes = sizeof(struct sharing_gpu),
	.sm_bytes = sizeof(struct memory_sm),
	.settings = memory_settings,
	.counts = memory_counts,
	.start = start_slices,
	.grid_begin = sharing_grid_begin,
	.grid_end = sharing_grid_end,
	.allocation.quota = sharing_quota,
	.issue.can_issue = may_access,
	.issue.prefer = turn_of,
	.issue.issued = accessed,
	.gpu_tick_interval = SHARING_TICK,
	.gpu_tick = sharing_tick,
	.observation.report = report_slices,
	.observation.reported = sharing_reported,
};
