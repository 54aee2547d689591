/*
 * Inline PTX and NVVM's intrinsics as IR: wmma (wmma.c has what they do).
 *
 *   wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {r, ...}, [p], stride
 */
#include <string.h>

#include "passes/legalize/asm.h"
#include "passes/legalize/wmma.h"

static bool read_form(struct hd_asm *a, struct hd_wmma *form)
{
	*form = (struct hd_wmma){
		.capability = hd_capability(LLVMGetBasicBlockParent(LLVMGetInstructionParent(a->site.inst)))};
	const char *wrong = hd_wmma_read(form, a->now->parts, a->now->part_count);
	if (wrong)
		hd_asm_error(a, "%s", wrong);
	return !wrong;
}

static unsigned bits_of(const struct hd_wmma *form)
{
	return strcmp(form->factor, "f64") ? 32 : 64;
}

static bool check_count(struct hd_asm *a, unsigned index, unsigned count)
{
	const struct hd_ptx_operand *operand = &a->now->operands[index];
	if (operand->form == HD_PTX_ADDRESS || operand->count != count)
		hd_asm_error(a, "operand %u has %u registers, not %u", index + 1,
			     operand->form == HD_PTX_ADDRESS ? 0 : operand->count, count);
	return !a->failed;
}

static void take(struct hd_asm *a, unsigned index, unsigned count, unsigned bits, value *words)
{
	if (!check_count(a, index, count))
		return;
	for (unsigned i = 0; i < count; i++)
		words[i] = hd_asm_read(a, &a->now->operands[index].parts[i], bits);
}

static value stride_of(struct hd_asm *a, unsigned index)
{
	return a->now->count > index ? hd_asm_in(a, index, 32) : NULL;
}

static void load(struct hd_asm *a, unsigned use)
{
	struct hd_wmma form;
	value words[HD_WMMA_WORDS];
	if (!read_form(a, &form) || !check_count(a, 0, hd_wmma_words(&form, use)))
		return;
	value pointer = hd_asm_pointer(a, 1, hd_asm_space(a)), stride = stride_of(a, 2);
	if (a->failed)
		return;
	hd_wmma_load(&a->site, &form, use, form.a_row, pointer, stride, words);
	for (unsigned i = 0; i < hd_wmma_words(&form, use); i++)
		hd_asm_write(a, &a->now->operands[0].parts[i], words[i], false);
}

static void store(struct hd_asm *a, unsigned arg)
{
	struct hd_wmma form;
	value words[HD_WMMA_WORDS];
	(void)arg;
	if (!read_form(a, &form))
		return;
	take(a, 1, hd_wmma_words(&form, HD_WMMA_SUM), bits_of(&form), words);
	value pointer = hd_asm_pointer(a, 0, hd_asm_space(a)), stride = stride_of(a, 2);
	if (!a->failed)
		hd_wmma_store(&a->site, &form, form.a_row, pointer, stride, words);
}

static void multiply(struct hd_asm *a, unsigned arg)
{
	struct hd_wmma form, of_result;
	value in[3][HD_WMMA_WORDS], d[HD_WMMA_WORDS];
	(void)arg;
	if (!read_form(a, &form))
		return;
	of_result = form;
	of_result.sum = form.result;
	for (unsigned use = 0; use < 3; use++)
		take(a, use + 1, hd_wmma_words(&form, use), bits_of(&form), in[use]);
	if (a->failed || !check_count(a, 0, hd_wmma_words(&of_result, HD_WMMA_SUM)))
		return;
	hd_wmma_multiply(&a->site, &form, in[0], in[1], in[2], d);
	for (unsigned i = 0; i < hd_wmma_words(&of_result, HD_WMMA_SUM); i++)
		hd_asm_write(a, &a->now->operands[0].parts[i], d[i], false);
}

