/* Kinds of instructions that figures count (mix.c). */
#ifndef HD_LIB_MACHINE_MIX_H
#define HD_LIB_MACHINE_MIX_H

#include "heddle/inst.h"

/* An instruction may be of several. */
enum hd_mix_kind {
	HD_MIX_FP64,	   /* double precision, conversions from and to it included */
	HD_MIX_CONVERSION, /* between integers and floating-point numbers, and between formats of these */
	HD_MIX_LOCAL,	   /* accesses of local memory that are neither spills nor saved registers */
	HD_MIX_BARRIER,	   /* barriers of a CTA */
	HD_MIX_PRODUCT,	   /* of warpgroups */
	HD_MIX_SERIALIZED, /* waits for these that the compiler put in */
	HD_MIX_RESIZE,	   /* of the registers that a thread has */
	HD_MIX_BULK,	   /* copies in bulk and of tensors, reductions included */
	HD_MIX_INIT,	   /* of barriers in shared memory */
	HD_MIX_AWAIT,	   /* waits for barriers in shared memory */
	HD_MIX_KINDS
};

/* Returns whether an instruction is of a kind. */
bool hd_inst_is_of(const struct hd_inst *inst, enum hd_mix_kind kind);

#endif
