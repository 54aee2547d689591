/*
 * Registers that a grid has on an SM beside those of its warps: range.c.
 */
#ifndef HD_RUNTIME_SM_RANGE_H
#define HD_RUNTIME_SM_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"
#include "lib/api.h"

struct hd_dinst;
struct hd_grid;
struct hd_range_access;
struct hd_sm;
struct hd_warp;

/* The range of a grid. */
struct hd_range {
	uint32_t first, rows;		   /* warp registers */
	uint32_t (*values)[HD_WARP_LANES]; /* of each */
};

/* How many warp registers policies reserve, and giving them to the grid, zeroed: HD_SIM_NO_MEMORY or 0. */
uint32_t hd_range_rows(struct hd_sm *sm, const struct hd_grid *grid);
int hd_range_place(struct hd_sm *sm, const struct hd_grid *grid, uint32_t rows);
/* Values of a row, one a lane. */
HD_API uint32_t *hd_range_row(const struct hd_sm *sm, const struct hd_grid *grid, uint32_t row);
/* As hd_bank_read and hd_bank_write, of the range of the warp's grid. Accesses of fewer lanes are counted by lanes. */
HD_API uint64_t hd_range_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_range_access *access,
			      uint64_t from);
HD_API uint64_t hd_range_write(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_range_access *access,
			       uint64_t from);
/* Reads what the instruction reads of it, from tick `first` on; the tick at which that and what is there at `ready`
 * are. */
uint64_t hd_range_operands(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t first,
			   uint64_t ready);
/* What the instruction writes of it is there at cycle `at`. */
void hd_range_start(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now, uint64_t at);
/* The timer of hd_range_start: true when the write is done. */
bool hd_range_result(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);

#endif
