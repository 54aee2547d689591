/*
 * --verify of intervals, reuse distances, dead operands, idempotence and switch points: a kernel by hand with metadata
 * that holds, and then with one fact spoilt.
 */
#include "harness.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include "lab.h"
#include "runtime/exec/devmem.h"

#define ADD(reg, value) lab_imm(HD_OP_IADD3, reg, reg, value)
#define EXIT lab_op(HD_OP_EXIT)

enum { MOST = 10 };

/* A kernel and what is said of it. */
struct rig {
	struct lab *lab;
	struct hd_meta_function meta;
	struct hd_meta_reuse reuse;
	struct hd_meta_idempotence idempotence;
	struct hd_meta_interval intervals[2];
	struct hd_meta_switch point;
	struct hd_meta_pattern pattern;
	uint32_t pcs[2][MOST];
	uint8_t tags[MOST], exact[4 * MOST], dead[MOST];
	struct hd_inst code[MOST];
	uint32_t count;
};

static void rig_new(struct rig *rig, const struct hd_inst *code, uint32_t count)
{
	*rig = (struct rig){.lab = lab_new(), .count = count};
	memcpy(rig->code, code, count * sizeof(*code));
	rig->meta = (struct hd_meta_function){.name = "kernel",
					      .kernel = true,
					      .own_registers = LAB_REGISTERS,
					      .instructions = count};
}

static void rig_run(struct rig *rig, const char *words)
{
	struct lab *lab = rig->lab;
	lab_function(lab, "kernel", rig->code, rig->count);
	lab->module.object.metadata = (struct hd_metadata){.functions = &rig->meta, .function_count = 1};
	lab_verify(lab);
	ck_assert_int_eq(lab_start(lab, 32), 0);
	int status = lab_run(lab, 100);
	ck_assert_msg(status == (*words ? HD_SIM_VERIFY : 0), "status %d, %s", status, lab->gpu.error_text);
	ck_assert_msg(strstr(lab->gpu.error_text, words) != NULL, "%s", lab->gpu.error_text);
	lab_free(lab);
}

/* ---- intervals */

/* Two intervals: before the loop, and the loop with what follows. */
static void intervals_new(struct rig *rig)
{
	const struct hd_inst code[] = {ADD(2, 1),	 ADD(2, 1), ADD(2, 1), lab_isetp(0, HD_CMP_LT, 2, 6),
				       lab_bra(0, 2, 5), EXIT};
	rig_new(rig, code, 6);
	for (uint32_t i = 0; i < 6; i++)
		rig->pcs[i >= 2][i >= 2 ? i - 2 : i] = i * HD_INST_BYTES;
	rig->intervals[0] =
		(struct hd_meta_interval){.pcs = rig->pcs[0], .pc_count = 2, .working_set = {4}, .live_in = {4}};
	rig->intervals[1] = (struct hd_meta_interval){
		.id = 1, .entry_pc = 0x20, .pcs = rig->pcs[1], .pc_count = 4, .working_set = {4}, .live_in = {4}};
	rig->meta.intervals = rig->intervals;
	rig->meta.interval_count = 2;
}

START_TEST(intervals_are_entered_at_their_entry)
{
	struct rig rig;
	intervals_new(&rig);
	rig_run(&rig, "");
	intervals_new(&rig);
	rig.intervals[1].entry_pc = 0x30;
	rig_run(&rig, "kernel+0x20, block (0,0,0), thread (0,0,0): control enters interval 1 of kernel at pc 0x20, its "
		      "entry is 0x30");
	intervals_new(&rig);
	rig.intervals[0].entry_pc = 0x10;
	rig_run(&rig, "control enters interval 0 of kernel at pc 0x0");
	intervals_new(&rig);
	rig.code[4] = lab_bra(0, 1, 5); /* back into the middle of the first */
	rig_run(&rig, "control enters interval 0 of kernel at pc 0x10");
}
END_TEST

