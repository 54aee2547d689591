/* What kinds of instructions functions consist of (mix.c). */
#ifndef HD_PASSES_REPORT_MIX_H
#define HD_PASSES_REPORT_MIX_H

struct hd_unit;

/* Fills in the groups `mix` and `async` of the unit's metadata, whose functions exist already. */
void hd_mix_describe(struct hd_unit *unit);

#endif
