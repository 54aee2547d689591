/*
 * Use, classes and the bound of extra blocks (monitor.h; gpu-multiprogramming-lin, 3.4.1, 3.6.2, 3.6.4, Table
 * 3.3). The crossbar's use is that of its busier direction, against 60 % of its peak, what its input queues sustain
 * with 16 ports.
 *
 * Cost: a few operations a window.
 */
#include "runtime/policy/duet/monitor.h"

#include <string.h>

#include "heddle/config.h"

#define SUSTAINED 0.6 /* of the crossbar's peak: 3.4.1 */
#define MOST_WARPS 128

/* ---- use */

static double per_cent(double value, double of)
{
	return of > 0 ? 100 * value / of : 0;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

struct duet_use duet_use_of(const struct hd_config *config, const struct hd_counters *counters, uint64_t cycles)
{
	double sms = (double)config->sm_count, slices = (double)config->l2_slices, time = (double)cycles;
	double core = config->core_mhz, sector = (double)config->sector;
	double flits = SUSTAINED * time * config->icnt_mhz / core;
	double peak = (double)(config->dram_bus * config->dram_ratio * config->dram_channels);
	double width = (double)(config->l1_width * config->l1_ports);
	double flit = (double)config->icnt_flit;
	return (struct duet_use){
		.scheduler = per_cent((double)hd_slots_issued(counters), time * sms * (double)config->schedulers),
		.network = larger(per_cent((double)counters->icnt_flits_up, flits * sms),
				  per_cent((double)counters->icnt_flits_down, flits * slices)),
		.dram = per_cent((double)(counters->dram_reads + counters->dram_writes) * sector,
				 peak * time * config->dram_mhz / core),
		.l1 = per_cent((double)counters->l1d_hits * larger((double)config->l1_line / width, 1), time * sms),
		.l2 = per_cent((double)counters->l2_hits * larger(sector / flit, 1),
			       time * slices * config->l2_mhz / core),
	};
}

/* ---- classes */

enum duet_class duet_class_of(const struct duet_use *use)
{
	if (use->scheduler > 80 || use->network > 90 || use->dram > 70 || use->l1 > 80 || use->l2 > 80)
		return DUET_SATURATED;
	if (use->scheduler < 60 && use->network < 60 && use->dram < 50 && use->l1 < 60 && use->l2 < 60)
		return DUET_UNDERUTILISED;
	return DUET_MODERATE;
}

/* ---- the bound */

/* For whose registers there is room: what a part of the register file cannot give to a whole warp is lost. */
static uint32_t warps_with_registers(const struct duet_kernel *kernel)
{
	uint32_t parts = kernel->parts ? kernel->parts : 1;
	return kernel->registers ? kernel->register_units / parts / kernel->registers * parts : UINT32_MAX;
}

static bool registers_limit(const struct duet_kernel *kernel)
{
	return (kernel->native + 1) * kernel->warps > warps_with_registers(kernel);
}

static bool slots_limit(const struct duet_kernel *kernel)
{
	return (kernel->native + 1) * kernel->warps > kernel->warp_slots;
}

static bool shared_limits(const struct duet_kernel *kernel)
{
	return (kernel->native + 1) * kernel->shared > kernel->shared_units;
}

enum duet_level duet_level_of(const struct duet_kernel *kernel)
{
	if (!kernel->native || !kernel->warps)
		return DUET_OFF;
	if (shared_limits(kernel))
		return registers_limit(kernel) ? DUET_OFF : DUET_BLOCKS;
	return registers_limit(kernel) || slots_limit(kernel) ? DUET_WARPS : DUET_OFF;
}

/* How many more than the native ones, of `all`. */
static uint32_t beyond(const struct duet_kernel *kernel, uint32_t all)
{
	return all > kernel->native ? all - kernel->native : 0;
}

/* What does not limit the blocks must have room for all of them. */
static uint32_t by_other(const struct duet_kernel *kernel, enum duet_level level)
{
	if (level == DUET_BLOCKS)
		return beyond(kernel, warps_with_registers(kernel) / kernel->warps);
	return kernel->shared ? beyond(kernel, kernel->shared_units / kernel->shared) : UINT32_MAX;
}

uint32_t duet_block_units(const struct duet_kernel *kernel, bool registers, bool shared)
{
	uint32_t warp = registers ? kernel->context : kernel->slot;
	return kernel->warps * warp + (shared ? kernel->shared : 0);
}

/* Blocks whose spilled parts fit beside the full ones of the native blocks. */
static uint32_t by_space(const struct duet_kernel *kernel, enum duet_level level, uint32_t more)
{
	uint32_t units = kernel->register_units + kernel->shared_units + more;
	uint32_t full = kernel->warps * kernel->registers;
	uint32_t used = kernel->native * (full + kernel->shared);
	uint32_t block = level == DUET_BLOCKS ? full + duet_block_units(kernel, false, true)
					      : duet_block_units(kernel, true, true);
	return units > used && block ? (units - used) / block : 0;
}

uint32_t duet_bound(const struct duet_kernel *kernel, uint32_t more)
{
	enum duet_level level = duet_level_of(kernel);
	if (level == DUET_OFF)
		return 0;
	uint32_t bound = beyond(kernel, MOST_WARPS / kernel->warps);
	bound = duet_least(bound, beyond(kernel, kernel->block_slots));
	bound = duet_least(bound, by_other(kernel, level));
	return duet_least(bound, by_space(kernel, level, more));
}

static uint32_t rest(uint32_t all, uint32_t used)
{
	return all > used ? all - used : 0;
}

/* Whether the contexts of so many extra blocks have places. */
static bool has_places(const struct duet_kernel *kernel, enum duet_level level, uint32_t extra, uint32_t more)
{
	uint32_t blocks = kernel->native + extra;
	if (level == DUET_BLOCKS) {
		uint32_t context = duet_block_units(kernel, false, true);
		uint32_t left = rest(kernel->register_units, blocks * kernel->warps * kernel->registers);
		return left / context + more / context >= extra;
	}
	uint32_t left = rest(kernel->shared_units, blocks * kernel->shared);
	return left / kernel->context + more / kernel->context >= extra * kernel->warps;
}

uint32_t duet_outside(const struct duet_kernel *kernel, uint32_t bound, uint32_t more)
{
	enum duet_level level = duet_level_of(kernel);
	while (bound && !has_places(kernel, level, bound, more))
		bound--;
	return bound;
}

uint32_t duet_slots_bound(const struct duet_kernel *kernel)
{
	uint32_t slots = kernel->warps * kernel->slot, block = kernel->shared + slots;
	uint32_t used = kernel->native * kernel->shared;
	if (!kernel->native || !kernel->warps || registers_limit(kernel) || shared_limits(kernel))
		return 0;
	uint32_t bound = beyond(kernel, MOST_WARPS / kernel->warps);
	bound = duet_least(bound, beyond(kernel, kernel->block_slots));
	bound = duet_least(bound, beyond(kernel, warps_with_registers(kernel) / kernel->warps));
	return block ? duet_least(bound, rest(kernel->shared_units, used) / block) : bound;
}

/* ---- growth */

void duet_growth_begin(struct duet_growth *growth, uint32_t bound)
{
	*growth = (struct duet_growth){.bound = bound};
}

void duet_growth_stop(struct duet_growth *growth)
{
	growth->bound = 0;
	growth->frozen = true;
}

static void decide(struct duet_growth *growth, enum duet_class class)
{
	growth->first = class;
	growth->frozen = class != DUET_MODERATE;
	if (class == DUET_UNDERUTILISED)
		growth->extra = growth->bound;
}

void duet_growth_window(struct duet_growth *growth, const struct duet_use *use)
{
	enum duet_class class = duet_class_of(use);
	if (growth->windows++ == 0 || growth->frozen)
		return;
	if (growth->windows == 2)
		decide(growth, class);
	else
		growth->frozen = class == DUET_SATURATED;
	if (!growth->frozen && growth->extra < growth->bound)
		growth->extra++;
	growth->frozen |= growth->extra == growth->bound;
}

uint64_t duet_move_cycles(uint64_t bytes, uint32_t port)
{
	return (bytes + port - 1) / port;
}

uint64_t duet_swap_cycles(uint64_t out, uint64_t in, uint32_t port, bool both_ways)
{
	uint64_t leaves = duet_move_cycles(out, port), comes = duet_move_cycles(in, port);
	if (!both_ways)
		return leaves + comes;
	return leaves > comes ? leaves : comes;
}
