/*
 * What host threads would share of a run's work: shares.c.
 */
#ifndef HD_RUNTIME_GPU_SHARES_H
#define HD_RUNTIME_GPU_SHARES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/arena.h"

struct hd_shares;

struct hd_shares *hd_shares_new(struct hd_arena *arena);
/* The main loop begins, and ends: what is between is counted. */
void hd_shares_begin(struct hd_shares *shares);
void hd_shares_end(struct hd_shares *shares);
/* A phase of so many pieces that threads may share, or that one of them does: before the first piece, behind each one,
 * and behind the last. `shared`: threads may share them; `memory`: the first is the memory system's. */
void hd_shares_phase(struct hd_shares *shares);
void hd_shares_piece(struct hd_shares *shares, uint32_t index);
void hd_shares_phase_done(struct hd_shares *shares, uint32_t count, bool shared, bool memory);
void hd_shares_print(const struct hd_shares *shares, FILE *out);

#endif
