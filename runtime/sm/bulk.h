/*
 * The unit of an SM that copies in bulk: bulk.c.
 */
#ifndef HD_RUNTIME_SM_BULK_H
#define HD_RUNTIME_SM_BULK_H

#include <stdbool.h>
#include <stdint.h>

struct hd_bulk;
struct hd_bulk_unit;
struct hd_cluster;
struct hd_dinst;
struct hd_sm;
struct hd_warp;

/* Copies begin (hd_effect.bulk), or the warp ends a group or waits for some. */
void hd_bulk_issue(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* Answers have come, or something is due. Of an SM that has a unit. */
void hd_bulk_cycle(struct hd_sm *sm, uint64_t now);
/* Starts to bring what that looks at first into the host's cache. */
void hd_bulk_fetch(const struct hd_bulk_unit *unit);
/* The instruction that a warp waits at (hd_warp.bulk_wait). */
const struct hd_dinst *hd_bulk_awaited(const struct hd_sm *sm, const struct hd_warp *warp);
/* The warp is killed. */
void hd_bulk_forget(struct hd_sm *sm, struct hd_warp *warp);
/* The SM's timers were dropped: no warp is left. */
void hd_bulk_timers_gone(struct hd_sm *sm, uint64_t now);
/* No grid is left; after a fault there may be copies. */
void hd_bulk_clear(struct hd_sm *sm);
void hd_bulk_release(struct hd_sm *sm);

/* Bytes for another block: what an SM sends in a window of cycles. */
struct hd_bulk_sent {
	uint64_t cycle; /* at which they are there; of a copy from shared memory, at which the first byte leaves */
	struct hd_bulk *bulk;
	uint32_t rank;
};
/* The next one that has not been taken; false: none is left. */
bool hd_bulk_take_sent(struct hd_sm *sm, struct hd_bulk_sent *sent);
/* They come to the block's SM at this cycle, which that has not come to. `now`, here and below: the last cycle of the
 * window, as an SM without work stands still at one long before. */
void hd_bulk_deliver(struct hd_sm *sm, const struct hd_bulk_sent *sent, uint64_t now);
/* All of the copy's blocks will have the bytes at this cycle: the SM that began it learns of it a way later. */
void hd_bulk_acknowledge(struct hd_sm *sm, struct hd_bulk *bulk, uint64_t cycle, uint64_t now);
/* What the copy sends, in bytes; 0: it is not from shared memory. */
uint32_t hd_bulk_sent_bytes(const struct hd_bulk *bulk);

#endif
