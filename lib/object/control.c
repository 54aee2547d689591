/*
 * Sets the control bits of a function's final code (heddle/control.h), as ptxas does for cards of sm_75 and later.
 *
 * First each instruction of variable latency gets a counter for its result, and another one for its sources where these
 * may be overwritten before its result is used: inside a block by where they are needed first, so that what is needed
 * together shares one, and what is needed at different places has different ones as long as there are some. Results
 * that are used in other blocks share the last one, as ptxas has them, and sources that are overwritten there the one
 * before: who overwrites an address must not wait for what was loaded from it. Any choice is right; it decides who
 * waits for whom without need.
 *
 * Then what is under way in front of each block is found by going over the blocks until nothing changes: the places of
 * each counter, and the cycles that results of fixed latency still take, of all ways that lead there. From that follow
 * the counters an instruction waits for, and how many cycles the one in front of it must stall. What is known in front
 * of a block only grows, so that it ends, and with what was known last every way into it is in it.
 *
 * At a call, a return or a service of the runtime nothing is under way that has a counter, and results of fixed latency
 * run down over its own stall count: functions are compiled each for itself, and ptxas 13 does the same across modules
 * (docs/model.md, Two cores). A path of a divergent branch that runs between two others changes nothing for these:
 * registers are each lane's, and its time comes on top.
 *
 * Needs verified code. Cost: O(instructions * rounds), three rounds or so; a block's state is 2 KB.
 */
#include <string.h>

#include "heddle/control.h"

/* Cycles are those that are left behind an instruction, by how the reader reads: enum hd_pipeline, or as a guard. */
enum { READERS = HD_PIPELINES };
/* Counters of what is waited for in other blocks. */
enum { FAR_RESULTS = HD_COUNTERS - 1, FAR_SOURCES = HD_COUNTERS - 2 };

struct state {
	struct hd_places results[HD_COUNTERS], sources[HD_COUNTERS];
	uint8_t left[READERS][HD_PLACES];
	uint8_t guard[8];
	bool any_left;
};

struct block {
	uint32_t first, end;
	struct hd_places writes;    /* what it may write, calls included */
	struct hd_places may_write; /* what code behind it may */
};

struct inst_info {
	struct hd_places reads, writes, sources;
	bool fixed;
};

struct setter {
	const struct hd_function *function;
	const struct hd_timing *timing;
	struct hd_control *control;
	struct inst_info *infos;
	struct block *blocks;
	struct state *states; /* in front of each block */
	uint32_t *block_of;   /* by the first instruction of each */
	uint32_t block_count;
	uint32_t *targets; /* of the instruction that is looked at */
	uint32_t target_capacity;
	bool changed;
	bool far_results, far_sources; /* whether there are any */
};

/* ---- sets of places */

static bool meet(const struct hd_places *a, const struct hd_places *b)
{
	uint64_t both = 0;
	for (unsigned i = 0; i < HD_PLACE_WORDS; i++)
		both |= a->bits[i] & b->bits[i];
	return both;
}

static bool is_empty(const struct hd_places *places)
{
	return !meet(places, places);
}

/* Whether that made it larger. */
static bool add(struct hd_places *to, const struct hd_places *what)
{
	uint64_t more = 0;
	for (unsigned i = 0; i < HD_PLACE_WORDS; i++) {
		more |= what->bits[i] & ~to->bits[i];
		to->bits[i] |= what->bits[i];
	}
	return more;
}

static uint32_t next_place(const struct hd_places *set, uint32_t from)
{
	for (; from < HD_PLACES; from = (from / 64 + 1) * 64) {
		uint64_t rest = set->bits[from / 64] >> from % 64;
		if (rest)
			return from + (uint32_t)__builtin_ctzll(rest);
	}
	return HD_PLACES;
}

#define FOREACH_PLACE(set, place) \
	for (uint32_t place = next_place(set, 0); place < HD_PLACES; place = next_place(set, place + 1))

/* ---- blocks */

static uint32_t successors(struct setter *setter, uint32_t index)
{
	return hd_inst_successors(setter->function, index, setter->targets, setter->target_capacity);
}

static void find_blocks(struct setter *setter, struct hd_arena *arena)
{
	const struct hd_function *function = setter->function;
	struct hd_bitset leaders = hd_function_leaders(function, arena);
	setter->block_count = hd_bitset_count(&leaders);
	setter->blocks = HD_ARENA_NEW(arena, struct block, setter->block_count);
	setter->states = HD_ARENA_NEW(arena, struct state, setter->block_count);
	setter->block_of = HD_ARENA_NEW(arena, uint32_t, function->inst_count);
	uint32_t count = 0;
	HD_BITSET_FOREACH (&leaders, first) {
		if (count)
			setter->blocks[count - 1].end = first;
		setter->block_of[first] = count;
		setter->blocks[count++].first = first;
	}
	setter->blocks[count - 1].end = function->inst_count;
	setter->target_capacity = 2;
	for (uint32_t i = 0; i < function->table_count; i++)
		if (function->tables[i].count + 1 > setter->target_capacity)
			setter->target_capacity = function->tables[i].count + 1;
	setter->targets = HD_ARENA_NEW(arena, uint32_t, setter->target_capacity);
}

