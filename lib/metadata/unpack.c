/*
 * Metadata from its packed form (pack.h), whose bytes may be anything: each value is checked as that of a JSON document
 * is, and the first that cannot be is named. Lists are no longer than the bytes that are left can hold, so that memory
 * stays linear in these. Linear in the bytes.
 */
#include <stdarg.h>
#include <stdio.h>

#include "heddle/figures.h"
#include "lib/metadata/member.h"
#include "lib/metadata/pack.h"

struct unpacking {
	struct hd_span bytes;
	struct hd_arena *arena;
	uint32_t instructions, edition;
	const char *record, *key; /* of the value that is wrong, and what is wrong with it; NULL: all is well so far */
	const char *wrong;
};

static void wrong(struct unpacking *unpacking, const char *what)
{
	if (!unpacking->wrong)
		unpacking->wrong = what;
	hd_span_fail(&unpacking->bytes);
}

/* ------------------------------------------------------------------ values */

static uint64_t get_number(struct unpacking *unpacking, uint64_t most)
{
	uint64_t number = hd_span_varint(&unpacking->bytes);
	if (number <= most)
		return number;
	wrong(unpacking, "out of range");
	return 0;
}

static unsigned get_byte(struct unpacking *unpacking, unsigned most)
{
	const uint8_t *byte = hd_span_take(&unpacking->bytes, 1);
	if (!byte || *byte <= most)
		return byte ? *byte : 0;
	wrong(unpacking, "out of range");
	return 0;
}

/* Of things of which each takes `least` bytes. */
static uint32_t get_count(struct unpacking *unpacking, size_t least)
{
	uint64_t count = hd_span_varint(&unpacking->bytes);
	if (count <= hd_span_left(&unpacking->bytes) / (least ? least : 1) && count <= UINT32_MAX)
		return (uint32_t)count;
	wrong(unpacking, "longer than what is left");
	return 0;
}

static void get_integer(struct unpacking *unpacking, const struct hd_meta_field *field, void *member)
{
	uint64_t number = hd_span_varint(&unpacking->bytes);
	int64_t value = field->is_signed ? hd_unzigzag(number) : (int64_t)number;
	if ((!field->is_signed && number > INT64_MAX) || value < field->least || value > field->most ||
	    (field->multiple && value % field->multiple))
		wrong(unpacking, "out of range");
	hd_member_set_integer(field, member, value);
}

static void get_choice(struct unpacking *unpacking, const struct hd_meta_field *field, void *member)
{
	uint64_t first = field->null == HD_META_NULL_VALUE, count = 0;
	while (field->names[count])
		count++;
	uint64_t value = get_number(unpacking, first + count - 1);
	if (value < first)
		wrong(unpacking, "out of range");
	hd_member_set_integer(field, member, (int64_t)value);
}

static void get_source(struct unpacking *unpacking, struct hd_meta_source *source)
{
	if (!get_byte(unpacking, 1))
		return;
	source->file = hd_span_text(&unpacking->bytes);
	source->line = (uint32_t)get_number(unpacking, UINT32_MAX);
}

static void get_texts(struct unpacking *unpacking, const char **texts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		texts[i] = hd_span_text(&unpacking->bytes);
}

static void get_text_list(struct unpacking *unpacking, const struct hd_meta_field *field, char *record)
{
	uint32_t count = get_count(unpacking, 1);
	const char **texts = HD_ARENA_NEW(unpacking->arena, const char *, count);
	get_texts(unpacking, texts, count);
	hd_member_set_pointer(record + field->at, texts);
	hd_member_set_count(field, record, count);
}

static void get_numbers(struct unpacking *unpacking, const struct hd_meta_field *field, uint32_t *numbers)
{
	for (uint32_t i = 0; i < field->length; i++) {
		numbers[i] = (uint32_t)get_number(unpacking, UINT32_MAX);
		if (numbers[i] < field->least)
			wrong(unpacking, "out of range");
	}
	if (field->null == HD_META_NULL_ZERO && !numbers[field->length - 1])
		wrong(unpacking, "out of range");
}

static void get_pcs(struct unpacking *unpacking, const struct hd_meta_field *field, char *record)
{
	uint32_t count = get_count(unpacking, 1);
	uint32_t *pcs = HD_ARENA_NEW(unpacking->arena, uint32_t, count);
	for (uint32_t i = 0; i < count && !unpacking->bytes.failed; i++) {
		uint64_t step = get_number(unpacking, UINT32_MAX), pc = i ? pcs[i - 1] + step : step;
		if ((i && !step) || pc > UINT32_MAX)
			wrong(unpacking, "no pcs in ascending order");
		pcs[i] = (uint32_t)pc;
	}
	hd_member_set_pointer(record + field->at, pcs);
	hd_member_set_count(field, record, count);
}

