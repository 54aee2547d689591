/*
 * Attributes behind CUDA's words: see attributes.h. `alignas` becomes `_Alignas`, which clang takes in any place; what
 * is no alignas by its text, `[[...]]` and macros, moves to the front of the declaration, where C++ has attributes:
 *
 *   static __shared__ ALIGN16 float x[4];   ->   ALIGN16 static __shared__ float x[4];
 *
 * A word is taken for a macro of attributes when a file that is read defines it so, or when it has no small letters and
 * a type and a name follow. Macros for CUDA's words are known where they are defined in
 * what is read. Linear in the text.
 */
#include "tools/heddle-cc/attributes.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heddle-cc/source.h"

/* ------------------------------------------------------------ words */

static bool is_one_of(const char *at, size_t length, const char *const *words)
{
	while (*words && !hd_source_is_word(*words, at, length))
		words++;
	return *words;
}

static struct hd_hash_slot *slot_of(struct hd_attribute_macros *macros, const char *at, size_t length)
{
	struct hd_hash_slot *slot;
	uint64_t hash = hd_hash_bytes(HD_HASH_TEXT, at, length);
	HD_HASH_FIND(slot, &macros->ids, hash, hd_source_is_word(macros->list.data[slot->id].name, at, length));
	return slot;
}

static enum hd_attribute_kind kind_of(struct hd_attribute_macros *macros, const char *at, size_t length)
{
	static const char *const variables[] = {"__shared__", "__constant__", "__managed__", NULL};
	static const char *const others[] = {"static",	 "extern",   "inline",	   "constexpr",	      "const",
					     "volatile", "__host__", "__global__", "__forceinline__", NULL};
	if (is_one_of(at, length, variables))
		return HD_WORD_VARIABLE;
	if (is_one_of(at, length, (const char *const[]){"__device__", NULL}))
		return HD_WORD_DEVICE;
	if (is_one_of(at, length, others))
		return HD_WORD_SPECIFIER;
	const struct hd_hash_slot *slot = slot_of(macros, at, length);
	return hd_hash_found(slot) ? macros->list.data[slot->id].kind : HD_WORD_OTHER;
}

/* What a macro stands for by its definition's text from `at` to `end`. Other words than these make it HD_WORD_OTHER,
 * but behind an attribute's name there is anything. */
static enum hd_attribute_kind kind_of_body(struct hd_attribute_macros *macros, const char *at, const char *end)
{
	enum hd_attribute_kind result = HD_WORD_OTHER;
	while (at < end) {
		size_t length = hd_source_word_length(at);
		enum hd_attribute_kind kind = length ? kind_of(macros, at, length) : HD_WORD_OTHER;
		bool begins = !strncmp(at, "[[", 2) || (length == strlen("alignas") && !strncmp(at, "alignas", length));
		if (result == HD_WORD_OTHER && (begins || kind == HD_WORD_ATTRIBUTE))
			return HD_WORD_ATTRIBUTE;
		if (length ? kind == HD_WORD_OTHER || kind == HD_WORD_ATTRIBUTE
			   : !isspace((unsigned char)*at) && *at != '\\')
			return HD_WORD_OTHER;
		result = kind > result ? kind : result;
		at += length ? length : 1;
	}
	return result;
}

static const char *end_of_line(const char *at)
{
	while (*at && (*at != '\n' || at[-1] == '\\'))
		at++;
	return at;
}

/* `at` is behind the word define. */
static void note_definition(struct hd_attribute_macros *macros, const char *at, struct hd_arena *arena)
{
	const char *name = at + strspn(at, " \t"), *end = end_of_line(at);
	size_t length = hd_source_word_length(name);
	const char *body = name + length;
	if (*body == '(')
		body += strcspn(body, ")\n");
	body += *body == ')';
	enum hd_attribute_kind kind = length && body < end ? kind_of_body(macros, body, end) : HD_WORD_OTHER;
	if (kind == HD_WORD_OTHER || kind == HD_WORD_SPECIFIER || kind_of(macros, name, length) != HD_WORD_OTHER)
		return;
	hd_hash_set_put(&macros->ids, slot_of(macros, name, length), hd_hash_bytes(HD_HASH_TEXT, name, length),
			macros->list.len);
	hd_vec_push(&macros->list,
		    (struct hd_attribute_macro){hd_arena_printf(arena, "%.*s", (int)length, name), kind});
}

void hd_attributes_note(struct hd_attribute_macros *macros, const char *text, struct hd_arena *arena)
{
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *at = line + strspn(line, " \t");
		if (*at != '#')
			continue;
		at += 1 + strspn(at + 1, " \t");
		if (!strncmp(at, "define", 6) && (at[6] == ' ' || at[6] == '\t'))
			note_definition(macros, at + 6, arena);
	}
}

void hd_attributes_release(struct hd_attribute_macros *macros)
{
	hd_vec_release(&macros->list);
	hd_hash_set_release(&macros->ids);
}

/* ------------------------------------------------------------ mending */

/* What the scan knows of the text before it. */
struct declaration {
	struct hd_attribute_macros *macros;
	char *specifiers; /* where the words of the declaration start that have been read; NULL: something else came */
	bool cuda;	  /* one of them is CUDA's, of a variable */
	bool variable;	  /* one that functions do not have */
	bool starts;	  /* a declaration may start here */
	bool directive;	  /* in a line of the preprocessor */
};

static void reset(struct declaration *now, bool starts, bool directive)
{
	*now = (struct declaration){.macros = now->macros, .starts = starts, .directive = directive};
}

