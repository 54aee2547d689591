/*
 * The SIMT stack, by whole small programs: which lanes executed what, in which order, and
 * that every warp comes back together. Step counts are derived by hand.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include "lab.h"
#include "lib/object/spins.h"

#define PROGRAM(lab, threads, ...)                   \
	const struct hd_inst code[] = {__VA_ARGS__}; \
	struct lab *lab = lab_kernel(code, sizeof(code) / sizeof(code[0]), threads)
#define EXIT lab_op(HD_OP_EXIT)
#define RET lab_op(HD_OP_RET)
/* Rn += value */
#define ADD(reg, value) lab_imm(HD_OP_IADD3, reg, reg, value)
#define NONE HD_NO_PC

static void expect(const struct lab *lab, unsigned reg, uint32_t (*value)(uint32_t lane))
{
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		ck_assert_uint_eq(lab->warp.regs[reg][lane], value(lane));
}

static uint32_t odd_value(uint32_t lane)
{
	return (lane & 1 ? 10 : 20) + 100;
}

START_TEST(both_paths_of_a_branch_meet)
{
	struct hd_inst is_odd = lab_imm(HD_OP_LOP3, 2, 0, 1);
	is_odd.mods = HD_MOD(LUT, 0xc0);
	is_odd.pdst = 0;
	PROGRAM(lab, 32, lab_s2r(0, HD_SR_LANEID), is_odd, lab_bra(0, 5, 6), /* 2: odd lanes to 5 */
		ADD(3, 20), lab_bra(HD_PT, 6, NONE),			     /* even */
		ADD(3, 10),						     /* odd */
		ADD(3, 100), EXIT);
	ck_assert_int_eq(lab_run(lab, 3), 1);
	ck_assert(lab->effect.diverged);
	ck_assert_uint_eq(lab->warp.active, 0xaaaaaaaa);
	ck_assert_uint_eq(lab->warp.pc, 5);
	ck_assert_int_eq(lab_run(lab, 100), 0);
	expect(lab, 3, odd_value);
	ck_assert_uint_eq(lab->steps, 3 + 1 + 2 + 2);
	ck_assert_uint_eq(lab->warp.live, 0);
	lab_free(lab);
}
END_TEST

static uint32_t nested_value(uint32_t lane)
{
	return lane < 8 ? 1000 + 1 : lane < 16 ? 1000 + 2 : 1000 + 4;
}

START_TEST(nested_divergence)
{
	PROGRAM(lab, 32, lab_s2r(0, HD_SR_LANEID), lab_isetp(0, HD_CMP_LT, 0, 16), lab_isetp(1, HD_CMP_LT, 0, 8),
		lab_bra(0, 6, 10),		     /* 3: lanes 0-15 */
		ADD(3, 4), lab_bra(HD_PT, 10, NONE), /* 4: lanes 16-31 */
		lab_bra(1, 9, 10),		     /* 6: of these 0-7; the same reconvergence point */
		ADD(3, 2), lab_bra(HD_PT, 10, NONE), /* 7 */
		ADD(3, 1),			     /* 9 */
		ADD(3, 1000), EXIT);
	ck_assert_int_eq(lab_run(lab, 100), 0);
	expect(lab, 3, nested_value);
	lab_free(lab);
}
END_TEST

static uint32_t trips(uint32_t lane)
{
	return lane + 1;
}

/* Lane n makes n + 1 trips; the stack must stay flat although lanes leave one by one. */
START_TEST(a_loop_whose_lanes_leave_one_by_one)
{
	struct hd_inst again = lab_isetp(0, HD_CMP_LT, 3, 0);
	again.xkind = HD_X_NONE;
	again.x = 0;
	again.b = 4;
	struct hd_inst limit = lab_s2r(4, HD_SR_LANEID);
	PROGRAM(lab, 32, limit, ADD(4, 1), ADD(3, 1), again, lab_bra(0, 2, 5), EXIT);
	uint32_t deepest = 0;
	for (int i = 0; i < 1000 && !lab->effect.warp_done; i++) {
		ck_assert_int_ge(lab_run(lab, 1), 0);
		if (lab->warp.stack.len > deepest)
			deepest = lab->warp.stack.len;
	}
	expect(lab, 3, trips);
	ck_assert_uint_le(deepest, 2);
	ck_assert_uint_eq(lab->steps, 2 + 32 * 3 + 1);
	lab_free(lab);
}
END_TEST

