/*
 * wmma: which element of a matrix each lane has, and products by mma.sync. The same places that mma.h uses, for the
 * same reasons (include/cuda/heddle_mma.h): from sm_75 on a product is one of a left factor, 16 lines of which a tile
 * has, and a right one, 8 lines; lines are rows of a or columns of b. The sum of 16 by 16 has two right tiles, that of
 * 32 by 8 two left ones; 8 by 32 is computed transposed. Before, each of a warp's four quads with the one 16 lanes
 * above has 8 lines of each factor, all of k, and 8 by 8 of the sum.
 */
#include "passes/legalize/wmma.h"
#include "passes/words.h"

#include <stdlib.h>
#include <string.h>

static bool is_double(const struct hd_wmma *form)
{
	return hd_word_is(form->factor, "f64");
}

/* Bits of an element of less than a byte, else 0. */
static unsigned bits_of_part(const struct hd_wmma *form)
{
	return hd_word_is(form->factor, "b1")					  ? 1
	       : hd_word_is(form->factor, "s4") || hd_word_is(form->factor, "u4") ? 4
										  : 0;
}

/* 8 by 8 sums, two of a lane. */
static bool is_square(const struct hd_wmma *form)
{
	return is_double(form) || bits_of_part(form);
}

/* Before sm_75 products of halves are computed by quads. */
static bool is_volta(const struct hd_wmma *form)
{
	return form->capability < 75;
}

static bool is_transposed(const struct hd_wmma *form)
{
	return form->m == 8 && form->n == 32;
}

/* ------------------------------------------------------------------ names */

static const char *check_parts_of_bytes(const struct hd_wmma *form)
{
	unsigned bits = bits_of_part(form);
	if (form->m != 8 || form->n != 8 || form->k != 128 / bits)
		return bits == 1 ? "bits are multiplied as m8n8k128" : "halves of bytes are multiplied as m8n8k32";
	if (bits == 1 && form->saturates)
		return "sums of bits do not saturate";
	if (bits != 1 && form->bits)
		return "'.popc' is for bits";
	if (form->capability < 75)
		return "halves of bytes and bits are sm_75's";
	return hd_word_is(form->bits, "and") && form->capability < 80 ? "'.and.popc' is sm_80's" : NULL;
}

static const char *check(const struct hd_wmma *form)
{
	bool tall = form->k == 16 && form->m * form->n == 256;
	if (bits_of_part(form))
		return check_parts_of_bytes(form);
	if (is_double(form))
		return form->capability < 80			      ? "doubles are sm_80's"
		       : form->m == 8 && form->n == 8 && form->k == 4 ? NULL
								      : "doubles are multiplied as m8n8k4";
	if (hd_word_is(form->factor, "tf32"))
		return form->capability < 80				? "tf32 is sm_80's"
		       : form->m == 16 && form->n == 16 && form->k == 8 ? NULL
									: "tf32 is multiplied as m16n16k8";
	if (!tall || (form->m != 16 && form->m != 32 && form->m != 8))
		return "the shapes are m16n16k16, m32n8k16 and m8n32k16";
	if (hd_word_is_byte(form->factor))
		return form->capability < 75 ? "bytes are sm_75's" : NULL;
	if (hd_word_is(form->factor, "bf16"))
		return form->capability < 80 ? "bf16 is sm_80's" : NULL;
	return hd_word_is(form->factor, "f16") ? NULL : "matrices of this type are not multiplied";
}

static bool is_type(const char *part)
{
	static const char names[] = " f16 bf16 tf32 f32 f64 s8 u8 s32 s4 u4 b1 ";
	char wanted[16];
	snprintf(wanted, sizeof wanted, " %.12s ", part);
	return strstr(names, wanted);
}

/* The factors' type where only an accumulator's is named, by the shape. */
static const char *factor_of(const char *sum, unsigned k)
{
	return hd_word_is(sum, "s32")	? k == 128  ? "b1"
					  : k == 32 ? "s4"
						    : "s8"
	       : hd_word_is(sum, "f64") ? "f64"
	       : k == 8			? "tf32"
					: "f16";
}

