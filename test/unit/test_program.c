/*
 * The loader (decoding, linking, data) and --verify: objects are built by hand, loaded as
 * structs or written and read back through the object library.
 */
#include "harness.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include "lab.h"
#include "lib/machine/abi.h"
#include "runtime/core/address.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/load.h"
#include "runtime/sim/sim_private.h"

#define ADD(reg, value) lab_imm(HD_OP_IADD3, reg, reg, value)
#define EXIT lab_op(HD_OP_EXIT)
#define RET lab_op(HD_OP_RET)

START_TEST(instructions_are_decoded)
{
	struct hd_inst load = lab_op(HD_OP_LDG), spill = lab_op(HD_OP_STL), dfma = lab_op(HD_OP_DFMA);
	load.mods = HD_MOD(SIZE, HD_SIZE_128);
	load.dst = 8, load.a = 2, load.xkind = HD_X_OTHER;
	spill.mods = HD_MOD(SIZE, HD_SIZE_64);
	spill.a = 1, spill.c = 16, spill.role = HD_ROLE_CALLEE_SAVE, spill.xkind = HD_X_OTHER, spill.guard = 3;
	dfma.dst = 4, dfma.a = 6, dfma.b = 8, dfma.c = 6;
	const struct hd_inst code[] = {load, spill, dfma, lab_bra(HD_PT, 1, 3), EXIT};
	struct lab *lab = lab_kernel(code, 5, 32);
	const struct hd_dinst *at = lab->gpu.program.code.data;
	ck_assert_uint_eq(at[0].access_bytes, 16);
	ck_assert_uint_eq(at[0].writes.bits[0], 0xf00);
	ck_assert_uint_eq(at[0].hazards.bits[0], 0xf0c);
	ck_assert_uint_eq(at[0].read_count, 2);
	ck_assert_uint_eq(at[0].write_count, 4);
	ck_assert_uint_eq(at[0].latency, 0);
	ck_assert_uint_eq(at[0].interval, lab->gpu.config->ii_lsu);
	ck_assert_uint_eq(at[0].mem_class, HD_CLASS_GLOBAL);
	ck_assert_uint_eq(at[1].mem_class, HD_CLASS_SPILL_FILL);
	ck_assert_uint_eq(at[1].hazards.bits[4], 8);
	ck_assert_uint_eq(at[1].read_count, 3);
	ck_assert_uint_eq(at[2].latency, lab->gpu.config->lat_dmad);
	ck_assert_uint_eq(at[2].read_count, 4); /* R6:7 once */
	ck_assert_uint_eq(at[2].read_regs[0], 6);
	ck_assert_uint_eq(at[3].inst.reconv, 3);
	ck_assert(at[4].exec == NULL);
	ck_assert_uint_eq(at[4].inst.reconv, HD_PC_NONE);
	lab_free(lab);
}
END_TEST

/* A second module whose code begins behind the first one's. */
static void second_module(struct lab *lab, struct hd_module *module, const struct hd_inst *code, uint32_t count,
			  const char *name)
{
	*module = (struct hd_module){.gpu = &lab->gpu, .name = name};
	hd_arena_init(&module->arena);
	struct hd_object *object = &module->object;
	object->arena = &module->arena;
	object->functions = HD_ARENA_NEW(object->arena, struct hd_function, 4);
	object->symbols = HD_ARENA_NEW(object->arena, struct hd_symbol, 8);
	struct hd_function *function = &object->functions[object->function_count++];
	*function = (struct hd_function){.name = "other", .kernel = true, .inst_count = count, .registers = 32};
	function->insts = HD_ARENA_NEW(object->arena, struct hd_inst, count);
	memcpy(function->insts, code, count * sizeof(*code));
	function->relocs = HD_ARENA_NEW(object->arena, struct hd_reloc, 8);
	object->symbols[object->symbol_count++] =
		(struct hd_symbol){.name = "other", .kind = HD_SYM_FUNCTION, .defined = true, .global = true};
}

