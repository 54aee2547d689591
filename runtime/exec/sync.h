/*
 * Barriers in shared memory, for whoever keeps the time of those who wait: exec_sync.c.
 */
#ifndef HD_RUNTIME_EXEC_SYNC_H
#define HD_RUNTIME_EXEC_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"

struct hd_cta;
struct hd_dinst;
struct hd_exec;
struct hd_warp;

/* Of the lanes of a warp at SYNCS_WAIT, those whose phase is over. */
uint32_t hd_sync_over(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask);
/* Gives them the answer. */
void hd_sync_answer(struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask, uint32_t over);
/* Nanoseconds that they wait at most; UINT32_MAX: the system's limit. */
uint32_t hd_sync_limit(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask);
/* The word of the barrier that the lane waits at, its shared address, and the parity that it waits for. */
uint64_t hd_sync_word(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane, uint32_t *address,
		      uint32_t *parity);
/* An operation of exec->warp on a barrier in the shared memory of a block. False: it was wrong, and is a fault. */
bool hd_sync_do(struct hd_exec *exec, uint32_t lane, const struct hd_cta *owner, uint8_t *place, enum hd_syncsop op,
		uint32_t count);
/* Where the lanes' barriers are; an arrival of each there, for copies that are done. */
void hd_sync_addresses(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask, uint32_t *address);
void hd_sync_arrive(struct hd_exec *exec, struct hd_warp *warp, uint32_t mask, const uint32_t *address);

#endif