START_TEST(intervals_bring_what_is_read)
{
	static const char words[] = "R2 is read, but where its interval is entered it is not in live_in";
	struct rig rig;
	intervals_new(&rig);
	rig.intervals[1].live_in[0] = 0;
	rig_run(&rig, words);
	intervals_new(&rig);
	rig.meta.strands = rig.intervals;
	rig.meta.strand_count = 2;
	rig.meta.interval_count = 0;
	rig.intervals[1].live_in[0] = 0;
	rig_run(&rig, words);
	intervals_new(&rig);
	rig.code[0] = lab_imm(HD_OP_MOV, 2, HD_RZ, 1); /* written first, space is enough */
	rig.intervals[0].live_in[0] = 0;
	rig_run(&rig, "");
}
END_TEST

START_TEST(strands_are_entered_at_their_entry)
{
	struct rig rig;
	intervals_new(&rig);
	rig.meta.strands = rig.intervals;
	rig.meta.strand_count = 2;
	rig.meta.interval_count = 0;
	rig_run(&rig, "");
	intervals_new(&rig);
	rig.meta.strands = rig.intervals;
	rig.meta.strand_count = 2;
	rig.meta.interval_count = 0;
	rig.intervals[1].entry_pc = 0x30;
	rig_run(&rig, "control enters strand 1 of kernel at pc 0x20");
}
END_TEST

/* ---- reuse distances */

/* R2 is written at 0, read at 2 and for the last time at 3. */
static void reuse_new(struct rig *rig)
{
	struct hd_inst copy = lab_imm(HD_OP_IADD3, 3, 2, 1);
	const struct hd_inst code[] = {lab_s2r(2, HD_SR_LANEID), ADD(4, 1), copy, copy, EXIT};
	rig_new(rig, code, 5);
	rig->reuse = (struct hd_meta_reuse){.tags = rig->tags, .exact = rig->exact, .tag_count = 5};
	rig->meta.reuse = &rig->reuse;
	rig->exact[4 * 0 + HD_SLOT_DST] = 2;
	rig->exact[4 * 2 + HD_SLOT_A] = 1;
	rig->exact[4 * 3 + HD_SLOT_A] = HD_REUSE_NEVER;
	rig->exact[4 * 3 + HD_SLOT_DST] = HD_REUSE_NEVER;
}

static void reuse_case(uint32_t inst, enum hd_slot slot, uint8_t claim, const char *words)
{
	struct rig rig;
	reuse_new(&rig);
	rig.exact[4 * inst + slot] = claim;
	rig_run(&rig, words);
}

START_TEST(reuse_distances)
{
	reuse_case(0, HD_SLOT_DST, 2, "");
	reuse_case(0, HD_SLOT_DST, HD_REUSE_NO_CLAIM, "");
	reuse_case(0, HD_SLOT_DST, 1,
		   "kernel+0x20, block (0,0,0), thread (0,0,0): R2 is read 1 instructions later than");
	reuse_case(0, HD_SLOT_DST, 4, "R2 is read 2 instructions earlier than");
	reuse_case(2, HD_SLOT_A, HD_REUSE_NEVER,
		   "kernel+0x30, block (0,0,0), thread (0,0,0): R2 is read after it was "
		   "tagged as not read again");
	reuse_case(0, HD_SLOT_DST, HD_REUSE_NEVER,
		   "kernel+0x20, block (0,0,0), thread (0,0,0): R2 is read after it was");
	reuse_case(2, HD_SLOT_DST, 2, "R3 is written before the read that its reuse distance promises");
}
END_TEST

/* Of a pair either half will do, and a guarded write does not end it. */
START_TEST(reuse_of_pairs)
{
	struct rig rig;
	struct hd_inst add = lab_op(HD_OP_DADD);
	add.dst = 6, add.a = 2, add.b = 4;
	reuse_new(&rig);
	rig.code[0] = add;
	rig.code[1] = lab_guarded(0, ADD(4, 1));
	rig.code[2] = lab_imm(HD_OP_IADD3, 3, 7, 1);
	rig.code[3] = lab_imm(HD_OP_IADD3, 3, 5, 1);
	memset(rig.exact, 0, sizeof(rig.exact));
	rig.exact[HD_SLOT_DST] = 2;
	rig.exact[HD_SLOT_B] = 1;
	rig_run(&rig, "");
	reuse_new(&rig);
	rig.code[0] = add;
	rig.code[2] = lab_imm(HD_OP_IADD3, 3, 7, 1);
	memset(rig.exact, 0, sizeof(rig.exact));
	rig.exact[HD_SLOT_DST] = 3;
	rig_run(&rig, "R7 is read 1 instructions earlier");
}
END_TEST