static uint32_t break_value(uint32_t lane)
{
	return (lane < 4 ? 3 : 5) + 100;
}

/* A break inside the body: lanes 0-3 leave in trip 3, the others at trip 5. */
START_TEST(a_loop_with_a_break)
{
	PROGRAM(lab, 32, lab_s2r(0, HD_SR_LANEID), lab_isetp(2, HD_CMP_LT, 0, 4), ADD(3, 1), /* 2: head */
		lab_isetp(0, HD_CMP_EQ, 3, 3), lab_guarded(HD_PT, lab_op(HD_OP_PLOP)), /* 4: P0 = P0 && P2, set below */
		lab_bra(0, 8, 8),						       /* break */
		lab_isetp(1, HD_CMP_LT, 3, 5), lab_bra(1, 2, 8),		       /* continue */
		ADD(3, 100), EXIT);
	struct hd_inst *plop = &lab->gpu.program.code.data[4].inst;
	plop->pdst = 0;
	plop->psrc = 0;
	plop->psrc2 = 2;
	ck_assert_int_eq(lab_run(lab, 200), 0);
	expect(lab, 3, break_value);
	lab_free(lab);
}
END_TEST

static uint32_t early_value(uint32_t lane)
{
	return lane < 10 ? 0 : 7;
}

START_TEST(early_exits_leave_the_others)
{
	PROGRAM(lab, 32, lab_s2r(0, HD_SR_LANEID), lab_isetp(0, HD_CMP_LT, 0, 10), lab_guarded(0, EXIT), ADD(3, 7),
		EXIT);
	ck_assert_int_eq(lab_run(lab, 3), 1);
	ck_assert_uint_eq(lab->warp.live, 0xfffffc00);
	ck_assert(!lab->effect.warp_done);
	ck_assert_int_eq(lab_run(lab, 10), 0);
	expect(lab, 3, early_value);
	lab_free(lab);
}
END_TEST

/* Exits inside one arm of a branch, with the rest waiting at the reconvergence point. */
START_TEST(an_arm_that_exits)
{
	PROGRAM(lab, 32, lab_s2r(0, HD_SR_LANEID), lab_isetp(0, HD_CMP_LT, 0, 10), lab_bra(0, 5, NONE), ADD(3, 7), EXIT,
		ADD(3, 1), EXIT);
	ck_assert_int_eq(lab_run(lab, 50), 0);
	ck_assert_uint_eq(lab->warp.regs[3][0], 1);
	ck_assert_uint_eq(lab->warp.regs[3][31], 7);
	ck_assert_uint_eq(lab->warp.stack.len, 0);
	lab_free(lab);
}
END_TEST

START_TEST(a_partial_warp_has_only_its_threads)
{
	PROGRAM(lab, 5, ADD(3, 1), EXIT);
	ck_assert_uint_eq(lab->warp.live, 0x1f);
	ck_assert_int_eq(lab_run(lab, 5), 0);
	ck_assert_uint_eq(lab->warp.regs[3][4], 1);
	ck_assert_uint_eq(lab->warp.regs[3][5], 0);
	lab_free(lab);
}
END_TEST

/* ---- calls */

static struct hd_inst call_inst(uint8_t guard)
{
	return lab_guarded(guard, lab_op(HD_OP_CALL));
}

static uint32_t partial_value(uint32_t lane)
{
	return lane < 12 ? 5 + 100 : 5 + 50 + 100;
}

