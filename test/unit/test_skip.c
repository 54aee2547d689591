/* The designs that R2D2 is compared with: which warp instructions of a block they skip. */
#include <inttypes.h>

#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

enum { WARPS = 8, AFFINE = 10, UNIFORM = 5, OTHER = 20 };

static struct hd_inst *add_constant(struct simbench *bench, uint8_t to, uint8_t from, uint32_t constant)
{
	struct hd_inst *add = simbench_emit(bench, HD_OP_IADD3);
	add->dst = to;
	add->a = from;
	add->xkind = HD_X_IMM_B;
	add->x = constant;
	return add;
}

/* R8 = tid.x and nine sums of it, five constants, twenty products of floats that differ from thread to thread. */
static void build(struct simbench *bench)
{
	simbench_init(bench);
	bench->meta.registers = 40;
	struct hd_inst *index = simbench_emit(bench, HD_OP_S2R);
	index->dst = 8;
	index->mods = HD_MOD(SR, HD_SR_TID_X);
	for (uint32_t i = 1; i < AFFINE; i++)
		add_constant(bench, (uint8_t)(8 + i), (uint8_t)(7 + i), 5 * i);
	for (uint32_t i = 0; i < UNIFORM; i++)
		simbench_mov(bench, (uint8_t)(20 + i), i);
	for (uint32_t i = 0; i < OTHER; i++)
		simbench_ffma(bench, 30, 8, 8, 8);
}

static struct hd_counters run(struct simbench *bench, const char *policy, uint32_t blocks, uint32_t threads)
{
	bench->options.policy = policy;
	bench->options.verify = true;
	simbench_start(bench);
	int error = simbench_run(bench, blocks, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	struct hd_stats stats = *simbench_stats(bench);
	uint64_t slots = 0;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		slots += stats.stalls[i];
	ck_assert_uint_eq(slots, stats.counters.cycles * bench->config.schedulers);
	return stats.counters;
}

/* Warp instructions that are left of those of `blocks` blocks, EXITs apart. */
static uint64_t left(const char *policy, uint32_t blocks)
{
	struct simbench bench;
	build(&bench);
	struct hd_counters counters = run(&bench, policy, blocks, WARPS * HD_WARP_LANES);
	ck_assert_uint_eq(counters.warp_instructions + counters.elided,
			  (uint64_t)blocks * WARPS * (AFFINE + UNIFORM + OTHER + 1));
	simbench_release(&bench);
	return counters.warp_instructions - (uint64_t)blocks * WARPS;
}

/* By hand: of eight warps one does for what is affine, or the same, in the block. */
START_TEST(a_block_by_hand)
{
	ck_assert_uint_eq(left("baseline", 1), 280);
	ck_assert_uint_eq(left("dac", 1), AFFINE + UNIFORM + WARPS * OTHER);
	ck_assert_uint_eq(left("darsie", 1), UNIFORM + WARPS * (AFFINE + OTHER));
	ck_assert_uint_eq(left("darsie-scalar", 1), UNIFORM + WARPS * (AFFINE + OTHER));
	/* Not across blocks. */
	ck_assert_uint_eq(left("dac", 2), 2 * left("dac", 1));
	ck_assert_uint_eq(left("darsie", 2), 2 * left("darsie", 1));
}
END_TEST

static void multiply(struct simbench *bench, uint8_t to, uint8_t a, uint8_t b)
{
	struct hd_inst *product = simbench_emit(bench, HD_OP_IMAD);
	product->dst = to;
	product->a = a;
	product->b = b;
	product->c = HD_RZ;
}

/* R8 = tid.x, R9 = the warp's number, R10 = R9 + 1, R11 = R9 squared, R12 = R8 squared, R13 = R8 * R10, R14 = R9 / 2,
 * R15 = a word of shared memory. */
static uint64_t left_of_mixed(const char *policy)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.meta.registers = 40;
	bench.meta.shared_bytes = 64;
	struct hd_inst *index = simbench_emit(&bench, HD_OP_S2R);
	index->dst = 8;
	index->mods = HD_MOD(SR, HD_SR_TID_X);
	for (uint32_t half = 0; half < 2; half++) {
		struct hd_inst *shift = simbench_emit(&bench, HD_OP_SHR);
		shift->dst = half ? 14 : 9;
		shift->a = half ? 9 : 8;
		shift->xkind = HD_X_IMM_B;
		shift->x = half ? 1 : 5;
		if (!half) {
			add_constant(&bench, 10, 9, 1);
			multiply(&bench, 11, 9, 9);
			multiply(&bench, 12, 8, 8);
			multiply(&bench, 13, 8, 10);
		}
	}
	struct hd_inst *load = simbench_emit(&bench, HD_OP_LDS);
	load->mods = HD_MOD(SIZE, HD_SIZE_32);
	load->a = 20;
	load->dst = 15;
	load->xkind = HD_X_OTHER;
	struct hd_counters counters = run(&bench, policy, 1, WARPS * HD_WARP_LANES);
	simbench_release(&bench);
	return counters.warp_instructions - WARPS;
}

