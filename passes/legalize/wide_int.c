/*
 * Integers of more than 128 bits, which bit-fields of packed structs are for clang and other producers of IR compute
 * with, on words of 64 bits. A value's unused upper bits are zero. What no CUDA C++ comes to (atomics, kernel
 * parameters, elements of vectors) stays, and is refused where it is selected.
 *
 * Words are made where something is read that is no such integer, from there backwards: linear in words.
 */
#include <stdlib.h>

#include "passes/legalize/wide.h"

static bool is_wide(LLVMValueRef value)
{
	return hd_wide_is(LLVMTypeOf(value));
}

static struct hd_words *words_of(struct hd_wide *wide, LLVMValueRef value);

/* ---- memory, in pieces of a power of two */

static void access_pieces(struct hd_wide *wide, LLVMValueRef inst, struct hd_words *words, bool store)
{
	LLVMBuilderRef builder = wide->builder;
	LLVMContextRef context = wide->legal->context;
	LLVMValueRef pointer = LLVMGetOperand(inst, store);
	unsigned bytes = (hd_wide_bits(LLVMTypeOf(words->value)) + 7) / 8, align = LLVMGetAlignment(inst);
	for (unsigned at = 0, size; at < bytes; at += size) {
		for (size = 8; size > bytes - at || at % size; size /= 2)
			;
		LLVMTypeRef piece = LLVMIntTypeInContext(context, 8 * size);
		LLVMValueRef offset = hd_wide_number(wide, at), shift = hd_wide_number(wide, at % 8 * 8), access,
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

/* From at most 128 bits, or from wider and narrower ones of this kind. */
static void extend(struct hd_wide *wide, LLVMValueRef inst, struct hd_words *to)
{
	LLVMValueRef in = LLVMGetOperand(inst, 0), fill = hd_wide_number(wide, 0);
	bool is_signed = LLVMGetInstructionOpcode(inst) == LLVMSExt;
	unsigned have = 2, count = hd_wide_count(inst);
	if (is_wide(in)) {
		struct hd_words from = *words_of(wide, in);
		have = hd_wide_count(in);
		fill = is_signed ? hd_wide_sign(wide, &from) : fill;
		for (unsigned i = 0; i < count && i < have; i++)
			to->word[i] = from.word[i];
	} else {
		LLVMTypeRef pair = LLVMIntTypeInContext(wide->legal->context, 2 * HD_WIDE_WORD);
		LLVMValueRef both = hd_wide_bits(LLVMTypeOf(in)) == 2 * HD_WIDE_WORD ? in
				    : is_signed ? LLVMBuildSExt(wide->builder, in, pair, "")
						: LLVMBuildZExt(wide->builder, in, pair, "");
		LLVMValueRef high = LLVMBuildLShr(wide->builder, both, LLVMConstInt(pair, HD_WIDE_WORD, 0), "");
		to->word[0] = LLVMBuildTrunc(wide->builder, both, wide->type, "");
		to->word[1] = LLVMBuildTrunc(wide->builder, high, wide->type, "");
		if (is_signed)
			fill = LLVMBuildAShr(wide->builder, to->word[1], hd_wide_number(wide, HD_WIDE_WORD - 1), "");
	}
	for (unsigned i = have; i < count; i++)
		to->word[i] = fill;
	hd_wide_mask(wide, to);
}

static void each_word(struct hd_wide *wide, LLVMValueRef inst, struct hd_words *to)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	unsigned first = op == LLVMSelect;
	struct hd_words a = *words_of(wide, LLVMGetOperand(inst, first)), b = {0};
	if (op != LLVMFreeze)
		b = *words_of(wide, LLVMGetOperand(inst, first + 1));
	for (unsigned i = 0; i < hd_wide_count(inst) && !wide->failed; i++)
		to->word[i] = op == LLVMFreeze	 ? LLVMBuildFreeze(wide->builder, a.word[i], "")
			      : op == LLVMSelect ? LLVMBuildSelect(wide->builder, LLVMGetOperand(inst, 0), a.word[i],
								   b.word[i], "")
						 : LLVMBuildBinOp(wide->builder, op, a.word[i], b.word[i], "");
}

static void arithmetic(struct hd_wide *wide, LLVMValueRef inst, struct hd_words *to)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	const struct hd_words *a = words_of(wide, LLVMGetOperand(inst, 0)),
			      *b = words_of(wide, LLVMGetOperand(inst, 1));
	switch (op) {
	case LLVMAdd:
	case LLVMSub: hd_wide_add(wide, to, a, b, op == LLVMSub); break;
	case LLVMMul: hd_wide_multiply(wide, to, a, b); break;
	default: hd_wide_shift(wide, to, *a, op, b); break;
	}
}

/* An intrinsic; others and calls of functions have been replaced. */
static void count_bits(struct hd_wide *wide, LLVMValueRef inst, struct hd_words *to)
{
	char name[64];
	LLVMValueRef callee = LLVMGetCalledValue(inst);
	if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee) || !is_wide(LLVMGetOperand(inst, 0)) ||
	    !hd_legal_base_name(LLVMGetValueName(callee), name, sizeof name) ||
	    !hd_wide_count_bits(wide, to, name, words_of(wide, LLVMGetOperand(inst, 0))))
		wide->failed = true;
}

