/*
 * LINK: passes
 * idempotence: hand-made code whose origins name the instructions of small IR functions.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "machine_code.h"
#include "passes/analysis/idempotence.h"

/* Marks an instruction of the IR with its ordinal. */
#define IR0 ", !heddle.ord !0\n"
#define IR1 ", !heddle.ord !1\n"
#define IR2 ", !heddle.ord !2\n"
#define NUMBERS "!0 = !{i32 0}\n!1 = !{i32 1}\n!2 = !{i32 2}\n"

#define NO_IR UINT32_MAX

static struct hd_arena arena;
static LLVMContextRef context;
static LLVMModuleRef module;
static struct hd_object object;
enum { MOST_FUNCTIONS = 5, MOST_INSTS = 32 };
static struct hd_function functions[MOST_FUNCTIONS];
static struct hd_symbol symbols[MOST_FUNCTIONS];
static struct code code;
static uint32_t origins[MOST_FUNCTIONS][MOST_INSTS];
static struct hd_meta_idempotence *facts;

static void set_up(void)
{
	hd_arena_init(&arena);
	context = LLVMContextCreate();
	module = NULL;
	memset(functions, 0, sizeof(functions));
	object = (struct hd_object){.arena = &arena, .functions = functions, .symbols = symbols};
}

static void tear_down(void)
{
	if (module)
		LLVMDisposeModule(module);
	LLVMContextDispose(context);
	hd_arena_release(&arena);
}

static void parse(const char *text)
{
	char *message = NULL, *all = hd_arena_printf(&arena, "%s%s", text, NUMBERS);
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(all, strlen(all), "ir");
	LLVMParseIRInContext(context, buffer, &module, &message);
	ck_assert_msg(module != NULL, "%s", message);
	LLVMDisposeMessage(message);
}

static struct hd_inst *add(enum hd_op op, uint32_t ir)
{
	uint32_t inst = code_op(&code, op);
	ck_assert_uint_lt(inst, MOST_INSTS);
	origins[object.function_count][inst] = ir;
	return &code.insts.data[inst];
}

static struct hd_inst *access(enum hd_op op, uint32_t ir)
{
	struct hd_inst *inst = add(op, ir);
	inst->a = 2;
	inst->xkind = HD_X_OTHER;
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	if (hd_opinfo[op].effects & HD_FX_ATOMIC) {
		inst->mods = HD_MOD(DTYPE, HD_U32);
		inst->b = 4;
	} else if (hd_opinfo[op].effects & HD_FX_LOAD) {
		inst->dst = 4;
	} else {
		inst->c = 4;
	}
	return inst;
}

static void call(uint32_t callee)
{
	struct hd_function *caller = &functions[object.function_count];
	caller->relocs = HD_ARENA_NEW(&arena, struct hd_reloc, 1);
	caller->reloc_count = 1;
	caller->relocs[0] = (struct hd_reloc){.kind = HD_REL_CALL, .symbol = callee, .offset = code.insts.len};
	add(HD_OP_CALL, NO_IR)->xkind = HD_X_OTHER;
}

/* Ends the function that is being written. */
static void finish(const char *name, bool kernel)
{
	ck_assert_uint_lt(object.function_count, MOST_FUNCTIONS);
	uint32_t index = object.function_count, reloc_count = functions[index].reloc_count;
	struct hd_reloc *relocs = functions[index].relocs;
	add(kernel ? HD_OP_EXIT : HD_OP_RET, NO_IR);
	functions[index] = code_finish(&code, name, kernel, &arena);
	functions[index].relocs = relocs;
	functions[index].reloc_count = reloc_count;
	for (uint32_t i = 0; i < functions[index].inst_count; i++)
		functions[index].origins[i].ir = origins[index][i];
	symbols[index] = (struct hd_symbol){
		.name = name, .kind = HD_SYM_FUNCTION, .defined = true, .global = true, .function = index};
	object.symbol_count = ++object.function_count;
}

static LLVMValueRef function_of(void *unused, uint32_t index)
{
	(void)unused;
	return module ? LLVMGetNamedFunction(module, functions[index].name) : NULL;
}

