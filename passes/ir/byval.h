/*
 * By-value aggregates as arguments of device functions, as ptxas passes them: one that fits the argument registers that
 * are left lies there as it lies in memory, a word in each, beginning at a register of its alignment; any other goes
 * on the stack whole, and takes no register from the arguments behind it. The place depends on nothing but sizes and
 * alignments, so that objects which were compiled apart agree.
 *
 * Legalisation takes such arguments apart (passes/legalize/byval.c): the caller's parts travel in an operand bundle of
 * the call, the callee's are loads from the parameter, whose address nothing else has then. Selection puts both in
 * place.
 */
#ifndef HD_PASSES_IR_BYVAL_H
#define HD_PASSES_IR_BYVAL_H

#include <llvm-c/Target.h>

#include "lib/machine/abi.h"

/* The operand bundle of one argument: its index, then the values of its parts. */
#define HD_BYVAL_BUNDLE "heddle.byval"
/* The most that a caller takes apart for the stack: more would only be spilled. */
#define HD_BYVAL_MOST_BYTES 128u
#define HD_BYVAL_MOST_PARTS (HD_BYVAL_MOST_BYTES / 4)

struct hd_byval {
	LLVMTypeRef type; /* NULL: not by value */
	uint32_t align;	  /* bytes */
	uint64_t bytes;
};

/* A part is a word or, where an aligned scalar of 8 bytes lies in the aggregate, a pair. The last may reach beyond the
 * end. */
struct hd_byval_part {
	uint32_t offset; /* bytes */
	uint8_t words;
};

/* The by-value aggregate that an argument of a call or a parameter of a function is. */
struct hd_byval hd_byval_of(LLVMTargetDataRef layout, LLVMValueRef holder, unsigned param);
/* Its parts, in order: how many, 0 when it has more than HD_BYVAL_MOST_BYTES bytes or none. */
uint32_t hd_byval_parts(LLVMTargetDataRef layout, const struct hd_byval *byval,
			struct hd_byval_part parts[HD_BYVAL_MOST_PARTS]);
/* Words of a scalar in a call: predicates have one, narrow pointers a zero-extended pair; 0: not passed. */
uint8_t hd_passed_words(LLVMTypeRef type);
/*
 * The registers of the by-value arguments of a call or parameters of a function of the type: first[i] of parameter i, 0
 * when it is on the stack or no such aggregate.
 */
void hd_byval_registers(const struct hd_abi *abi, LLVMTargetDataRef layout, LLVMTypeRef type, LLVMValueRef holder,
			uint8_t *first);
/* The bundle with the parts of a call's argument, which the caller disposes of; NULL: none. */
LLVMOperandBundleRef hd_byval_bundle(LLVMValueRef call, unsigned param);

#endif
