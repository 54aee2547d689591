/* Samples for the unit tests of the machine, the object and the metadata. */
#include "sample.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/object/layout.h"

uint64_t sample_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint32_t below(uint64_t *state, uint32_t bound)
{
	return (uint32_t)(sample_random(state) >> 20) % bound;
}

static uint8_t random_register(uint64_t *state, unsigned width)
{
	if (!width || below(state, 8) == 0)
		return HD_RZ;
	return (uint8_t)(below(state, HD_MAX_REGS / width) * width);
}

static uint16_t random_mods(uint64_t *state, const struct hd_opinfo *info)
{
	static const uint8_t shift[] =
		{
#define X(kind, shift, bits, names) shift,
			HD_MOD_LIST(X)
#undef X
		},
			     bits[] = {
#define X(kind, shift, bits, names) bits,
				     HD_MOD_LIST(X)
#undef X
			     };
	uint16_t mods = 0;
	for (unsigned i = 0; i < 6 && info->mod_order[i] != HD_MOD_COUNT; i++) {
		unsigned kind = info->mod_order[i];
		mods |= (uint16_t)(below(state, 1u << bits[kind]) << shift[kind]);
	}
	return mods;
}

static struct hd_inst random_fields(enum hd_op op, uint64_t *state)
{
	const struct hd_opinfo *info = &hd_opinfo[op];
	struct hd_inst inst = hd_inst_new(op);
	inst.mods = random_mods(state, info);
	inst.guard = (uint8_t)below(state, 16);
	inst.dst = info->dst == HD_W_U ? (uint8_t)below(state, HD_MAX_UREGS)
				       : random_register(state, hd_op_width(op, inst.mods, HD_SLOT_DST));
	inst.a = random_register(state, hd_op_width(op, inst.mods, HD_SLOT_A));
	inst.b = random_register(state, hd_op_width(op, inst.mods, HD_SLOT_B));
	inst.c = random_register(state, hd_op_width(op, inst.mods, HD_SLOT_C));
	if (info->pdst)
		inst.pdst = (uint8_t)below(state, 8);
	if (info->psrc >= 1)
		inst.psrc = (uint8_t)below(state, 16);
	if (info->psrc >= 2)
		inst.psrc2 = (uint8_t)below(state, 16);
	inst.xkind = (uint8_t)below(state, HD_X_OTHER + 1);
	if (inst.xkind != HD_X_NONE)
		inst.x = (uint32_t)(sample_random(state) >> below(state, 60));
	if (hd_x_is_constant(inst.xkind))
		inst.x &= 0x1ffffc;
	if (hd_x_is_uniform(inst.xkind))
		inst.x %= HD_MAX_UREGS;
	if (hd_x_in_b(inst.xkind))
		inst.b = HD_RZ;
	if (hd_x_in_c(inst.xkind))
		inst.c = HD_RZ;
	if (op == HD_OP_SHFL) { /* few tries would fit */
		bool b = hd_mod_get(inst.mods, HD_MOD_BIMM), c = hd_mod_get(inst.mods, HD_MOD_CIMM);
		inst.xkind = b || c ? HD_X_OTHER : HD_X_NONE;
		inst.x &= (b ? 0xffu : 0) | (c ? ~0xffu : 0);
		inst.b = b ? HD_RZ : inst.b;
	}
	inst.srcmods = info->srcmods ? (uint8_t)below(state, 32) : 0;
	inst.dead = (uint8_t)below(state, 8);
	inst.reuse = hd_op_is_fixed(op) ? (uint8_t)below(state, 8) : 0;
	inst.role = below(state, 4) ? HD_ROLE_PLAIN : (uint8_t)below(state, HD_ROLE_COUNT);
	if (info->effects & HD_FX_BRANCH && below(state, 2))
		inst.reconv = below(state, HD_NO_PC);
	return inst;
}

struct hd_inst sample_inst(enum hd_op op, uint64_t *state)
{
	/* Rules that tie fields together make some tries fail. */
	for (unsigned attempt = 0; attempt < 1000000; attempt++) {
		struct hd_inst inst = random_fields(op, state);
		if (!hd_inst_check(&inst))
			return inst;
	}
	abort();
}

