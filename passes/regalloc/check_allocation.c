/*
 * Independent checker of register allocation. Runs the allocated code abstractly next to
 * the code before: for every physical register, predicate and spill word it keeps which
 * value of the original function is there, meeting over all paths, and demands that every
 * operand reads the value that the original instruction named. Also checks alignment, the
 * register limit, that R1 stays the stack pointer, and that nothing is expected to survive
 * a call in a register that the callee may change. It shares no code with the allocator.
 *
 * A value is a word of a virtual register, the content of a physical register (arguments,
 * results), or what an instruction that the allocator repeated makes, the same wherever it
 * is repeated. Values that the original leaves undefined may be anything.
 *
 * Needs the snapshot before allocation, whose instruction tags the allocated code keeps.
 * Costs locations x instructions x passes of the data-flow iteration: debug builds only.
 */
#include <inttypes.h>

#include "heddle/opcodes.h"
#include "passes/mir/register_budgets.h"
#include "passes/regalloc/ipra.h"
#include "passes/regalloc/regalloc.h"

enum { TOP, UNKNOWN, FIRST_VALUE };

struct def {
	const struct hd_minst *inst;
	uint32_t count;
	bool undefined;
};

struct checker {
	struct hd_mfunc *before, *after;
	struct hd_diag *diag;
	struct hd_arena arena;
	uint32_t *base;	  /* by virtual register: its first value */
	uint32_t words;	  /* values of virtual registers */
	struct def *defs; /* by value */
	uint32_t *slot;	  /* by frame object: its first location */
	uint32_t locations;
	uint32_t *inst_start;	       /* by block: number of its first instruction after allocation */
	const struct hd_minst **insts; /* by that number */
	uint32_t **entry;	       /* by block: state at its beginning */
	uint32_t *state;
	const uint32_t *budgets; /* by block: registers at its beginning; NULL: the limit everywhere */
	uint32_t limit;		 /* here: registers that the code may name */
	bool report;
	int status;
	const struct hd_minst *inst; /* after allocation */
};

static void fail(struct checker *checker, const char *what)
{
	if (!checker->report || checker->status)
		return;
	struct hd_loc loc = checker->inst ? checker->after->locs.data[checker->inst->loc] : HD_NOWHERE;
	checker->status = hd_error(checker->diag, loc, "register allocation of %s: instruction %" PRIu32 ": %s",
				   checker->after->name, checker->inst ? checker->inst->tag : 0, what);
}

/* ---- values and locations ---- */

static uint32_t value_of(const struct checker *checker, struct hd_mreg reg, uint32_t word)
{
	if (hd_mreg_is_virtual(reg.id))
		return FIRST_VALUE + checker->base[reg.id - HD_MREG_VIRTUAL] + reg.sub + word;
	return FIRST_VALUE + checker->words + reg.id + reg.sub + word;
}

static uint32_t repeated_value(const struct checker *checker, uint32_t number)
{
	return FIRST_VALUE + checker->words + HD_MREG_VIRTUAL + number;
}

static bool same_operation(const struct hd_minst *a, const struct hd_minst *b)
{
	return a->op == b->op && a->mods == b->mods && a->xkind == b->xkind && a->srcmods == b->srcmods &&
	       a->ref_kind == b->ref_kind && a->ref == b->ref && a->x == b->x && a->linear == b->linear &&
	       a->coefficient == b->coefficient && a->a.id == b->a.id && a->b.id == b->b.id && a->c.id == b->c.id &&
	       a->dst.words == b->dst.words;
}

/* Whether `value` is what the repeated instruction makes. */
static bool is_made_by(const struct checker *checker, uint32_t value, const struct hd_minst *inst)
{
	for (uint32_t steps = 0; steps < checker->words; steps++) {
		uint32_t index = value - FIRST_VALUE;
		if (index >= checker->words || checker->defs[index].count != 1)
			return false;
		const struct hd_minst *def = checker->defs[index].inst;
		if (def->op != HD_OP_COPY || !def->dst.words)
			return same_operation(def, inst);
		value = value_of(checker, def->b, 0); /* a copy of such a value is one too */
	}
	return false;
}