START_TEST(undefined_symbols_come_from_modules_loaded_before)
{
	struct lab *lab = lab_new();
	struct hd_object *object = &lab->module.object;
	const struct hd_inst kernel[] = {EXIT}, helper[] = {ADD(3, 42), RET};
	static uint8_t data[8];
	lab_function(lab, "kernel", kernel, 1);
	lab_function(lab, "helper", helper, 2);
	object->symbols[object->symbol_count++] = (struct hd_symbol){.name = "counter",
								     .kind = HD_SYM_VARIABLE,
								     .defined = true,
								     .global = true,
								     .space = HD_SPACE_GLOBAL,
								     .size = 8,
								     .align = 8};
	object->data = data;
	object->data_bytes = 8;
	ck_assert_int_eq(lab_start(lab, 32), 0);
	lab->gpu.modules = &lab->module;

	struct hd_module user;
	const struct hd_inst code[] = {lab_op(HD_OP_CALL), lab_imm(HD_OP_MOV, 4, HD_RZ, 0),
				       lab_imm(HD_OP_MOV, 5, HD_RZ, 0), lab_bra(HD_PT, 4, HD_NO_PC), EXIT};
	second_module(lab, &user, code, 5, "user");
	struct hd_object *uses = &user.object;
	uses->symbols[uses->symbol_count++] =
		(struct hd_symbol){.name = "helper", .kind = HD_SYM_FUNCTION, .global = true};
	uses->symbols[uses->symbol_count++] =
		(struct hd_symbol){.name = "counter", .kind = HD_SYM_VARIABLE, .global = true, .align = 8};
	struct hd_reloc relocs[] = {{HD_REL_CALL, 1, 0, 0}, {HD_REL_ABS_LO, 2, 1, 4}, {HD_REL_ABS_HI, 2, 2, 4}};
	memcpy(uses->functions[0].relocs, relocs, sizeof(relocs));
	uses->functions[0].reloc_count = 3;
	ck_assert_int_eq(hd_program_load(&lab->gpu, &user), 0);
	const struct hd_dinst *at = &lab->gpu.program.code.data[3];
	ck_assert_uint_eq(at[0].inst.x, 1); /* helper is at 1 */
	ck_assert_uint_eq(at[0].function, 2);
	ck_assert_uint_eq(at[1].inst.x | (uint64_t)at[2].inst.x << 32, lab->module.data_address + 4);
	ck_assert_uint_eq(at[3].inst.x, 3 + 4);
	uint64_t address, size;
	ck_assert_int_eq(hd_program_symbol(&user, "counter", &address, &size), 0);
	ck_assert_uint_eq(address, lab->module.data_address);
	ck_assert_uint_eq(size, 8);
	ck_assert_int_eq(hd_program_symbol(&user, "nothing", &address, &size), HD_SIM_NOT_FOUND);
	/* unloading leaves traps */
	hd_program_unload(&lab->gpu, &user);
	ck_assert_uint_eq(lab->gpu.program.code.data[3].inst.op, HD_OP_TRAP);
	hd_arena_release(&user.arena);
	lab_free(lab);
}
END_TEST

START_TEST(an_undefined_symbol_is_an_error_that_leaves_nothing)
{
	struct lab *lab = lab_new();
	const struct hd_inst kernel[] = {lab_op(HD_OP_CALL), EXIT};
	static uint8_t data[8];
	lab->module.object.data = data;
	lab->module.object.data_bytes = 8;
	lab_calls(lab, lab_function(lab, "kernel", kernel, 2), 0, "nowhere");
	uint64_t before = hd_devmem_free_bytes(lab->gpu.devmem);
	ck_assert_int_eq(lab_start(lab, 32), HD_SIM_BAD_OBJECT);
	ck_assert_ptr_nonnull(strstr(lab->gpu.error_text, "undefined function nowhere"));
	ck_assert_uint_eq(lab->diag.errors, 1);
	ck_assert_uint_eq(lab->gpu.program.code.len, 0);
	ck_assert_uint_eq(hd_devmem_free_bytes(lab->gpu.devmem), before);
	lab_free(lab);
}
END_TEST

static int load_constant(enum hd_op op, enum hd_xkind kind, uint32_t x)
{
	struct lab *lab = lab_new();
	struct hd_inst inst = lab_imm(op, 0, HD_RZ, x);
	inst.xkind = (uint8_t)kind;
	const struct hd_inst kernel[] = {inst, EXIT};
	lab_function(lab, "kernel", kernel, 2);
	int error = lab_start(lab, 32);
	lab_free(lab);
	return error;
}