static void get_registers(struct unpacking *unpacking, uint64_t words[4])
{
	for (unsigned i = 0; i < 4; i++)
		words[i] = get_number(unpacking, i < 3 ? UINT64_MAX : UINT64_MAX >> 1);
}

static void get_digits(struct unpacking *unpacking, const struct hd_meta_field *field, char *record)
{
	uint32_t count = (uint32_t)get_number(unpacking, UINT32_MAX);
	uint8_t *values = (uint8_t *)(uintptr_t)hd_span_take(&unpacking->bytes, (uint64_t)field->length * count);
	size_t digits = strlen(field->digits);
	if (count != unpacking->instructions && (count || !field->may_be_empty))
		wrong(unpacking, "not a digit for each instruction or operand");
	for (uint64_t i = 0; values && i < (uint64_t)field->length * count; i++)
		if (values[i] >= digits)
			wrong(unpacking, "out of range");
	hd_member_set_pointer(record + field->at, values);
	hd_member_set_count(field, record, count);
}

/* ------------------------------------------------------------------ records */

static void get_field(struct unpacking *unpacking, const struct hd_meta_record *table,
		      const struct hd_meta_field *field, char *record);

/* Digits are for so many instructions: those of a linear version are its body's. */
static uint32_t instructions_of(const struct hd_meta_record *table, const void *record, uint32_t around)
{
	const struct hd_meta_linear_version *version = record;
	return table == &hd_meta_linear_version_record
		       ? version->coefficient_instructions + version->thread_instructions +
				 version->block_instructions + version->instructions
		       : around;
}

static void get_record(struct unpacking *unpacking, const struct hd_meta_record *table, char *record)
{
	uint32_t around = unpacking->instructions;
	const char *what, *key;
	for (uint32_t i = 0; i < table->count && !unpacking->bytes.failed; i++) {
		if (table->fields[i].type == HD_META_DIGITS || table->fields[i].type == HD_META_OPTIONAL)
			unpacking->instructions = instructions_of(table, record, around);
		get_field(unpacking, table, &table->fields[i], record);
	}
	unpacking->instructions = around;
	if (unpacking->bytes.failed || !table->broken || !(key = table->broken(NULL, record, &what)))
		return;
	unpacking->record = table->name;
	unpacking->key = key;
	wrong(unpacking, "out of range");
}

static void get_optional(struct unpacking *unpacking, const struct hd_meta_field *field, char *record)
{
	if (!get_byte(unpacking, 1))
		return;
	char *part = hd_arena_alloc(unpacking->arena, field->record->bytes);
	get_record(unpacking, field->record, part);
	hd_member_set_pointer(record + field->at, part);
}

/* A field of a record takes a byte at least. */
static void get_list(struct unpacking *unpacking, const struct hd_meta_field *field, char *record)
{
	const struct hd_meta_record *table = field->record;
	uint32_t count = get_count(unpacking, table->count), stated = hd_member_count(field, record);
	char *records = hd_arena_alloc(unpacking->arena, (size_t)table->bytes * count);
	if (field->count_key && count != stated)
		wrong(unpacking, "not as many as its figure says");
	for (uint32_t i = 0; i < count && !unpacking->bytes.failed; i++)
		get_record(unpacking, table, records + (size_t)table->bytes * i);
	hd_member_set_pointer(record + field->at, records);
	hd_member_set_count(field, record, count);
}

static void get_value(struct unpacking *unpacking, const struct hd_meta_field *field, char *record)
{
	void *member = record + field->at;
	switch (field->type) {
	case HD_META_INTEGER: get_integer(unpacking, field, member); break;
	case HD_META_FLAG: *(bool *)member = get_byte(unpacking, 1); break;
	case HD_META_IS_NONE: break;
	case HD_META_CHOICE: get_choice(unpacking, field, member); break;
	case HD_META_TEXT: hd_member_set_pointer(member, hd_span_text(&unpacking->bytes)); break;
	case HD_META_SOURCE: get_source(unpacking, member); break;
	case HD_META_TEXTS: get_texts(unpacking, member, field->length); break;
	case HD_META_TEXT_LIST: get_text_list(unpacking, field, record); break;
	case HD_META_NUMBERS: get_numbers(unpacking, field, member); break;
	case HD_META_PCS: get_pcs(unpacking, field, record); break;
	case HD_META_REGISTERS: get_registers(unpacking, member); break;
	case HD_META_PREDICATES: *(uint8_t *)member = (uint8_t)get_byte(unpacking, 0x7f); break;
	case HD_META_MASK: *(uint64_t *)member = get_number(unpacking, (UINT64_C(1) << 54) - 1); break;
	case HD_META_DIGITS: get_digits(unpacking, field, record); break;
	case HD_META_RECORD: get_record(unpacking, field->record, member); break;
	case HD_META_OPTIONAL: get_optional(unpacking, field, record); break;
	case HD_META_LIST: get_list(unpacking, field, record); break;
	}
}