const char *hd_wmma_read(struct hd_wmma *form, const char *const *parts, unsigned count)
{
	const char *types[4], *layouts[2] = {"", ""};
	unsigned found = 0, lay = 0;
	bool multiplies = false, rounds = false, of_a = false, of_b = false;
	for (unsigned i = 0; i < count; i++) {
		char *end;
		if (parts[i][0] == 'm' && parts[i][1] >= '1' && parts[i][1] <= '9') {
			form->m = (unsigned)strtoul(parts[i] + 1, &end, 10);
			form->n = *end == 'n' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
			form->k = *end == 'k' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
		} else if (hd_word_is(parts[i], "mma")) {
			multiplies = true;
		} else if ((hd_word_is(parts[i], "row") || hd_word_is(parts[i], "col")) && lay < 2) {
			layouts[lay++] = parts[i];
		} else if (is_type(parts[i]) && found < 4) {
			types[found++] = parts[i];
		} else if (hd_word_is(parts[i], "xor") || hd_word_is(parts[i], "and")) {
			form->bits = parts[i];
		} else if (hd_word_is(parts[i], "a") || hd_word_is(parts[i], "b")) {
			of_a |= *parts[i] == 'a';
			of_b |= *parts[i] == 'b';
		} else if (hd_word_is(parts[i], "satfinite")) {
			form->saturates = true;
		} else if (hd_word_is(parts[i], "rz") || hd_word_is(parts[i], "rm") || hd_word_is(parts[i], "rp")) {
			rounds = true;
		}
	}
	if (!form->m || !found || !lay)
		return "a shape, a layout and a type expected";
	form->a_row = hd_word_is(layouts[0], "row");
	form->b_row = hd_word_is(layouts[1], "row");
	const char *first = types[0];
	if (found == 4) { /* D, A, B, C */
		form->result = first;
		form->factor = types[1];
		form->factor_b = types[2];
		form->sum = types[3];
	} else if (found == 2) { /* D, C of halves */
		form->result = first;
		form->sum = types[1];
		form->factor = form->factor_b = "f16";
	} else if (hd_word_is(first, "f32") || hd_word_is(first, "s32") || (hd_word_is(first, "f64") && !multiplies)) {
		form->result = form->sum = first;
		form->factor = form->factor_b = factor_of(first, form->k);
	} else {
		form->factor = form->factor_b = first;
		form->result = form->sum = hd_word_is_byte(first) || bits_of_part(form) ? "s32"
					   : hd_word_is(first, "f64")			? "f64"
					   : hd_word_is(first, "f16")			? "f16"
											: "f32";
	}
	if (rounds || (form->saturates && !hd_word_is_byte(form->factor) && !bits_of_part(form)))
		return "products are rounded to nearest, and only those of integers saturate";
	if (bits_of_part(form) && multiplies && hd_word_is(form->factor, "b1") && !form->bits)
		return "bits are multiplied by '.xor.popc' or '.and.popc'";
	if (bits_of_part(form) &&
	    (((multiplies || of_a) && !form->a_row) || (multiplies && form->b_row) || (of_b && form->a_row)))
		return "a is to be .row and b .col";
	return check(form);
}

unsigned hd_wmma_words(const struct hd_wmma *form, enum hd_wmma_use use)
{
	unsigned lines = use == HD_WMMA_A ? form->m : form->n;
	if (is_square(form))
		return use == HD_WMMA_SUM ? 2 : 1;
	if (use == HD_WMMA_SUM)
		return hd_word_is(form->sum, "f16") ? 4 : 8;
	return hd_word_is(form->factor, "f16")	  ? 8
	       : hd_word_is(form->factor, "bf16") ? lines / 4
	       : hd_word_is(form->factor, "tf32") ? 4
						  : lines / 8;
}

/* ------------------------------------------------------------------ lanes */

static value word(struct hd_site *site, uint64_t n)
{
	return LLVMConstInt(int_type(site, 32), n, false);
}