static bool parts(const struct setter *setter, uint32_t index)
{
	return hd_control_parts(&setter->function->insts[index]);
}

/* What may be written behind each block, before the warp ends. */
static void find_later_writes(struct setter *setter)
{
	static const struct hd_places everything = {{~0ull, ~0ull, ~0ull, ~0ull, ~0ull}};
	bool changed = true;
	for (uint32_t b = 0; b < setter->block_count; b++)
		for (uint32_t i = setter->blocks[b].first; i < setter->blocks[b].end; i++)
			add(&setter->blocks[b].writes, parts(setter, i) ? &everything : &setter->infos[i].writes);
	while (changed) {
		changed = false;
		for (uint32_t b = setter->block_count; b-- > 0;) {
			struct block *block = &setter->blocks[b];
			uint32_t count = successors(setter, block->end - 1);
			for (uint32_t i = 0; i < count; i++) {
				const struct block *next = &setter->blocks[setter->block_of[setter->targets[i]]];
				changed |= add(&block->may_write, &next->may_write);
				changed |= add(&block->may_write, &next->writes);
			}
		}
	}
}

/* ---- counters */

/* Counters inside a block, as they are given out. */
struct given {
	uint32_t release[HD_COUNTERS]; /* where the first waits for it */
	uint32_t used[HD_COUNTERS];    /* when it was given last, 0: not here */
	bool memory[HD_COUNTERS];
};

/* One for what is released at `release`: that of others which are, or a free one, or the one that costs least. */
static uint8_t take_counter(struct given *given, uint32_t index, uint32_t release, bool memory)
{
	uint8_t best = 0;
	uint64_t least = UINT64_MAX;
	for (uint32_t c = 0; c < HD_COUNTERS; c++) {
		bool free = !given->used[c] || given->release[c] <= index;
		uint64_t apart =
			given->release[c] > release ? given->release[c] - release : release - given->release[c];
		uint64_t cost = free ? 1 + given->used[c] : apart + (given->memory[c] != memory);
		/* what does not go together costs more than any free one */
		cost += !free && (apart || given->memory[c] != memory) ? UINT64_C(1) << 32 : 0;
		if (cost < least) {
			least = cost;
			best = c;
		}
	}
	bool free = !given->used[best] || given->release[best] <= index;
	given->release[best] = free || release < given->release[best] ? release : given->release[best];
	given->memory[best] = free ? memory : given->memory[best] || memory;
	given->used[best] = index + 1;
	return best;
}

/* For what is waited for in other blocks: others take it when there is no other. */
static void hold_back(struct given *given, uint8_t counter, const struct block *block)
{
	given->release[counter] = block->end;
	given->used[counter] = 1;
	given->memory[counter] = true;
}

/* The first instruction behind `index` that touches one of the places; the end of the block when none does. */
static uint32_t first_touch(const struct setter *setter, const struct block *block, uint32_t index,
			    const struct hd_places *places, bool writes_alone)
{
	for (uint32_t i = index + 1; i < block->end; i++)
		if (parts(setter, i) || meet(&setter->infos[i].writes, places) ||
		    (!writes_alone && meet(&setter->infos[i].reads, places)))
			return i;
	return block->end;
}

/* Where what an instruction of variable latency does is waited for: instructions of its block, its end for others. */
struct needs {
	uint32_t result, sources; /* UINT32_MAX: nowhere */
};

static struct needs needs_of(const struct setter *setter, const struct block *block, uint32_t index)
{
	const struct inst_info *info = &setter->infos[index];
	struct needs needs = {UINT32_MAX, UINT32_MAX};
	if (info->fixed || parts(setter, index))
		return needs;
	if (!is_empty(&info->writes))
		needs.result = first_touch(setter, block, index, &info->writes, false);
	if (is_empty(&info->sources))
		return needs;
	uint32_t overwritten = first_touch(setter, block, index, &info->sources, true);
	bool endangered = overwritten < block->end || meet(&block->may_write, &info->sources);
	/* Who waits for the result waits for the sources, too. */
	bool covered = needs.result < block->end && needs.result <= overwritten;
	needs.sources = endangered && !covered ? overwritten : UINT32_MAX;
	return needs;
}

