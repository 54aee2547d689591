/*
 * Holds control bits (heddle/control.h) against the code: goes along all paths with what is under way of each place, a
 * register, predicate or uniform register, and says which instruction touches one before it may. Whoever set the bits:
 * it shares with control.c the latencies and the sets of places, nothing else.
 *
 * What is known of a place only grows where paths meet (counters by union, cycles by the greater), so that the rounds
 * end. The bits are sound for a kernel of several warps, since counters and stalls are each warp's own.
 *
 * Needs verified code. Cost: O(instructions * rounds).
 */
#include <string.h>

#include "heddle/control.h"

enum { NO_COUNTER_BIT = 1 << HD_COUNTERS };

/* What is under way of one place. */
struct place {
	uint8_t written_under, read_under; /* counters, a bit each; NO_COUNTER_BIT: with none */
	uint8_t left[HD_PIPELINES + 1];	   /* cycles of a fixed result, by its reader; the last as a guard */
	uint32_t writer, reader;	   /* the last of them, for the message */
};

struct front {
	struct place places[HD_PLACES];
	uint8_t unseen; /* counters that the instruction in front has raised, and that do not show yet */
	bool known;
};

struct checker {
	const struct hd_function *function;
	const struct hd_control *control;
	const struct hd_timing *timing;
	struct front *fronts; /* by leader */
	uint32_t *front_of;
	struct hd_bitset leaders, todo;
	uint32_t *targets, target_capacity;
	struct hd_control_violation *violation;
};

static bool has(const struct hd_places *set, uint32_t place)
{
	return set->bits[place / 64] >> place % 64 & 1;
}

static bool violate(struct checker *checker, uint32_t first, uint32_t second, uint32_t place, const char *what)
{
	*checker->violation = (struct hd_control_violation){first, second, place, what};
	return false;
}

/* ---- one instruction */

/* With a counter, what a stall count could cover is covered by that. */
static bool is_fixed(const struct checker *checker, uint32_t index)
{
	return checker->control[index].write >= HD_COUNTERS &&
	       hd_control_is_fixed(&checker->function->insts[index], checker->timing);
}

static void wait_for(struct front *front, uint8_t wait)
{
	uint8_t seen = wait & (uint8_t)~front->unseen;
	for (uint32_t i = 0; i < HD_PLACES; i++) {
		front->places[i].written_under &= (uint8_t)~seen;
		front->places[i].read_under &= (uint8_t)~seen;
	}
}

/* At a call or return: what a counter says must be over when it issues, */
static bool counters_are_down(struct checker *checker, const struct front *front, uint32_t index)
{
	for (uint32_t i = 0; i < HD_PLACES; i++) {
		const struct place *place = &front->places[i];
		if (place->written_under)
			return violate(checker, place->writer, index, i, "is under way at a call or return");
		if (place->read_under)
			return violate(checker, place->reader, index, i, "has not been read at a call or return");
	}
	return true;
}

/* and results of fixed latency when the code behind it does. */
static bool no_cycles_are_left(struct checker *checker, const struct front *front, uint32_t index)
{
	for (uint32_t i = 0; i < HD_PLACES; i++)
		for (unsigned reader = 0; reader <= HD_PIPELINES; reader++)
			if (front->places[i].left[reader])
				return violate(checker, front->places[i].writer, index, i,
					       "is under way behind a call or return");
	return true;
}

static bool may_issue(struct checker *checker, const struct front *front, uint32_t index, const struct hd_places *reads,
		      const struct hd_places *writes)
{
	const struct hd_inst *inst = &checker->function->insts[index];
	enum hd_pipeline reader = hd_op_pipeline(inst->op);
	bool fixed = is_fixed(checker, index);
	uint32_t own = fixed ? hd_control_latency(inst, checker->timing, HD_NO_PIPELINE) : 1;
	uint32_t guard = HD_PLACE_PREDICATES + (inst->guard & 7u);
	if (hd_control_parts(inst) && !counters_are_down(checker, front, index))
		return false;
	for (uint32_t i = 0; i < HD_PLACES; i++) {
		const struct place *place = &front->places[i];
		if (has(reads, i) && (place->written_under || place->left[reader]))
			return violate(checker, place->writer, index, i, "is read before it is written");
		if (has(reads, i) && i == guard && place->left[HD_PIPELINES])
			return violate(checker, place->writer, index, i, "guards before it is written");
		if (has(writes, i) && (place->written_under || (place->left[0] && place->left[0] >= own)))
			return violate(checker, place->writer, index, i,
				       "is written before an earlier result is there");
		if (has(writes, i) && place->read_under)
			return violate(checker, place->reader, index, i, "is written before it has been read");
	}
	return true;
}

static uint8_t bit_of(uint8_t counter)
{
	return counter < HD_COUNTERS ? (uint8_t)(1u << counter) : (uint8_t)NO_COUNTER_BIT;
}

static bool is_predicate(uint32_t place)
{
	return place - HD_PLACE_PREDICATES < 8;
}

static void issue(const struct checker *checker, struct front *front, uint32_t index, const struct hd_places *writes)
{
	const struct hd_inst *inst = &checker->function->insts[index];
	const struct hd_control *control = &checker->control[index];
	bool fixed = is_fixed(checker, index);
	struct hd_places sources;
	hd_control_sources(inst, checker->timing, &sources);
	/* A result is there after its sources have been read. */
	uint8_t covers_sources = control->read < HD_COUNTERS ? bit_of(control->read) : bit_of(control->write);
	for (uint32_t i = 0; i < HD_PLACES; i++) {
		struct place *place = &front->places[i];
		if (has(&sources, i)) {
			place->read_under |= covers_sources;
			place->reader = index;
		}
		if (!has(writes, i))
			continue;
		place->writer = index;
		place->written_under = fixed ? 0 : bit_of(control->write);
		for (unsigned reader = 0; reader <= HD_PIPELINES; reader++) {
			bool read = fixed && (reader < HD_PIPELINES || is_predicate(i));
			place->left[reader] =
				read ? (uint8_t)hd_control_latency(inst, checker->timing, (enum hd_pipeline)reader) : 0;
		}
	}
}