const struct hd_asm_row hd_asm_matrix[] = {
	{"wmma.load.a.sync.aligned", 2, NULL, load, HD_WMMA_A},
	{"wmma.load.b.sync.aligned", 2, NULL, load, HD_WMMA_B},
	{"wmma.load.c.sync.aligned", 2, NULL, load, HD_WMMA_SUM},
	{"wmma.store.d.sync.aligned", 2, NULL, store, 0},
	{"wmma.mma.sync.aligned", 4, NULL, multiply, 0},
	{"wmma.mma.xor.popc.sync.aligned", 4, NULL, multiply, 0},
	{"wmma.mma.and.popc.sync.aligned", 4, NULL, multiply, 0},
	{NULL, 0, NULL, NULL, 0},
};

/* ------------------------------------------------------------------ intrinsics */

enum { PARTS = 16 };

static unsigned split(char *text, const char *parts[PARTS])
{
	unsigned count = 0;
	for (char *at = text; at && count < PARTS; count++) {
		parts[count] = at;
		at = strchr(at, '.');
		if (at)
			*at++ = '\0';
	}
	return count;
}

static bool has(const char *const *parts, unsigned count, const char *part)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(parts[i], part))
			return true;
	return false;
}

static value as_word(struct hd_site *site, value v)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
	return kind == LLVMIntegerTypeKind
		       ? v
		       : LLVMBuildBitCast(site->builder, v, int_type(site, kind == LLVMDoubleTypeKind ? 64 : 32), "");
}

static void arguments(struct hd_site *site, unsigned first, unsigned count, value *words)
{
	for (unsigned i = 0; i < count && first + i < (unsigned)LLVMGetNumArgOperands(site->inst); i++)
		words[i] = as_word(site, LLVMGetArgOperand(site->inst, first + i));
}

static value fragment(struct hd_site *site, const value *words, unsigned count)
{
	LLVMTypeRef type = LLVMTypeOf(site->inst);
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return LLVMBuildBitCast(site->builder, words[0], type, "");
	value out = LLVMGetPoison(type);
	for (unsigned i = 0; i < count && i < LLVMCountStructElementTypes(type); i++)
		out = LLVMBuildInsertValue(site->builder, out,
					   LLVMBuildBitCast(site->builder, words[i], LLVMStructGetTypeAtIndex(type, i),
							    ""),
					   i, "");
	return out;
}

value hd_legal_wmma(struct hd_site *site, const char *name)
{
	struct hd_wmma form = {.capability =
				       hd_capability(LLVMGetBasicBlockParent(LLVMGetInstructionParent(site->inst)))};
	char text[128], what[192];
	const char *parts[PARTS];
	value in[3][HD_WMMA_WORDS], words[HD_WMMA_WORDS];
	snprintf(text, sizeof text, "%s", name);
	unsigned count = split(text, parts), args = (unsigned)LLVMGetNumArgOperands(site->inst), at = 0;
	const char *wrong = hd_wmma_read(&form, parts, count);
	if (wrong) {
		snprintf(what, sizeof what, "intrinsic llvm.%s: %s", name, wrong);
		site->legal->status = hd_unsupported(site->legal->unit, site->inst, what);
		return LLVMGetPoison(LLVMTypeOf(site->inst));
	}
	value stride = has(parts, count, "stride") ? LLVMGetArgOperand(site->inst, args - 1) : NULL;
	if (has(parts, count, "mma")) {
		for (unsigned use = 0; use < 3; at += hd_wmma_words(&form, use++))
			arguments(site, at, hd_wmma_words(&form, use), in[use]);
		hd_wmma_multiply(site, &form, in[0], in[1], in[2], words);
		form.sum = form.result;
		return fragment(site, words, hd_wmma_words(&form, HD_WMMA_SUM));
	}
	value pointer = LLVMGetArgOperand(site->inst, 0);
	if (has(parts, count, "store")) {
		arguments(site, 1, hd_wmma_words(&form, HD_WMMA_SUM), words);
		hd_wmma_store(site, &form, form.a_row, pointer, stride, words);
		LLVMInstructionEraseFromParent(site->inst);
		return NULL;
	}
	enum hd_wmma_use use = has(parts, count, "a") ? HD_WMMA_A : has(parts, count, "b") ? HD_WMMA_B : HD_WMMA_SUM;
	hd_wmma_load(site, &form, use, form.a_row, pointer, stride, words);
	return fragment(site, words, hd_wmma_words(&form, use));
}
