/*
 * Products of warpgroups in time: wgmma.c.
 */
#ifndef HD_RUNTIME_SM_WGMMA_H
#define HD_RUNTIME_SM_WGMMA_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"

struct hd_arena;
struct hd_config;
struct hd_dinst;
struct hd_sm;
struct hd_warp;

/* Products are numbered in a warpgroup, from 1 on; the last so many are kept. */
enum { HD_WG_KEPT = 64, HD_WG_GROUPS = HD_WG_MOST_LEFT + 1, HD_WG_BLOCK_GROUPS = 16 };

/* Of a warp: groups of products it has issued, and the last product of each of the last ones. */
struct hd_wgmma_warp {
	uint32_t groups;
	uint32_t last[HD_WG_GROUPS]; /* by group % HD_WG_GROUPS */
	/* While it waits: where; for this product's slot, or its result; from when on. */
	const struct hd_dinst *inst;
	uint32_t awaited;
	bool wants_result;
	uint64_t since;
};

/* Of a warpgroup. */
struct hd_wgmma_group {
	uint32_t issued[HD_WG_WARPS]; /* products to which each warp has come; it stays when the warp has ended */
	uint32_t begun;		      /* products to which all four have come: the least of these */
	uint8_t dst;		      /* accumulator of the last of them */
	uint64_t done[HD_WG_KEPT];    /* cycle of the result */
};

struct hd_wgmma {
	uint32_t issue[2], queue[2], tail[2], chain; /* cycles, products; with a in shared memory, in registers */
	uint64_t free;				     /* cycle from which the tensor cores take the next one */
	bool ports;				     /* accumulators come through the register file's ports */
	uint64_t read_busy;			     /* ticks of a port for a read beside the last product */
	uint64_t ports_until;			     /* cycle until which products read their accumulators so */
	bool used;				     /* some warp of the SM has come to a product or a WARPGROUP */
	uint32_t count;				     /* products so far, of all warpgroups */
	uint64_t begin[HD_WG_KEPT];		     /* cycle of their slots */
	struct hd_wgmma_warp *warps;		     /* by hd_warp.id */
	struct hd_wgmma_group *groups;		     /* by the block's place in hd_sm.ctas, and its own in the block */
};

void hd_wgmma_init(struct hd_wgmma *products, const struct hd_config *config, uint32_t warps, uint32_t ctas,
		   struct hd_arena *arena);
/* A warp begins. */
void hd_wgmma_begin(struct hd_wgmma *products, const struct hd_warp *warp);
/* Of a warp that waits (hd_warp.product_wait): how many of its group have come to the product that it waits for. */
uint32_t hd_wgmma_come(const struct hd_sm *sm, const struct hd_warp *warp);
/* WGMMA or WARPGROUP was executed. */
void hd_wgmma_start(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* The same without timing: a wait still holds its warp until all four have come to the product (hd_warp.product_wait).
 */
void hd_wgmma_follow(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst);

#endif