/* Lanes 0-11 return early; the call entry is popped only with the last lanes. */
START_TEST(partial_returns_keep_the_frame)
{
	struct lab *lab = lab_new();
	const struct hd_inst kernel[] = {lab_s2r(0, HD_SR_LANEID), call_inst(HD_PT), ADD(3, 100), EXIT};
	const struct hd_inst callee[] = {ADD(3, 5), lab_isetp(0, HD_CMP_LT, 0, 12), lab_guarded(0, RET), ADD(3, 50),
					 RET};
	struct hd_function *function = lab_function(lab, "kernel", kernel, 4);
	lab_calls(lab, function, 1, "callee");
	lab_function(lab, "callee", callee, 5);
	ck_assert_int_eq(lab_start(lab, 32), 0);
	ck_assert_int_eq(lab_run(lab, 2), 1);
	ck_assert_int_eq(lab->effect.event, HD_EVENT_CALL);
	ck_assert_uint_eq(lab->effect.callee, 1);
	ck_assert_int_eq(lab_run(lab, 3), 1);
	ck_assert_int_eq(lab->effect.event, HD_EVENT_RETURN);
	ck_assert(!lab->effect.all_returned);
	ck_assert_uint_eq(lab->warp.active, 0xfffff000);
	ck_assert_int_eq(lab_run(lab, 2), 1);
	ck_assert(lab->effect.all_returned);
	ck_assert_uint_eq(lab->warp.active, HD_FULL);
	ck_assert_uint_eq(lab->warp.pc, 2);
	ck_assert_int_eq(lab_run(lab, 9), 0);
	expect(lab, 3, partial_value);
	lab_free(lab);
}
END_TEST

static uint32_t split_value(uint32_t lane)
{
	return 100 + (lane < 12 ? 1 : 2);
}

/* A callee whose two paths return separately, called by some lanes only. */
START_TEST(paths_that_return_apart)
{
	struct lab *lab = lab_new();
	const struct hd_inst kernel[] = {lab_s2r(0, HD_SR_LANEID), call_inst(HD_PT), ADD(3, 100), EXIT};
	const struct hd_inst callee[] = {
		lab_isetp(0, HD_CMP_LT, 0, 12), lab_bra(0, 4, NONE), ADD(3, 2), RET, ADD(3, 1), RET};
	lab_calls(lab, lab_function(lab, "kernel", kernel, 4), 1, "callee");
	lab_function(lab, "callee", callee, 6);
	ck_assert_int_eq(lab_start(lab, 32), 0);
	ck_assert_int_eq(lab_run(lab, 50), 0);
	expect(lab, 3, split_value);
	ck_assert_uint_eq(lab->steps, 2 + 2 + 2 + 2 + 2);
	lab_free(lab);
}
END_TEST

static uint32_t guarded_call_value(uint32_t lane)
{
	return 100 + (lane < 3 ? 9 : 0);
}

START_TEST(a_guarded_call)
{
	struct lab *lab = lab_new();
	const struct hd_inst kernel[] = {lab_s2r(0, HD_SR_LANEID), lab_isetp(0, HD_CMP_LT, 0, 3), call_inst(0),
					 ADD(3, 100), EXIT};
	const struct hd_inst callee[] = {ADD(3, 9), RET};
	lab_calls(lab, lab_function(lab, "kernel", kernel, 5), 2, "callee");
	lab_function(lab, "callee", callee, 2);
	ck_assert_int_eq(lab_start(lab, 32), 0);
	ck_assert_int_eq(lab_run(lab, 50), 0);
	expect(lab, 3, guarded_call_value);
	lab_free(lab);
}
END_TEST

static uint32_t recursion_value(uint32_t lane)
{
	return lane + 1 + 1000;
}

/* f(n): count; if (n > 0) f(n - 1). Lane n goes n deep. */
START_TEST(recursion_of_different_depth)
{
	struct lab *lab = lab_new();
	const struct hd_inst kernel[] = {lab_s2r(4, HD_SR_LANEID), call_inst(HD_PT), ADD(3, 1000), EXIT};
	const struct hd_inst callee[] = {ADD(3, 1),	      lab_isetp(0, HD_CMP_EQ, 4, 0),
					 lab_guarded(0, RET), ADD(4, ~0u),
					 call_inst(HD_PT),    RET};
	lab_calls(lab, lab_function(lab, "kernel", kernel, 4), 1, "f");
	lab_calls(lab, lab_function(lab, "f", callee, 6), 4, "f");
	ck_assert_int_eq(lab_start(lab, 32), 0);
	ck_assert_int_eq(lab_run(lab, 5000), 0);
	expect(lab, 3, recursion_value);
	lab_free(lab);
}
END_TEST

