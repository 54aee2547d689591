/*
 * Machine functions by hand, for tests of the analyses of machine code: instructions are appended
 * one by one, branch targets and reconvergence points are instruction indices.
 */
#ifndef HD_TEST_UNIT_MACHINE_CODE_H
#define HD_TEST_UNIT_MACHINE_CODE_H

#include "heddle/object.h"
#include "lib/vec.h"

struct code {
	HD_VEC(struct hd_inst) insts;
};

/* Each appends one instruction and returns its index; the caller may change it afterwards. */
uint32_t code_op(struct code *code, unsigned op);
uint32_t code_set(struct code *code, uint8_t dst, uint32_t value);	      /* MOV dst, value */
uint32_t code_move(struct code *code, uint8_t dst, uint8_t src);	      /* MOV dst, src */
uint32_t code_add(struct code *code, uint8_t dst, uint8_t a, uint8_t b);      /* IADD3 dst, a, b, RZ */
uint32_t code_compare(struct code *code, uint8_t pred, uint8_t a, uint8_t b); /* ISETP.LT pred, a, b */
uint32_t code_branch(struct code *code, uint8_t guard, uint32_t target, uint32_t reconv);
uint32_t code_jump(struct code *code, uint32_t target);
uint32_t code_special(struct code *code, uint8_t dst, enum hd_sr which); /* S2R */
uint32_t code_load(struct code *code, uint8_t dst, uint8_t address);	 /* LDS dst, [address] */
uint32_t code_store(struct code *code, uint8_t address, uint8_t value);	 /* STS [address], value */
uint32_t code_barrier(struct code *code);				 /* BAR.SYNC 0 */
uint32_t code_call(struct code *code);					 /* CALL, without a relocation */
uint32_t code_exit(struct code *code);
uint32_t code_guard(struct code *code, uint32_t inst, uint8_t guard); /* makes instruction `inst` conditional */

/* The function, in the arena; `code` is empty afterwards. Asserts that every instruction checks. */
struct hd_function code_finish(struct code *code, const char *name, bool kernel, struct hd_arena *arena);

/*
 * A kernel of `blocks` random blocks of up to `size` instructions and a branch, on R0..R[regs) and P0..P2, reducible or
 * not, with unreachable blocks and guarded writes and exits. Branches have no reconvergence points. The last block
 * exits.
 */
struct hd_function code_random(uint64_t *state, uint32_t blocks, uint32_t size, uint32_t regs, struct hd_arena *arena);

#endif