/* ---- dead operands of the warp */

/* Lane 0 reads R20 alone, for the last time; the others read it where they meet. */
static void dead_case(uint8_t dead, uint8_t reads, const char *words)
{
	struct rig rig;
	const struct hd_inst code[] = {lab_s2r(16, HD_SR_LANEID),
				       lab_isetp(0, HD_CMP_EQ, 16, 0),
				       lab_bra(0, 4, 6),
				       lab_bra(HD_PT, 5, HD_NO_PC),
				       lab_imm(HD_OP_IADD3, 17, 20, 1),
				       lab_guarded(HD_PRED_NOT | 0, lab_imm(HD_OP_IADD3, 17, reads, 1)),
				       EXIT};
	rig_new(&rig, code, 7);
	rig.dead[4] = dead;
	rig.meta.dead_operands = rig.dead;
	rig.meta.dead_operand_count = 7;
	rig_run(&rig, words);
}

START_TEST(dead_operands_are_dead_in_the_warp)
{
	dead_case(0, 20, "");
	dead_case(1, 21, "");
	dead_case(1, 20, "kernel+0x50, block (0,0,0), thread (1,0,0): R20 is read after it was tagged");
}
END_TEST

/* A register that the prologue has saved is the function's own: what its caller was done with may be read undefined. */
static void saved_case(enum hd_role role, const char *words)
{
	struct rig rig;
	struct hd_inst save = lab_op(HD_OP_STL);
	save.a = HD_RZ, save.c = 20, save.xkind = HD_X_OTHER, save.mods = HD_MOD(SIZE, HD_SIZE_32);
	save.role = role;
	const struct hd_inst code[] = {lab_imm(HD_OP_IADD3, 17, 20, 1), save, lab_imm(HD_OP_IADD3, 17, 20, 1), EXIT};
	rig_new(&rig, code, 4);
	rig.meta.pushed_registers = 1;
	rig.meta.stack_bytes = 16;
	rig.dead[0] = 1;
	rig.meta.dead_operands = rig.dead;
	rig.meta.dead_operand_count = 4;
	rig_run(&rig, words);
}

START_TEST(saved_registers_are_the_functions_own)
{
	saved_case(HD_ROLE_CALLEE_SAVE, "");
	saved_case(HD_ROLE_PLAIN, "kernel+0x10, block (0,0,0), thread (0,0,0): R20 is read after it was tagged");
}
END_TEST

/* ---- idempotence */

/* Loads R6 from the pair R2, at once stored to that of R4: the store is a switch point, where all of these are kept. */
static void memory_new(struct rig *rig, enum hd_op op)
{
	struct hd_inst load = lab_op(HD_OP_LDG), store = lab_op(op);
	load.mods = store.mods = HD_MOD(SIZE, HD_SIZE_32);
	load.dst = 6, load.a = 2, store.a = 4, store.c = 6;
	load.xkind = store.xkind = HD_X_OTHER;
	if (op == HD_OP_ATOMG) {
		store.c = HD_RZ, store.b = 6, store.dst = HD_RZ;
		store.mods |= HD_MOD(ATOMOP, HD_ATOM_ADD);
	}
	const struct hd_inst code[] = {load, store, EXIT};
	rig_new(rig, code, 3);
	rig->point = (struct hd_meta_switch){.pc = 0x10,
					     .live = {.regs = {0x70}},
					     .live_divergent = {.regs = {0x70}},
					     .loading = {.regs = {0x40}}};
	rig->meta.switch_count = 1;
}

