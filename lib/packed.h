/*
 * Bytes in fewer bytes, by a library of the distribution, and numbers of variable length. The same bytes give the same
 * packed ones: one thread, one fixed level.
 */
#ifndef HD_LIB_PACKED_H
#define HD_LIB_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

/* How they are packed, as files name it. */
#define HD_CODEC_LIST(X) X(NONE, 0, "none") X(ZLIB, 1, "zlib") X(ZSTD, 2, "zstd")
enum hd_codec {
#define X(name, number, text) HD_CODEC_##name = number,
	HD_CODEC_LIST(X)
#undef X
		HD_CODECS
};
/* "zstd"; NULL for what is none of them. */
const char *hd_codec_name(unsigned codec);

/* Appends `size` bytes, packed. 0, or -1: out of memory. */
int hd_packed_append(struct hd_strbuf *to, enum hd_codec codec, const void *bytes, size_t size);
/* The most bytes that so many packed ones can hold, whatever they say: what bounds memory before anything is unpacked.
 */
uint64_t hd_packed_most(enum hd_codec codec, uint64_t packed);
/* Unpacks exactly `size` bytes, no more than hd_packed_most. 0, or -1: they are damaged. */
int hd_packed_read(enum hd_codec codec, const uint8_t *packed, size_t packed_size, uint8_t *bytes, size_t size);

/* ------------------------------------------------------------------ numbers */

/* Seven bits a byte, the lowest first; the top bit says that more follow. */
void hd_varint_append(struct hd_strbuf *to, uint64_t value);

static inline uint64_t hd_zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}
static inline int64_t hd_unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

/* Bytes that may be anything, read from the front. `failed`: what was asked for was not there; all answers are 0. */
struct hd_span {
	const uint8_t *at, *end;
	bool failed;
};

static inline size_t hd_span_left(const struct hd_span *span)
{
	return (size_t)(span->end - span->at);
}
/* What lies ahead can be no such thing: nothing more is read. */
static inline void hd_span_fail(struct hd_span *span)
{
	span->failed = true;
	span->at = span->end;
}
static inline uint64_t hd_span_varint(struct hd_span *span)
{
	uint64_t value = 0;
	for (unsigned shift = 0; span->at < span->end; shift += 7) {
		uint64_t byte = *span->at++;
		if (shift == 63 && byte > 1)
			break;
		value |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	hd_span_fail(span);
	return 0;
}
/* So many bytes, or NULL. */
static inline const uint8_t *hd_span_take(struct hd_span *span, uint64_t bytes)
{
	if (bytes > hd_span_left(span)) {
		hd_span_fail(span);
		return NULL;
	}
	span->at += bytes;
	return span->at - bytes;
}
/* A text with its NUL, which stays where it is; "" where there is none. */
const char *hd_span_text(struct hd_span *span);

#endif
