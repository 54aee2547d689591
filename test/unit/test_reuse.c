/*
 * LINK: passes
 * reuse: distances derived by hand, against every way on followed instruction by instruction, and from a profile.
 */
#include "harness.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "flow_compute.h"
#include "machine_code.h"
#include "passes/analysis/profile.h"
#include "passes/analysis/reuse.h"
#include "sample.h"

static struct hd_arena arena;
static struct hd_function function;
static struct hd_flow flow;
static struct hd_reuse reuse;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

/* Blocks, graph and estimated weights of what is in `code`. */
static void begin(struct code *code)
{
	function = code_finish(code, "test", true, &arena);
	flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	reuse = (struct hd_reuse){.flow = &flow};
	hd_reuse_estimate(&flow, &reuse.weights, &arena);
}

static void solve(struct code *code)
{
	begin(code);
	hd_reuse_distances(&reuse, NULL, &arena);
}

/* The branch that ends the block of `inst` goes to its target with this probability. */
static void set_probability(uint32_t inst, double taken)
{
	uint32_t block = flow.block_of[inst], target = flow.block_of[function.insts[inst].x];
	for (uint32_t e = flow.graph.succ_start[block]; e < flow.graph.succ_start[block + 1]; e++)
		reuse.weights.probability[e] = flow.graph.succ[e] == target ? taken : 1 - taken;
}

static void is(uint32_t inst, enum hd_slot slot, double chance, double distance)
{
	const struct hd_reuse_distance *found = &reuse.operands[inst][slot];
	ck_assert_msg(fabs(found->chance - chance) < 1e-5 && fabs(found->distance - distance) < 1e-4 * (1 + distance),
		      "instruction %u, slot %u: %g at %g, not %g at %g", inst, slot, (double)found->chance,
		      (double)found->distance, chance, distance);
}

#define DEAD(inst, slot) is(inst, slot, 0, 0)

START_TEST(straight_line)
{
	struct code code = {0};
	code_set(&code, 0, 1);
	code_set(&code, 1, 2);
	code_add(&code, 2, 0, 1);
	code_set(&code, 1, 5);
	code_store(&code, 2, 0);
	code_store(&code, 1, 1);
	code_exit(&code);
	solve(&code);
	is(0, HD_SLOT_DST, 1, 2);
	is(1, HD_SLOT_DST, 1, 1);
	is(2, HD_SLOT_DST, 1, 2);
	is(2, HD_SLOT_A, 1, 2);
	DEAD(2, HD_SLOT_B); /* written before it is read */
	is(3, HD_SLOT_DST, 1, 2);
	DEAD(4, HD_SLOT_A);
	DEAD(4, HD_SLOT_C);
	DEAD(5, HD_SLOT_A);
	ck_assert_double_eq_tol(reuse.length, 7, 1e-9);
}
END_TEST

/* R0 = R0 + R1: the old R0 is gone, the new one is read next. */
START_TEST(written_where_it_is_read)
{
	struct code code = {0};
	code_add(&code, 0, 0, 1);
	code_add(&code, 0, 0, 0);
	code_store(&code, 0, 1);
	code_exit(&code);
	solve(&code);
	DEAD(0, HD_SLOT_A);
	is(0, HD_SLOT_B, 1, 2);
	is(0, HD_SLOT_DST, 1, 1);
	DEAD(1, HD_SLOT_A);
	DEAD(1, HD_SLOT_B);
	is(1, HD_SLOT_DST, 1, 1);
}
END_TEST

static void diamond_code(struct code *code)
{
	code_set(code, 0, 0);
	code_branch(code, 0, 4, 5);
	code_set(code, 1, 1);
	code_jump(code, 5);
	code_store(code, 0, 0);
	code_store(code, 1, 1);
	code_exit(code);
}

