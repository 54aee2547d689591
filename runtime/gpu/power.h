/*
 * Energy and power of a run, in parts.
 */
#ifndef HD_RUNTIME_GPU_POWER_H
#define HD_RUNTIME_GPU_POWER_H

#include "heddle/stats.h"

struct hd_config;

/* Dynamic energy by what takes it, then what passes with time: of SMs with warps, of SMs without, of the board. */
#define HD_POWER_UNITS(X)                                                              \
	X(issue) X(integer) X(fp32) X(fp64) X(sfu) X(tensor) X(registers) X(operands) \
	X(shared) X(l1) X(l2) X(crossbar) X(dram)
#define HD_POWER_STANDING(X) X(static) X(idle) X(constant)

enum hd_power_part {
#define X(name) HD_POWER_##name,
	HD_POWER_UNITS(X) HD_POWER_STANDING(X)
#undef X
		HD_POWER_COUNT
};

struct hd_power {
	double joules[HD_POWER_COUNT];
};

/* Of these counters, `cycles` and `active_sm_cycles` among them. Linear in them: parts of a run add up to the whole. */
void hd_power_compute(struct hd_power *power, const struct hd_counters *counters, const struct hd_config *config);
void hd_power_add(struct hd_power *to, const struct hd_power *from);
void hd_power_subtract(struct hd_power *from, const struct hd_power *what);
double hd_power_total(const struct hd_power *power);
double hd_power_dynamic(const struct hd_power *power);
/* Of the total what transfers of policies take: registers, shared memory, the way to L2, and what DRAM reads for them.
 * Joules. */
double hd_power_transfers(const struct hd_counters *counters, const struct hd_config *config);
const char *hd_power_name(enum hd_power_part part);

#endif