START_TEST(endless_recursion_overflows)
{
	struct lab *lab = lab_new();
	const struct hd_inst kernel[] = {call_inst(HD_PT), EXIT}, callee[] = {call_inst(HD_PT), RET};
	lab_calls(lab, lab_function(lab, "kernel", kernel, 2), 0, "f");
	lab_calls(lab, lab_function(lab, "f", callee, 2), 0, "f");
	ck_assert_int_eq(lab_start(lab, 32), 0);
	ck_assert_int_eq(lab_run(lab, 100000), HD_SIM_STACK_OVERFLOW);
	lab_free(lab);
}
END_TEST

START_TEST(exits_inside_a_call)
{
	struct lab *lab = lab_new();
	const struct hd_inst kernel[] = {lab_s2r(0, HD_SR_LANEID), call_inst(HD_PT), ADD(3, 1), EXIT};
	const struct hd_inst callee[] = {lab_isetp(0, HD_CMP_LT, 0, 30), lab_guarded(0, EXIT), RET};
	lab_calls(lab, lab_function(lab, "kernel", kernel, 4), 1, "f");
	lab_function(lab, "f", callee, 3);
	ck_assert_int_eq(lab_start(lab, 32), 0);
	ck_assert_int_eq(lab_run(lab, 100), 0);
	ck_assert_uint_eq(lab->warp.regs[3][29], 0);
	ck_assert_uint_eq(lab->warp.regs[3][30], 1);
	lab_free(lab);
}
END_TEST

/* Every third lane calls one of three functions; the groups run in the order of their lowest lane. */
static uint32_t target_of(uint32_t lane)
{
	return (lane + 2) % 3; /* lane 0 calls f2 */
}
static uint32_t indirect_value(uint32_t lane)
{
	return 1000 + 10 * (target_of(lane) + 1);
}

static struct lab *indirect_lab(uint8_t guard)
{
	struct lab *lab = lab_new();
	struct hd_inst calli = lab_guarded(guard, lab_op(HD_OP_CALLI));
	calli.a = 4;
	const struct hd_inst kernel[] = {lab_op(HD_OP_NOP), calli, ADD(3, 1000), EXIT};
	lab_function(lab, "kernel", kernel, 4);
	static const char *const names[] = {"f0", "f1", "f2"};
	for (uint32_t i = 0; i < 3; i++) {
		const struct hd_inst callee[] = {ADD(3, 10 * (i + 1)), RET};
		lab_function(lab, names[i], callee, 2);
	}
	ck_assert_int_eq(lab_start(lab, 32), 0);
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		hd_set_pair(&lab->warp, 4, lane, HD_CODE_WINDOW + HD_INST_BYTES * (4 + 2 * (uint64_t)target_of(lane)));
	return lab;
}

START_TEST(divergent_indirect_calls_run_one_after_the_other)
{
	struct lab *lab = indirect_lab(HD_PT);
	static const uint32_t order[] = {2, 0, 1};
	ck_assert_int_eq(lab_run(lab, 1), 1);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(lab_run(lab, 1), 1);
		ck_assert_int_eq(lab->effect.event, HD_EVENT_CALL);
		ck_assert_uint_eq(lab->effect.callee, 1 + order[i]);
		ck_assert_int_eq(lab_run(lab, 2), 1);
		ck_assert(lab->effect.all_returned);
	}
	ck_assert_uint_eq(lab->warp.active, HD_FULL);
	ck_assert_uint_eq(lab->warp.pc, 2);
	ck_assert_uint_eq(lab->warp.stack.len, 1);
	ck_assert_int_eq(lab_run(lab, 5), 0);
	expect(lab, 3, indirect_value);
	lab_free(lab);
}
END_TEST

static uint32_t guarded_indirect_value(uint32_t lane)
{
	return 1000 + (lane < 7 ? 10 * (target_of(lane) + 1) : 0);
}

START_TEST(a_guarded_divergent_indirect_call)
{
	struct lab *lab = indirect_lab(2);
	lab->warp.preds[2] = 0x7f;
	ck_assert_int_eq(lab_run(lab, 50), 0);
	expect(lab, 3, guarded_indirect_value);
	lab_free(lab);
}
END_TEST

START_TEST(an_indirect_call_to_no_function)
{
	struct lab *lab = indirect_lab(HD_PT);
	hd_set_pair(&lab->warp, 4, 0, HD_CODE_WINDOW + HD_INST_BYTES * 5); /* second instruction of f0 */
	ck_assert_int_eq(lab_run(lab, 50), HD_SIM_BAD_CALL);
	ck_assert_ptr_nonnull(strstr(lab->gpu.error_text, "block (0,0,0), thread (0,0,0)"));
	lab_free(lab);
}
END_TEST