/* DAC does the index and R10 once; products of what varies, quotients and loads are each warp's. DARSIE does R14 for
 * pairs of warps no better, since their operands differ, but the load once. */
START_TEST(what_is_not_affine)
{
	ck_assert_uint_eq(left_of_mixed("baseline"), 8 * WARPS);
	ck_assert_uint_eq(left_of_mixed("dac"), 2 + 6 * WARPS);
	ck_assert_uint_eq(left_of_mixed("darsie"), 1 + 7 * WARPS);
}
END_TEST

/* Of one instruction on R8 = tid.x and R9 = ctaid.x, which DAC does once each, the warp instructions that are left. */
static uint64_t left_of_one(enum hd_op op, uint8_t a, uint8_t b, uint8_t c, bool immediate)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.meta.registers = 40;
	simbench_s2r(&bench, 8, HD_SR_TID_X);
	simbench_s2r(&bench, 9, HD_SR_CTAID_X);
	struct hd_inst *inst = simbench_emit(&bench, op);
	inst->dst = 10;
	inst->a = a;
	inst->b = b;
	inst->c = c;
	inst->xkind = immediate ? HD_X_IMM_B : HD_X_NONE;
	inst->x = immediate ? 3 : 0;
	if (op == HD_OP_LEA || op == HD_OP_LEA_HI)
		inst->mods = HD_MOD(SHAMT, 2);
	struct hd_counters counters = run(&bench, "dac", 1, WARPS * HD_WARP_LANES);
	simbench_release(&bench);
	return counters.warp_instructions - WARPS - 1 - 1;
}

/* Sums, products and shifts of affine values are affine, where one factor, or the amount, is the same in all threads.
 */
START_TEST(what_keeps_values_affine)
{
	enum { INDEX = 8, SAME = 9, CONSTANT = HD_RZ };
	static const struct {
		enum hd_op op;
		uint8_t a, b, c;
		bool immediate, once;
	} rows[] = {
		{HD_OP_MOV, HD_RZ, INDEX, HD_RZ, false, true},
		{HD_OP_IADD3, INDEX, INDEX, INDEX, false, true},
		{HD_OP_IADD3, INDEX, CONSTANT, HD_RZ, true, true},
		{HD_OP_IMAD, INDEX, CONSTANT, INDEX, true, true},
		{HD_OP_IMAD, INDEX, SAME, HD_RZ, false, true},
		{HD_OP_IMAD, SAME, INDEX, INDEX, false, true},
		{HD_OP_IMAD, INDEX, INDEX, HD_RZ, false, false},
		{HD_OP_IMAD_WIDE, INDEX, CONSTANT, HD_RZ, true, true},
		{HD_OP_IMAD_WIDE, SAME, INDEX, HD_RZ, false, true},
		{HD_OP_IMAD_WIDE, INDEX, INDEX, HD_RZ, false, false},
		{HD_OP_LEA, INDEX, INDEX, HD_RZ, false, true},
		{HD_OP_LEA_HI, INDEX, SAME, HD_RZ, false, true},
		{HD_OP_SHL, INDEX, CONSTANT, HD_RZ, true, true},
		{HD_OP_SHL, INDEX, SAME, HD_RZ, false, true},
		{HD_OP_SHL, SAME, INDEX, HD_RZ, false, false},
		{HD_OP_SHF_L, INDEX, SAME, HD_RZ, false, true},
		{HD_OP_SHF_L, SAME, INDEX, SAME, false, false},
		/* Not of the paper's table, unless all operands are the same everywhere. */
		{HD_OP_SHR, INDEX, CONSTANT, HD_RZ, true, false},
		{HD_OP_SHR, SAME, CONSTANT, HD_RZ, true, true},
		{HD_OP_FADD, INDEX, INDEX, HD_RZ, false, false},
		{HD_OP_FADD, SAME, SAME, HD_RZ, false, true},
	};
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t left = left_of_one(rows[i].op, rows[i].a, rows[i].b, rows[i].c, rows[i].immediate);
		ck_assert_msg(left == (rows[i].once ? 1 : WARPS), "row %u: %" PRIu64, i, left);
	}
}
END_TEST