struct hd_metadata sample_metadata(struct hd_arena *arena)
{
	static const char *callees[] = {"_Z3midf", "leaf"};
	static const char *chain[] = {"_Z6kernelIfEvPT_", "_Z3midf", "leaf"};
	static const struct hd_meta_call call = {.pc = 48,
						 .kind = HD_CALL_INDIRECT,
						 .callees = callees,
						 .callee_count = 2,
						 .recursive = true,
						 .unknown_callees = true,
						 .fru = 10,
						 .source = {"a.cu", 12}};
	static const struct hd_meta_save save = {.pc = 16, .reg = 16, .count = 4, .restore = true, .offset = -24};
	static const struct hd_meta_launch launches[] = {
		{.source = {"a.cu", 40},
		 .block = {256, 2, 1},
		 .shared_bytes = 64,
		 .block_known = true,
		 .shared_known = true},
		{.source = {"a.cu", 41}},
	};
	static const struct hd_meta_pattern patterns[] = {
		{.reg = 2, .strided = true, .stride_known = true, .stride = -4, .dimensions = 2},
		{.reg = 3, .strided = true},
		{.reg = 254, .stride_known = true, .dimensions = 3}};
	static const struct hd_meta_point points[] = {{.pc = 64,
						       .loop_pc = 32,
						       .live = {{0xc}, 0x41},
						       .live_divergent = {{0xc, 1, 0, UINT64_C(1) << 62}, 0x43},
						       .mask = 0xc,
						       .mask_divergent = UINT64_C(1) << 53 | 0xc,
						       .patterns = (struct hd_meta_pattern *)(uintptr_t)patterns,
						       .pattern_count = 3},
						      {.pc = 96, .kind = HD_PREEMPT_BAR, .loop_pc = UINT32_MAX}};
	static uint32_t pcs[] = {0, 16, 48};
	static const struct hd_meta_interval intervals[] = {
		{.pcs = pcs, .pc_count = 2, .working_set = {0xf0, 0, 0, UINT64_C(1) << 62}, .live_in = {0x10}},
		{.id = 1, .entry_pc = 48, .pcs = pcs + 2, .pc_count = 1}};
	static const struct hd_meta_barrier barrier = {.pc = 96, .live = {{0x30}, 0x2}};
	static const struct hd_meta_param param = {
		.name = "out", .type = "float *", .kind = HD_PARAM_POINTER, .offset = 8, .bytes = 8, .align = 8};
	static uint8_t tags[] = {0, 1, 15, 0, 10, 2, 0};
	static uint8_t exact[4 * 7] = {0, 1, 9, 10, HD_REUSE_EXACT_MOST, HD_REUSE_NEVER};
	static uint8_t dead_operands[] = {0, 7, 0, 1, 2, 4, 0};
	static const struct hd_meta_reuse reuse = {.rthld = 16,
						   .profiled = true,
						   .near = 8,
						   .far = 2,
						   .dead = 3,
						   .histogram = {5, 3, 0, 0, 0, 0, 0, 2},
						   .tags = tags,
						   .exact = exact,
						   .tag_count = 7};
	static const struct hd_meta_idempotence idempotence = {.why = HD_BREAK_STORE,
							       .at = {"_Z3midf", 48, {"a.cu", 20}},
							       .read = {.function = "leaf", .pc = 16}};
	static const struct hd_meta_function functions[] = {
		{.name = "_Z3midf",
		 .demangled = "mid(float)",
		 .registers = 24,
		 .own_registers = 24,
		 .instructions = 7,
		 .fru = 10,
		 .max_stack_depth = 20,
		 .dead_operands = dead_operands,
		 .dead_operand_count = 7,
		 .reuse = (struct hd_meta_reuse *)(uintptr_t)&reuse,
		 .idempotence = (struct hd_meta_idempotence *)(uintptr_t)&idempotence},
		{.name = "_Z6kernelIfEvPT_",
		 .demangled = "void kernel<float>(float*)",
		 .source = {"a.cu", 9},
		 .kernel = true,
		 .recursive = true,
		 .address_taken = true,
		 .instructions = 120,
		 .registers = 40,
		 .own_registers = 32,
		 .stack_bytes = 16,
		 .max_stack_bytes = 96,
		 .spill_store_bytes = 4,
		 .spill_load_bytes = 8,
		 .callee_save_bytes = 12,
		 .shared_bytes = 1024,
		 .shared_align = 16,
		 .dynamic_shared = true,
		 .param_bytes = 16,
		 .max_threads = 256,
		 .min_ctas = 2,
		 .max_cluster = 4,
		 .reqntid = {32, 2, 1},
		 .params = (struct hd_meta_param *)(uintptr_t)&param,
		 .param_count = 1,
		 .pushed_registers = 19,
		 .fru = 20,
		 .max_stack_depth = 56,
		 .call_depth = 2,
		 .high_watermark_chain = chain,
		 .chain_count = 3,
		 .low_watermark = 30,
		 .high_watermark = 56,
		 .max_fru = 10,
		 .calls = (struct hd_meta_call *)(uintptr_t)&call,
		 .call_count = 1,
		 .saves = (struct hd_meta_save *)(uintptr_t)&save,
		 .save_count = 1,
		 .launches = (struct hd_meta_launch *)(uintptr_t)launches,
		 .launch_count = 2,
		 .intervals = (struct hd_meta_interval *)(uintptr_t)intervals,
		 .interval_count = 2,
		 .strands = (struct hd_meta_interval *)(uintptr_t)intervals,
		 .strand_count = 1,
		 .interval_registers = 16,
		 .first_intervals = 3,
		 .prefetches = 1,
		 .strand_prefetches = 1,
		 .code_bytes = 1920,
		 .vector_bytes = 32,
		 .explicit_bytes = 48,
		 .max_live = 21,
		 .max_live_pc = 80,
		 .max_live_divergent = 23,
		 .max_live_divergent_pc = 64,
		 .divergent_branches = 3,
		 .uniform_branches = 5,
		 .register_reads = 200,
		 .dead_reads = 90,
		 .dead_warp_reads = 80,
		 .preempt_every = 1000,
		 .drain_instructions = 77,
		 .drain_bounded = true,
		 .points = (struct hd_meta_point *)(uintptr_t)points,
		 .point_count = 2,
		 .barriers = (struct hd_meta_barrier *)(uintptr_t)&barrier,
		 .barrier_count = 1},
		{.name = "leaf", .registers = 20, .instructions = UINT32_MAX},
	};
	return (struct hd_metadata){.arena = arena,
				    .module = "a.cu",
				    .target = "sm_70",
				    .producer = "heddle test",
				    .flags = "interval-regs=16",
				    .mode = HD_MODE_RELOCATABLE,
				    .functions = (struct hd_meta_function *)(uintptr_t)functions,
				    .function_count = 3};
}

