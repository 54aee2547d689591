/*
 * Barriers in shared memory, in time: mbarrier.c.
 */
#ifndef HD_RUNTIME_SM_MBARRIER_H
#define HD_RUNTIME_SM_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"
#include "lib/vec.h"

struct hd_arena;
struct hd_config;
struct hd_cta;
struct hd_dinst;
struct hd_sm;
struct hd_warp;

/* What a suspended warp waits for. */
struct hd_suspended {
	const struct hd_dinst *inst;
	uint32_t mask;
	uint64_t since, until; /* cycles; the second is its limit */
	uint64_t alarm;	       /* cycle of the warp's timer, also of an earlier wait; 0: none is set */
};

/* An arrival that waits for copies: those of its number in hd_warp.arrivals, and of those before. */
struct hd_arrival {
	uint32_t warp, mask;
	uint32_t address[HD_WARP_LANES];
	uint8_t number;
};

struct hd_mbarriers {
	uint32_t arrive, wake, busy;	/* cycles */
	double limit;			/* cycles of a wait without one of its own */
	uint64_t free;			/* cycle from which the next operation is taken */
	uint32_t waiting;		/* warps that are suspended */
	struct hd_suspended *suspended; /* by hd_warp.id, of those with sync_wait */
	HD_VEC(struct hd_arrival) arrivals;
};

void hd_mbarriers_init(struct hd_mbarriers *barriers, const struct hd_config *config, uint32_t warps,
		       struct hd_arena *arena);
void hd_mbarriers_release(struct hd_mbarriers *barriers);
/* No grid is left. */
void hd_mbarriers_clear(struct hd_mbarriers *barriers);
/* The warp is killed. */
void hd_mbarrier_forget(struct hd_sm *sm, struct hd_warp *warp);
/* An operation was executed. */
void hd_mbarrier_changed(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* An access of the warp has told barriers of its own block of its bytes. */
void hd_mbarrier_told(struct hd_sm *sm, const struct hd_warp *warp, uint64_t now);
/* The warp waits, or has its answer. */
void hd_mbarrier_wait(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* Its limit has passed, if it still waits. */
void hd_mbarrier_alarm(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/* Those of the block whose phases are over go on; what ended them is done at cycle `at`. */
void hd_mbarrier_look(struct hd_sm *sm, const struct hd_cta *cta, uint64_t now, uint64_t at);
/* The same; they go on at cycle `woken`. */
void hd_mbarrier_release(struct hd_sm *sm, const struct hd_cta *cta, uint64_t now, uint64_t woken);
/* The warp arrives when the copies that it has issued are done. */
void hd_mbarrier_after_copies(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* A copy that is issued now: the number of the arrival that waits for it. And when it is done. */
uint8_t hd_mbarrier_copy(struct hd_warp *warp);
void hd_mbarrier_copied(struct hd_sm *sm, struct hd_warp *warp, uint8_t number, uint64_t now);
/* Whether the warp must wait before it can issue ARRIVES: too many wait for copies. */
bool hd_mbarrier_is_full(const struct hd_warp *warp);

#endif
