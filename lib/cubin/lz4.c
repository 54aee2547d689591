/*
 * LZ4's block format, in which nvcc packs entries of fat binaries before CUDA 12.4 and with --compress-mode=speed: runs
 * of literals and copies of what came before, each with its lengths. Cost: linear in what comes out.
 */
#include <string.h>

#include "lib/cubin/cubin.h"

enum { LENGTH_MORE = 15, LEAST_COPY = 4 };

struct stream {
	const uint8_t *at, *end;
	uint8_t *to, *start, *limit;
};

/* A length of four bits, and behind it bytes that are added until one is not 255. */
static int read_length(struct stream *stream, size_t *length)
{
	uint8_t more = 255;
	if (*length != LENGTH_MORE)
		return 0;
	while (more == 255) {
		if (stream->at == stream->end)
			return -1;
		more = *stream->at++;
		*length += more;
	}
	return 0;
}

static int copy_literals(struct stream *stream, size_t length)
{
	if (read_length(stream, &length) != 0 || length > (size_t)(stream->end - stream->at) ||
	    length > (size_t)(stream->limit - stream->to))
		return -1;
	if (length)
		memcpy(stream->to, stream->at, length);
	stream->at += length;
	stream->to += length;
	return 0;
}

/* May overlap what it writes: then it repeats. */
static int copy_earlier(struct stream *stream, size_t length)
{
	if (stream->end - stream->at < 2)
		return -1;
	size_t distance = stream->at[0] | (size_t)stream->at[1] << 8;
	stream->at += 2;
	if (read_length(stream, &length) != 0)
		return -1;
	length += LEAST_COPY;
	if (!distance || distance > (size_t)(stream->to - stream->start) ||
	    length > (size_t)(stream->limit - stream->to))
		return -1;
	for (size_t i = 0; i < length; i++, stream->to++)
		*stream->to = *(stream->to - distance);
	return 0;
}

int hd_lz4_read(const uint8_t *packed, size_t packed_size, uint8_t *bytes, size_t size)
{
	struct stream stream = {packed, packed + packed_size, bytes, bytes, bytes + size};
	while (stream.at < stream.end) {
		uint8_t token = *stream.at++;
		if (copy_literals(&stream, token >> 4) != 0)
			return -1;
		/* The last literals have no copy behind them. */
		if (stream.at == stream.end)
			break;
		if (copy_earlier(&stream, token & 15) != 0)
			return -1;
	}
	return stream.to == stream.limit ? 0 : -1;
}