static bool is_anything(const struct checker *checker, uint32_t value)
{
	uint32_t index = value - FIRST_VALUE;
	return index < checker->words && (checker->defs[index].undefined || !checker->defs[index].count);
}

static void expect(struct checker *checker, uint32_t location, uint32_t value)
{
	uint32_t found = checker->state[location], repeated = repeated_value(checker, 0);
	if (found == value || is_anything(checker, value))
		return;
	if (found >= repeated && is_made_by(checker, value, checker->insts[found - repeated]))
		return;
	fail(checker, "an operand does not hold the value that it should");
}

/* Every other copy of the value is out of date now. */
static void forget(struct checker *checker, uint32_t value)
{
	for (uint32_t i = 0; i < checker->locations; i++)
		if (checker->state[i] == value)
			checker->state[i] = UNKNOWN;
}

static void define(struct checker *checker, uint32_t location, uint32_t value)
{
	forget(checker, value);
	checker->state[location] = value;
}

/* ---- operands ---- */

struct operands {
	HD_VEC(struct hd_mreg) reads, writes;
};

static void collect(void *context, struct hd_mreg *reg, bool is_def)
{
	struct operands *operands = context;
	if (is_def)
		hd_vec_push(&operands->writes, *reg);
	else
		hd_vec_push(&operands->reads, *reg);
}

static struct operands operands_of(struct hd_mfunc *func, const struct hd_minst *inst)
{
	struct operands operands = {0};
	struct hd_minst copy = *inst;
	hd_minst_visit(func, &copy, collect, &operands);
	return operands;
}

static void release(struct operands *operands)
{
	hd_vec_release(&operands->reads);
	hd_vec_release(&operands->writes);
}

static void check_place(struct checker *checker, struct hd_mreg reg)
{
	if (hd_mreg_is_virtual(reg.id))
		fail(checker, "a virtual register is left");
	else if (reg.id < HD_RZ && reg.id % hd_register_alignment(reg.words))
		fail(checker, "a misaligned pair or quad");
	else if (reg.id < HD_RZ && checker->limit && reg.id + reg.words > checker->limit)
		fail(checker, "a register above the limit");
}

static uint32_t slot_location(struct checker *checker, const struct hd_minst *inst)
{
	uint32_t stack = hd_mfunc_frame_base(checker->after);
	if (inst->ref_kind != HD_MREF_FRAME || inst->a.id != stack)
		fail(checker, "a spill outside the frame");
	expect(checker, stack, FIRST_VALUE + checker->words + stack);
	return checker->slot[inst->ref] + inst->x / 4;
}

/* ---- instructions ---- */

static void clobber(struct checker *checker, const struct hd_minst *call)
{
	struct hd_clobbers set = hd_clobbers_of_call(checker->after, call);
	for (uint32_t reg = 0; reg < HD_MREG_PT; reg++)
		if (reg != HD_RZ && hd_clobbers_has(&set, reg))
			checker->state[reg] = UNKNOWN;
}

static void step_plain(struct checker *checker, const struct hd_minst *before, const struct hd_minst *after)
{
	struct operands old = operands_of(checker->before, before), now = operands_of(checker->after, after);
	bool same = old.reads.len == now.reads.len && old.writes.len == now.writes.len && before->op == after->op;
	if (!same)
		fail(checker, "an instruction has other operands than before");
	for (uint32_t i = 0; same && i < now.reads.len; i++) {
		check_place(checker, now.reads.data[i]);
		for (uint32_t w = 0; w < now.reads.data[i].words && !checker->status; w++)
			expect(checker, now.reads.data[i].id + w, value_of(checker, old.reads.data[i], w));
	}
	if (after->op < HD_OP_LIMIT && hd_opinfo[after->op].effects & HD_FX_CALL)
		clobber(checker, after);
	for (uint32_t i = 0; same && i < now.writes.len; i++) {
		check_place(checker, now.writes.data[i]);
		for (uint32_t w = 0; w < now.writes.data[i].words && !checker->status; w++)
			define(checker, now.writes.data[i].id + w, value_of(checker, old.writes.data[i], w));
	}
	release(&old);
	release(&now);
}

