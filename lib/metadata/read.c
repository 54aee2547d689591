/*
 * Metadata from JSON that may be anything, by the tables of fields.c: each key is checked for its type and range, and
 * the message names the place, `kernels[2].calls[0].pc: expected an integer from 0 to ...`.
 * Keys that are not known are kept out, so that documents of later analyses still read. Linear in the text.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/machine/abi.h"
#include "lib/metadata/fields.h"
#include "lib/metadata/input.h"
#include "lib/metadata/member.h"

/* A field's key in the object that has it, and where that is. */
struct spot {
	const struct hd_meta_field *field;
	const struct json_place *place;
	const json_t *object;
};

/* ------------------------------------------------------------------ values */

static void read_integer(struct input *input, const struct spot *spot, void *member)
{
	const struct hd_meta_field *field = spot->field;
	int64_t value = get_integer(input, spot->place, spot->object, field->key, field->least, field->most);
	char what[40];
	snprintf(what, sizeof(what), "a multiple of %u", field->multiple);
	if (field->multiple && value % field->multiple)
		expected(input, spot->place, field->key, what);
	hd_member_set_integer(field, member, value);
}

static void read_choice(struct input *input, const struct spot *spot, void *member)
{
	unsigned first = spot->field->null == HD_META_NULL_VALUE;
	hd_member_set_integer(spot->field, member,
			      first + get_choice(input, spot->place, spot->object, spot->field->key,
						 spot->field->names));
}

/* Numbers of the array into `numbers`, each from `least` to `greatest`, ascending if that is asked for. */
static uint32_t get_numbers(struct input *input, const struct spot *spot, const json_t *array, int64_t least,
			    int64_t greatest, bool ascending, uint32_t *numbers, const char *what)
{
	uint32_t count = (uint32_t)json_array_size(array);
	for (uint32_t i = 0; i < count; i++) {
		const json_t *number = json_array_get(array, i);
		json_int_t value = json_integer_value(number);
		if (!json_is_integer(number) || value < least || value > greatest) {
			expected(input, spot->place, spot->field->key, what);
			return 0;
		}
		numbers[i] = (uint32_t)value;
		if (ascending)
			least = value + 1;
	}
	return count;
}

/* So many as the field has. */
static void read_numbers(struct input *input, const struct spot *spot, uint32_t *numbers)
{
	const json_t *array = json_object_get(spot->object, spot->field->key);
	char what[80];
	snprintf(what, sizeof(what), "%u integers from %lld on%s", spot->field->length, (long long)spot->field->least,
		 spot->field->null ? ", or null" : "");
	if (!json_is_array(array) || json_array_size(array) != spot->field->length)
		expected(input, spot->place, spot->field->key, what);
	else
		get_numbers(input, spot, array, spot->field->least, UINT32_MAX, false, numbers, what);
}

static void read_pcs(struct input *input, const struct spot *spot, char *record)
{
	const json_t *array = get_array(input, spot->place, spot->object, spot->field->key);
	uint32_t *pcs = HD_ARENA_NEW(input->arena, uint32_t, json_array_size(array));
	hd_member_set_pointer(record + spot->field->at, pcs);
	hd_member_set_count(spot->field, record,
			    get_numbers(input, spot, array, 0, UINT32_MAX, true, pcs, "pcs in ascending order"));
}

/* Bits below `bits` into words of 64. */
static void read_set(struct input *input, const struct spot *spot, uint32_t bits, uint64_t *words)
{
	uint32_t numbers[255];
	const json_t *array = get_array(input, spot->place, spot->object, spot->field->key);
	const char *what = "register numbers in ascending order";
	if (json_array_size(array) > bits) {
		expected(input, spot->place, spot->field->key, what);
		return;
	}
	uint32_t count = get_numbers(input, spot, array, 0, bits - 1, true, numbers, what);
	for (uint32_t i = 0; i < count; i++)
		words[numbers[i] / 64] |= UINT64_C(1) << (numbers[i] % 64);
}

static uint64_t get_mask(struct input *input, const struct spot *spot)
{
	const char *text = json_string_value(json_object_get(spot->object, spot->field->key));
	char *end = NULL;
	uint64_t mask = text ? strtoull(text, &end, 16) : 0;
	if (!text || strncmp(text, "0x", 2) != 0 || *end || mask >> 54)
		expected(input, spot->place, spot->field->key, "a mask of 54 bits in hexadecimal");
	return mask;
}

/* Digits of each instruction of the function as their values. */
static void read_digits(struct input *input, const struct spot *spot, char *record)
{
	const struct hd_meta_field *field = spot->field;
	const char *text = get_text(input, spot->place, spot->object, field->key);
	uint32_t instructions = field->may_be_empty && !text[0] ? 0 : input->instructions;
	size_t count = (size_t)field->length * instructions;
	bool good = strlen(text) == count;
	uint8_t *values = HD_ARENA_NEW(input->arena, uint8_t, good ? count : 0);
	for (size_t i = 0; i < count && good; i++) {
		const char *digit = strchr(field->digits, text[i]);
		good = digit != NULL;
		values[i] = (uint8_t)(digit ? digit - field->digits : 0);
	}
	if (!good)
		expected(input, spot->place, field->key, "a digit for each instruction or operand");
	hd_member_set_pointer(record + field->at, values);
	hd_member_set_count(spot->field, record, instructions);
}