static uint32_t switch_value(uint32_t lane)
{
	static const uint32_t add[] = {1, 2, 4};
	return 100 + add[lane % 3];
}

START_TEST(a_jump_table_with_three_ways)
{
	struct lab *lab = lab_new();
	struct hd_inst brx = lab_op(HD_OP_BRX);
	brx.a = 4;
	brx.xkind = HD_X_OTHER;
	brx.reconv = 7;
	const struct hd_inst kernel[] = {
		lab_op(HD_OP_NOP), brx,		ADD(3, 1), lab_bra(HD_PT, 7, NONE), ADD(3, 2), lab_bra(HD_PT, 7, NONE),
		ADD(3, 4),	   ADD(3, 100), EXIT};
	struct hd_function *function = lab_function(lab, "kernel", kernel, 9);
	uint32_t targets[] = {2, 4, 6};
	struct hd_jump_table table = {targets, 3};
	function->tables = &table;
	function->table_count = 1;
	ck_assert_int_eq(lab_start(lab, 32), 0);
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		lab->warp.regs[4][lane] = lane % 3;
	ck_assert_int_eq(lab_run(lab, 2), 1);
	ck_assert_uint_eq(lab->warp.pc, 2);
	ck_assert_uint_eq(lab->warp.active, 0x49249249);
	ck_assert_int_eq(lab_run(lab, 50), 0);
	expect(lab, 3, switch_value);
	ck_assert_uint_eq(lab->steps, 2 + 2 + 2 + 1 + 2);
	lab_free(lab);
}
END_TEST

START_TEST(a_jump_table_index_out_of_range)
{
	struct lab *lab = lab_new();
	struct hd_inst brx = lab_op(HD_OP_BRX);
	brx.a = 4;
	brx.xkind = HD_X_OTHER;
	const struct hd_inst kernel[] = {ADD(4, 1), brx, EXIT};
	struct hd_function *function = lab_function(lab, "kernel", kernel, 3);
	uint32_t targets[] = {2};
	struct hd_jump_table table = {targets, 1};
	function->tables = &table;
	function->table_count = 1;
	ck_assert_int_eq(lab_start(lab, 32), 0);
	ck_assert_int_eq(lab_run(lab, 50), HD_SIM_TRAP);
	lab_free(lab);
}
END_TEST

/* ---- forward progress */

/* A loop of lanes that wait for word 0 of shared memory to be R7: head and branch back, three instructions. P0: go on.
 */
#define SPIN(head, sem) lab_load(5, sem), lab_wait(), lab_bra(0, head, (head) + 3)

static struct hd_inst lab_load(uint8_t dst, unsigned sem)
{
	struct hd_inst inst = lab_imm(HD_OP_LDS, dst, HD_RZ, 0);
	inst.xkind = HD_X_OTHER;
	inst.mods = HD_MOD(SIZE, HD_SIZE_32) | HD_MOD(SEM, sem);
	return inst;
}

static struct hd_inst lab_store(uint8_t src)
{
	struct hd_inst inst = lab_imm(HD_OP_STS, HD_RZ, HD_RZ, 0);
	inst.xkind = HD_X_OTHER;
	inst.c = src;
	inst.mods = HD_MOD(SIZE, HD_SIZE_32);
	return inst;
}

static struct hd_inst lab_wait(void)
{
	struct hd_inst inst = lab_isetp(0, HD_CMP_NE, 5, 0);
	inst.xkind = HD_X_NONE;
	inst.x = 0;
	inst.b = 7;
	return inst;
}

/* Lane n waits until n lanes have been through, in the order of lanes; then all vote. */
#define TURNS(...)                                                                                                 \
	lab_s2r(7, HD_SR_LANEID), lab_op(HD_OP_NOP), SPIN(2, HD_SEM_VOLATILE), ADD(5, 1), lab_store(5), ADD(3, 1), \
		__VA_ARGS__, EXIT

static uint32_t one(uint32_t lane)
{
	(void)lane;
	return 1;
}

static uint32_t everyone(uint32_t lane)
{
	(void)lane;
	return HD_FULL;
}

