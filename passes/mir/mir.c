/*
 * Building machine IR: functions, blocks, registers, instructions, and the operand visitor
 * that every later step walks instructions with. Needs nothing but the containers; each
 * call is amortised constant time, hd_mfunc_edge linear in the edges of its two blocks.
 * docs/architecture.md, The life of an instruction.
 */
#include "passes/mir/mir.h"
#include "heddle/opcodes.h"

#include <assert.h>

void hd_mfunc_init(struct hd_mfunc *func, struct hd_arena *arena, const char *name)
{
	*func = (struct hd_mfunc){0};
	func->arena = arena;
	func->name = name;
	func->abi = &hd_abi_cars;
	func->max_registers = HD_MAX_REGS;
	func->sm_threads = 2048;
	func->spills.base = UINT32_MAX;
	hd_vec_push(&func->locs, HD_NOWHERE);
	hd_vec_reserve(&func->extras, 8); /* so that &extras.data[0] is always a place */
}

void hd_mfunc_release(struct hd_mfunc *func)
{
	for (uint32_t i = 0; i < func->blocks.len; i++) {
		hd_vec_release(&func->blocks.data[i].insts);
		hd_vec_release(&func->blocks.data[i].preds);
		hd_vec_release(&func->blocks.data[i].succs);
	}
	hd_vec_release(&func->blocks);
	hd_vec_release(&func->vregs);
	hd_vec_release(&func->extras);
	hd_vec_release(&func->locs);
	hd_vec_release(&func->inlined);
	hd_vec_release(&func->frame);
	hd_vec_release(&func->tables);
	hd_vec_release(&func->order);
	hd_vec_release(&func->visited);
	hd_vec_release(&func->undefined);
}

void hd_mfunc_free(struct hd_mfunc *func)
{
	hd_mfunc_release(func);
	if (func->arena)
		hd_arena_release(func->arena);
	func->arena = NULL;
}

uint32_t hd_mfunc_block(struct hd_mfunc *func)
{
	hd_vec_push(&func->blocks, (struct hd_mblock){.frequency = 1.0});
	return func->blocks.len - 1;
}

static uint32_t add_vreg(struct hd_mfunc *func, uint8_t words)
{
	hd_vec_push(&func->vregs, (struct hd_mvreg){words, 0, UINT32_MAX});
	return HD_MREG_VIRTUAL + func->vregs.len - 1;
}

struct hd_mreg hd_mfunc_vreg(struct hd_mfunc *func, unsigned words)
{
	assert(words && words <= HD_MREG_WORDS);
	return (struct hd_mreg){add_vreg(func, (uint8_t)words), 0, (uint8_t)words};
}

uint32_t hd_mfunc_pred(struct hd_mfunc *func)
{
	return add_vreg(func, 0);
}

uint32_t hd_mfunc_frame(struct hd_mfunc *func, uint32_t bytes, uint32_t align, enum hd_frame_kind kind)
{
	hd_vec_push(&func->frame, (struct hd_frame_object){bytes, align ? align : 1, kind, 0});
	return func->frame.len - 1;
}

uint32_t hd_mfunc_extras(struct hd_mfunc *func, const struct hd_mreg *regs, uint32_t count)
{
	uint32_t start = func->extras.len;
	for (uint32_t i = 0; i < count; i++) {
		struct hd_mreg reg = regs[i]; /* regs may point into the vector, which may move */
		hd_vec_push(&func->extras, reg);
	}
	return start;
}

void hd_mfunc_edge(struct hd_mfunc *func, uint32_t from, uint32_t to)
{
	struct hd_mblock *source = &func->blocks.data[from], *target = &func->blocks.data[to];
	bool present = false;
	for (uint32_t i = 0; i < source->succs.len; i++)
		present |= source->succs.data[i] == to;
	if (present)
		return;
	hd_vec_push(&source->succs, to);
	hd_vec_push(&target->preds, from);
}

void hd_mfunc_graph(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_graph *graph)
{
	HD_VEC(struct hd_edge) edges = {0};
	for (uint32_t from = 0; from < func->blocks.len; from++)
		for (uint32_t i = 0; i < func->blocks.data[from].succs.len; i++)
			hd_vec_push(&edges, (struct hd_edge){from, func->blocks.data[from].succs.data[i]});
	hd_graph_build(graph, arena, func->blocks.len, 0, edges.data, edges.len);
	hd_vec_release(&edges);
}

struct noted {
	struct hd_mplace *defs, at;
};

static void note_def(void *context, struct hd_mreg *reg, bool is_def)
{
	const struct noted *noted = context;
	if (is_def && hd_mreg_is_virtual(reg->id))
		noted->defs[reg->id - HD_MREG_VIRTUAL] = noted->at;
}

void hd_mfunc_note_defs(struct hd_mfunc *func, uint32_t block, struct hd_mplace *defs)
{
	struct hd_mblock *of = &func->blocks.data[block];
	for (uint32_t i = 0; i < of->insts.len; i++)
		hd_minst_visit(func, &of->insts.data[i], note_def, &(struct noted){defs, {block, i}});
}

struct hd_mplace *hd_mfunc_defs(struct hd_mfunc *func, struct hd_arena *arena)
{
	struct hd_mplace *defs = HD_ARENA_NEW(arena, struct hd_mplace, func->vregs.len + 1);
	for (uint32_t i = 0; i < func->vregs.len; i++)
		defs[i] = (struct hd_mplace){HD_NO_BLOCK, 0};
	for (uint32_t id = 0; id < func->blocks.len; id++)
		hd_mfunc_note_defs(func, id, defs);
	return defs;
}

