/*
 * The stack frame: [R1 + 0: outgoing arguments | locals | spills | saves]. Lays out what is
 * used, resolves frame references, writes the prologue and the epilogue before each RET,
 * with the roles by which CARS finds its pushes and pops (cars-hpca24, IV-A), and counts
 * spilled bytes.
 *
 * Kernels load R1 only when they need it and save nothing. Device functions save the
 * callee-saved registers that they use, each by an access of its own as ptxas does: a run from
 * the first one up where the ABI says so.
 * R1 is a multiple of 16 at every function's entry, so frames of functions that call are
 * too; those of leaves only of 8, as ptxas rounds them. Needs physical registers. Linear.
 */
#include <assert.h>

#include "heddle/opcodes.h"
#include "passes/mir/mir.h"

typedef HD_VEC(struct hd_minst) hd_insts;

struct save {
	uint32_t reg, offset;
};

struct framer {
	struct hd_mfunc *func;
	bool written[HD_MREG_VIRTUAL];
	bool *used; /* by frame object */
	bool calls;
	uint32_t align;
	HD_VEC(struct save) saves;
};

static bool is_nothing(const struct hd_minst *inst)
{
	if (inst->op == HD_OP_UNDEF)
		return true;
	if (inst->op != HD_OP_COPY)
		return false;
	return inst->dst.words ? inst->dst.id == inst->b.id : inst->pdst == inst->psrc && !inst->psrc_not;
}

static void note_registers(void *context, struct hd_mreg *reg, bool is_def)
{
	struct framer *framer = context;
	assert(!hd_mreg_is_virtual(reg->id));
	for (uint32_t i = 0; i < reg->words; i++) {
		uint32_t id = reg->id + reg->sub + i;
		framer->written[id] |= is_def;
		if (id < HD_RZ && id + 1 > framer->func->registers)
			framer->func->registers = id + 1;
	}
}

static void count_spill(struct hd_mfunc *func, const struct hd_minst *inst)
{
	if (inst->role == HD_ROLE_SPILL_STORE && inst->op == HD_OP_STL)
		func->spill_store_bytes += 4u * inst->c.words;
	if (inst->role == HD_ROLE_SPILL_LOAD && inst->op == HD_OP_LDL)
		func->spill_load_bytes += 4u * inst->dst.words;
}

/* What --verify of linear versions has to know: the register may hold what another value left there. At the beginning
 * of a block there is no instruction to keep it with, and a difference is reported. */
static void note_undefined(struct hd_mfunc *func, struct hd_minst *before, const struct hd_minst *undef)
{
	if (undef->op != HD_OP_UNDEF || !undef->dst.words)
		return;
	hd_vec_push(&func->undefined,
		    (struct hd_mundefined){undef->dst.id + undef->dst.sub, undef->dst.words, before->undefines});
	before->undefines = func->undefined.len;
}

static void survey(struct framer *framer)
{
	struct hd_mfunc *func = framer->func;
	func->registers = func->spill_store_bytes = func->spill_load_bytes = 0;
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		struct hd_mblock *block = &func->blocks.data[id];
		uint32_t kept = 0;
		for (uint32_t i = 0; i < block->insts.len; i++) {
			struct hd_minst inst = block->insts.data[i];
			if (is_nothing(&inst)) {
				if (kept)
					note_undefined(func, &block->insts.data[kept - 1], &inst);
				continue;
			}
			hd_minst_visit(func, &inst, note_registers, framer);
			count_spill(func, &inst);
			if (inst.ref_kind == HD_MREF_FRAME)
				framer->used[inst.ref] = true;
			framer->calls |= inst.op < HD_OP_LIMIT && hd_opinfo[inst.op].effects & HD_FX_CALL;
			block->insts.data[kept++] = inst;
		}
		block->insts.len = kept;
	}
}

/* ---- saves ---- */

static uint32_t first_saved(const struct hd_abi *abi)
{
	uint32_t reg = 0;
	while (reg < HD_RZ && (!hd_abi_is_saved(abi, reg) || reg == abi->stack_pointer))
		reg++;
	return reg;
}

