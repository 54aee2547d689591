/*
 * Kernels that share a GPU: the set of them, the phases of a design, the number of blocks of each on each SM
 * (sharing.h; Lin, 4.5.4). A kernel whose launch has ended keeps its place for a while, since its next launch may
 * follow.
 *
 * An SM that has more blocks of a kernel than it may have gets no further ones; none is stopped. A kernel that gets no
 * block at all waits until the set changes.
 *
 * Cost: O(SMs x kernels) in 200 cycles.
 */
#include "runtime/policy/sharing/sharing.h"

#include <string.h>

#include "heddle/config.h"
#include "runtime/memory/packet.h"

void sharing_start(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct sharing_design *design)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	const struct hd_config *config = gpu->config;
	double ports = (double)(config->sm_count < config->l2_slices ? config->sm_count : config->l2_slices);
	double peak = (double)(config->dram_bus * config->dram_ratio * config->dram_channels);
	sharing->design = design;
	sharing->flits = hd_policy_setting(self, gpu, SHARING_NOC) * ports * config->icnt_mhz / config->core_mhz;
	sharing->dram_bytes = hd_policy_setting(self, gpu, SHARING_DRAM) * peak * config->dram_mhz / config->core_mhz;
	sharing->apart = hd_policy_setting(self, gpu, SHARING_APART) > 0;
	memset(sharing->of_slot, SHARING_NOBODY, sizeof(sharing->of_slot));
}

/* ---- counts */

static uint64_t dram_bytes(const struct hd_gpu *gpu, uint32_t slot)
{
	const struct hd_counters *counters = hd_memory_counters(gpu->memory, slot);
	return (counters->dram_reads + counters->dram_writes) * (uint64_t)gpu->config->sector;
}

/* What a slot has done since the last look is its kernel's. */
static void collect(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint32_t slot)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	uint32_t which = sharing_which(sharing, slot);
	uint64_t bytes = dram_bytes(gpu, slot);
	if (which != SHARING_NOBODY)
		sharing->kernels[which].counts.dram_bytes += bytes - sharing->dram_seen[slot];
	sharing->dram_seen[slot] = bytes;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct sharing_sm *mine = sharing_sm_of(self, gpu->sms[i]);
		uint64_t instructions = gpu->sms[i]->counted[slot].warp_instructions;
		if (which != SHARING_NOBODY)
			mine->counts[which].instructions += instructions - mine->seen[slot];
		mine->seen[slot] = instructions;
	}
}

static void collect_all(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	for (uint32_t which = 0; which < sharing->count; which++) {
		const struct hd_grid *grid = sharing->kernels[which].grid;
		if (!grid)
			continue;
		collect(self, gpu, grid->slot);
		for (uint32_t i = 0; i < gpu->sm_count; i++)
			sharing_sm_of(self, gpu->sms[i])->counts[which].residents +=
				gpu->sms[i]->grids[grid->slot].placed;
	}
	sharing->looks++;
}

void sharing_begin_window(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	sharing->window = now;
	sharing->looks = 0;
	for (uint32_t which = 0; which < SHARING_KERNELS; which++)
		sharing->kernels[which].counts = (struct sharing_counts){0};
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		memset(sharing_sm_of(self, gpu->sms[i])->counts, 0, sizeof(sharing_sm_of(self, gpu->sms[i])->counts));
}

void sharing_count_sent(struct sharing_sm *mine, uint32_t which, const struct hd_packet *packet)
{
	if (which == SHARING_NOBODY || packet->flags & HD_PACKET_LINE)
		return;
	mine->counts[which].requests++;
	mine->counts[which].flits_up += packet->flits;
}

uint32_t sharing_send(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_packet *const *heads,
		      uint32_t count, uint64_t now)
{
	(void)count, (void)now;
	sharing_count_sent(sharing_sm_of(self, sm), sharing_which(sharing_of(self, sm->gpu), heads[0]->grid), heads[0]);
	return 0;
}

void sharing_reply(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_reply *reply, uint64_t now)
{
	uint32_t which = sharing_which(sharing_of(self, sm->gpu), reply->grid->slot);
	(void)now;
	if (which == SHARING_NOBODY || reply->packet->flags & HD_PACKET_LINE)
		return;
	struct sharing_counts *counts = &sharing_sm_of(self, sm)->counts[which];
	counts->flits_down += reply->packet->flits;
	counts->replies++;
	counts->latency += reply->latency;
}

/* ---- the set */

static double part_of(uint64_t used, uint64_t all)
{
	return all ? (double)used / (double)all : 0;
}

