/*
 * Inline PTX: texture fetches of texture objects, tex and tld4. Results that nobody reads are not fetched: those that
 * the text drops (`_`), and operands of the statement that the program has no use for, where nothing in the text
 * follows.
 */
#include "passes/ptx/ptx.h"

#include <ctype.h>

static struct hd_opnd word(struct hd_ptx *ptx, const struct hd_ptx_part *part)
{
	struct hd_leaf leaf = hd_ptx_read(ptx, part, 32);
	return ptx->failed ? hd_rz() : hd_sel_word(ptx->sel, &leaf, 0);
}

/* [object, {layer, x, y, ...}] as x, y, the layer. */
static void coordinates(struct hd_ptx *ptx, const struct hd_texture_form *form, struct hd_opnd words[4])
{
	const struct hd_ptx_operand *operand = &ptx->now->operands[1];
	unsigned given = operand->form == HD_PTX_ADDRESS ? operand->count - 1 : 0;
	unsigned needed = form->layered + form->dims;
	if (given < needed) {
		hd_ptx_error(ptx, "expected %u coordinates after the texture object", needed);
		return;
	}
	for (unsigned d = 0; d < form->dims; d++)
		words[d] = word(ptx, &operand->parts[1 + form->layered + d]);
	if (form->layered)
		words[form->dims] = word(ptx, &operand->parts[1]);
}

/* Changes along the first axis of the picture, then along the second one: an operand each, a vector or a number. */
static void gradients(struct hd_ptx *ptx, const struct hd_texture_form *form, struct hd_opnd words[4])
{
	for (unsigned axis = 0; axis < 2; axis++) {
		const struct hd_ptx_operand *operand = &ptx->now->operands[2 + axis];
		if (2 + axis >= ptx->now->count || operand->form == HD_PTX_ADDRESS || operand->count < form->dims) {
			hd_ptx_error(ptx, "expected two gradients of %u numbers", form->dims);
			return;
		}
		for (unsigned d = 0; d < form->dims; d++)
			words[axis * form->dims + d] = word(ptx, &operand->parts[d]);
	}
}

static bool is_last(const struct hd_ptx *ptx)
{
	const char *at = ptx->text.at;
	while (isspace((unsigned char)*at) || *at == ';' || *at == '}')
		at++;
	return !*at;
}

/* The result's number among the statement's operands; -1: a register of the text. */
static int number_of(const struct hd_ptx *ptx, const struct hd_ptx_part *part)
{
	const char *name = ptx->regs.data[part->reg].name;
	return name[0] == '$' ? atoi(name + 1) : -1;
}

/* How many of the results, from the first on, have to be fetched. */
static unsigned wanted(struct hd_ptx *ptx, const struct hd_ptx_operand *results)
{
	bool last = is_last(ptx) && !ptx->now->guarded;
	bool several = LLVMGetTypeKind(LLVMTypeOf(ptx->sel->inst)) == LLVMStructTypeKind;
	unsigned used = last && several ? hd_sel_texture_wanted(ptx->sel) : UINT32_MAX, most = 0;
	for (unsigned i = 0; i < 4; i++) {
		const struct hd_ptx_part *part = &results->parts[i];
		int number = part->kind == HD_PTX_REG ? number_of(ptx, part) : -1;
		bool read = number < 0 || number > 31 || used >> number & 1;
		if (part->kind != HD_PTX_SINK && read)
			most = i + 1;
	}
	return most;
}

static void fetch(struct hd_ptx *ptx, unsigned arg)
{
	const struct hd_ptx_operand *results = &ptx->now->operands[0];
	struct hd_texture_form form;
	struct hd_opnd words[4] = {0}, slopes[4] = {0}, out[4];
	const char *wrong = hd_sel_texture_choose(ptx->now->parts, ptx->now->part_count, &form);
	(void)arg;
	if (wrong || !hd_ptx_has(ptx, "v4") || results->form != HD_PTX_VECTOR || results->count != 4) {
		hd_ptx_error(ptx, "%s", wrong ? wrong : "a vector of four results of .v4 expected");
		return;
	}
	coordinates(ptx, &form, words);
	if (form.gradients)
		gradients(ptx, &form, slopes);
	if (form.level)
		words[form.dims + form.layered] = hd_ptx_word(ptx, 2);
	if (ptx->failed)
		return;
	struct hd_leaf object = hd_ptx_read(ptx, &ptx->now->operands[1].parts[0], 64);
	unsigned channels = wanted(ptx, results);
	if (ptx->failed || !channels)
		return;
	hd_sel_texture(ptx->sel, &form, object, words, slopes, channels, out);
	for (unsigned i = 0; i < channels; i++)
		hd_ptx_write(ptx, &results->parts[i], hd_leaf_reg(out[i].reg), 32);
}

#define GEOMETRY " 1d 2d 3d a1d a2d cube acube 2dms a2dms "

const struct hd_ptx_row hd_ptx_texture[] = {
	{"tex", GEOMETRY " level grad v4 f32 s32 u32 ", 2, fetch, 0, false},
	{"tld4", GEOMETRY " r g b a v4 f32 s32 u32 ", 2, fetch, 0, false},
	{NULL, NULL, 0, NULL, 0, false},
};