static void add_kernel(struct hd_function *kernel, struct hd_arena *arena)
{
	enum { COUNT = 12 };
	kernel->name = "_Z6kernelIfEvPT_";
	kernel->kernel = true;
	kernel->registers = 20;
	kernel->frame_bytes = 16;
	kernel->shared_bytes = 1024;
	kernel->param_bytes = 16;
	kernel->inst_count = COUNT;
	kernel->insts = HD_ARENA_NEW(arena, struct hd_inst, COUNT);
	kernel->origins = HD_ARENA_NEW(arena, struct hd_origin, COUNT);
	struct hd_inst *inst = kernel->insts;
	for (uint32_t i = 0; i < COUNT; i++) {
		inst[i] = hd_inst_new(HD_OP_NOP);
		kernel->origins[i] =
			(struct hd_origin){i % 3 ? i % 2 : UINT32_MAX, i, 2 * i, i % 4 ? i : UINT32_MAX, i % 9, i % 3};
	}
	/* 0: S2R; 1, 2: address of a variable; 3: branch to 6; 4: jump table; 5: TRAP; 6: call; 7, 8: store; 11: EXIT
	 */
	inst[0].op = HD_OP_S2R, inst[0].dst = 0, inst[0].mods = HD_MOD(SR, HD_SR_TID_X);
	inst[1].op = HD_OP_MOV, inst[1].dst = 2, inst[1].xkind = HD_X_IMM_B;
	inst[2].op = HD_OP_MOV, inst[2].dst = 3, inst[2].xkind = HD_X_IMM_B;
	inst[3].op = HD_OP_BRA, inst[3].xkind = HD_X_OTHER, inst[3].x = 6, inst[3].guard = 0 | HD_PRED_NOT,
	inst[3].reconv = 6;
	inst[4].op = HD_OP_BRX, inst[4].xkind = HD_X_OTHER, inst[4].a = 0, inst[4].reconv = 6;
	inst[5].op = HD_OP_TRAP;
	inst[6].op = HD_OP_CALL, inst[6].xkind = HD_X_OTHER;
	inst[7].op = HD_OP_STG, inst[7].a = 2, inst[7].c = 0, inst[7].mods = HD_MOD(SIZE, HD_SIZE_32);
	inst[8].op = HD_OP_STL, inst[8].a = 1, inst[8].c = 16, inst[8].mods = HD_MOD(SIZE, HD_SIZE_64);
	inst[8].role = HD_ROLE_SPILL_STORE;
	inst[11].op = HD_OP_EXIT;
	kernel->tables = HD_ARENA_NEW(arena, struct hd_jump_table, 1);
	kernel->table_count = 1;
	kernel->tables[0].targets = HD_ARENA_NEW(arena, uint32_t, 3);
	kernel->tables[0].count = 3;
	memcpy(kernel->tables[0].targets, (const uint32_t[]){6, 9, 6}, 3 * sizeof(uint32_t));
}