static value plus(struct hd_site *site, value a, value b)
{
	return binary(site, LLVMAdd, a, b);
}

static value times(struct hd_site *site, value a, unsigned n)
{
	return binary(site, LLVMMul, a, word(site, n));
}

/* Bits of the lane's number: (lane >> shift) & mask. */
static value lane_bits(struct hd_site *site, unsigned shift, unsigned mask)
{
	value lane = hd_legal_intrinsic(site, "llvm.nvvm.read.ptx.sreg.laneid", NULL, NULL, 0);
	lane = binary(site, LLVMLShr, lane, word(site, shift));
	return binary(site, LLVMAnd, lane, word(site, mask));
}

/* ------------------------------------------------------------------ memory */

struct matrix {
	struct hd_site *site;
	value pointer, stride;
	bool row;
	unsigned bits; /* of an element */
};

static value place(const struct matrix *m, value row, value column)
{
	struct hd_site *site = m->site;
	value outer = m->row ? row : column, inner = m->row ? column : row;
	value wide = binary(site, LLVMMul, cast(site, outer, 64, false), cast(site, m->stride, 64, false));
	wide = binary(site, LLVMAdd, wide, cast(site, inner, 64, false));
	return LLVMBuildGEP2(site->builder, int_type(site, m->bits), m->pointer, &wide, 1, "");
}

/* `bits` from the element on. */
static value load(const struct matrix *m, value row, value column, unsigned bits)
{
	value out = LLVMBuildLoad2(m->site->builder, int_type(m->site, bits), place(m, row, column), "");
	LLVMSetAlignment(out, bits / 8);
	return out;
}

/* The word of a lane, of elements of less than a byte: eighth `lane / 4` of the lines, part `lane % 4` of one. */
static value load_parts(const struct matrix *m, unsigned bits)
{
	struct hd_site *site = m->site;
	value line = lane_bits(site, 2, 7), word_of = lane_bits(site, 0, 3);
	value at = binary(site, LLVMMul, cast(site, line, 64, false), cast(site, m->stride, 64, false));
	at = binary(site, LLVMLShr, binary(site, LLVMMul, at, number(at, bits)), number(at, 3));
	at = binary(site, LLVMAdd, at, cast(site, times(site, word_of, 4), 64, false));
	value pointer = LLVMBuildGEP2(site->builder, int_type(site, 8), m->pointer, &at, 1, "");
	value out = LLVMBuildLoad2(site->builder, int_type(site, 32), pointer, "");
	LLVMSetAlignment(out, 4);
	return out;
}

static value put_in(struct hd_site *site, value to, value part, unsigned first)
{
	part = cast(site, part, 32, false);
	part = first ? binary(site, LLVMShl, part, word(site, first)) : part;
	return to ? binary(site, LLVMOr, to, part) : part;
}

/* Elements k, k + 1, ... of `line`, a word of them: of a factor, whose lines are rows of a or columns of b. */
static value factor_word(const struct matrix *m, enum hd_wmma_use use, value line, value k)
{
	bool along = (use == HD_WMMA_A) == m->row;
	value out = NULL;
	if (along)
		return use == HD_WMMA_A ? load(m, line, k, 32) : load(m, k, line, 32);
	for (unsigned i = 0; i < 32 / m->bits; i++) {
		value at = plus(m->site, k, word(m->site, i));
		value part = use == HD_WMMA_A ? load(m, line, at, m->bits) : load(m, at, line, m->bits);
		out = put_in(m->site, out, part, i * m->bits);
	}
	return out;
}

/* The first of the 8 lines that a quad of Volta's has. */
static value volta_lines(struct hd_site *site, const struct hd_wmma *form, bool rows)
{
	unsigned mine = rows ? form->m : form->n;
	if (mine == 8)
		return word(site, 0);
	return times(site, mine == 32 ? lane_bits(site, 2, 3) : lane_bits(site, rows ? 2 : 3, 1), 8);
}