START_TEST(a_constant_outside_its_bank_is_refused)
{
	ck_assert_int_eq(load_constant(HD_OP_MOV, HD_X_CONST_B, HD_CONST_X(0, HD_CB_BYTES - 4)), 0);
	ck_assert_int_eq(load_constant(HD_OP_MOV, HD_X_CONST_B, HD_CONST_X(0, HD_CB_BYTES)), HD_SIM_BAD_OBJECT);
	ck_assert_int_eq(load_constant(HD_OP_MOV, HD_X_CONST_B, HD_CONST_X(0, HD_CB_PARAMS + 2)), HD_SIM_BAD_OBJECT);
	ck_assert_int_eq(load_constant(HD_OP_MOV, HD_X_CONST_B, HD_CONST_X(3, HD_CB_PARAMS)), HD_SIM_BAD_OBJECT);
	/* Counts of barriers are read as constants of bank 0. */
	ck_assert_int_eq(load_constant(HD_OP_BAR, HD_X_CONST_C, HD_CONST_X(0, HD_CB_PARAMS)), 0);
	ck_assert_int_eq(load_constant(HD_OP_BAR, HD_X_CONST_C, HD_CONST_X(3, HD_CB_PARAMS)), HD_SIM_BAD_OBJECT);
}
END_TEST

START_TEST(data_has_its_values_and_addresses)
{
	struct lab *lab = lab_new();
	struct hd_object *object = &lab->module.object;
	const struct hd_inst kernel[] = {EXIT}, helper[] = {RET};
	static uint8_t data[24] = {1, 2, 3, 4}, rodata[8] = {9};
	lab_function(lab, "kernel", kernel, 1);
	lab_function(lab, "helper", helper, 1);
	object->symbols[2] = (struct hd_symbol){.name = "table",
						.kind = HD_SYM_VARIABLE,
						.defined = true,
						.space = HD_SPACE_CONSTANT,
						.size = 8,
						.align = 8};
	object->symbols[3] = (struct hd_symbol){.name = "zero",
						.kind = HD_SYM_VARIABLE,
						.defined = true,
						.bss = true,
						.space = HD_SPACE_GLOBAL,
						.size = 100,
						.align = 4,
						.section_offset = 4};
	object->symbol_count = 4;
	object->data = data, object->data_bytes = sizeof(data);
	object->rodata = rodata, object->rodata_bytes = sizeof(rodata);
	object->bss_bytes = 104;
	struct hd_reloc relocs[] = {{HD_REL_ABS64, 1, 8, 0}, {HD_REL_ABS64, 3, 16, 12}};
	object->data_relocs = relocs;
	object->data_reloc_count = 2;
	ck_assert_int_eq(lab_start(lab, 32), 0);
	const uint8_t *placed = hd_devmem_at(lab->gpu.devmem, lab->module.data_address, sizeof(data));
	uint64_t pointer[2];
	memcpy(pointer, placed + 8, 16);
	ck_assert_uint_eq(placed[3], 4);
	ck_assert_uint_eq(pointer[0], HD_CODE_WINDOW + HD_INST_BYTES);
	ck_assert_uint_eq(pointer[1], lab->module.bss_address + 4 + 12);
	ck_assert_uint_eq(*(const uint8_t *)hd_devmem_at(lab->gpu.devmem, lab->module.rodata_address, 8), 9);
	ck_assert_ptr_null(hd_devmem_at(lab->gpu.devmem, lab->module.bss_address, 105));
	lab_free(lab);
}
END_TEST

/* ---- through the object library and the simulator's interface */