/* ---- a block of 32 x 1 x 4 threads: the index in x is the same in all four warps, that in z is the warp's number */

enum { FLOORS = 4 };

static uint64_t left_of_floors(struct simbench *bench, const char *policy)
{
	uint64_t nothing = 0;
	bench->options.policy = policy;
	bench->options.verify = true;
	ck_assert_int_eq(simbench_start(bench), 0);
	struct hd_launch launch = simbench_launch(bench, 1, HD_WARP_LANES, &nothing);
	launch.block[2] = FLOORS;
	int error = hd_sim_launch(bench->sim, &launch);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	return simbench_stats(bench)->counters.warp_instructions - FLOORS; /* EXITs */
}

static void take_scalar(void *context, const char *key, double value, const char *unit)
{
	(void)unit;
	if (!strcmp(key, "scalar_instructions"))
		*(double *)context = value;
}

static void take_saved(void *context, const char *key, double value, const char *unit)
{
	(void)unit;
	if (!strcmp(key, "scalar_saves_joules"))
		*(double *)context = value;
}

/* DARSIE skips what another warp has read alike, and issues on one lane what is the same in all; DAC also skips what
 * goes on by a step from warp to warp. A warp's number in its block is in no register, so nothing is known of its step.
 */
START_TEST(special_registers)
{
	static const char *const policies[] = {"dac", "darsie", "darsie-scalar"};
	static const struct {
		enum hd_sr sr;
		uint64_t dac, darsie;
		bool scalar;
	} rows[] = {
		{HD_SR_TID_X, 1, 1, false},	      {HD_SR_TID_Y, 1, 1, true},
		{HD_SR_TID_Z, 1, FLOORS, true},	      {HD_SR_LANEID, 1, 1, false},
		{HD_SR_LANEMASK_EQ, 1, 1, false},     {HD_SR_LANEMASK_GE, 1, 1, false},
		{HD_SR_WARPID, FLOORS, FLOORS, true}, {HD_SR_CTAID_X, 1, 1, true},
	};
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (uint32_t policy = 0; policy < 3; policy++) {
			struct simbench bench;
			simbench_init(&bench);
			simbench_s2r(&bench, 8, rows[i].sr);
			uint64_t left = left_of_floors(&bench, policies[policy]);
			ck_assert_uint_eq(left, policy ? rows[i].darsie : rows[i].dac);
			double scalar = 0;
			const struct hd_policy_handle *self = &bench.sim->gpu.policies[0];
			self->policy->hooks->observation.report(self, &bench.sim->gpu, take_scalar, &scalar);
			ck_assert_double_eq(scalar, policy == 2 && rows[i].scalar ? left : 0);
			simbench_release(&bench);
		}
}
END_TEST

/* P0 = an index < a limit chooses. DAC does nothing once whose predicate differs among a warp's lanes, and neither
 * design anything for warps whose predicates differ. The comparison's result is no affine value: DAC does it once where
 * its operand is the same in all threads, which no index but that in y is. */