static void judge(void)
{
	const struct hd_idempotence_source source = {function_of, NULL};
	struct hd_callgraph calls;
	hd_callgraph_compute(&calls, &object, NULL, false, &arena);
	facts = hd_idempotence_compute(&object, &calls, &source, &arena);
}

/* A kernel that loads by IR instruction 0 and stores by IR instruction 1. */
static void load_and_store(const char *ir)
{
	parse(ir);
	access(HD_OP_LDG, 0);
	access(HD_OP_STG, 1);
	finish("k", true);
	judge();
}

static void breaks(uint32_t function, enum hd_idempotence_break why, const char *where, uint32_t inst)
{
	ck_assert_uint_eq(facts[function].why, why);
	ck_assert_str_eq(facts[function].at.function, where);
	ck_assert_uint_eq(facts[function].at.pc, inst * HD_INST_BYTES);
}

static void does_not_break(uint32_t function)
{
	ck_assert_uint_eq(facts[function].why, HD_BREAK_NONE);
	ck_assert_ptr_null(facts[function].at.function);
}

START_TEST(one_array)
{
	load_and_store("define void @k(ptr noalias nocapture %p) {\n"
		       "%v = load i32, ptr %p" IR0 "%q = getelementptr i32, ptr %p, i64 4\n"
		       "store i32 %v, ptr %q" IR1 "ret void }\n");
	breaks(0, HD_BREAK_STORE, "k", 1);
	ck_assert_str_eq(facts[0].read.function, "k");
	ck_assert_uint_eq(facts[0].read.pc, 0);
}
END_TEST

START_TEST(two_parameters)
{
	load_and_store("define void @k(ptr %in, ptr %out) {\n"
		       "%v = load i32, ptr %in" IR0 "store i32 %v, ptr %out" IR1 "ret void }\n");
	breaks(0, HD_BREAK_STORE, "k", 1);
}
END_TEST

/* One restricted side is enough: what is made from it is met through nothing else. */
START_TEST(restricted_parameters)
{
	load_and_store("define void @k(ptr %in, ptr noalias %out) {\n"
		       "%c = addrspacecast ptr %out to ptr addrspace(1)\n"
		       "%v = load i32, ptr %in" IR0 "store i32 %v, ptr addrspace(1) %c" IR1 "ret void }\n");
	does_not_break(0);
}
END_TEST

START_TEST(restricted_reads)
{
	load_and_store("define void @k(ptr noalias readonly %in, ptr %out) {\n"
		       "%v = load i32, ptr %in" IR0 "store i32 %v, ptr %out" IR1 "ret void }\n");
	does_not_break(0);
}
END_TEST

START_TEST(variables)
{
	load_and_store("@a = addrspace(1) global i32 0\n@b = addrspace(1) global i32 0\ndefine void @k() {\n"
		       "%v = load i32, ptr addrspace(1) @a" IR0 "store i32 %v, ptr addrspace(1) @b" IR1 "ret void }\n");
	does_not_break(0);
}
END_TEST

/* The host can pass a variable's address. */
START_TEST(variable_and_parameter)
{
	load_and_store("@a = addrspace(1) global i32 0\ndefine void @k(ptr %p) {\n"
		       "%v = load i32, ptr addrspace(1) @a" IR0 "store i32 %v, ptr %p" IR1 "ret void }\n");
	breaks(0, HD_BREAK_STORE, "k", 1);
}
END_TEST

/* A pointer from a table may be anything but what is restricted and not captured. */
START_TEST(unknown_pointers)
{
	load_and_store("define void @k(ptr noalias %in, ptr noalias %t) {\n"
		       "%p = load ptr, ptr %t" IR2 "%v = load i32, ptr %in" IR0 "store i32 %v, ptr %p" IR1
		       "ret void }\n");
	breaks(0, HD_BREAK_STORE, "k", 1);
	LLVMDisposeModule(module);
	object.function_count = object.symbol_count = 0;
	load_and_store("define void @k(ptr noalias nocapture %in, ptr noalias %t) {\n"
		       "%p = load ptr, ptr %t" IR2 "%v = load i32, ptr %in" IR0 "store i32 %v, ptr %p" IR1
		       "ret void }\n");
	does_not_break(0);
}
END_TEST