START_TEST(an_object_is_written_read_and_loaded)
{
	struct lab *lab = lab_new();
	struct hd_object *object = &lab->module.object;
	const struct hd_inst kernel[] = {lab_op(HD_OP_CALL), EXIT}, helper[] = {ADD(3, 1), RET};
	lab_calls(lab, lab_function(lab, "kernel", kernel, 2), 0, "helper");
	lab_function(lab, "helper", helper, 2);
	object->symbols[1].global = false;
	static const struct hd_origin origins[] = {{0, 7, 3, 0, 0, 0}, {0, 8, 1, 1, 0, 0}};
	static const char *files[] = {"a.cu"};
	object->files = files;
	object->file_count = 1;
	object->functions[0].origins = object->functions[1].origins = (struct hd_origin *)origins;
	struct hd_meta_function functions[] = {
		{.name = "helper", .demangled = "helper()", .instructions = 2, .own_registers = 64, .registers = 64},
		{.name = "kernel",
		 .demangled = "kernel()",
		 .kernel = true,
		 .instructions = 2,
		 .own_registers = 64,
		 .registers = 64}};
	struct hd_metadata metadata = {.arena = object->arena,
				       .module = "a.cu",
				       .target = "sm_70",
				       .producer = "test",
				       .flags = "",
				       .functions = functions,
				       .function_count = 2};
	object->metadata = metadata;
	uint8_t *bytes;
	size_t size;
	ck_assert_int_eq(hd_object_write(object, &bytes, &size, &lab->diag), 0);

	struct hd_sim *sim = hd_xcalloc(1, sizeof(*sim));
	sim->gpu.config = &lab->config;
	sim->gpu.options.diag = &lab->diag;
	sim->gpu.devmem = hd_devmem_new(1 << 20);
	struct hd_module *module;
	ck_assert_int_eq(hd_sim_load(sim, bytes, size, "a.hdo", &module), 0);
	struct hd_kernel *found = hd_sim_kernel(module, "kernel");
	ck_assert_ptr_nonnull(found);
	ck_assert_ptr_null(hd_sim_kernel(module, "helper"));
	ck_assert_str_eq(hd_kernel_name(found), "kernel");
	ck_assert_str_eq(hd_kernel_metadata(found)->demangled, "kernel()");
	ck_assert_int_eq(hd_sim_load(sim, bytes, size / 2, "cut.hdo", &module), HD_SIM_BAD_OBJECT);
	/* memory through the interface */
	uint64_t a, b;
	char text[6] = "";
	ck_assert_int_eq(hd_sim_malloc(sim, 6, &a), 0);
	ck_assert_int_eq(hd_sim_malloc(sim, 6, &b), 0);
	ck_assert_int_eq(hd_sim_write(sim, a, "hello", 6), 0);
	ck_assert_int_eq(hd_sim_copy(sim, b, a, 6), 0);
	ck_assert_int_eq(hd_sim_set(sim, b, 'j', 1), 0);
	ck_assert_int_eq(hd_sim_read(sim, b, text, 6), 0);
	ck_assert_str_eq(text, "jello");
	ck_assert_int_eq(hd_sim_read(sim, b, text, 7), HD_SIM_BAD_ADDRESS);
	ck_assert(hd_sim_owns(sim, b + 5) && !hd_sim_owns(sim, b + 6));
	ck_assert_int_eq(hd_sim_free_memory(sim, b), 0);
	ck_assert_int_eq(hd_sim_free_memory(sim, b), HD_SIM_BAD_ADDRESS);
	ck_assert_int_eq(hd_sim_free_memory(sim, 0), HD_SIM_BAD_ADDRESS);
	hd_sim_unload(sim, module = sim->gpu.modules);
	ck_assert_ptr_null(sim->gpu.modules);
	hd_devmem_free(sim->gpu.devmem);
	hd_vec_release(&sim->gpu.program.code);
	hd_vec_release(&sim->gpu.program.functions);
	free(sim);
	free(bytes);
	lab_free(lab);
}
END_TEST

/* ---- --verify */

/* kernel calls f once at pc 0x10; f saves and restores R16 around its use of it. Each test spoils one fact. */
struct verify_lab {
	struct lab *lab;
	struct hd_meta_function meta[2]; /* f, kernel */
	struct hd_meta_call call;
	struct hd_meta_interval intervals[2];
	struct hd_meta_point points[2];
	const char *callees[1];
	const struct hd_abi *abi;
	struct hd_inst kernel[4], f[6];
};

