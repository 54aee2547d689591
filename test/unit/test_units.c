/* Execution units: which instructions share one, and how many a cycle they take. */
#include <jansson.h>
#include <string.h>

#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/watch/blame.h"
#include "simbench.h"

static uint64_t imad_pipe, units;

/* Independent instructions, `even` and `odd` in turn, on units that take one every other cycle. */
static void mixture(struct simbench *bench, uint32_t length, enum hd_op even, enum hd_op odd)
{
	bench->config.imad_pipe = imad_pipe;
	bench->config.units_fp32 = units;
	bench->config.ii_int = bench->config.ii_fp32 = 2;
	for (uint32_t i = 0; i < length; i++) {
		struct hd_inst *inst = simbench_emit(bench, i % 2 ? odd : even);
		inst->dst = (uint8_t)(8 + i % 8);
		inst->a = inst->b = inst->c = HD_RZ;
	}
}

static void multiplies(struct simbench *bench, uint32_t length)
{
	mixture(bench, length, HD_OP_IMAD, HD_OP_IMAD);
}

static void multiplies_and_sums(struct simbench *bench, uint32_t length)
{
	mixture(bench, length, HD_OP_IMAD, HD_OP_IADD3);
}

static void multiplies_and_floats(struct simbench *bench, uint32_t length)
{
	mixture(bench, length, HD_OP_IMAD, HD_OP_FADD);
}

static void floats(struct simbench *bench, uint32_t length)
{
	mixture(bench, length, HD_OP_FADD, HD_OP_FMUL);
}

/* Cycles of twenty more instructions. */
static uint64_t twenty(void (*build)(struct simbench *, uint32_t), uint64_t pipe, uint64_t fp32_units)
{
	imad_pipe = pipe;
	units = fp32_units;
	return simbench_measure(build, 60, 32).counters.cycles - simbench_measure(build, 40, 32).counters.cycles;
}

START_TEST(integers_are_multiplied_where_the_gpu_says)
{
	ck_assert_uint_eq(twenty(multiplies, HD_IMAD_INT, 1), 40);
	ck_assert_uint_eq(twenty(multiplies_and_sums, HD_IMAD_INT, 1), 40);
	ck_assert_uint_eq(twenty(multiplies_and_floats, HD_IMAD_INT, 1), 20);
	ck_assert_uint_eq(twenty(multiplies, HD_IMAD_FP32, 1), 40);
	ck_assert_uint_eq(twenty(multiplies_and_sums, HD_IMAD_FP32, 1), 20);
	ck_assert_uint_eq(twenty(multiplies_and_floats, HD_IMAD_FP32, 1), 40);
}
END_TEST

/* GA10x: two units of single precision a scheduler, of which one multiplies integers. */
START_TEST(one_unit_of_two_multiplies_integers)
{
	ck_assert_uint_eq(twenty(floats, HD_IMAD_FP32, 1), 40);
	ck_assert_uint_eq(twenty(floats, HD_IMAD_FP32, 2), 20);
	ck_assert_uint_eq(twenty(multiplies, HD_IMAD_FP32, 2), 40);
	ck_assert_uint_eq(twenty(multiplies_and_floats, HD_IMAD_FP32, 2), 20);
}
END_TEST

static bool dual, dependent;

static void floats_and(struct simbench *bench, uint32_t length, enum hd_op beside)
{
	bench->config.dual_issue = dual;
	bench->config.lat_rcp = 4; /* of MUFU without modifiers */
	for (uint32_t i = 0; i < length; i++) {
		struct hd_inst *inst = simbench_emit(bench, i % 2 ? beside : HD_OP_FADD);
		inst->dst = (uint8_t)(4 + i % 12);
		inst->a = HD_RZ;
		inst->b = dependent && i % 2 ? (uint8_t)(inst->dst - 1) : HD_RZ;
		inst->c = HD_RZ;
	}
}

static void floats_and_functions(struct simbench *bench, uint32_t length)
{
	floats_and(bench, length, HD_OP_MUFU);
}

static void floats_and_sums(struct simbench *bench, uint32_t length)
{
	floats_and(bench, length, HD_OP_IADD3);
}

static struct hd_stats issued(void (*build)(struct simbench *, uint32_t), bool dual_issue, bool depend,
			      uint64_t *cycles)
{
	dual = dual_issue;
	dependent = depend;
	struct hd_stats more = simbench_measure(build, 60, 32), less = simbench_measure(build, 36, 32);
	*cycles = more.counters.cycles - less.counters.cycles;
	hd_stats_subtract(&more, &less);
	return more;
}

/* Two instructions a slot, of one warp: arithmetic and what is beside it, when neither waits for the other. The engine
 * asserts that slots add up. */
