/*
 * Machine IR with physical registers and a block order to a struct hd_function: targets
 * become instruction indices, branches to the next block vanish, divergent branches get their
 * reconvergence point (passes/graph/reconvergence.c), references become relocations, and each instruction its origin
 * dead-operand and reuse bits. Linear. Dead bits: LTRF+ (ltrf-asplos18, 3.2).
 */
#include <assert.h>

#include "heddle/opcodes.h"
#include "passes/emit/reuse_bits.h"
#include "passes/graph/graph.h"
#include "passes/mir/last_use.h"
#include "passes/mir/reconvergence.h"

struct emitter {
	const struct hd_mfunc *func;
	struct hd_object *object;
	struct hd_function *out;
	struct hd_arena *arena, scratch;
	struct hd_diag *diag;
	uint32_t *start;   /* by block: index of its first instruction */
	uint32_t *points;  /* by block: where the lanes reconverge behind it */
	uint32_t *file_of; /* by loc: file number + 1 */
	uint32_t *sites;
	HD_VEC(struct hd_undefined) undefined;
	uint32_t count;
	HD_VEC(struct hd_reloc) relocs;
	int status;
};

static bool falls_through(const struct hd_minst *inst, uint32_t next)
{
	bool guarded = inst->guard != HD_MREG_PT || inst->guard_not;
	return inst->op == HD_OP_BRA && !guarded && inst->ref == next;
}

static uint32_t next_block(const struct hd_mfunc *func, uint32_t place)
{
	return place + 1 < func->order.len ? func->order.data[place + 1] : HD_NO_BLOCK;
}

static void number_blocks(struct emitter *emitter)
{
	const struct hd_mfunc *func = emitter->func;
	emitter->start = HD_ARENA_NEW(&emitter->scratch, uint32_t, func->blocks.len);
	uint32_t count = 0;
	for (uint32_t place = 0; place < func->order.len; place++) {
		const struct hd_mblock *block = &func->blocks.data[func->order.data[place]];
		emitter->start[func->order.data[place]] = count;
		count += block->insts.len - falls_through(&hd_vec_last(&block->insts), next_block(func, place));
	}
	emitter->out->inst_count = count;
}

/* ---- origins ---- */

static uint32_t intern_file(struct hd_object *object, const char *name, struct hd_arena *arena)
{
	for (uint32_t i = object->file_count; i-- > 0;)
		if (strcmp(object->files[i], name) == 0)
			return i;
	const char **files = HD_ARENA_NEW(arena, const char *, object->file_count + 1);
	for (uint32_t i = 0; i < object->file_count; i++)
		files[i] = object->files[i];
	files[object->file_count] = hd_arena_strdup(arena, name);
	object->files = files;
	return object->file_count++;
}

static struct hd_origin origin_of(struct emitter *emitter, const struct hd_minst *inst)
{
	const struct hd_loc *loc = &emitter->func->locs.data[inst->loc];
	struct hd_origin origin = {.file = UINT32_MAX,
				   .line = loc->line,
				   .column = loc->column,
				   .ir = inst->ir,
				   .variable = inst->variable};
	if (inst->loc < emitter->func->inlined.len)
		origin.inlined = emitter->func->inlined.data[inst->loc];
	if (!loc->file)
		return origin;
	uint32_t *known = &emitter->file_of[inst->loc];
	if (!*known)
		*known = intern_file(emitter->object, loc->file, emitter->arena) + 1;
	origin.file = *known - 1;
	return origin;
}

void hd_emit_inlined(struct hd_object *object, const struct hd_inlined_calls *calls, struct hd_arena *arena)
{
	object->inlined = HD_ARENA_NEW(arena, struct hd_inlined, calls->list.len + 1);
	object->inlined_count = calls->list.len;
	for (uint32_t i = 0; i < calls->list.len; i++) {
		object->inlined[i] = calls->list.data[i];
		if (calls->files.data[i])
			object->inlined[i].file = intern_file(object, calls->files.data[i], arena);
	}
}

/* ---- instructions ---- */

static uint8_t encode_reg(struct hd_mreg reg)
{
	assert(!hd_mreg_is_virtual(reg.id));
	return reg.words && reg.id != HD_RZ ? (uint8_t)(reg.id + reg.sub) : HD_RZ;
}

