/*
 * CARS's figures in the statistics: traps and their bytes (cars-hpca24, Table III), pushes and pops, allocations of
 * blocks (Figure 14), and the storage that the design adds to an SM (IV-C).
 */
#include <inttypes.h>

#include "heddle/config.h"
#include "lib/bits.h"
#include "runtime/policy/cars/cars.h"

static void add_counts(struct cars_counts *to, const struct cars_counts *from)
{
#define X(name, unit, help) to->name += from->name;
	CARS_COUNTS(X)
#undef X
}

static void subtract_counts(struct cars_counts *from, const struct cars_counts *what)
{
#define X(name, unit, help) from->name -= what->name;
	CARS_COUNTS(X)
#undef X
}

void cars_sum_counts(const struct hd_policy_handle *self, const struct hd_gpu *gpu, struct cars_counts *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		if (hd_sm_is_built(gpu->sms[i]))
			add_counts(sum, &cars_sm_of(self, gpu->sms[i])->counts);
}

static uint64_t bits_for(uint64_t values)
{
	uint64_t bits = 0;
	while (UINT64_C(1) << bits < values)
		bits++;
	return bits;
}

/* The stalled-warp list names any warp; the free registers of each are at most their share; RFP and RSP are rows. */
uint64_t cars_storage_bits(const struct hd_config *config)
{
	uint64_t warps = config->max_warps, rows = config->registers / HD_WARP_LANES;
	uint64_t list = warps * bits_for(warps), free = warps * bits_for(rows / warps),
		 pointers = 2 * warps * bits_for(rows);
	return list + free + pointers;
}

static void add_levels(const struct hd_policy_handle *self, const struct hd_gpu *gpu, const struct cars_levels *levels,
		       void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	uint32_t peak = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		peak = hd_larger(peak, cars_sm_of(self, gpu->sms[i])->peak);
	add(context, "peak_stack", peak, "registers");
	add(context, "base_registers", levels->base, "registers");
	add(context, "best_allocation", levels->rows[cars_level_best(levels, levels->count - 1)], "registers");
	for (uint32_t i = 0; i < levels->count; i++) {
		char key[48], name[16] = "high";
		uint64_t blocks = 0;
		for (uint32_t s = 0; s < gpu->sm_count; s++)
			if (hd_sm_is_built(gpu->sms[s]))
				blocks += cars_sm_of(self, gpu->sms[s])->launched[i];
		if (levels->multiple[i] == CARS_BELOW_LOW)
			snprintf(name, sizeof(name), "below_low");
		else if (levels->multiple[i])
			snprintf(name, sizeof(name), "%ux_low", levels->multiple[i]);
		snprintf(key, sizeof(key), "%s_registers", name);
		add(context, key, levels->rows[i], "registers");
		snprintf(key, sizeof(key), "%s_blocks", name);
		add(context, key, (double)blocks, "CTAs");
		snprintf(key, sizeof(key), "%s_block_cycles", name);
		add(context, key, cars_level_mean(levels, i), "cycles");
	}
}

const struct hd_policy_count cars_reported[] = {
	CARS_COUNTS(HD_COUNT_ROW){"trapping_calls", "%", "calls that spilled, of all calls"},
	{"bytes_per_call", "bytes", "bytes that traps and context switches moved, per call"},
	{"storage", "bytes", "storage that the design adds to an SM (cars-hpca24 IV-C)"},
	{"peak_stack", "registers", "deepest stack of a warp"},
	{"base_registers", "registers", "registers of a warp below its stack"},
	{"best_allocation", "registers", "allocation of a warp with the fewest cycles per block"},
	{"*_registers", "registers", "a warp's registers under this allocation"},
	{"*_blocks", "CTAs", "blocks that began with this allocation"},
	{"*_block_cycles", "cycles", "mean cycles of a block with this allocation"},
	{0},
};

void cars_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		 void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	const struct cars_gpu *cars = cars_gpu_of(self, gpu);
	struct cars_counts counts;
	cars_sum_counts(self, gpu, &counts);
	if (gpu->grid)
		subtract_counts(&counts, &cars->before);
#define X(name, unit, help) add(context, #name, (double)counts.name, unit);
	CARS_COUNTS(X)
#undef X
	uint64_t moved = counts.spilled_bytes + counts.filled_bytes + counts.switched_bytes;
	add(context, "trapping_calls", hd_percent(counts.call_traps, counts.calls), "%");
	add(context, "bytes_per_call", counts.calls ? (double)moved / (double)counts.calls : 0, "bytes");
	add(context, "storage", (double)cars_storage_bits(gpu->config) / 8, "bytes");
	if (gpu->grid)
		add_levels(self, gpu, &cars->kernel->levels, add, context);
}

bool cars_why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size)
{
	const struct cars_sm *sm = cars_sm_of(self, warp->cta->sm);
	const struct cars_warp *mine = cars_warp_of(self, warp);
	if (mine->state != CARS_STALLED)
		return false;
	snprintf(text, size,
		 "on the stalled-warp list for %u registers, %u are free; warps give theirs back when they end or wait "
		 "at a barrier",
		 mine->wanted, sm->free_rows);
	return true;
}

void cars_dump(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out)
{
	static const char *const names[] = {"free", "has registers", "stalled", "switched out", "away"};
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		const struct cars_sm *sm = cars_sm_of(self, gpu->sms[i]);
		if (!gpu->sms[i]->resident_warps)
			continue;
		fprintf(out, "cars, SM %u: %u registers free, allocation %u\n", i, sm->free_rows, sm->level);
		for (uint32_t slot = 0; slot < HD_MAX_CONTEXTS; slot++) {
			const struct cars_warp *warp = &sm->warps[slot];
			if (warp->state != CARS_FREE)
				fprintf(out, "  warp %3u %s, wants %u, stack %u: rfp %u rsp %u bottom %u, %u calls\n",
					slot, names[warp->state], warp->wanted, warp->stack.size, warp->stack.rfp,
					warp->stack.rsp, warp->stack.bottom, warp->stack.frames.len);
		}
	}
}