static void pass_time(struct front *front, uint32_t cycles)
{
	for (uint32_t i = 0; i < HD_PLACES; i++)
		for (unsigned reader = 0; reader <= HD_PIPELINES; reader++) {
			uint8_t *left = &front->places[i].left[reader];
			*left = (uint8_t)(*left > cycles ? *left - cycles : 0);
		}
}

static bool step(struct checker *checker, struct front *front, uint32_t index)
{
	const struct hd_control *control = &checker->control[index];
	struct hd_places reads, writes;
	uint32_t cycles = hd_control_cycles(control);
	uint8_t raised = (uint8_t)((bit_of(control->write) | bit_of(control->read)) & ~NO_COUNTER_BIT);
	hd_inst_places(&checker->function->insts[index], &reads, &writes);
	wait_for(front, control->wait);
	if (!may_issue(checker, front, index, &reads, &writes))
		return false;
	issue(checker, front, index, &writes);
	pass_time(front, cycles);
	front->unseen = cycles < 2 ? raised : 0;
	return !hd_control_parts(&checker->function->insts[index]) || no_cycles_are_left(checker, front, index);
}

/* ---- all paths */

static bool join_place(struct place *to, const struct place *from)
{
	uint8_t written = to->written_under | from->written_under, read = to->read_under | from->read_under;
	bool grown = written != to->written_under || read != to->read_under;
	for (unsigned reader = 0; reader <= HD_PIPELINES; reader++) {
		bool later = from->left[reader] > to->left[reader];
		to->left[reader] = later ? from->left[reader] : to->left[reader];
		grown |= later;
	}
	to->written_under = written;
	to->read_under = read;
	if (grown) {
		to->writer = from->writer;
		to->reader = from->reader;
	}
	return grown;
}

static void enter(struct checker *checker, uint32_t leader, const struct front *from)
{
	struct front *to = &checker->fronts[checker->front_of[leader]];
	bool grown = !to->known || (from->unseen & ~to->unseen);
	to->known = true;
	to->unseen |= from->unseen;
	for (uint32_t i = 0; i < HD_PLACES; i++)
		grown |= join_place(&to->places[i], &from->places[i]);
	if (grown)
		hd_bitset_add(&checker->todo, leader);
}

static bool walk_block(struct checker *checker, uint32_t leader)
{
	struct front front = checker->fronts[checker->front_of[leader]];
	uint32_t i = leader;
	for (;;) {
		if (!step(checker, &front, i))
			return false;
		uint32_t next = i + 1;
		if (next >= checker->function->inst_count || hd_bitset_has(&checker->leaders, next))
			break;
		i = next;
	}
	uint32_t count = hd_inst_successors(checker->function, i, checker->targets, checker->target_capacity);
	for (uint32_t k = 0; k < count; k++)
		enter(checker, checker->targets[k], &front);
	return true;
}

static void prepare(struct checker *checker, struct hd_arena *arena)
{
	const struct hd_function *function = checker->function;
	uint32_t count = 0;
	checker->leaders = hd_function_leaders(function, arena);
	checker->todo = hd_bitset_new(arena, function->inst_count);
	checker->fronts = HD_ARENA_NEW(arena, struct front, hd_bitset_count(&checker->leaders));
	checker->front_of = HD_ARENA_NEW(arena, uint32_t, function->inst_count);
	/* All of them: streams of a linear version begin without a way into them. */
	HD_BITSET_FOREACH (&checker->leaders, leader) {
		checker->front_of[leader] = count++;
		hd_bitset_add(&checker->todo, leader);
	}
	checker->target_capacity = 2;
	for (uint32_t i = 0; i < function->table_count; i++)
		if (function->tables[i].count + 1 > checker->target_capacity)
			checker->target_capacity = function->tables[i].count + 1;
	checker->targets = HD_ARENA_NEW(arena, uint32_t, checker->target_capacity);
}

bool hd_control_check(const struct hd_function *function, const struct hd_control *control,
		      const struct hd_timing *timing, struct hd_control_violation *violation)
{
	struct checker checker = {.function = function, .control = control, .timing = timing, .violation = violation};
	struct hd_arena arena;
	bool covered = true;
	hd_arena_init(&arena);
	prepare(&checker, &arena);
	for (uint32_t at = hd_bitset_next(&checker.todo, 0); covered && at < function->inst_count;
	     at = hd_bitset_next(&checker.todo, 0)) {
		hd_bitset_remove(&checker.todo, at);
		covered = walk_block(&checker, at);
	}
	hd_arena_release(&arena);
	return covered;
}

void hd_control_explain(const struct hd_function *function, const struct hd_control_violation *violation, char *text,
			size_t size)
{
	char first[128] = "an earlier instruction", second[128], place[16] = "a register";
	if (violation->first < function->inst_count)
		hd_inst_format(&function->insts[violation->first], first, sizeof(first));
	hd_inst_format(&function->insts[violation->second], second, sizeof(second));
	if (violation->place < HD_PLACES)
		hd_place_name(violation->place, place);
	snprintf(text, size, "%s at 0x%x and %s at 0x%x: %s %s", first, violation->first * HD_INST_BYTES, second,
		 violation->second * HD_INST_BYTES, place, violation->what);
}