/* R0 is read on one way only, two instructions on; R1 on both. */
START_TEST(diamond)
{
	struct code code = {0};
	diamond_code(&code);
	begin(&code);
	set_probability(1, 0.25);
	hd_reuse_distances(&reuse, NULL, &arena);
	is(0, HD_SLOT_DST, 0.25, 2);
	is(2, HD_SLOT_DST, 1, 2);
	DEAD(4, HD_SLOT_A);
	ck_assert(!hd_reuse_is_near(&reuse.operands[0][HD_SLOT_DST], 16));
	ck_assert(hd_reuse_is_near(&reuse.operands[2][HD_SLOT_DST], 3));
	ck_assert(!hd_reuse_is_near(&reuse.operands[2][HD_SLOT_DST], 2));
}
END_TEST

/* Both ways read R0: 2 instructions on with 1 in 4, 4 with 3 in 4. */
START_TEST(both_ways_read)
{
	struct code code = {0};
	code_set(&code, 0, 0);
	code_branch(&code, 0, 4, 5);
	code_set(&code, 1, 1);
	code_jump(&code, 5);
	code_store(&code, 2, 0);
	code_store(&code, 2, 0);
	code_exit(&code);
	begin(&code);
	set_probability(1, 0.25);
	hd_reuse_distances(&reuse, NULL, &arena);
	is(0, HD_SLOT_DST, 1, 0.25 * 2 + 0.75 * 4);
	is(4, HD_SLOT_C, 1, 1);
}
END_TEST

static void loop_code(struct code *code)
{
	code_set(code, 0, 0);
	code_add(code, 2, 2, 3);
	code_compare(code, 0, 2, 3);
	code_branch(code, 0, 1, 4);
	code_store(code, 0, 0);
	code_exit(code);
}

/* Ten iterations of three instructions between the write of R0 and its read. */
START_TEST(over_a_loop)
{
	struct code code = {0};
	loop_code(&code);
	solve(&code);
	is(0, HD_SLOT_DST, 1, 1 + 10 * 3);
	is(1, HD_SLOT_DST, 1, 1);
	DEAD(1, HD_SLOT_A);
	is(1, HD_SLOT_B, 1, 1);
	is(2, HD_SLOT_A, 0.9, 2);
	is(2, HD_SLOT_B, 0.9, 2);
	ck_assert_double_eq_tol(reuse.length, 3 + 10 * 3, 1e-6);
}
END_TEST

/* A million iterations cost no more sweeps. */
START_TEST(over_a_long_loop)
{
	struct code code = {0};
	loop_code(&code);
	begin(&code);
	set_probability(3, 1 - 1e-6);
	hd_reuse_distances(&reuse, NULL, &arena);
	is(0, HD_SLOT_DST, 1, 1 + 3e6);
}
END_TEST

/* The branch back is always taken: what is read behind the loop is not read. */
START_TEST(over_an_endless_loop)
{
	struct code code = {0};
	loop_code(&code);
	begin(&code);
	set_probability(3, 1);
	hd_reuse_distances(&reuse, NULL, &arena);
	DEAD(0, HD_SLOT_DST);
	is(2, HD_SLOT_A, 1, 2);
	struct code endless = {0};
	code_set(&endless, 0, 0);
	code_add(&endless, 2, 2, 3);
	code_jump(&endless, 1);
	solve(&endless);
	DEAD(0, HD_SLOT_DST);
	DEAD(1, HD_SLOT_A);
	is(1, HD_SLOT_DST, 1, 2);
}
END_TEST

/*
 * A loop with two entries, of two blocks of two instructions each, left from either with a chance of 0.1: 20
 * instructions from both. The first sweep has yet to learn what the way through the other entry finds.
 */