uint32_t hd_mfunc_frame_base(const struct hd_mfunc *func)
{
	uint32_t reg = func->abi->stack_pointer;
	if (!func->dynamic_stack)
		return reg;
	for (reg = 8; reg < HD_RZ && !hd_abi_is_saved(func->abi, reg); reg++)
		;
	return reg;
}

struct hd_minst hd_minst_make(unsigned op, uint16_t mods)
{
	return (struct hd_minst){
		.op = (uint16_t)op,
		.mods = mods,
		.dst = HD_MREG_NONE,
		.a = HD_MREG_NONE,
		.b = HD_MREG_NONE,
		.c = HD_MREG_NONE,
		.pdst = HD_MREG_PT,
		.psrc = HD_MREG_PT,
		.psrc2 = HD_MREG_PT,
		.guard = HD_MREG_PT,
		.ir = UINT32_MAX,
		.coefficient = HD_RZ,
	};
}

bool hd_minst_swap(struct hd_minst *inst)
{
	struct hd_mreg a = inst->a;
	if (inst->op >= HD_OP_LIMIT || (inst->linear && hd_lr_slot(inst->linear) != HD_SLOT_C) ||
	    !hd_op_swap(inst->op, HD_SLOT_B, &inst->mods))
		return false;
	inst->a = inst->b;
	inst->b = a;
	inst->srcmods = hd_srcmods_swap(inst->srcmods);
	return true;
}

struct visit {
	struct hd_mfunc *func;
	hd_mreg_visitor call;
	void *context;
};

static void visit_reg(const struct visit *visit, struct hd_mreg *reg, bool is_def)
{
	if (reg->words && reg->id != HD_RZ && reg->id != HD_MREG_PT)
		visit->call(visit->context, reg, is_def);
}

static void visit_pred(const struct visit *visit, uint32_t *id, bool is_def)
{
	struct hd_mreg reg = {*id, 0, 1};
	visit_reg(visit, &reg, is_def);
	*id = reg.id;
}

static void visit_extra(const struct visit *visit, uint32_t index, bool is_def)
{
	struct hd_mreg reg = visit->func->extras.data[index]; /* the visitor may add extras */
	visit_reg(visit, &reg, is_def);
	visit->func->extras.data[index] = reg;
}

/* Reads come before writes. A parallel copy holds its destinations at even places. */
bool hd_minst_is_terminator(const struct hd_minst *inst)
{
	if (inst->op >= HD_OP_LIMIT)
		return false;
	return hd_opinfo[inst->op].effects & (HD_FX_BRANCH | HD_FX_RET | HD_FX_EXIT) || inst->op == HD_OP_TRAP;
}

uint32_t hd_mblock_end(const struct hd_mblock *block)
{
	uint32_t at = block->insts.len;
	while (at && hd_minst_is_terminator(&block->insts.data[at - 1]))
		at--;
	return at;
}

void hd_mblock_assign(struct hd_mblock *block, const struct hd_minst *insts, uint32_t count)
{
	hd_vec_reserve(&block->insts, count);
	if (count)
		memcpy(block->insts.data, insts, count * sizeof(*insts));
	block->insts.len = count;
}

void hd_minst_visit(struct hd_mfunc *func, struct hd_minst *inst, hd_mreg_visitor call, void *context)
{
	const struct visit visit = {func, call, context};
	uint32_t count = inst->extra_count, reads = count - inst->extra_defs;
	visit_pred(&visit, &inst->guard, false);
	visit_pred(&visit, &inst->psrc, false);
	visit_pred(&visit, &inst->psrc2, false);
	visit_reg(&visit, &inst->a, false);
	visit_reg(&visit, &inst->b, false);
	visit_reg(&visit, &inst->c, false);
	if (inst->op == HD_OP_PARCOPY) {
		for (uint32_t i = 1; i < count; i += 2)
			visit_extra(&visit, inst->extra + i, false);
		for (uint32_t i = 0; i < count; i += 2)
			visit_extra(&visit, inst->extra + i, true);
		return;
	}
	for (uint32_t i = 0; i < reads; i++)
		visit_extra(&visit, inst->extra + i, false);
	if (hd_minst_keeps(inst)) { /* read, in the register that is written: only there it is renamed */
		struct hd_mreg kept = inst->dst;
		visit_reg(&visit, &kept, false);
	}
	visit_reg(&visit, &inst->dst, true);
	visit_pred(&visit, &inst->pdst, true);
	for (uint32_t i = reads; i < count; i++)
		visit_extra(&visit, inst->extra + i, true);
}

uint32_t hd_mfunc_cap(const struct hd_mfunc *func)
{
	uint32_t limit = func->max_registers && func->max_registers < HD_MAX_REGS ? func->max_registers : HD_MAX_REGS;
	uint32_t arguments = func->abi->first_arg + func->abi->arg_count;
	uint32_t cap = limit > func->abi->reserved_registers ? limit - func->abi->reserved_registers : limit;
	/* The calling convention's registers are there whatever the limit (ptxas does not go below its own minimum). */
	if (func->dynamic_stack && cap <= hd_mfunc_frame_base(func))
		return hd_mfunc_frame_base(func) + 1;
	return (!func->kernel || func->has_calls) && cap < arguments ? arguments : cap;
}

uint32_t hd_mfunc_occupancy_step(const struct hd_mfunc *func, uint32_t registers)
{
	uint32_t all = registers + func->abi->reserved_registers, step = 0;
	for (uint32_t threads = func->sm_threads; threads && step < all; threads -= 4 * HD_WARP_LANES)
		step = HD_SM_REGISTERS / threads & ~7u;
	return (step < all || step > HD_MAX_REGS ? HD_MAX_REGS : step) - func->abi->reserved_registers;
}