static void load_volta(const struct matrix *m, const struct hd_wmma *form, enum hd_wmma_use use, value *words)
{
	struct hd_site *site = m->site;
	bool along = (use == HD_WMMA_A) == m->row;
	value line = volta_lines(site, form, use == HD_WMMA_A), in_quad = lane_bits(site, 0, 3);
	line = plus(site, line, times(site, lane_bits(site, 4, 1), 4));
	for (unsigned i = 0; i < 8; i++) {
		if (along) {
			words[i] = factor_word(m, use, plus(site, line, in_quad), word(site, 2 * i));
			continue;
		}
		/* two of four lines at one k */
		value k = plus(site, word(site, i / 2 * 4), in_quad), first = plus(site, line, word(site, i % 2 * 2));
		words[i] = use == HD_WMMA_A ? load(m, first, k, 32) : load(m, k, first, 32);
	}
}

static void load_factor(const struct matrix *m, const struct hd_wmma *form, enum hd_wmma_use use, value *words)
{
	struct hd_site *site = m->site;
	bool left = (use == HD_WMMA_A) != is_transposed(form);
	unsigned each = 32 / m->bits, blocks = form->k / (4 * each), lines = use == HD_WMMA_A ? form->m : form->n;
	unsigned have = lines / 8 * blocks, of_tile = left ? 2 * blocks : blocks;
	value quad = lane_bits(site, 2, 7), in_quad = lane_bits(site, 0, 3);
	for (unsigned i = 0; i < hd_wmma_words(form, use); i++) {
		if (i >= have) { /* halves are there twice, or four times */
			words[i] = words[i % have];
			continue;
		}
		unsigned tile = i / of_tile, in = i % of_tile, block = left ? in / 2 : in;
		value line = plus(site, quad, word(site, left ? 16 * tile + 8 * (in % 2) : 8 * tile));
		value k = plus(site, times(site, in_quad, each), word(site, block * 4 * each));
		words[i] = factor_word(m, use, line, k);
	}
}

/* Row and column of element i of the sum. Volta has halves elsewhere than single-precision numbers. */
static void spot(struct hd_site *site, const struct hd_wmma *form, bool halves, unsigned i, value *row, value *column)
{
	value quad = lane_bits(site, 2, 7), in_quad = lane_bits(site, 0, 3), r, c;
	if (is_square(form)) {
		*row = quad;
		*column = plus(site, times(site, in_quad, 2), word(site, i));
		return;
	}
	if (is_volta(form)) {
		r = plus(site, volta_lines(site, form, true), times(site, lane_bits(site, 4, 1), 4));
		c = volta_lines(site, form, false);
		*row = halves ? plus(site, r, in_quad)
			      : plus(site, plus(site, r, lane_bits(site, 0, 1)), word(site, i & 2));
		*column = halves ? plus(site, c, word(site, i))
				 : plus(site, plus(site, c, times(site, lane_bits(site, 1, 1), 2)),
					word(site, (i & 4) + (i & 1)));
		return;
	}
	unsigned tile = i / 4, in = i % 4;
	bool two_left = form->m != form->n;
	r = plus(site, quad, word(site, in / 2 * 8 + (two_left ? 16 * tile : 0)));
	c = plus(site, times(site, in_quad, 2), word(site, in % 2 + (two_left ? 0 : 8 * tile)));
	*row = is_transposed(form) ? c : r;
	*column = is_transposed(form) ? r : c;
}

static struct matrix matrix_of(struct hd_site *site, const struct hd_wmma *form, enum hd_wmma_use use, bool row,
			       value pointer, value stride, const char *type)
{
	unsigned bits = hd_word_is(type, "f64")								 ? 64
			: hd_word_is(type, "f32") || hd_word_is(type, "s32") || hd_word_is(type, "tf32") ? 32
			: hd_word_is_byte(type)								 ? 8
													 : 16;
	unsigned rows = use == HD_WMMA_B ? form->k : form->m, columns = use == HD_WMMA_A ? form->k : form->n;
	stride = stride ? stride : word(site, row ? columns : rows);
	return (struct matrix){site, pointer, stride, row, bits};
}

