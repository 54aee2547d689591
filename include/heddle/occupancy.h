/*
 * How many CTAs of a kernel fit on one SM at a time, and what stops more. The CTA dispatcher of the engine, the CUDA
 * runtime's occupancy calls, and `heddle info`, `check`, `diff` and `occupancy` share this function.
 */
#ifndef HEDDLE_OCCUPANCY_H
#define HEDDLE_OCCUPANCY_H

#include <stdint.h>

#include "lib/api.h"

struct hd_config;

/* What one SM has, and the units in which it gives it away. A unit of 0 counts as 1. */
struct hd_sm_limits {
	uint32_t max_threads, max_warps, max_ctas;
	uint32_t registers;	      /* 32-bit registers of the SM */
	uint32_t max_regs_per_thread; /* 255 */
	uint32_t shared_bytes;	      /* that CTAs can have together */
	uint32_t shared_per_cta;      /* that one of them can have */
	uint32_t register_unit;	      /* registers, allocated a warp: 256 on Kepler and later */
	uint32_t warp_unit;	      /* parts of the register file; a warp's registers lie in one: 4 */
	uint32_t shared_unit;	      /* bytes: 256 */
	uint32_t warp_lanes;	      /* 32 */
	uint32_t max_threads_per_cta; /* 1024 */
};

enum hd_occupancy_limit {
	HD_LIMIT_THREADS, /* threads or warps of the SM */
	HD_LIMIT_CTAS,
	HD_LIMIT_REGISTERS,
	HD_LIMIT_SHARED,
	HD_LIMIT_CTA_TOO_BIG, /* not one CTA fits, by its threads */
	HD_LIMIT_COUNT
};

struct hd_occupancy {
	uint32_t ctas, warps; /* resident on one SM; 0: the kernel cannot be launched */
	uint32_t warps_per_cta;
	uint32_t registers_per_warp;   /* as allocated */
	uint32_t registers_per_cta;    /* as the launch check sees it: warps rounded up to warp_unit */
	uint32_t shared_per_cta;       /* as allocated */
	uint32_t max_warps;	       /* of the SM; warps / max_warps is the occupancy */
	enum hd_occupancy_limit limit; /* what stops the next CTA */
};

/* The limits of one SM of a configured GPU. */
HD_API struct hd_sm_limits hd_sm_limits_of(const struct hd_config *config);
/* `shared_bytes`: static and dynamic of one CTA. With zero threads nothing is resident. */
HD_API struct hd_occupancy hd_occupancy_compute(const struct hd_sm_limits *limits, uint32_t regs_per_thread,
						uint32_t threads_per_cta, uint64_t shared_bytes);

/* "threads", "CTAs", "registers", "shared memory", "CTA size" */
const char *hd_occupancy_limit_name(enum hd_occupancy_limit limit);

#endif
