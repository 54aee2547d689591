/*
 * CTA dispatch on one SM: dispatch.c.
 */
#ifndef HD_RUNTIME_SM_DISPATCH_H
#define HD_RUNTIME_SM_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/api.h"
#include "runtime/sm/limits.h"
#include "runtime/sm/range.h"

struct hd_cluster;
struct hd_cta;
struct hd_grid;
struct hd_linear_parts;
struct hd_sm;
struct hd_warp;

/* What an SM keeps of a grid that runs. */
struct hd_sm_grid {
	const struct hd_grid *grid;  /* NULL: it has ended */
	uint32_t late;		     /* of hd_sm_access.late_count */
	uint32_t transfers;	     /* of hd_transfers.count */
	uint32_t limit;		     /* CTAs of it that the SM has room for when nothing else is there */
	uint32_t resident, placed;   /* CTAs that the SM knows; of these, in a slot */
	uint32_t retired;	     /* since the GPU last looked */
	uint32_t fired;		     /* CTAs that have allowed the next grid to begin since then, or have ended */
	uint32_t registers_per_warp; /* as allocated */
	uint32_t shared_per_cta;     /* bytes, as allocated */
	uint32_t registers_away;     /* warps of resident CTAs that have no place in the register file */
	uint8_t *registers;	     /* backing store of hd_warp.regs */
	uint8_t *saved;		     /* the same of warps without a place, by hd_warp.id; NULL: no policy moves any */
	size_t saved_bytes;
	size_t register_bytes;
	size_t warp_register_bytes; /* rows of one warp, the hidden ones first */
	uint8_t *local;		    /* backing store of hd_warp.local */
	size_t local_bytes;
	struct hd_range range;	       /* warp registers of all its warps */
	struct hd_linear_parts *parts; /* what linear streams have left, where they run in time; else NULL */
};

struct hd_dispatch {
	bool wanted;		    /* hd_sm_request_dispatch, since the GPU last looked */
	uint32_t retired;	    /* CTAs, since the GPU last looked */
	uint64_t next;		    /* earliest cycle of the next CTA's launch */
	uint64_t launches;	    /* warps started, for ages */
	struct hd_cluster *cluster; /* of the next CTA that is launched, and its rank there */
	uint32_t rank;
	uint64_t free_warps[HD_MAX_CONTEXTS / 64]; /* hd_warp.id that are nobody's */
};

/* For policies: a quota has risen, so that blocks may find a place in the next cycle. */
HD_API void hd_sm_request_dispatch(struct hd_sm *sm);

/* ---- for the SM */

/* A grid has its turn, and may have CTAs here from now on. `like`: an SM that is prepared for it and has room for as
 * many of its CTAs, or NULL. `alone`: no other grid has had any here since the GPU was at rest. HD_SIM_TOO_LARGE,
 * HD_SIM_NO_MEMORY or 0. */
int hd_sm_prepare(struct hd_sm *sm, const struct hd_grid *grid, const struct hd_sm *like, bool alone);
void hd_sm_release_stores(struct hd_sm *sm);
struct hd_cta *hd_sm_launch_cta(struct hd_sm *sm, struct hd_grid *grid, uint64_t linear, uint64_t now);
/* A warp of the block begins, in a slot or, where it may, without one until there is one. */
void hd_cta_start_warp(struct hd_sm *sm, struct hd_cta *cta, uint32_t index, uint32_t without, uint64_t now);
/* Of a block of a cluster, which has kept its places: all blocks of that have ended. */
void hd_sm_release_cta(struct hd_sm *sm, struct hd_cta *cta);
void hd_sm_warp_done(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/* These grids have blocks here from now on. */
void hd_sm_share_queues(struct hd_sm *sm, uint32_t grids);

#endif
