/* Machine IR: builders, the operand visitor, the printer and the verifier. LINK: passes */
#include "harness.h"
#include "heddle/opcodes.h"

#include "passes/mir/mir.h"

struct fixture {
	struct hd_arena arena;
	struct hd_mfunc func;
	struct hd_diag diag;
	char message[256];
};

static void keep_message(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)severity;
	(void)loc;
	snprintf(context, 256, "%s", message);
}

static void setup(struct fixture *f)
{
	*f = (struct fixture){0};
	hd_arena_init(&f->arena);
	hd_mfunc_init(&f->func, &f->arena, "f");
	f->func.kernel = true;
	f->diag.emit = keep_message;
	f->diag.context = f->message;
}

static void teardown(struct fixture *f)
{
	hd_mfunc_release(&f->func);
	hd_arena_release(&f->arena);
}

static void put(struct fixture *f, uint32_t block, struct hd_minst inst)
{
	hd_vec_push(&f->func.blocks.data[block].insts, inst);
}

static struct hd_minst move(struct hd_mreg dst, uint32_t value)
{
	struct hd_minst inst = hd_minst_make(HD_OP_MOV, 0);
	inst.dst = dst;
	inst.xkind = HD_X_IMM_B;
	inst.x = value;
	return inst;
}

static struct hd_minst branch(uint32_t guard, uint32_t to)
{
	struct hd_minst inst = hd_minst_make(HD_OP_BRA, 0);
	inst.guard = guard;
	inst.ref_kind = HD_MREF_BLOCK;
	inst.ref = to;
	return inst;
}

START_TEST(edges_are_added_once)
{
	struct fixture f;
	setup(&f);
	uint32_t a = hd_mfunc_block(&f.func), b = hd_mfunc_block(&f.func);
	hd_mfunc_edge(&f.func, a, b);
	hd_mfunc_edge(&f.func, a, b);
	ck_assert_uint_eq(f.func.blocks.data[a].succs.len, 1);
	ck_assert_uint_eq(f.func.blocks.data[b].preds.len, 1);
	teardown(&f);
}
END_TEST

struct seen {
	uint32_t ids[16];
	bool defs[16];
	unsigned count;
};

static void see(void *context, struct hd_mreg *reg, bool is_def)
{
	struct seen *seen = context;
	seen->ids[seen->count] = reg->id;
	seen->defs[seen->count++] = is_def;
}

START_TEST(visitor_sees_reads_then_writes_and_no_zero_register)
{
	struct fixture f;
	struct seen seen = {0};
	setup(&f);
	struct hd_minst inst = hd_minst_make(HD_OP_IADD3, 0);
	inst.dst = hd_mfunc_vreg(&f.func, 1);
	inst.a = hd_mfunc_vreg(&f.func, 1);
	inst.b = HD_MREG_RZ;
	inst.c = hd_mfunc_vreg(&f.func, 1);
	inst.pdst = hd_mfunc_pred(&f.func);
	hd_minst_visit(&f.func, &inst, see, &seen);
	ck_assert_uint_eq(seen.count, 4);
	ck_assert_uint_eq(seen.ids[0], inst.a.id);
	ck_assert_uint_eq(seen.ids[1], inst.c.id);
	ck_assert_uint_eq(seen.ids[2], inst.dst.id);
	ck_assert_uint_eq(seen.ids[3], inst.pdst);
	ck_assert(!seen.defs[1] && seen.defs[2] && seen.defs[3]);
	teardown(&f);
}
END_TEST

static void rename_to_r9(void *context, struct hd_mreg *reg, bool is_def)
{
	(void)context;
	(void)is_def;
	reg->id = 9;
}

START_TEST(visitor_can_rewrite_variable_operands)
{
	struct fixture f;
	setup(&f);
	struct hd_mreg regs[] = {{4, 0, 1}, {5, 0, 1}};
	struct hd_minst call = hd_minst_make(HD_OP_CALL, 0);
	call.extra = hd_mfunc_extras(&f.func, regs, 2);
	call.extra_count = 2;
	call.extra_defs = 1;
	hd_minst_visit(&f.func, &call, rename_to_r9, NULL);
	ck_assert_uint_eq(f.func.extras.data[call.extra].id, 9);
	ck_assert_uint_eq(f.func.extras.data[call.extra + 1].id, 9);
	teardown(&f);
}
END_TEST