START_TEST(either_of_two)
{
	load_and_store("define void @k(ptr noalias %a, ptr noalias %b, i1 %c) {\n"
		       "%v = load i32, ptr %a" IR0 "%p = select i1 %c, ptr %a, ptr %b\n"
		       "store i32 %v, ptr %p" IR1 "ret void }\n");
	breaks(0, HD_BREAK_STORE, "k", 1);
}
END_TEST

START_TEST(a_pointer_that_walks)
{
	load_and_store("define void @k(ptr noalias %a, ptr noalias %b) {\nentry:\nbr label %loop\n"
		       "loop:\n%p = phi ptr [ %a, %entry ], [ %n, %loop ]\n%v = load i32, ptr %p" IR0
		       "store i32 %v, ptr %b" IR1 "%n = getelementptr i32, ptr %p, i64 1\n"
		       "%e = icmp eq i32 %v, 0\nbr i1 %e, label %end, label %loop\nend:\nret void }\n");
	does_not_break(0);
}
END_TEST

START_TEST(own_memory)
{
	parse("@s = addrspace(3) global [4 x i32] undef\ndefine void @k(ptr %p) {\n%a = alloca i32\n"
	      "%v = load i32, ptr %p" IR0 "store i32 %v, ptr %a" IR1
	      "store i32 %v, ptr addrspacecast (ptr addrspace(3) @s to ptr)" IR2 "ret void }\n");
	access(HD_OP_LDG, 0);
	access(HD_OP_ST, 1);
	access(HD_OP_ST, 2);
	access(HD_OP_STS, 2)->a = 3;
	finish("k", true);
	judge();
	does_not_break(0);
}
END_TEST

START_TEST(accesses_without_ir)
{
	access(HD_OP_LDG, NO_IR);
	access(HD_OP_STG, 7);
	finish("k", true);
	judge();
	breaks(0, HD_BREAK_STORE, "k", 1);
}
END_TEST

/* Two instructions of one ordinal: which of them the code does is not known. */
START_TEST(shared_ordinals)
{
	load_and_store("define void @k(ptr noalias %a, ptr noalias %b) {\n%v = load i32, ptr %a" IR0
		       "store i32 %v, ptr %a" IR1 "store i32 %v, ptr %b" IR1 "ret void }\n");
	breaks(0, HD_BREAK_STORE, "k", 1);
}
END_TEST

START_TEST(stores_alone)
{
	access(HD_OP_STG, NO_IR);
	access(HD_OP_STG, NO_IR);
	finish("k", true);
	judge();
	does_not_break(0);
}
END_TEST

START_TEST(read_only_loads)
{
	access(HD_OP_LDG, NO_IR)->mods |= HD_MOD(CACHE, HD_CACHE_CI);
	access(HD_OP_STG, NO_IR);
	finish("k", true);
	judge();
	does_not_break(0);
}
END_TEST

START_TEST(atomics)
{
	parse("@s = addrspace(3) global i32 undef\ndefine void @k(ptr %p) {\n"
	      "%o = atomicrmw add ptr addrspace(3) @s, i32 1 seq_cst" IR0 "%g = atomicrmw add ptr %p, i32 1 seq_cst" IR1
	      "ret void }\n");
	access(HD_OP_ATOM, 0); /* on shared memory, through a generic address */
	access(HD_OP_ATOMS, 0)->a = 3;
	access(HD_OP_ATOMG, 1);
	finish("k", true);
	judge();
	breaks(0, HD_BREAK_ATOMIC, "k", 2);
}
END_TEST

START_TEST(volatile_loads)
{
	access(HD_OP_LDG, NO_IR)->mods |= HD_MOD(SEM, HD_SEM_VOLATILE);
	finish("k", true);
	judge();
	breaks(0, HD_BREAK_VOLATILE, "k", 0);
}
END_TEST

