/*
 * LINK: passes
 * Control bits: their text and word; what is set for code written by hand, against bits on paper; and random kernels,
 * where the checker accepts what is set, and a walk along random paths, with results that come at random times, meets
 * no register before its time. Each bit that is taken away is missed by one of the two, or was not needed.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include <string.h>

#include "heddle/control.h"
#include "machine_code.h"
#include "random_graph.h"

static const struct hd_timing *turing(void)
{
	return hd_timing_of_target("sm_75");
}

static void expect(struct code *code, const char *const *texts)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	struct hd_function function = code_finish(code, "k", true, &arena);
	const struct hd_control *control = hd_control_compute(&function, turing(), &arena);
	struct hd_control_violation violation;
	for (uint32_t i = 0; i < function.inst_count; i++) {
		char text[HD_CONTROL_TEXT];
		hd_control_format(&control[i], text);
		ck_assert_msg(strcmp(text, texts[i]) == 0, "%u: %s, not %s", i, text, texts[i]);
	}
	ck_assert(hd_control_check(&function, control, turing(), &violation));
	hd_arena_release(&arena);
}

START_TEST(text_and_word)
{
	struct hd_control control = {.stall = 4, .yield = true, .write = 0, .read = HD_NO_COUNTER, .wait = 0}, again;
	char text[HD_CONTROL_TEXT];
	hd_control_format(&control, text);
	ck_assert_str_eq(text, "B------:R-:W0:Y:S04");
	control = (struct hd_control){.stall = 15, .write = HD_NO_COUNTER, .read = 5, .wait = 0x21};
	hd_control_format(&control, text);
	ck_assert_str_eq(text, "B0----5:R5:W-:-:S15");
	ck_assert_int_eq(hd_control_decode(hd_control_encode(&control), &again), 0);
	ck_assert(again.stall == 15 && !again.yield && again.write == 7 && again.read == 5 && again.wait == 0x21);
	ck_assert_int_eq(hd_control_decode(1u << 17, &again), -1);
	ck_assert_int_eq(hd_control_decode(6u << 5 | 7u << 8, &again), -1); /* there is no counter 6 */
}
END_TEST

START_TEST(cycles_as_hardware_takes_them)
{
	ck_assert_uint_eq(hd_control_cycles(&(struct hd_control){.stall = 4}), 4);
	ck_assert_uint_eq(hd_control_cycles(&(struct hd_control){.stall = 11}), 11);
	ck_assert_uint_eq(hd_control_cycles(&(struct hd_control){.stall = 12}), 2);
	ck_assert_uint_eq(hd_control_cycles(&(struct hd_control){.stall = 12, .yield = true}), 12);
	ck_assert_uint_eq(hd_control_cycles(&(struct hd_control){.stall = 1, .yield = true}), 2);
	ck_assert_uint_eq(hd_control_cycles(&(struct hd_control){.stall = 0, .yield = true}), 45);
}
END_TEST

START_TEST(latencies_of_architectures)
{
	ck_assert_ptr_null(hd_timing_of_target("sm_70"));
	ck_assert_ptr_null(hd_timing_of_target("gfx90a"));
	ck_assert_uint_eq(hd_timing_of_target("sm_75")->guard, 8);
	ck_assert_uint_eq(hd_timing_of_target("sm_86")->guard, 9);
	struct hd_inst sum = hd_inst_new(HD_OP_DADD);
	sum.dst = 4;
	ck_assert(!hd_control_is_fixed(&sum, hd_timing_of_target("sm_80")));
	ck_assert(hd_control_is_fixed(&sum, hd_timing_of_target("sm_90")));
	/* What no stall count holds takes a counter. */
	struct hd_timing slow = *turing();
	struct hd_inst add = hd_inst_new(HD_OP_IADD3);
	slow.latency[HD_LAT_IADD] = 13;
	add.dst = 4;
	ck_assert(hd_control_is_fixed(&add, &slow)); /* 15 for half precision */
	slow.latency[HD_LAT_IADD] = 14;
	ck_assert(!hd_control_is_fixed(&add, &slow));
}
END_TEST