static bool needs_save(const struct framer *framer, uint32_t reg)
{
	const struct hd_abi *abi = framer->func->abi;
	if (reg == abi->stack_pointer || !hd_abi_is_saved(abi, reg))
		return false;
	return framer->written[reg] || (abi->contiguous_saves && reg < framer->func->registers);
}

static void choose_saves(struct framer *framer)
{
	struct hd_mfunc *func = framer->func;
	uint32_t base = hd_mfunc_frame_base(func);
	if (func->dynamic_stack) {
		framer->written[base] = true;
		func->registers = func->registers > base ? func->registers : base + 1;
	}
	func->saved_first = first_saved(func->abi);
	func->saved_count = 0;
	if (func->kernel)
		return;
	for (uint32_t reg = func->saved_first; reg < func->registers; reg++) {
		if (!needs_save(framer, reg))
			continue;
		hd_vec_push(&framer->saves, (struct save){reg, 0});
		func->saved_count = reg + 1 - func->saved_first;
	}
}

/* ---- layout ---- */

static uint32_t align_up(uint32_t value, uint32_t align)
{
	return (value + align - 1) / align * align;
}

static uint32_t place(struct framer *framer, uint32_t offset, uint32_t bytes, uint32_t align, uint32_t *place)
{
	if (align > framer->align)
		framer->align = align;
	*place = align_up(offset, align);
	return *place + bytes;
}

/* Objects of one kind, the most aligned first, so that nothing is lost between them. */
static uint32_t place_kind(struct framer *framer, enum hd_frame_kind kind, uint32_t offset)
{
	for (uint32_t align = 256; align; align /= 2) {
		for (uint32_t i = 0; i < framer->func->frame.len; i++) {
			struct hd_frame_object *object = &framer->func->frame.data[i];
			uint32_t own = object->align > 256 ? 256 : object->align;
			if (object->kind == kind && own == align && framer->used[i])
				offset = place(framer, offset, object->bytes, align, &object->offset);
		}
	}
	return offset;
}

static void lay_out(struct framer *framer)
{
	struct hd_mfunc *func = framer->func;
	/* Objects of dynamic size end where outgoing arguments do, rounded up to 16. */
	uint32_t offset = align_up(func->outgoing_bytes, func->dynamic_stack ? 16 : 4);
	framer->align = 8;
	offset = place_kind(framer, HD_FRAME_LOCAL, offset);
	offset = place_kind(framer, HD_FRAME_SPILL, offset);
	for (uint32_t i = 0; i < framer->saves.len; i++)
		offset = place(framer, offset, 4, 4, &framer->saves.data[i].offset);
	if (((offset && framer->calls) || func->dynamic_stack) && framer->align < 16)
		framer->align = 16;
	func->frame_bytes = align_up(offset, framer->align);
}

static void resolve(struct hd_mfunc *func)
{
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++) {
			struct hd_minst *inst = &func->blocks.data[id].insts.data[i];
			if (inst->ref_kind == HD_MREF_FRAME)
				inst->x += func->frame.data[inst->ref].offset;
			else if (inst->ref_kind == HD_MREF_INCOMING)
				inst->x += func->frame_bytes;
			else if (inst->ref_kind == HD_MREF_OUTGOING)
				inst->x += align_up(func->outgoing_bytes, 16);
			else
				continue;
			inst->ref_kind = HD_MREF_NONE;
			inst->ref = 0;
		}
	}
}

/* ---- prologue and epilogue ---- */

static struct hd_mreg stack_pointer(const struct hd_mfunc *func)
{
	return (struct hd_mreg){func->abi->stack_pointer, 0, 1};
}

static struct hd_minst adjust_stack(const struct hd_mfunc *func, uint32_t by, uint32_t loc)
{
	struct hd_minst inst = hd_minst_make(HD_OP_IADD3, 0);
	inst.dst = inst.a = stack_pointer(func);
	inst.xkind = HD_X_IMM_B;
	inst.x = by;
	inst.c = HD_MREG_RZ;
	inst.loc = loc;
	return inst;
}

