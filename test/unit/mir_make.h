/*
 * Short-hands for hand-made machine IR in tests: a function under construction, and one
 * call for each shape of instruction.
 */
#ifndef HD_TEST_UNIT_MIR_MAKE_H
#define HD_TEST_UNIT_MIR_MAKE_H

#include "passes/mir/mir.h"

struct hd_make {
	struct hd_arena arena;
	struct hd_mfunc func;
	struct hd_diag diag;
	uint32_t block; /* where instructions go */
};

void hd_make_init(struct hd_make *make, bool kernel, uint32_t blocks);
void hd_make_release(struct hd_make *make);

struct hd_minst *hd_make_inst(struct hd_make *make, struct hd_minst inst);
struct hd_mreg hd_make_param(struct hd_make *make, uint32_t index);   /* MOV from the constant bank */
struct hd_mreg hd_make_pointer(struct hd_make *make, uint32_t index); /* the same, a pair */
struct hd_mreg hd_make_imm(struct hd_make *make, uint32_t value);
struct hd_mreg hd_make_op(struct hd_make *make, unsigned op, struct hd_mreg a, struct hd_mreg b, struct hd_mreg c);
uint32_t hd_make_less(struct hd_make *make, struct hd_mreg a, struct hd_mreg b);
struct hd_mreg hd_make_load(struct hd_make *make, struct hd_mreg address, unsigned words, uint32_t offset);
void hd_make_store(struct hd_make *make, struct hd_mreg address, struct hd_mreg value, uint32_t offset);
void hd_make_copy(struct hd_make *make, struct hd_mreg to, struct hd_mreg from);
struct hd_mreg hd_make_list(struct hd_make *make, unsigned op, unsigned words, const struct hd_mreg *parts,
			    uint32_t count);
void hd_make_jump(struct hd_make *make, uint32_t to);
void hd_make_branch(struct hd_make *make, uint32_t guard, uint32_t taken, uint32_t other);
void hd_make_exit(struct hd_make *make);
/* CALL with arguments in R4.. and one result in R4. */
struct hd_mreg hd_make_call(struct hd_make *make, const struct hd_mreg *args, uint32_t count);
uint32_t hd_make_count(const struct hd_make *make, unsigned op); /* instructions with that opcode */

#endif
