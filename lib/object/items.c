/*
 * Items in packed blocks (items.h). Every count and size is checked before it is used: a block says how large it is,
 * and is believed only as far as its packed bytes can hold that. Linear in what is read.
 */
#include "lib/object/items.h"

#include <stdlib.h>
#include <string.h>

#include "lib/object/layout.h"

static const char magic[] = {'H', 'D', 'i', 't'};

/* ------------------------------------------------------------------ writing */

void items_writer_end(struct items_writer *writer)
{
	hd_vec_push(&writer->ends, writer->bytes.len);
}

static size_t start_of(const struct items_writer *writer, uint32_t item)
{
	return item ? writer->ends.data[item - 1] : 0;
}

/* The item behind a block: a larger one has a block of its own. */
static uint32_t end_of_block(const struct items_writer *writer, uint32_t first)
{
	uint32_t end = first + 1;
	while (end < writer->ends.len && writer->ends.data[end] - start_of(writer, first) <= ITEMS_BLOCK_BYTES)
		end++;
	return end;
}

/* Packs the blocks and describes them in the index. */
static int pack_blocks(const struct items_writer *writer, enum hd_codec codec, struct hd_strbuf *index,
		       struct hd_strbuf *blocks, uint32_t *count)
{
	for (uint32_t first = 0, end; first < writer->ends.len; first = end, ++*count) {
		end = end_of_block(writer, first);
		size_t start = start_of(writer, first), bytes = writer->ends.data[end - 1] - start;
		size_t before = blocks->len;
		if (hd_packed_append(blocks, codec, bytes ? writer->bytes.data + start : "", bytes))
			return -1;
		hd_varint_append(index, end - first);
		hd_varint_append(index, blocks->len - before);
		hd_varint_append(index, bytes);
	}
	for (uint32_t i = 0; i < writer->ends.len; i++)
		hd_varint_append(index, writer->ends.data[i] - start_of(writer, i));
	return 0;
}

/* What a reader believes: the index, or all blocks together. */
static uint64_t most_bytes(enum hd_codec codec, uint64_t packed)
{
	uint64_t most = hd_packed_most(codec, packed), bound = ITEMS_MOST_BYTES + ITEMS_MOST_RATIO * packed;
	return codec == HD_CODEC_NONE || most < bound ? most : bound;
}

struct packed {
	struct hd_strbuf index, packed, blocks;
	uint32_t count;
};

static void release_packed(struct packed *packed)
{
	hd_strbuf_release(&packed->index);
	hd_strbuf_release(&packed->packed);
	hd_strbuf_release(&packed->blocks);
	packed->count = 0;
}

/* 1: a reader would not believe it. */
static int pack(const struct items_writer *writer, enum hd_codec codec, struct packed *packed)
{
	if (pack_blocks(writer, codec, &packed->index, &packed->blocks, &packed->count) ||
	    hd_packed_append(&packed->packed, codec, hd_strbuf_text(&packed->index), packed->index.len) ||
	    writer->ends.len > ITEMS_MOST || packed->index.len > UINT32_MAX || packed->packed.len > UINT32_MAX)
		return -1;
	return writer->bytes.len > most_bytes(codec, packed->blocks.len) ||
	       packed->index.len > most_bytes(codec, packed->packed.len);
}

int items_writer_finish(struct items_writer *writer, enum hd_codec codec, struct hd_strbuf *to)
{
	struct packed packed = {0};
	uint8_t header[ITEMS_HEADER_BYTES] = {0};
	int status = pack(writer, codec, &packed);
	if (status > 0) {
		release_packed(&packed);
		codec = HD_CODEC_NONE;
		status = pack(writer, codec, &packed);
	}
	memcpy(header, magic, sizeof magic);
	header[4] = ITEMS_VERSION;
	header[5] = (uint8_t)codec;
	put_u32(header + 8, writer->ends.len);
	put_u32(header + 12, packed.count);
	put_u32(header + 16, (uint32_t)packed.index.len);
	put_u32(header + 20, (uint32_t)packed.packed.len);
	hd_strbuf_append_bytes(to, header, sizeof header);
	hd_strbuf_append_bytes(to, hd_strbuf_text(&packed.packed), packed.packed.len);
	hd_strbuf_append_bytes(to, hd_strbuf_text(&packed.blocks), packed.blocks.len);
	release_packed(&packed);
	hd_strbuf_release(&writer->bytes);
	hd_vec_release(&writer->ends);
	return status;
}

