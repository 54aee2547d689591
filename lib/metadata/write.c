/*
 * Metadata to JSON (docs/architecture.md, The contract), by the tables of fields.c. Keys keep the order of the rows and
 * numbers are integers, so the same metadata gives the same bytes. Linear in the metadata.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/arena.h"
#include "lib/metadata/fields.h"
#include "lib/metadata/json.h"
#include "lib/metadata/member.h"

json_t *hd_json_text(const char *text)
{
	if (!text)
		return json_null();
	json_t *value = json_string(text);
	if (value)
		return value;
	/* Paths may be in any encoding; JSON may not. */
	char *copy = hd_xstrdup(text);
	for (char *at = copy; *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	value = json_string(copy);
	free(copy);
	return value;
}

json_t *hd_json_source(const struct hd_meta_source *source)
{
	json_t *object = json_object();
	json_object_set_new(object, "file", hd_json_text(source->file));
	json_object_set_new(object, "line", json_integer(source->file ? source->line : 0));
	return object;
}

/* The program's own, or that of another library with this file: what jansson had before. */
static json_malloc_t allocate;
static pthread_once_t replaced = PTHREAD_ONCE_INIT;

static void *allocate_or_end(size_t bytes)
{
	void *memory = allocate(bytes);
	if (!memory && bytes)
		hd_out_of_memory(bytes);
	return memory;
}

static void replace_allocation(void)
{
	json_free_t release;
	json_get_alloc_funcs(&allocate, &release);
	json_set_alloc_funcs(allocate_or_end, release);
}

void hd_json_never_null(void)
{
	pthread_once(&replaced, replace_allocation);
}

char *hd_json_dump(const json_t *value)
{
	enum { DIGITS = 15 }; /* of decimal numbers, that come back as they went */
	char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
	size_t len = text ? strlen(text) : 0;
	char *line = text ? realloc(text, len + 2) : NULL;
	if (!line) {
		free(text);
		return NULL;
	}
	line[len] = '\n';
	line[len + 1] = '\0';
	return line;
}

/* ------------------------------------------------------------------ values */

static json_t *texts_json(const char *const *texts, uint32_t count)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, hd_json_text(texts[i]));
	return array;
}

static json_t *numbers_json(const uint32_t *numbers, uint32_t count)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, json_integer(numbers[i]));
	return array;
}

/* The bits that are set, of `bits`, which stand in words of 64. */
static json_t *set_json(const uint64_t *words, unsigned bits)
{
	json_t *array = json_array();
	for (unsigned i = 0; i < bits; i++)
		if (words[i / 64] >> (i % 64) & 1)
			json_array_append_new(array, json_integer(i));
	return array;
}

/* 54 bits, more than a reader with doubles keeps. */
static json_t *mask_json(uint64_t mask)
{
	char text[24];
	snprintf(text, sizeof(text), "0x%014llx", (unsigned long long)mask);
	return json_string(text);
}

/* A string of digits; values beyond the last digit do not occur. */
static json_t *digits_json(const uint8_t *values, size_t count, const char *digits)
{
	char *text = hd_xmalloc(count + 1);
	for (size_t i = 0; i < count; i++)
		text[i] = digits[values[i]];
	json_t *string = json_stringn(text, count);
	free(text);
	return string;
}

/* ------------------------------------------------------------------ records */

static void add_fields(json_t *object, const struct hd_meta_record *table, const char *record, bool beside);

static json_t *record_json(const struct hd_meta_record *table, const char *record)
{
	json_t *object = json_object();
	add_fields(object, table, record, false);
	return object;
}

static json_t *list_json(const struct hd_meta_record *table, const char *records, uint32_t count)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, record_json(table, records + (size_t)table->bytes * i));
	return array;
}

static json_t *choice_json(const struct hd_meta_field *field, const void *member)
{
	return json_string(field->names[hd_member_integer(field, member) - (field->null == HD_META_NULL_VALUE)]);
}