static void find_far(struct setter *setter)
{
	for (uint32_t b = 0; b < setter->block_count; b++)
		for (uint32_t i = setter->blocks[b].first; i < setter->blocks[b].end; i++) {
			struct needs needs = needs_of(setter, &setter->blocks[b], i);
			setter->far_results |= needs.result == setter->blocks[b].end;
			setter->far_sources |= needs.sources == setter->blocks[b].end;
		}
}

static uint8_t counter_for(struct given *given, const struct block *block, uint32_t index, uint32_t release,
			   uint8_t far, bool memory)
{
	if (release == UINT32_MAX)
		return HD_NO_COUNTER;
	return release == block->end ? far : take_counter(given, index, release, memory);
}

static void give_counters(struct setter *setter, const struct block *block)
{
	struct given given = {{0}, {0}, {0}};
	if (setter->far_results)
		hold_back(&given, FAR_RESULTS, block);
	if (setter->far_sources)
		hold_back(&given, FAR_SOURCES, block);
	for (uint32_t i = block->first; i < block->end; i++) {
		struct hd_control *control = &setter->control[i];
		struct needs needs = needs_of(setter, block, i);
		bool memory = hd_opinfo[setter->function->insts[i].op].pipe == HD_PIPE_LSU;
		control->write = counter_for(&given, block, i, needs.result, FAR_RESULTS, memory);
		control->read = counter_for(&given, block, i, needs.sources, FAR_SOURCES, memory);
	}
}

/* ---- what is under way */

static void clear_waited(struct state *state, uint8_t wait)
{
	for (unsigned c = 0; c < HD_COUNTERS; c++)
		if (wait >> c & 1)
			state->results[c] = state->sources[c] = (struct hd_places){{0}};
}

