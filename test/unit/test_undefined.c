/* Registers that may hold no value of the program (lib/object/undefined.h), worked out by hand. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "lab.h"
#include "lib/machine/abi.h"
#include "lib/machine/regset.h"
#include "lib/object/undefined.h"

enum { MOST = 8 };
enum { CALLER = 1, CALLEE, HELPER }; /* functions of the object */

static struct hd_regset of[MOST];

static struct hd_inst move(uint8_t dst, uint8_t src)
{
	struct hd_inst inst = hd_inst_new(HD_OP_MOV);
	inst.dst = dst;
	inst.b = src;
	return inst;
}

static struct hd_inst set(uint8_t dst)
{
	return move(dst, HD_RZ);
}

/* What may have no value where it is read; a call at `call` is one of `callee`, 0: none in this object. */
static void find(struct hd_inst *insts, uint32_t count, bool kernel, uint32_t call, uint32_t callee)
{
	struct hd_symbol symbols[1] = {{.kind = HD_SYM_FUNCTION, .defined = callee, .function = callee - CALLER}};
	struct hd_reloc reloc = {.kind = HD_REL_CALL, .offset = call};
	struct hd_function functions[] = {
		{.name = "caller", .kernel = kernel, .insts = insts, .inst_count = count, .relocs = &reloc},
		{.name = "callee", .result_words = 2},
		{.name = "helper", .helper = true},
	};
	struct hd_object object = {.functions = functions, .function_count = 3, .symbols = symbols, .symbol_count = 1};
	object.metadata.abi = &hd_abi_cars;
	functions[0].reloc_count = call != UINT32_MAX;
	hd_undefined_find(&object, &functions[0], of);
}

static void expect(uint32_t inst, uint32_t reg, bool undefined)
{
	ck_assert_msg(hd_regset_has(&of[inst], reg) == undefined, "%u: R%u", inst, reg);
}

START_TEST(the_entry_gives_arguments_and_the_stack)
{
	struct hd_inst insts[] = {move(20, 4), move(20, 15), move(20, 16), move(20, 0), move(20, 1), lab_op(HD_OP_RET)};
	find(insts, 6, false, UINT32_MAX, 0);
	expect(0, 4, false);
	expect(1, 15, false);
	expect(2, 16, true);
	expect(3, 0, true);
	expect(4, 1, false);
	find(insts, 6, true, UINT32_MAX, 0);
	expect(0, 4, true);
	expect(4, 1, false);
}
END_TEST

/* 0: @P0 branch to 2; 1: R2 = 0; 2: R3 = R2, after which R3 has a value whatever R2 had. */
START_TEST(each_path_has_to_write)
{
	struct hd_inst insts[] = {lab_bra(0, 2, 2), set(2), move(3, 2), move(4, 3), lab_op(HD_OP_EXIT)};
	find(insts, 5, true, UINT32_MAX, 0);
	expect(2, 2, true);
	expect(3, 3, false);
	ck_assert_uint_eq(of[0].preds, 1); /* P0 itself */
	insts[0] = set(2);
	find(insts, 5, true, UINT32_MAX, 0);
	expect(2, 2, false);
	insts[0] = insts[1] = lab_guarded(0, set(2)); /* guarded writes are none */
	find(insts, 5, true, UINT32_MAX, 0);
	expect(2, 2, true);
}
END_TEST

/* A loop's first turn reads what its last one writes. */
START_TEST(turns_of_a_loop)
{
	struct hd_inst insts[] = {move(3, 2), set(2), lab_bra(0, 0, 3), move(3, 2), lab_op(HD_OP_EXIT)};
	find(insts, 5, true, UINT32_MAX, 0);
	expect(0, 2, true);
	expect(3, 2, false);
}
END_TEST

/* Behind a call, R4 and R5 are its result, R6 and R0 nobody's, R16 the caller's. */
START_TEST(what_a_call_leaves)
{
	struct hd_inst insts[] = {set(0),      set(16),	    lab_op(HD_OP_CALL), move(20, 5),
				  move(20, 6), move(20, 0), move(20, 16),	lab_op(HD_OP_EXIT)};
	find(insts, 8, true, 2, CALLEE);
	expect(3, 5, false);
	expect(4, 6, true);
	expect(5, 0, true);
	expect(6, 16, false);
	find(insts, 8, true, 2, 0); /* elsewhere: the results are unknown */
	expect(3, 5, true);
	find(insts, 8, true, 2, HELPER);
	expect(5, 0, false);
	expect(4, 6, true); /* never written */
}
END_TEST

/* A service of the runtime: the address that malloc returns lies in R4 and R5, and free returns nothing. */
START_TEST(what_a_service_leaves)
{
	struct hd_inst insts[] = {lab_op(HD_OP_SYSCALL), move(20, 4), move(20, 5), move(20, 6), lab_op(HD_OP_EXIT)};
	insts[0].xkind = HD_X_OTHER, insts[0].x = HD_SYS_MALLOC;
	find(insts, 5, true, UINT32_MAX, 0);
	expect(1, 4, false);
	expect(2, 5, false);
	expect(3, 6, true);
	insts[0].x = HD_SYS_FREE;
	find(insts, 5, true, UINT32_MAX, 0);
	expect(1, 4, true);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {the_entry_gives_arguments_and_the_stack,
				      each_path_has_to_write,
				      turns_of_a_loop,
				      what_a_call_leaves,
				      what_a_service_leaves,
				      NULL};
	return hd_suite_of("undefined", tests);
}
