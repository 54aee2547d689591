/*
 * Integers of more than 128 bits, which bit-fields of packed structs are for clang: loads, shifts by constants, logic,
 * selections, comparisons for equality and stores, on words of 64 bits. A value's unused upper bits are zero. What else
 * there is of such types stays, and is refused where it is selected.
 *
 * Words are made where something is read that is no such integer, from there backwards. Linear in words.
 */
#include <stdlib.h>

#include "lib/map.h"
#include "passes/legalize/legalize.h"

enum { MOST_WORDS = 32, WORD = 64 };

struct words {
	LLVMValueRef value; /* whose they are */
	LLVMValueRef word[MOST_WORDS];
};

struct wide {
	struct hd_legal *legal;
	LLVMBuilderRef builder;
	LLVMTypeRef type; /* of a word */
	struct hd_map known;
	HD_VEC(struct words *) list;
	uint32_t filled; /* of the list: PHIs up to here have their operands */
	bool failed;
};

static unsigned bits_of(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static bool is_wide(LLVMValueRef value)
{
	unsigned bits = bits_of(LLVMTypeOf(value));
	return bits > 128 && bits <= MOST_WORDS * WORD;
}

static unsigned count_of(LLVMValueRef value)
{
	return (bits_of(LLVMTypeOf(value)) + WORD - 1) / WORD;
}

static LLVMValueRef number(const struct wide *wide, uint64_t value)
{
	return LLVMConstInt(wide->type, value, 0);
}

static struct words *words_of(struct wide *wide, LLVMValueRef value);

/* The last word without what is above the type's bits. */
static void mask(struct wide *wide, struct words *words)
{
	unsigned bits = bits_of(LLVMTypeOf(words->value)), rest = bits % WORD, last = count_of(words->value) - 1;
	if (rest)
		words->word[last] =
			LLVMBuildAnd(wide->builder, words->word[last], number(wide, (UINT64_C(1) << rest) - 1), "");
}

/* ---- memory, in pieces of a power of two */

static void access_pieces(struct wide *wide, LLVMValueRef inst, struct words *words, bool store)
{
	LLVMBuilderRef builder = wide->builder;
	LLVMContextRef context = wide->legal->context;
	LLVMValueRef pointer = LLVMGetOperand(inst, store);
	unsigned bytes = (bits_of(LLVMTypeOf(words->value)) + 7) / 8, align = LLVMGetAlignment(inst);
	for (unsigned at = 0, size; at < bytes; at += size) {
		for (size = 8; size > bytes - at || at % size; size /= 2)
			;
		LLVMTypeRef piece = LLVMIntTypeInContext(context, 8 * size);
		LLVMValueRef offset = number(wide, at), shift = number(wide, at % 8 * 8), access,
			     *word = &words->word[at / 8];
		LLVMValueRef place = LLVMBuildGEP2(builder, LLVMInt8TypeInContext(context), pointer, &offset, 1, "");
		if (store) {
			LLVMValueRef part =
				LLVMBuildTrunc(builder, LLVMBuildLShr(builder, *word, shift, ""), piece, "");
			access = LLVMBuildStore(builder, part, place);
		} else {
			access = LLVMBuildLoad2(builder, piece, place, "");
			LLVMValueRef part =
				LLVMBuildShl(builder, LLVMBuildZExt(builder, access, wide->type, ""), shift, "");
			*word = *word ? LLVMBuildOr(builder, *word, part, "") : part;
		}
		unsigned natural = at ? at & -at : align;
		LLVMSetAlignment(access, natural < align ? natural : align);
		LLVMSetVolatile(access, LLVMGetVolatile(inst));
	}
}

/* ---- operations */

/* words shifted right by `by` bits; `fill` comes in from above. Left shifts are those to the right by less than 0. */
static void shift_words(struct wide *wide, struct words *to, const struct words *from, int by, LLVMValueRef fill)
{
	int count = (int)count_of(to->value), whole = by >= 0 ? by / WORD : -((-by + WORD - 1) / WORD),
	    rest = by - whole * WORD;
	for (int i = 0; i < count; i++) {
		int low = i + whole, high = low + 1;
		LLVMValueRef l = low < 0 ? number(wide, 0) : low >= count ? fill : from->word[low];
		LLVMValueRef h = high < 0 ? number(wide, 0) : high >= count ? fill : from->word[high];
		to->word[i] = l;
		if (rest)
			to->word[i] =
				LLVMBuildOr(wide->builder,
					    LLVMBuildLShr(wide->builder, l, number(wide, (uint64_t)rest), ""),
					    LLVMBuildShl(wide->builder, h, number(wide, (uint64_t)(WORD - rest)), ""),
					    "");
	}
}

static void shift(struct wide *wide, LLVMValueRef inst, struct words *to)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	LLVMValueRef amount = LLVMGetOperand(inst, 1), fill = number(wide, 0);
	unsigned bits = bits_of(LLVMTypeOf(inst)), last = count_of(inst) - 1, spare = (last + 1) * WORD - bits;
	struct words from = *words_of(wide, LLVMGetOperand(inst, 0));
	if (!LLVMIsAConstantInt(amount)) {
		wide->failed = true;
		return;
	}
	if (op == LLVMAShr) { /* the sign, in the last word and above */
		LLVMValueRef top = LLVMBuildShl(wide->builder, from.word[last], number(wide, spare), "");
		from.word[last] = LLVMBuildAShr(wide->builder, top, number(wide, spare), "");
		fill = LLVMBuildAShr(wide->builder, top, number(wide, WORD - 1), "");
	}
	int by = (int)LLVMConstIntGetZExtValue(amount);
	shift_words(wide, to, &from, op == LLVMShl ? -by : by, fill);
	mask(wide, to);
}