START_TEST(clocks_and_services)
{
	code_special(&code, 0, HD_SR_TID_X);
	code_special(&code, 0, HD_SR_SMID);
	finish("k", true);
	struct hd_inst *service = add(HD_OP_SYSCALL, NO_IR);
	service->xkind = HD_X_OTHER;
	service->x = HD_SYS_ASSERTFAIL;
	service = add(HD_OP_SYSCALL, NO_IR);
	service->xkind = HD_X_OTHER;
	service->x = HD_SYS_VPRINTF;
	finish("says", true);
	judge();
	breaks(0, HD_BREAK_CLOCK, "k", 1);
	breaks(1, HD_BREAK_SERVICE, "says", 1);
}
END_TEST

/* The callee stores through a pointer that may be what the kernel reads; the callee alone can be run again. */
START_TEST(through_callees)
{
	parse("define void @f(ptr %p) {\nstore i32 0, ptr %p" IR0 "ret void }\n"
	      "define void @k(ptr noalias %in) {\n%v = load i32, ptr %in" IR0 "ret void }\n");
	access(HD_OP_STG, 0);
	finish("f", false);
	access(HD_OP_LDG, 0);
	call(0);
	finish("k", true);
	judge();
	does_not_break(0);
	breaks(1, HD_BREAK_STORE, "f", 0);
	ck_assert_str_eq(facts[1].read.function, "k");
	char *text = hd_idempotence_text(&facts[1], "k");
	ck_assert_str_eq(text, "store at f+0000 may overwrite what is read at 0000");
	free(text);
}
END_TEST

/* A restricted parameter that is not captured may still be what a callee is given or gives back. */
START_TEST(handed_to_callees)
{
	parse("declare ptr @same(ptr)\n"
	      "define void @f(ptr %p) {\nstore i32 0, ptr %p" IR0 "ret void }\n"
	      "define void @k(ptr noalias nocapture %in) {\n%v = load i32, ptr %in" IR0 "ret void }\n"
	      "define void @l(ptr noalias nocapture %in) {\n%v = load i32, ptr %in" IR0
	      "%p = call ptr @same(ptr %in)\nstore i32 %v, ptr %p" IR1 "ret void }\n");
	access(HD_OP_STG, 0);
	finish("f", false);
	access(HD_OP_LDG, 0);
	call(0);
	finish("k", true);
	access(HD_OP_LDG, 0);
	access(HD_OP_STG, 1);
	finish("l", true);
	judge();
	breaks(1, HD_BREAK_STORE, "f", 0);
	breaks(2, HD_BREAK_STORE, "l", 1);
}
END_TEST

/* What stands in the kernel itself is told first. */
START_TEST(the_first_is_told)
{
	access(HD_OP_ATOMG, NO_IR);
	finish("f", false);
	call(0);
	code_special(&code, 0, HD_SR_CLOCK_LO);
	finish("k", true);
	call(3); /* not here */
	finish("l", true);
	symbols[3] = (struct hd_symbol){.name = "outside", .kind = HD_SYM_FUNCTION};
	object.symbol_count = 4;
	judge();
	breaks(0, HD_BREAK_ATOMIC, "f", 0);
	breaks(1, HD_BREAK_CLOCK, "k", 1);
	breaks(2, HD_BREAK_CALL, "l", 0);
}
END_TEST

static void copy(enum hd_op op, unsigned how, uint32_t ir)
{
	struct hd_inst *inst = add(op, ir);
	inst->a = 4;
	inst->c = 8;
	inst->mods = op == HD_OP_UBLKRED ? HD_MOD(BULK, how) | HD_MOD(DTYPE, HD_U32) : HD_MOD(BULK, how);
}

/* A reduction in bulk adds to what is there; a copy's bytes may be anybody's; between blocks none are. */
START_TEST(copies_in_bulk)
{
	copy(HD_OP_UBLKRED, HD_BULK_S2G, NO_IR);
	finish("adds", true);
	copy(HD_OP_UBLKCP, HD_BULK_S2G, NO_IR);
	copy(HD_OP_UBLKCP, HD_BULK_G2S, NO_IR);
	finish("moves", true);
	copy(HD_OP_UBLKCP, HD_BULK_S2S, NO_IR);
	copy(HD_OP_UBLKRED, HD_BULK_S2S, NO_IR);
	copy(HD_OP_UBLKCP, HD_BULK_G2S, NO_IR);
	finish("reads", true);
	judge();
	breaks(0, HD_BREAK_ATOMIC, "adds", 0);
	breaks(1, HD_BREAK_STORE, "moves", 0);
	ck_assert_uint_eq(facts[1].read.pc, HD_INST_BYTES);
	does_not_break(2);
}
END_TEST

