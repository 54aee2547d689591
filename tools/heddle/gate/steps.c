/*
 * What the next step of occupancy takes: by trying, with the function that CTA dispatch uses.
 *
 * Cost: as many evaluations as there are registers, units of shared memory and block sizes.
 */
#include "tools/heddle/gate/steps.h"

#include "heddle/figures.h"

struct hd_occupancy gate_fit(const struct hd_config *gpu, const struct gate_need *need)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu);
	return hd_occupancy_compute(&limits, need->registers, need->block, need->shared);
}

struct gate_range gate_fit_range(const struct hd_config *gpu, const struct gate_need *need)
{
	struct gate_need other = *need;
	struct gate_range range = {gate_fit(gpu, need), gate_fit(gpu, need)};
	for (other.block = GATE_BLOCK_STEP; other.block < need->block; other.block += GATE_BLOCK_STEP) {
		struct hd_occupancy fit = gate_fit(gpu, &other);
		if (fit.warps < range.least.warps)
			range.least = fit;
		if (fit.warps > range.most.warps)
			range.most = fit;
	}
	return range;
}

bool gate_block_is_bound(const struct hd_meta_function *kernel)
{
	bool known = kernel->reqntid[0] != 0;
	for (uint32_t i = 0; i < kernel->launch_count; i++)
		known |= kernel->launches[i].block_known;
	return !known && kernel->max_threads;
}

static bool more(const struct hd_config *gpu, const struct gate_need *need, uint32_t warps, uint64_t to,
		 struct gate_step *step)
{
	uint32_t now = gate_fit(gpu, need).warps;
	if (now <= warps)
		return false;
	*step = (struct gate_step){to, now};
	return true;
}

static struct gate_step fewer_registers(const struct hd_config *gpu, struct gate_need need, uint32_t warps)
{
	struct gate_step step = {0};
	while (need.registers > 1) {
		need.registers--;
		if (more(gpu, &need, warps, need.registers, &step))
			break;
	}
	return step;
}

/* In the unit in which the GPU gives shared memory away. */
static struct gate_step less_shared(const struct hd_config *gpu, struct gate_need need, uint32_t warps)
{
	struct gate_step step = {0};
	uint64_t unit = gpu->shared_unit ? gpu->shared_unit : 1;
	/* Above all that an SM has, nothing changes. */
	if (need.shared > gpu->shared_bytes + unit)
		need.shared = gpu->shared_bytes + unit;
	while (need.shared) {
		need.shared = (need.shared - 1) / unit * unit;
		if (more(gpu, &need, warps, need.shared, &step))
			break;
	}
	return step;
}

/* The block size nearest to the present one, the smaller of two. */
static struct gate_step other_block(const struct hd_config *gpu, const struct gate_need *need, uint32_t warps)
{
	struct gate_step step = {0};
	for (uint32_t away = 1; away <= GATE_MOST_THREADS; away++) {
		struct gate_need smaller = *need, larger = *need;
		smaller.block = need->block > away ? need->block - away : 0;
		larger.block = need->block + away;
		if (smaller.block % GATE_BLOCK_STEP == 0 && smaller.block &&
		    more(gpu, &smaller, warps, smaller.block, &step))
			break;
		if (larger.block % GATE_BLOCK_STEP == 0 && more(gpu, &larger, warps, larger.block, &step))
			break;
	}
	return step;
}

struct gate_steps gate_steps_of(const struct hd_config *gpu, const struct gate_need *need)
{
	uint32_t warps = gate_fit(gpu, need).warps;
	return (struct gate_steps){fewer_registers(gpu, *need, warps), less_shared(gpu, *need, warps),
				   other_block(gpu, need, warps)};
}

static void append_step(struct hd_strbuf *text, const struct gate_step *step, const char *what)
{
	if (step->warps)
		hd_strbuf_printf(text, "%s%llu %s: %u warps", text->len ? "; " : "", (unsigned long long)step->to, what,
				 step->warps);
}

void gate_steps_append(struct hd_strbuf *text, const struct hd_config *gpu, const struct gate_need *need)
{
	struct gate_steps steps = gate_steps_of(gpu, need);
	append_step(text, &steps.registers, "registers");
	append_step(text, &steps.shared, "bytes of shared memory");
	append_step(text, &steps.block, "threads a CTA");
}
