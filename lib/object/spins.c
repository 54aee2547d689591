/*
 * A loop can be a wait for another lane where it reads memory that this may write and what it reads decides how often
 * it turns (loops.h): by an ordinary load when no register counts the turns, too; by atomic operations with a result,
 * volatile and synchronising loads, or calls of what has some, whatever it counts, since such waits count their turns
 * or look at a clock. The loop is the code from the branch's target to the branch.
 *
 * Nobody writes what is read through constant caches or as read-only data while a kernel runs.
 */
#include "lib/object/spins.h"
#include "heddle/opcodes.h"

#include <stdlib.h>

#include "lib/object/loops.h"

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
	if (inst->op == HD_OP_SYNCS_WAIT) /* for a barrier in shared memory */
		return HD_SPIN_LONG;
	if (info->effects & HD_FX_ATOMIC)
		return inst->dst == HD_RZ ? HD_SPIN_NEVER : HD_SPIN_LONG;
	bool fixed = info->space == HD_AT_LOCAL || info->space == HD_AT_CONST || info->space == HD_AT_TEXTURE ||
		     inst->op == HD_OP_LDCX || hd_mod_get(inst->mods, HD_MOD_CACHE) == HD_CACHE_CI;
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
	struct hd_loops loops = {0}; /* most functions have no loop that it takes them for */
	uint8_t *class = HD_ARENA_NEW(&scratch, uint8_t, function->inst_count + 1);
	classify(spins, function, class);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		const struct hd_inst *inst = &function->insts[i];
		last[class[i]] = i + 1;
		of[i] = HD_SPIN_NEVER;
		if (inst->op != HD_OP_BRA || inst->x > i || most(last[HD_SPIN_SAME], last[HD_SPIN_LONG]) <= inst->x)
			continue;
		if (!loops.function)
			loops = hd_loops_of(function, &scratch);
		if (last[HD_SPIN_LONG] > inst->x)
			of[i] = HD_SPIN_LONG;
		else if (!hd_loop_is_counted(&loops, i))
			of[i] = HD_SPIN_SAME;
		if (of[i] != HD_SPIN_NEVER && !hd_loop_heeds(&loops, i, class))
			of[i] = HD_SPIN_NEVER;
		if (of[i] != HD_SPIN_NEVER)
			mark_sleeps(function, inst->x, i, of);
	}
	hd_arena_release(&scratch);
}