START_TEST(lanes_that_spin_make_way)
{
	struct hd_inst ballot = lab_op(HD_OP_VOTE);
	ballot.dst = 9;
	ballot.psrc = HD_PT;
	PROGRAM(lab, 32, TURNS(ballot));
	ck_assert_uint_eq(lab->gpu.program.code.data[4].spins, HD_SPIN_LONG);
	ck_assert_int_eq(lab_run(lab, 32 * 3 * 64), 0);
	expect(lab, 3, one);
	expect(lab, 9, everyone); /* those that ran ahead waited */
	ck_assert_uint_eq(lab->shared[0], 32);
	ck_assert_uint_ge(lab->warp.turns, 31);
	lab_free(lab);
}
END_TEST

/* The lanes that are there already end: nobody has to wait for them. */
START_TEST(lanes_that_run_ahead_may_end)
{
	PROGRAM(lab, 32, TURNS(lab_op(HD_OP_NOP)));
	ck_assert_int_eq(lab_run(lab, 32 * 3 * 64), 0);
	expect(lab, 3, one);
	ck_assert_uint_eq(lab->warp.stack.len, 0);
	lab_free(lab);
}
END_TEST

/* Lane 0 waits for somebody outside; the others come to the __syncwarp behind the branch, and stay there. */
START_TEST(lanes_before_a_meeting_stay)
{
	struct hd_inst is_first = lab_isetp(1, HD_CMP_EQ, 4, 0), sync = lab_imm(HD_OP_WARPSYNC, HD_RZ, HD_RZ, HD_FULL);
	PROGRAM(lab, 32, lab_s2r(4, HD_SR_LANEID), is_first, lab_bra(1, 4, 7), lab_bra(HD_PT, 7, NONE),
		SPIN(4, HD_SEM_VOLATILE), sync, ADD(3, 1), EXIT);
	lab->warp.regs[7][0] = 1;
	ck_assert_int_eq(lab_run(lab, 1000), 1);
	ck_assert_uint_eq(lab->warp.turns, 1);
	ck_assert_uint_eq(lab->warp.active, 1);
	lab->shared[0] = 1;
	ck_assert_int_eq(lab_run(lab, 20), 0);
	expect(lab, 3, one);
	lab_free(lab);
}
END_TEST

/* As above, but the others have something to do before they wait, and their __syncwarp names the lane that spins. */
START_TEST(lanes_that_run_ahead_wait_for_those_they_name)
{
	struct hd_inst is_first = lab_isetp(1, HD_CMP_EQ, 4, 0), sync = lab_imm(HD_OP_WARPSYNC, HD_RZ, HD_RZ, HD_FULL);
	PROGRAM(lab, 32, lab_s2r(4, HD_SR_LANEID), is_first, lab_bra(1, 4, 7), lab_bra(HD_PT, 7, NONE),
		SPIN(4, HD_SEM_VOLATILE), ADD(3, 1), sync, ADD(8, 1), EXIT);
	lab->warp.regs[7][0] = 1;
	ck_assert_int_eq(lab_run(lab, 1000), 1);
	ck_assert_uint_eq(lab->warp.active, 1);
	ck_assert_uint_eq(lab->warp.regs[3][0], 0);
	ck_assert_uint_eq(lab->warp.regs[3][1], 1);
	ck_assert_uint_eq(lab->warp.regs[8][1], 0);
	lab->shared[0] = 1;
	uint32_t before = lab->steps;
	ck_assert_int_eq(lab_run(lab, 20), 0);
	expect(lab, 8, one);
	ck_assert_uint_le(lab->steps - before, 2 * 3 + 1 + 2 + 2); /* the sync twice; the rest together */
	lab_free(lab);
}
END_TEST

/* ---- operations among lanes */

static struct hd_inst xor_16(uint8_t dst, uint8_t a)
{
	struct hd_inst inst = lab_op(HD_OP_SHFL);
	inst.dst = dst, inst.a = a;
	inst.mods = HD_MOD(SHFLMODE, HD_SHFL_BFLY) | HD_MOD(BIMM, 1) | HD_MOD(CIMM, 1);
	inst.x = 16 | 0x1f << 8;
	inst.xkind = HD_X_OTHER;
	return inst;
}

