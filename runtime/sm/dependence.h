/*
 * Grids that begin before the one they follow has ended (griddepcontrol): dependence.c.
 */
#ifndef HD_RUNTIME_SM_DEPENDENCE_H
#define HD_RUNTIME_SM_DEPENDENCE_H

#include <stdbool.h>
#include <stdint.h>

struct hd_dinst;
struct hd_grid;
struct hd_sm;
struct hd_warp;

/* The warp's block allows the next grid to begin, or the warp waits until those that its grid follows have ended. */
void hd_dependence_issue(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask,
			 uint64_t now);
/* They have ended: the grid's warps that waited go on in cycle `at`. */
void hd_dependence_over(struct hd_sm *sm, const struct hd_grid *grid, uint64_t now, uint64_t at);
/* Whether a warp of the SM waits for that. */
bool hd_dependence_awaited(const struct hd_sm *sm, const struct hd_warp *warp);

#endif