/*
 * `alignas(16) float` to `_Alignas(16)float`, which clang takes in any place, in C++, too: a blank beside the brackets
 * makes room. Behind it; NULL: this is no alignas.
 */
static char *mend_alignas(struct hd_text *text, char *at)
{
	static const char word[] = "_Alignas";
	const size_t before = strlen("alignas");
	char *behind = at + before + strspn(at + before, " \t");
	behind = *behind == '(' ? hd_source_skip_brackets(behind, text->data) : NULL;
	if (!behind)
		return NULL;
	if (at[before] == '(') {
		bool room = *behind == ' ' || *behind == '\t';
		char *end = room ? behind : text->data + text->size + 1;
		memmove(at + before + 1, at + before, (size_t)(end - at) - before);
		text->size += !room;
		behind++;
	}
	memcpy(at, word, strlen(word));
	return behind;
}

/*
 * `static __shared__ [[a]] int` to `[[a]]static __shared__ int`, where these stand in one line. Behind it; NULL: they
 * do not.
 */
static char *move_attribute(struct hd_text *text, char *from, char *at)
{
	char *behind = hd_source_skip_brackets(at, text->data);
	if (!behind || !isspace((unsigned char)at[-1]) || memchr(from, '\n', (size_t)(behind - from)))
		return NULL;
	size_t length = (size_t)(behind - at);
	char *attribute = hd_xmalloc(length);
	memcpy(attribute, at, length);
	memmove(from + length, from, (size_t)(at - from));
	memcpy(from, attribute, length);
	free(attribute);
	return behind;
}

/* A name without a small letter before a type and its declarator: `ALIGN16 float x`, but not `FLOAT x`. */
static bool looks_like_macro(const char *at, size_t length, const char *type)
{
	for (size_t i = 0; i < length; i++)
		if (islower((unsigned char)at[i]))
			return false;
	const char *behind = type + hd_source_word_length(type);
	behind += strspn(behind, " \t\r\n");
	return !strchr(";,=[{()", *behind) || !strncmp(behind, "(*", 2);
}

/*
 * `__shared__ ALIGN(16) float` to `ALIGN(16) __shared__ float`, in one line, the blank before the word now behind it.
 * Behind it; NULL: it is no such word.
 */
static char *move_macro(struct hd_text *text, struct declaration *now, char *at, size_t length)
{
	char *from = now->specifiers, *behind = at + length, *next = behind + strspn(behind, " \t");
	if (!from || at == from || !strchr(" \t", at[-1]))
		return NULL;
	if (*next == '(')
		behind = hd_source_skip_brackets(next, text->data);
	if (!behind || memchr(from, '\n', (size_t)(behind - from)))
		return NULL;
	next = behind + strspn(behind, " \t\r\n\\");
	bool macro = kind_of(now->macros, at, length) == HD_WORD_ATTRIBUTE ||
		     (now->variable && looks_like_macro(at, length, next));
	if (!macro || !hd_source_word_length(next))
		return NULL;
	size_t moved = (size_t)(behind - at);
	char *word = hd_xmalloc(moved);
	memcpy(word, at, moved);
	memmove(from + moved + 1, from, (size_t)(at - 1 - from));
	memcpy(from, word, moved);
	from[moved] = ' ';
	free(word);
	now->specifiers = from + moved + 1;
	return behind;
}

static void note_word(struct declaration *now, char *at, size_t length)
{
	enum hd_attribute_kind kind = kind_of(now->macros, at, length);
	if (kind == HD_WORD_OTHER || kind == HD_WORD_ATTRIBUTE) {
		reset(now, false, now->directive);
		return;
	}
	if (now->starts || (now->directive && !now->specifiers))
		now->specifiers = at;
	now->cuda = now->cuda || kind != HD_WORD_SPECIFIER;
	now->variable = now->variable || kind == HD_WORD_VARIABLE;
	now->starts = false;
}

static void note_character(struct declaration *now, const char *at, const char *start)
{
	if (*at == '\n' && now->directive && (at == start || at[-1] != '\\'))
		reset(now, true, false);
	else if (!isspace((unsigned char)*at) && *at != '\\')
		reset(now, strchr(";{}>:", *at), now->directive || *at == '#');
}

/* The next piece of the text, mended where it needs to be; returns what is behind it. */
static char *mend_piece(struct hd_text *text, struct declaration *now, char *at, bool *changed)
{
	char *behind = hd_source_skip_opaque(at, text->data);
	size_t length = behind ? 0 : hd_source_word_length(at);
	if (behind && *at != '/')
		reset(now, false, now->directive);
	if (behind)
		return behind;
	if (now->cuda && length == strlen("alignas") && !strncmp(at, "alignas", length))
		behind = mend_alignas(text, at);
	else if (now->cuda && now->specifiers && !now->directive && !strncmp(at, "[[", 2))
		behind = move_attribute(text, now->specifiers, at);
	else if (now->cuda && length)
		behind = move_macro(text, now, at, length);
	if (behind) {
		*changed = true;
		return behind;
	}
	if (length)
		note_word(now, at, length);
	else
		note_character(now, at, text->data);
	return at + (length ? length : 1);
}

bool hd_attributes_mend(struct hd_text *text, struct hd_attribute_macros *macros)
{
	struct declaration now = {.macros = macros, .starts = true};
	bool changed = false;
	for (char *at = text->data; *at;)
		at = mend_piece(text, &now, at, &changed);
	return changed;
}
