/*
 * A loop can be a wait for another lane where it reads memory that this may write: by an ordinary load when nothing
 * else goes on in it, that is, while no register counts its turns; by atomic operations with a result, volatile and
 * synchronising loads, or calls of what has some, whatever else it does, since such waits count their turns or look at
 * a clock. The loop is the code from the branch's target to the branch.
 *
 * A register counts the turns when nothing in the loop writes it but an addition to itself that each turn comes by, in
 * the first block or the last. Constants of less than 28 bits take 16 turns and more to come round; what else does not
 * change in the loop is taken for a step, too: with one of 0 the loop is not taken for a wait.
 */
#include "lib/object/spins.h"
#include "heddle/opcodes.h"

#include <stdlib.h>

#include "lib/machine/regset.h"

#define SHORT_OF_A_ROUND 0x0fffffffu

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* The function of this object that is called, or NULL. */
static const struct hd_symbol *callee_of(const struct hd_spins *spins, const struct hd_reloc *reloc)
{
	const struct hd_symbol *symbol = reloc->kind == HD_REL_CALL ? &spins->object->symbols[reloc->symbol] : NULL;
	return symbol && symbol->defined ? symbol : NULL;
}

/* Of an instruction that is no call. */
static unsigned class_of(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	if (info->effects & HD_FX_ATOMIC)
		return inst->dst == HD_RZ ? HD_SPIN_NEVER : HD_SPIN_LONG;
	bool fixed = info->space == HD_AT_LOCAL || info->space == HD_AT_CONST || info->space == HD_AT_TEXTURE;
	if (!(info->effects & HD_FX_LOAD) || info->effects & HD_FX_ASYNC || fixed)
		return HD_SPIN_NEVER;
	return hd_mod_get(inst->mods, HD_MOD_SEM) == HD_SEM_WEAK ? HD_SPIN_SAME : HD_SPIN_LONG;
}

/* Of each instruction, as if it were alone in a loop. */
static void classify(const struct hd_spins *spins, const struct hd_function *function, uint8_t *class)
{
	for (uint32_t i = 0; i < function->inst_count; i++)
		class[i] = hd_opinfo[function->insts[i].op].effects & HD_FX_CALL
				   ? HD_SPIN_LONG
				   : (uint8_t)class_of(&function->insts[i]);
	for (uint32_t r = 0; r < function->reloc_count; r++) {
		const struct hd_symbol *callee = callee_of(spins, &function->relocs[r]);
		if (callee)
			class[function->relocs[r].offset] = spins->call[callee->function];
	}
}

/* Whether something is new of the function. */
static bool look_at(struct hd_spins *spins, uint32_t index, uint8_t *class)
{
	const struct hd_function *function = &spins->object->functions[index];
	uint8_t before = spins->call[index];
	classify(spins, function, class);
	for (uint32_t i = 0; i < function->inst_count; i++)
		spins->call[index] = (uint8_t)most(spins->call[index], class[i]);
	return spins->call[index] != before;
}

void hd_spins_prepare(struct hd_spins *spins, const struct hd_object *object, struct hd_arena *arena)
{
	uint32_t longest = 0;
	*spins = (struct hd_spins){.object = object};
	spins->call = HD_ARENA_NEW(arena, uint8_t, object->function_count + 1);
	for (uint32_t f = 0; f < object->function_count; f++)
		longest = (uint32_t)most(longest, object->functions[f].inst_count);
	spins->class = HD_ARENA_NEW(arena, uint8_t, longest + 1);
}

void hd_spins_look(struct hd_spins *spins, const uint32_t *functions, uint32_t count)
{
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < count; i++)
			again |= look_at(spins, functions[i], spins->class);
	}
}

void hd_spins_init(struct hd_spins *spins, const struct hd_object *object, struct hd_arena *arena)
{
	uint32_t *all = hd_xcalloc(object->function_count + 1, sizeof *all);
	hd_spins_prepare(spins, object, arena);
	for (uint32_t f = 0; f < object->function_count; f++)
		all[f] = f;
	hd_spins_look(spins, all, object->function_count);
	free(all);
}

