/*
 * Dominant-resource fairness (drf.h; Lin, Algorithm 1). What the algorithm leaves open is decided thus: among equal
 * shares those sensitive to latency come first, then the kernel with the lower number; a kernel whose next step does
 * not fit is done for good, the others go on; with n blocks and a part of the bandwidth that n blocks would take, a
 * kernel takes the same part of what they would take elsewhere.
 *
 * Cost: see drf.h.
 */
#include "runtime/policy/sharing/drf.h"

#include <stddef.h>

/* Sums of percentages and of parts of an SM are of few terms; this covers their rounding. */
#define SLACK 1e-9

static double at(const double *curve, uint32_t blocks)
{
	return curve ? curve[blocks] : 0;
}

static double most_of(double a, double b)
{
	return a > b ? a : b;
}

static double dominant_share(const struct drf_kernel *kernel, double latency_priority)
{
	const struct drf_block *block = &kernel->block;
	double shared = most_of(block->shared, block->slots);
	switch (kernel->class) {
	case DRF_NOC: return kernel->noc_share;
	case DRF_DRAM: return kernel->dram_share;
	default:
		return 100 * kernel->blocks * most_of(most_of(block->threads, block->registers), shared) /
		       latency_priority;
	}
}

/* What the kernel would have after one more step, in *after; false: it cannot have more by itself. */
static bool next_step(const struct drf_kernel *kernel, double step, struct drf_kernel *after)
{
	*after = *kernel;
	const double *curve = kernel->class == DRF_NOC ? kernel->noc : kernel->dram;
	double want = (kernel->class == DRF_NOC ? kernel->noc_share : kernel->dram_share) + step, part = 1;
	if (kernel->class == DRF_LATENCY || at(curve, kernel->blocks) < want)
		after->blocks++;
	if (after->blocks > kernel->most)
		return false;
	if (kernel->class != DRF_LATENCY) {
		double full = at(curve, after->blocks);
		if (!(full > 0))
			return false;
		part = want / full;
	}
	after->noc_share = kernel->class == DRF_NOC ? want : at(kernel->noc, after->blocks) * part;
	after->dram_share = kernel->class == DRF_DRAM ? want : at(kernel->dram, after->blocks) * part;
	after->up_share = at(kernel->up, after->blocks) * part;
	return true;
}

/* Does all of it fit with kernel `which` as `after` has it? */
static bool fits(const struct drf_kernel *kernels, uint32_t count, uint32_t which, const struct drf_kernel *after)
{
	double threads = 0, registers = 0, shared = 0, slots = 0, noc = 0, dram = 0, up = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct drf_kernel *each = i == which ? after : &kernels[i];
		threads += each->blocks * each->block.threads;
		registers += each->blocks * each->block.registers;
		shared += each->blocks * each->block.shared;
		slots += each->blocks * each->block.slots;
		noc += each->noc_share;
		dram += each->dram_share;
		up += each->up_share;
	}
	return most_of(most_of(threads, registers), most_of(shared, slots)) <= 1 + SLACK &&
	       most_of(most_of(noc, dram), up) <= 100 + SLACK;
}

static bool goes_before(const struct drf_kernel *a, const struct drf_kernel *b)
{
	if (a->dominant != b->dominant)
		return a->dominant < b->dominant;
	return a->class == DRF_LATENCY && b->class != DRF_LATENCY;
}

static uint32_t least(const struct drf_kernel *kernels, uint32_t count, uint32_t unfinished)
{
	uint32_t found = count;
	for (uint32_t i = 0; i < count; i++)
		if (unfinished >> i & 1 && (found == count || goes_before(&kernels[i], &kernels[found])))
			found = i;
	return found;
}

void drf_allocate(struct drf_kernel *kernels, uint32_t count, double step, double latency_priority, drf_follow follow,
		  void *context)
{
	uint32_t unfinished = (UINT32_C(1) << count) - 1;
	for (uint32_t i = 0; i < count; i++) {
		kernels[i].blocks = 0;
		kernels[i].noc_share = kernels[i].dram_share = kernels[i].up_share = kernels[i].dominant = 0;
	}
	while (unfinished) {
		struct drf_step taken = {.kernel = least(kernels, count, unfinished)};
		struct drf_kernel *kernel = &kernels[taken.kernel];
		taken.taken = next_step(kernel, step, &taken.after) && fits(kernels, count, taken.kernel, &taken.after);
		if (taken.taken) {
			*kernel = taken.after;
			kernel->dominant = dominant_share(kernel, latency_priority);
		} else {
			unfinished &= ~(UINT32_C(1) << taken.kernel);
		}
		if (follow)
			follow(context, &taken);
	}
}

/* A further step of bandwidth, with the blocks that it has. */
static bool next_part(const struct drf_kernel *kernel, double step, struct drf_kernel *after)
{
	double share = kernel->class == DRF_NOC ? kernel->noc_share : kernel->dram_share;
	*after = *kernel;
	if (!(share > 0))
		return false;
	after->noc_share *= (share + step) / share;
	after->dram_share *= (share + step) / share;
	after->up_share *= (share + step) / share;
	return true;
}

void drf_give_rest(struct drf_kernel *kernels, uint32_t count, double step)
{
	uint32_t unfinished = 0;
	for (uint32_t i = 0; i < count; i++)
		unfinished |= (uint32_t)(kernels[i].class != DRF_LATENCY) << i;
	while (unfinished) {
		uint32_t which = least(kernels, count, unfinished);
		struct drf_kernel after;
		if (next_part(&kernels[which], step, &after) && fits(kernels, count, which, &after)) {
			kernels[which] = after;
			kernels[which].dominant = dominant_share(&after, 1);
		} else {
			unfinished &= ~(UINT32_C(1) << which);
		}
	}
}
