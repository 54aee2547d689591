/* Code on demand: what of an object is read, decoded and linked when, and what is said of a damaged kernel. */
#include "harness.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include <stdlib.h>
#include <string.h>

#include "lab.h"
#include "lib/strbuf.h"
#include "runtime/exec/devmem.h"
#include "runtime/sim/sim_private.h"
#include "sample.h"

#define EXIT lab_op(HD_OP_EXIT)
#define RET lab_op(HD_OP_RET)

/*
 * Kernel a calls b and has the address of d, which calls e; kernel c has an indirect call that may reach f; a pointer
 * to g is in data; h nobody knows.
 */
enum { A, B, C, D, E, F, G, H, COUNT };

struct bench {
	struct lab *lab; /* makes the object */
	struct hd_sim *sim;
	struct hd_module *module;
	struct hd_strbuf messages;
	struct hd_diag diag;
	uint8_t *bytes;
	size_t size;
	bool far; /* f reads a bank that launches do not have, which only decoding finds */
};

static void collect(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)severity, (void)loc;
	hd_strbuf_printf(context, "%s\n", message);
}

static void make_object(struct bench *bench)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"}, *reached[] = {"f"};
	static uint8_t data[8];
	struct hd_meta_function functions[COUNT];
	struct hd_meta_call indirect = {.kind = HD_CALL_INDIRECT, .callees = reached, .callee_count = 1};
	struct hd_reloc pointer = {HD_REL_ABS64, G, 0, 0};
	const struct hd_inst kernel[] = {lab_op(HD_OP_CALL), lab_imm(HD_OP_MOV, 4, HD_RZ, 0), EXIT};
	const struct hd_inst caller[] = {lab_op(HD_OP_CALL), RET}, leaf[] = {RET}, other[] = {EXIT};
	struct hd_inst reads[] = {lab_imm(HD_OP_MOV, 4, HD_RZ, HD_CONST_X(3, HD_CB_PARAMS)), RET};
	reads[0].xkind = HD_X_CONST_B;
	struct hd_object *object = &bench->lab->module.object;
	for (uint32_t i = 0; i < COUNT; i++) {
		bool ends = i == C || i == H;
		struct hd_function *function = i == A	? lab_function(bench->lab, names[i], kernel, 3)
					       : i == D ? lab_function(bench->lab, names[i], caller, 2)
					       : i == F && bench->far
						       ? lab_function(bench->lab, names[i], reads, 2)
						       : lab_function(bench->lab, names[i], ends ? other : leaf, 1);
		function->kernel = i == A || i == C || i == H;
		functions[i] = (struct hd_meta_function){.name = names[i],
							 .kernel = function->kernel,
							 .instructions = function->inst_count,
							 .registers = 10 + i,
							 .interval_count = 0};
	}
	lab_calls(bench->lab, &object->functions[A], 0, "b");
	object->functions[A].relocs[object->functions[A].reloc_count++] =
		(struct hd_reloc){.kind = HD_REL_ABS_LO, .symbol = D, .offset = 1};
	lab_calls(bench->lab, &object->functions[D], 0, "e");
	functions[C].calls = &indirect;
	functions[C].call_count = 1;
	object->data = data;
	object->data_bytes = sizeof data;
	object->data_relocs = &pointer;
	object->data_reloc_count = 1;
	object->metadata = (struct hd_metadata){.arena = object->arena,
						.module = "a.cu",
						.target = "sm_70",
						.producer = "test",
						.flags = "",
						.functions = functions,
						.function_count = COUNT};
	ck_assert_msg(!hd_object_write(object, &bench->bytes, &bench->size, &bench->diag), "%s",
		      hd_strbuf_text(&bench->messages));
}

static void bench_init(struct bench *bench, bool far)
{
	*bench = (struct bench){.lab = lab_new(), .far = far};
	bench->diag = (struct hd_diag){.emit = collect, .context = &bench->messages, .tool = "test"};
	make_object(bench);
	bench->sim = hd_xcalloc(1, sizeof *bench->sim);
	bench->sim->gpu.config = &bench->lab->config;
	bench->sim->gpu.options.diag = &bench->diag;
	bench->sim->gpu.devmem = hd_devmem_new(1 << 20);
}

static void bench_release(struct bench *bench)
{
	hd_sim_unload(bench->sim, bench->sim->gpu.modules);
	hd_devmem_free(bench->sim->gpu.devmem);
	hd_vec_release(&bench->sim->gpu.program.code);
	hd_vec_release(&bench->sim->gpu.program.functions);
	free(bench->sim);
	free(bench->bytes);
	hd_strbuf_release(&bench->messages);
	lab_free(bench->lab);
}

static void load(struct bench *bench)
{
	ck_assert_msg(!hd_sim_load(bench->sim, bench->bytes, bench->size, "a.hdo", &bench->module), "%s",
		      hd_strbuf_text(&bench->messages));
}

