/*
 * Words of which names consist: parts of PTX opcodes, types, names of intrinsics.
 */
#ifndef HD_PASSES_WORDS_H
#define HD_PASSES_WORDS_H

#include <stdbool.h>
#include <string.h>

/* `a` may be NULL, which no word is. */
static inline bool hd_word_is(const char *a, const char *b)
{
	return a && !strcmp(a, b);
}

static inline bool hd_word_begins(const char *word, const char *with)
{
	return !strncmp(word, with, strlen(with));
}

/* Whether the type is an integer of 8 bits. */
static inline bool hd_word_is_byte(const char *type)
{
	return hd_word_is(type, "s8") || hd_word_is(type, "u8");
}

static inline bool hd_words_have(const char *const *words, unsigned count, const char *word)
{
	for (unsigned i = 0; i < count; i++)
		if (hd_word_is(words[i], word))
			return true;
	return false;
}

#endif