/* dst = the ballot of all lanes, or of those of a mask in a register. */
static struct hd_inst ballot(uint8_t dst, uint8_t mask)
{
	struct hd_inst inst = lab_op(HD_OP_VOTE);
	inst.dst = dst, inst.psrc = HD_PT, inst.b = mask;
	inst.mods = (uint16_t)(HD_MOD(VOTEMODE, HD_VOTE_ANY) |
			       HD_MOD(MEMBERS, mask == HD_RZ ? HD_MEMBERS_WARP : HD_MEMBERS_MASK));
	return inst;
}

static uint32_t swapped(uint32_t lane)
{
	return (lane ^ 16) + ((lane ^ 16) < 16 ? 100 : 200);
}

/* Each side has a shuffle of its own, of another register. */
START_TEST(shuffles_in_two_branches_meet)
{
	PROGRAM(lab, 32, lab_s2r(3, HD_SR_LANEID), lab_s2r(4, HD_SR_LANEID), lab_isetp(0, HD_CMP_LT, 3, 16),
		lab_bra(0, 7, 9),				    /* 3 */
		ADD(3, 200), xor_16(8, 3), lab_bra(HD_PT, 9, NONE), /* 4: lanes 16 to 31 */
		ADD(4, 100), xor_16(8, 4), ADD(9, 1), EXIT);
	ck_assert_int_eq(lab_run(lab, 9), 1); /* 4 for all, and each side to its shuffle: one waits */
	ck_assert_uint_eq(lab->warp.met, 0xffff);
	ck_assert_int_eq(lab_run(lab, 100), 0);
	expect(lab, 8, swapped);
	expect(lab, 9, one);
	ck_assert_uint_eq(lab->warp.met | lab->warp.waits, 0);
	lab_free(lab);
}
END_TEST

/* Odd lanes come to the ballot in the first turn, even ones in the second. */
START_TEST(a_shuffle_in_another_turn_is_met)
{
	struct hd_inst parity = lab_imm(HD_OP_LOP3, 2, 3, 1), again = lab_isetp(1, HD_CMP_LT, 7, 2);
	parity.mods = HD_MOD(LUT, 0xc0);
	parity.pdst = 0;
	PROGRAM(lab, 32, lab_s2r(3, HD_SR_LANEID), parity, /* 2: the loop */ lab_bra(0, 4, 6),
		lab_bra(HD_PT, 6, NONE),     /* 3 */
		ballot(8, HD_RZ), ADD(9, 1), /* 4 */
		ADD(3, 1), ADD(7, 1), parity, again, lab_bra(1, 2, 11), EXIT);
	ck_assert_int_eq(lab_run(lab, 200), 0);
	expect(lab, 8, everyone);
	expect(lab, 9, one);
	lab_free(lab);
}
END_TEST

/* Lane 0 is at the first of two ballots, the others run past the place where all meet to the second. */
START_TEST(ballots_behind_one_another_meet)
{
	PROGRAM(lab, 32, lab_s2r(3, HD_SR_LANEID), lab_isetp(0, HD_CMP_EQ, 3, 0), lab_isetp(1, HD_CMP_NE, 3, 0),
		lab_bra(1, 5, 5), ballot(8, HD_RZ), lab_bra(0, 7, 7), ballot(8, HD_RZ), ballot(9, HD_RZ), ADD(10, 1),
		EXIT);
	ck_assert_int_eq(lab_run(lab, 200), 0);
	expect(lab, 8, everyone);
	expect(lab, 9, everyone);
	expect(lab, 10, one);
	ck_assert_uint_le(lab->steps, 5 + 4 + 4 + 3); /* together again at the last ballot */
	lab_free(lab);
}
END_TEST

/* The others wait in another kind of operation. */
START_TEST(lanes_that_never_come_end_the_launch)
{
	PROGRAM(lab, 32, lab_s2r(3, HD_SR_LANEID), lab_isetp(0, HD_CMP_LT, 3, 4), lab_bra(0, 5, 6), xor_16(8, 3),
		lab_bra(HD_PT, 6, NONE), ballot(8, HD_RZ), EXIT);
	ck_assert_int_eq(lab_run(lab, 200), HD_SIM_TIMEOUT);
	ck_assert_msg(strstr(lab->gpu.error_text, "waits for ever for lanes 0xf") ||
			      strstr(lab->gpu.error_text, "waits for ever for lanes 0xfffffff0"),
		      "%s", lab->gpu.error_text);
	lab_free(lab);
}
END_TEST