static void read_texts(struct input *input, const struct spot *spot, const char **texts)
{
	uint32_t count;
	const char **found = get_names(input, spot->place, spot->object, spot->field->key, &count);
	char what[40];
	snprintf(what, sizeof(what), "%u strings", spot->field->length);
	if (count != spot->field->length)
		expected(input, spot->place, spot->field->key, what);
	for (uint32_t i = 0; i < spot->field->length; i++)
		texts[i] = i < count ? found[i] : "";
}

static void read_text_list(struct input *input, const struct spot *spot, char *record)
{
	uint32_t count;
	hd_member_set_pointer(record + spot->field->at,
			      get_names(input, spot->place, spot->object, spot->field->key, &count));
	hd_member_set_count(spot->field, record, count);
}

/* ------------------------------------------------------------------ records */

static void read_fields(struct input *input, const struct json_place *place, const json_t *object,
			const struct hd_meta_record *table, char *record, bool beside);

static uint32_t figure(const json_t *object, const char *key)
{
	return (uint32_t)json_integer_value(json_object_get(object, key));
}

static void read_record(struct input *input, const struct json_place *place, const json_t *object,
			const struct hd_meta_record *table, void *record)
{
	const char *what = NULL;
	uint32_t around = input->instructions;
	if (table == &hd_meta_function_record)
		input->instructions = figure(object, "instructions");
	if (table == &hd_meta_linear_version_record) /* as many as its body has */
		input->instructions = figure(object, "coefficient_instructions") +
				      figure(object, "thread_instructions") + figure(object, "block_instructions") +
				      figure(object, "instructions");
	read_fields(input, place, object, table, record, false);
	input->instructions = around;
	const char *key = table->broken && !input->failed ? table->broken(object, record, &what) : NULL;
	if (key)
		expected(input, place, key, what);
}

/* An array of objects as records in the arena. */
static void *get_records(struct input *input, const struct json_place *place, const json_t *object, const char *key,
			 const struct hd_meta_record *table, uint32_t *count)
{
	const struct json_place here = {place, key, 0};
	const json_t *array = get_array(input, place, object, key);
	*count = (uint32_t)json_array_size(array);
	char *records = hd_arena_alloc(input->arena, (size_t)table->bytes * *count);
	for (uint32_t i = 0; i < *count && !input->failed; i++) {
		const struct json_place element = {&here, NULL, i};
		const json_t *value = json_array_get(array, i);
		if (json_is_object(value))
			read_record(input, &element, value, table, records + (size_t)table->bytes * i);
		else
			expected(input, &element, "", "an object");
	}
	return records;
}

static void read_list(struct input *input, const struct spot *spot, char *record)
{
	const struct hd_meta_field *field = spot->field;
	uint32_t count, stated;
	char what[80];
	hd_member_set_pointer(record + field->at,
			      get_records(input, spot->place, spot->object, field->key, field->record, &count));
	snprintf(what, sizeof(what), "as many as %s says", field->count_key ? field->count_key : "");
	memcpy(&stated, record + field->other, sizeof(stated));
	if (field->count_key && count != stated)
		expected(input, spot->place, field->key, what);
	hd_member_set_count(spot->field, record, count);
}

static void read_embedded(struct input *input, const struct spot *spot, char *member)
{
	const struct json_place here = {spot->place, spot->field->key, 0};
	const json_t *value = get_object(input, spot->place, spot->object, spot->field->key);
	if (json_is_object(value))
		read_record(input, &here, value, spot->field->record, member);
}

/* Absent where the analysis did not run. */
static void read_optional(struct input *input, const struct spot *spot, void *member)
{
	if (!json_object_get(spot->object, spot->field->key))
		return;
	char *record = hd_arena_alloc(input->arena, spot->field->record->bytes);
	read_fields(input, spot->place, spot->object, spot->field->record, record, true);
	read_embedded(input, spot, record);
	hd_member_set_pointer(member, record);
}

