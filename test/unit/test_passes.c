/*
 * LINK: passes
 * The table of passes, pipeline elements and pass parameters.
 */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/IRReader.h>

#include "passes/pass.h"
#include "passes/session.h"

static struct hd_unit unit;
static struct hd_diag diag;
static char message[512];

static void keep(void *context, enum hd_severity severity, struct hd_loc loc, const char *text)
{
	(void)context, (void)severity, (void)loc;
	snprintf(message, sizeof(message), "%s", text);
}

static void set_up(void)
{
	diag = (struct hd_diag){.emit = keep};
	hd_unit_init(&unit, NULL, &diag);
}

static void tear_down(void)
{
	hd_unit_release(&unit);
}

START_TEST(names_are_unique_and_found)
{
	for (enum hd_pass_id id = 0; id < HD_PASS_COUNT; id++) {
		ck_assert_uint_eq(hd_pass_find(hd_passes[id].name), id);
		ck_assert_str_eq(hd_passes[id].title + strlen("heddle-"), hd_passes[id].name);
	}
	ck_assert_uint_eq(hd_pass_find("nothing"), HD_PASS_COUNT);
}
END_TEST

START_TEST(rows_require_earlier_rows)
{
	for (enum hd_pass_id id = 0; id < HD_PASS_COUNT; id++)
		ck_assert_uint_eq(hd_passes[id].requires >> id, 0);
}
END_TEST

START_TEST(running_everything_leaves_printers_out)
{
	unsigned long long rows = hd_session_rows();
	ck_assert(rows >> HD_PASS_STACKDEPTH & 1 && rows >> HD_PASS_LEGALIZE & 1 && rows >> HD_PASS_OUTPUT & 1);
	ck_assert(!(rows >> HD_PASS_CODE & 1));
}
END_TEST

START_TEST(pipeline_elements)
{
	unsigned row;
	const char *rest;
	ck_assert_int_eq(hd_request_parse("heddle", &row, &rest), HD_REQUEST_RUN);
	ck_assert_str_eq(rest, "");
	ck_assert_int_eq(hd_request_parse("heddle<o=x;rdc>", &row, &rest), HD_REQUEST_RUN);
	ck_assert_str_eq(rest, "o=x;rdc>");
	ck_assert_int_eq(hd_request_parse("print<heddle-stackdepth>", &row, &rest), HD_REQUEST_PRINT);
	ck_assert_uint_eq(row, HD_PASS_STACKDEPTH);
	ck_assert_int_eq(hd_request_parse("print<heddle-code;maxrregcount=32>", &row, &rest), HD_REQUEST_PRINT);
	ck_assert_uint_eq(row, HD_PASS_CODE);
	ck_assert_str_eq(rest, "maxrregcount=32>");
	ck_assert_int_eq(hd_request_parse("print<heddle-output>", &row, &rest), HD_REQUEST_NONE);
	ck_assert_int_eq(hd_request_parse("print<heddle-stackdept>", &row, &rest), HD_REQUEST_NONE);
	ck_assert_int_eq(hd_request_parse("heddles", &row, &rest), HD_REQUEST_NONE);
	ck_assert_int_eq(hd_request_parse("instcombine<>", &row, &rest), HD_REQUEST_NONE);
}
END_TEST

START_TEST(defaults)
{
	ck_assert_int_eq(hd_options_parse(&unit, NULL), 0);
	ck_assert_ptr_null(unit.options.output);
	ck_assert_uint_eq(unit.options.interval_regs, 16);
	ck_assert_uint_eq(unit.options.rthld, 16);
	ck_assert_uint_eq(unit.options.preempt_every, 1000);
	ck_assert_str_eq(unit.options.abi, "cars");
	ck_assert(!unit.options.relocatable);
	ck_assert_str_eq(unit.options.canonical, "");
}
END_TEST

START_TEST(values_are_read_and_recorded_in_table_order)
{
	ck_assert_int_eq(hd_options_parse(&unit,
					  "rdc;rthld=5;o=a/b;;maxrregcount=64;interval-regs=16;dump=prune+regalloc;"),
			 0);
	ck_assert_str_eq(unit.options.output, "a/b");
	ck_assert_uint_eq(unit.options.max_registers, 64);
	ck_assert(unit.options.relocatable);
	ck_assert_uint_eq(unit.options.dump, 1 << HD_STEP_PRUNE | 1 << HD_STEP_REGALLOC);
	/* Where the output goes and what is printed change nothing in it; defaults are not said. */
	ck_assert_str_eq(unit.options.canonical, "maxrregcount=64;rthld=5;rdc=1");
}
END_TEST

static const struct {
	const char *parameters, *wanted;
} wrong[] = {
	{"maxregcount=3", "did you mean maxrregcount?"},
	{"maxrregcount=3", "out of range 16 to 255"},
	{"maxrregcount=256", "out of range"},
	{"maxrregcount=99999999999999999999999", "out of range"},
	{"maxrregcount=", "missing value"},
	{"maxrregcount=1x", "expected a number"},
	{"maxrregcount=-1", "expected a number"},
	{"interval-regs=7", "out of range 8 to 64"},
	{"interval-regs=65", "out of range 8 to 64"},
	{"rdc=2", "expected 0 or 1"},
	{"abi=none", "expected one of cars|observed"},
	{"abi=car", "expected one of"},
	{"o", "missing value"},
	{"without=bit-tests+bit-test",
	 "'without': unknown switch 'bit-test'; did you mean bit-tests? There are loop-unrolling, "},
	{"without=late", "unknown switch 'late'"},
	{"without=bit-tests+", "unknown switch ''"},
	{"dump=prune,prun", "'dump': unknown step 'prun'; did you mean prune? There are prune, simplify, "},
	{"=3", "unknown pass parameter ''"},
};