static void verify_lab_new(struct verify_lab *v)
{
	*v = (struct verify_lab){.lab = lab_new(), .callees = {"f"}};
	v->call = (struct hd_meta_call){.pc = 0x10, .callees = v->callees, .callee_count = 1};
	v->meta[0] = (struct hd_meta_function){
		.name = "f", .own_registers = 64, .pushed_registers = 1, .fru = 2, .stack_bytes = 16};
	v->meta[1] = (struct hd_meta_function){.name = "kernel",
					       .kernel = true,
					       .own_registers = 64,
					       .max_stack_bytes = 16,
					       .call_depth = 1,
					       .calls = &v->call,
					       .call_count = 1};
	struct hd_inst top = lab_imm(HD_OP_MOV, 1, HD_RZ, HD_CONST_X(0, HD_CB_STACK_TOP));
	top.xkind = HD_X_CONST_B;
	struct hd_inst save = lab_op(HD_OP_STL), restore = lab_op(HD_OP_LDL);
	save.mods = restore.mods = HD_MOD(SIZE, HD_SIZE_32);
	save.a = restore.a = 1, save.c = restore.dst = 16;
	save.xkind = restore.xkind = HD_X_OTHER;
	save.role = HD_ROLE_CALLEE_SAVE, restore.role = HD_ROLE_CALLEE_RESTORE;
	const struct hd_inst kernel[] = {top, lab_op(HD_OP_CALL), ADD(16, 5), EXIT};
	const struct hd_inst f[] = {ADD(1, (uint32_t)-16), save, ADD(16, 1), restore, ADD(1, 16), RET};
	memcpy(v->kernel, kernel, sizeof(kernel));
	memcpy(v->f, f, sizeof(f));
}

static int verify_lab_run(struct verify_lab *v)
{
	struct lab *lab = v->lab;
	lab_calls(lab, lab_function(lab, "kernel", v->kernel, 4), 1, "f");
	lab_function(lab, "f", v->f, 6);
	lab->module.object.metadata = (struct hd_metadata){.abi = v->abi, .functions = v->meta, .function_count = 2};
	lab_verify(lab);
	ck_assert_int_eq(lab_start(lab, 32), 0);
	return lab_run(lab, 100);
}

#define VERIFY_CASE(name, spoil, words)                                                                   \
	START_TEST(name)                                                                                  \
	{                                                                                                 \
		struct verify_lab v;                                                                      \
		verify_lab_new(&v);                                                                       \
		spoil;                                                                                    \
		int status = verify_lab_run(&v);                                                          \
		ck_assert_msg(status == (*(words) ? HD_SIM_VERIFY : 0), "%s", v.lab->gpu.error_text);     \
		ck_assert_msg(strstr(v.lab->gpu.error_text, words) != NULL, "%s", v.lab->gpu.error_text); \
		lab_free(v.lab);                                                                          \
	}                                                                                                 \
	END_TEST

VERIFY_CASE(verify_accepts_what_holds, (void)0, "")
VERIFY_CASE(verify_register_bound, v.meta[0].own_registers = 16, "R16 is used in f, which has 16 registers")
VERIFY_CASE(verify_stack_bound, v.meta[1].max_stack_bytes = 8, "16 bytes deep")
VERIFY_CASE(verify_call_site, v.call.pc = 0x20, "the call of f in kernel is not in the metadata")
VERIFY_CASE(verify_callee, v.callees[0] = "g", "not among the site's callees")
VERIFY_CASE(verify_call_depth, v.meta[1].call_depth = 0, "calls are 1 deep")
VERIFY_CASE(verify_call_depth_is_open_for_recursion, (v.meta[1].call_depth = 0, v.call.recursive = true), "")
VERIFY_CASE(verify_callee_saved, v.f[3] = lab_op(HD_OP_NOP), "f returns with R16 = 0x1, it was 0x0")
VERIFY_CASE(verify_saved_by_default, v.f[2] = ADD(40, 1), "f returns with R40 = 0x1, it was 0x0")
VERIFY_CASE(verify_saved_in_cars, (v.abi = &hd_abi_cars, v.f[2] = ADD(40, 1)), "f returns with R40 = 0x1, it was 0x0")
VERIFY_CASE(verify_scratch_in_cars, (v.abi = &hd_abi_cars, v.f[2] = ADD(2, 1)), "")
VERIFY_CASE(verify_scratch_as_observed, (v.abi = &hd_abi_observed, v.f[2] = ADD(40, 1)), "")
VERIFY_CASE(verify_saved_as_observed, (v.abi = &hd_abi_observed, v.f[2] = ADD(2, 1)), "f returns with R2 = 0x1")
VERIFY_CASE(verify_stack_pointer, v.f[4] = lab_op(HD_OP_NOP), "f returns with R1 =")
VERIFY_CASE(verify_pushes, v.meta[0].pushed_registers = 0, "f pushes 1 registers")
VERIFY_CASE(verify_fru, v.meta[0].fru = 1, "a FRU of 1")
VERIFY_CASE(verify_dead_read, v.f[2].dead = 1; v.f[2].dst = 3; v.f[1] = ADD(16, 0);
	    v.f[3] = ADD(16, 0), "R16 is read after")
