/*
 * The events of a timeline, as its writers read them. Private to runtime/watch.
 */
#ifndef HD_RUNTIME_WATCH_TIMELINE_EVENTS_H
#define HD_RUNTIME_WATCH_TIMELINE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/vec.h"
#include "runtime/core/watch.h"
#include "runtime/watch/timeline.h"
#include "runtime/watch/timeline_pack.h"

struct hd_gpu;

enum hd_timeline_kind {
	HD_TIMELINE_ISSUE,  /* warp, pc; value: active lanes */
	HD_TIMELINE_ACCESS, /* warp, pc: its access goes to memory */
	HD_TIMELINE_WRITTEN /* warp, pc: a result of it has arrived */
};

/* An event of a warp. */
struct hd_timeline_event {
	uint64_t cycle;
	uint32_t pc, value;
	uint16_t warp;
	uint8_t kind;
};
/* Slots of a scheduler, from `cycle` on, that have one reason. */
struct hd_timeline_slots {
	uint64_t cycle, count;
	uint8_t scheduler, reason;
};
/* A block on an SM. `end` HD_NEVER: it had not ended. */
struct hd_timeline_block {
	uint64_t begin, end;
	uint64_t grid;
	uint32_t linear, warps;
	const void *cta; /* while it runs */
};
/* What a policy did (enum hd_note), and copies in bulk. */
enum { HD_TIMELINE_BULK_BEGINS = HD_NOTE_COUNT, HD_TIMELINE_BULK_LANDS };
struct hd_timeline_note {
	uint64_t cycle, value;
	uint64_t grid;
	const void *bulk;     /* while it is under way: a copy in bulk */
	uint32_t block, warp; /* UINT32_MAX: none */
	uint8_t kind;
	bool lands; /* a copy in bulk that begins, to shared memory */
};
/* Memory that the host copied or set, in no time. */
struct hd_timeline_copied {
	uint64_t cycle, bytes;
	uint8_t kind;
};
struct hd_timeline_grid {
	uint64_t id, begin, end, stream;
	uint32_t grid[3], block[3];
	char *name;
};

/* Events of an SM are in the order in which they came, which is that of cycles. */
struct hd_timeline_sm {
	HD_VEC(struct hd_timeline_event) events;
	HD_VEC(struct hd_timeline_slots) slots;
	HD_VEC(struct hd_timeline_block) blocks;
	HD_VEC(struct hd_timeline_note) notes;
	HD_VEC(struct hd_timeline_note) quotas; /* the last one of each grid */
	uint32_t warps;				/* 1 + the highest warp slot with events */
};

struct hd_timeline {
	struct hd_timeline_sm *sms;
	uint32_t sm_count, schedulers;
	HD_VEC(struct hd_timeline_grid) grids;
	HD_VEC(struct hd_timeline_copied) copies;
	const char *name;  /* of the run among others in one file; NULL: none */
	bool instructions; /* there are events of warps */
	uint64_t left_out; /* events for which there was no room */
};

/* A file on its way out, compressed where `zstd` or `pack` is there. */
struct hd_timeline_output {
	FILE *file;
	struct ZSTD_CCtx_s *zstd;
	struct hd_pack *pack; /* for writers that use hd_timeline_put_again */
	size_t length;
	bool failed;
	char bytes[1 << 16];
};
void hd_timeline_flush(struct hd_timeline_output *out);
/* A short text, which is copied with what stands behind it. */
struct hd_timeline_word {
	char bytes[16];
	uint32_t length;
};
static inline void hd_timeline_put_word(struct hd_timeline_output *out, const struct hd_timeline_word *word)
{
	if (out->length + sizeof word->bytes > sizeof(out->bytes))
		hd_timeline_flush(out);
	memcpy(out->bytes + out->length, word->bytes, sizeof word->bytes);
	out->length += word->length;
}
/* At most half of `bytes`. */
static inline void hd_timeline_put(struct hd_timeline_output *out, const void *bytes, size_t length)
{
	if (out->length + length > sizeof(out->bytes))
		hd_timeline_flush(out);
	memcpy(out->bytes + out->length, bytes, length);
	out->length += length;
}

/* Where a text has been written last. */
struct hd_timeline_place {
	uint64_t at;
	bool known;
};
/* A text that is the same each time; at most half of `bytes`. */
static inline void hd_timeline_put_again(struct hd_timeline_output *out, const char *text, uint32_t length,
					 struct hd_timeline_place *place)
{
	struct hd_pack *pack = out->pack;
	if (pack && length >= HD_PACK_LEAST) {
		uint64_t now = pack->before + pack->matched + out->length, back = now - place->at;
		bool again = place->known && back <= HD_PACK_WINDOW;
		if (again && pack->matched + length > HD_PACK_MATCHED)
			hd_timeline_flush(out);
		*place = (struct hd_timeline_place){now, true};
		if (again) {
			pack->matches[pack->count++] =
				(struct hd_pack_match){(uint32_t)out->length - pack->taken, length, (uint32_t)back};
			pack->taken = (uint32_t)out->length;
			pack->matched += length;
			return;
		}
	}
	hd_timeline_put(out, text, length);
}

/* The text of an instruction. */
void hd_timeline_text(const struct hd_gpu *gpu, uint32_t pc, char *text, size_t size);
void hd_timeline_write_perfetto(const struct hd_gpu *gpu, const struct hd_timeline *timeline,
				struct hd_timeline_output *out);
void hd_timeline_write_kanata(const struct hd_gpu *gpu, const struct hd_timeline *timeline,
			      struct hd_timeline_output *out);

#endif