/* From at most 128 bits, or from wider and narrower ones of this kind. */
static void extend(struct wide *wide, LLVMValueRef inst, struct words *to)
{
	LLVMValueRef in = LLVMGetOperand(inst, 0), fill = number(wide, 0);
	bool is_signed = LLVMGetInstructionOpcode(inst) == LLVMSExt;
	unsigned have = 2, count = count_of(inst);
	if (is_wide(in)) {
		wide->failed |= is_signed;
		have = count_of(in);
		for (unsigned i = 0; i < count && i < have; i++)
			to->word[i] = words_of(wide, in)->word[i];
	} else {
		LLVMTypeRef pair = LLVMIntTypeInContext(wide->legal->context, 2 * WORD);
		LLVMValueRef both = bits_of(LLVMTypeOf(in)) == 2 * WORD ? in
				    : is_signed				? LLVMBuildSExt(wide->builder, in, pair, "")
									: LLVMBuildZExt(wide->builder, in, pair, "");
		LLVMValueRef high = LLVMBuildLShr(wide->builder, both, LLVMConstInt(pair, WORD, 0), "");
		to->word[0] = LLVMBuildTrunc(wide->builder, both, wide->type, "");
		to->word[1] = LLVMBuildTrunc(wide->builder, high, wide->type, "");
		if (is_signed)
			fill = LLVMBuildAShr(wide->builder, to->word[1], number(wide, WORD - 1), "");
	}
	for (unsigned i = have; i < count; i++)
		to->word[i] = fill;
	mask(wide, to);
}

static void each_word(struct wide *wide, LLVMValueRef inst, struct words *to)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	unsigned first = op == LLVMSelect;
	struct words a = *words_of(wide, LLVMGetOperand(inst, first)), b = {0};
	if (op != LLVMFreeze)
		b = *words_of(wide, LLVMGetOperand(inst, first + 1));
	for (unsigned i = 0; i < count_of(inst) && !wide->failed; i++)
		to->word[i] = op == LLVMFreeze	 ? LLVMBuildFreeze(wide->builder, a.word[i], "")
			      : op == LLVMSelect ? LLVMBuildSelect(wide->builder, LLVMGetOperand(inst, 0), a.word[i],
								   b.word[i], "")
						 : LLVMBuildBinOp(wide->builder, op, a.word[i], b.word[i], "");
}

/* The builder folds constants. */
static void split_constant(struct wide *wide, LLVMValueRef value, struct words *to)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	for (unsigned i = 0; i < count_of(value); i++)
		to->word[i] = LLVMBuildTrunc(wide->builder,
					     LLVMBuildLShr(wide->builder, value, LLVMConstInt(type, i * WORD, 0), ""),
					     wide->type, "");
}

static void expand(struct wide *wide, LLVMValueRef value, struct words *to)
{
	if (!LLVMIsAInstruction(value)) {
		if (LLVMIsConstant(value))
			split_constant(wide, value, to);
		else
			wide->failed = true;
		return;
	}
	LLVMPositionBuilderBefore(wide->builder, value);
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMPHI: /* operands later: a loop may lead back here */
		for (unsigned i = 0; i < count_of(value); i++)
			to->word[i] = LLVMBuildPhi(wide->builder, wide->type, "");
		break;
	case LLVMLoad:
		access_pieces(wide, value, to, false);
		mask(wide, to);
		break;
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMSelect:
	case LLVMFreeze: each_word(wide, value, to); break;
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr: shift(wide, value, to); break;
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt: extend(wide, value, to); break;
	default: wide->failed = true; break;
	}
}

static struct words *words_of(struct wide *wide, LLVMValueRef value)
{
	const struct hd_map_entry *entry = hd_map_get(&wide->known, value);
	if (entry)
		return wide->list.data[entry->start];
	struct words *words = hd_xcalloc(1, sizeof *words);
	words->value = value;
	hd_map_put(&wide->known, value, wide->list.len, 1);
	hd_vec_push(&wide->list, words);
	/* Operands first: making theirs moves the builder. */
	for (int i = 0; LLVMIsAInstruction(value) && !LLVMIsAPHINode(value) && i < LLVMGetNumOperands(value); i++)
		if (is_wide(LLVMGetOperand(value, (unsigned)i)))
			words_of(wide, LLVMGetOperand(value, (unsigned)i));
	expand(wide, value, words);
	for (unsigned i = 0; i < count_of(value) && !words->word[i]; i++) {
		words->word[i] = LLVMGetUndef(wide->type);
		wide->failed = true;
	}
	return words;
}