static json_t *value_json(const struct hd_meta_field *field, const char *record)
{
	const void *member = record + field->at;
	if (hd_member_is_null(field, record))
		return json_null();
	switch (field->type) {
	case HD_META_INTEGER: return json_integer(hd_member_integer(field, member));
	case HD_META_FLAG: return json_boolean(*(const bool *)member);
	case HD_META_IS_NONE: return json_boolean(!hd_member_integer(field, member));
	case HD_META_CHOICE: return choice_json(field, member);
	case HD_META_TEXT: return hd_json_text(hd_member_pointer(member) ? hd_member_pointer(member) : "");
	case HD_META_SOURCE: return hd_json_source(member);
	case HD_META_TEXTS: return texts_json(member, field->length);
	case HD_META_TEXT_LIST: return texts_json(hd_member_pointer(member), hd_member_count(field, record));
	case HD_META_NUMBERS: return numbers_json(member, field->length);
	case HD_META_PCS: return numbers_json(hd_member_pointer(member), hd_member_count(field, record));
	case HD_META_REGISTERS: return set_json(member, 255);
	case HD_META_PREDICATES: return set_json(&(uint64_t){*(const uint8_t *)member}, 7);
	case HD_META_MASK: return mask_json(*(const uint64_t *)member);
	case HD_META_DIGITS:
		return digits_json(hd_member_pointer(member), (size_t)field->length * hd_member_count(field, record),
				   field->digits);
	case HD_META_RECORD: return record_json(field->record, member);
	case HD_META_OPTIONAL: return record_json(field->record, hd_member_pointer(member));
	case HD_META_LIST: return list_json(field->record, hd_member_pointer(member), hd_member_count(field, record));
	}
	return NULL;
}

/* The object that a field's group names, made where it is first asked for. */
static json_t *group_of(json_t *record, const char *group)
{
	if (!group || !group[0])
		return record;
	json_t *object = json_object_get(record, group);
	if (!object) {
		object = json_object();
		json_object_set_new(record, group, object);
	}
	return object;
}

/* Those fields that stand in the record's own object, or those beside it. */
static void add_fields(json_t *object, const struct hd_meta_record *table, const char *record, bool beside)
{
	for (uint32_t i = 0; i < table->count; i++) {
		const struct hd_meta_field *field = &table->fields[i];
		if (field->beside != beside)
			continue;
		if (field->type == HD_META_OPTIONAL) {
			const char *part = hd_member_pointer(record + field->at);
			if (!part)
				continue;
			add_fields(object, field->record, part, true);
		}
		json_object_set_new(group_of(object, field->group), field->key, value_json(field, record));
	}
}

/* ------------------------------------------------------------------ functions, the document */

json_t *hd_metadata_function_json(const struct hd_meta_function *function)
{
	json_t *object = record_json(&hd_meta_function_record, (const char *)function);
	if (!function->demangled)
		json_object_set(object, "demangled", json_object_get(object, "name"));
	return object;
}

json_t *hd_metadata_json(const struct hd_metadata *metadata)
{
	json_t *document = json_object(), *kernels = json_array(), *functions = json_array();
	json_object_set_new(document, "version", json_integer(HD_METADATA_VERSION));
	add_fields(document, &hd_meta_document_record, (const char *)metadata, false);
	json_object_set_new(document, "kernels", kernels);
	json_object_set_new(document, "functions", functions);
	for (uint32_t i = 0; i < metadata->function_count; i++) {
		const struct hd_meta_function *function = &metadata->functions[i];
		json_array_append_new(function->kernel ? kernels : functions, hd_metadata_function_json(function));
	}
	return document;
}

char *hd_metadata_to_json(const struct hd_metadata *metadata)
{
	json_t *document = hd_metadata_json(metadata);
	char *text = hd_json_dump(document);
	json_decref(document);
	return text;
}