START_TEST(unlike_instructions_share_a_slot)
{
	uint64_t cycles;
	ck_assert_uint_eq(issued(floats_and_functions, false, false, &cycles).counters.dual_issued, 0);
	ck_assert_uint_eq(cycles, 24);
	struct hd_stats stats = issued(floats_and_functions, true, false, &cycles);
	ck_assert_uint_eq(stats.counters.dual_issued, 12);
	ck_assert_uint_eq(stats.counters.warp_instructions, 24);
	ck_assert_uint_eq(stats.stalls[HD_STALL_issued], 12);
	ck_assert_uint_eq(cycles, 12);
	ck_assert_uint_eq(issued(floats_and_sums, true, false, &cycles).counters.dual_issued, 0);
	ck_assert_uint_eq(cycles, 24);
	/* A function of the sum before it goes with the next sum, four cycles later. */
	ck_assert_uint_eq(issued(floats_and_functions, true, true, &cycles).counters.dual_issued, 12);
	ck_assert_uint_eq(cycles, 12 * 4);
}
END_TEST

/* What energy and counters say does not move with the unit. */
START_TEST(multiplies_are_counted_as_integers)
{
	imad_pipe = HD_IMAD_FP32;
	units = 1;
	struct hd_stats stats = simbench_measure(multiplies, 40, 32);
	ck_assert_uint_eq(stats.counters.int_instructions, 40);
	ck_assert_uint_eq(stats.counters.fp32_instructions, 0);
}
END_TEST

static uint64_t cycles_of(enum hd_op op, unsigned function)
{
	uint64_t cycles[2];
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.config.lat_sfu = 30;
		bench.config.lat_ex2 = 31;
		bench.config.lat_rcp = 32;
		bench.config.lat_rsq = 33;
		bench.config.lat_imad_hi = 9;
		for (uint32_t k = 0; k < 10 + 10 * i; k++) {
			struct hd_inst *inst = simbench_emit(&bench, op);
			inst->dst = inst->b = 8;
			if (op == HD_OP_MUFU)
				inst->mods = HD_MOD(MUFUFN, function);
		}
		ck_assert_int_eq(simbench_start(&bench), 0);
		ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
		cycles[i] = simbench_stats(&bench)->counters.cycles;
		simbench_release(&bench);
	}
	return (cycles[1] - cycles[0]) / 10;
}

START_TEST(special_functions_have_their_own_latencies)
{
	ck_assert_uint_eq(cycles_of(HD_OP_MUFU, HD_MUFU_EX2), 31);
	ck_assert_uint_eq(cycles_of(HD_OP_MUFU, HD_MUFU_RCP), 32);
	ck_assert_uint_eq(cycles_of(HD_OP_MUFU, HD_MUFU_RSQ), 33);
	ck_assert_uint_eq(cycles_of(HD_OP_MUFU, HD_MUFU_SQRT), 33);
	ck_assert_uint_eq(cycles_of(HD_OP_MUFU, HD_MUFU_LG2), 30);
	ck_assert_uint_eq(cycles_of(HD_OP_POPC, 0), 30);
	ck_assert_uint_eq(cycles_of(HD_OP_IMAD_HI, 0), 9);
}
END_TEST

/* Issue slots that are said to be those of instructions that begin so. */
static uint64_t slots_of(const json_t *blame, const char *name)
{
	uint64_t slots = 0;
	size_t i;
	const json_t *each;
	json_array_foreach(json_object_get(blame, "instructions"), i,
			   each) if (!strncmp(json_string_value(json_object_get(each, "text")), name, strlen(name)))
		slots += (uint64_t)json_integer_value(json_object_get(json_object_get(each, "stalls"), "issued"));
	return slots;
}

/* A slot of two instructions is said to be the first one's. */
START_TEST(a_shared_slot_is_the_first_ones)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.blame = dual = true;
	dependent = false;
	floats_and_functions(&bench, 24);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
	json_t *blame = hd_blame_json(&bench.sim->gpu);
	uint64_t shared = simbench_stats(&bench)->counters.dual_issued;
	ck_assert_uint_ge(shared, 10); /* of 12; what has still to be fetched goes alone */
	ck_assert_uint_eq(slots_of(blame, "FADD"), 12);
	ck_assert_uint_eq(slots_of(blame, "MUFU"), 12 - shared);
	json_decref(blame);
	simbench_release(&bench);
}
END_TEST

/* A launch behind another one takes longer, and says so; the first of a row does not. */
static uint64_t launching(bool in_a_row, uint64_t *cycles)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.launch_latency = 100;
	bench.config.launch_overhead = 1000;
	simbench_mov(&bench, 8, 0);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_launch launch = {.kernel = bench.kernel,
				   .grid = {1, 1, 1},
				   .block = {32, 1, 1},
				   .in_a_row = in_a_row};
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
	*cycles = simbench_stats(&bench)->counters.cycles;
	uint64_t launch_cycles = simbench_stats(&bench)->counters.launch_cycles;
	simbench_release(&bench);
	return launch_cycles;
}

START_TEST(a_launch_in_a_row_has_its_overhead)
{
	uint64_t alone, behind;
	ck_assert_uint_eq(launching(false, &alone), 100);
	ck_assert_uint_eq(launching(true, &behind), 1100);
	ck_assert_uint_eq(behind - alone, 1000);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("units", (const TTest *const[]){
					    integers_are_multiplied_where_the_gpu_says,
					    one_unit_of_two_multiplies_integers,
					    unlike_instructions_share_a_slot,
					    a_shared_slot_is_the_first_ones,
					    multiplies_are_counted_as_integers,
					    special_functions_have_their_own_latencies,
					    a_launch_in_a_row_has_its_overhead,
					    NULL,
				    });
}
