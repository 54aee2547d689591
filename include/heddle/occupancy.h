/*
 * Computes the resident CTAs of a kernel per SM and what limits them. Used by the engine's CTA dispatcher, the CUDA
 * runtime's occupancy calls, and `heddle info`, `check`, `diff` and `occupancy`.
 */
#ifndef HEDDLE_OCCUPANCY_H
#define HEDDLE_OCCUPANCY_H

#include <stdint.h>

#include "lib/api.h"

struct hd_config;

/* Limits of an SM, and its allocation units. A unit of 0 counts as 1. */
struct hd_sm_limits {
	uint32_t max_threads, max_warps, max_ctas;
	uint32_t registers;	      /* 32-bit registers of the SM */
	uint32_t max_regs_per_thread; /* 255 */
	uint32_t shared_bytes;	      /* for all CTAs */
	uint32_t shared_per_cta;      /* for one CTA */
	uint32_t register_unit;	      /* registers, per warp: 256 on Kepler and later */
	uint32_t warp_unit;	      /* parts of the register file; a warp's registers are in one part: 4 */
	uint32_t shared_unit;	      /* bytes: 256 */
	uint32_t shared_reserved;     /* bytes that each CTA takes beside its own: 1,024 from 8.0 on */
	uint32_t warp_lanes;	      /* 32 */
	uint32_t max_threads_per_cta; /* 1024 */
};

enum hd_occupancy_limit {
	HD_LIMIT_THREADS, /* threads or warps of the SM */
	HD_LIMIT_CTAS,
	HD_LIMIT_REGISTERS,
	HD_LIMIT_SHARED,
	HD_LIMIT_CTA_TOO_BIG, /* a single CTA does not fit, because of its threads */
	HD_LIMIT_COUNT
};

struct hd_occupancy {
	uint32_t ctas, warps; /* resident on one SM; 0: the kernel cannot be launched */
	uint32_t warps_per_cta;
	uint32_t registers_per_warp;   /* as allocated */
	uint32_t registers_per_cta;    /* for the launch check: warps rounded up to warp_unit */
	uint32_t shared_per_cta;       /* as allocated */
	uint32_t max_warps;	       /* of the SM; warps / max_warps is the occupancy */
	enum hd_occupancy_limit limit; /* limit of the next CTA */
};

/* Returns the limits of an SM of a configured GPU. */
HD_API struct hd_sm_limits hd_sm_limits_of(const struct hd_config *config);
/* Returns the occupancy. `shared_bytes` is static plus dynamic memory of one CTA. With zero threads nothing is
 * resident. */
HD_API struct hd_occupancy hd_occupancy_compute(const struct hd_sm_limits *limits, uint32_t regs_per_thread,
						uint32_t threads_per_cta, uint64_t shared_bytes);

/* "threads", "CTAs", "registers", "shared memory", "CTA size" */
const char *hd_occupancy_limit_name(enum hd_occupancy_limit limit);

#endif
