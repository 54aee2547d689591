/*
 * Text of machine IR for dumps and FileCheck tests: one line an instruction, results left
 * of `=`, virtual registers as v0, v1, ... with `.sub` for a part and `:words` for a width
 * other than one, predicates as p0, p1, .... Linear.
 */
#include "passes/mir/mir.h"

#include <inttypes.h>
#include <string.h>

static const char *op_name(unsigned op)
{
	static const char *const own[] = {"PHI", "COPY", "PAIR", "UNDEF", "PARCOPY"};
	return op < HD_OP_LIMIT ? hd_opinfo[op].name : own[op - HD_OP_LIMIT];
}

static void print_reg(FILE *out, const struct hd_mfunc *func, struct hd_mreg reg)
{
	if (hd_mreg_is_virtual(reg.id)) {
		fprintf(out, "%c%" PRIu32, hd_mreg_is_pred(func, reg.id) ? 'p' : 'v', reg.id - HD_MREG_VIRTUAL);
		if (reg.sub || (reg.words != hd_mreg_words(func, reg.id) && !hd_mreg_is_pred(func, reg.id)))
			fprintf(out, ".%u", reg.sub);
	} else if (reg.id == HD_MREG_PT) {
		fputs("PT", out);
	} else if (reg.id >= HD_MREG_PRED) {
		fprintf(out, "P%" PRIu32, reg.id - HD_MREG_PRED);
	} else if (reg.id == HD_RZ) {
		fputs("RZ", out);
	} else {
		fprintf(out, "R%" PRIu32, reg.id + reg.sub);
	}
	if (reg.words > 1)
		fprintf(out, ":%u", reg.words);
}

static void print_pred(FILE *out, const struct hd_mfunc *func, uint32_t id, bool inverted)
{
	if (inverted)
		fputc('!', out);
	print_reg(out, func, (struct hd_mreg){id, 0, 1});
}

/* The value'th spelling of a '|'-separated list. */
static void print_mod(FILE *out, const char *names, uint32_t value)
{
	if (strcmp(names, "#") == 0) {
		fprintf(out, ".0x%" PRIx32, value);
		return;
	}
	if (strcmp(names, "sr") == 0) {
		fprintf(out, ".%s", hd_sr_name((enum hd_sr)value));
		return;
	}
	for (; value && *names; names++)
		value -= *names == '|';
	size_t length = strcspn(names, "|");
	if (!value && length)
		fprintf(out, ".%.*s", (int)length, names);
}

static void print_mods(FILE *out, const struct hd_minst *inst)
{
	static const char *const names[] = {
#define X(kind, shift, bits, text) text,
		HD_MOD_LIST(X)
#undef X
	};
	if (inst->op >= HD_OP_LIMIT)
		return;
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	for (unsigned i = 0; i < sizeof(info->mod_order) && info->mod_order[i] < HD_MOD_COUNT; i++) {
		enum hd_mod_kind kind = info->mod_order[i];
		print_mod(out, names[kind], hd_mod_get(inst->mods, kind));
	}
}

struct list {
	FILE *out;
	const struct hd_mfunc *func;
	const char *separator;
};

static void next(struct list *list)
{
	fputs(list->separator, list->out);
	list->separator = ", ";
}

static void print_results(struct list *list, const struct hd_minst *inst)
{
	if (inst->op < HD_OP_LIMIT && hd_opinfo[inst->op].dst == HD_W_U) {
		next(list);
		fprintf(list->out, "UR%u", inst->uniform_dst);
	}
	if (inst->dst.words) {
		next(list);
		print_reg(list->out, list->func, inst->dst);
	}
	if (inst->pdst != HD_MREG_PT) {
		next(list);
		print_pred(list->out, list->func, inst->pdst, false);
	}
	if (inst->op == HD_OP_PARCOPY)
		return;
	for (uint32_t i = inst->extra_count - inst->extra_defs; i < inst->extra_count; i++) {
		next(list);
		print_reg(list->out, list->func, list->func->extras.data[inst->extra + i]);
	}
	if (strcmp(list->separator, ", ") == 0)
		fputs(" = ", list->out);
}

static void print_x(struct list *list, const struct hd_minst *inst)
{
	next(list);
	if (hd_x_is_uniform(inst->xkind))
		fprintf(list->out, "UR%" PRIu32, inst->x);
	else if (hd_x_is_constant(inst->xkind))
		fprintf(list->out, "c[%" PRIu32 "][0x%" PRIx32 "]", inst->x >> 16, inst->x & 0xffff);
	else
		fprintf(list->out, "0x%" PRIx32, inst->x);
}

static void print_linear(struct list *list, const struct hd_minst *inst)
{
	enum hd_lr_kind kind = hd_lr_kind(inst->linear);
	next(list);
	if (kind != HD_LR_COEFFICIENT)
		fprintf(list->out, "%%lr%u", hd_lr_reg(inst->linear));
	if (kind != HD_LR_OFFSET && inst->coefficient != HD_RZ)
		fprintf(list->out, "+%%cr%u%s", inst->coefficient,
			kind == HD_LR_COEFFICIENT && hd_lr_reg(inst->linear) ? ".br" : "");
	fputs(hd_lr_high(inst->linear) ? ".H" : "", list->out);
}

