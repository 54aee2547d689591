/*
 * Selection: texture fetches, for inline PTX (passes/ptx/texture.c) and NVVM's intrinsics. A fetch is one instruction
 * of the texture unit; the texture object may stay in the constant bank.
 *
 * Both name a fetch in the same parts: tex, the level or gradients where they are given, the geometry, the results' and
 * the coordinates' types; tld4 with the channel. What the machine has no instruction for is refused by name.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"
#include "passes/words.h"

static int dimension(const char *const *parts, unsigned count)
{
	static const struct {
		const char *name, *other; /* PTX's, NVVM's */
		enum hd_tdim dim;
	} names[] = {{"1d", "1d", HD_TEX_1D},
		     {"2d", "2d", HD_TEX_2D},
		     {"3d", "3d", HD_TEX_3D},
		     {"a1d", "1d", HD_TEX_ARRAY_1D},
		     {"a2d", "2d", HD_TEX_ARRAY_2D}};
	bool array = hd_words_have(parts, count, "array");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (array ? names[i].dim >= HD_TEX_ARRAY_1D && hd_words_have(parts, count, names[i].other)
			  : hd_words_have(parts, count, names[i].name))
			return (int)names[i].dim;
	return -1;
}

const char *hd_sel_texture_choose(const char *const *parts, unsigned count, struct hd_texture_form *form)
{
	static const char *const channels[] = {"r", "g", "b", "a"};
	static const uint8_t dims[] = {1, 2, 3, 1, 2};
	const char *coordinates = count ? parts[count - 1] : "";
	int dim = dimension(parts, count);
	*form = (struct hd_texture_form){.op = HD_OP_TEX};
	if (dim < 0)
		return "cubemaps and multisampled textures are not supported";
	form->layered = dim >= HD_TEX_ARRAY_1D;
	form->dims = dims[dim];
	form->mods = HD_MOD(TDIM, dim);
	if (hd_word_is(parts[0], "tld4")) {
		form->op = HD_OP_TLD4;
		form->mods = 0;
		for (unsigned i = 0; i < 4; i++)
			if (hd_words_have(parts, count, channels[i]))
				form->mods = HD_MOD(CHANNEL, i);
		return dim == HD_TEX_2D ? NULL : "elements are gathered of plain two-dimensional textures";
	}
	if (hd_words_have(parts, count, "grad")) {
		form->op = HD_OP_TXD;
		form->gradients = true;
		return dim <= HD_TEX_2D ? NULL : "gradients are those of plain textures of one or two dimensions";
	}
	form->level = hd_words_have(parts, count, "level");
	if (hd_word_is(coordinates, "f32")) {
		form->mods |= form->level ? HD_MOD(LEVEL, HD_LEVEL_GIVEN) : 0;
		return NULL;
	}
	form->op = HD_OP_TLD;
	return form->level ? "a level is given for filtered fetches alone" : NULL;
}

static bool all_zero(const struct hd_opnd *words, unsigned count)
{
	bool zero = true;
	for (unsigned i = 0; i < count; i++)
		zero = zero && hd_opnd_is_zero(&words[i]);
	return zero;
}

static struct hd_opnd vector(struct hd_select *sel, const struct hd_opnd *words, unsigned count)
{
	return all_zero(words, count) ? hd_none() : hd_reg(hd_sel_join(sel, words, count));
}

void hd_sel_texture(struct hd_select *sel, const struct hd_texture_form *form, struct hd_leaf object,
		    const struct hd_opnd *words, const struct hd_opnd *gradients, unsigned channels,
		    struct hd_opnd out[4])
{
	static const uint8_t sizes[] = {0, HD_SIZE_32, HD_SIZE_64, HD_SIZE_128, HD_SIZE_128};
	uint16_t mods = form->mods | HD_MOD(SIZE, sizes[channels]);
	unsigned count = hd_op_coordinates(form->op, mods), first = count < 2 ? count : 2;
	struct hd_opnd b = object.kind == HD_LEAF_BANK && !object.imm[0] ? hd_sel_wide(sel, &object)
									 : hd_reg(hd_sel_reg(sel, object));
	struct hd_opnd c = form->gradients ? vector(sel, gradients, 2u * form->dims)
			   : count > first ? vector(sel, words + first, count - first)
					   : hd_none();
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, hd_op_width(form->op, mods, HD_SLOT_DST));
	hd_sel_op(sel, form->op, mods, dst, vector(sel, words, first), b, c);
	for (unsigned i = 0; i < channels; i++)
		out[i] = hd_reg(hd_sub(dst, i, 1));
}

unsigned hd_sel_texture_wanted(struct hd_select *sel)
{
	unsigned wanted = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(sel->inst); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAExtractValueInst(user))
			return UINT32_MAX;
		if (LLVMGetFirstUse(user) && LLVMGetIndices(user)[0] < 32)
			wanted |= 1u << LLVMGetIndices(user)[0];
	}
	return wanted;
}

/* ------------------------------------------------------------------ intrinsics */

/* Arguments are the object, the layer, the coordinates, the level or the gradients. */
static void fetch(struct hd_select *sel, unsigned arg)
{
	char text[HD_INTRINSIC_NAME];
	const char *parts[HD_INTRINSIC_PARTS];
	struct hd_texture_form form;
	struct hd_opnd words[4] = {0}, gradients[4] = {0}, out[4];
	struct hd_leaf leaves[4];
	unsigned count = hd_sel_intrinsic_parts(sel, text, parts), operand = 1, n = 0;
	const char *name = LLVMGetValueName(LLVMGetCalledValue(sel->inst));
	(void)arg;
	const char *wrong = !hd_words_have(parts, count, "unified") ? "a texture and a sampler apart are not supported"
								    : hd_sel_texture_choose(parts, count, &form);
	if (wrong) {
		hd_sel_unsupported(sel, "intrinsic %s: %s", name, wrong);
		return;
	}
	struct hd_opnd layer = hd_none();
	for (unsigned i = 0; i < form.layered + form.dims + form.level; i++) {
		struct hd_leaf leaf = hd_sel_arg(sel, operand++);
		if (form.layered && !i)
			layer = hd_sel_word(sel, &leaf, 0);
		else
			words[n++] = hd_sel_word(sel, &leaf, 0);
		if (form.layered && n == form.dims && i == form.dims)
			words[n++] = layer;
	}
	for (unsigned i = 0; form.gradients && i < 2u * form.dims; i++) {
		struct hd_leaf leaf = hd_sel_arg(sel, operand++);
		gradients[i] = hd_sel_word(sel, &leaf, 0);
	}
	hd_sel_texture(sel, &form, hd_sel_arg(sel, 0), words, gradients, 4, out);
	for (unsigned i = 0; i < 4; i++)
		leaves[i] = hd_leaf_reg(out[i].reg);
	hd_sel_define(sel, sel->inst, leaves, 4);
}

const struct hd_intrinsic hd_texture_intrinsics[] = {
	{"nvvm.tex", fetch, 0},
	{"nvvm.tld4", fetch, 0},
	{NULL, NULL, 0},
};
