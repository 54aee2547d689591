/* The counters of loops, and what values the ends of loops depend on. See loops.h. */
#include "lib/object/loops.h"

#include <string.h>

#include "heddle/opcodes.h"
#include "lib/machine/regset.h"

#define SHORT_OF_A_ROUND 0x0fffffffu

enum { MOST_MOVES = 3 }; /* from an addition back to its operand */

struct loop {
	const struct hd_loops *of;
	const struct hd_inst *insts;
	uint32_t first, last, head_end, tail;
};

/* Values that foreign instructions have a part in, before an instruction. */
struct hd_loop_values {
	struct hd_regset regs;
	uint64_t uniform;
	bool local, reached;
	bool decided; /* foreign values have a part in whether it is run */
};

static void add_branch(struct hd_loops *loops, uint32_t from, uint32_t to)
{
	if (loops->least[to] > from)
		loops->least[to] = from;
	if (loops->most[to] < from)
		loops->most[to] = from;
}

struct hd_loops hd_loops_of(const struct hd_function *function, struct hd_arena *arena)
{
	struct hd_loops loops = {.function = function, .arena = arena};
	loops.leaders = hd_function_leaders(function, arena);
	loops.least = HD_ARENA_NEW(arena, uint32_t, function->inst_count + 1);
	loops.most = HD_ARENA_NEW(arena, uint32_t, function->inst_count + 1);
	memset(loops.least, 0xff, function->inst_count * sizeof *loops.least);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		const struct hd_inst *inst = &function->insts[i];
		if (inst->op == HD_OP_BRA)
			add_branch(&loops, i, inst->x);
		if (inst->op != HD_OP_BRX)
			continue;
		const struct hd_jump_table *table = &function->tables[inst->x];
		for (uint32_t t = 0; t < table->count; t++)
			add_branch(&loops, i, table->targets[t]);
	}
	return loops;
}

static struct loop loop_of(const struct hd_loops *loops, uint32_t branch)
{
	const struct hd_inst *insts = loops->function->insts;
	struct loop loop = {.of = loops, .insts = insts, .first = insts[branch].x, .last = branch};
	loop.head_end = loop.first;
	loop.tail = branch;
	while (loop.head_end < branch && !hd_inst_ends_block(&insts[loop.head_end]))
		loop.head_end++;
	while (loop.tail > loop.first && !hd_bitset_has(&loops->leaders, loop.tail))
		loop.tail--;
	return loop;
}

/* ---- counters */

/* Whether each turn comes by the instruction: it is in the first block or the last, or no branch leads past it. */
static bool is_passed(const struct loop *loop, uint32_t at)
{
	if (at <= loop->head_end || at >= loop->tail)
		return true;
	for (uint32_t to = at + 1; to <= loop->last; to++)
		if (loop->of->least[to] < at || (loop->of->least[to] != UINT32_MAX && loop->of->most[to] > loop->last))
			return false;
	return true;
}

/* The instruction of the loop that writes the register, UINT32_MAX for none or several. Calls leave alone what is
 * needed behind them. */
static uint32_t writer_of(const struct loop *loop, unsigned reg, bool *is_written)
{
	uint32_t writer = UINT32_MAX;
	struct hd_regset writes;
	*is_written = false;
	for (uint32_t i = loop->first; i <= loop->last; i++) {
		hd_inst_writes(&loop->insts[i], &writes);
		if (!hd_regset_has(&writes, reg))
			continue;
		writer = *is_written ? UINT32_MAX : i;
		*is_written = true;
	}
	return writer;
}

static bool is_written(const struct loop *loop, unsigned reg)
{
	bool written;
	writer_of(loop, reg, &written);
	return written;
}

/* Whether each turn moves the value of `from` to `to`, and nothing else changes what is on the way. */
static bool is_moved(const struct loop *loop, unsigned from, unsigned to)
{
	for (unsigned moves = 0; to != from; moves++) {
		bool written;
		uint32_t at = writer_of(loop, to, &written);
		const struct hd_inst *inst = at == UINT32_MAX ? NULL : &loop->insts[at];
		bool moves_on = inst && inst->op == HD_OP_MOV && inst->guard == HD_PT && !hd_x_in_b(inst->xkind);
		if (!moves_on || moves == MOST_MOVES || !is_passed(loop, at))
			return false;
		to = inst->b;
	}
	return true;
}

/* R = Q + what the loop does not change, where Q is what R was in an earlier turn. */
static bool is_counter(const struct loop *loop, uint32_t at)
{
	const struct hd_inst *inst = &loop->insts[at];
	const uint8_t regs[] = {inst->a, inst->b, inst->c};
	const uint8_t signs[] = {HD_NEG_A, HD_NEG_B, HD_NEG_C};
	const bool numbers[] = {false, hd_x_in_b(inst->xkind), hd_x_in_c(inst->xkind)};
	unsigned self = HD_RZ, selves = 0, steps = 0;
	bool written;
	if (inst->op != HD_OP_IADD3 || inst->guard != HD_PT || inst->dst == HD_RZ || hd_mod_get(inst->mods, HD_MOD_EX))
		return false;
	for (unsigned i = 0; i < 3; i++) {
		if (numbers[i]) {
			steps += !hd_x_is_immediate(inst->xkind) || inst->x & SHORT_OF_A_ROUND;
		} else if (regs[i] != HD_RZ && is_written(loop, regs[i])) {
			self = regs[i];
			selves += inst->srcmods & signs[i] ? 2 : 1;
		} else {
			steps += regs[i] != HD_RZ;
		}
	}
	return selves == 1 && steps && is_passed(loop, at) && writer_of(loop, inst->dst, &written) == at &&
	       is_moved(loop, inst->dst, self);
}

