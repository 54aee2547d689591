/*
 * What kernels that share a GPU have shown while each had SMs of its own: bandwidth and instructions by the number of
 * blocks (sharing.h; Lin, 4.5.4). Everything is counted: flits of requests and replies, and bytes of DRAM, of which an
 * SM has as large a part as of the kernel's replies. The number of blocks is what an SM really had, on average.
 *
 * Cost: O(SMs x kernels) a profile.
 */
#include <string.h>

#include "runtime/policy/sharing/sharing.h"

/* What was seen at one number of blocks. */
struct seen {
	double noc, dram, up, ipc;
	uint32_t times;
};

static double per_cent(double value)
{
	return value > 100 ? 100 : value;
}

/* One SM: as if all were like it. */
static void add_sm(const struct sharing_gpu *sharing, const struct hd_gpu *gpu, const struct sharing_counts *counts,
		   const struct sharing_kernel *kernel, double cycles, struct seen seen[DRF_BLOCKS])
{
	uint32_t blocks = (uint32_t)((counts->residents + sharing->looks / 2) / sharing->looks);
	double sms = (double)gpu->sm_count, all = (double)kernel->counts.flits_down;
	double bytes = all > 0 ? (double)kernel->counts.dram_bytes * (double)counts->flits_down / all : 0;
	if (!blocks || blocks > kernel->most)
		return;
	seen[blocks].noc += 100 * (double)counts->flits_down * sms / (sharing->flits * cycles);
	seen[blocks].up += 100 * (double)counts->flits_up * sms / (sharing->flits * cycles);
	seen[blocks].dram += 100 * bytes * sms / (sharing->dram_bytes * cycles);
	seen[blocks].ipc += (double)counts->instructions / cycles;
	seen[blocks].times++;
}

/* A line from the last number of blocks that was seen to the next; flat behind the last one. Returns the most that was
 * seen. */
static double draw(double *curve, const struct seen seen[DRF_BLOCKS], size_t field, bool share)
{
	uint32_t last = 0;
	double most = 0;
	curve[0] = 0;
	for (uint32_t blocks = 1; blocks < DRF_BLOCKS; blocks++) {
		if (!seen[blocks].times) {
			curve[blocks] = curve[last];
			continue;
		}
		double value = *(const double *)((const char *)&seen[blocks] + field) / seen[blocks].times;
		most = value > most ? value : most;
		if (share)
			value = per_cent(value < curve[last] ? curve[last] : value);
		for (uint32_t i = last + 1; i < blocks; i++)
			curve[i] = curve[last] + (value - curve[last]) * (i - last) / (blocks - last);
		curve[blocks] = value;
		last = blocks;
	}
	return most;
}

void sharing_sum(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	for (uint32_t which = 0; which < sharing->count; which++) {
		struct sharing_kernel *kernel = &sharing->kernels[which];
		struct sharing_counts sum = {.dram_bytes = kernel->counts.dram_bytes};
		for (uint32_t i = 0; i < gpu->sm_count; i++) {
			const struct sharing_counts *counts = &sharing_sm_of(self, gpu->sms[i])->counts[which];
			sum.instructions += counts->instructions;
			sum.requests += counts->requests;
			sum.flits_up += counts->flits_up;
			sum.flits_down += counts->flits_down;
			sum.replies += counts->replies;
			sum.latency += counts->latency;
			sum.residents += counts->residents;
		}
		kernel->counts = sum;
		if (sum.requests)
			kernel->cost = (struct sharing_cost){(double)sum.flits_down / (double)sum.requests,
							     (double)sum.dram_bytes / (double)sum.requests};
	}
}

bool sharing_measure(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	bool complete = true;
	double cycles = (double)(now - sharing->window);
	sharing_sum(self, gpu);
	for (uint32_t which = 0; which < sharing->count; which++) {
		struct sharing_kernel *kernel = &sharing->kernels[which];
		struct seen seen[DRF_BLOCKS] = {0};
		bool any = false;
		if (sharing->apart && which != sharing->turn)
			continue;
		for (uint32_t i = 0; i < gpu->sm_count; i++)
			if (sharing_owner(sharing, gpu->sms[i]) == which)
				add_sm(sharing, gpu, &sharing_sm_of(self, gpu->sms[i])->counts[which], kernel, cycles,
				       seen);
		for (uint32_t blocks = 1; blocks < DRF_BLOCKS; blocks++)
			any |= seen[blocks].times != 0;
		complete &= any;
		kernel->curves.noc_wanted = draw(kernel->curves.noc, seen, offsetof(struct seen, noc), true);
		kernel->curves.dram_wanted = draw(kernel->curves.dram, seen, offsetof(struct seen, dram), true);
		draw(kernel->curves.up, seen, offsetof(struct seen, up), true);
		draw(kernel->curves.ipc, seen, offsetof(struct seen, ipc), false);
		if (any)
			sharing_remember(sharing, which);
	}
	return complete;
}

void sharing_drf(const struct sharing_gpu *sharing, struct drf_kernel kernels[SHARING_KERNELS])
{
	memset(kernels, 0, SHARING_KERNELS * sizeof(*kernels));
	for (uint32_t i = 0; i < sharing->count; i++)
		kernels[i] = (struct drf_kernel){.class = DRF_LATENCY,
						 .most = sharing->kernels[i].most,
						 .block = sharing->kernels[i].block};
}