/* ------------------------------------------------------------------ reading */

static const char *read_index(struct items *items, struct hd_span *index, struct hd_span *packed)
{
	uint64_t item = 0, bytes_left = most_bytes(items->codec, hd_span_left(packed));
	if (items->block_count > hd_span_left(index) || items->count > hd_span_left(index))
		return "more items than the index has";
	items->blocks = HD_ARENA_NEW(items->arena, struct items_block, items->block_count);
	items->starts = HD_ARENA_NEW(items->arena, uint64_t, (size_t)items->count + 1);
	for (uint32_t i = 0; i < items->block_count; i++) {
		struct items_block *block = &items->blocks[i];
		uint64_t members = hd_span_varint(index);
		block->first = (uint32_t)item;
		block->packed_bytes = hd_span_varint(index);
		block->bytes = hd_span_varint(index);
		block->packed = hd_span_take(packed, block->packed_bytes);
		if (members > items->count - item || !block->packed)
			return "a block is outside the section";
		if (block->bytes > hd_packed_most(items->codec, block->packed_bytes) || block->bytes > bytes_left)
			return "a block claims more than it can hold";
		bytes_left -= block->bytes;
		item += members;
	}
	if (item != items->count || hd_span_left(packed))
		return "the blocks are not the items";
	for (uint32_t i = 0; i < items->count; i++) {
		uint64_t bytes = hd_span_varint(index);
		if (bytes > UINT64_MAX / 2 - items->starts[i])
			return "an item without end";
		items->starts[i + 1] = items->starts[i] + bytes;
	}
	return index->failed || hd_span_left(index) ? "the index does not end where it should" : NULL;
}

static uint32_t end_of(const struct items *items, uint32_t block)
{
	return block + 1 < items->block_count ? items->blocks[block + 1].first : items->count;
}

const char *items_open(struct items *items, const uint8_t *bytes, uint64_t size, struct hd_arena *arena)
{
	*items = (struct items){.arena = arena};
	if (size < ITEMS_HEADER_BYTES || memcmp(bytes, magic, sizeof magic) != 0 || bytes[4] != ITEMS_VERSION)
		return "no header";
	if (!hd_codec_name(bytes[5]))
		return "packed in a way that this Heddle does not know";
	items->codec = (enum hd_codec)bytes[5];
	items->count = get_u32(bytes + 8);
	items->block_count = get_u32(bytes + 12);
	uint32_t index_bytes = get_u32(bytes + 16), packed_bytes = get_u32(bytes + 20);
	struct hd_span rest = {bytes + ITEMS_HEADER_BYTES, bytes + size, false};
	const uint8_t *packed = hd_span_take(&rest, packed_bytes);
	if (!packed || index_bytes > most_bytes(items->codec, packed_bytes) || items->count > ITEMS_MOST)
		return "the index is outside the section";
	uint8_t *index = hd_xmalloc((size_t)index_bytes + 1);
	const char *wrong = "the index is damaged";
	if (!hd_packed_read(items->codec, packed, packed_bytes, index, index_bytes))
		wrong = read_index(items, &(struct hd_span){index, index + index_bytes, false}, &rest);
	free(index);
	for (uint32_t i = 0; i < items->block_count && !wrong; i++)
		if (items->starts[end_of(items, i)] - items->starts[items->blocks[i].first] != items->blocks[i].bytes)
			wrong = "the items of a block are not what it holds";
	if (wrong)
		items->count = items->block_count = 0;
	return wrong;
}

const char *items_get(struct items *items, uint32_t index, struct hd_span *span)
{
	uint32_t at;
	*span = (struct hd_span){0};
	if (index >= items->count)
		return "an item is missing";
	HD_BISECT(at, 0, items->block_count, items->blocks[at].first <= index);
	struct items_block *block = &items->blocks[at - 1];
	if (!block->data) {
		uint8_t *data = hd_arena_alloc(items->arena, block->bytes + 1);
		if (hd_packed_read(items->codec, block->packed, block->packed_bytes, data, block->bytes))
			return "a block is damaged";
		block->data = data;
	}
	const uint8_t *start = block->data + (items->starts[index] - items->starts[block->first]);
	*span = (struct hd_span){start, start + (items->starts[index + 1] - items->starts[index]), false};
	return NULL;
}