START_TEST(over_a_loop_with_two_entries)
{
	struct code code = {0};
	code_set(&code, 0, 0);
	uint32_t entry = code_branch(&code, 0, 4, HD_NO_PC);
	code_set(&code, 1, 1);
	uint32_t first = code_branch(&code, 1, 6, HD_NO_PC);
	code_set(&code, 1, 2);
	uint32_t second = code_branch(&code, 2, 2, HD_NO_PC);
	code_store(&code, 0, 1);
	code_exit(&code);
	begin(&code);
	set_probability(entry, 0.5);
	set_probability(first, 0.1);
	set_probability(second, 0.9);
	hd_reuse_distances(&reuse, NULL, &arena);
	is(0, HD_SLOT_DST, 1, 2 + 20);
}
END_TEST

/*
 * for 10: { R1 = 0; for 10: { R2 += R3; compare; branch }; R0 += R3; compare; branch }; read R4, which is set first.
 * An inner loop takes 30 instructions, an outer iteration 34.
 */
START_TEST(nested_loops)
{
	struct code code = {0};
	code_set(&code, 4, 0);
	code_set(&code, 1, 0);
	code_add(&code, 2, 2, 3);
	code_compare(&code, 0, 2, 3);
	code_branch(&code, 0, 2, 5);
	code_add(&code, 0, 0, 3);
	code_compare(&code, 0, 0, 3);
	code_branch(&code, 0, 1, 8);
	code_store(&code, 4, 4);
	code_exit(&code);
	solve(&code);
	is(0, HD_SLOT_DST, 1, 1 + 10 * 34);
	DEAD(1, HD_SLOT_DST);
	is(5, HD_SLOT_DST, 1, 1);
	is(6, HD_SLOT_A, 0.9, 33); /* from its compare to the addition of the next iteration */
	is(4 - 1, HD_SLOT_A, 0.9 + 0.1 * 0.9, (0.9 * 2 + 0.1 * 0.9 * 6) / 0.99);
	is(3, HD_SLOT_B, 1, 2); /* R3: at 2 again or at 5 */
}
END_TEST

START_TEST(guards)
{
	struct code code = {0};
	code_set(&code, 0, 1);
	code_guard(&code, code_set(&code, 0, 2), 0);
	code_guard(&code, code_store(&code, 1, 0), 1);
	code_exit(&code);
	solve(&code);
	is(0, HD_SLOT_DST, 1, 2);
	is(1, HD_SLOT_DST, 1, 1);
}
END_TEST

/* Two registers of one operand: the nearer counts, and one of them may be dead. */
START_TEST(pairs)
{
	struct code code = {0};
	uint32_t first = code_op(&code, HD_OP_IMAD_WIDE);
	struct hd_inst *inst = &code.insts.data[first];
	inst->dst = 4;
	inst->a = inst->b = 0;
	code_add(&code, 6, 0, 0);
	code_add(&code, 6, 6, 5);
	code_add(&code, 6, 6, 4);
	code_store(&code, 6, 4);
	code_exit(&code);
	solve(&code);
	is(0, HD_SLOT_DST, 1, 2);
	is(2, HD_SLOT_B, 0, 0);
	ck_assert(hd_reuse_has(&function.insts[0], HD_SLOT_DST) && !hd_reuse_has(&function.insts[0], HD_SLOT_C));
}
END_TEST

/* R16 outlives the call; the callee's 100 instructions are in between. Arguments are read by the call. */
START_TEST(over_a_call)
{
	struct code code = {0};
	const double length = 100;
	code_set(&code, 16, 1);
	code_set(&code, 4, 1);
	code_set(&code, 20, 1);
	code_call(&code);
	code_store(&code, 16, 4);
	code_exit(&code);
	begin(&code);
	hd_reuse_distances(&reuse, &length, &arena);
	is(0, HD_SLOT_DST, 1, 4 + 100);
	is(1, HD_SLOT_DST, 1, 2);
	DEAD(2, HD_SLOT_DST);
}
END_TEST