START_TEST(fixed_latencies_are_stall_counts)
{
	struct code code = {0};
	code_add(&code, 4, 2, 3);
	code_add(&code, 5, 4, 4); /* 4 cycles behind */
	uint32_t product = code_op(&code, HD_OP_FMUL);
	code.insts.data[product].dst = 6;
	code.insts.data[product].a = code.insts.data[product].b = 5; /* 5: of the other pipeline */
	code_set(&code, 7, 1);
	code_set(&code, 8, 1);
	code_add(&code, 9, 6, 6); /* 5 behind the product, 2 of which have passed */
	code_compare(&code, 0, 7, 8);
	code_guard(&code, code_set(&code, 10, 1), 0); /* 12: a guard */
	code_exit(&code);
	expect(&code, (const char *const[]){"B------:R-:W-:Y:S04", "B------:R-:W-:Y:S05", "B------:R-:W-:-:S01",
					    "B------:R-:W-:-:S01", "B------:R-:W-:-:S03", "B------:R-:W-:-:S01",
					    "B------:R-:W-:Y:S12", "B------:R-:W-:-:S01", "B------:R-:W-:-:S01"});
}
END_TEST

START_TEST(variable_latencies_take_counters)
{
	struct code code = {0};
	code_load(&code, 4, 2);
	code_load(&code, 5, 2); /* needed with the first: it shares its counter */
	code_load(&code, 6, 3); /* needed later: another one */
	code_set(&code, 2, 0);	/* sources of the first two may not have been read */
	code_add(&code, 7, 4, 5);
	code_add(&code, 8, 6, 6);
	code_store(&code, 3, 8);
	code_set(&code, 8, 0);
	code_exit(&code);
	expect(&code, (const char *const[]){"B------:R1:W0:-:S01", "B------:R1:W0:-:S01", "B------:R-:W2:-:S01",
					    "B-1----:R-:W-:-:S01", "B0-----:R-:W-:-:S01", "B--2---:R-:W-:Y:S04",
					    "B------:R3:W-:-:S02", "B---3--:R-:W-:-:S01", "B------:R-:W-:-:S01"});
}
END_TEST

/* A loop that adds what it loads: the load of a turn is used in the next one. */
START_TEST(a_loop_waits_for_its_own_turns)
{
	struct code code = {0};
	code_load(&code, 4, 2);
	uint32_t top = code_add(&code, 5, 5, 4);
	code_load(&code, 4, 2);
	code_compare(&code, 0, 5, 6);
	code_branch(&code, 0, top, 5);
	code_exit(&code);
	expect(&code, (const char *const[]){"B------:R-:W5:-:S02", "B-----5:R-:W-:-:S01", "B------:R-:W5:-:S03",
					    "B------:R-:W-:Y:S12", "B------:R-:W-:-:S01", "B------:R-:W-:-:S01"});
}
END_TEST

/* Of what is waited for in other blocks the address has a counter of its own: who overwrites it needs no result. */
START_TEST(other_blocks_wait_for_what_they_touch)
{
	struct code code = {0};
	code_load(&code, 4, 2);
	code_branch(&code, 0, 5, 5);
	code_set(&code, 2, 0);
	code_load(&code, 5, 3); /* used in its block: another counter */
	code_add(&code, 6, 5, 5);
	code_add(&code, 6, 4, 4);
	code_exit(&code);
	expect(&code, (const char *const[]){"B------:R4:W5:-:S01", "B------:R-:W-:-:S01", "B----4-:R-:W-:-:S01",
					    "B------:R-:W0:-:S02", "B0-----:R-:W-:-:S01", "B-----5:R-:W-:-:S01",
					    "B------:R-:W-:-:S01"});
}
END_TEST

/* Counters are waited for at a call; fixed latencies run down over its own stall count, as ptxas has them. */
START_TEST(calls_find_nothing_under_way)
{
	struct code code = {0};
	code_load(&code, 20, 2);
	code_store(&code, 3, 4);
	code_set(&code, 21, 1);
	code_op(&code, HD_OP_RET);
	expect(&code, (const char *const[]){"B------:R-:W0:-:S01", "B------:R0:W-:-:S01", "B------:R-:W-:-:S01",
					    "B0-----:R-:W-:Y:S05"});
}
END_TEST

/* What the call reads itself must be there. */
START_TEST(a_call_reads_its_target)
{
	struct code code = {0};
	code_set(&code, 20, 1);
	code_set(&code, 4, 1);
	code_set(&code, 5, 1);
	code.insts.data[code_op(&code, HD_OP_CALLI)].a = 4;
	code_add(&code, 6, 20, 20);
	code_op(&code, HD_OP_RET);
	expect(&code, (const char *const[]){"B------:R-:W-:-:S01", "B------:R-:W-:-:S01", "B------:R-:W-:Y:S04",
					    "B------:R-:W-:-:S02", "B------:R-:W-:-:S01", "B------:R-:W-:Y:S05"});
}
END_TEST

