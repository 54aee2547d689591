/*
 * Hashing: the one function that mixes what is hashed, the hash of texts, and a set of ids that are found by hash and
 * by an equality of the caller's. The members stand in an array of the caller's; the set only finds them, and is never
 * iterated, so that nothing depends on where a hash puts them.
 */
#ifndef HD_LIB_HASH_H
#define HD_LIB_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/arena.h"

/* Takes a value into a hash. 0x9e37... is 2^64 / golden ratio: it spreads the bits, upwards above all. */
static inline uint64_t hd_hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* FNV-1a of 64 bits, for names that outlive the process: begin with HD_HASH_TEXT. */
#define HD_HASH_TEXT UINT64_C(0xcbf29ce484222325)
static inline uint64_t hd_hash_byte(uint64_t hash, uint8_t byte)
{
	return (hash ^ byte) * UINT64_C(0x100000001b3);
}
uint64_t hd_hash_text(uint64_t hash, const char *text);
/* Of `length` characters the same as of a text of that length. */
uint64_t hd_hash_bytes(uint64_t hash, const char *bytes, size_t length);

struct hd_hash_slot {
	uint32_t mark; /* upper half of the member's hash; 0: the slot is free */
	uint32_t id;
};

/* Open addressing. All zero, but for `arena`, is an empty set. */
struct hd_hash_set {
	struct hd_hash_slot *slots;
	uint32_t used, size;	/* size: 0 or a power of two */
	struct hd_arena *arena; /* of the slots; NULL: the heap */
};

/* Makes room for `count` members. */
void hd_hash_set_reserve(struct hd_hash_set *set, uint32_t count);
void hd_hash_set_release(struct hd_hash_set *set);

static inline uint32_t hd_hash_mark(uint64_t hash)
{
	uint32_t mark = (uint32_t)(hash >> 32);
	return mark ? mark : 1;
}

/*
 * Makes room for one more member and lets `slot`, a struct hd_hash_slot *, point to that of a member with the hash for
 * which `same` holds, an expression with slot->id in it; or to the free slot where such a member belongs.
 */
#define HD_HASH_FIND(slot, set, hash, same)                                                            \
	do {                                                                                           \
		struct hd_hash_set *hd_set_ = (set);                                                   \
		if (2 * (hd_set_->used + 1) > hd_set_->size)                                           \
			hd_hash_set_reserve(hd_set_, hd_set_->used + 1);                               \
		uint32_t hd_mark_ = hd_hash_mark(hash), hd_mask_ = hd_set_->size - 1, hd_at_ = hd_mark_; \
		for (;; hd_at_++) {                                                                    \
			(slot) = &hd_set_->slots[hd_at_ & hd_mask_];                                   \
			if (!(slot)->mark || ((slot)->mark == hd_mark_ && (same)))                     \
				break;                                                                 \
		}                                                                                      \
	} while (0)

/* Whether HD_HASH_FIND found a member. */
static inline bool hd_hash_found(const struct hd_hash_slot *slot)
{
	return slot->mark;
}

/* Puts a member into the free slot that HD_HASH_FIND gave for its hash, with nothing added to the set since. */
static inline void hd_hash_set_put(struct hd_hash_set *set, struct hd_hash_slot *slot, uint64_t hash, uint32_t id)
{
	*slot = (struct hd_hash_slot){hd_hash_mark(hash), id};
	set->used++;
}

#endif