START_TEST(tags_and_counts)
{
	struct code code = {0};
	loop_code(&code);
	solve(&code);
	hd_reuse_tag(&reuse, 16, &arena);
	const struct hd_meta_reuse *facts = &reuse.facts;
	/* far: the write of R0; near: R2 and R3 at 1, R2 and R3 at 2; dead: R2's old value, R0 behind the loop twice */
	ck_assert_uint_eq(facts->far, 1);
	ck_assert_uint_eq(facts->near, 4);
	ck_assert_uint_eq(facts->dead, 3);
	const uint32_t histogram[HD_REUSE_BUCKETS] = {2, 2, 0, 0, 0, 1, 0, 0};
	ck_assert_mem_eq(facts->histogram, histogram, sizeof(histogram));
	const uint8_t tags[] = {0, 5, 6, 0, 0, 0};
	ck_assert_mem_eq(facts->tags, tags, sizeof(tags));
	hd_reuse_tag(&reuse, 32, &arena);
	ck_assert_uint_eq(facts->near, 5);
	ck_assert_uint_eq(facts->tags[0], 1);
}
END_TEST

static void claims_are(const uint8_t *claims, const char *expected)
{
	for (uint32_t i = 0; i < 4 * function.inst_count; i++)
		ck_assert_msg(HD_REUSE_DIGITS[claims[i]] == expected[i], "instruction %u, slot %u: %c, not %c", i / 4,
			      i % 4, HD_REUSE_DIGITS[claims[i]], expected[i]);
}

/* Inside a block all is certain: the next read, or that there is none; R0 is read behind the branch, for all one knows.
 */
START_TEST(what_is_certain)
{
	struct code code = {0};
	code_set(&code, 0, 1);
	code_set(&code, 1, 2);
	code_add(&code, 2, 0, 1);
	code_set(&code, 1, 5);
	code_store(&code, 2, 0);
	code_branch(&code, 0, 7, 7);
	code_set(&code, 1, 3);
	code_store(&code, 0, 1);
	code_exit(&code);
	solve(&code);
	claims_are(hd_reuse_claims(&flow, &arena), "2---"
						   "1---"
						   "220-"
						   "----"
						   "-0--"
						   "----"
						   "----"
						   "-0-0"
						   "----");
}
END_TEST

/* A pair of which one half is read here and the other half, for all one knows, later: the nearest read counts. One that
 * a guard may overwrite before is read in other lanes only; and of what is not read here nothing is known. */
START_TEST(halves_that_leave)
{
	struct code code = {0};
	code_op(&code, HD_OP_IMAD_WIDE);
	code.insts.data[0].dst = 4;
	code.insts.data[0].a = code.insts.data[0].b = 0;
	code.insts.data[0].c = HD_RZ;
	code_store(&code, 2, 4);
	code_add(&code, 6, 2, 2);
	code_branch(&code, 0, 4, 4);
	code_store(&code, 2, 5);
	code_exit(&code);
	solve(&code);
	uint8_t *claims = hd_reuse_claims(&flow, &arena);
	ck_assert_uint_eq(claims[HD_SLOT_DST], 1);

	code_op(&code, HD_OP_IMAD_WIDE);
	code.insts.data[0].dst = 4;
	code.insts.data[0].a = code.insts.data[0].b = 0;
	code.insts.data[0].c = HD_RZ;
	code_guard(&code, code_set(&code, 4, 1), 1);
	code_store(&code, 2, 4);
	code_store(&code, 2, 5);
	code_exit(&code);
	solve(&code);
	claims = hd_reuse_claims(&flow, &arena);
	ck_assert_uint_eq(claims[HD_SLOT_DST], HD_REUSE_NO_CLAIM);

	code_op(&code, HD_OP_IMAD_WIDE);
	code.insts.data[0].dst = 4;
	code.insts.data[0].a = code.insts.data[0].b = 0;
	code.insts.data[0].c = HD_RZ;
	code_branch(&code, 0, 2, 2);
	code_store(&code, 2, 5);
	code_exit(&code);
	solve(&code);
	claims = hd_reuse_claims(&flow, &arena);
	ck_assert_uint_eq(claims[HD_SLOT_DST], HD_REUSE_NO_CLAIM);
}
END_TEST

/* ---- against every way on */