/* b0: v0 = 1; p1 = v0 < 7; if p1 goto b1 else b2;  b1: goto b2;  b2: exit */
static void make_triangle(struct fixture *f)
{
	for (unsigned i = 0; i < 3; i++)
		hd_mfunc_block(&f->func);
	struct hd_mreg value = hd_mfunc_vreg(&f->func, 1);
	struct hd_minst compare = hd_minst_make(HD_OP_ISETP, HD_MOD(CMP, HD_CMP_LT));
	compare.pdst = hd_mfunc_pred(&f->func);
	compare.a = value;
	compare.xkind = HD_X_IMM_B;
	compare.x = 7;
	put(f, 0, move(value, 1));
	put(f, 0, compare);
	put(f, 0, branch(compare.pdst, 1));
	put(f, 0, branch(HD_MREG_PT, 2));
	put(f, 1, branch(HD_MREG_PT, 2));
	put(f, 2, hd_minst_make(HD_OP_EXIT, 0));
	hd_mfunc_edge(&f->func, 0, 1);
	hd_mfunc_edge(&f->func, 0, 2);
	hd_mfunc_edge(&f->func, 1, 2);
}

START_TEST(prints_one_line_an_instruction)
{
	struct fixture f;
	char *text = NULL;
	size_t size = 0;
	setup(&f);
	make_triangle(&f);
	FILE *out = open_memstream(&text, &size);
	hd_mfunc_print(out, &f.func);
	fclose(out);
	ck_assert_str_eq(text, "kernel f: registers 0 of 255, frame 0\n"
			       "b0: ; freq 1 depth 0 to b1 b2\n"
			       "\tv0 = MOV 0x1\n"
			       "\tp1 = ISETP.LT.U32.AND v0, 0x7\n"
			       "\t@p1 BRA b1\n"
			       "\tBRA b2\n"
			       "b1: ; freq 1 depth 0 from b0 to b2\n"
			       "\tBRA b2\n"
			       "b2: ; freq 1 depth 0 from b0 b1\n"
			       "\tEXIT\n");
	free(text);
	teardown(&f);
}
END_TEST

START_TEST(verifier_accepts_a_sound_function)
{
	struct fixture f;
	setup(&f);
	make_triangle(&f);
	ck_assert_int_eq(hd_mfunc_verify(&f.func, true, &f.diag), 0);
	teardown(&f);
}
END_TEST

static void expect_failure(struct fixture *f, bool ssa, const char *what)
{
	ck_assert_int_eq(hd_mfunc_verify(&f->func, ssa, &f->diag), -1);
	ck_assert_msg(strstr(f->message, what) != NULL, "'%s' does not say '%s'", f->message, what);
	teardown(f);
}

START_TEST(verifier_rejects_a_second_definition)
{
	struct fixture f;
	setup(&f);
	make_triangle(&f);
	f.func.blocks.data[1].insts.len = 0;
	put(&f, 1, move((struct hd_mreg){HD_MREG_VIRTUAL, 0, 1}, 2));
	put(&f, 1, branch(HD_MREG_PT, 2));
	ck_assert_int_eq(hd_mfunc_verify(&f.func, false, &f.diag), 0);
	expect_failure(&f, true, "second definition");
}
END_TEST

START_TEST(verifier_rejects_a_use_that_is_not_dominated)
{
	struct fixture f;
	setup(&f);
	make_triangle(&f);
	struct hd_mreg late = hd_mfunc_vreg(&f.func, 1);
	f.func.blocks.data[1].insts.len = f.func.blocks.data[2].insts.len = 0;
	put(&f, 1, move(late, 2));
	put(&f, 1, branch(HD_MREG_PT, 2));
	struct hd_minst use = hd_minst_make(HD_OP_MOV, 0);
	use.dst = hd_mfunc_vreg(&f.func, 1);
	use.b = late;
	put(&f, 2, use);
	put(&f, 2, hd_minst_make(HD_OP_EXIT, 0));
	expect_failure(&f, true, "does not dominate");
}
END_TEST

START_TEST(verifier_rejects_a_wrong_width)
{
	struct fixture f;
	setup(&f);
	make_triangle(&f);
	f.func.blocks.data[0].insts.data[1].a = hd_mfunc_vreg(&f.func, 2);
	expect_failure(&f, false, "wrong width");
}
END_TEST

START_TEST(verifier_rejects_a_branch_without_an_edge)
{
	struct fixture f;
	setup(&f);
	make_triangle(&f);
	f.func.blocks.data[1].insts.data[0].ref = 0;
	expect_failure(&f, false, "not among the successors");
}
END_TEST

START_TEST(verifier_rejects_a_block_without_an_end)
{
	struct fixture f;
	setup(&f);
	make_triangle(&f);
	f.func.blocks.data[2].insts.len = 0;
	expect_failure(&f, false, "does not end");
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {
		edges_are_added_once,
		visitor_sees_reads_then_writes_and_no_zero_register,
		visitor_can_rewrite_variable_operands,
		prints_one_line_an_instruction,
		verifier_accepts_a_sound_function,
		verifier_rejects_a_second_definition,
		verifier_rejects_a_use_that_is_not_dominated,
		verifier_rejects_a_wrong_width,
		verifier_rejects_a_branch_without_an_edge,
		verifier_rejects_a_block_without_an_end,
		NULL,
	};
	return hd_suite_of("mir", tests);
}
