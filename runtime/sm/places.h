/*
 * What warps and blocks take up in an SM: slots, registers, shared and local memory. Private to runtime/sm.
 */
#ifndef HD_RUNTIME_SM_PLACES_H
#define HD_RUNTIME_SM_PLACES_H

#include "runtime/sm/context.h"

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

/* dispatch.c: a warp of the block begins, in a slot or, where it may, without one until there is one. */
void hd_cta_start_warp(struct hd_sm *sm, struct hd_cta *cta, uint32_t index, uint32_t without, uint64_t now);

/* dispatch.c: these grids have blocks here from now on. */
void hd_sm_share_queues(struct hd_sm *sm, uint32_t grids);
/* handover.c: the blocks that hd_cta_send has told of go, as far as there is room where they go to; true: not all. */
bool hd_sm_hand_over(struct hd_sm *sm, uint64_t now);
/* The register file is in parts, each with whole warps (lib/occupancy.c). */
uint64_t hd_register_parts(const struct hd_sm *sm);
/* Registers that a range takes of each. */
uint32_t hd_range_share(const struct hd_sm *sm, uint32_t rows);

/* Of the parts that `count` more warps of the grid, or one more block, need: those for which there is no room. */
uint32_t hd_warps_lack(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t parts, uint32_t count);
uint32_t hd_cta_lacks(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t parts);
/* 0: there is room for another block. Else the parts without which it may start, UINT32_MAX: it cannot. */
uint32_t hd_sm_launch_without(struct hd_sm *sm, const struct hd_grid *grid);

#endif