START_TEST(wrong_parameters_are_named)
{
	ck_assert_int_eq(hd_options_parse(&unit, wrong[_i].parameters), -1);
	ck_assert_msg(strstr(message, wrong[_i].wanted), "%s: %s", wrong[_i].parameters, message);
}
END_TEST

START_TEST(a_set_of_switches_is_one_text)
{
	ck_assert_int_eq(hd_options_parse(&unit, "without=if-conversion+loop-unrolling,bit-tests"), 0);
	ck_assert(!hd_switch_is_on(unit.options.without, HD_SWITCH_BIT_TESTS));
	ck_assert(hd_switch_is_on(unit.options.without, HD_SWITCH_BYTE_EXTRACTS));
	ck_assert_str_eq(unit.options.canonical, "without=loop-unrolling+bit-tests+if-conversion");
	ck_assert_int_eq(hd_options_parse(&unit, "dump=all;without=all"), 0);
	ck_assert_uint_eq(unit.options.without, (UINT64_C(1) << HD_SWITCH_COUNT) - 1);
	ck_assert_uint_eq(unit.options.dump, (UINT64_C(1) << HD_STEP_COUNT) - 1);
}
END_TEST

START_TEST(steps_follow_each_other)
{
	ck_assert_int_eq(hd_steps[0].needs, HD_MFORM_SSA);
	for (enum hd_step id = 1; id < HD_STEP_COUNT; id++)
		ck_assert_msg(hd_steps[id].needs == hd_steps[id - 1].leaves, "%s", hd_steps[id].name);
}
END_TEST

/* A switch is one of a step of machine IR, or of a row before them. */
START_TEST(switches_have_steps)
{
	static const char *const steps[] = {
#define HD_SWITCH(id, name, step, doc) step,
#include "passes/mir.def"
	};
	for (enum hd_switch id = 0; id < HD_SWITCH_COUNT; id++) {
		bool known = hd_pass_find(steps[id]) < HD_PASS_LOWER;
		for (enum hd_step step = 0; step < HD_STEP_COUNT; step++)
			known |= !strcmp(hd_steps[step].name, steps[id]);
		ck_assert_msg(known, "%s", steps[id]);
	}
}
END_TEST

START_TEST(no_registers_limit_may_be_said)
{
	ck_assert_int_eq(hd_options_parse(&unit, "maxrregcount=0"), 0);
	ck_assert_uint_eq(unit.options.max_registers, 0);
	ck_assert_str_eq(unit.options.canonical, "");
}
END_TEST

/* A store of 128 bits through a 64-bit address takes four registers and two. The parameter's range rules this out. */
static const char wide_store[] = "target triple = \"nvptx64-nvidia-cuda\"\n"
				 "define void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {\n"
				 "  %v = load <4 x i32>, ptr addrspace(1) %p\n"
				 "  store <4 x i32> %v, ptr addrspace(1) %q\n"
				 "  ret void\n"
				 "}\n"
				 "!nvvm.annotations = !{!0}\n"
				 "!0 = !{ptr @k, !\"kernel\", i32 1}\n";

START_TEST(an_instruction_too_wide_for_an_interval_is_named)
{
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module = NULL;
	LLVMMemoryBufferRef text =
		LLVMCreateMemoryBufferWithMemoryRangeCopy(wide_store, sizeof(wide_store) - 1, "k.ll");
	ck_assert_int_eq(LLVMParseIRInContext(context, text, &module, NULL), 0);
	unit.source = module;
	ck_assert_int_eq(hd_options_parse(&unit, NULL), 0);
	unit.options.interval_regs = 5;
	ck_assert_int_eq(hd_pass_require(&unit, HD_PASS_INTERVALS), -1);
	ck_assert_msg(strstr(message, "'k': the instruction at pc 0x") && strstr(message, "LDG.128") &&
			      strstr(message,
				     "needs 6 registers, but the limit of a register-interval is 5 (interval-regs=)"),
		      "%s", message);
	LLVMDisposeModule(unit.module);
	unit.module = NULL;
	LLVMDisposeModule(module);
	LLVMContextDispose(context);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {
		names_are_unique_and_found,
		rows_require_earlier_rows,
		running_everything_leaves_printers_out,
		pipeline_elements,
		defaults,
		values_are_read_and_recorded_in_table_order,
		a_set_of_switches_is_one_text,
		steps_follow_each_other,
		switches_have_steps,
		no_registers_limit_may_be_said,
		an_instruction_too_wide_for_an_interval_is_named,
		NULL,
	};
	Suite *suite = hd_suite_with("passes", tests, set_up, tear_down);
	TCase *looped = tcase_create("wrong_parameters_are_named");
	tcase_add_checked_fixture(looped, set_up, tear_down);
	tcase_add_loop_test(looped, wrong_parameters_are_named, 0, sizeof(wrong) / sizeof(wrong[0]));
	suite_add_tcase(suite, looped);
	return suite;
}
