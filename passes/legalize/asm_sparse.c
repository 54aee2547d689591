/*
 * Inline PTX as IR: products with a sparse left factor (mma.sp) whose elements no instruction multiplies.
 *
 * s4, u4: the stored half of each eight columns are two pairs of neighbours, a pair is a byte, and the metadata numbers
 * the pairs of a chunk as they number bytes. So a product of s4 is one of bytes with the same metadata for the lower
 * halves of all bytes, and one for the upper halves.
 *
 * e4m3, e5m2: numbers become halves (asm_eight.c). A lane's word of a has the stored columns of two neighbouring
 * chunks; a product of halves has one chunk of each lane. So it is two products for 32 columns, of the even chunks and
 * of the odd ones, with the rows of b that these meet: they are in a lane's own pair of lanes. The metadata of bytes,
 * a word for each row, are divided likewise.
 *
 * Cost for 32 columns: s4 some 25 instructions, eight bits of floating point some 100.
 */
#include <string.h>

#include "passes/legalize/asm.h"
#include "passes/legalize/wmma.h"

struct sparse {
	const char *types[4]; /* D, A, B, C */
	unsigned words;	      /* of a, and of b */
	unsigned sums;	      /* words of c */
	bool saturates;
	unsigned selector;
};

static bool is_nibble(const char *type)
{
	return !strcmp(type, "s4") || !strcmp(type, "u4");
}

static bool of_parts(const struct hd_ptx_statement *now)
{
	static const char *const types[] = {"s4", "u4", "e4m3", "e5m2"};
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (hd_ptx_statement_has(now, types[i]))
			return true;
	return false;
}

static bool read_selector(struct hd_asm *a, struct sparse *form, unsigned most)
{
	const struct hd_ptx_operand *operand = &a->now->operands[5];
	if (operand->form != HD_PTX_PLAIN || operand->parts[0].kind != HD_PTX_NUMBER)
		hd_asm_error(a, "the sparsity selector is to be a constant");
	else if (operand->parts[0].number > most)
		hd_asm_error(a, "the sparsity selector is too large for this shape and type");
	form->selector = (unsigned)operand->parts[0].number;
	return !a->failed;
}

static const char *check_types(const struct sparse *form, unsigned capability)
{
	const char *const *types = form->types;
	bool nibbles = is_nibble(types[1]);
	if (nibbles ? !is_nibble(types[2]) : !hd_asm_is_eight(types[1]) || !hd_asm_is_eight(types[2]))
		return "the factors have different types";
	if (strcmp(types[0], types[3]) != 0)
		return "the accumulator and the result have different types";
	if (nibbles ? strcmp(types[0], "s32") != 0 : strcmp(types[0], "f32") != 0 && strcmp(types[0], "f16") != 0)
		return "the accumulator has another type than products of these factors";
	if (form->saturates && !nibbles)
		return "'.satfinite' is for integers";
	if (!nibbles && capability < 89)
		return "floating-point numbers of eight bits are sm_89's";
	return capability < 80 ? "sparse matrices are sm_80's" : NULL;
}

/* mma.sp.sync.aligned.m16n8k128.row.col{.satfinite}.s32.s4.u4.s32, or .satfinite at the end */
static bool read_form(struct hd_asm *a, struct sparse *form)
{
	const char *const *parts = a->now->parts + 1;
	unsigned count = a->now->part_count - 1,
		 chosen = hd_capability(LLVMGetBasicBlockParent(LLVMGetInstructionParent(a->site.inst)));
	const char *wrong;
	*form = (struct sparse){.saturates = hd_asm_has(a, "satfinite")};
	bool last = form->saturates && !strcmp(parts[count - 1], "satfinite"), before = form->saturates && !last;
	count -= last;
	if (count != 10u + before || (before && strcmp(parts[6], "satfinite") != 0)) {
		hd_asm_error(a, "expected a shape, two layouts and four types");
		return false;
	}
	memcpy(form->types, parts + count - 4, sizeof form->types);
	if (strcmp(parts[4], "row") != 0 || strcmp(parts[5], "col") != 0) {
		hd_asm_error(a, "a is to be .row and b .col");
		return false;
	}
	bool nibbles = is_nibble(form->types[1]), large = !strcmp(parts[3], nibbles ? "m16n8k128" : "m16n8k64");
	if (!large && (!nibbles || strcmp(parts[3], "m16n8k64") != 0)) {
		hd_asm_error(a, "sparse matrices of this shape and type are not supported");
		return false;
	}
	form->words = large ? 4 : 2;
	form->sums = strcmp(form->types[0], "f16") != 0 ? 4 : 2;
	wrong = check_types(form, chosen);
	if (wrong)
		hd_asm_error(a, "%s", wrong);
	return !wrong && read_selector(a, form, large ? 0 : 1);
}

static bool take(struct hd_asm *a, unsigned index, unsigned count, value *words)
{
	const struct hd_ptx_operand *operand = &a->now->operands[index];
	unsigned have = operand->form == HD_PTX_ADDRESS ? 0 : operand->count;
	if (have != count)
		hd_asm_error(a, "operand %u has %u registers, not %u", index + 1, have, count);
	for (unsigned i = 0; i < count && !a->failed; i++)
		words[i] = hd_asm_read(a, &operand->parts[i], 32);
	return !a->failed;
}

/* ------------------------------------------------------------------ less than a byte */