void hd_wmma_load(struct hd_site *site, const struct hd_wmma *form, enum hd_wmma_use use, bool row, value pointer,
		  value stride, value *words)
{
	struct matrix m =
		matrix_of(site, form, use, row, pointer, stride, use == HD_WMMA_SUM ? form->sum : form->factor);
	bool halves = m.bits == 16;
	value r, c, part;
	if (use != HD_WMMA_SUM && bits_of_part(form)) {
		words[0] = load_parts(&m, bits_of_part(form));
	} else if (use != HD_WMMA_SUM && is_double(form)) {
		value line = lane_bits(site, 2, 7), k = lane_bits(site, 0, 3);
		words[0] = use == HD_WMMA_A ? load(&m, line, k, 64) : load(&m, k, line, 64);
	} else if (use != HD_WMMA_SUM && is_volta(form)) {
		load_volta(&m, form, use, words);
	} else if (use != HD_WMMA_SUM) {
		load_factor(&m, form, use, words);
	}
	for (unsigned i = 0; use == HD_WMMA_SUM && i < (is_square(form) ? 2 : 8); i++) {
		spot(site, form, halves, i, &r, &c);
		part = load(&m, r, c, m.bits);
		if (halves)
			words[i / 2] = put_in(site, i % 2 ? words[i / 2] : NULL, part, i % 2 * 16);
		else
			words[i] = part;
	}
}

void hd_wmma_store(struct hd_site *site, const struct hd_wmma *form, bool row, value pointer, value stride,
		   const value *words)
{
	struct matrix m = matrix_of(site, form, HD_WMMA_SUM, row, pointer, stride, form->sum);
	bool halves = m.bits == 16;
	value r, c, part;
	for (unsigned i = 0; i < (is_square(form) ? 2 : 8); i++) {
		spot(site, form, halves, i, &r, &c);
		part = halves ? binary(site, LLVMLShr, words[i / 2], word(site, i % 2 * 16)) : words[i];
		part = LLVMBuildStore(site->builder, halves ? cast(site, part, 16, false) : part, place(&m, r, c));
		LLVMSetAlignment(part, m.bits / 8);
	}
}

/* ------------------------------------------------------------------ products */

void hd_wmma_instruction(struct hd_site *site, const char *opcode, const value *a, unsigned a_count, const value *b,
			 unsigned b_count, value *d, unsigned d_count)
{
	hd_wmma_sparse(site, opcode, a, a_count, b, b_count, NULL, 0, d, d_count);
}

void hd_wmma_sparse(struct hd_site *site, const char *opcode, const value *a, unsigned a_count, const value *b,
		    unsigned b_count, value metadata, unsigned selector, value *d, unsigned d_count)
{
	char text[512], constraints[128] = "";
	LLVMTypeRef types[24], results[8];
	value args[24];
	const unsigned counts[4] = {d_count, a_count, b_count, d_count};
	const value *from[4] = {NULL, a, b, d};
	unsigned at = (unsigned)snprintf(text, sizeof text, "%s ", opcode), n = 0;
	for (unsigned group = 0; group < 4; group++) {
		at += (unsigned)snprintf(text + at, sizeof text - at, "%s{", group ? ", " : "");
		for (unsigned i = 0; i < counts[group]; i++, n++) {
			at += (unsigned)snprintf(text + at, sizeof text - at, "%s$%u", i ? "," : "", n);
			strcat(constraints, group ? ",r" : n ? ",=r" : "=r");
			if (group) {
				args[n - d_count] = from[group][i];
				types[n - d_count] = LLVMTypeOf(from[group][i]);
			} else {
				results[i] = LLVMTypeOf(d[i]);
			}
		}
		at += (unsigned)snprintf(text + at, sizeof text - at, "}");
	}
	if (metadata) {
		at += (unsigned)snprintf(text + at, sizeof text - at, ", $%u, %u", n, selector);
		strcat(constraints, ",r");
		args[n - d_count] = metadata;
		types[n++ - d_count] = LLVMTypeOf(metadata);
	}
	snprintf(text + at, sizeof text - at, ";");
	LLVMTypeRef result = LLVMStructTypeInContext(site->legal->context, results, d_count, false);
	LLVMTypeRef type = LLVMFunctionType(result, types, n - d_count, false);
	value callee = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), true, false,
					LLVMInlineAsmDialectATT, false);
	value call = LLVMBuildCall2(site->builder, type, callee, args, n - d_count, "");
	unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
				 LLVMCreateEnumAttribute(site->legal->context, convergent, 0));
	for (unsigned i = 0; i < d_count; i++)
		d[i] = LLVMBuildExtractValue(site->builder, call, i, "");
}

