/*
 * Keys of a JSON document that may be anything, one at a time: each is checked for its type and range, and the first
 * error names the place. For read.c.
 */
#ifndef HD_LIB_METADATA_INPUT_H
#define HD_LIB_METADATA_INPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/metadata/json.h"
#include "lib/strbuf.h"

/* Where in the document we are, from the inside out. `key` NULL: element `index` of an array. */
struct json_place {
	const struct json_place *up;
	const char *key;
	size_t index;
};

struct input {
	const char *name;
	struct hd_arena *arena;
	struct hd_diag *diag;
	bool failed;	       /* the first error is reported; the rest would follow from it */
	uint32_t instructions; /* of the function at hand: its digits are for as many */
};

static inline void append_place(struct hd_strbuf *text, const struct json_place *place)
{
	if (!place)
		return;
	append_place(text, place->up);
	if (!place->key)
		hd_strbuf_printf(text, "[%zu]", place->index);
	else if (place->key[0])
		hd_strbuf_printf(text, "%s%s", text->len ? "." : "", place->key);
}

static inline void expected(struct input *input, const struct json_place *place, const char *key, const char *what)
{
	struct hd_strbuf text = {0};
	const struct json_place last = {place, key, 0};
	append_place(&text, &last);
	if (!input->failed)
		hd_error(input->diag, HD_NOWHERE, "%s: metadata: %s: expected %s", input->name, hd_strbuf_text(&text),
			 what);
	input->failed = true;
	hd_strbuf_release(&text);
}

static inline int64_t get_integer(struct input *input, const struct json_place *place, const json_t *object,
				  const char *key, int64_t least, int64_t most)
{
	const json_t *value = json_object_get(object, key);
	json_int_t number = json_integer_value(value);
	if (json_is_integer(value) && number >= least && number <= most)
		return number;
	char what[80];
	snprintf(what, sizeof(what), "an integer from %lld to %lld", (long long)least, (long long)most);
	expected(input, place, key, what);
	return least;
}

static inline uint32_t get_number(struct input *input, const struct json_place *place, const json_t *object,
				  const char *key)
{
	return (uint32_t)get_integer(input, place, object, key, 0, UINT32_MAX);
}

static inline bool get_flag(struct input *input, const struct json_place *place, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	if (!json_is_boolean(value))
		expected(input, place, key, "true or false");
	return json_is_true(value);
}

static inline const char *get_text(struct input *input, const struct json_place *place, const json_t *object,
				   const char *key)
{
	const json_t *value = json_object_get(object, key);
	if (!json_is_string(value)) {
		expected(input, place, key, "a string");
		return "";
	}
	return hd_arena_strdup(input->arena, json_string_value(value));
}

/* A string or null. */
static inline const char *get_optional_text(struct input *input, const struct json_place *place, const json_t *object,
					    const char *key)
{
	const json_t *value = json_object_get(object, key);
	return json_is_null(value) ? NULL : get_text(input, place, object, key);
}

/* Index of a string among `names`, which NULL ends. */
static inline unsigned get_choice(struct input *input, const struct json_place *place, const json_t *object,
				  const char *key, const char *const *names)
{
	const char *text = json_string_value(json_object_get(object, key));
	struct hd_strbuf what = {0};
	for (unsigned i = 0; names[i]; i++) {
		if (text && strcmp(text, names[i]) == 0) {
			hd_strbuf_release(&what);
			return i;
		}
		hd_strbuf_printf(&what, "%s\"%s\"", !i ? "" : names[i + 1] ? ", " : " or ", names[i]);
	}
	expected(input, place, key, hd_strbuf_text(&what));
	hd_strbuf_release(&what);
	return 0;
}

static inline const json_t *get_array(struct input *input, const struct json_place *place, const json_t *object,
				      const char *key)
{
	const json_t *value = json_object_get(object, key);
	if (!json_is_array(value))
		expected(input, place, key, "an array");
	return value;
}

static inline const json_t *get_object(struct input *input, const struct json_place *place, const json_t *object,
				       const char *key)
{
	const json_t *value = json_object_get(object, key);
	if (!json_is_object(value))
		expected(input, place, key, "an object");
	return value;
}

static inline struct hd_meta_source get_source(struct input *input, const struct json_place *place,
					       const json_t *object)
{
	const struct json_place here = {place, "source", 0};
	const json_t *source = get_object(input, place, object, "source");
	if (!json_is_object(source))
		return (struct hd_meta_source){0};
	return (struct hd_meta_source){get_optional_text(input, &here, source, "file"),
				       get_number(input, &here, source, "line")};
}

static inline const char **get_names(struct input *input, const struct json_place *place, const json_t *object,
				     const char *key, uint32_t *count)
{
	const json_t *array = get_array(input, place, object, key);
	const char **names = HD_ARENA_NEW(input->arena, const char *, json_array_size(array));
	*count = (uint32_t)json_array_size(array);
	for (uint32_t i = 0; i < *count; i++) {
		const json_t *name = json_array_get(array, i);
		if (!json_is_string(name))
			expected(input, place, key, "strings");
		names[i] = hd_arena_strdup(input->arena, json_is_string(name) ? json_string_value(name) : "");
	}
	return names;
}

#endif