/* ---- loops */

/* The code of a loop, and what of it each turn comes by. */
struct loop {
	const struct hd_function *function;
	uint32_t first, last, head_end, tail;
};

/* By another instruction than that at `at`. Calls leave alone what is needed behind them. */
static bool is_written(const struct loop *loop, uint32_t at, unsigned reg)
{
	struct hd_regset writes;
	for (uint32_t i = loop->first; i <= loop->last; i++) {
		hd_inst_writes(&loop->function->insts[i], &writes);
		if (i != at && hd_regset_has(&writes, reg))
			return true;
	}
	return false;
}

/* R = R + what the loop does not change. */
static bool is_counter(const struct loop *loop, uint32_t at)
{
	const struct hd_inst *inst = &loop->function->insts[at];
	const uint8_t regs[] = {inst->a, inst->b, inst->c};
	const bool numbers[] = {false, hd_x_in_b(inst->xkind), hd_x_in_c(inst->xkind)};
	unsigned selves = 0, steps = 0;
	if (inst->op != HD_OP_IADD3 || inst->guard != HD_PT || inst->srcmods || inst->dst == HD_RZ ||
	    hd_mod_get(inst->mods, HD_MOD_EX))
		return false;
	for (unsigned i = 0; i < 3; i++) {
		if (numbers[i])
			steps += !hd_x_is_immediate(inst->xkind) || inst->x & SHORT_OF_A_ROUND;
		else if (regs[i] == inst->dst)
			selves++;
		else if (regs[i] != HD_RZ && is_written(loop, UINT32_MAX, regs[i]))
			return false;
		else
			steps += regs[i] != HD_RZ;
	}
	return selves == 1 && steps && !is_written(loop, at, inst->dst);
}

static bool counts_turns(const struct loop *loop)
{
	bool counts = false;
	for (uint32_t i = loop->first; i <= loop->last && !counts; i++)
		counts = (i <= loop->head_end || i >= loop->tail) && is_counter(loop, i);
	return counts;
}

static bool is_counted(const struct hd_function *function, const struct hd_bitset *leaders, uint32_t branch)
{
	struct loop loop = {.function = function, .first = function->insts[branch].x, .last = branch};
	loop.head_end = loop.first;
	loop.tail = branch;
	while (loop.head_end < branch && !hd_inst_ends_block(&function->insts[loop.head_end]))
		loop.head_end++;
	while (loop.tail > loop.first && !hd_bitset_has(leaders, loop.tail))
		loop.tail--;
	return counts_turns(&loop);
}

static void mark_sleeps(const struct hd_function *function, uint32_t first, uint32_t last, uint8_t *of)
{
	for (uint32_t i = first; i < last; i++)
		if (function->insts[i].op == HD_OP_NANOSLEEP)
			of[i] = HD_SPIN_LONG;
}

void hd_spins_find(const struct hd_spins *spins, const struct hd_function *function, uint8_t *of)
{
	uint32_t last[HD_SPIN_LONG + 1] = {0}; /* of each class: 1 + the last instruction so far */
	struct hd_arena scratch;
	hd_arena_init(&scratch);
	struct hd_bitset leaders = hd_function_leaders(function, &scratch);
	uint8_t *class = HD_ARENA_NEW(&scratch, uint8_t, function->inst_count + 1);
	classify(spins, function, class);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		const struct hd_inst *inst = &function->insts[i];
		last[class[i]] = i + 1;
		of[i] = HD_SPIN_NEVER;
		if (inst->op != HD_OP_BRA || inst->x > i)
			continue;
		if (last[HD_SPIN_LONG] > inst->x)
			of[i] = HD_SPIN_LONG;
		else if (last[HD_SPIN_SAME] > inst->x && !is_counted(function, &leaders, i))
			of[i] = HD_SPIN_SAME;
		if (of[i] != HD_SPIN_NEVER)
			mark_sleeps(function, inst->x, i, of);
	}
	hd_arena_release(&scratch);
}