static struct drf_block block_of(const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	const struct hd_occupancy *fit = &grid->fit;
	return (struct drf_block){
		.threads = part_of((uint64_t)grid->block_warps * limits.warp_lanes, limits.max_threads),
		.registers = part_of((uint64_t)fit->registers_per_warp * grid->block_warps, limits.registers),
		.shared = part_of(fit->shared_per_cta, limits.shared_bytes),
		.slots = part_of(1, limits.max_ctas),
	};
}

/* A stream has one grid at a time: what ran there before has made place. */
static uint32_t find(const struct sharing_gpu *sharing, const struct hd_grid *grid)
{
	for (uint32_t i = 0; i < sharing->count; i++)
		if (sharing->kernels[i].stream == grid->stream)
			return i;
	return SHARING_NOBODY;
}

void sharing_grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	uint32_t which = find(sharing, grid);
	struct drf_block block = block_of(gpu, grid);
	uint32_t most = grid->fit.ctas < DRF_BLOCKS ? grid->fit.ctas : DRF_BLOCKS - 1;
	sharing->of_slot[grid->slot] = SHARING_NOBODY;
	collect(self, gpu, grid->slot);
	if (which == SHARING_NOBODY && sharing->count == SHARING_KERNELS) {
		sharing->others++;
		sharing->changed = true;
		return;
	}
	if (which == SHARING_NOBODY)
		which = sharing->count++;
	struct sharing_kernel *kernel = &sharing->kernels[which];
	/* A launch with blocks of another size is another kernel here. */
	sharing->changed |= kernel->kernel != grid->kernel || kernel->most != most ||
			    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): doubles without NaN or -0 */
			    memcmp(&kernel->block, &block, sizeof(block)) != 0;
	kernel->kernel = grid->kernel;
	kernel->stream = grid->stream;
	kernel->grid = grid;
	kernel->most = most;
	kernel->block = block;
	sharing->of_slot[grid->slot] = (uint8_t)which;
}

void sharing_grid_end(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	uint32_t which = sharing_which(sharing, grid->slot);
	collect(self, gpu, grid->slot);
	sharing->of_slot[grid->slot] = SHARING_NOBODY;
	if (which != SHARING_NOBODY) {
		sharing->kernels[which].grid = NULL;
		sharing->kernels[which].ended = gpu->now;
	} else {
		sharing->others--;
		sharing->changed = true;
	}
}

/* Kernels that have ended for good, or so it seems. */
static void forget_ended(struct sharing_gpu *sharing, uint64_t now, uint64_t patience)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < sharing->count; i++) {
		struct sharing_kernel *kernel = &sharing->kernels[i];
		if (!kernel->grid && now - kernel->ended >= patience)
			continue;
		if (kept != i)
			sharing->kernels[kept] = *kernel;
		if (kernel->grid)
			sharing->of_slot[kernel->grid->slot] = (uint8_t)kept;
		kept++;
	}
	sharing->changed |= kept != sharing->count;
	for (uint32_t i = kept; i < sharing->count; i++)
		sharing->kernels[i] = (struct sharing_kernel){0};
	sharing->count = kept;
}

/* ---- phases */

static void enter(const struct hd_policy_handle *self, struct hd_gpu *gpu, enum sharing_phase phase, uint64_t now)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	sharing->phase = phase;
	sharing->since = now;
	sharing_begin_window(self, gpu, now);
	if (phase == SHARING_RUN)
		sharing->design->decide(self, gpu, sharing);
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		hd_sm_request_dispatch(gpu->sms[i]);
}

/* The first kernel from `from` on that has no curves; the number of kernels: all have some. */
static uint32_t next_unknown(const struct sharing_gpu *sharing, uint32_t from)
{
	while (from < sharing->count && sharing->kernels[from].known)
		from++;
	return from;
}

static void begin_anew(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	sharing->changed = false;
	sharing->changes++;
	if (sharing->count < 2 || sharing->others || sharing->count > gpu->sm_count) {
		enter(self, gpu, SHARING_OFF, now);
		return;
	}
	sharing_recall(sharing);
	sharing->turn = next_unknown(sharing, 0);
	bool measures = sharing->design->measures && sharing->turn < sharing->count;
	enter(self, gpu, measures ? SHARING_SETTLE : SHARING_RUN, now);
}

/* A kernel may have to wait for its first block until one of another's ends; in the end nothing is known of it. And
 * that it is alone is not waited for any longer, either. */