/* A copy that became the load, the store or the repetition of what it copied. */
static void step_folded(struct checker *checker, const struct hd_minst *copy, const struct hd_minst *after)
{
	uint32_t to = value_of(checker, copy->dst, 0), from = value_of(checker, copy->b, 0);
	if (after->role == HD_ROLE_SPILL_STORE) {
		check_place(checker, after->c);
		expect(checker, after->c.id, from);
		define(checker, slot_location(checker, after), to);
		return;
	}
	check_place(checker, after->dst);
	if (after->role == HD_ROLE_SPILL_LOAD)
		expect(checker, slot_location(checker, after), from);
	else if (!is_made_by(checker, from, after))
		fail(checker, "a copy became another instruction");
	define(checker, after->dst.id, to);
}

static void step_spill(struct checker *checker, const struct hd_minst *inst)
{
	bool load = inst->role == HD_ROLE_SPILL_LOAD;
	struct hd_mreg reg = load ? inst->dst : inst->c;
	uint32_t slot = slot_location(checker, inst);
	check_place(checker, reg);
	for (uint32_t w = 0; w < reg.words && !checker->status; w++) {
		if (load)
			checker->state[reg.id + w] = checker->state[slot + w];
		else
			checker->state[slot + w] = checker->state[reg.id + w];
	}
}

/* What the allocator added. */
static void step_own(struct checker *checker, const struct hd_minst *inst, uint32_t number)
{
	bool spill = inst->role == HD_ROLE_SPILL_LOAD || inst->role == HD_ROLE_SPILL_STORE;
	if (spill) {
		step_spill(checker, inst);
	} else if (inst->op == HD_OP_SEL && inst->psrc != HD_MREG_PT) {
		if (inst->a.id != HD_RZ || inst->xkind != HD_X_IMM_B || inst->x != 1 || !inst->psrc_not)
			fail(checker, "a predicate is saved wrongly");
		checker->state[inst->dst.id] = checker->state[inst->psrc];
	} else if (inst->op == HD_OP_ISETP) {
		if (inst->b.id != HD_RZ || inst->xkind || inst->mods != HD_MOD(CMP, HD_CMP_NE))
			fail(checker, "a predicate is restored wrongly");
		checker->state[inst->pdst] = checker->state[inst->a.id];
	} else {
		check_place(checker, inst->dst);
		checker->state[inst->dst.id] = repeated_value(checker, number);
	}
}

static bool is_repeatable(const struct checker *checker, const struct hd_minst *inst)
{
	for (uint32_t steps = 0; inst->op == HD_OP_COPY && steps < checker->words; steps++) {
		uint32_t index = value_of(checker, inst->b, 0) - FIRST_VALUE;
		if (!inst->dst.words || index >= checker->words || checker->defs[index].count != 1)
			return false;
		inst = checker->defs[index].inst;
	}
	return inst->op == HD_OP_UNDEF || inst->op == HD_OP_LDC || inst->op == HD_OP_S2R ||
	       (inst->op < HD_OP_LIMIT && !hd_opinfo[inst->op].effects);
}

/* An original instruction that has no counterpart: its results are nowhere. */
static void step_dropped(struct checker *checker, const struct hd_minst *inst)
{
	struct operands old = operands_of(checker->before, inst);
	if (!is_repeatable(checker, inst))
		fail(checker, "an instruction was lost");
	for (uint32_t i = 0; i < old.writes.len; i++)
		for (uint32_t w = 0; w < old.writes.data[i].words; w++)
			forget(checker, value_of(checker, old.writes.data[i], w));
	release(&old);
}

/* Registers that a thread gives up, or is given, hold nothing. */
static void take_budget(struct checker *checker, uint32_t budget)
{
	uint32_t next = hd_budget_cap(checker->after, budget);
	for (uint32_t reg = next < checker->limit ? next : checker->limit; reg < HD_RZ && next != checker->limit; reg++)
		checker->state[reg] = UNKNOWN;
	checker->limit = next;
}