/* The counters that an instruction has to wait for. */
static uint8_t waits_for(const struct setter *setter, const struct state *state, uint32_t index)
{
	const struct inst_info *info = &setter->infos[index];
	uint8_t wait = 0;
	for (unsigned c = 0; c < HD_COUNTERS; c++) {
		bool any = !is_empty(&state->results[c]) || !is_empty(&state->sources[c]);
		if (parts(setter, index)
			    ? any
			    : meet(&state->results[c], &info->reads) || meet(&state->results[c], &info->writes) ||
				      meet(&state->sources[c], &info->writes))
			wait |= (uint8_t)(1u << c);
	}
	return wait;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t all_left(const struct state *state)
{
	uint32_t most = 0;
	for (unsigned reader = 0; reader < READERS; reader++)
		for (unsigned place = 0; place < HD_PLACES; place++)
			most = greater(most, state->left[reader][place]);
	for (unsigned i = 0; i < 8; i++)
		most = greater(most, state->guard[i]);
	return most;
}

/* Cycles that an instruction must be behind, for results of fixed latency. One that overwrites must come later than
 * what it overwrites. */
static uint32_t cycles_left(const struct setter *setter, const struct state *state, uint32_t index)
{
	const struct hd_inst *inst = &setter->function->insts[index];
	const struct inst_info *info = &setter->infos[index];
	enum hd_pipeline reader = hd_op_pipeline(inst->op);
	uint32_t cycles = 0, own = info->fixed ? hd_control_latency(inst, setter->timing, HD_NO_PIPELINE) : 1;
	if (!state->any_left)
		return 0;
	FOREACH_PLACE (&info->reads, place)
		cycles = greater(cycles, state->left[reader][place]);
	FOREACH_PLACE (&info->writes, place)
		cycles = greater(cycles, state->left[0][place] + 1u > own ? state->left[0][place] + 1u - own : 0);
	return greater(cycles, state->guard[inst->guard & 7]);
}

/* The instruction issues. */
static void begin(const struct setter *setter, struct state *state, uint32_t index)
{
	const struct hd_inst *inst = &setter->function->insts[index];
	const struct inst_info *info = &setter->infos[index];
	const struct hd_control *control = &setter->control[index];
	FOREACH_PLACE (&info->writes, place) {
		for (unsigned reader = 0; reader < READERS; reader++)
			state->left[reader][place] = info->fixed ? (uint8_t)hd_control_latency(inst, setter->timing,
											       (enum hd_pipeline)reader)
								 : 0;
		if (place - HD_PLACE_PREDICATES < 8)
			state->guard[place - HD_PLACE_PREDICATES] =
				info->fixed ? (uint8_t)hd_control_latency(inst, setter->timing, HD_PIPELINES) : 0;
		state->any_left |= info->fixed;
	}
	if (control->write < HD_COUNTERS)
		add(&state->results[control->write], &info->writes);
	/* Its sources have been read when its result is there. */
	if (control->read < HD_COUNTERS)
		add(&state->sources[control->read], &info->sources);
	else if (control->write < HD_COUNTERS)
		add(&state->sources[control->write], &info->sources);
}

static void pass_time(struct state *state, uint32_t cycles)
{
	uint8_t any = 0;
	if (!state->any_left)
		return;
	for (unsigned reader = 0; reader < READERS; reader++)
		for (unsigned place = 0; place < HD_PLACES; place++) {
			uint8_t *left = &state->left[reader][place];
			*left = (uint8_t)(*left > cycles ? *left - cycles : 0);
			any |= *left;
		}
	for (unsigned i = 0; i < 8; i++) {
		state->guard[i] = (uint8_t)(state->guard[i] > cycles ? state->guard[i] - cycles : 0);
		any |= state->guard[i];
	}
	state->any_left = any;
}

static bool join_bytes(uint8_t *to, const uint8_t *from, unsigned count)
{
	uint8_t more = 0;
	for (unsigned i = 0; i < count; i++) {
		more |= from[i] > to[i];
		to[i] = from[i] > to[i] ? from[i] : to[i];
	}
	return more;
}

static void join(struct setter *setter, uint32_t target, const struct state *from)
{
	uint32_t b = setter->block_of[target];
	struct state *to = &setter->states[b];
	bool changed = false;
	for (unsigned c = 0; c < HD_COUNTERS; c++) {
		changed |= add(&to->results[c], &from->results[c]);
		changed |= add(&to->sources[c], &from->sources[c]);
	}
	if (from->any_left) {
		changed |= join_bytes(to->left[0], from->left[0], READERS * HD_PLACES);
		changed |= join_bytes(to->guard, from->guard, 8);
	}
	to->any_left |= from->any_left;
	setter->changed |= changed;
}

/* Counters show a cycle after issue: who waits for one at once must be two cycles behind. */
static uint32_t cycles_to_show(const struct setter *setter, uint32_t index, uint32_t next, uint8_t wait)
{
	const struct hd_control *control = &setter->control[index];
	uint8_t raised = (uint8_t)((control->write < HD_COUNTERS ? 1u << control->write : 0) |
				   (control->read < HD_COUNTERS ? 1u << control->read : 0));
	return (setter->control[next].wait | wait) & raised ? 2 : 1;
}

static void go_over_block(struct setter *setter, uint32_t b)
{
	const struct block *block = &setter->blocks[b];
	struct state state = setter->states[b];
	for (uint32_t i = block->first; i < block->end; i++) {
		struct hd_control *control = &setter->control[i];
		uint8_t wait = waits_for(setter, &state, i);
		setter->changed |= wait & ~control->wait;
		control->wait |= wait;
		clear_waited(&state, control->wait);
		begin(setter, &state, i);
		uint32_t stall = greater(control->stall, 1), count = successors(setter, i);
		if (parts(setter, i) && state.any_left)
			stall = greater(stall, all_left(&state));
		for (uint32_t k = 0; k < count; k++) {
			uint32_t next = setter->targets[k];
			stall = greater(stall, cycles_left(setter, &state, next));
			stall = greater(stall, cycles_to_show(setter, i, next, waits_for(setter, &state, next)));
		}
		setter->changed |= stall > control->stall;
		control->stall = (uint8_t)stall;
		pass_time(&state, stall);
		for (uint32_t k = 0; k < count && i + 1 == block->end; k++)
			join(setter, setter->targets[k], &state);
	}
}

static void look_at(struct setter *setter, struct hd_arena *arena)
{
	const struct hd_function *function = setter->function;
	setter->infos = HD_ARENA_NEW(arena, struct inst_info, function->inst_count);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		struct inst_info *info = &setter->infos[i];
		hd_inst_places(&function->insts[i], &info->reads, &info->writes);
		hd_control_sources(&function->insts[i], setter->timing, &info->sources);
		info->fixed = hd_control_is_fixed(&function->insts[i], setter->timing);
		setter->control[i].write = setter->control[i].read = HD_NO_COUNTER;
	}
}

struct hd_control *hd_control_compute(const struct hd_function *function, const struct hd_timing *timing,
				      struct hd_arena *arena)
{
	struct hd_arena scratch;
	struct setter setter = {.function = function, .timing = timing};
	setter.control = HD_ARENA_NEW(arena, struct hd_control, function->inst_count);
	hd_arena_init(&scratch);
	look_at(&setter, &scratch);
	find_blocks(&setter, &scratch);
	find_later_writes(&setter);
	find_far(&setter);
	for (uint32_t b = 0; b < setter.block_count; b++)
		give_counters(&setter, &setter.blocks[b]);
	do {
		setter.changed = false;
		for (uint32_t b = 0; b < setter.block_count; b++)
			go_over_block(&setter, b);
	} while (setter.changed);
	for (uint32_t i = 0; i < function->inst_count; i++)
		setter.control[i].yield = setter.control[i].stall > 3;
	hd_arena_release(&scratch);
	return setter.control;
}
