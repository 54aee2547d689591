/*
 * The JSON Schema of the metadata, from the tables of fields.c and the rows of heddle/metadata.def. What the tables do
 * not hold, the forms that several keys share, stands here. `heddle --schema` prints it;
 * include/heddle/metadata.schema.json is that text. Linear in the tables.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/metadata/fields.h"
#include "lib/metadata/json.h"

/* $defs are made where they are first asked for. */
static json_t *record_schema(json_t *defs, const struct hd_meta_record *table);

static void add_text(json_t *schema, const char *key, const char *text)
{
	json_object_set_new(schema, key, json_string(text));
}

static json_t *reference(const char *name)
{
	char path[64];
	snprintf(path, sizeof(path), "#/$defs/%s", name);
	return json_pack("{s:s}", "$ref", path);
}

static void add_record(json_t *defs, const struct hd_meta_record *table)
{
	if (json_object_get(defs, table->name))
		return;
	/* Its place comes before the records in it. */
	json_object_set_new(defs, table->name, json_null());
	json_object_set_new(defs, table->name, record_schema(defs, table));
}

/* ------------------------------------------------------------------ shared forms */

static json_t *range(int64_t least, int64_t most)
{
	json_t *schema = json_pack("{s:s}", "type", "integer");
	if (least != INT64_MIN)
		json_object_set_new(schema, "minimum", json_integer(least));
	if (most != INT64_MAX)
		json_object_set_new(schema, "maximum", json_integer(most));
	return schema;
}

static json_t *array_of(json_t *items, uint32_t length)
{
	json_t *schema = json_pack("{s:s,s:o}", "type", "array", "items", items);
	if (length) {
		json_object_set_new(schema, "minItems", json_integer(length));
		json_object_set_new(schema, "maxItems", json_integer(length));
	}
	return schema;
}

static json_t *source_schema(void)
{
	return json_pack("{s:s,s:s,s:{s:{s:[ss]},s:o},s:[ss],s:b}", "description",
			 "place in the source; file null and line 0 without debug information", "type", "object",
			 "properties", "file", "type", "string", "null", "line", reference("count"), "required", "file",
			 "line", "additionalProperties", 0);
}

static json_t *forms(void)
{
	json_t *defs = json_object(), *polynomial = json_pack("{s:s,s:i}", "type", "string", "minLength", 1);
	json_t *vector = array_of(reference("polynomial"), HD_META_VECTOR);
	add_text(polynomial, "description",
		 "a sum of products of integers, P2 (a parameter), P2.8 (the word at its byte 8), P2.8l (both words "
		 "there), ntid.x, nctaid.y, @variable, i0 (iterations of a loop) and operations of a width");
	add_text(vector, "description",
		 "a coefficient vector: the constant, then the factors of tid.x, tid.y, tid.z, ctaid.x, ctaid.y and "
		 "ctaid.z");
	json_object_set_new(defs, "count", range(0, UINT32_MAX));
	json_object_set_new(defs, "name", json_pack("{s:s,s:i}", "type", "string", "minLength", 1));
	json_object_set_new(defs, "register", range(0, 254));
	json_object_set_new(defs, "source", source_schema());
	json_object_set_new(defs, "polynomial", polynomial);
	json_object_set_new(defs, "vector", vector);
	return defs;
}

/* ------------------------------------------------------------------ fields */

static json_t *choice_schema(const struct hd_meta_field *field)
{
	json_t *names = json_array();
	if (field->null)
		json_array_append_new(names, json_null());
	for (unsigned i = 0; field->names[i]; i++)
		json_array_append_new(names, json_string(field->names[i]));
	return json_pack("{s:o}", "enum", names);
}

static json_t *integer_schema(const struct hd_meta_field *field)
{
	json_t *schema = range(field->least, field->most);
	if (field->multiple)
		json_object_set_new(schema, "multipleOf", json_integer(field->multiple));
	return schema;
}

static json_t *text_schema(const char *pattern)
{
	json_t *schema = json_pack("{s:s}", "type", "string");
	if (pattern)
		add_text(schema, "pattern", pattern);
	return schema;
}

/* What the value is, where it is not null. */
static json_t *value_schema(json_t *defs, const struct hd_meta_field *field)
{
	switch (field->type) {
	case HD_META_INTEGER: return field->form ? reference(field->form) : integer_schema(field);
	case HD_META_FLAG:
	case HD_META_IS_NONE: return json_pack("{s:s}", "type", "boolean");
	case HD_META_CHOICE: return choice_schema(field);
	case HD_META_TEXT: return field->form ? reference(field->form) : text_schema(NULL);
	case HD_META_SOURCE:
	case HD_META_TEXTS: return reference(field->form);
	case HD_META_TEXT_LIST: return array_of(reference(field->form), 0);
	case HD_META_NUMBERS:
		return array_of(field->least ? range(field->least, UINT32_MAX) : reference("count"), field->length);
	case HD_META_PCS: return array_of(reference("count"), 0);
	case HD_META_REGISTERS: return array_of(reference("register"), 0);
	case HD_META_PREDICATES: return array_of(range(0, 6), 0);
	case HD_META_MASK:
	case HD_META_DIGITS: return text_schema(field->pattern);
	case HD_META_RECORD:
	case HD_META_OPTIONAL: add_record(defs, field->record); return reference(field->record->name);
	case HD_META_LIST: add_record(defs, field->record); return array_of(reference(field->record->name), 0);
	}
	return NULL;
}

