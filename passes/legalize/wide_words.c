/*
 * Arithmetic on integers of more than 128 bits in words of 64: sums with carries, products word by word, shifts by
 * words and then by bits, comparisons from the lowest word up. Linear in the words, products quadratic.
 */
#include "passes/legalize/wide.h"

#include <string.h>

typedef LLVMValueRef value;

static value binary(struct hd_wide *wide, LLVMOpcode op, value a, value b)
{
	return LLVMBuildBinOp(wide->builder, op, a, b, "");
}

static value compare(struct hd_wide *wide, LLVMIntPredicate predicate, value a, value b)
{
	return LLVMBuildICmp(wide->builder, predicate, a, b, "");
}

static value choose(struct hd_wide *wide, value condition, value yes, value no)
{
	return LLVMBuildSelect(wide->builder, condition, yes, no, "");
}

void hd_wide_mask(struct hd_wide *wide, struct hd_words *to)
{
	unsigned spare = hd_wide_spare(to->value), last = hd_wide_count(to->value) - 1;
	if (spare)
		to->word[last] = binary(wide, LLVMAnd, to->word[last], hd_wide_number(wide, UINT64_MAX >> spare));
}

LLVMValueRef hd_wide_sign(struct hd_wide *wide, struct hd_words *of)
{
	value *last = &of->word[hd_wide_count(of->value) - 1], spare = hd_wide_number(wide, hd_wide_spare(of->value));
	value top = binary(wide, LLVMShl, *last, spare);
	*last = binary(wide, LLVMAShr, top, spare);
	return binary(wide, LLVMAShr, top, hd_wide_number(wide, HD_WIDE_WORD - 1));
}

/* ---- sums and products: a word and what it carries are a pair of words */

static LLVMTypeRef pair_type(const struct hd_wide *wide)
{
	return LLVMIntTypeInContext(wide->legal->context, 2 * HD_WIDE_WORD);
}

static value pair(struct hd_wide *wide, value word)
{
	return LLVMBuildZExt(wide->builder, word, pair_type(wide), "");
}

static value low(struct hd_wide *wide, value both)
{
	return LLVMBuildTrunc(wide->builder, both, wide->type, "");
}

static value high(struct hd_wide *wide, value both)
{
	return low(wide, binary(wide, LLVMLShr, both, LLVMConstInt(pair_type(wide), HD_WIDE_WORD, 0)));
}

/* A difference is a + ~b + 1. */
void hd_wide_add(struct hd_wide *wide, struct hd_words *to, const struct hd_words *a, const struct hd_words *b,
		 bool minus)
{
	value carry = hd_wide_number(wide, minus);
	for (unsigned i = 0; i < hd_wide_count(to->value); i++) {
		value other = minus ? LLVMBuildNot(wide->builder, b->word[i], "") : b->word[i];
		value sum = binary(wide, LLVMAdd, pair(wide, a->word[i]), pair(wide, other));
		sum = binary(wide, LLVMAdd, sum, pair(wide, carry));
		to->word[i] = low(wide, sum);
		carry = high(wide, sum);
	}
	hd_wide_mask(wide, to);
}

/* As on paper: (2^64 - 1)^2 and two words more fit a pair. */
void hd_wide_multiply(struct hd_wide *wide, struct hd_words *to, const struct hd_words *a, const struct hd_words *b)
{
	unsigned count = hd_wide_count(to->value);
	for (unsigned i = 0; i < count; i++)
		to->word[i] = hd_wide_number(wide, 0);
	for (unsigned i = 0; i < count; i++) {
		value carry = hd_wide_number(wide, 0);
		for (unsigned k = 0; i + k < count; k++) {
			value product = binary(wide, LLVMMul, pair(wide, a->word[i]), pair(wide, b->word[k]));
			product = binary(wide, LLVMAdd, product, pair(wide, to->word[i + k]));
			product = binary(wide, LLVMAdd, product, pair(wide, carry));
			to->word[i + k] = low(wide, product);
			carry = high(wide, product);
		}
	}
	hd_wide_mask(wide, to);
}

/* ---- shifts */

