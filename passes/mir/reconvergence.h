/*
 * Where the lanes of a warp are together again behind a branch, on machine IR.
 */
#ifndef HD_PASSES_MIR_RECONVERGENCE_H
#define HD_PASSES_MIR_RECONVERGENCE_H

#include "passes/mir/mir.h"

/* Whether lanes that come to the block end there, and nothing else happens. */
bool hd_mblock_only_ends(const struct hd_mblock *block);
/*
 * By block, where the lanes that its branch parts reconverge; HD_NO_NODE: nowhere. `chosen` (may be NULL): whether some
 * loop is left by lanes that end alone, on several edges: which of them is its exit may change with the code's shape.
 */
uint32_t *hd_mfunc_reconvergence_points(const struct hd_mfunc *func, struct hd_arena *arena, bool *chosen);

#endif
