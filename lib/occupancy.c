/*
 * Occupancy: the smallest of the CTA counts that threads, CTA slots, registers and shared
 * memory allow, with the hardware's allocation granularity. Constant time.
 *
 * Registers are allocated a warp at a time in units of `register_unit`. The register file is split into `warp_unit`
 * parts, and a warp's registers lie in one part: what a part cannot give to a whole warp is lost. A launch is
 * refused when one CTA would not fit with its warps rounded up to a multiple of the parts, since the hardware
 * checks it so (CUDA occupancy calculator, cc 3.0 and later).
 */
#include "heddle/occupancy.h"
#include "heddle/config.h"

#include "heddle/machine.h"

struct hd_sm_limits hd_sm_limits_of(const struct hd_config *config)
{
	return (struct hd_sm_limits){
		.max_threads = (uint32_t)config->max_threads,
		.max_warps = (uint32_t)config->max_warps,
		.max_ctas = (uint32_t)config->max_ctas,
		.registers = (uint32_t)config->registers,
		.max_regs_per_thread = (uint32_t)config->max_regs_per_thread,
		.shared_bytes = (uint32_t)config->shared_bytes,
		.shared_per_cta = (uint32_t)config->shared_per_cta,
		.register_unit = (uint32_t)config->register_unit,
		.warp_unit = (uint32_t)config->warp_unit,
		.shared_unit = (uint32_t)config->shared_unit,
		.shared_reserved = (uint32_t)config->shared_reserved,
		.warp_lanes = HD_WARP_LANES,
		.max_threads_per_cta = (uint32_t)config->max_threads_per_cta,
	};
}

static uint64_t round_up(uint64_t value, uint32_t unit)
{
	uint64_t step = unit ? unit : 1;
	return (value + step - 1) / step * step;
}

static uint32_t fits(uint64_t room, uint64_t each)
{
	uint64_t count = each ? room / each : UINT32_MAX;
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static void tighten(struct hd_occupancy *occupancy, uint32_t ctas, enum hd_occupancy_limit limit)
{
	if (ctas >= occupancy->ctas)
		return;
	occupancy->ctas = ctas;
	occupancy->limit = limit;
}

static uint32_t register_ctas(const struct hd_sm_limits *limits, uint64_t per_warp, uint64_t per_cta, uint64_t warps)
{
	uint32_t parts = limits->warp_unit ? limits->warp_unit : 1;
	if (per_cta > limits->registers)
		return 0;
	return per_warp ? fits(limits->registers / parts / per_warp * parts, warps) : UINT32_MAX;
}

struct hd_occupancy hd_occupancy_compute(const struct hd_sm_limits *limits, uint32_t regs_per_thread,
					 uint32_t threads_per_cta, uint64_t shared_bytes)
{
	uint32_t lanes = limits->warp_lanes ? limits->warp_lanes : 32;
	uint64_t warps = round_up(threads_per_cta, lanes) / lanes;
	uint64_t register_warps = round_up(warps, limits->warp_unit);
	uint64_t per_warp = round_up((uint64_t)regs_per_thread * lanes, limits->register_unit);
	uint64_t per_cta = per_warp * register_warps;
	uint64_t shared = round_up(shared_bytes + limits->shared_reserved, limits->shared_unit);
	struct hd_occupancy occupancy = {
		.ctas = limits->max_ctas,
		.limit = HD_LIMIT_CTAS,
		.max_warps = limits->max_warps,
		.warps_per_cta = (uint32_t)warps,
		.registers_per_warp = (uint32_t)per_warp,
		.registers_per_cta = per_cta < UINT32_MAX ? (uint32_t)per_cta : UINT32_MAX,
		.shared_per_cta = shared < UINT32_MAX ? (uint32_t)shared : UINT32_MAX,
	};
	tighten(&occupancy, fits(limits->max_warps, warps), HD_LIMIT_THREADS);
	tighten(&occupancy, fits(limits->max_threads, warps * lanes), HD_LIMIT_THREADS);
	tighten(&occupancy, register_ctas(limits, per_warp, per_cta, warps), HD_LIMIT_REGISTERS);
	tighten(&occupancy, shared_bytes > limits->shared_per_cta ? 0 : fits(limits->shared_bytes, shared),
		HD_LIMIT_SHARED);
	if (regs_per_thread > limits->max_regs_per_thread)
		tighten(&occupancy, 0, HD_LIMIT_REGISTERS);
	if (threads_per_cta == 0 || threads_per_cta > limits->max_threads_per_cta) {
		occupancy.ctas = 0;
		occupancy.limit = HD_LIMIT_CTA_TOO_BIG;
	}
	occupancy.warps = (uint32_t)(occupancy.ctas * warps);
	return occupancy;
}

const char *hd_occupancy_limit_name(enum hd_occupancy_limit limit)
{
	static const char *const names[HD_LIMIT_COUNT] = {"threads", "CTAs", "registers", "shared memory", "CTA size"};
	return (unsigned)limit < HD_LIMIT_COUNT ? names[limit] : "unknown";
}