/* To the right by whole words, to the left by less than 0; `fill` comes in from above. */
static void move_words(struct hd_wide *wide, struct hd_words *to, int by, value fill)
{
	struct hd_words from = *to;
	int count = (int)hd_wide_count(to->value);
	for (int i = 0; i < count; i++)
		to->word[i] = i + by < 0 ? hd_wide_number(wide, 0) : i + by >= count ? fill : from.word[i + by];
}

/* To the right or left by fewer bits than a word has. The neighbour moves by one bit and then by the rest: never by a
 * whole word. */
static void move_bits(struct hd_wide *wide, struct hd_words *to, bool left, value by, value fill)
{
	struct hd_words from = *to;
	int count = (int)hd_wide_count(to->value);
	LLVMOpcode there = left ? LLVMShl : LLVMLShr, back = left ? LLVMLShr : LLVMShl;
	value one = hd_wide_number(wide, 1), rest = binary(wide, LLVMXor, by, hd_wide_number(wide, HD_WIDE_WORD - 1));
	for (int i = 0; i < count; i++) {
		int k = left ? i - 1 : i + 1;
		value near = k < 0 ? hd_wide_number(wide, 0) : k >= count ? fill : from.word[k];
		near = binary(wide, back, binary(wide, back, near, one), rest);
		to->word[i] = binary(wide, LLVMOr, binary(wide, there, from.word[i], by), near);
	}
}

/* An amount that is not known moves by one word, by two, by four, ... where its bits say so. */
static void move_by(struct hd_wide *wide, struct hd_words *to, bool left, value amount, value fill)
{
	unsigned count = hd_wide_count(to->value);
	value whole = binary(wide, LLVMLShr, amount, hd_wide_number(wide, 6));
	for (unsigned step = 1; step < count; step *= 2) {
		struct hd_words moved = *to;
		value bit = binary(wide, LLVMAnd, whole, hd_wide_number(wide, step));
		value some = compare(wide, LLVMIntNE, bit, hd_wide_number(wide, 0));
		move_words(wide, &moved, left ? -(int)step : (int)step, fill);
		for (unsigned i = 0; i < count; i++)
			to->word[i] = choose(wide, some, moved.word[i], to->word[i]);
	}
	move_bits(wide, to, left, binary(wide, LLVMAnd, amount, hd_wide_number(wide, HD_WIDE_WORD - 1)), fill);
}

void hd_wide_shift(struct hd_wide *wide, struct hd_words *to, struct hd_words from, LLVMOpcode op,
		   const struct hd_words *by)
{
	bool left = op == LLVMShl;
	value fill = op == LLVMAShr ? hd_wide_sign(wide, &from) : hd_wide_number(wide, 0), owner = to->value;
	*to = from;
	to->value = owner;
	if (LLVMIsAConstantInt(by->word[0])) {
		uint64_t amount = LLVMConstIntGetZExtValue(by->word[0]);
		int words = amount < hd_wide_bits(LLVMTypeOf(owner)) ? (int)(amount / HD_WIDE_WORD) : 0;
		move_words(wide, to, left ? -words : words, fill);
		if (amount % HD_WIDE_WORD)
			move_bits(wide, to, left, hd_wide_number(wide, amount % HD_WIDE_WORD), fill);
	} else {
		move_by(wide, to, left, by->word[0], fill);
	}
	hd_wide_mask(wide, to);
}

/* ---- comparisons */

static value equal(struct hd_wide *wide, LLVMIntPredicate predicate, const struct hd_words *a, const struct hd_words *b)
{
	value any = hd_wide_number(wide, 0);
	for (unsigned i = 0; i < hd_wide_count(a->value); i++)
		any = binary(wide, LLVMOr, any, binary(wide, LLVMXor, a->word[i], b->word[i]));
	return compare(wide, predicate, any, hd_wide_number(wide, 0));
}

