/* Results that some readers have later than others: between arithmetic pipelines, and predicates as guards. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "simbench.h"

static uint64_t cross, cross_half, guard;

static void begin(struct simbench *bench)
{
	bench->config.lat_cross = cross;
	bench->config.lat_cross_half = cross_half;
	bench->config.lat_guard = guard;
}

/* Each reads what the one before has written. */
static void chain(struct simbench *bench, uint32_t length, enum hd_op even, enum hd_op odd)
{
	begin(bench);
	for (uint32_t i = 0; i < length; i++) {
		struct hd_inst *inst = simbench_emit(bench, i % 2 ? odd : even);
		inst->dst = inst->a = inst->b = 8;
		inst->c = inst->op == HD_OP_IMAD ? 8 : HD_RZ;
	}
}

static void alternating(struct simbench *bench, uint32_t length)
{
	chain(bench, length, HD_OP_IADD3, HD_OP_FADD);
}

static void multiply_adds(struct simbench *bench, uint32_t length)
{
	chain(bench, length, HD_OP_IMAD, HD_OP_FADD);
}

static void additions(struct simbench *bench, uint32_t length)
{
	chain(bench, length, HD_OP_IADD3, HD_OP_IADD3);
}

/* FADD writes what nobody reads; additions follow each other. */
static void beside(struct simbench *bench, uint32_t length)
{
	begin(bench);
	for (uint32_t i = 0; i < length; i++) {
		struct hd_inst *inst = simbench_emit(bench, i % 2 ? HD_OP_FADD : HD_OP_IADD3);
		inst->dst = i % 2 ? 12 : 8;
		inst->a = 8;
		inst->b = inst->c = HD_RZ;
	}
}

static uint64_t cycles(void (*build)(struct simbench *, uint32_t), uint32_t length, uint64_t across, uint64_t guarding)
{
	cross = across;
	guard = guarding;
	return simbench_measure(build, length, 32).counters.cycles;
}

static uint64_t more(void (*build)(struct simbench *, uint32_t), uint64_t across, uint64_t guarding)
{
	uint64_t with = cycles(build, 40, across, guarding) - cycles(build, 20, across, guarding);
	return with - (cycles(build, 40, 0, 0) - cycles(build, 20, 0, 0));
}

START_TEST(results_cross_between_pipelines_later)
{
	ck_assert_uint_eq(more(alternating, 1, 0), 20);
	ck_assert_uint_eq(more(alternating, 3, 0), 3 * 20);
	ck_assert_uint_eq(more(additions, 1, 0), 0);
	ck_assert_uint_eq(more(multiply_adds, 1, 0), 0); /* of integers and of floats, in one pipeline */
	ck_assert_uint_eq(more(beside, 1, 0), 10); /* FADD reads each sum, and the next sum does not wait for FADD */
}
END_TEST

/* HADD2 and FADD read each other's results; HADD2 alone, its own. */
static void half_and_single(struct simbench *bench, uint32_t length)
{
	chain(bench, length, HD_OP_HADD2, HD_OP_FADD);
}

static void half_and_integer(struct simbench *bench, uint32_t length)
{
	chain(bench, length, HD_OP_HADD2, HD_OP_IADD3);
}

static void halves(struct simbench *bench, uint32_t length)
{
	chain(bench, length, HD_OP_HADD2, HD_OP_HADD2);
}

/* Results of half precision cross later than others, whichever way. */
START_TEST(half_precision_crosses_later)
{
	uint64_t single = cycles(half_and_single, 40, 0, 0), integer = cycles(half_and_integer, 40, 0, 0);
	uint64_t alone = cycles(halves, 40, 0, 0), others = cycles(alternating, 40, 1, 0);
	cross_half = 3;
	/* 40 instructions, of which all but the first read what the one before has written. */
	ck_assert_uint_eq(cycles(half_and_single, 40, 0, 0) - single, 39 * 3);
	ck_assert_uint_eq(cycles(half_and_integer, 40, 1, 0) - integer, 39 * 3);
	ck_assert_uint_eq(cycles(halves, 40, 0, 0), alone);
	ck_assert_uint_eq(cycles(alternating, 40, 1, 0), others);
	cross_half = 0;
}
END_TEST

/* ISETP reads what a guarded move has written, or a selection by the same predicate as data. */
static void predicates(struct simbench *bench, uint32_t length, bool guards)
{
	begin(bench);
	for (uint32_t i = 0; i < length / 2; i++) {
		struct hd_inst *inst = simbench_emit(bench, HD_OP_ISETP);
		inst->pdst = 0;
		inst->a = inst->b = 8;
		inst->mods = HD_MOD(CMP, HD_CMP_EQ);
		inst = simbench_emit(bench, guards ? HD_OP_MOV : HD_OP_SEL);
		inst->dst = inst->a = inst->b = 8;
		if (guards)
			inst->guard = 0;
		else
			inst->psrc = 0;
		if (guards)
			inst->a = HD_RZ;
	}
}

static void guarded(struct simbench *bench, uint32_t length)
{
	predicates(bench, length, true);
}

static void selected(struct simbench *bench, uint32_t length)
{
	predicates(bench, length, false);
}

START_TEST(predicates_guard_later_than_they_are_read)
{
	ck_assert_uint_eq(more(guarded, 0, 8), 10 * 8);
	ck_assert_uint_eq(more(selected, 0, 8), 0);
	ck_assert_uint_eq(more(guarded, 1, 0), 0);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("forward", (const TTest *const[]){
					      results_cross_between_pipelines_later,
					      half_precision_crosses_later,
					      predicates_guard_later_than_they_are_read,
					      NULL,
				      });
}