static uint8_t encode_pred(uint32_t id, bool inverted)
{
	assert(id >= HD_MREG_PRED && id <= HD_MREG_PT);
	return (uint8_t)(id - HD_MREG_PRED) | (inverted ? HD_PRED_NOT : 0);
}

static void add_reloc(struct emitter *emitter, const struct hd_minst *minst, struct hd_inst *inst)
{
	struct hd_reloc reloc = {HD_REL_CALL, minst->ref, emitter->count, 0};
	if (minst->ref_kind != HD_MREF_CALL) {
		reloc.kind = minst->ref_kind == HD_MREF_LO ? HD_REL_ABS_LO : HD_REL_ABS_HI;
		reloc.addend = (int32_t)minst->x;
	}
	inst->x = 0;
	hd_vec_push(&emitter->relocs, reloc);
}

static void encode_reference(struct emitter *emitter, uint32_t block, const struct hd_minst *minst,
			     struct hd_inst *inst)
{
	uint32_t point = emitter->points[block];
	uint32_t reconv = point == HD_NO_NODE ? HD_NO_PC : emitter->start[point];
	switch (minst->ref_kind) {
	case HD_MREF_BLOCK:
		inst->x = emitter->start[minst->ref];
		inst->xkind = HD_X_OTHER;
		inst->reconv = inst->guard == HD_PT ? HD_NO_PC : reconv;
		break;
	case HD_MREF_TABLE:
		inst->x = minst->ref;
		inst->xkind = HD_X_OTHER;
		inst->reconv = reconv;
		break;
	case HD_MREF_CALL:
		inst->xkind = HD_X_OTHER;
		add_reloc(emitter, minst, inst);
		break;
	case HD_MREF_LO:
	case HD_MREF_HI: add_reloc(emitter, minst, inst); break;
	default: break;
	}
}

static void encode_linear(const struct hd_minst *minst, struct hd_inst *inst)
{
	uint8_t *const slots[] = {&inst->dst, &inst->a, &inst->b, &inst->c};
	inst->linear = minst->linear;
	if (hd_lr_kind(minst->linear) >= HD_LR_SUM)
		*slots[hd_lr_slot(minst->linear)] = minst->coefficient;
}

static struct hd_inst encode(struct emitter *emitter, uint32_t block, const struct hd_minst *minst)
{
	struct hd_inst inst = {
		.op = minst->op,
		.mods = minst->mods,
		.guard = encode_pred(minst->guard, minst->guard_not),
		.dst = encode_reg(minst->dst),
		.a = encode_reg(minst->a),
		.b = encode_reg(minst->b),
		.c = encode_reg(minst->c),
		.pdst = encode_pred(minst->pdst, false),
		.psrc = encode_pred(minst->psrc, minst->psrc_not),
		.psrc2 = encode_pred(minst->psrc2, minst->psrc2_not),
		.xkind = minst->xkind,
		.srcmods = minst->srcmods,
		.role = minst->role,
		.x = minst->x,
		.reconv = HD_NO_PC,
	};
	if (hd_opinfo[minst->op < HD_OP_LIMIT ? minst->op : HD_OP_NOP].dst == HD_W_U)
		inst.dst = minst->uniform_dst;
	encode_linear(minst, &inst);
	if (minst->op == HD_OP_COPY)
		inst.op = minst->dst.words ? HD_OP_MOV : HD_OP_PLOP;
	encode_reference(emitter, block, minst, &inst);
	return inst;
}

static void emit_inst(struct emitter *emitter, uint32_t block, const struct hd_minst *minst, uint8_t dead)
{
	if (minst->op >= HD_OP_LIMIT && minst->op != HD_OP_COPY) {
		emitter->status = hd_error(emitter->diag, emitter->func->locs.data[minst->loc],
					   "%s: an instruction without machine form is left", emitter->func->name);
		return;
	}
	struct hd_inst inst = encode(emitter, block, minst);
	inst.dead = dead;
	const char *wrong = hd_inst_check(&inst);
	if (wrong && !emitter->status)
		emitter->status = hd_error(emitter->diag, emitter->func->locs.data[minst->loc], "%s: %s: %s",
					   emitter->func->name, hd_opinfo[inst.op].name, wrong);
	emitter->out->insts[emitter->count] = inst;
	emitter->out->origins[emitter->count] = origin_of(emitter, minst);
	emitter->sites[emitter->count] = minst->site;
	for (uint32_t at = minst->undefines; at; at = emitter->func->undefined.data[at - 1].next) {
		const struct hd_mundefined *undefined = &emitter->func->undefined.data[at - 1];
		hd_vec_push(&emitter->undefined,
			    (struct hd_undefined){emitter->count, (uint8_t)undefined->reg, (uint8_t)undefined->words});
	}
	emitter->count++;
}