VERIFY_CASE(verify_dead_then_written, v.f[2].dead = 1, "")
VERIFY_CASE(verify_reconvergence,
	    (v.f[2] = lab_isetp(0, HD_CMP_EQ, 16, 0), v.f[3] = lab_bra(0, 5, 4), v.f[4] = RET,
	     v.f[0] = lab_s2r(16, HD_SR_LANEID), v.f[1] = lab_op(HD_OP_NOP)),
	    "reconvergence point")
VERIFY_CASE(verify_uniform_value,
	    (v.f[1] = lab_s2r(2, HD_SR_LANEID), v.f[2] = lab_op(HD_OP_R2UR), v.f[2].dst = 3, v.f[2].b = 2,
	     v.f[3] = lab_op(HD_OP_NOP), v.meta[0].pushed_registers = 0),
	    "UR3 is to hold a value of the whole warp: 0x1 here, 0x0 in thread 0 of the warp")
/* Lanes other than the first wait at the read while it writes. */
VERIFY_CASE(verify_uniform_reader,
	    (v.f[0] = lab_s2r(2, HD_SR_LANEID), v.f[1] = lab_isetp(0, HD_CMP_NE, 2, 0), v.f[2] = lab_bra(0, 4, 4),
	     v.f[3] = lab_imm(HD_OP_UMOV, 7, HD_RZ, 1), v.f[4] = lab_imm(HD_OP_MOV, 3, HD_RZ, 7),
	     v.f[4].xkind = HD_X_UNIFORM_B),
	    "UR7 is read by a lane that was not there when it was written")

/* f's prologue is an interval and what is behind it another; a point stands before the addition. */
static void analysed(struct verify_lab *v)
{
	static uint32_t pcs[] = {0, 0x10, 0x20, 0x30, 0x40, 0x50};
	v->intervals[0] = (struct hd_meta_interval){.pcs = pcs,
						    .pc_count = 2,
						    .working_set = {1 << 1 | 1 << 16},
						    .live_in = {1 << 1 | 1 << 16}};
	v->intervals[1] = (struct hd_meta_interval){.id = 1,
						    .entry_pc = 0x20,
						    .pcs = pcs + 2,
						    .pc_count = 4,
						    .working_set = {1 << 1 | 1 << 16},
						    .live_in = {1 << 1 | 1 << 16}};
	v->points[0] = (struct hd_meta_point){.pc = 0x20, .live = {.regs = {1 << 1 | 1 << 16}}};
	v->points[0].live_divergent = v->points[0].live;
	v->meta[0].intervals = v->intervals;
	v->meta[0].interval_count = 2;
	v->meta[0].points = v->points;
	v->meta[0].point_count = 1;
}

VERIFY_CASE(verify_analyses_accept_what_holds, analysed(&v), "")
VERIFY_CASE(verify_working_set, (analysed(&v), v.intervals[1].working_set[0] = 1 << 16),
	    "R1 is used, but is not in the working set of interval 1 of f")
VERIFY_CASE(verify_working_set_of_strand, (analysed(&v), v.meta[0].strands = v.intervals, v.meta[0].strand_count = 1),
	    "pc 0x20 of f is in no strand")
VERIFY_CASE(verify_interval_of_pc, (analysed(&v), v.intervals[1].pc_count = 3), "pc 0x50 of f is in no interval")
VERIFY_CASE(verify_point, (analysed(&v), v.points[0].live.regs[0] = 1 << 1),
	    "f+0x20, block (0,0,0), thread (0,0,0): R16 is read, but a preemption point")
VERIFY_CASE(verify_point_then_written,
	    (analysed(&v), v.points[0].live.regs[0] = 1 << 1, v.f[2] = lab_s2r(16, HD_SR_LANEID)), "")
/* Poison of the caller stays on in the callee, whose prologue may save it. */
VERIFY_CASE(verify_point_before_call,
	    (analysed(&v), v.points[1] = (struct hd_meta_point){.pc = 0x10, .live = {.regs = {1 << 1}}},
	     v.meta[1].points = &v.points[1], v.meta[1].point_count = 1, v.f[2] = lab_s2r(16, HD_SR_LANEID)),
	    "")
