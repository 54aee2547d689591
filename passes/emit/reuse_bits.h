/* Bits of the reuse cache: reuse_bits.c. */
#ifndef HD_PASSES_EMIT_REUSE_BITS_H
#define HD_PASSES_EMIT_REUSE_BITS_H

#include "heddle/inst.h"

/* Sets the reuse bits of the instructions of a block, in their final order and registers. */
void hd_set_reuse(struct hd_inst *insts, uint32_t count);

#endif