/* A restricted pointer that goes nowhere else is not in a tensor's map, nor what assembly copies from another
 * parameter. */
START_TEST(copies_beside_restricted_stores)
{
#define COPY(operands, given) "call void asm sideeffect \"copy\", \"" operands "\"(" given ")" IR0
	parse("define void @k(ptr noalias nocapture %out) {\nstore i32 0, ptr %out" IR1 "ret void }\n"
	      "define void @l(ptr nocapture %out) {\nstore i32 0, ptr %out" IR1 "ret void }\n"
	      "define void @m(ptr %in, ptr noalias nocapture %out) {\n" COPY(
		      "r,l",
		      "i32 0, ptr %in") "store i32 0, ptr %out" IR1 "ret void }\n"
					"define void @n(ptr %in, ptr noalias %out) {\n%a = ptrtoint ptr %out to "
					"i64\n" COPY("r,l",
						     "i32 0, i64 %a") "store i32 0, ptr %out" IR1 "ret void }\n"
								      "define void @o(ptr %in, ptr noalias nocapture "
								      "%out, i64 %hint) {\n" COPY(
									      "l,l",
									      "ptr %in, i64 %hint") "store i32 0, ptr "
												    "%out" IR1
												    "ret void }\n");
	static const char *const names[] = {"k", "l", "m", "n", "o"};
	for (unsigned i = 0; i < 5; i++) {
		if (i < 2)
			add(HD_OP_UTMALDG, NO_IR)->mods = HD_MOD(DIMS, 1);
		else
			copy(HD_OP_UBLKCP, HD_BULK_G2S, 0);
		access(HD_OP_STG, 1);
		finish(names[i], true);
	}
	judge();
	does_not_break(0);
	breaks(1, HD_BREAK_STORE, "l", 1);
	does_not_break(2);
	breaks(3, HD_BREAK_STORE, "n", 1);
	breaks(4, HD_BREAK_STORE, "o", 1); /* two that may be the address */
}
END_TEST

START_TEST(boxes_of_tensors)
{
	add(HD_OP_UTMAREDG, NO_IR)->mods = HD_MOD(DIMS, 1);
	finish("adds", true);
	add(HD_OP_UTMALDG, NO_IR)->mods = HD_MOD(DIMS, 1);
	add(HD_OP_UTMASTG, NO_IR)->mods = HD_MOD(DIMS, 1);
	finish("moves", true);
	add(HD_OP_UTMASTG, NO_IR)->mods = HD_MOD(DIMS, 1);
	add(HD_OP_UTMAPF, NO_IR)->mods = HD_MOD(DIMS, 1);
	finish("writes", true);
	judge();
	breaks(0, HD_BREAK_ATOMIC, "adds", 0);
	breaks(1, HD_BREAK_STORE, "moves", 1);
	does_not_break(2);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {one_array,
				      two_parameters,
				      restricted_parameters,
				      restricted_reads,
				      variables,
				      variable_and_parameter,
				      unknown_pointers,
				      either_of_two,
				      a_pointer_that_walks,
				      own_memory,
				      accesses_without_ir,
				      stores_alone,
				      read_only_loads,
				      atomics,
				      volatile_loads,
				      clocks_and_services,
				      through_callees,
				      handed_to_callees,
				      shared_ordinals,
				      the_first_is_told,
				      copies_in_bulk,
				      boxes_of_tensors,
				      copies_beside_restricted_stores,
				      NULL};
	Suite *suite = suite_create("idempotence");
	TCase *tcase = tcase_create("idempotence");
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	for (unsigned i = 0; tests[i]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}