static void print_source(struct list *list, const struct hd_minst *inst, struct hd_mreg reg, unsigned slot)
{
	bool is_x = (slot == 1 && hd_x_in_b(inst->xkind)) || (slot == 2 && hd_x_in_c(inst->xkind));
	if (hd_lr_kind(inst->linear) && hd_lr_slot(inst->linear) == slot + 1)
		print_linear(list, inst);
	if (!is_x && !reg.words)
		return;
	bool negated = inst->srcmods & HD_NEG_A << slot, absolute = slot < 2 && inst->srcmods & HD_ABS_A << slot;
	if (is_x) {
		print_x(list, inst);
	} else {
		next(list);
		fprintf(list->out, "%s%s", negated ? "-" : "", absolute ? "|" : "");
		print_reg(list->out, list->func, reg);
		fputs(absolute ? "|" : "", list->out);
		return;
	}
	fprintf(list->out, "%s%s", negated ? " neg" : "", absolute ? " abs" : "");
}

static void print_reference(struct list *list, const struct hd_minst *inst)
{
	static const char *const names[] = {"", "b", "frame", "incoming", "call", "lo", "hi", "table"};
	if (inst->xkind == HD_X_OTHER && inst->ref_kind != HD_MREF_BLOCK)
		print_x(list, inst);
	if (inst->ref_kind == HD_MREF_NONE)
		return;
	next(list);
	if (inst->ref_kind == HD_MREF_BLOCK)
		fprintf(list->out, "b%" PRIu32, inst->ref);
	else
		fprintf(list->out, "%s(%" PRIu32 ")", names[inst->ref_kind], inst->ref);
}

static void print_extras(struct list *list, const struct hd_minst *inst)
{
	const struct hd_mreg *extras = list->func->extras.data;
	if (inst->op == HD_OP_PARCOPY) {
		for (uint32_t i = 0; i < inst->extra_count; i += 2) {
			next(list);
			print_reg(list->out, list->func, extras[inst->extra + i]);
			fputs(" <- ", list->out);
			print_reg(list->out, list->func, extras[inst->extra + i + 1]);
		}
		return;
	}
	for (uint32_t i = 0; i + inst->extra_defs < inst->extra_count; i++) {
		next(list);
		print_reg(list->out, list->func, extras[inst->extra + i]);
	}
}

static void print_inst(FILE *out, const struct hd_mfunc *func, const struct hd_minst *inst)
{
	struct list list = {out, func, ""};
	fputs("\t", out);
	if (inst->guard != HD_MREG_PT || inst->guard_not) {
		fputc('@', out);
		print_pred(out, func, inst->guard, inst->guard_not);
		fputc(' ', out);
	}
	print_results(&list, inst);
	fputs(op_name(inst->op), out);
	print_mods(out, inst);
	list.separator = " ";
	print_source(&list, inst, inst->a, 0);
	print_source(&list, inst, inst->b, 1);
	print_source(&list, inst, inst->c, 2);
	if (inst->psrc != HD_MREG_PT || inst->psrc_not) {
		next(&list);
		print_pred(out, func, inst->psrc, inst->psrc_not);
	}
	if (inst->psrc2 != HD_MREG_PT || inst->psrc2_not) {
		next(&list);
		print_pred(out, func, inst->psrc2, inst->psrc2_not);
	}
	print_reference(&list, inst);
	print_extras(&list, inst);
	if (inst->role)
		fprintf(out, " ; %s", hd_role_name(inst->role));
	fputc('\n', out);
}

static void print_block(FILE *out, const struct hd_mfunc *func, uint32_t id)
{
	const struct hd_mblock *block = &func->blocks.data[id];
	fprintf(out, "b%" PRIu32 ": ; freq %.3g depth %" PRIu32, id, block->frequency, block->loop_depth);
	for (uint32_t i = 0; i < block->preds.len; i++)
		fprintf(out, "%s b%" PRIu32, i ? "" : " from", block->preds.data[i]);
	for (uint32_t i = 0; i < block->succs.len; i++)
		fprintf(out, "%s b%" PRIu32, i ? "" : " to", block->succs.data[i]);
	fputc('\n', out);
	for (uint32_t i = 0; i < block->insts.len; i++)
		print_inst(out, func, &block->insts.data[i]);
}

void hd_mfunc_print(FILE *out, const struct hd_mfunc *func)
{
	fprintf(out, "%s %s: registers %" PRIu32 " of %" PRIu32 ", frame %" PRIu32 "\n",
		func->kernel ? "kernel" : "function", func->name, func->registers, func->max_registers,
		func->frame_bytes);
	bool ordered = func->order.len != 0;
	uint32_t count = ordered ? func->order.len : func->blocks.len;
	for (uint32_t i = 0; i < count; i++)
		print_block(out, func, ordered ? func->order.data[i] : i);
}
