/*
 * MPS with limits, as users of cards have it: mps:SHARE,... gives the first program so many per cent of the GPU's
 * threads at most, and so on (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE of NVIDIA's Multi-Process Service). Since Volta a limit
 * is a number of SMs, rounded up, and nothing is reserved: shares may add up to more than 100, and where SMs have
 * several programs the one that came first has what it has room for, as without a design. Which SMs are whose NVIDIA
 * does not say. Here programs have SMs one behind the other, and begin again at the first where there are no more. A
 * program that has no share has all SMs.
 *
 * A program is a stream. Those of a co-run have the order of the command line, others that in which they came.
 *
 * Cost: O(streams) a block.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/policy/sharing/mps.h"

/* ---- shares */

uint32_t mps_read_shares(const char *text, double shares[MPS_SHARES])
{
	for (uint32_t count = 0; count < MPS_SHARES;) {
		char *end;
		double share = strtod(text, &end);
		if (*text < '0' || *text > '9' || !(share > 0) || share > 100)
			return 0;
		shares[count++] = share;
		if (!*end)
			return count;
		if (*end != ',')
			return 0;
		text = end + 1;
	}
	return 0;
}

static uint32_t sms_of(double share, uint32_t sms)
{
	return (uint32_t)ceil(share * sms / 100 - 1e-9);
}

bool mps_has(const double *shares, uint32_t count, uint32_t which, uint32_t sm, uint32_t sms)
{
	uint32_t first = 0;
	if (which >= count)
		return true;
	for (uint32_t i = 0; i < which; i++)
		first += sms_of(shares[i], sms);
	return (sm + sms - first % sms) % sms < sms_of(shares[which], sms);
}

/* ---- as a policy */

struct mps_gpu {
	double shares[MPS_SHARES];
	uint32_t count;
	uint64_t streams[MPS_SHARES]; /* in order of arrival; where they are not numbered */
	uint32_t known;
};

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct mps_gpu *mps = hd_policy_gpu(self, gpu);
	mps->count = mps_read_shares(self->parameter, mps->shares);
}

static uint32_t which_of(const struct mps_gpu *mps, const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	if (gpu->options.corun_streams)
		return (uint32_t)grid->stream - HD_CORUN_FIRST_STREAM;
	for (uint32_t i = 0; i < mps->known; i++)
		if (mps->streams[i] == grid->stream)
			return i;
	return MPS_SHARES;
}

static void grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct mps_gpu *mps = hd_policy_gpu(self, gpu);
	if (which_of(mps, gpu, grid) >= MPS_SHARES && mps->known < MPS_SHARES && !gpu->options.corun_streams)
		mps->streams[mps->known++] = grid->stream;
}

static uint32_t quota(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct mps_gpu *mps = hd_policy_gpu(self, sm->gpu);
	uint32_t which = which_of(mps, sm->gpu, grid);
	return mps_has(mps->shares, mps->count, which, sm->id, sm->gpu->sm_count) ? UINT32_MAX : 0;
}

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	double shares[MPS_SHARES];
	(void)config;
	if (mps_read_shares(parameter, shares))
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy 'mps' needs %s, as in mps:50,50", policy->parameters);
}

const struct hd_policy_hooks hd_hooks_mps = {
	.several_grids = true,
	.own_quota = true,
	.gpu_bytes = sizeof(struct mps_gpu),
	.configure = configure,
	.start = start,
	.grid_begin = grid_begin,
	.allocation.quota = quota,
};
