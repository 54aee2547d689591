/*
 * Entries of recordings: see recording.h. The check of an entry has its place in it, so that none can be missing, twice
 * or elsewhere.
 */
#include "lib/recording.h"

#include <string.h>

#include "lib/hash.h"
#include "lib/recording_format.h"

uint64_t hd_recording_hash(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t hash = hd_hash_mix(HD_HASH_TEXT, size), word;
	for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
		memcpy(&word, at, sizeof word);
		hash = hd_hash_mix(hash, word);
	}
	if (!size)
		return hash;
	word = 0;
	memcpy(&word, at, size);
	return hd_hash_mix(hash, word);
}

uint64_t hd_recording_check(const struct hd_recording_entry *entry, uint64_t number, const void *first,
			    size_t first_bytes, const void *second, size_t second_bytes)
{
	uint64_t hash = hd_hash_mix(hd_hash_mix(HD_HASH_TEXT, entry->kind), entry->bytes);
	hash = hd_hash_mix(hash, number);
	hash = hd_hash_mix(hash, hd_recording_hash(first, first_bytes));
	return hd_hash_mix(hash, hd_recording_hash(second, second_bytes));
}

static void put(struct hd_recording_writer *writer, const void *bytes, size_t size)
{
	if (size && !writer->failed)
		writer->failed = fwrite(bytes, 1, size, writer->to) != size;
}

void hd_recording_begin(struct hd_recording_writer *writer, FILE *to)
{
	uint32_t format[] = {HD_RECORDING_FORMAT, 0};
	*writer = (struct hd_recording_writer){.to = to};
	put(writer, HD_RECORDING_MAGIC, HD_RECORDING_MAGIC_BYTES);
	put(writer, format, sizeof format);
}

void hd_recording_put(struct hd_recording_writer *writer, enum hd_recording_kind kind, const void *first,
		      size_t first_bytes, const void *second, size_t second_bytes)
{
	struct hd_recording_entry entry = {.kind = kind,
					   .first = (uint32_t)first_bytes,
					   .bytes = first_bytes + second_bytes};
	entry.check = hd_recording_check(&entry, writer->entries++, first, first_bytes, second, second_bytes);
	put(writer, &entry, sizeof entry);
	put(writer, first, first_bytes);
	put(writer, second, second_bytes);
}
