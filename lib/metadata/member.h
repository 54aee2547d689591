/*
 * Members of records as the tables describe them: what the writers take out and the readers put in.
 */
#ifndef HD_LIB_METADATA_MEMBER_H
#define HD_LIB_METADATA_MEMBER_H

#include <string.h>

#include "lib/metadata/fields.h"

static inline const void *hd_member_pointer(const void *member)
{
	const void *pointer;
	memcpy(&pointer, member, sizeof(pointer));
	return pointer;
}

static inline void hd_member_set_pointer(void *member, const void *pointer)
{
	memcpy(member, &pointer, sizeof(pointer));
}

static inline uint32_t hd_member_count(const struct hd_meta_field *field, const char *record)
{
	uint32_t count;
	memcpy(&count, record + field->other, sizeof(count));
	return count;
}

static inline void hd_member_set_count(const struct hd_meta_field *field, char *record, uint32_t count)
{
	memcpy(record + field->other, &count, sizeof(count));
}

static inline int64_t hd_member_integer(const struct hd_meta_field *field, const void *member)
{
	switch (field->bytes) {
	case 1: return *(const uint8_t *)member;
	case 4: return field->is_signed ? (int64_t)*(const int32_t *)member : (int64_t)*(const uint32_t *)member;
	default: return *(const int64_t *)member;
	}
}

static inline void hd_member_set_integer(const struct hd_meta_field *field, void *member, int64_t value)
{
	if (field->bytes == 1)
		*(uint8_t *)member = (uint8_t)value;
	else if (field->bytes == 4)
		*(uint32_t *)member = (uint32_t)value;
	else
		*(int64_t *)member = value;
}

static inline bool hd_member_is_null(const struct hd_meta_field *field, const char *record)
{
	const char *member = record + field->at;
	switch (field->null) {
	case HD_META_NEVER_NULL: break;
	case HD_META_NULL_UNKNOWN: return !*(const bool *)(record + field->other);
	case HD_META_NULL_VALUE: return hd_member_integer(field, member) == field->none;
	case HD_META_NULL_ZERO: return !((const uint32_t *)(const void *)member)[field->length - 1];
	case HD_META_NULL_POINTER: return !hd_member_pointer(member);
	}
	return false;
}

/* In a zeroed record: pointers, texts and numbers that are null stay so. */
static inline void hd_member_set_null(const struct hd_meta_field *field, char *record, bool null)
{
	if (field->null == HD_META_NULL_UNKNOWN)
		*(bool *)(record + field->other) = !null;
	if (null && field->null == HD_META_NULL_VALUE)
		hd_member_set_integer(field, record + field->at, field->none);
}

#endif