static void get_field(struct unpacking *unpacking, const struct hd_meta_record *table,
		      const struct hd_meta_field *field, char *record)
{
	int64_t value = 0;
	bool missing = unpacking->edition < HD_META_EDITION && !hd_meta_field_is_of(field, unpacking->edition, &value);
	bool null = field->null && (missing || get_byte(unpacking, 1));
	hd_member_set_null(field, record, null);
	if (missing && value)
		hd_member_set_integer(field, record + field->at, value);
	else if (!null && !missing)
		get_value(unpacking, field, record);
	if (!unpacking->bytes.failed || unpacking->key)
		return;
	unpacking->record = table->name;
	unpacking->key = field->key;
}

/* ------------------------------------------------------------------ functions, the document */

__attribute__((format(printf, 3, 4))) static int damaged(struct hd_diag *diag, const char *name, const char *format,
							 ...)
{
	va_list args;
	struct hd_strbuf text = {0};
	va_start(args, format);
	hd_strbuf_vprintf(&text, format, args);
	va_end(args);
	hd_error(diag, HD_NOWHERE, "%s: damaged kernel object: metadata: %s", name, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	return -1;
}

static const char *what_is_wrong(const struct unpacking *unpacking)
{
	return unpacking->wrong ? unpacking->wrong : "it ends too soon";
}

static int check_layout(struct unpacking *unpacking, const char *name, struct hd_diag *diag)
{
	uint64_t layout = 0;
	const uint8_t *bytes = hd_span_take(&unpacking->bytes, 8);
	for (unsigned i = 0; bytes && i < 8; i++)
		layout |= (uint64_t)bytes[i] << 8 * i;
	for (uint32_t edition = HD_META_EDITION + 1; edition-- > 0;) {
		unpacking->edition = edition;
		if (layout == hd_meta_layout(edition))
			return 0;
	}
	return hd_error(diag, HD_NOWHERE, "%s: metadata fields differ from this Heddle's (compile it again)", name);
}

static int unpack_names(struct unpacking *unpacking, const char *name, struct hd_metadata *metadata,
			struct hd_diag *diag)
{
	metadata->function_count = (uint32_t)get_number(unpacking, HD_META_MOST_FUNCTIONS);
	metadata->functions = HD_ARENA_NEW(unpacking->arena, struct hd_meta_function, metadata->function_count);
	for (uint32_t i = 0; i < metadata->function_count; i++) {
		struct hd_meta_function *function = &metadata->functions[i];
		function->name = hd_span_text(&unpacking->bytes);
		function->demangled = hd_span_text(&unpacking->bytes);
		function->kernel = get_byte(unpacking, 1);
		if (i && !unpacking->bytes.failed && strcmp(function[-1].name, function->name) >= 0)
			return damaged(diag, name, "function %s is at the wrong position", function->name);
	}
	if (unpacking->bytes.failed || hd_span_left(&unpacking->bytes))
		return damaged(diag, name, "the list of functions: %s", what_is_wrong(unpacking));
	return 0;
}

int hd_meta_unpack_document(const struct hd_span *bytes, const char *name, struct hd_arena *arena,
			    struct hd_metadata *metadata, struct hd_diag *diag)
{
	struct unpacking unpacking = {.bytes = *bytes, .arena = arena};
	*metadata = (struct hd_metadata){.arena = arena};
	if (check_layout(&unpacking, name, diag))
		return -1;
	metadata->edition = unpacking.edition;
	get_record(&unpacking, &hd_meta_document_record, (char *)metadata);
	if (unpacking.bytes.failed)
		return damaged(diag, name, "%s: %s", unpacking.key, what_is_wrong(&unpacking));
	const char *expected = hd_meta_find_convention(metadata);
	if (expected)
		return damaged(diag, name, "flags: expected %s", expected);
	return unpack_names(&unpacking, name, metadata, diag);
}

int hd_meta_unpack_function(const struct hd_span *bytes, const char *name, const struct hd_metadata *document,
			    struct hd_meta_function *function, enum hd_meta_part part, struct hd_diag *diag)
{
	const struct hd_meta_record *table = &hd_meta_function_record;
	struct unpacking unpacking = {.bytes = *bytes,
				      .arena = document->arena,
				      .instructions = function->instructions,
				      .edition = document->edition};
	for (uint32_t i = 0; i < table->count && !unpacking.bytes.failed; i++)
		if (hd_meta_field_is_in(&table->fields[i], part))
			get_field(&unpacking, table, &table->fields[i], (char *)function);
	if (unpacking.bytes.failed)
		return damaged(diag, name, "%s: %s of its %s: %s", function->name, unpacking.key, unpacking.record,
			       what_is_wrong(&unpacking));
	return hd_span_left(&unpacking.bytes) ? damaged(diag, name, "%s: trailing data", function->name) : 0;
}