bool hd_loop_is_counted(const struct hd_loops *loops, uint32_t branch)
{
	struct loop loop = loop_of(loops, branch);
	for (uint32_t i = loop.first; i <= loop.last; i++)
		if (is_counter(&loop, i))
			return true;
	return false;
}

/* ---- ends */

struct tracer {
	struct loop loop;
	struct hd_loop_values *values;
	const uint8_t *foreign;
	bool changed, ends;
};

static bool is_inside(const struct loop *loop, uint32_t at)
{
	return at >= loop->first && at <= loop->last;
}

/* Code elsewhere may be part of the loop where it leads into its middle. */
static bool is_whole(const struct loop *loop)
{
	for (uint32_t to = loop->first + 1; to <= loop->last; to++)
		if (loop->of->least[to] != UINT32_MAX &&
		    (loop->of->least[to] < loop->first || loop->of->most[to] > loop->last))
			return false;
	return true;
}

static void flow_to(struct tracer *tracer, const struct hd_loop_values *from, uint32_t to)
{
	struct hd_loop_values *values = &tracer->values[to];
	bool grown = hd_regset_union(&values->regs, &from->regs) || from->uniform & ~values->uniform ||
		     from->local > values->local || !values->reached;
	values->uniform |= from->uniform;
	values->local |= from->local;
	values->reached = true;
	tracer->changed |= grown;
}

static bool reads_foreign(const struct hd_inst *inst, const struct hd_loop_values *values)
{
	struct hd_regset reads;
	hd_inst_reads(inst, &reads);
	hd_regset_intersect(&reads, &values->regs);
	bool from_local = values->local && hd_opinfo[inst->op].space == HD_AT_LOCAL;
	return reads.preds || hd_regset_next(&reads, 0) < HD_RZ || hd_inst_uniform_reads(inst) & values->uniform ||
	       (from_local && hd_opinfo[inst->op].effects & HD_FX_LOAD);
}

static void write_values(const struct hd_inst *inst, bool is_foreign, struct hd_loop_values *values)
{
	struct hd_regset writes;
	hd_inst_writes(inst, &writes);
	if (is_foreign) {
		hd_regset_union(&values->regs, &writes);
		values->uniform |= hd_inst_uniform_writes(inst);
		values->local |= hd_opinfo[inst->op].space == HD_AT_LOCAL && hd_opinfo[inst->op].effects & HD_FX_STORE;
	} else if (inst->guard == HD_PT) {
		hd_regset_subtract(&values->regs, &writes);
		values->uniform &= ~hd_inst_uniform_writes(inst);
	}
}

/* Whether all that is run from `first` on goes on inside of [first, end], up to its end. */
static bool stays_inside(const struct tracer *tracer, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct hd_inst *inst = &tracer->loop.insts[i];
		unsigned effects = hd_opinfo[inst->op].effects;
		bool goes_out = inst->op == HD_OP_BRA && (inst->x < first || inst->x > end);
		if (goes_out || effects & (HD_FX_RET | HD_FX_EXIT))
			return false;
	}
	return true;
}

/* Where foreign values decide a branch in the loop, they decide what is run until its paths meet, the code of an inner
 * loop included. Returns whether this can be told. */
static bool decide(struct tracer *tracer, uint32_t at)
{
	const struct hd_inst *inst = &tracer->loop.insts[at];
	uint32_t first = inst->x <= at ? inst->x : at + 1, end = inst->reconv;
	if (end == HD_NO_PC || end <= at || end > tracer->loop.last || !stays_inside(tracer, first, end))
		return false;
	for (uint32_t i = first; i < end; i++) {
		tracer->changed |= !tracer->values[i].decided;
		tracer->values[i].decided = true;
	}
	return true;
}

/* Returns false where foreign values decide when the loop ends, or may. */
static bool step(struct tracer *tracer, uint32_t at)
{
	const struct hd_inst *inst = &tracer->loop.insts[at];
	unsigned effects = hd_opinfo[inst->op].effects;
	struct hd_loop_values values = tracer->values[at];
	bool reads = reads_foreign(inst, &values), leaves = effects & (HD_FX_RET | HD_FX_EXIT);
	uint32_t successors[2];
	if (effects & HD_FX_CALL || inst->op == HD_OP_BRX)
		return false;
	write_values(inst, tracer->foreign[at] || effects & HD_FX_CONVERGENT || values.decided || reads, &values);
	uint32_t count = hd_inst_successors(tracer->loop.of->function, at, successors, 2);
	for (uint32_t s = 0; s < count; s++) {
		if (is_inside(&tracer->loop, successors[s]))
			flow_to(tracer, &values, successors[s]);
		else
			leaves = true;
	}
	tracer->ends |= leaves;
	if (leaves)
		return !values.decided && !reads;
	return inst->op != HD_OP_BRA || !reads || decide(tracer, at);
}

bool hd_loop_heeds(struct hd_loops *loops, uint32_t branch, const uint8_t *foreign)
{
	struct tracer tracer = {.loop = loop_of(loops, branch), .foreign = foreign, .changed = true};
	if (!is_whole(&tracer.loop))
		return true;
	if (!loops->values)
		loops->values = HD_ARENA_NEW(loops->arena, struct hd_loop_values, loops->function->inst_count + 1);
	tracer.values = loops->values;
	for (uint32_t i = tracer.loop.first; i <= branch; i++)
		tracer.values[i] = (struct hd_loop_values){.reached = i == tracer.loop.first};
	while (tracer.changed) {
		tracer.changed = false;
		for (uint32_t i = tracer.loop.first; i <= branch; i++)
			if (tracer.values[i].reached && !step(&tracer, i))
				return true;
	}
	return !tracer.ends;
}
