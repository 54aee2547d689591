/*
 * Registers that the warps of a block hand on (USETMAXREG): registers.c.
 */
#ifndef HD_RUNTIME_SM_REGISTERS_H
#define HD_RUNTIME_SM_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

struct hd_cta;
struct hd_dinst;
struct hd_sm;
struct hd_warp;

/* The warp gives registers back, or takes some, or waits until its block's pool has enough. */
void hd_registers_resize(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* A warp of the block has ended: others may wait for registers in vain now. */
void hd_registers_warp_done(struct hd_sm *sm, struct hd_cta *cta);
/* Whether a warp of the SM waits until its block's pool has enough. */
bool hd_registers_awaited(const struct hd_sm *sm, const struct hd_warp *warp);
/* Registers (of threads) that a waiting warp lacks beside what the pool has. */
uint32_t hd_registers_wanted(const struct hd_warp *warp, const struct hd_dinst *inst);

#endif