static void step_block(struct checker *checker, uint32_t id)
{
	const struct hd_mblock *before = &checker->before->blocks.data[id], *after = &checker->after->blocks.data[id];
	uint32_t old = 0, budget = checker->budgets ? checker->budgets[id] : 0;
	checker->limit = budget ? hd_budget_cap(checker->after, budget) : hd_mfunc_cap(checker->after);
	for (uint32_t i = 0; i < after->insts.len && !checker->status; i++) {
		const struct hd_minst *inst = checker->inst = &after->insts.data[i];
		if (budget && hd_budget_behind(inst, budget) != budget) {
			budget = hd_budget_behind(inst, budget);
			take_budget(checker, budget);
		}
		if (!inst->tag) {
			step_own(checker, inst, checker->inst_start[id] + i);
			continue;
		}
		while (old < before->insts.len && before->insts.data[old].tag != inst->tag)
			step_dropped(checker, &before->insts.data[old++]);
		if (old == before->insts.len) {
			fail(checker, "instructions changed places");
			return;
		}
		const struct hd_minst *original = &before->insts.data[old++];
		if (original->op == HD_OP_COPY && inst->op != HD_OP_COPY)
			step_folded(checker, original, inst);
		else
			step_plain(checker, original, inst);
	}
	while (old < before->insts.len && !checker->status)
		step_dropped(checker, &before->insts.data[old++]);
}

/* ---- data flow ---- */

static bool is_repeated(const struct checker *checker, uint32_t found)
{
	return found >= repeated_value(checker, 0);
}

/* What a location holds where paths meet: repetitions of one instruction make the same, and what it made itself. */
static uint32_t join(const struct checker *checker, uint32_t a, uint32_t b)
{
	if (a == TOP || a == b)
		return b;
	if (!is_repeated(checker, a) && is_repeated(checker, b))
		return join(checker, b, a);
	if (!is_repeated(checker, a) || b < FIRST_VALUE)
		return UNKNOWN;
	const struct hd_minst *inst = checker->insts[a - repeated_value(checker, 0)];
	if (!is_repeated(checker, b))
		return is_made_by(checker, b, inst) ? a : UNKNOWN;
	bool same = same_operation(inst, checker->insts[b - repeated_value(checker, 0)]);
	return !same ? UNKNOWN : a < b ? a : b;
}

static bool meet(struct checker *checker, uint32_t id)
{
	uint32_t *entry = checker->entry[id];
	bool changed = false;
	for (uint32_t i = 0; i < checker->locations; i++) {
		uint32_t value = join(checker, entry[i], checker->state[i]);
		changed |= value != entry[i];
		entry[i] = value;
	}
	return changed;
}

static bool step_all(struct checker *checker, const uint32_t *order, uint32_t count)
{
	bool changed = false;
	for (uint32_t i = 0; i < count && !checker->status; i++) {
		const struct hd_mblock *block = &checker->after->blocks.data[order[i]];
		memcpy(checker->state, checker->entry[order[i]], checker->locations * sizeof(uint32_t));
		step_block(checker, order[i]);
		for (uint32_t k = 0; k < block->succs.len; k++)
			changed |= meet(checker, block->succs.data[k]);
	}
	return changed;
}

static void start_at_entry(struct checker *checker)
{
	for (uint32_t i = 0; i < checker->locations; i++)
		checker->entry[0][i] = UNKNOWN;
	for (uint32_t reg = 0; reg < HD_MREG_VIRTUAL; reg++)
		checker->entry[0][reg] = FIRST_VALUE + checker->words + reg;
}

/* ---- set-up ---- */