/* Mass that moves on instruction by instruction until it reads, writes or is gone. */
struct followed {
	double chance, distance;
};

static void move(const double *mass, double *next, uint32_t inst)
{
	uint32_t block = flow.block_of[inst];
	if (inst != hd_flow_last(&flow, block)) {
		next[inst + 1] += mass[inst];
		return;
	}
	for (uint32_t e = flow.graph.succ_start[block]; e < flow.graph.succ_start[block + 1]; e++)
		next[flow.blocks[flow.graph.succ[e]].first] += mass[inst] * reuse.weights.probability[e];
}

static struct followed follow(uint32_t inst, uint32_t reg)
{
	struct followed result = {0};
	uint32_t count = function.inst_count;
	double *mass = hd_xcalloc(count, sizeof(double)), *next = hd_xcalloc(count, sizeof(double)), left = 1, mean = 0;
	mass[inst] = 1;
	for (uint32_t step = 1; step < 100000 && left > 1e-10; step++) {
		memset(next, 0, sizeof(double) * count);
		for (uint32_t i = 0; i < count; i++)
			if (mass[i] > 0)
				move(mass, next, i);
		left = 0;
		for (uint32_t i = 0; i < count; i++) {
			struct hd_flow_effects effects;
			hd_flow_effects(&flow, i, &effects);
			if (hd_regset_has(&effects.reads, reg)) {
				result.chance += next[i];
				mean += step * next[i];
			}
			if (hd_regset_has(&effects.reads, reg) || hd_regset_has(&effects.covers, reg))
				next[i] = 0;
			left += next[i];
		}
		double *swap = mass;
		mass = next;
		next = swap;
	}
	free(mass);
	free(next);
	result.distance = result.chance > 0 ? mean / result.chance : 0;
	return result;
}

static void compare_operand(uint32_t inst, enum hd_slot slot, double tolerance)
{
	const struct hd_inst *code = &function.insts[inst];
	const uint8_t regs[] = {code->dst, code->a, code->b, code->c};
	struct hd_flow_effects effects;
	hd_flow_effects(&flow, inst, &effects);
	struct followed wanted = {0};
	if (slot == HD_SLOT_DST || !hd_regset_has(&effects.covers, regs[slot]))
		wanted = follow(inst, regs[slot]);
	const struct hd_reuse_distance *found = &reuse.operands[inst][slot];
	ck_assert_msg(fabs(found->chance - wanted.chance) <= tolerance &&
			      fabs(found->distance - wanted.distance) <= tolerance * (1 + wanted.distance),
		      "instruction %u, slot %u: %g at %g, not %g at %g", inst, slot, (double)found->chance,
		      (double)found->distance, wanted.chance, wanted.distance);
}

static void compare_all(double tolerance)
{
	for (uint32_t i = 0; i < function.inst_count; i++)
		for (unsigned slot = HD_SLOT_DST; slot <= HD_SLOT_C; slot++)
			if (hd_reuse_has(&function.insts[i], slot) && flow.position[flow.block_of[i]] != HD_NO_NODE)
				compare_operand(i, slot, tolerance);
}

/* Branches of any inclination. */
static void random_weights(uint64_t *seed)
{
	for (uint32_t b = 0; b < flow.block_count; b++) {
		uint32_t first = flow.graph.succ_start[b], end = flow.graph.succ_start[b + 1];
		double taken = 0.02 + 0.96 * (double)(sample_random(seed) >> 40) / (1 << 24);
		for (uint32_t e = first; e < end; e++)
			reuse.weights.probability[e] = end - first == 1 ? 1 : e == first ? taken : 1 - taken;
	}
}

static void compare_random(uint64_t *seed, uint32_t blocks, uint32_t size, uint32_t regs, bool estimated)
{
	function = code_random(seed, blocks, size, regs, &arena);
	flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	reuse = (struct hd_reuse){.flow = &flow};
	hd_reuse_estimate(&flow, &reuse.weights, &arena);
	if (!estimated)
		random_weights(seed);
	hd_reuse_distances(&reuse, NULL, &arena);
	compare_all(1e-3);
}

