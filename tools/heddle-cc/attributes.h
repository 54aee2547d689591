/*
 * C++'s attributes behind CUDA's words for variables, `__shared__ alignas(16) float x[4]`, which nvcc takes in any
 * place of a declaration (attributes.c): their text is changed to what clang takes, each line where it was.
 */
#ifndef HD_TOOLS_HEDDLE_CC_ATTRIBUTES_H
#define HD_TOOLS_HEDDLE_CC_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/arena.h"
#include "lib/hash.h"
#include "lib/vec.h"

enum hd_attribute_kind {
	HD_WORD_OTHER,
	HD_WORD_ATTRIBUTE,
	HD_WORD_SPECIFIER,
	HD_WORD_VARIABLE, /* CUDA's words that no function has */
	HD_WORD_DEVICE
};

struct hd_attribute_macro {
	const char *name;
	enum hd_attribute_kind kind;
};

struct hd_text {
	char *data; /* with room for a character more per `alignas`, and for what else is inserted */
	size_t size;
};

/* Macros that stand for CUDA's words, or for attributes, by name; names are in an arena. All zero is empty. */
struct hd_attribute_macros {
	HD_VEC(struct hd_attribute_macro) list;
	struct hd_hash_set ids;
};

/* Adds those that a text defines. */
void hd_attributes_note(struct hd_attribute_macros *macros, const char *text, struct hd_arena *arena);
/* Mends a text; whether there was something to do. */
bool hd_attributes_mend(struct hd_text *text, struct hd_attribute_macros *macros);
void hd_attributes_release(struct hd_attribute_macros *macros);

#endif
