/*
 * Uniformity: whether a value is the same in all lanes of a warp that execute together, and
 * whether a branch sends them all on the same path. Lin's divergence union and R2D2's
 * thread-block parts start from it; selection marks branches with it.
 */
#ifndef HD_PASSES_IR_UNIFORMITY_H
#define HD_PASSES_IR_UNIFORMITY_H

#include <stdbool.h>
#include <stdio.h>

#include <llvm-c/Core.h>

#include "lib/arena.h"

struct hd_uniformity;
struct hd_unit;

/* `kernel`: parameters are the same for all threads. Everything lives in the arena. */
struct hd_uniformity *hd_uniformity_compute(LLVMValueRef function, bool kernel, struct hd_arena *arena);
/* Constants are uniform; what the function does not have is not. */
bool hd_value_is_uniform(const struct hd_uniformity *uniformity, LLVMValueRef value);
/* A terminator whose condition is uniform where it is evaluated. */
bool hd_branch_is_uniform(const struct hd_uniformity *uniformity, LLVMValueRef terminator);

/* The row UNIFORMITY's result for a function of the legalised module that has a body. */
const struct hd_uniformity *hd_uniformity_of(const struct hd_unit *unit, LLVMValueRef function);

#endif
