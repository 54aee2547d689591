/* Runs without time: they count what a run with time counts, blocks that wait for others get their turns, and what is
 * about time is refused. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/gpu/functional.h"
#include "simbench.h"

static struct hd_inst *access_memory(struct simbench *bench, enum hd_op op, uint8_t data)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	*(hd_opinfo[op].effects & HD_FX_STORE ? &inst->c : &inst->dst) = data;
	inst->a = 4, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	return inst;
}

static void branch(struct simbench *bench, uint8_t guard, uint32_t target, uint32_t reconv)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_BRA);
	inst->guard = guard, inst->xkind = HD_X_OTHER, inst->x = target, inst->reconv = reconv;
}

static void compare(struct simbench *bench, uint8_t reg, uint32_t with, uint32_t how)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_ISETP);
	inst->pdst = 0, inst->a = reg, inst->xkind = HD_X_IMM_B, inst->x = with, inst->mods = HD_MOD(CMP, how);
}

static int launch(struct simbench *bench, uint32_t blocks, uint32_t threads, uint32_t *word)
{
	uint64_t address;
	ck_assert_int_eq(hd_sim_malloc(bench->sim, 4096, &address), 0);
	ck_assert_int_eq(hd_sim_write(bench->sim, address, word, sizeof *word), 0);
	struct hd_launch launch = simbench_launch(bench, blocks, threads, &address);
	int error = hd_sim_launch(bench->sim, &launch);
	ck_assert_int_eq(hd_sim_read(bench->sim, address, word, sizeof *word), 0);
	return error;
}

/* Half of the warp's lanes go one way; a function saves registers; loads, shared memory, doubles, a barrier. */
static void build(struct simbench *bench)
{
	simbench_init(bench);
	bench->config.sm_count = 2;
	bench->config.max_ctas = 3;
	simbench_stack(bench);
	simbench_param(bench, 4);
	simbench_s2r(bench, 8, HD_SR_LANEID);
	compare(bench, 8, 16, HD_CMP_LT);
	branch(bench, 0, bench->code.len + 3, bench->code.len + 3);
	simbench_ffma(bench, 9, 8, 8, 8);
	simbench_ffma(bench, 9, 8, 8, 8);
	access_memory(bench, HD_OP_LDG, 10);
	simbench_call(bench, "saves");
	simbench_emit(bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	struct hd_inst *inst = access_memory(bench, HD_OP_STS, 8);
	inst->a = HD_RZ;
	inst = simbench_emit(bench, HD_OP_DADD);
	inst->dst = 12, inst->a = 4, inst->b = 4;
	inst = simbench_emit(bench, HD_OP_MUFU);
	inst->dst = 9, inst->b = 8;
	bench->meta.shared_bytes = 64;
	bench->meta.max_stack_bytes = 64;
	bench->meta.call_depth = 1;
	simbench_function(bench, "saves");
	simbench_prologue(bench, 3);
	simbench_mov(bench, 16, 1);
	for (uint32_t load = 0; load < 2; load++) { /* of a register that was spilled */
		inst = access_memory(bench, load ? HD_OP_LDL : HD_OP_STL, 16);
		inst->a = 1;
		inst->role = load ? HD_ROLE_SPILL_LOAD : HD_ROLE_SPILL_STORE;
	}
	simbench_epilogue(bench, 3);
	simbench_emit(bench, HD_OP_RET);
}

START_TEST(counts_are_those_of_a_run_with_time)
{
	struct hd_counters counters[2];
	for (uint32_t functional = 0; functional < 2; functional++) {
		struct simbench bench;
		uint32_t word = 1;
		build(&bench);
		bench.options.functional = functional;
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		int error = launch(&bench, 20, 80, &word);
		ck_assert_msg(!error, "%s", hd_sim_error_text(bench.sim));
		counters[functional] = simbench_stats(&bench)->counters;
		simbench_release(&bench);
	}
	/* 20 blocks of 3 warps: two FFMAs of who has lanes from 16 on, 3 registers saved and restored, a spill each
	 * way, 80 threads. */
	ck_assert_uint_eq(counters[1].ctas, 20);
	ck_assert_uint_eq(counters[1].warps, 60);
	ck_assert_uint_eq(counters[1].fp32_instructions, 80); /* the third warp has one half alone */
	ck_assert_uint_eq(counters[1].fp64_instructions, 60);
	ck_assert_uint_eq(counters[1].sfu_instructions, 60);
	ck_assert_uint_eq(counters[1].callee_saves, 180);
	ck_assert_uint_eq(counters[1].callee_restores, 180);
	ck_assert_uint_eq(counters[1].spill_stores, 60);
	ck_assert_uint_eq(counters[1].spill_loads, 60);
	ck_assert_uint_eq(counters[1].divergent_branches, 40);
	ck_assert_uint_eq(counters[1].cycles, 0);
	ck_assert_uint_eq(counters[1].global_instructions, 60);
	ck_assert_uint_eq(counters[1].shared_instructions, 60);
	ck_assert_uint_eq(counters[1].local_instructions, 60 * (3 + 3 + 2));
	/* With time these three are counted as accesses. */
	counters[0].global_instructions = 60, counters[0].shared_instructions = 60,
	counters[0].local_instructions = 480;
#define X(name)                                     \
	ck_assert_msg(counters[0].name == counters[1].name, #name ": %lu and %lu", counters[0].name, counters[1].name);
	HD_FUNCTIONAL_COUNTERS(X)
#undef X
}
END_TEST

START_TEST(blocks_that_wait_for_later_ones_go_on)
{
	for (uint32_t blocks = 1; blocks <= 25; blocks += 8) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.functional = true;
		bench.config.sm_count = bench.config.max_ctas = 5; /* the last time all places are taken */
		simbench_param(&bench, 4);
		simbench_s2r(&bench, 8, HD_SR_CTAID_X);
		compare(&bench, 8, blocks - 1, HD_CMP_NE);
		branch(&bench, 0, 8, 12);
		simbench_mov(&bench, 9, 7);
		access_memory(&bench, HD_OP_STG, 9);
		branch(&bench, HD_PT, 12, 12);
		access_memory(&bench, HD_OP_LDG, 9)->mods = HD_MOD(SIZE, HD_SIZE_32); /* 8 */
		compare(&bench, 9, 7, HD_CMP_NE);
		branch(&bench, 0, 8, 11);
		simbench_emit(&bench, HD_OP_NOP);
		ck_assert_uint_eq(bench.code.len, 12);
		uint32_t word = 0;
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		int error = launch(&bench, blocks, 64, &word);
		ck_assert_msg(!error, "%u blocks: %s", blocks, hd_sim_error_text(bench.sim));
		ck_assert_uint_eq(word, 7);
		simbench_release(&bench);
	}
}
END_TEST

START_TEST(what_is_about_time_is_refused)
{
	for (uint32_t which = 0; which < 7; which++) {
		struct simbench bench;
		simbench_init(&bench);
		simbench_chain(&bench, 2);
		bench.options.functional = true;
		bench.options.max_cycles = which == 1 ? 100000 : 0;
		bench.options.sample = which == 2 ? 10 : 0;
		bench.options.trace = which == 3 ? "issue" : which == 4 ? "" : NULL;
		bench.options.policy = which == 5 ? "cars" : which == 6 ? "r2d2-functional" : "baseline";
		int error = simbench_start(&bench);
		ck_assert_msg(!error == (which == 0 || which == 4 || which == 6), "%u: %s", which, bench.message);
		ck_assert(!error || strstr(bench.message, "--functional"));
		simbench_release(&bench);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("functional", (const TTest *const[]){
						 counts_are_those_of_a_run_with_time,
						 blocks_that_wait_for_later_ones_go_on,
						 what_is_about_time_is_refused,
						 NULL,
					 });
}
