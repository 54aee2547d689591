/*
 * Metadata to its packed form (pack.h), by the tables of fields.c. Numbers take as many bytes as they need, pcs are
 * differences, texts end in NUL; a value that may be null has a byte before it. Linear in the metadata.
 */
#include "lib/metadata/pack.h"

#include <stdlib.h>

#include "heddle/figures.h"
#include "lib/hash.h"
#include "lib/metadata/member.h"

/* ------------------------------------------------------------------ which fields */

bool hd_meta_field_is_in(const struct hd_meta_field *field, enum hd_meta_part part)
{
	bool names = !field->group && (strcmp(field->key, "name") == 0 || strcmp(field->key, "demangled") == 0);
	bool table = field->type == HD_META_PCS || field->type == HD_META_DIGITS || field->type == HD_META_OPTIONAL ||
		     (field->type == HD_META_LIST && !field->at_launch);
	return !names && table == (part == HD_META_TABLES);
}

/* What was added to the tables, in which edition, and what objects without it count as having: nothing was proven. */
static const struct {
	uint32_t edition;
	const char *group, *key;
	int64_t value;
} added[] = {
	{1, "async", "ahead_waits", 0},
	{1, "async", "serial_waits", 0},
	{1, "async", "unproven_waits", 1},
};

bool hd_meta_field_is_of(const struct hd_meta_field *field, uint32_t edition, int64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++)
		if (added[i].edition > edition && field->group && !strcmp(field->group, added[i].group) &&
		    !strcmp(field->key, added[i].key)) {
			*value = added[i].value;
			return false;
		}
	return true;
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
	for (unsigned i = 0; i < 8; i++)
		hash = hd_hash_byte(hash, (uint8_t)(number >> 8 * i));
	return hash;
}

static uint64_t hash_record(uint64_t hash, const struct hd_meta_record *table, uint32_t edition)
{
	uint32_t count = 0;
	int64_t value;
	for (uint32_t i = 0; i < table->count; i++) {
		const struct hd_meta_field *field = &table->fields[i];
		if (!hd_meta_field_is_of(field, edition, &value))
			continue;
		count++;
		hash = hd_hash_text(hash, field->group ? field->group : "");
		hash = hd_hash_text(hash_number(hash, field->type), field->key);
		hash = hash_number(hash_number(hash, field->null), field->length);
		hash = hash_number(hash_number(hash, field->is_signed), field->at_launch);
		for (const char *const *name = field->names; name && *name; name++)
			hash = hd_hash_text(hash, *name);
		hash = hd_hash_text(hash, field->digits ? field->digits : "");
		if (field->record)
			hash = hash_record(hash, field->record, edition);
	}
	return hash_number(hash, count);
}

uint64_t hd_meta_layout(uint32_t edition)
{
	uint64_t version = hash_number(HD_HASH_TEXT, HD_METADATA_VERSION);
	return hash_record(hash_record(version, &hd_meta_document_record, edition), &hd_meta_function_record, edition);
}

/* ------------------------------------------------------------------ values */

static void pack_byte(struct hd_strbuf *to, unsigned value)
{
	hd_strbuf_append_bytes(to, &(uint8_t){(uint8_t)value}, 1);
}

