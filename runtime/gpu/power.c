/*
 * Energy: counted events times the picojoules of the configuration, and power that is there whatever runs, over the
 * simulated time: of the board, of SMs that have no warp, and of SMs that have some (AccelWattch, MICRO 2021, Section
 * 4, whose static power also grows with the lanes that are on; here all of a warp are).
 *
 * Needs counters and a configuration. Cost: some sums a launch or sample.
 */
#include "runtime/gpu/power.h"

#include <string.h>

#include "heddle/config.h"
#include "heddle/machine.h"

static void add_dynamic(double *pj, const struct hd_counters *c, const struct hd_config *config)
{
	pj[HD_POWER_issue] = (double)c->warp_instructions * config->pj_issue;
	pj[HD_POWER_integer] =
		(double)(c->int_instructions + c->lsu_instructions + c->control_instructions) * config->pj_int;
	pj[HD_POWER_fp32] = (double)c->fp32_instructions * config->pj_fp32;
	pj[HD_POWER_fp64] = (double)c->fp64_instructions * config->pj_fp64;
	pj[HD_POWER_sfu] = (double)c->sfu_instructions * config->pj_sfu;
	pj[HD_POWER_tensor] =
		(double)c->tensor_products * config->pj_tensor + (double)c->tensor_int_products * config->pj_tensor_int;
	pj[HD_POWER_registers] =
		((double)c->bank_reads + (double)c->bank_lane_reads / HD_WARP_LANES) * config->pj_reg_read +
		((double)c->bank_writes + (double)c->bank_lane_writes / HD_WARP_LANES) * config->pj_reg_write;
	pj[HD_POWER_operands] = (double)c->bank_reads * (config->pj_operand_crossbar + config->pj_collector) +
				(double)c->register_reads * config->pj_collector;
	pj[HD_POWER_shared] = (double)c->shared_cycles * config->pj_shared;
	pj[HD_POWER_l1] = (double)c->l1d_accesses * config->pj_l1 + (double)c->constant_passes * config->pj_constant +
			  (double)c->texture_texels * config->pj_texel;
	pj[HD_POWER_l2] = (double)c->l2_accesses * config->pj_l2;
	pj[HD_POWER_crossbar] = (double)(c->icnt_flits_up + c->icnt_flits_down) * config->pj_icnt;
	pj[HD_POWER_dram] = (double)(c->dram_reads + c->dram_writes) * config->pj_dram +
			    (double)c->dram_activations * config->pj_dram_act;
}

void hd_power_compute(struct hd_power *power, const struct hd_counters *c, const struct hd_config *config)
{
	double second = config->core_mhz * 1e6, active = (double)c->active_sm_cycles;
	add_dynamic(power->joules, c, config);
	for (uint32_t i = 0; i < HD_POWER_static; i++)
		power->joules[i] *= 1e-12;
	power->joules[HD_POWER_static] = config->static_sm_watts * active / second;
	power->joules[HD_POWER_idle] =
		config->idle_sm_watts * ((double)config->sm_count * (double)c->cycles - active) / second;
	power->joules[HD_POWER_constant] = config->constant_watts * (double)c->cycles / second;
}

void hd_power_add(struct hd_power *to, const struct hd_power *from)
{
	for (uint32_t i = 0; i < HD_POWER_COUNT; i++)
		to->joules[i] += from->joules[i];
}

void hd_power_subtract(struct hd_power *from, const struct hd_power *what)
{
	for (uint32_t i = 0; i < HD_POWER_COUNT; i++)
		from->joules[i] -= what->joules[i];
}

static double sum_of(const struct hd_power *power, uint32_t count)
{
	double sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += power->joules[i];
	return sum;
}

double hd_power_total(const struct hd_power *power)
{
	return sum_of(power, HD_POWER_COUNT);
}

double hd_power_dynamic(const struct hd_power *power)
{
	return sum_of(power, HD_POWER_static);
}

/* What no launch has can be less than nothing: grids that ran beside others count a thing twice. */
static double difference(uint64_t count)
{
	return (double)(int64_t)count;
}

double hd_power_transfers(const struct hd_counters *c, const struct hd_config *config)
{
	double pj = 0;
	int64_t bytes = (int64_t)(c->transfer_bytes_out + c->transfer_bytes_in);
	pj += difference(c->transfer_register_reads) * config->pj_reg_read;
	pj += difference(c->transfer_register_writes) * config->pj_reg_write;
	pj += difference(c->transfer_shared_cycles) * config->pj_shared;
	pj += difference(c->transfer_flits) * config->pj_icnt;
	/* NOLINTNEXTLINE(bugprone-integer-division): whole sectors */
	pj += (double)(bytes / (int64_t)config->sector) * config->pj_l2;
	pj += difference(c->transfer_misses) * config->pj_dram;
	return pj * 1e-12;
}

const char *hd_power_name(enum hd_power_part part)
{
	static const char *const names[] = {
#define X(name) #name,
		HD_POWER_UNITS(X) HD_POWER_STANDING(X)
#undef X
	};
	return names[part];
}