/* The lower or the upper half of each byte as a byte: from bit 3 of a signed one on, its sign. */
static value nibbles(struct hd_asm *a, value word, bool upper, const char *type)
{
	struct hd_site *site = &a->site;
	value sign;
	if (upper)
		word = binary(site, LLVMLShr, word, number(word, 4));
	word = binary(site, LLVMAnd, word, number(word, 0x0f0f0f0f));
	if (*type == 'u')
		return word;
	sign = binary(site, LLVMAnd, word, number(word, 0x08080808));
	return binary(site, LLVMOr, word, binary(site, LLVMMul, sign, number(sign, 30)));
}

static void multiply_nibbles(struct hd_asm *a, const struct sparse *form, const value *left, const value *right,
			     value metadata, value *d)
{
	char opcode[96];
	value low[4], high[4], sum[4];
	snprintf(opcode, sizeof opcode, "mma.sp.sync.aligned.m16n8k%u.row.col.s32.%c8.%c8.s32", 16 * form->words,
		 *form->types[1], *form->types[2]);
	for (unsigned i = 0; i < form->sums; i++)
		sum[i] = form->saturates ? hd_asm_word(a, 0) : d[i];
	for (unsigned upper = 0; upper < 2; upper++) {
		for (unsigned i = 0; i < form->words; i++) {
			low[i] = nibbles(a, left[i], upper, form->types[1]);
			high[i] = nibbles(a, right[i], upper, form->types[2]);
		}
		hd_wmma_sparse(&a->site, opcode, low, form->words, high, form->words, metadata, form->selector, sum,
			       form->sums);
	}
	for (unsigned i = 0; i < form->sums; i++) {
		value args[2] = {d[i], sum[i]};
		d[i] = form->saturates ? intrinsic(&a->site, "sadd.sat", args, 2) : sum[i];
	}
}

/* ------------------------------------------------------------------ eight bits of floating point */

/* The word of the lane that has this one's number but for some bits; all lanes are there. */
static value from_lane(struct hd_asm *a, value word, value lane, unsigned without, unsigned with)
{
	value args[4] = {hd_asm_word(a, UINT32_MAX), word, NULL, hd_asm_word(a, 31)};
	args[2] = binary(&a->site, LLVMAnd, lane, number(lane, ~(uint64_t)without & UINT32_MAX));
	args[2] = binary(&a->site, LLVMOr, args[2], number(lane, with));
	return hd_asm_call(a, "llvm.nvvm.shfl.sync.idx.i32", NULL, args, 4);
}

/* Every second group of four bits, together. */
static value every_second(struct hd_asm *a, value word, bool odd)
{
	struct hd_site *site = &a->site;
	if (odd)
		word = binary(site, LLVMLShr, word, number(word, 4));
	for (unsigned bits = 4; bits < 16; bits *= 2) {
		word = binary(site, LLVMAnd, word, number(word, bits == 4 ? 0x0f0f0f0f : 0x00ff00ff));
		word = binary(site, LLVMOr, word, binary(site, LLVMLShr, word, number(word, bits)));
	}
	return binary(site, LLVMAnd, word, number(word, 0xffff));
}

static void multiply_eight(struct hd_asm *a, const struct sparse *form, const value *left, const value *right,
			   value metadata, value *d)
{
	struct hd_site *site = &a->site;
	value lane = hd_asm_call(a, "llvm.nvvm.read.ptx.sreg.laneid", NULL, NULL, 0), half, in[2], of[2], rows[2], meta;
	char opcode[96];
	snprintf(opcode, sizeof opcode, "mma.sp.sync.aligned.m16n8k16.row.col.%s.f16.f16.%s", form->types[0],
		 form->types[0]);
	half = binary(site, LLVMMul, binary(site, LLVMAnd, lane, number(lane, 1)), number(lane, 16));
	for (unsigned step = 0; step < 2; step++) {
		for (unsigned i = 0; i < 2; i++)
			rows[i] = from_lane(a, metadata, lane, 3, 2 * step + i);
		for (unsigned odd = 0; odd < 2; odd++) {
			for (unsigned i = 0; i < 2; i++) {
				in[i] = hd_asm_halves(a, left[2 * step + i], odd, form->types[1]);
				of[i] = from_lane(a, right[2 * step + i], lane, 1, odd);
				of[i] = hd_asm_halves(a, binary(site, LLVMLShr, of[i], half), false, form->types[2]);
			}
			meta = every_second(a, rows[1], odd);
			meta = binary(site, LLVMOr, binary(site, LLVMShl, meta, number(meta, 16)),
				      every_second(a, rows[0], odd));
			hd_wmma_sparse(site, opcode, in, 2, of, 2, meta, 0, d, form->sums);
		}
	}
}

static void multiply(struct hd_asm *a, unsigned arg)
{
	struct sparse form;
	value left[4], right[4], d[4];
	(void)arg;
	if (!read_form(a, &form) || !take(a, 1, form.words, left) || !take(a, 2, form.words, right) ||
	    !take(a, 3, form.sums, d))
		return;
	value metadata = hd_asm_in(a, 4, 32);
	const struct hd_ptx_operand *to = &a->now->operands[0];
	unsigned have = to->form == HD_PTX_ADDRESS ? 0 : to->count;
	if (have != form.sums)
		hd_asm_error(a, "the result has %u registers, not %u", have, form.sums);
	if (a->failed)
		return;
	if (is_nibble(form.types[1]))
		multiply_nibbles(a, &form, left, right, metadata, d);
	else
		multiply_eight(a, &form, left, right, metadata, d);
	for (unsigned i = 0; i < form.sums; i++)
		hd_asm_write(a, &to->parts[i], d[i], false);
}

const struct hd_asm_row hd_asm_sparse[] = {
	{"mma.sp.sync.aligned", 6, of_parts, multiply, 0},
	{"mma.sp::ordered_metadata.sync.aligned", 6, of_parts, multiply, 0},
	{NULL, 0, NULL, NULL, 0},
};