/* a < b: the highest word that differs says so. */
static value below(struct hd_wide *wide, bool is_signed, struct hd_words a, struct hd_words b)
{
	unsigned last = hd_wide_count(a.value) - 1;
	value out = LLVMConstInt(LLVMInt1TypeInContext(wide->legal->context), 0, 0);
	if (is_signed) {
		hd_wide_sign(wide, &a);
		hd_wide_sign(wide, &b);
	}
	for (unsigned i = 0; i <= last; i++) {
		LLVMIntPredicate predicate = is_signed && i == last ? LLVMIntSLT : LLVMIntULT;
		value same = compare(wide, LLVMIntEQ, a.word[i], b.word[i]);
		out = choose(wide, same, out, compare(wide, predicate, a.word[i], b.word[i]));
	}
	return out;
}

LLVMValueRef hd_wide_compare(struct hd_wide *wide, LLVMIntPredicate predicate, struct hd_words a, struct hd_words b)
{
	switch (predicate) {
	case LLVMIntEQ:
	case LLVMIntNE: return equal(wide, predicate, &a, &b);
	case LLVMIntULT: return below(wide, false, a, b);
	case LLVMIntUGT: return below(wide, false, b, a);
	case LLVMIntSLT: return below(wide, true, a, b);
	case LLVMIntSGT: return below(wide, true, b, a);
	case LLVMIntUGE: return LLVMBuildNot(wide->builder, below(wide, false, a, b), "");
	case LLVMIntULE: return LLVMBuildNot(wide->builder, below(wide, false, b, a), "");
	case LLVMIntSGE: return LLVMBuildNot(wide->builder, below(wide, true, a, b), "");
	default: return LLVMBuildNot(wide->builder, below(wide, true, b, a), "");
	}
}

/* ---- bits */

static value of_word(struct hd_wide *wide, const char *name, value word)
{
	char full[32];
	value args[2] = {word, LLVMConstInt(LLVMInt1TypeInContext(wide->legal->context), 0, 0)};
	snprintf(full, sizeof full, "llvm.%s", name);
	unsigned id = LLVMLookupIntrinsicID(full, strlen(full));
	return LLVMBuildCall2(wide->builder, LLVMIntrinsicGetType(wide->legal->context, id, &wide->type, 1),
			      LLVMGetIntrinsicDeclaration(wide->legal->module, id, &wide->type, 1), args,
			      strcmp(name, "ctlz") && strcmp(name, "cttz") ? 1 : 2, "");
}

/* ctlz and cttz: of the first word that is not zero, from above or below. */
static value zeros(struct hd_wide *wide, const char *name, const struct hd_words *a)
{
	bool leading = name[2] == 'l';
	unsigned count = hd_wide_count(a->value), spare = leading ? hd_wide_spare(a->value) : 0;
	value out = hd_wide_number(wide, hd_wide_bits(LLVMTypeOf(a->value)));
	for (unsigned k = count; k > 0; k--) {
		value word = a->word[leading ? count - k : k - 1], in = of_word(wide, name, word);
		uint64_t before = (k - 1) * HD_WIDE_WORD - (uint64_t)spare; /* wraps for the first, and comes back */
		value some = compare(wide, LLVMIntNE, word, hd_wide_number(wide, 0));
		out = choose(wide, some, binary(wide, LLVMAdd, in, hd_wide_number(wide, before)), out);
	}
	return out;
}

bool hd_wide_count_bits(struct hd_wide *wide, struct hd_words *to, const char *name, const struct hd_words *a)
{
	unsigned count = hd_wide_count(to->value);
	value zero = hd_wide_number(wide, 0), sum = zero;
	if (!strcmp(name, "bswap") || !strcmp(name, "bitreverse")) {
		for (unsigned i = 0; i < count; i++)
			to->word[i] = of_word(wide, name, a->word[count - 1 - i]);
		if (hd_wide_spare(to->value))
			move_bits(wide, to, false, hd_wide_number(wide, hd_wide_spare(to->value)), zero);
		return true;
	}
	if (!strcmp(name, "ctpop"))
		for (unsigned i = 0; i < count; i++)
			sum = binary(wide, LLVMAdd, sum, of_word(wide, name, a->word[i]));
	else if (!strcmp(name, "ctlz") || !strcmp(name, "cttz"))
		sum = zeros(wide, name, a);
	else
		return false;
	for (unsigned i = 0; i < count; i++)
		to->word[i] = i ? zero : sum;
	return true;
}