static void emit_blocks(struct emitter *emitter, const struct hd_dead *dead)
{
	const struct hd_mfunc *func = emitter->func;
	for (uint32_t place = 0; place < func->order.len && !emitter->status; place++) {
		uint32_t id = func->order.data[place], next = next_block(func, place);
		const struct hd_mblock *block = &func->blocks.data[id];
		uint32_t first = emitter->count;
		for (uint32_t i = 0; i < block->insts.len; i++)
			if (!falls_through(&block->insts.data[i], next) || i + 1 < block->insts.len)
				emit_inst(emitter, id, &block->insts.data[i], dead->bits[dead->start[id] + i]);
		hd_set_reuse(emitter->out->insts + first, emitter->count - first);
	}
}

static void emit_tables(struct emitter *emitter)
{
	const struct hd_mfunc *func = emitter->func;
	struct hd_function *out = emitter->out;
	out->table_count = func->tables.len;
	out->tables = HD_ARENA_NEW(emitter->arena, struct hd_jump_table, func->tables.len);
	for (uint32_t t = 0; t < func->tables.len; t++) {
		const struct hd_mtable *table = &func->tables.data[t];
		out->tables[t].count = table->count;
		out->tables[t].targets = HD_ARENA_NEW(emitter->arena, uint32_t, table->count);
		for (uint32_t i = 0; i < table->count; i++)
			out->tables[t].targets[i] = emitter->start[table->blocks[i]];
	}
}

static void emit_numbers(struct emitter *emitter)
{
	const struct hd_mfunc *func = emitter->func;
	struct hd_function *out = emitter->out;
	if (!out->name)
		out->name = hd_arena_strdup(emitter->arena, func->name);
	out->kernel = func->kernel;
	out->helper = func->helper;
	out->registers = func->registers;
	out->frame_bytes = func->frame_bytes;
	out->param_bytes = func->param_bytes;
	out->result_words = func->result_words;
	out->relocs = HD_ARENA_NEW(emitter->arena, struct hd_reloc, emitter->relocs.len);
	out->reloc_count = emitter->relocs.len;
	for (uint32_t i = 0; i < emitter->relocs.len; i++)
		out->relocs[i] = emitter->relocs.data[i];
}

int hd_mfunc_emit(struct hd_mfunc *func, struct hd_object *object, struct hd_function *out, struct hd_arena *arena,
		  struct hd_diag *diag)
{
	struct emitter emitter = {.func = func, .object = object, .out = out, .arena = arena, .diag = diag};
	struct hd_dead dead;
	hd_arena_init(&emitter.scratch);
	number_blocks(&emitter);
	emitter.points = hd_mfunc_reconvergence_points(func, &emitter.scratch, NULL);
	emitter.file_of = HD_ARENA_NEW(&emitter.scratch, uint32_t, func->locs.len);
	out->insts = HD_ARENA_NEW(arena, struct hd_inst, out->inst_count);
	out->origins = HD_ARENA_NEW(arena, struct hd_origin, out->inst_count);
	func->sites = emitter.sites = HD_ARENA_NEW(arena, uint32_t, out->inst_count);
	func->emitted = out->insts;
	hd_dead_compute(func, &emitter.scratch, &dead);
	emit_blocks(&emitter, &dead);
	emit_tables(&emitter);
	emit_numbers(&emitter);
	func->undefined_count = emitter.undefined.len;
	func->undefined_at = HD_ARENA_NEW(arena, struct hd_undefined, emitter.undefined.len + 1);
	for (uint32_t i = 0; i < emitter.undefined.len; i++)
		func->undefined_at[i] = emitter.undefined.data[i];
	hd_vec_release(&emitter.undefined);
	hd_vec_release(&emitter.relocs);
	hd_arena_release(&emitter.scratch);
	return emitter.status;
}
