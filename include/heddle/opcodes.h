/* The machine's opcode names, one per row of opcodes.def. */
#ifndef HEDDLE_OPCODES_H
#define HEDDLE_OPCODES_H

#include "heddle/inst.h"

enum hd_op {
#define HD_OP(name, ...) HD_OP_##name,
#include "heddle/opcodes.def"
#undef HD_OP
	HD_OP_COUNT
};

/* Returns whether the instruction writes coefficient, thread-index or block-index registers. */
static inline bool hd_inst_is_linear(const struct hd_inst *inst)
{
	return inst->op == HD_OP_R2CR || inst->op == HD_OP_R2TR || inst->op == HD_OP_R2BR;
}

#endif