/* The builder folds constants. */
static void split_constant(struct hd_wide *wide, LLVMValueRef value, struct hd_words *to)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	for (unsigned i = 0; i < hd_wide_count(value); i++)
		to->word[i] =
			LLVMBuildTrunc(wide->builder,
				       LLVMBuildLShr(wide->builder, value, LLVMConstInt(type, i * HD_WIDE_WORD, 0), ""),
				       wide->type, "");
}

static void expand(struct hd_wide *wide, LLVMValueRef value, struct hd_words *to)
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
		for (unsigned i = 0; i < hd_wide_count(value); i++)
			to->word[i] = LLVMBuildPhi(wide->builder, wide->type, "");
		break;
	case LLVMLoad:
		access_pieces(wide, value, to, false);
		hd_wide_mask(wide, to);
		break;
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMSelect:
	case LLVMFreeze: each_word(wide, value, to); break;
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr: arithmetic(wide, value, to); break;
	case LLVMCall: count_bits(wide, value, to); break;
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt: extend(wide, value, to); break;
	default: wide->failed = true; break;
	}
}

static struct hd_words *words_of(struct hd_wide *wide, LLVMValueRef value)
{
	const struct hd_map_entry *entry = hd_map_get(&wide->known, value);
	if (entry)
		return wide->list.data[entry->start];
	struct hd_words *words = hd_xcalloc(1, sizeof *words);
	words->value = value;
	hd_map_put(&wide->known, value, wide->list.len, 1);
	hd_vec_push(&wide->list, words);
	/* Operands first: making theirs moves the builder. */
	for (int i = 0; LLVMIsAInstruction(value) && !LLVMIsAPHINode(value) && i < LLVMGetNumOperands(value); i++)
		if (is_wide(LLVMGetOperand(value, (unsigned)i)))
			words_of(wide, LLVMGetOperand(value, (unsigned)i));
	expand(wide, value, words);
	for (unsigned i = 0; i < hd_wide_count(value) && !words->word[i]; i++) {
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

static LLVMValueRef narrowed(struct hd_wide *wide, LLVMValueRef inst, const struct hd_words *words)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	if (hd_wide_bits(type) <= HD_WIDE_WORD)
		return hd_wide_bits(type) == HD_WIDE_WORD ? words->word[0]
							  : LLVMBuildTrunc(wide->builder, words->word[0], type, "");
	LLVMValueRef high = LLVMBuildZExt(wide->builder, words->word[1], type, "");
	return LLVMBuildOr(wide->builder, LLVMBuildZExt(wide->builder, words->word[0], type, ""),
			   LLVMBuildShl(wide->builder, high, LLVMConstInt(type, HD_WIDE_WORD, 0), ""), "");
}

static LLVMValueRef compared(struct hd_wide *wide, LLVMValueRef inst, const struct hd_words *a)
{
	const struct hd_words *b = words_of(wide, LLVMGetOperand(inst, 1));
	LLVMPositionBuilderBefore(wide->builder, inst);
	return hd_wide_compare(wide, LLVMGetICmpPredicate(inst), *a, *b);
}

/* What takes the place of the instruction; NULL: nothing has to. */
static LLVMValueRef replace_root(struct hd_wide *wide, LLVMValueRef inst)
{
	LLVMPositionBuilderBefore(wide->builder, inst);
	struct hd_words *words = words_of(wide, LLVMGetOperand(inst, 0));
	LLVMPositionBuilderBefore(wide->builder, inst);
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMTrunc: return narrowed(wide, inst, words);
	case LLVMICmp: return compared(wide, inst, words);
	default: access_pieces(wide, inst, words, true); return NULL;
	}
}

static void fill_phis(struct hd_wide *wide)
{
	for (; wide->filled < wide->list.len && !wide->failed; wide->filled++) {
		const struct hd_words *words = wide->list.data[wide->filled];
		if (!LLVMIsAPHINode(words->value))
			continue;
		for (unsigned k = 0; k < LLVMCountIncoming(words->value); k++) {
			LLVMValueRef in = LLVMGetIncomingValue(words->value, k);
			LLVMBasicBlockRef from = LLVMGetIncomingBlock(words->value, k);
			LLVMPositionBuilderBefore(wide->builder, LLVMGetBasicBlockTerminator(from));
			const struct hd_words *values = words_of(wide, in);
			for (unsigned i = 0; i < hd_wide_count(words->value); i++)
				LLVMAddIncoming(words->word[i], (LLVMValueRef *)&values->word[i], &from, 1);
		}
	}
}

struct root {
	LLVMValueRef inst, with;
};

static void expand_function(struct hd_wide *wide, LLVMValueRef function)
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

static void split_function(struct hd_legal *legal, LLVMValueRef function)
{
	struct hd_wide wide = {.legal = legal, .type = LLVMInt64TypeInContext(legal->context)};
	wide.builder = LLVMCreateBuilderInContext(legal->context);
	expand_function(&wide, function);
	LLVMDisposeBuilder(wide.builder);
	for (uint32_t i = 0; i < wide.list.len; i++)
		free(wide.list.data[i]);
	hd_vec_release(&wide.list);
	hd_map_release(&wide.known);
}

int hd_legal_wide_integers(struct hd_legal *legal, LLVMTargetMachineRef machine)
{
	if (!hd_wide_found(legal))
		return 0;
	/* What is dead is read by nothing that is split: sums with flags, loops of LLVM's divisions. */
	if (hd_legal_run(legal, machine,
			 hd_wide_expand(legal) ? "function(expand-large-div-rem,instsimplify,adce)"
					       : "function(instsimplify,adce)"))
		return -1;
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && has_roots(f))
			split_function(legal, f);
	return 0;
}
