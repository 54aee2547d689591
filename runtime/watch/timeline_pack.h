/*
 * Packs text that knows itself what it repeats, as a frame of zstd. Private to runtime/watch.
 */
#ifndef HD_RUNTIME_WATCH_TIMELINE_PACK_H
#define HD_RUNTIME_WATCH_TIMELINE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	HD_PACK_WINDOW = 1 << 20,  /* bytes that a match may reach back */
	HD_PACK_LEAST = 8,	   /* bytes of a match */
	HD_PACK_MATCHED = 1 << 16, /* bytes of a block's matches, and of its literals, at most: together what the format
				      allows */
	HD_PACK_MATCHES = HD_PACK_MATCHED / HD_PACK_LEAST, /* so no block has more */
};

/* `literals` new bytes and, behind them, `length` bytes as those that stand `back` before. */
struct hd_pack_match {
	uint32_t literals, length, back;
};

struct hd_pack {
	struct hd_pack_match matches[HD_PACK_MATCHES];
	uint32_t count, matched; /* of the block; bytes */
	uint32_t taken;		 /* of the block's literals: what matches have before them */
	uint64_t before;	 /* bytes of all earlier blocks */
	bool has_header, has_codes;
	struct hd_pack_tables *tables;
};

struct hd_pack *hd_pack_new(void);
void hd_pack_free(struct hd_pack *pack);
/* Writes a block of these literals, at most HD_PACK_MATCHED, and the matches since the last one. The frame begins with
 * its first block; `last` ends it. Returns whether all was written. */
bool hd_pack_block(struct hd_pack *pack, const char *literals, size_t count, bool last, FILE *to);

#endif