START_TEST(predicates)
{
	static const struct {
		enum hd_sr sr;
		uint32_t limit;
		uint64_t dac, darsie; /* S2R, ISETP and SEL */
	} rows[] = {
		{HD_SR_TID_X, 16, 1 + FLOORS + FLOORS, 1 + 1 + 1}, /* half of the lanes */
		{HD_SR_TID_X, 32, 1 + FLOORS + 1, 1 + 1 + 1},	   /* all */
		{HD_SR_TID_X, 0, 1 + FLOORS + 1, 1 + 1 + 1},	   /* none */
		{HD_SR_TID_Y, 1, 1 + 1 + 1, 1 + 1 + 1},
		{HD_SR_TID_Z, 2, 1 + FLOORS + 2, FLOORS + FLOORS + 2}, /* all of two warps, none of the others */
	};
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (uint32_t dac = 0; dac < 2; dac++) {
			struct simbench bench;
			simbench_init(&bench);
			simbench_s2r(&bench, 8, rows[i].sr);
			struct hd_inst *inst = simbench_emit(&bench, HD_OP_ISETP);
			inst->pdst = 0, inst->a = 8, inst->xkind = HD_X_IMM_B, inst->x = rows[i].limit;
			inst->mods = HD_MOD(CMP, HD_CMP_LT);
			inst = simbench_emit(&bench, HD_OP_SEL);
			inst->dst = 9, inst->psrc = 0, inst->xkind = HD_X_IMM_B, inst->x = 5;
			uint64_t left = left_of_floors(&bench, dac ? "dac" : "darsie");
			ck_assert_uint_eq(left, dac ? rows[i].dac : rows[i].darsie);
			simbench_release(&bench);
		}
}
END_TEST

/* What a guard leaves out is in no lane: true in the other lanes is true in all. */
START_TEST(guarded_choice)
{
	struct simbench bench;
	simbench_init(&bench);
	simbench_s2r(&bench, 8, HD_SR_TID_X);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_ISETP);
	inst->pdst = 0, inst->a = 8, inst->xkind = HD_X_IMM_B, inst->x = 16, inst->mods = HD_MOD(CMP, HD_CMP_LT);
	inst = simbench_emit(&bench, HD_OP_SEL);
	inst->guard = 0, inst->dst = 9, inst->psrc = HD_PT, inst->xkind = HD_X_IMM_B, inst->x = 5;
	ck_assert_uint_eq(left_of_floors(&bench, "dac"), 1 + FLOORS + 1);
	simbench_release(&bench);
}
END_TEST

/* The scalar path of the baseline that R2D2's paper has: of what reads no register, a sum of constants and what is
 * moved from the constant bank are computed once; what is loaded, in shared memory or in the bank, is not, nor what
 * reads the lane's number, a predicate or other lanes. */
START_TEST(what_is_of_constants)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.meta.shared_bytes = 64;
	simbench_mov(&bench, 8, 7); /* counts */
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_MOV);
	inst->dst = 9, inst->xkind = HD_X_CONST_B, inst->x = HD_CONST_X(0, HD_CB_NTID_X); /* counts */
	inst = simbench_emit(&bench, HD_OP_LDS);
	inst->dst = 10, inst->a = HD_RZ, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	inst = simbench_emit(&bench, HD_OP_LDC);
	inst->dst = 11, inst->a = HD_RZ, inst->xkind = HD_X_OTHER, inst->x = HD_CB_NTID_X;
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_s2r(&bench, 12, HD_SR_LANEID);
	inst = simbench_emit(&bench, HD_OP_SEL);
	inst->dst = 13, inst->psrc = 0, inst->xkind = HD_X_IMM_B, inst->x = 5;
	inst = simbench_emit(&bench, HD_OP_VOTE);
	inst->dst = 14, inst->psrc = HD_PT;
	bench.options.policy = "scalar";
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_msg(!simbench_run(&bench, 1, 2 * HD_WARP_LANES), "%s", hd_sim_error_text(bench.sim));
	double scalar = 0, joules = 0;
	const struct hd_policy_handle *self = &bench.sim->gpu.policies[0];
	self->policy->hooks->observation.report(self, &bench.sim->gpu, take_scalar, &scalar);
	self->policy->hooks->observation.report(self, &bench.sim->gpu, take_saved, &joules);
	ck_assert_double_eq(scalar, 2 * 2); /* of two warps */
	/* One operation and one written register each, in 31 of 32 lanes. */
	double picojoules = 4 * (bench.config.pj_int + bench.config.pj_reg_write) * 31 / 32;
	ck_assert_double_eq_tol(joules, 1e-12 * picojoules, 1e-18);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("skip", (const TTest *const[]){a_block_by_hand, what_is_not_affine, what_keeps_values_affine,
							  special_registers, predicates, guarded_choice,
							  what_is_of_constants, NULL});
}