/* The code behind a call knows nothing of what is in front of it: too short a stall count is missed at the call. */
START_TEST(calls_are_checked)
{
	struct code code = {0};
	struct hd_arena arena;
	struct hd_control_violation violation;
	hd_arena_init(&arena);
	code_load(&code, 20, 2);
	code_set(&code, 21, 1);
	code_op(&code, HD_OP_RET);
	struct hd_function function = code_finish(&code, "f", false, &arena);
	struct hd_control *control = hd_control_compute(&function, turing(), &arena);
	ck_assert(hd_control_check(&function, control, turing(), &violation));
	control[2].stall--;
	ck_assert(!hd_control_check(&function, control, turing(), &violation));
	ck_assert(violation.first == 1 && violation.second == 2 && violation.place == 21);
	ck_assert_str_eq(violation.what, "is under way behind a call or return");
	control[2].stall++;
	control[2].wait = 0;
	ck_assert(!hd_control_check(&function, control, turing(), &violation));
	ck_assert(violation.first == 0 && violation.second == 2 && violation.place == 2);
	ck_assert_str_eq(violation.what, "has not been read at a call or return");
	hd_arena_release(&arena);
}
END_TEST

START_TEST(the_checker_names_both)
{
	struct code code = {0};
	struct hd_arena arena;
	struct hd_control_violation violation;
	char text[256];
	hd_arena_init(&arena);
	code_load(&code, 4, 2);
	code_set(&code, 7, 1);
	code_add(&code, 5, 4, 7);
	code_exit(&code);
	struct hd_function function = code_finish(&code, "k", true, &arena);
	struct hd_control *control = hd_control_compute(&function, turing(), &arena);
	control[2].wait = 0;
	ck_assert(!hd_control_check(&function, control, turing(), &violation));
	ck_assert(violation.first == 0 && violation.second == 2 && violation.place == 4);
	hd_control_explain(&function, &violation, text, sizeof(text));
	ck_assert_str_eq(text, "LDS R4, [R2] at 0x0 and IADD3 R5, R4, R7, RZ at 0x20: R4 is read before it is written");
	control[2].wait = 1;
	control[1].stall = 3;
	ck_assert(!hd_control_check(&function, control, turing(), &violation));
	ck_assert(violation.first == 1 && violation.second == 2 && violation.place == 7);
	hd_arena_release(&arena);
}
END_TEST

/* ---- random kernels */