#define LONGEST_MEASURE 10 /* windows */

/* A kernel whose turn it is settles when the blocks of the others have ended. */
static bool is_settled(struct sharing_gpu *sharing, const struct hd_gpu *gpu, uint64_t now, uint64_t window)
{
	for (uint32_t i = 0; sharing->apart && i < gpu->sm_count; i++)
		for (uint32_t which = 0; which < sharing->count; which++) {
			const struct hd_grid *grid = sharing->kernels[which].grid;
			if (which != sharing->turn && grid && gpu->sms[i]->grids[grid->slot].placed)
				sharing->shared = now;
		}
	uint64_t since = sharing->shared > sharing->since ? sharing->shared : sharing->since;
	return now - since >= window || now - sharing->since >= LONGEST_MEASURE * window;
}

static void go_on(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	uint64_t window = (uint64_t)hd_policy_setting(self, gpu, SHARING_WINDOW), passed = now - sharing->since;
	if (sharing->phase == SHARING_RUN && sharing->design->look)
		sharing->design->look(self, gpu, sharing, now);
	if (sharing->phase == SHARING_SETTLE && is_settled(sharing, gpu, now, window)) {
		enter(self, gpu, SHARING_MEASURE, now);
	} else if (sharing->phase == SHARING_MEASURE && passed >= window &&
		   (sharing_measure(self, gpu, now) || passed >= LONGEST_MEASURE * window)) {
		sharing->turn = sharing->apart ? next_unknown(sharing, sharing->turn + 1) : sharing->count;
		bool all = sharing->turn == sharing->count;
		sharing->measured += all;
		enter(self, gpu, all ? SHARING_RUN : SHARING_SETTLE, now);
	}
}

void sharing_tick(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	struct sharing_gpu *sharing = sharing_of(self, gpu);
	collect_all(self, gpu);
	forget_ended(sharing, now, (uint64_t)hd_policy_setting(self, gpu, SHARING_PATIENCE));
	if (sharing->changed)
		begin_anew(self, gpu, now);
	else
		go_on(self, gpu, now);
}

/* ---- blocks */

uint32_t sharing_owner(const struct sharing_gpu *sharing, const struct hd_sm *sm)
{
	return sharing->apart && sharing->phase != SHARING_RUN ? sharing->turn : sm->id % sharing->count;
}

uint32_t sharing_trial(const struct sharing_gpu *sharing, const struct hd_sm *sm, uint32_t which)
{
	uint32_t sms = sm->gpu->sm_count, kernels = sharing->apart ? 1 : sharing->count;
	uint32_t own = sharing->apart ? sms : (sms - which + kernels - 1) / kernels;
	uint32_t index = sm->id / kernels + 1;
	return (index * sharing->kernels[which].most + own - 1) / own;
}

uint32_t sharing_quota(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct sharing_gpu *sharing = sharing_of(self, sm->gpu);
	uint32_t which = sharing_which(sharing, grid->slot);
	if (sharing->changed && sharing->count + sharing->others > 1)
		return 0; /* until the next look */
	if (sharing->phase == SHARING_OFF || which == SHARING_NOBODY)
		return UINT32_MAX;
	if (sharing->phase == SHARING_RUN && !sharing->design->spatial)
		return sharing->blocks[which];
	if (sharing_owner(sharing, sm) != which)
		return 0;
	return sharing->phase == SHARING_RUN ? UINT32_MAX : sharing_trial(sharing, sm, which);
}

const struct hd_policy_count sharing_reported[] = {
	{"measured", "times", "measurements of kernels beside each other"},
	{"recalled", "kernels", "kernels whose curves an earlier launch had measured"},
	{"blocks", "CTAs per SM", "blocks that the kernel is given on an SM"},
	{"renewed", "times", "times that an SM's quotas of an epoch were given anew"},
	{"quota", "warp instructions", "of an SM and epoch"},
	{0},
};

void sharing_report_blocks(const struct sharing_gpu *sharing, const struct hd_gpu *gpu,
			   void (*add)(void *, const char *, double, const char *), void *context)
{
	if (!gpu->grid) {
		add(context, "measured", (double)sharing->measured, "times");
		add(context, "recalled", (double)sharing->recalled, "kernels with curves of an earlier launch");
	}
	for (uint32_t i = 0; gpu->grid && sharing->phase == SHARING_RUN && i < sharing->count; i++)
		if (sharing->kernels[i].stream == gpu->grid->stream)
			add(context, "blocks", sharing->blocks[i], "CTAs an SM");
}
