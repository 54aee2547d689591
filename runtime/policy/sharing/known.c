/*
 * Curves of kernels that have been measured before (sharing.h; Lin, 4.5.4). A program of several kernels changes the
 * set of kernels with each launch. What a kernel does alone is the same each time, and so is, about, what it does on
 * SMs of its own while the same others run: it is kept by kernel, size of its blocks, and partners.
 *
 * Cost: O(SHARING_KNOWN) when the set changes.
 */
#include <string.h>

#include "runtime/policy/sharing/sharing.h"

static bool is_partner(const struct sharing_known *known, const struct hd_kernel *kernel)
{
	for (uint32_t i = 0; i < known->partner_count; i++)
		if (known->partners[i] == kernel)
			return true;
	return false;
}

/* Two streams may run one kernel, so each has to be among the others'. */
static bool has_partners(const struct sharing_gpu *sharing, uint32_t which, const struct sharing_known *known)
{
	if (sharing->apart)
		return !known->partner_count;
	if (known->partner_count + 1 != sharing->count)
		return false;
	for (uint32_t i = 0; i < sharing->count; i++)
		if (i != which && !is_partner(known, sharing->kernels[i].kernel))
			return false;
	for (uint32_t k = 0; k < known->partner_count; k++) {
		bool here = false;
		for (uint32_t i = 0; i < sharing->count; i++)
			here |= i != which && sharing->kernels[i].kernel == known->partners[k];
		if (!here)
			return false;
	}
	return true;
}

static struct sharing_known *find(struct sharing_gpu *sharing, uint32_t which)
{
	const struct sharing_kernel *kernel = &sharing->kernels[which];
	for (uint32_t i = 0; i < SHARING_KNOWN; i++) {
		struct sharing_known *known = &sharing->known[i];
		/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): doubles without NaN or -0 */
		bool same_block = !memcmp(&known->block, &kernel->block, sizeof(known->block));
		if (known->used && known->kernel == kernel->kernel && known->most == kernel->most && same_block &&
		    has_partners(sharing, which, known))
			return known;
	}
	return NULL;
}

void sharing_recall(struct sharing_gpu *sharing)
{
	for (uint32_t i = 0; i < sharing->count; i++) {
		struct sharing_kernel *kernel = &sharing->kernels[i];
		struct sharing_known *known = find(sharing, i);
		kernel->known = known != NULL;
		kernel->curves = (struct sharing_curves){0};
		if (!known)
			continue;
		known->used = ++sharing->uses;
		kernel->curves = known->curves;
		kernel->cost = known->cost;
		sharing->recalled++;
	}
}

static struct sharing_known *find_place(struct sharing_gpu *sharing, uint32_t which)
{
	struct sharing_known *place = find(sharing, which);
	if (place)
		return place;
	place = &sharing->known[0];
	for (uint32_t i = 1; i < SHARING_KNOWN; i++)
		if (sharing->known[i].used < place->used)
			place = &sharing->known[i];
	return place;
}

void sharing_remember(struct sharing_gpu *sharing, uint32_t which)
{
	struct sharing_kernel *kernel = &sharing->kernels[which];
	struct sharing_known *known = find_place(sharing, which);
	*known = (struct sharing_known){.kernel = kernel->kernel,
					.most = kernel->most,
					.block = kernel->block,
					.curves = kernel->curves,
					.cost = kernel->cost,
					.used = ++sharing->uses};
	for (uint32_t i = 0; !sharing->apart && i < sharing->count; i++)
		if (i != which)
			known->partners[known->partner_count++] = sharing->kernels[i].kernel;
	kernel->known = true;
}