START_TEST(random_straight_lines)
{
	uint64_t seed = 3;
	for (unsigned trial = 0; trial < 200; trial++)
		compare_random(&seed, 1, 40, 6, true);
}
END_TEST

START_TEST(random_flow)
{
	uint64_t seed = 5;
	for (unsigned trial = 0; trial < 300; trial++)
		compare_random(&seed, 2 + trial % 15, 3, 3 + trial % 5, trial % 2);
}
END_TEST

/* ---- profiles */

static struct hd_profile *profile_of(const char *text)
{
	char path[] = "/tmp/heddle-profile-XXXXXX";
	struct hd_diag diag = {.tool = "test"};
	int file = mkstemp(path);
	ck_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
	close(file);
	struct hd_profile *profile = hd_profile_read(path, &diag);
	unlink(path);
	return profile;
}

/* Three of four warps take the branch of the diamond; one diverges and goes both ways. */
START_TEST(profiled)
{
	struct code code = {0};
	diamond_code(&code);
	begin(&code);
	struct hd_profile *profile =
		profile_of("{\"profile\": {\"functions\": [{\"name\": \"test\", \"executed\": [4, 4, 2, 2, 3, 4, 4],"
			   "\"branches\": [{\"pc\": 16, \"taken\": 3, \"fell_through\": 2}]},"
			   "{\"name\": \"test\", \"executed\": [9], \"branches\": []}]}}");
	ck_assert_ptr_nonnull(profile);
	ck_assert(hd_profile_weights(profile, &flow, &reuse.weights, &arena));
	ck_assert(reuse.weights.profiled);
	hd_reuse_distances(&reuse, NULL, &arena);
	is(0, HD_SLOT_DST, 0.6, 2);
	ck_assert_double_eq_tol(reuse.weights.frequency[2], 0.75, 1e-9);
	hd_profile_free(profile);
}
END_TEST

static void quiet(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)severity, (void)loc;
	snprintf(context, 200, "%s", message);
}

START_TEST(profiles_that_do_not_fit)
{
	struct code code = {0};
	loop_code(&code);
	begin(&code);
	struct hd_profile *profile = profile_of("{\"runs\": [{\"profile\": {\"functions\": [{\"name\": \"other\", "
						"\"executed\": [1, 1, 1, 1, 1, 1], \"branches\": []},"
						"{\"name\": \"test\", \"executed\": [1], \"branches\": []}]}}]}");
	ck_assert_ptr_nonnull(profile);
	ck_assert(!hd_profile_weights(profile, &flow, &reuse.weights, &arena));
	hd_profile_free(profile);

	char message[200] = "";
	struct hd_diag diag = {.emit = quiet, .context = message};
	ck_assert_ptr_null(hd_profile_read("/nonexistent", &diag));
	ck_assert_uint_eq(diag.errors, 1);
	diag = (struct hd_diag){.emit = quiet, .context = message};
	ck_assert_ptr_null(hd_profile_read("include/heddle/metadata.schema.json", &diag));
	ck_assert_ptr_nonnull(strstr(message, "--profile"));
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {straight_line,
				      written_where_it_is_read,
				      diamond,
				      both_ways_read,
				      over_a_loop,
				      over_a_long_loop,
				      over_an_endless_loop,
				      over_a_loop_with_two_entries,
				      nested_loops,
				      guards,
				      pairs,
				      over_a_call,
				      tags_and_counts,
				      what_is_certain,
				      halves_that_leave,
				      random_straight_lines,
				      random_flow,
				      profiled,
				      profiles_that_do_not_fit,
				      NULL};
	Suite *suite = suite_create("reuse");
	TCase *tcase = tcase_create("reuse");
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_set_timeout(tcase, 60);
	for (unsigned i = 0; tests[i]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}
