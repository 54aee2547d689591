/*
 * Copies in bulk, from the instruction that begins them to their last effect (exec_bulk.c). The unit that keeps their
 * time is runtime/sm/bulk.c.
 */
#ifndef HD_RUNTIME_EXEC_BULK_H
#define HD_RUNTIME_EXEC_BULK_H

#include "lib/tensormap.h"
#include "lib/vec.h"
#include "runtime/core/cluster.h"
#include "runtime/exec/exec.h"

/* Bytes side by side in global memory, `place` bytes behind the begin of the copy's. */
struct hd_bulk_run {
	uint8_t *host;
	uint64_t address;
	uint32_t place, bytes;
};

/* A thread's copy. */
struct hd_bulk {
	struct hd_bulk *next; /* of those of one instruction, in the order of lanes; of the free ones */
	struct hd_bulks *of;
	const struct hd_dinst *inst;
	struct hd_warp *warp;
	struct hd_cta *cta;
	uint32_t lane, pc;
	uint32_t number; /* in `all` */
	uint8_t kind;	 /* HD_BULK_* */
	bool reduces;
	uint8_t op, type;     /* HD_ATOM_*, HD_F32 and so on */
	uint16_t ranks;	      /* blocks of the cluster that get the bytes, a bit each; without a cluster 1 */
	uint32_t shared;      /* where in each block's shared memory */
	uint32_t barrier;     /* the same */
	uint32_t bytes;	      /* all of them, fill included */
	uint64_t map_address; /* 0: of no tensor */
	struct hd_tensor_map map;
	HD_VEC(uint8_t) data; /* as they are in shared memory before the swizzle */
	HD_VEC(struct hd_bulk_run) runs;
	bool put_off; /* what it does to global memory waits for the window's end (later.h) */
	bool over;    /* nobody else needs it */
	/* In time (runtime/sm/bulk.c). */
	uint64_t began;	      /* cycle in which it was issued */
	struct hd_bulk *link; /* of a queue */
	uint64_t ready;	      /* cycle from which the unit may take it; at which it lands */
	uint32_t run, sent;   /* the run whose requests are next; bytes of it that have them */
	uint32_t left;	      /* answers that are to come */
	uint32_t awaits;      /* blocks that have not got the bytes */
	uint8_t grid, group;
	bool requested; /* all */
};

/* Of an SM. */
struct hd_bulks {
	struct hd_bulk *free;
	HD_VEC(struct hd_bulk *) all;
	struct hd_warp *there; /* who lands them here; NULL: none has landed. Its threads have the names of a warp's: */
	uint32_t named[4];     /* the block's size and the warp */
};

void hd_bulks_release(struct hd_exec *exec);
/* None is under way any more. */
void hd_bulks_forget(struct hd_exec *exec);
/* The copy has done all: it is forgotten, where need be at the window's end. */
void hd_bulk_drop(struct hd_bulk *bulk);
/* Its part in global memory: a load has the bytes from then on. */
void hd_bulk_move(struct hd_exec *exec, struct hd_bulk *bulk);
/* The bytes come to the block of this rank, and are told to its barrier. False: a fault. `exec` is that of the block's
 * SM. */
bool hd_bulk_land(struct hd_exec *exec, struct hd_bulk *bulk, uint32_t rank);
/* The block of a rank; it may have ended. */
struct hd_cta *hd_bulk_target(const struct hd_bulk *bulk, uint32_t rank);
/* Whether other blocks than the own get bytes. */
static inline bool hd_bulk_is_remote(const struct hd_bulk *bulk)
{
	return bulk->ranks & ~(1u << bulk->cta->rank);
}

#endif