static void memory_run(struct rig *rig, int64_t to, const char *words)
{
	uint64_t address;
	struct lab *lab = rig->lab;
	rig->meta.switches = &rig->point;
	rig->point.patterns = &rig->pattern;
	lab_function(lab, "kernel", rig->code, rig->count);
	lab->module.object.metadata = (struct hd_metadata){.functions = &rig->meta, .function_count = 1};
	lab_verify(lab);
	ck_assert_int_eq(lab_start(lab, 32), 0);
	ck_assert_int_eq(hd_devmem_alloc(lab->gpu.devmem, 65536, 256, &address), 0);
	lab_set(lab, 2, address + 8192);
	lab_set(lab, 4, address + 8192 + (uint64_t)to);
	int status = lab_run(lab, 100);
	ck_assert_msg(status == (*words ? HD_SIM_VERIFY : 0), "status %d, %s", status, lab->gpu.error_text);
	ck_assert_msg(strstr(lab->gpu.error_text, words) != NULL, "%s", lab->gpu.error_text);
	lab_free(lab);
}

static void memory_case(enum hd_op op, int64_t to, enum hd_idempotence_break why, const char *words)
{
	struct rig rig;
	memory_new(&rig, op);
	rig.idempotence.why = why;
	rig.meta.idempotence = &rig.idempotence;
	memory_run(&rig, to, words);
}

START_TEST(idempotence)
{
	memory_case(HD_OP_STG, 4, HD_BREAK_NONE, "");
	memory_case(HD_OP_STG, -4096, HD_BREAK_NONE, "");
	memory_case(HD_OP_STG, 32768, HD_BREAK_NONE, "");
	memory_case(HD_OP_STG, 0, HD_BREAK_NONE, "kernel+0x10, block (0,0,0), thread (0,0,0): the word at 0x");
	memory_case(HD_OP_STG, 0, HD_BREAK_STORE, "");
	memory_case(HD_OP_ATOMG, 4, HD_BREAK_NONE, "an atomic operation on global memory");
	memory_case(HD_OP_ATOMG, 4, HD_BREAK_ATOMIC, "");
}
END_TEST

/* ---- switch points */

START_TEST(switch_points)
{
	struct rig rig;
	memory_new(&rig, HD_OP_STG);
	memory_run(&rig, 4, "");
	memory_new(&rig, HD_OP_STG);
	rig.meta.switch_count = 0;
	memory_run(&rig, 4,
		   "kernel+0x10, block (0,0,0), thread (0,0,0): R6, which a load brought, is first needed where no "
		   "switch point is");
	memory_new(&rig, HD_OP_STG);
	rig.point.loading.regs[0] = 0;
	memory_run(&rig, 4, "R6 is loading at a switch point that does not say so");
	memory_new(&rig, HD_OP_STG);
	rig.point.live.regs[0] = 0x40;
	memory_run(&rig, 4, "R4 is read, but a switch point before this would not have kept it");
	memory_new(&rig, HD_OP_STG);
	rig.code[1].guard = 1 | HD_PRED_NOT;
	memory_run(&rig, 4, "P1 is read, but a switch point before this would not have kept it");
}
END_TEST

/* All threads have one address in R4. */
START_TEST(patterns_of_switch_points)
{
	struct rig rig;
	memory_new(&rig, HD_OP_STG);
	rig.point.pattern_count = 1;
	rig.pattern = (struct hd_meta_pattern){.reg = 4};
	memory_run(&rig, 4, "");
	memory_new(&rig, HD_OP_STG);
	rig.point.pattern_count = 1;
	rig.pattern = (struct hd_meta_pattern){.reg = 4, .strided = true};
	memory_run(&rig, 4, "");
	memory_new(&rig, HD_OP_STG);
	rig.point.pattern_count = 1;
	rig.pattern = (struct hd_meta_pattern){.reg = 4, .strided = true, .stride_known = true, .stride = 4};
	memory_run(&rig, 4, "does not follow its pattern at a switch point");
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("verify", (const TTest *const[]){
					     intervals_are_entered_at_their_entry,
					     intervals_bring_what_is_read,
					     strands_are_entered_at_their_entry,
					     reuse_distances,
					     reuse_of_pairs,
					     dead_operands_are_dead_in_the_warp,
					     saved_registers_are_the_functions_own,
					     idempotence,
					     switch_points,
					     patterns_of_switch_points,
					     NULL,
				     });
}