static void add_leaf(struct hd_function *leaf, struct hd_arena *arena)
{
	leaf->name = "leaf";
	leaf->registers = 8;
	leaf->inst_count = 2;
	leaf->insts = HD_ARENA_NEW(arena, struct hd_inst, 2);
	leaf->origins = HD_ARENA_NEW(arena, struct hd_origin, 2);
	leaf->insts[0] = hd_inst_new(HD_OP_FADD);
	leaf->insts[0].dst = leaf->insts[0].a = 4, leaf->insts[0].xkind = HD_X_IMM_B, leaf->insts[0].x = 0x3fc00000;
	leaf->insts[1] = hd_inst_new(HD_OP_RET);
}

struct hd_object sample_object(struct hd_arena *arena)
{
	/* Local symbols first, as the reader gives them back. */
	static const struct hd_symbol symbols[] = {
		{.name = "leaf", .kind = HD_SYM_FUNCTION, .defined = true, .function = 1},
		{.name = "tile",
		 .kind = HD_SYM_VARIABLE,
		 .defined = true,
		 .space = HD_SPACE_SHARED,
		 .size = 1024,
		 .align = 16},
		{.name = "_Z6kernelIfEvPT_", .kind = HD_SYM_FUNCTION, .defined = true, .global = true, .function = 0},
		{.name = "counter",
		 .kind = HD_SYM_VARIABLE,
		 .defined = true,
		 .global = true,
		 .managed = true,
		 .space = HD_SPACE_GLOBAL,
		 .size = 8,
		 .align = 8,
		 .section_offset = 8},
		{.name = "table",
		 .kind = HD_SYM_VARIABLE,
		 .defined = true,
		 .global = true,
		 .space = HD_SPACE_CONSTANT,
		 .size = 16,
		 .align = 8},
		{.name = "big",
		 .kind = HD_SYM_VARIABLE,
		 .defined = true,
		 .global = true,
		 .space = HD_SPACE_GLOBAL,
		 .size = 4096,
		 .align = 256,
		 .bss = true},
		{.name = "elsewhere", .kind = HD_SYM_FUNCTION, .global = true},
		{.name = "far_variable",
		 .kind = HD_SYM_VARIABLE,
		 .global = true,
		 .space = HD_SPACE_CONSTANT,
		 .align = 4},
	};
	static const char *files[] = {"a.cu", "include/helper.cuh"};
	struct hd_object object = {.arena = arena,
				   .function_count = 2,
				   .symbol_count = 8,
				   .files = files,
				   .file_count = 2,
				   .data_bytes = 16,
				   .rodata_bytes = 16,
				   .bss_bytes = 4096,
				   .data_reloc_count = 1,
				   .rodata_reloc_count = 1,
				   .bitcode = (const uint8_t *)"BC\xc0\xde",
				   .bitcode_bytes = 4};
	static const struct hd_inlined inlined[] = {{"outer", 0, 7, 3, 0}, {"inner", UINT32_MAX, 0, 0, 1}};
	object.inlined = (struct hd_inlined *)(uintptr_t)inlined;
	object.inlined_count = 2;
	object.functions = HD_ARENA_NEW(arena, struct hd_function, 2);
	object.symbols = (struct hd_symbol *)(uintptr_t)symbols;
	object.data = hd_arena_alloc(arena, 16);
	memset(object.data, 0x5a, 16);
	object.rodata = hd_arena_alloc(arena, 16);
	add_kernel(&object.functions[0], arena);
	add_leaf(&object.functions[1], arena);
	static const struct hd_reloc code[] = {{HD_REL_ABS_LO, 3, 1, 4},
					       {HD_REL_ABS_HI, 3, 2, 4},
					       {HD_REL_CALL, 0, 6, 0}};
	static const struct hd_reloc data = {HD_REL_ABS64, 5, 8, 16}, rodata = {HD_REL_ABS64, 2, 0, 0};
	object.functions[0].relocs = (struct hd_reloc *)(uintptr_t)code;
	object.functions[0].reloc_count = 3;
	object.data_relocs = (struct hd_reloc *)(uintptr_t)&data;
	object.rodata_relocs = (struct hd_reloc *)(uintptr_t)&rodata;
	object.metadata = sample_metadata(arena);
	return object;
}

uint8_t *sample_section(uint8_t *object, const char *name, size_t *size)
{
	const uint8_t *sections = object + get_u64(object + 40);
	const uint8_t *names = object + get_u64(sections + (size_t)get_u16(object + 62) * SECTION_HEADER_BYTES + 24);
	for (uint32_t i = 0; i < get_u16(object + 60); i++, sections += SECTION_HEADER_BYTES)
		if (strcmp((const char *)names + get_u32(sections), name) == 0) {
			*size = get_u64(sections + 32);
			return object + get_u64(sections + 24);
		}
	return NULL;
}