static void pack_text(struct hd_strbuf *to, const char *text)
{
	hd_strbuf_append_bytes(to, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void pack_texts(struct hd_strbuf *to, const char *const *texts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		pack_text(to, texts[i]);
}

static void pack_source(struct hd_strbuf *to, const struct hd_meta_source *source)
{
	pack_byte(to, source->file != NULL);
	if (!source->file)
		return;
	pack_text(to, source->file);
	hd_varint_append(to, source->line);
}

static void pack_pcs(struct hd_strbuf *to, const uint32_t *pcs, uint32_t count)
{
	hd_varint_append(to, count);
	for (uint32_t i = 0; i < count; i++)
		hd_varint_append(to, i ? pcs[i] - pcs[i - 1] : pcs[i]);
}

static void pack_integer(struct hd_strbuf *to, const struct hd_meta_field *field, const void *member)
{
	int64_t value = hd_member_integer(field, member);
	hd_varint_append(to, field->is_signed ? hd_zigzag(value) : (uint64_t)value);
}

static void pack_record(struct hd_strbuf *to, const struct hd_meta_record *table, const char *record);

static void pack_list(struct hd_strbuf *to, const struct hd_meta_field *field, const char *record)
{
	uint32_t count = hd_member_count(field, record);
	const char *records = hd_member_pointer(record + field->at);
	hd_varint_append(to, count);
	for (uint32_t i = 0; i < count; i++)
		pack_record(to, field->record, records + (size_t)field->record->bytes * i);
}

static void pack_digits(struct hd_strbuf *to, const struct hd_meta_field *field, const char *record)
{
	uint32_t count = hd_member_count(field, record);
	hd_varint_append(to, count);
	if (count)
		hd_strbuf_append_bytes(to, hd_member_pointer(record + field->at), (size_t)field->length * count);
}

static void pack_optional(struct hd_strbuf *to, const struct hd_meta_field *field, const char *record)
{
	const char *part = hd_member_pointer(record + field->at);
	pack_byte(to, part != NULL);
	if (part)
		pack_record(to, field->record, part);
}

static void pack_value(struct hd_strbuf *to, const struct hd_meta_field *field, const char *record)
{
	const void *member = record + field->at;
	switch (field->type) {
	case HD_META_INTEGER:
	case HD_META_CHOICE: pack_integer(to, field, member); break;
	case HD_META_FLAG: pack_byte(to, *(const bool *)member); break;
	case HD_META_IS_NONE: break; /* the choice says it */
	case HD_META_TEXT: pack_text(to, hd_member_pointer(member)); break;
	case HD_META_SOURCE: pack_source(to, member); break;
	case HD_META_TEXTS: pack_texts(to, member, field->length); break;
	case HD_META_TEXT_LIST:
		hd_varint_append(to, hd_member_count(field, record));
		pack_texts(to, hd_member_pointer(member), hd_member_count(field, record));
		break;
	case HD_META_NUMBERS:
		for (uint32_t i = 0; i < field->length; i++)
			hd_varint_append(to, ((const uint32_t *)member)[i]);
		break;
	case HD_META_PCS: pack_pcs(to, hd_member_pointer(member), hd_member_count(field, record)); break;
	case HD_META_REGISTERS:
		for (unsigned i = 0; i < 4; i++)
			hd_varint_append(to, ((const uint64_t *)member)[i]);
		break;
	case HD_META_PREDICATES: pack_byte(to, *(const uint8_t *)member); break;
	case HD_META_MASK: hd_varint_append(to, *(const uint64_t *)member); break;
	case HD_META_DIGITS: pack_digits(to, field, record); break;
	case HD_META_RECORD: pack_record(to, field->record, member); break;
	case HD_META_OPTIONAL: pack_optional(to, field, record); break;
	case HD_META_LIST: pack_list(to, field, record); break;
	}
}

static void pack_field(struct hd_strbuf *to, const struct hd_meta_field *field, const char *record)
{
	bool null = hd_member_is_null(field, record);
	if (field->null)
		pack_byte(to, null);
	if (!null)
		pack_value(to, field, record);
}

static void pack_record(struct hd_strbuf *to, const struct hd_meta_record *table, const char *record)
{
	for (uint32_t i = 0; i < table->count; i++)
		pack_field(to, &table->fields[i], record);
}

/* ------------------------------------------------------------------ functions, the document */

static int by_name(const void *a, const void *b)
{
	const struct hd_meta_function *const *left = a, *const *right = b;
	return strcmp((*left)->name, (*right)->name);
}

const struct hd_meta_function **hd_meta_pack_order(const struct hd_metadata *metadata, struct hd_arena *arena)
{
	const struct hd_meta_function **order =
		HD_ARENA_NEW(arena, const struct hd_meta_function *, (size_t)metadata->function_count + 1);
	for (uint32_t i = 0; i < metadata->function_count; i++)
		order[i] = &metadata->functions[i];
	qsort(order, metadata->function_count, sizeof(*order), by_name);
	return order;
}

void hd_meta_pack_document(struct hd_strbuf *to, const struct hd_metadata *metadata,
			   const struct hd_meta_function *const *functions)
{
	uint64_t layout = hd_meta_layout(HD_META_EDITION);
	for (unsigned i = 0; i < 8; i++)
		pack_byte(to, (uint8_t)(layout >> 8 * i));
	pack_record(to, &hd_meta_document_record, (const char *)metadata);
	hd_varint_append(to, metadata->function_count);
	for (uint32_t i = 0; i < metadata->function_count; i++) {
		pack_text(to, functions[i]->name);
		pack_text(to, functions[i]->demangled ? functions[i]->demangled : functions[i]->name);
		pack_byte(to, functions[i]->kernel);
	}
}

void hd_meta_pack_function(struct hd_strbuf *to, const struct hd_meta_function *function, enum hd_meta_part part)
{
	const struct hd_meta_record *table = &hd_meta_function_record;
	for (uint32_t i = 0; i < table->count; i++)
		if (hd_meta_field_is_in(&table->fields[i], part))
			pack_field(to, &table->fields[i], (const char *)function);
}
