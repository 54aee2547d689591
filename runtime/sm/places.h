/*
 * What warps and blocks take up in an SM: slots, registers, shared and local memory. Private to runtime/sm.
 */
#ifndef HD_RUNTIME_SM_PLACES_H
#define HD_RUNTIME_SM_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/inst.h"
#include "runtime/sm/limits.h"

struct hd_cta;
struct hd_grid;
struct hd_sm;
struct hd_warp;

struct hd_sm_places {
	uint32_t placed_warps, placed_ctas; /* of the resident ones, in a slot */
	uint32_t warp_slots, cta_slots;
	uint64_t free_slots[HD_MAX_WARPS / 64];
	uint64_t free_rows[HD_MAX_CONTEXTS / 64]; /* of hd_sm_grid.registers */
	uint32_t shared_reserved; /* bytes: to where CTAs have had shared memory since the SM was last without grids */
	uint8_t *shared;
	uint8_t *saved_shared; /* of CTAs without shared memory in the SM, by their index */
	size_t saved_shared_bytes;
	/* By hd_warp.id. */
	uint8_t rows_of[HD_MAX_CONTEXTS];   /* which part of hd_sm_grid.registers it has */
	uint32_t local_of[HD_MAX_CONTEXTS]; /* which part of the grid's local memory, of all SMs' */
};

/* The lowest number in a set that is not empty; it leaves the set. */
static inline uint32_t hd_take_lowest(uint64_t *set)
{
	uint32_t word = 0;
	while (!set[word])
		word++;
	uint32_t bit = (uint32_t)__builtin_ctzll(set[word]);
	set[word] &= set[word] - 1;
	return word * 64 + bit;
}

static inline void hd_give_back(uint64_t *set, uint32_t number)
{
	set[number / 64] |= UINT64_C(1) << number % 64;
}

/* The lowest free slot, where the caller has hd_scheduler_add or _enter follow; and out of it, and its scheduler's
 * care. */
void hd_warp_take_slot(struct hd_sm *sm, struct hd_warp *warp);
void hd_warp_leave_slot(struct hd_sm *sm, struct hd_warp *warp);
/* warp->regs is the lowest free part of the grid's registers, whose contents are anything. */
void hd_warp_take_rows(struct hd_sm *sm, struct hd_warp *warp);
void hd_warp_leave_rows(struct hd_sm *sm, const struct hd_warp *warp);
/* Where registers are kept that have no place in the register file: warp->regs then. */
uint32_t (*hd_warp_saved_rows(const struct hd_sm *sm, const struct hd_warp *warp))[HD_WARP_LANES];
/* warp->local and local_base; local memory stays where it is as long as the warp lives, also on another SM. */
void hd_warp_place_local(const struct hd_sm *sm, struct hd_warp *warp);

/* A CTA slot, and back. */
void hd_cta_take_slot(struct hd_sm *sm, struct hd_cta *cta);
void hd_cta_leave_slot(struct hd_sm *sm, struct hd_cta *cta);
/* Shared memory at the lowest offset that is free, which there must be; cta->shared is there. Contents are anything. */
void hd_cta_take_shared(struct hd_sm *sm, struct hd_cta *cta);
uint8_t *hd_cta_saved_shared(const struct hd_sm *sm, const struct hd_cta *cta);

/* The register file is in parts, each with whole warps (lib/occupancy.c). */
uint64_t hd_register_parts(const struct hd_sm *sm);
/* Registers that a range takes of each. */
uint32_t hd_range_share(const struct hd_sm *sm, uint32_t rows);

/* Of the parts that `count` more warps of the grid, or one more block, need: those for which there is no room. */
uint32_t hd_warps_lack(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t parts, uint32_t count);
uint32_t hd_cta_lacks(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t parts);
/* 0: there is room for another block. Else the parts without which it may start, UINT32_MAX: it cannot. */
uint32_t hd_sm_launch_without(struct hd_sm *sm, const struct hd_grid *grid);
/* Whether there is room for a block, also for one that may start without some of what it needs. */
bool hd_sm_has_room(struct hd_sm *sm, const struct hd_grid *grid);

#endif