/* A walk: when each place is written and read for the last time, and when counters come down. */
struct walk {
	const struct hd_function *function;
	const struct hd_control *control;
	uint64_t now, written[HD_PLACES][HD_PIPELINES + 1], read[HD_PLACES];
	uint64_t down[HD_COUNTERS], shown[HD_COUNTERS];
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void raise(struct walk *walk, uint8_t counter, uint64_t until)
{
	if (counter >= HD_COUNTERS)
		return;
	walk->down[counter] = later(walk->down[counter], until);
	walk->shown[counter] = walk->now + 2;
}

static bool places_are_there(const struct walk *walk, uint32_t index, uint64_t result)
{
	const struct hd_inst *inst = &walk->function->insts[index];
	struct hd_places reads, writes;
	hd_inst_places(inst, &reads, &writes);
	for (uint32_t i = 0; i < HD_PLACES; i++) {
		if (reads.bits[i / 64] >> i % 64 & 1 && walk->written[i][hd_op_pipeline(inst->op)] > walk->now)
			return false;
		if (writes.bits[i / 64] >> i % 64 & 1 && (walk->written[i][0] >= result || walk->read[i] > walk->now))
			return false;
	}
	uint32_t guard = inst->guard & 7;
	return guard == HD_PT || walk->written[HD_PLACE_PREDICATES + guard][HD_PIPELINES] <= walk->now;
}

static bool walk_one(struct walk *walk, uint32_t index, uint64_t *state)
{
	const struct hd_inst *inst = &walk->function->insts[index];
	const struct hd_control *control = &walk->control[index];
	bool fixed = hd_control_is_fixed(inst, turing());
	struct hd_places reads, writes, sources;
	for (unsigned c = 0; c < HD_COUNTERS; c++)
		if (control->wait >> c & 1 && walk->shown[c] <= walk->now)
			walk->now = later(walk->now, walk->down[c]);
	uint64_t read = walk->now + 4 + random_below(state, 20), written = read + random_below(state, 90);
	uint64_t result = fixed ? walk->now + hd_control_latency(inst, turing(), HD_NO_PIPELINE) : written;
	if (!places_are_there(walk, index, result))
		return false;
	hd_inst_places(inst, &reads, &writes);
	hd_control_sources(inst, turing(), &sources);
	for (uint32_t i = 0; i < HD_PLACES; i++) {
		if (sources.bits[i / 64] >> i % 64 & 1)
			walk->read[i] = read;
		for (unsigned reader = 0; reader <= HD_PIPELINES && writes.bits[i / 64] >> i % 64 & 1; reader++)
			walk->written[i][reader] =
				fixed ? walk->now + hd_control_latency(inst, turing(), (enum hd_pipeline)reader)
				      : written;
	}
	raise(walk, control->read, read);
	raise(walk, control->write, written);
	walk->now += hd_control_cycles(control);
	return true;
}

static bool walks_well(const struct hd_function *function, const struct hd_control *control, uint64_t *state)
{
	for (unsigned times = 0; times < 8; times++) {
		struct walk walk = {.function = function, .control = control};
		uint32_t at = 0, next[2];
		for (unsigned steps = 0; steps < 100; steps++) {
			if (!walk_one(&walk, at, state))
				return false;
			uint32_t count = hd_inst_successors(function, at, next, 2);
			if (!count)
				break;
			at = next[random_below(state, count)];
		}
	}
	return true;
}

/* Takes one bit away; false: it has none of that kind. */
static bool weaken(struct hd_control *control, unsigned how)
{
	if (how == 0 && control->wait)
		control->wait &= (uint8_t)(control->wait - 1);
	else if (how == 1 && control->stall > 1)
		control->stall--;
	else if (how == 2 && control->write != HD_NO_COUNTER)
		control->write = HD_NO_COUNTER;
	else if (how == 3 && control->read != HD_NO_COUNTER)
		control->read = HD_NO_COUNTER;
	else
		return false;
	return true;
}

START_TEST(random_kernels_are_covered)
{
	uint32_t weakened = 0, caught = 0;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint64_t state = seed;
		struct hd_arena arena;
		struct hd_control_violation violation;
		hd_arena_init(&arena);
		struct hd_function function = code_random(&state, 1 + seed % 9, 1 + seed % 14, 2 + seed % 12, &arena);
		struct hd_control *control = hd_control_compute(&function, turing(), &arena);
		ck_assert_msg(hd_control_check(&function, control, turing(), &violation), "seed %u: %s at %u and %u",
			      (unsigned)seed, violation.what, violation.first, violation.second);
		ck_assert_msg(walks_well(&function, control, &state), "seed %u", (unsigned)seed);
		for (unsigned times = 0; times < 20; times++) {
			uint32_t at = random_below(&state, function.inst_count);
			struct hd_control whole = control[at];
			if (!weaken(&control[at], times % 4))
				continue;
			bool accepted = hd_control_check(&function, control, turing(), &violation);
			/* What the checker accepts is right: no walk finds anything. */
			ck_assert_msg(!accepted || walks_well(&function, control, &state), "seed %u, %u",
				      (unsigned)seed, at);
			weakened++;
			caught += !accepted;
			control[at] = whole;
		}
		hd_arena_release(&arena);
	}
	/* Nearly every bit is needed. */
	ck_assert_uint_gt(weakened, 500);
	ck_assert_msg(caught * 10 >= weakened * 8, "%u of %u", caught, weakened);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("control", (const TTest *const[]){
					      text_and_word,
					      cycles_as_hardware_takes_them,
					      latencies_of_architectures,
					      fixed_latencies_are_stall_counts,
					      variable_latencies_take_counters,
					      a_loop_waits_for_its_own_turns,
					      other_blocks_wait_for_what_they_touch,
					      calls_find_nothing_under_way,
					      a_call_reads_its_target,
					      calls_are_checked,
					      the_checker_names_both,
					      random_kernels_are_covered,
					      NULL,
				      });
}
