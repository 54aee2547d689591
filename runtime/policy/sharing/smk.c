/*
 * SMK, simultaneous multikernel (HPCA 2016), a comparator of CCBP (Lin, 4.2.2, 4.6): dominant-resource fairness over
 * the static resources of an SM, and in each epoch as many warp instructions of a kernel as are its part of what it
 * issues alone; who has used its quota waits until the others have, or the epoch ends.
 *
 * What a kernel issues alone is measured on SMs of its own, with the others on theirs (sharing.h).
 *
 * Cost: an addition an instruction.
 */
#include <string.h>

#include "runtime/policy/sharing/sharing.h"

enum { EPOCH = SHARING_SETTINGS, QUOTAS };

struct smk_gpu {
	struct sharing_gpu sharing;
	uint64_t quotas[SHARING_KERNELS]; /* warp instructions an SM and epoch */
	uint64_t epoch;			  /* cycles; 0: no quotas */
};

struct smk_sm {
	struct sharing_sm sharing;
	uint64_t epoch; /* cycle in which it began */
	uint64_t used[SHARING_KERNELS];
	uint64_t renewed; /* epochs that ended since all had used their quotas */
};

static void decide_smk(const struct hd_policy_handle *self, struct hd_gpu *gpu, struct sharing_gpu *sharing)
{
	struct smk_gpu *smk = hd_policy_gpu(self, gpu);
	struct drf_kernel kernels[SHARING_KERNELS];
	sharing_drf(sharing, kernels);
	drf_allocate(kernels, sharing->count, 1, 1, NULL, NULL);
	smk->epoch = hd_policy_setting(self, gpu, QUOTAS) > 0 ? (uint64_t)hd_policy_setting(self, gpu, EPOCH) : 0;
	for (uint32_t i = 0; i < sharing->count; i++) {
		const struct sharing_kernel *kernel = &sharing->kernels[i];
		double alone = kernel->curves.ipc[kernel->most] * (double)smk->epoch / sharing->count;
		sharing->blocks[i] = kernels[i].blocks;
		smk->quotas[i] = alone > 1 ? (uint64_t)alone : 1;
	}
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct smk_sm *mine = hd_policy_sm(self, gpu->sms[i]);
		mine->epoch = gpu->now;
		memset(mine->used, 0, sizeof(mine->used));
	}
}

static const struct sharing_design smk_design = {.measures = true, .decide = decide_smk};

static void start_smk(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	sharing_start(self, gpu, &smk_design);
}

/* Nobody who is on the SM has instructions left. */
static bool all_used(const struct smk_gpu *smk, const struct smk_sm *mine, const struct hd_sm *sm)
{
	for (uint32_t i = 0; i < smk->sharing.count; i++) {
		const struct hd_grid *grid = smk->sharing.kernels[i].grid;
		if (grid && sm->grids[grid->slot].resident && mine->used[i] < smk->quotas[i])
			return false;
	}
	return true;
}

static bool can_issue(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	const struct smk_gpu *smk = hd_policy_gpu(self, sm->gpu);
	struct smk_sm *mine = hd_policy_sm(self, sm);
	uint32_t which = sharing_which(&smk->sharing, sm->grid_of[warp->id]);
	(void)inst;
	if (smk->sharing.phase != SHARING_RUN || !smk->epoch || which == SHARING_NOBODY)
		return true;
	bool ended = now - mine->epoch >= smk->epoch;
	if (!ended && mine->used[which] < smk->quotas[which])
		return true;
	if (!ended && !all_used(smk, mine, sm))
		return false;
	mine->renewed += !ended;
	mine->epoch = now;
	memset(mine->used, 0, sizeof(mine->used));
	return true;
}

static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	uint32_t which = sharing_which(sharing_of(self, sm->gpu), sm->grid_of[warp->id]);
	(void)inst, (void)effect, (void)now;
	if (which != SHARING_NOBODY)
		((struct smk_sm *)hd_policy_sm(self, sm))->used[which]++;
}

static void report_smk(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		       void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	const struct smk_gpu *smk = hd_policy_gpu(self, gpu);
	uint64_t renewed = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		renewed += ((const struct smk_sm *)hd_policy_sm(self, gpu->sms[i]))->renewed;
	sharing_report_blocks(&smk->sharing, gpu, add, context);
	if (!gpu->grid)
		add(context, "renewed", (double)renewed, "epochs of SMs");
	for (uint32_t i = 0; gpu->grid && smk->sharing.phase == SHARING_RUN && i < smk->sharing.count; i++)
		if (smk->sharing.kernels[i].stream == gpu->grid->stream)
			add(context, "quota", (double)smk->quotas[i], "warp instructions an SM and epoch");
}

static const struct hd_policy_setting smk_settings[] = {
	SHARING_SETTING_ROWS,
	[EPOCH] = {"epoch", "cycles after which quotas are renewed (assumed)", 10000, 1, 1e9},
	[QUOTAS] = {"quotas", "1: warp-instruction quotas; 0: only blocks are shared (Lin, 4.2.2)", 1, 0, 1},
	{0},
};

const struct hd_policy_hooks hd_hooks_smk = {
	.several_grids = true,
	.own_quota = true,
	.gpu_bytes = sizeof(struct smk_gpu),
	.sm_bytes = sizeof(struct smk_sm),
	.settings = smk_settings,
	.start = start_smk,
	.grid_begin = sharing_grid_begin,
	.grid_end = sharing_grid_end,
	.allocation.quota = sharing_quota,
	.issue.can_issue = can_issue,
	.issue.issued = issued,
	.gpu_tick_interval = SHARING_TICK,
	.gpu_tick = sharing_tick,
	.observation.report = report_smk,
	.observation.reported = sharing_reported,
};