/* A tile of 16 by 8. */
static void tile(struct hd_site *site, const struct hd_wmma *form, const value *left, const value *right, value *d)
{
	bool single = hd_word_is(form->sum, "f32");
	unsigned of_sum = hd_word_is(form->sum, "f16") ? 2 : 4;
	bool swap = is_transposed(form);
	const char *types[2] = {swap ? form->factor_b : form->factor, swap ? form->factor : form->factor_b};
	char opcode[96];
	if (hd_word_is_byte(form->factor)) {
		bool whole = form->capability >= 80;
		snprintf(opcode, sizeof opcode, "mma.sync.aligned.%s.row.col%s.s32.%s.%s.s32",
			 whole ? "m16n8k16" : "m8n8k16", form->saturates ? ".satfinite" : "", types[0], types[1]);
		if (whole)
			hd_wmma_instruction(site, opcode, left, 2, right, 1, d, 4);
		for (unsigned i = 0; i < 2 && !whole; i++)
			hd_wmma_instruction(site, opcode, left + i, 1, right, 1, d + 2 * i, 2);
		return;
	}
	if (hd_word_is(form->factor, "f16") && form->capability < 80) {
		snprintf(opcode, sizeof opcode, "mma.sync.aligned.m16n8k8.row.col.%s.f16.f16.%s",
			 single ? "f32" : "f16", single ? "f32" : "f16");
		hd_wmma_instruction(site, opcode, left, 2, right, 1, d, of_sum);
		hd_wmma_instruction(site, opcode, left + 2, 2, right + 1, 1, d, of_sum);
		return;
	}
	snprintf(opcode, sizeof opcode, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s",
		 hd_word_is(form->factor, "tf32") ? "m16n8k8" : "m16n8k16", form->sum, types[0], types[1], form->sum);
	hd_wmma_instruction(site, opcode, left, 4, right, 2, d, of_sum);
}

static void multiply_parts(struct hd_site *site, const struct hd_wmma *form, const value *a, const value *b, value *d)
{
	char opcode[96];
	snprintf(opcode, sizeof opcode, "mma.sync.aligned.m8n8k%u.row.col%s.s32.%s.%s.s32%s%s%s", form->k,
		 form->saturates ? ".satfinite" : "", form->factor, form->factor_b, form->bits ? "." : "",
		 form->bits ? form->bits : "", form->bits ? ".popc" : "");
	hd_wmma_instruction(site, opcode, a, 1, b, 1, d, 2);
}

static void multiply_volta(struct hd_site *site, const struct hd_wmma *form, const value *a, const value *b, value *d)
{
	char opcode[96];
	snprintf(opcode, sizeof opcode, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s", form->a_row ? "row" : "col",
		 form->b_row ? "row" : "col", form->sum, form->sum);
	for (unsigned set = 0; set < 4; set++)
		hd_wmma_instruction(site, opcode, a + 2 * set, 2, b + 2 * set, 2, d,
				    hd_word_is(form->sum, "f16") ? 4 : 8);
}

static value bits_of(struct hd_site *site, value real)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(real));
	return LLVMBuildBitCast(site->builder, real, int_type(site, kind == LLVMHalfTypeKind ? 16 : 32), "");
}