VERIFY_CASE(verify_point_before_callee_reads,
	    (analysed(&v), v.points[1] = (struct hd_meta_point){.pc = 0x10}, v.meta[1].points = &v.points[1],
	     v.meta[1].point_count = 1),
	    "f+0x0, block (0,0,0), thread (0,0,0): R1 is read, but a preemption point")
VERIFY_CASE(verify_point_predicate,
	    (analysed(&v), v.f[2] = lab_guarded(2, v.f[2]), v.points[0].live_divergent.preds = 4), "P2 is read")
VERIFY_CASE(verify_point_predicate_saved, (analysed(&v), v.f[2] = lab_guarded(2, v.f[2]), v.points[0].live.preds = 4),
	    "")

/* Lane 0 passes a point while the others wait to read R20; then it meets them. */
static int diverged_point(struct lab *lab, uint64_t live, uint64_t live_divergent)
{
	const struct hd_inst code[] = {lab_s2r(16, HD_SR_LANEID),
				       lab_imm(HD_OP_MOV, 20, HD_RZ, 7),
				       lab_isetp(0, HD_CMP_EQ, 16, 0),
				       lab_bra(0, 5, 6),
				       lab_bra(HD_PT, 6, HD_NO_PC),
				       ADD(16, 1),
				       ADD(20, 1),
				       EXIT};
	struct hd_meta_point point = {.pc = 0x50,
				      .live = {.regs = {live}},
				      .live_divergent = {.regs = {live_divergent}}};
	struct hd_meta_function meta = {
		.name = "kernel", .kernel = true, .own_registers = 64, .points = &point, .point_count = 1};
	lab_function(lab, "kernel", code, 8);
	lab->module.object.metadata = (struct hd_metadata){.functions = &meta, .function_count = 1};
	lab_verify(lab);
	ck_assert_int_eq(lab_start(lab, 32), 0);
	return lab_run(lab, 100);
}

START_TEST(verify_point_when_diverged)
{
	const uint64_t r16 = 1 << 16, r20 = 1 << 20;
	static const struct {
		bool own, waiting;
		const char *thread;
	} cases[] = {{true, true, NULL}, {false, true, "thread (0,0,0): R20"}, {true, false, "thread (1,0,0): R20"}};
	for (unsigned i = 0; i < 3; i++) {
		struct lab *lab = lab_new();
		int status = diverged_point(lab, r16 | (cases[i].own ? r20 : 0), r16 | (cases[i].waiting ? r20 : 0));
		ck_assert_int_eq(status, cases[i].thread ? HD_SIM_VERIFY : 0);
		ck_assert_msg(!cases[i].thread || strstr(lab->gpu.error_text, cases[i].thread), "%s",
			      lab->gpu.error_text);
		lab_free(lab);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("program", (const TTest *const[]){
					      instructions_are_decoded,
					      undefined_symbols_come_from_modules_loaded_before,
					      an_undefined_symbol_is_an_error_that_leaves_nothing,
					      a_constant_outside_its_bank_is_refused,
					      data_has_its_values_and_addresses,
					      an_object_is_written_read_and_loaded,
					      verify_accepts_what_holds,
					      verify_register_bound,
					      verify_stack_bound,
					      verify_call_site,
					      verify_callee,
					      verify_call_depth,
					      verify_call_depth_is_open_for_recursion,
					      verify_callee_saved,
					      verify_saved_by_default,
					      verify_saved_in_cars,
					      verify_scratch_in_cars,
					      verify_scratch_as_observed,
					      verify_saved_as_observed,
					      verify_stack_pointer,
					      verify_pushes,
					      verify_fru,
					      verify_dead_read,
					      verify_dead_then_written,
					      verify_reconvergence,
					      verify_uniform_value,
					      verify_uniform_reader,
					      verify_analyses_accept_what_holds,
					      verify_working_set,
					      verify_working_set_of_strand,
					      verify_interval_of_pc,
					      verify_point,
					      verify_point_then_written,
					      verify_point_before_call,
					      verify_point_before_callee_reads,
					      verify_point_predicate,
					      verify_point_predicate_saved,
					      verify_point_when_diverged,
					      NULL,
				      });
}
