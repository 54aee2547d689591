/*
 * Inline PTX as IR: products of matrices of eight-bit floating-point numbers (mma.sync on e4m3 and e5m2, sm_89), as
 * ptxas is said to make them for sm_90: numbers become halves, which is exact, and a product is one or two of halves.
 * The lower halves of the words come first, those of a lane's upper bytes behind them; each column of a meets its row
 * of b.
 *
 * About ten instructions for two numbers of e4m3, one for two of e5m2.
 */
#include <string.h>

#include "passes/legalize/asm.h"
#include "passes/legalize/wmma.h"

struct eight {
	const char *types[4]; /* D, A, B, C */
	unsigned words;	      /* of a; of b half as many */
};

bool hd_asm_is_eight(const char *type)
{
	return !strcmp(type, "e4m3") || !strcmp(type, "e5m2");
}

static bool of_eight(const struct hd_ptx_statement *now)
{
	return hd_ptx_statement_has(now, "e4m3") || hd_ptx_statement_has(now, "e5m2");
}

/* mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 */
static bool read_form(struct hd_asm *a, struct eight *form)
{
	const char *const *parts = a->now->parts;
	bool shape = a->now->part_count == 10;
	form->words = shape && !strcmp(parts[3], "m16n8k32") ? 4 : shape && !strcmp(parts[3], "m16n8k16") ? 2 : 0;
	if (!form->words || strcmp(parts[4], "row") != 0 || strcmp(parts[5], "col") != 0) {
		hd_asm_error(a, ".m16n8k32 or .m16n8k16, .row.col and four types expected");
		return false;
	}
	memcpy(form->types, parts + 6, sizeof form->types);
	if (!hd_asm_is_eight(form->types[1]) || !hd_asm_is_eight(form->types[2]) ||
	    strcmp(form->types[0], form->types[3]) != 0 ||
	    (strcmp(form->types[0], "f32") != 0 && strcmp(form->types[0], "f16") != 0))
		hd_asm_error(a, "two factors of eight bits, and sums of .f32 or .f16 expected");
	else if (hd_capability(LLVMGetBasicBlockParent(LLVMGetInstructionParent(a->site.inst))) < 89)
		hd_asm_error(a, "floating-point numbers of eight bits are sm_89's");
	return !a->failed;
}

static value take(struct hd_asm *a, unsigned index, unsigned i, unsigned count)
{
	const struct hd_ptx_operand *operand = &a->now->operands[index];
	unsigned have = operand->form == HD_PTX_ADDRESS ? 0 : operand->count;
	if (have != count) {
		hd_asm_error(a, "operand %u has %u registers, not %u", index + 1, have, count);
		return hd_asm_word(a, 0);
	}
	return hd_asm_read(a, &operand->parts[i], 32);
}

/*
 * Bytes 0 and 1 of a word, or 2 and 3, as halves: of e5m2 they are a half's upper byte. Of e4m3 exponent and fraction
 * go one bit lower, where a half's value is 2^-8 of theirs; what would be 480 is NaN.
 */
value hd_asm_halves(struct hd_asm *a, value word, bool upper, const char *type)
{
	struct hd_site *site = &a->site;
	value args[3] = {word, hd_asm_word(a, 0), hd_asm_word(a, upper ? 0x3424 : 0x1404)};
	value out = hd_asm_call(a, "llvm.nvvm.prmt", NULL, args, 3), size, nan;
	LLVMTypeRef pair = LLVMVectorType(LLVMHalfTypeInContext(site->legal->context), 2);
	value scale[2] = {LLVMConstReal(LLVMGetElementType(pair), 256), LLVMConstReal(LLVMGetElementType(pair), 256)};
	if (*type == 'e' && type[1] == '5')
		return out;
	size = binary(site, LLVMLShr, binary(site, LLVMAnd, out, number(out, 0x7f007f00)), number(out, 1));
	nan = binary(site, LLVMAnd, binary(site, LLVMAdd, size, number(size, 0x00800080)), number(size, 0x40004000));
	nan = binary(site, LLVMSub, binary(site, LLVMShl, nan, number(nan, 1)),
		     binary(site, LLVMLShr, nan, number(nan, 4)));
	out = binary(site, LLVMOr, size, binary(site, LLVMAnd, out, number(out, 0x80008000)));
	out = LLVMBuildBitCast(site->builder, out, pair, "");
	out = LLVMBuildFMul(site->builder, out, LLVMConstVector(scale, 2), "");
	return binary(site, LLVMOr, LLVMBuildBitCast(site->builder, out, int_type(site, 32), ""), nan);
}

static void multiply(struct hd_asm *a, unsigned arg)
{
	struct eight form;
	value d[4];
	char opcode[96];
	(void)arg;
	if (!read_form(a, &form))
		return;
	unsigned of_sum = !strcmp(form.types[0], "f16") ? 2 : 4;
	for (unsigned i = 0; i < of_sum; i++)
		d[i] = take(a, 3, i, of_sum);
	snprintf(opcode, sizeof opcode, "mma.sync.aligned.m16n8k16.row.col.%s.f16.f16.%s", form.types[0],
		 form.types[0]);
	for (unsigned block = 0; block < form.words / 2; block++) {
		value left[4], right[2], column = take(a, 2, block, form.words / 2);
		for (unsigned i = 0; i < 4; i++)
			left[i] = hd_asm_halves(a, take(a, 1, 2 * block + i % 2, form.words), i / 2, form.types[1]);
		for (unsigned i = 0; i < 2; i++)
			right[i] = hd_asm_halves(a, column, i, form.types[2]);
		if (a->failed)
			return;
		hd_wmma_instruction(&a->site, opcode, left, 4, right, 2, d, of_sum);
	}
	const struct hd_ptx_operand *to = &a->now->operands[0];
	if (to->form == HD_PTX_ADDRESS || to->count != of_sum) {
		hd_asm_error(a, "the result has %u registers, not %u", to->form == HD_PTX_ADDRESS ? 0 : to->count,
			     of_sum);
		return;
	}
	for (unsigned i = 0; i < of_sum; i++)
		hd_asm_write(a, &to->parts[i], d[i], false);
}

const struct hd_asm_row hd_asm_eight[] = {
	{"mma.sync.aligned", 4, of_eight, multiply, 0},
	{NULL, 0, NULL, NULL, 0},
};