static json_t *field_schema(json_t *defs, const struct hd_meta_field *field)
{
	json_t *schema = value_schema(defs, field), *type = json_object_get(schema, "type");
	if (field->null && type)
		json_object_set_new(schema, "type", json_pack("[Os]", type, "null"));
	else if (field->null && field->type != HD_META_CHOICE)
		schema = json_pack("{s:[{s:s},o]}", "oneOf", "type", "null", schema);
	if (field->doc)
		add_text(schema, "description", field->doc);
	return schema;
}

/* ------------------------------------------------------------------ records */

static json_t *object_schema(const char *doc)
{
	json_t *schema = json_object();
	if (doc)
		add_text(schema, "description", doc);
	add_text(schema, "type", "object");
	json_object_set_new(schema, "properties", json_object());
	json_object_set_new(schema, "required", json_array());
	json_object_set_new(schema, "additionalProperties", json_false());
	return schema;
}

static void add_property(json_t *schema, const char *key, json_t *value, bool required)
{
	json_object_set_new(json_object_get(schema, "properties"), key, value);
	if (required)
		json_array_append_new(json_object_get(schema, "required"), json_string(key));
}

/* The schema of the group's object, made where it is first asked for. */
static json_t *group_schema(json_t *schema, const struct hd_meta_record *table, const char *name)
{
	if (!name || !name[0])
		return schema;
	json_t *group = json_object_get(json_object_get(schema, "properties"), name);
	if (group)
		return group;
	const struct hd_meta_group *row = table->groups;
	while (row->name && strcmp(row->name, name) != 0)
		row++;
	group = object_schema(row->doc);
	add_property(schema, name, group, true);
	return group;
}

static void add_fields(json_t *defs, json_t *schema, const struct hd_meta_record *table, bool beside)
{
	for (uint32_t i = 0; i < table->count; i++) {
		const struct hd_meta_field *field = &table->fields[i];
		bool optional = field->type == HD_META_OPTIONAL;
		if (field->beside != beside)
			continue;
		if (optional)
			add_fields(defs, schema, field->record, true);
		add_property(group_schema(schema, table, field->group), field->key, field_schema(defs, field),
			     !optional && !beside);
	}
}

static json_t *record_schema(json_t *defs, const struct hd_meta_record *table)
{
	json_t *schema = object_schema(table->doc);
	add_fields(defs, schema, table, false);
	if (table->open == HD_META_OPEN)
		json_object_set_new(schema, "additionalProperties", json_true());
	if (table->open != HD_META_OPEN_OBJECTS)
		return schema;
	json_object_set_new(schema, "propertyNames", json_pack("{s:s}", "pattern", "^[a-z][a-z0-9_]*$"));
	json_object_set_new(schema, "additionalProperties", json_pack("{s:s}", "type", "object"));
	return schema;
}

static json_t *functions_schema(const char *doc)
{
	json_t *schema = array_of(reference(hd_meta_function_record.name), 0);
	add_text(schema, "description", doc);
	return schema;
}

json_t *hd_metadata_schema_json(void)
{
	json_t *defs = forms(), *document = object_schema(NULL), *schema = json_object();
	add_text(schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_object_set_new(schema, "$id", json_sprintf("urn:heddle:metadata:%d", HD_METADATA_VERSION));
	json_object_set_new(schema, "title", json_sprintf("Heddle kernel metadata, version %d", HD_METADATA_VERSION));
	add_text(schema, "description",
		 "What the passes found out about a program: the file NAME.heddle.json beside a kernel object, which "
		 "has "
		 "the same in its section .heddle.meta, packed. Registers are 32-bit registers of one thread; a pc is "
		 "a byte offset in "
		 "its function. Arrays that a later analysis makes are absent where that analysis did not run.");
	add_property(document, "version", json_pack("{s:i}", "const", HD_METADATA_VERSION), true);
	add_fields(defs, document, &hd_meta_document_record, false);
	add_property(document, "kernels", functions_schema("in order of name"), true);
	add_property(document, "functions", functions_schema("device functions, in order of name"), true);
	add_record(defs, &hd_meta_function_record);
	json_object_update(schema, document);
	json_decref(document);
	json_object_set_new(schema, "$defs", defs);
	return schema;
}

char *hd_metadata_schema(void)
{
	json_t *schema = hd_metadata_schema_json();
	char *text = hd_json_dump(schema);
	json_decref(schema);
	return text;
}