/* Volta: element i of the other type is in another lane of the quad. */
static value from_quad(struct hd_site *site, value low, value high, unsigned i)
{
	value source = lane_bits(site, 0, 0x1d), args[4] = {word(site, UINT32_MAX), NULL, NULL, word(site, 31)}, got[2];
	args[2] = binary(site, LLVMOr, source, word(site, i & 2));
	for (unsigned k = 0; k < 2; k++) {
		args[1] = k ? high : low;
		got[k] = hd_legal_intrinsic(site, "llvm.nvvm.shfl.sync.idx.i32", NULL, args, 4);
	}
	value upper = compare(site, LLVMIntNE, lane_bits(site, 1, 1), word(site, 0));
	return choose(site, upper, got[1], got[0]);
}

static void widen(struct hd_site *site, const struct hd_wmma *form, const value *halves, value *singles)
{
	LLVMContextRef context = site->legal->context;
	value each[8];
	for (unsigned i = 0; i < 8; i++) {
		value half = binary(site, LLVMLShr, halves[i / 2], word(site, i % 2 * 16));
		half = LLVMBuildBitCast(site->builder, cast(site, half, 16, false), LLVMHalfTypeInContext(context), "");
		each[i] = bits_of(site, LLVMBuildFPExt(site->builder, half, LLVMFloatTypeInContext(context), ""));
	}
	for (unsigned i = 0; i < 8; i++) {
		unsigned base = (i & 4) | (i & 1);
		singles[i] = is_volta(form) ? from_quad(site, each[base], each[base + 2], i) : each[i];
	}
}

static void narrow(struct hd_site *site, const struct hd_wmma *form, const value *singles, value *halves)
{
	LLVMContextRef context = site->legal->context;
	for (unsigned i = 0; i < 8; i++) {
		unsigned base = (i & 4) | (i & 1);
		value v = is_volta(form) ? from_quad(site, singles[base], singles[base + 2], i) : singles[i];
		v = LLVMBuildBitCast(site->builder, v, LLVMFloatTypeInContext(context), "");
		v = bits_of(site, LLVMBuildFPTrunc(site->builder, v, LLVMHalfTypeInContext(context), ""));
		halves[i / 2] = put_in(site, i % 2 ? halves[i / 2] : NULL, v, i % 2 * 16);
	}
}

/* Sums of mixed types are computed in single precision. */
void hd_wmma_multiply(struct hd_site *site, const struct hd_wmma *given, const value *a, const value *b, const value *c,
		      value *d)
{
	struct hd_wmma form = *given;
	value sum[HD_WMMA_WORDS];
	bool mixed = !hd_word_is(form.sum, form.result);
	unsigned of_sum = hd_word_is(form.sum, "f16") && !mixed ? 2 : 4;
	if (hd_word_is(form.sum, "f16") && mixed)
		widen(site, &form, c, sum);
	else
		memcpy(sum, c, hd_wmma_words(&form, HD_WMMA_SUM) * sizeof *sum);
	form.sum = mixed ? "f32" : form.sum;
	if (is_double(&form)) {
		hd_wmma_instruction(site, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", a, 1, b, 1, sum, 2);
	} else if (bits_of_part(&form)) {
		multiply_parts(site, &form, a, b, sum);
	} else if (is_volta(&form)) {
		multiply_volta(site, &form, a, b, sum);
	} else {
		bool swap = is_transposed(&form), two = form.m != form.n;
		const value *left = swap ? b : a, *right = swap ? a : b;
		unsigned blocks = form.k *
				  (hd_word_is_byte(form.factor)	     ? 1
				   : hd_word_is(form.factor, "tf32") ? 4
								     : 2) /
				  16;
		for (unsigned t = 0; t < 2; t++)
			tile(site, &form, left + (two ? 2 * blocks * t : 0), right + (two ? 0 : blocks * t),
			     sum + of_sum * t);
	}
	if (mixed && hd_word_is(form.result, "f16"))
		narrow(site, &form, sum, d);
	else
		memcpy(d, sum, sizeof sum);
}