/* The functions that are there, as letters. */
static void expect_there(const struct bench *bench, const char *expected)
{
	const struct hd_program *program = &bench->sim->gpu.program;
	char there[COUNT + 1] = "";
	uint32_t instructions = 0;
	for (uint32_t i = 0; i < program->functions.len; i++) {
		const struct hd_pfunction *function = &program->functions.data[i];
		if (!function->there)
			continue;
		strcat(there, function->name);
		instructions += function->count;
		ck_assert_ptr_nonnull(function->object->insts);
		ck_assert_uint_eq(function->meta->registers, 10 + i);
		ck_assert_uint_eq(program->code.data[function->first].function, i);
	}
	ck_assert_str_eq(there, expected);
	ck_assert_uint_eq(program->there, instructions);
}

START_TEST(code_comes_with_the_kernel_that_needs_it)
{
	struct bench bench;
	bench_init(&bench, false);
	load(&bench);
	const struct hd_program *program = &bench.sim->gpu.program;
	ck_assert(program->functions.len == COUNT && program->code.len == 3 + 1 + 1 + 2 + 4);
	expect_there(&bench, "g");
	ck_assert_ptr_nonnull(hd_sim_kernel(bench.module, "a"));
	expect_there(&bench, "abdeg");
	ck_assert_uint_eq(program->code.data[0].inst.x, program->functions.data[B].first);
	ck_assert_uint_eq(program->code.data[1].inst.x,
			  (uint32_t)(HD_CODE_WINDOW + HD_INST_BYTES * program->functions.data[D].first));
	ck_assert_ptr_nonnull(hd_sim_kernel(bench.module, "a"));
	expect_there(&bench, "abdeg");
	ck_assert_ptr_nonnull(hd_sim_kernel(bench.module, "c"));
	expect_there(&bench, "abcdefg");
	ck_assert_ptr_eq(hd_sim_kernel_at(bench.module, 2), hd_sim_kernel(bench.module, "h"));
	expect_there(&bench, "abcdefgh");
	ck_assert_ptr_null(hd_sim_kernel(bench.module, "b"));
	bench_release(&bench);
}
END_TEST

START_TEST(who_looks_at_all_gets_all)
{
	static const struct hd_watcher reader = {.name = "reader", .all_code = true};
	struct bench bench;
	bench_init(&bench, false);
	hd_watcher_add(&bench.sim->gpu, &reader, NULL);
	load(&bench);
	expect_there(&bench, "abcdefgh");
	bench_release(&bench);
}
END_TEST

/* An opcode that is none in kernel c, whose place nobody else comes by. */
static void damage(struct bench *bench, const char *section)
{
	size_t size;
	uint8_t *text = sample_section(bench->bytes, section, &size);
	ck_assert_ptr_nonnull(text);
	memset(text, 0xff, HD_INST_BYTES);
}

START_TEST(a_damaged_kernel_is_refused_when_it_is_asked_for)
{
	struct bench bench;
	bench_init(&bench, false);
	damage(&bench, ".text.f");
	load(&bench);
	ck_assert_ptr_nonnull(hd_sim_kernel(bench.module, "a"));
	ck_assert_uint_eq(bench.messages.len, 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_ptr_null(hd_sim_kernel(bench.module, "c"));
		ck_assert_str_eq(hd_strbuf_text(&bench.messages),
				 "a.hdo: damaged kernel object: function f, pc 0x0: no instruction\n");
		hd_strbuf_release(&bench.messages);
	}
	expect_there(&bench, "abdeg");
	bench_release(&bench);
}
END_TEST

/* c is in its place by the time that f is decoded, and may not stay there. */
START_TEST(a_kernel_is_not_there_without_its_callees)
{
	struct bench bench;
	bench_init(&bench, true);
	load(&bench);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_ptr_null(hd_sim_kernel(bench.module, "c"));
		ck_assert_str_eq(bench.sim->gpu.error_text, "a.hdo: function f, pc 0x0: constant operand out of range");
	}
	ck_assert(!bench.sim->gpu.program.functions.data[C].there);
	bench_release(&bench);
}
END_TEST

START_TEST(damage_in_what_data_point_to_is_found_at_once)
{
	struct bench bench;
	bench_init(&bench, false);
	damage(&bench, ".text.g");
	ck_assert_int_eq(hd_sim_load(bench.sim, bench.bytes, bench.size, "a.hdo", &bench.module), HD_SIM_BAD_OBJECT);
	ck_assert_str_eq(hd_strbuf_text(&bench.messages),
			 "a.hdo: damaged kernel object: function g, pc 0x0: no instruction\n");
	ck_assert(!bench.sim->gpu.program.code.len && !bench.sim->gpu.program.functions.len);
	bench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("demand", (const TTest *const[]){
					     code_comes_with_the_kernel_that_needs_it,
					     who_looks_at_all_gets_all,
					     a_damaged_kernel_is_refused_when_it_is_asked_for,
					     a_kernel_is_not_there_without_its_callees,
					     damage_in_what_data_point_to_is_found_at_once,
					     NULL,
				     });
}