START_TEST(a_lane_that_its_mask_does_not_name_ends_the_launch)
{
	PROGRAM(lab, 32, lab_imm(HD_OP_MOV, 5, HD_RZ, 0x7fffffff), ballot(8, 5), EXIT);
	ck_assert_int_eq(lab_run(lab, 200), HD_SIM_TIMEOUT);
	ck_assert_msg(strstr(lab->gpu.error_text, "does not name lane 31"), "%s", lab->gpu.error_text);
	lab_free(lab);
}
END_TEST

static uint32_t half(uint32_t lane)
{
	return lane < 16 ? 0xffff : 0xffff0000;
}

/* Lanes 0 to 23 are at a ballot, with masks of halves of the warp; the last eight get there first when they can. */
START_TEST(of_several_masks_the_complete_ones_go_on)
{
	struct hd_inst low = lab_imm(HD_OP_SEL, 5, 6, 0xffff0000);
	low.psrc = 1;
	PROGRAM(lab, 32, lab_s2r(3, HD_SR_LANEID), lab_isetp(0, HD_CMP_LT, 3, 24), lab_isetp(1, HD_CMP_LT, 3, 16),
		lab_imm(HD_OP_MOV, 6, HD_RZ, 0xffff), low, lab_bra(0, 8, 9), /* 5 */
		ballot(8, 5), lab_bra(HD_PT, 9, NONE), ballot(8, 5), EXIT);
	ck_assert_int_eq(lab_run(lab, 8), 1); /* 6 for all, the ballot twice */
	ck_assert_uint_eq(lab->warp.waits, 0xff0000);
	ck_assert_uint_eq(lab->warp.regs[8][0], 0xffff);
	ck_assert_int_eq(lab_run(lab, 200), 0);
	expect(lab, 8, half);
	lab_free(lab);
}
END_TEST

/* A loop that reads memory and counts is work; the lane that has left it waits. */
START_TEST(lanes_that_work_do_not_make_way)
{
	struct hd_inst again = lab_isetp(0, HD_CMP_LT, 3, 3000);
	PROGRAM(lab, 32, lab_s2r(4, HD_SR_LANEID), lab_isetp(1, HD_CMP_EQ, 4, 0), lab_bra(1, 4, 8),
		lab_bra(HD_PT, 8, NONE), lab_load(5, HD_SEM_VOLATILE), ADD(3, 1), again, lab_bra(0, 4, 8), ADD(8, 1),
		EXIT);
	ck_assert_int_eq(lab_run(lab, 20000), 0);
	ck_assert_uint_eq(lab->warp.regs[3][0], 3000);
	ck_assert_uint_eq(lab->warp.turns, 0);
	lab_free(lab);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("simt", (const TTest *const[]){
					   both_paths_of_a_branch_meet,
					   nested_divergence,
					   a_loop_whose_lanes_leave_one_by_one,
					   a_loop_with_a_break,
					   early_exits_leave_the_others,
					   an_arm_that_exits,
					   a_partial_warp_has_only_its_threads,
					   partial_returns_keep_the_frame,
					   paths_that_return_apart,
					   a_guarded_call,
					   recursion_of_different_depth,
					   endless_recursion_overflows,
					   exits_inside_a_call,
					   divergent_indirect_calls_run_one_after_the_other,
					   a_guarded_divergent_indirect_call,
					   an_indirect_call_to_no_function,
					   a_jump_table_with_three_ways,
					   a_jump_table_index_out_of_range,
					   lanes_that_spin_make_way,
					   lanes_that_run_ahead_may_end,
					   lanes_before_a_meeting_stay,
					   lanes_that_run_ahead_wait_for_those_they_name,
					   shuffles_in_two_branches_meet,
					   a_shuffle_in_another_turn_is_met,
					   ballots_behind_one_another_meet,
					   lanes_that_never_come_end_the_launch,
					   a_lane_that_its_mask_does_not_name_ends_the_launch,
					   of_several_masks_the_complete_ones_go_on,
					   lanes_that_work_do_not_make_way,
					   NULL,
				   });
}