static void count_defs(struct checker *checker)
{
	struct hd_mfunc *func = checker->before;
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++) {
			const struct hd_minst *inst = &func->blocks.data[id].insts.data[i];
			struct operands operands = operands_of(func, inst);
			for (uint32_t k = 0; k < operands.writes.len; k++) {
				struct hd_mreg reg = operands.writes.data[k];
				for (uint32_t w = 0; w < reg.words && hd_mreg_is_virtual(reg.id); w++) {
					struct def *def = &checker->defs[value_of(checker, reg, w) - FIRST_VALUE];
					/* A constant that is made in several places is one value. */
					bool again = def->count && inst->op == HD_OP_MOV && inst->xkind != HD_X_NONE &&
						     same_operation(def->inst, inst);
					def->inst = inst;
					def->count += !again;
					def->undefined |= inst->op == HD_OP_UNDEF;
				}
			}
			release(&operands);
		}
	}
}

static void number(struct checker *checker)
{
	struct hd_mfunc *before = checker->before, *after = checker->after;
	struct hd_arena *arena = &checker->arena;
	checker->base = HD_ARENA_NEW(arena, uint32_t, before->vregs.len + 1);
	for (uint32_t i = 0; i < before->vregs.len; i++) {
		checker->base[i] = checker->words;
		checker->words += before->vregs.data[i].words ? before->vregs.data[i].words : 1;
	}
	checker->slot = HD_ARENA_NEW(arena, uint32_t, after->frame.len + 1);
	checker->locations = HD_MREG_VIRTUAL;
	for (uint32_t i = 0; i < after->frame.len; i++) {
		checker->slot[i] = checker->locations;
		checker->locations += after->frame.data[i].kind == HD_FRAME_SPILL ? after->frame.data[i].bytes / 4 : 0;
	}
	uint32_t count = 0;
	checker->inst_start = HD_ARENA_NEW(arena, uint32_t, after->blocks.len);
	for (uint32_t id = 0; id < after->blocks.len; id++) {
		checker->inst_start[id] = count;
		count += after->blocks.data[id].insts.len;
	}
	checker->insts = HD_ARENA_NEW(arena, const struct hd_minst *, count + 1);
	for (uint32_t id = 0; id < after->blocks.len; id++)
		for (uint32_t i = 0; i < after->blocks.data[id].insts.len; i++)
			checker->insts[checker->inst_start[id] + i] = &after->blocks.data[id].insts.data[i];
	checker->defs = HD_ARENA_NEW(arena, struct def, checker->words + 1);
	checker->entry = HD_ARENA_NEW(arena, uint32_t *, after->blocks.len);
	for (uint32_t id = 0; id < after->blocks.len; id++)
		checker->entry[id] = HD_ARENA_NEW(arena, uint32_t, checker->locations);
	checker->state = HD_ARENA_NEW(arena, uint32_t, checker->locations);
}

int hd_allocation_check(struct hd_mfunc *before, struct hd_mfunc *after, struct hd_diag *diag)
{
	struct checker checker = {.before = before, .after = after, .diag = diag};
	uint32_t *order;
	hd_arena_init(&checker.arena);
	number(&checker);
	count_defs(&checker);
	start_at_entry(&checker);
	checker.budgets = hd_budgets_at_entry(after, &checker.arena);
	uint32_t count = hd_mfunc_block_order(after, &checker.arena, &order);
	while (step_all(&checker, order, count)) {}
	checker.report = true;
	step_all(&checker, order, count);
	hd_arena_release(&checker.arena);
	return checker.status;
}

/* ---- snapshot ---- */

void hd_allocation_snapshot(struct hd_mfunc *func, struct hd_arena *arena, struct hd_mfunc *before)
{
	uint32_t tag = 0;
	hd_mfunc_init(before, arena, func->name);
	before->kernel = func->kernel;
	before->abi = func->abi;
	before->max_registers = func->max_registers;
	for (uint32_t i = 0; i < func->vregs.len; i++)
		hd_vec_push(&before->vregs, func->vregs.data[i]);
	hd_mfunc_extras(before, func->extras.data, func->extras.len);
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		struct hd_mblock *from = &func->blocks.data[id];
		uint32_t copy = hd_mfunc_block(before);
		struct hd_mblock *to = &before->blocks.data[copy];
		for (uint32_t i = 0; i < from->insts.len; i++) {
			from->insts.data[i].tag = ++tag;
			hd_vec_push(&to->insts, from->insts.data[i]);
		}
	}
}