static void read_value(struct input *input, const struct spot *spot, char *record)
{
	const char *key = spot->field->key;
	void *member = record + spot->field->at;
	switch (spot->field->type) {
	case HD_META_INTEGER: read_integer(input, spot, member); break;
	case HD_META_FLAG: *(bool *)member = get_flag(input, spot->place, spot->object, key); break;
	case HD_META_IS_NONE: get_flag(input, spot->place, spot->object, key); break;
	case HD_META_CHOICE: read_choice(input, spot, member); break;
	case HD_META_TEXT: hd_member_set_pointer(member, get_text(input, spot->place, spot->object, key)); break;
	case HD_META_SOURCE: *(struct hd_meta_source *)member = get_source(input, spot->place, spot->object); break;
	case HD_META_TEXTS: read_texts(input, spot, member); break;
	case HD_META_TEXT_LIST: read_text_list(input, spot, record); break;
	case HD_META_NUMBERS: read_numbers(input, spot, member); break;
	case HD_META_PCS: read_pcs(input, spot, record); break;
	case HD_META_REGISTERS: read_set(input, spot, 255, member); break;
	case HD_META_PREDICATES: {
		uint64_t word = 0;
		read_set(input, spot, 7, &word);
		*(uint8_t *)member = (uint8_t)word;
		break;
	}
	case HD_META_MASK: *(uint64_t *)member = get_mask(input, spot); break;
	case HD_META_DIGITS: read_digits(input, spot, record); break;
	case HD_META_RECORD: read_embedded(input, spot, member); break;
	case HD_META_OPTIONAL: read_optional(input, spot, member); break;
	case HD_META_LIST: read_list(input, spot, record); break;
	}
}

static void read_field(struct input *input, const struct spot *spot, char *record)
{
	const struct hd_meta_field *field = spot->field;
	bool null = field->null && json_is_null(json_object_get(spot->object, field->key));
	hd_member_set_null(field, record, null);
	if (!null)
		read_value(input, spot, record);
}

/* A key of a group stands in the object of that name; a missing object fails at its first key. */
static void read_fields(struct input *input, const struct json_place *place, const json_t *object,
			const struct hd_meta_record *table, char *record, bool beside)
{
	for (uint32_t i = 0; i < table->count; i++) {
		const struct hd_meta_field *field = &table->fields[i];
		const struct json_place group = {place, field->group, 0};
		bool grouped = field->group && field->group[0];
		if (field->beside == beside)
			read_field(input,
				   &(const struct spot){field, grouped ? &group : place,
							grouped ? json_object_get(object, field->group) : object},
				   record);
	}
}

/* ------------------------------------------------------------------ functions, the document */

static int by_name(const void *a, const void *b)
{
	const struct hd_meta_function *left = a, *right = b;
	return strcmp(left->name, right->name);
}

/* Kernels and device functions are two arrays outside and one, in order of name, inside. */
static void read_functions(struct input *input, const json_t *document, struct hd_metadata *metadata)
{
	uint32_t kernel_count = 0, function_count = 0;
	struct hd_meta_function *kernels =
		get_records(input, NULL, document, "kernels", &hd_meta_function_record, &kernel_count);
	struct hd_meta_function *functions =
		get_records(input, NULL, document, "functions", &hd_meta_function_record, &function_count);
	if (input->failed)
		return;
	metadata->function_count = kernel_count + function_count;
	metadata->functions = HD_ARENA_NEW(input->arena, struct hd_meta_function, metadata->function_count);
	for (uint32_t i = 0; i < kernel_count; i++) {
		kernels[i].kernel = true;
		metadata->functions[i] = kernels[i];
	}
	for (uint32_t i = 0; i < function_count; i++)
		metadata->functions[kernel_count + i] = functions[i];
	qsort(metadata->functions, metadata->function_count, sizeof(*metadata->functions), by_name);
	for (uint32_t i = 1; i < metadata->function_count; i++)
		if (strcmp(metadata->functions[i - 1].name, metadata->functions[i].name) == 0)
			expected(input, NULL, metadata->functions[i].name, "one function of this name");
}

const char *hd_meta_find_convention(struct hd_metadata *metadata)
{
	size_t length;
	const char *name = hd_metadata_parameter(metadata, "abi", &length);
	metadata->abi = name ? hd_abi_find(name, length) : &hd_abi_cars;
	return metadata->abi ? NULL : "a calling convention that this Heddle knows behind abi=";
}

static void read_document(struct input *input, const json_t *document, struct hd_metadata *metadata)
{
	int64_t version = get_integer(input, NULL, document, "version", 1, INT32_MAX);
	if (!input->failed && version != HD_METADATA_VERSION) {
		hd_error(input->diag, HD_NOWHERE,
			 "%s: metadata of version %lld, but this Heddle reads version %d (compile again)", input->name,
			 (long long)version, HD_METADATA_VERSION);
		input->failed = true;
	}
	read_record(input, NULL, document, &hd_meta_document_record, metadata);
	const char *wanted = hd_meta_find_convention(metadata);
	if (wanted)
		expected(input, NULL, "flags", wanted);
	read_functions(input, document, metadata);
}

int hd_metadata_from_json(const char *text, size_t size, const char *name, struct hd_arena *arena,
			  struct hd_metadata *metadata, struct hd_diag *diag)
{
	struct input input = {.name = name, .arena = arena, .diag = diag};
	json_error_t error;
	*metadata = (struct hd_metadata){.arena = arena};
	json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!document)
		return hd_error(diag, HD_NOWHERE, "%s: metadata: line %d, column %d: %s", name, error.line,
				error.column, error.text);
	if (json_is_object(document))
		read_document(&input, document, metadata);
	else
		expected(&input, NULL, "document", "an object");
	json_decref(document);
	if (!input.failed)
		return 0;
	*metadata = (struct hd_metadata){.arena = arena};
	return -1;
}
