/*
 * What a warp asks of memory (R2D2's vectors make it plain, section 3.1): from the coefficient vector of an address, or
 * from its expression evaluated lane by lane where it is not linear, the stride from lane to lane, the sectors of a
 * request, the conflicts in shared memory's banks and the alignment.
 *
 * Facts hold for warps whose 32 lanes are all active. Which thread a lane is depends on the block: its dimensions are
 * those that the kernel requires (reqntid) or is launched with, where all launch sites agree, and else only whole rows
 * of lanes are assumed, blockDim.x a multiple of 32. Pointer parameters are taken for what cudaMalloc returns:
 * multiples of 256; members of aggregates and other values are not.
 */
#ifndef HD_PASSES_AFFINE_COALESCING_H
#define HD_PASSES_AFFINE_COALESCING_H

#include "heddle/metadata.h"
#include "heddle/object.h"
#include "passes/affine/affine.h"
#include "passes/ir/uniformity.h"
#include "passes/mir/mir.h"

/*
 * The accesses of a kernel's finished code, in its order, as metadata. `selected` is what the code was made from,
 * `uniformity` that of its IR; `facts` tells about the kernel's launches.
 */
void hd_coalescing_describe(struct hd_affine *affine, const struct hd_object *object, const struct hd_function *code,
			    const struct hd_mfunc *selected, const struct hd_uniformity *uniformity,
			    const struct hd_meta_function *facts, struct hd_meta_affine *result);

#endif
