/*
 * Shared by the files of integers of more than 128 bits: wide_int.c splits them into words, wide_words.c computes with
 * words, wide_expand.c makes plain arithmetic on such integers of what else there is.
 */
#ifndef HD_PASSES_LEGALIZE_WIDE_H
#define HD_PASSES_LEGALIZE_WIDE_H

#include "lib/map.h"
#include "passes/legalize/legalize.h"

enum { HD_WIDE_MOST_WORDS = 32, HD_WIDE_WORD = 64 };

/* A value in words, the lowest first. What the last has above the type's bits is zero. */
struct hd_words {
	LLVMValueRef value; /* whose they are */
	LLVMValueRef word[HD_WIDE_MOST_WORDS];
};

struct hd_wide {
	struct hd_legal *legal;
	LLVMBuilderRef builder;
	LLVMTypeRef type; /* of a word */
	struct hd_map known;
	HD_VEC(struct hd_words *) list;
	uint32_t filled; /* of the list: PHIs up to here have their operands */
	bool failed;
};

static inline unsigned hd_wide_bits(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static inline bool hd_wide_is(LLVMTypeRef type)
{
	unsigned bits = hd_wide_bits(type);
	return bits > 128 && bits <= HD_WIDE_MOST_WORDS * HD_WIDE_WORD;
}

static inline unsigned hd_wide_count(LLVMValueRef value)
{
	return (hd_wide_bits(LLVMTypeOf(value)) + HD_WIDE_WORD - 1) / HD_WIDE_WORD;
}

/* Bits of the last word that are none of the value's. */
static inline unsigned hd_wide_spare(LLVMValueRef value)
{
	return hd_wide_count(value) * HD_WIDE_WORD - hd_wide_bits(LLVMTypeOf(value));
}

static inline LLVMValueRef hd_wide_number(const struct hd_wide *wide, uint64_t value)
{
	return LLVMConstInt(wide->type, value, 0);
}

/* wide_words.c: the words of `to`, whose value is the operation's result, from those of its operands. */
void hd_wide_mask(struct hd_wide *wide, struct hd_words *to);
LLVMValueRef hd_wide_sign(struct hd_wide *wide,
			  struct hd_words *of); /* extended through the last word; all ones or 0 */
void hd_wide_add(struct hd_wide *wide, struct hd_words *to, const struct hd_words *a, const struct hd_words *b,
		 bool minus);
void hd_wide_multiply(struct hd_wide *wide, struct hd_words *to, const struct hd_words *a, const struct hd_words *b);
void hd_wide_shift(struct hd_wide *wide, struct hd_words *to, struct hd_words from, LLVMOpcode op,
		   const struct hd_words *by);
LLVMValueRef hd_wide_compare(struct hd_wide *wide, LLVMIntPredicate predicate, struct hd_words a, struct hd_words b);
/* llvm.NAME, of those that count or order bits; false: another one. */
bool hd_wide_count_bits(struct hd_wide *wide, struct hd_words *to, const char *name, const struct hd_words *a);

/* wide_expand.c: whether the module has such integers. */
bool hd_wide_found(const struct hd_legal *legal);
/* Intrinsics, conversions and switches of a module. Whether there are divisions left. */
bool hd_wide_expand(struct hd_legal *legal);

#endif
