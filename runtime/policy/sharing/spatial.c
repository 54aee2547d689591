/*
 * The simplest ways to have several kernels on one GPU, comparators of CCBP (Lin, 4.2.1): spatial multitasking, where
 * each SM belongs to one kernel, and leftover, where the first kernel gets all it has room for and the next ones the
 * rest, as cards do it and as the engine does without a policy. And combinations that are given: combination:4,2 is at
 * most four blocks of the first kernel on each SM and two of the second, of which a sweep finds the best one, the
 * paper's oracle (4.4).
 *
 * Cost: nothing but the look at the set of kernels.
 */
#include <stdlib.h>

#include "runtime/policy/sharing/sharing.h"

static void decide(const struct hd_policy_handle *self, struct hd_gpu *gpu, struct sharing_gpu *sharing)
{
	(void)self, (void)gpu, (void)sharing; /* SM s is kernel s mod K's: sharing_quota */
}

static const struct sharing_design design = {.spatial = true, .decide = decide};

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	sharing_start(self, gpu, &design);
}

static const struct hd_policy_setting settings[] = {
	SHARING_SETTING_ROWS,
	{0},
};

const struct hd_policy_hooks hd_hooks_spatial = {
	.several_grids = true,
	.own_quota = true,
	.gpu_bytes = sizeof(struct sharing_gpu),
	.sm_bytes = sizeof(struct sharing_sm),
	.settings = settings,
	.start = start,
	.grid_begin = sharing_grid_begin,
	.grid_end = sharing_grid_end,
	.allocation.quota = sharing_quota,
	.gpu_tick_interval = SHARING_TICK,
	.gpu_tick = sharing_tick,
};

const struct hd_policy_hooks hd_hooks_leftover = {
	.several_grids = true,
};

/* ---- combinations */

/* The numbers of the parameter, in order; false: it is no list of one to SHARING_KERNELS numbers above 0. */
static bool read_blocks(const char *text, uint32_t blocks[SHARING_KERNELS])
{
	for (uint32_t i = 0; i < SHARING_KERNELS; i++) {
		char *end;
		unsigned long value = strtoul(text, &end, 10);
		if (*text < '0' || *text > '9' || value < 1 || value > UINT32_MAX)
			return false;
		blocks[i] = (uint32_t)value;
		if (!*end)
			return true;
		if (*end != ',')
			return false;
		text = end + 1;
	}
	return false;
}

static int configure_combination(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
				 struct hd_diag *diag)
{
	uint32_t blocks[SHARING_KERNELS];
	(void)config;
	if (read_blocks(parameter, blocks))
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy 'combination' needs %s, as in combination:4,2", policy->parameters);
}

static void decide_combination(const struct hd_policy_handle *self, struct hd_gpu *gpu, struct sharing_gpu *sharing)
{
	(void)gpu;
	for (uint32_t i = 0; i < SHARING_KERNELS; i++)
		sharing->blocks[i] = UINT32_MAX;
	read_blocks(self->parameter, sharing->blocks);
}

static const struct sharing_design combination = {.decide = decide_combination};

static void start_combination(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	sharing_start(self, gpu, &combination);
}

const struct hd_policy_hooks hd_hooks_combination = {
	.several_grids = true,
	.own_quota = true,
	.gpu_bytes = sizeof(struct sharing_gpu),
	.sm_bytes = sizeof(struct sharing_sm),
	.settings = settings,
	.configure = configure_combination,
	.start = start_combination,
	.grid_begin = sharing_grid_begin,
	.grid_end = sharing_grid_end,
	.allocation.quota = sharing_quota,
	.gpu_tick_interval = SHARING_TICK,
	.gpu_tick = sharing_tick,
};