/* ---- what reads them */

static bool is_root(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMTrunc: return is_wide(LLVMGetOperand(inst, 0)) && !is_wide(inst);
	case LLVMStore:
	case LLVMICmp: return is_wide(LLVMGetOperand(inst, 0));
	default: return false;
	}
}

static LLVMValueRef narrowed(struct wide *wide, LLVMValueRef inst, const struct words *words)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	if (bits_of(type) <= WORD)
		return bits_of(type) == WORD ? words->word[0] : LLVMBuildTrunc(wide->builder, words->word[0], type, "");
	LLVMValueRef high = LLVMBuildZExt(wide->builder, words->word[1], type, "");
	return LLVMBuildOr(wide->builder, LLVMBuildZExt(wide->builder, words->word[0], type, ""),
			   LLVMBuildShl(wide->builder, high, LLVMConstInt(type, WORD, 0), ""), "");
}

static LLVMValueRef compared(struct wide *wide, LLVMValueRef inst, const struct words *a)
{
	const struct words *b = words_of(wide, LLVMGetOperand(inst, 1));
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(inst);
	LLVMValueRef any = number(wide, 0);
	wide->failed |= predicate != LLVMIntEQ && predicate != LLVMIntNE;
	LLVMPositionBuilderBefore(wide->builder, inst);
	for (unsigned i = 0; i < count_of(a->value); i++)
		any = LLVMBuildOr(wide->builder, any, LLVMBuildXor(wide->builder, a->word[i], b->word[i], ""), "");
	return LLVMBuildICmp(wide->builder, predicate, any, number(wide, 0), "");
}

/* What takes the place of the instruction; NULL: nothing has to. */
static LLVMValueRef replace_root(struct wide *wide, LLVMValueRef inst)
{
	LLVMPositionBuilderBefore(wide->builder, inst);
	struct words *words = words_of(wide, LLVMGetOperand(inst, 0));
	LLVMPositionBuilderBefore(wide->builder, inst);
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMTrunc: return narrowed(wide, inst, words);
	case LLVMICmp: return compared(wide, inst, words);
	default: access_pieces(wide, inst, words, true); return NULL;
	}
}

static void fill_phis(struct wide *wide)
{
	for (; wide->filled < wide->list.len && !wide->failed; wide->filled++) {
		const struct words *words = wide->list.data[wide->filled];
		if (!LLVMIsAPHINode(words->value))
			continue;
		for (unsigned k = 0; k < LLVMCountIncoming(words->value); k++) {
			LLVMValueRef in = LLVMGetIncomingValue(words->value, k);
			LLVMBasicBlockRef from = LLVMGetIncomingBlock(words->value, k);
			LLVMPositionBuilderBefore(wide->builder, LLVMGetBasicBlockTerminator(from));
			const struct words *values = words_of(wide, in);
			for (unsigned i = 0; i < count_of(words->value); i++)
				LLVMAddIncoming(words->word[i], (LLVMValueRef *)&values->word[i], &from, 1);
		}
	}
}

struct root {
	LLVMValueRef inst, with;
};

static void expand_function(struct wide *wide, LLVMValueRef function)
{
	HD_VEC(struct root) roots = {0};
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst; inst = LLVMGetNextInstruction(inst))
			if (is_root(inst))
				hd_vec_push(&roots, (struct root){inst, NULL});
	for (uint32_t i = 0; i < roots.len && !wide->failed; i++)
		roots.data[i].with = replace_root(wide, roots.data[i].inst);
	fill_phis(wide);
	for (uint32_t i = 0; i < roots.len && !wide->failed; i++) {
		if (roots.data[i].with)
			LLVMReplaceAllUsesWith(roots.data[i].inst, roots.data[i].with);
		LLVMInstructionEraseFromParent(roots.data[i].inst);
	}
	for (uint32_t i = 0; i < wide->list.len && !wide->failed; i++)
		if (LLVMIsAInstruction(wide->list.data[i]->value))
			LLVMReplaceAllUsesWith(wide->list.data[i]->value,
					       LLVMGetUndef(LLVMTypeOf(wide->list.data[i]->value)));
	for (uint32_t i = 0; i < wide->list.len && !wide->failed; i++)
		if (LLVMIsAInstruction(wide->list.data[i]->value))
			LLVMInstructionEraseFromParent(wide->list.data[i]->value);
	hd_vec_release(&roots);
}

static bool has_roots(LLVMValueRef function)
{
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst; inst = LLVMGetNextInstruction(inst))
			if (is_root(inst))
				return true;
	return false;
}

void hd_legal_wide_integers(struct hd_legal *legal)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || !has_roots(f))
			continue;
		struct wide wide = {.legal = legal, .type = LLVMInt64TypeInContext(legal->context)};
		wide.builder = LLVMCreateBuilderInContext(legal->context);
		expand_function(&wide, f);
		LLVMDisposeBuilder(wide.builder);
		for (uint32_t i = 0; i < wide.list.len; i++)
			free(wide.list.data[i]);
		hd_vec_release(&wide.list);
		hd_map_release(&wide.known);
	}
}
