/*
 * Byte strings by number, packed in blocks of neighbours: what a section of the kernel object consists of that is read
 * in parts. To open one costs its index; an item costs the block that it is in, once. Layout, little-endian:
 *
 *   "HDit", u8 version, u8 codec (enum hd_codec), u16 0, u32 items, u32 blocks, u32 bytes of the index, u32 of the
 * packed index; the packed index: of each block as varints its items, packed bytes and bytes, then of each item its
 * bytes; the packed blocks, to the end.
 *
 * A small section does not ask for much memory, whatever it claims: all together is at most ITEMS_MOST_BYTES and
 * ITEMS_MOST_RATIO times what is packed. Contents beyond that are not packed.
 */
#ifndef HD_LIB_OBJECT_ITEMS_H
#define HD_LIB_OBJECT_ITEMS_H

#include "lib/arena.h"
#include "lib/packed.h"
#include "lib/vec.h"

enum {
	ITEMS_VERSION = 1,
	ITEMS_HEADER_BYTES = 24,
	ITEMS_BLOCK_BYTES = 64 * 1024,
	ITEMS_MOST = 1 << 20,
	ITEMS_MOST_BYTES = 64 << 20,
	ITEMS_MOST_RATIO = 1024
};

/* Writing: all zero is empty. */
struct items_writer {
	struct hd_strbuf bytes; /* of all items; what is appended belongs to the next one */
	HD_VEC(size_t) ends;
};
/* What was appended since the last call is an item. */
void items_writer_end(struct items_writer *writer);
/* Appends the section's contents and releases the writer. 0, or -1: they are too large. */
int items_writer_finish(struct items_writer *writer, enum hd_codec codec, struct hd_strbuf *to);

/* Reading. All zero: no items. */
struct items_block {
	const uint8_t *packed;
	uint64_t packed_bytes, bytes;
	uint32_t first; /* item */
	uint8_t *data;	/* NULL: not unpacked yet */
};
struct items {
	struct hd_arena *arena; /* of everything; `packed` lives as long */
	enum hd_codec codec;
	uint32_t count, block_count;
	struct items_block *blocks;
	uint64_t *starts; /* of each item and of the end, in all items' bytes */
};
/* NULL, or what is wrong. */
const char *items_open(struct items *items, const uint8_t *bytes, uint64_t size, struct hd_arena *arena);
/* The item's bytes, which live as long as the arena and belong to the caller. NULL, or what is wrong. */
const char *items_get(struct items *items, uint32_t index, struct hd_span *span);

#endif