static struct hd_minst load_stack(const struct hd_mfunc *func, uint32_t loc)
{
	struct hd_minst inst = hd_minst_make(HD_OP_MOV, 0);
	inst.dst = stack_pointer(func);
	inst.xkind = HD_X_CONST_B;
	inst.x = HD_CONST_X(0, HD_CB_STACK_TOP);
	inst.loc = loc;
	return inst;
}

static struct hd_minst access_save(const struct hd_mfunc *func, const struct save *save, bool restore, uint32_t loc)
{
	struct hd_minst inst = hd_minst_make(restore ? HD_OP_LDL : HD_OP_STL, HD_MOD(SIZE, HD_SIZE_32));
	struct hd_mreg reg = {save->reg, 0, 1};
	inst.role = restore ? HD_ROLE_CALLEE_RESTORE : HD_ROLE_CALLEE_SAVE;
	inst.a = stack_pointer(func);
	inst.xkind = HD_X_OTHER;
	inst.x = save->offset;
	inst.loc = loc;
	if (restore)
		inst.dst = reg;
	else
		inst.c = reg;
	return inst;
}

static struct hd_minst copy_register(uint32_t to, uint32_t from, uint32_t loc)
{
	struct hd_minst inst = hd_minst_make(HD_OP_MOV, 0);
	inst.dst = (struct hd_mreg){to, 0, 1};
	inst.b = (struct hd_mreg){from, 0, 1};
	inst.loc = loc;
	return inst;
}

static void write_prologue(struct framer *framer, hd_insts *out, uint32_t loc)
{
	const struct hd_mfunc *func = framer->func;
	if (func->kernel && !func->stream) /* always, as ptxas has it */
		hd_vec_push(out, load_stack(func, loc));
	if (func->frame_bytes)
		hd_vec_push(out, adjust_stack(func, -func->frame_bytes, loc));
	for (uint32_t i = 0; i < framer->saves.len; i++)
		hd_vec_push(out, access_save(func, &framer->saves.data[i], false, loc));
	if (func->dynamic_stack)
		hd_vec_push(out, copy_register(hd_mfunc_frame_base(func), func->abi->stack_pointer, loc));
}

static void write_epilogue(struct framer *framer, hd_insts *out, uint32_t loc)
{
	const struct hd_mfunc *func = framer->func;
	if (func->dynamic_stack)
		hd_vec_push(out, copy_register(func->abi->stack_pointer, hd_mfunc_frame_base(func), loc));
	for (uint32_t i = 0; i < framer->saves.len; i++)
		hd_vec_push(out, access_save(func, &framer->saves.data[i], true, loc));
	if (func->frame_bytes)
		hd_vec_push(out, adjust_stack(func, func->frame_bytes, loc));
}

static void frame_block(struct framer *framer, uint32_t id)
{
	struct hd_mblock *block = &framer->func->blocks.data[id];
	bool returns = hd_vec_last(&block->insts).op == HD_OP_RET;
	if (id && !returns)
		return;
	hd_insts out = {0};
	if (!id)
		write_prologue(framer, &out, block->insts.data[0].loc);
	for (uint32_t i = 0; i < block->insts.len; i++) {
		if (block->insts.data[i].op == HD_OP_RET)
			write_epilogue(framer, &out, block->insts.data[i].loc);
		hd_vec_push(&out, block->insts.data[i]);
	}
	hd_vec_release(&block->insts);
	memcpy(&block->insts, &out, sizeof(out));
}

int hd_frame_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct framer framer = {.func = func};
	(void)diag;
	framer.used = hd_xcalloc(func->frame.len + 1, sizeof(bool));
	survey(&framer);
	choose_saves(&framer);
	lay_out(&framer);
	resolve(func);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		frame_block(&framer, id);
	if (func->registers <= func->abi->stack_pointer)
		func->registers = func->abi->stack_pointer + 1u;
	func->registers += func->abi->reserved_registers;
	if (func->resizes)
		func->registers = func->entry_registers;
	hd_vec_release(&framer.saves);
	free(framer.used);
	return 0;
}
