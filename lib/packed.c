/*
 * Packing with zstd or zlib, and the numbers of variable length. Both libraries check their own frames; how much memory
 * a frame may ask for is bounded here, by what its length can hold at most.
 */
#include "lib/packed.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "lib/arena.h"
#include "lib/store.h"

enum {
	/* Levels from which on objects get no smaller by more than a hundredth. */
	ZSTD_LEVEL = 9,
	ZLIB_LEVEL = 9,
	/* A block of zstd takes three bytes of header and one of content at least, and gives 128 KiB at most. */
	ZSTD_LEAST_BLOCK = 4,
	/* Deflate: 258 bytes for two bits. */
	ZLIB_MOST_RATIO = 1032,
};

const char *hd_codec_name(unsigned codec)
{
	static const char *const names[] = {
#define X(name, number, text) [number] = text,
		HD_CODEC_LIST(X)
#undef X
	};
	return codec < HD_CODECS ? names[codec] : NULL;
}

static size_t pack_zstd(void *to, size_t room, const void *bytes, size_t size)
{
	size_t written = ZSTD_compress(to, room, bytes, size, ZSTD_LEVEL);
	return ZSTD_isError(written) ? 0 : written;
}

static size_t pack_zlib(void *to, size_t room, const void *bytes, size_t size)
{
	uLongf written = room;
	return compress2(to, &written, bytes, size, ZLIB_LEVEL) == Z_OK ? written : 0;
}

int hd_packed_append(struct hd_strbuf *to, enum hd_codec codec, const void *bytes, size_t size)
{
	if (codec == HD_CODEC_NONE) {
		hd_strbuf_append_bytes(to, size ? bytes : "", size);
		return 0;
	}
	size_t room = codec == HD_CODEC_ZSTD ? ZSTD_compressBound(size) : compressBound(size);
	void *packed = hd_xmalloc(room);
	size_t written = (codec == HD_CODEC_ZSTD ? pack_zstd : pack_zlib)(packed, room, size ? bytes : "", size);
	hd_strbuf_append_bytes(to, packed, written);
	free(packed);
	return written ? 0 : -1;
}

uint64_t hd_packed_most(enum hd_codec codec, uint64_t packed)
{
	if (codec == HD_CODEC_NONE)
		return packed;
	return codec == HD_CODEC_ZSTD ? (packed / ZSTD_LEAST_BLOCK + 1) * ZSTD_BLOCKSIZE_MAX : packed * ZLIB_MOST_RATIO;
}

int hd_packed_read(enum hd_codec codec, const uint8_t *packed, size_t packed_size, uint8_t *bytes, size_t size)
{
	/* The libraries' own memory is no state of the simulator. */
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	uLongf got = size;
	switch (codec) {
	case HD_CODEC_NONE:
		if (packed_size != size)
			return -1;
		if (size)
			memcpy(bytes, packed, size);
		return 0;
	case HD_CODEC_ZLIB: return uncompress(bytes, &got, packed, packed_size) == Z_OK && got == size ? 0 : -1;
	case HD_CODEC_ZSTD: return ZSTD_decompress(bytes, size, packed, packed_size) == size ? 0 : -1;
	case HD_CODECS: break;
	}
	return -1;
}

/* ------------------------------------------------------------------ numbers */

void hd_varint_append(struct hd_strbuf *to, uint64_t value)
{
	uint8_t bytes[10];
	size_t count = 0;
	for (; value >= 0x80; value >>= 7)
		bytes[count++] = (uint8_t)(value | 0x80);
	bytes[count++] = (uint8_t)value;
	hd_strbuf_append_bytes(to, bytes, count);
}

const char *hd_span_text(struct hd_span *span)
{
	const uint8_t *start = span->at, *end = memchr(start, '\0', hd_span_left(span));
	if (!end) {
		hd_span_fail(span);
		return "";
	}
	span->at = end + 1;
	return (const char *)start;
}
