/*
 * Instructions that a policy has executed without an issue slot: elide.c.
 */
#ifndef HD_RUNTIME_SM_ELIDE_H
#define HD_RUNTIME_SM_ELIDE_H

#include <stdbool.h>
#include <stdint.h>

struct hd_sm;
struct hd_warp;

/* Whether the warp's next instruction may be elided. It is not fetched then. */
bool hd_elide_wanted(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/* The operands of the instruction that may be elided are there. */
void hd_elide(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);

#endif
