/*
 * Which bits of memory nothing has written (--check=init): a bit for each byte, set where some of its bits are of that
 * kind; and where only some are, which, by words. Memory is written in whole bytes but for bit fields, so words of the
 * latter kind are few.
 */
#include "runtime/check/shadow.h"

static const void *key_of(uint64_t at)
{
	return (const void *)(uintptr_t)(at / 4 + 1);
}

static bool is_set(const struct hd_fresh *fresh, uint64_t at)
{
	return fresh->bits[at / 8] >> at % 8 & 1;
}

static void set_bits(struct hd_fresh *fresh, uint64_t from, uint64_t to, bool set)
{
	uint8_t *bits = fresh->bits;
	for (uint64_t at = from; at < to; at++)
		bits[at / 8] = (uint8_t)(set ? bits[at / 8] | 1u << at % 8 : bits[at / 8] & ~(1u << at % 8));
}

bool hd_fresh_any(const struct hd_fresh *fresh, uint64_t at, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		if (is_set(fresh, at + i))
			return true;
	return false;
}

uint32_t hd_fresh_mask(const struct hd_fresh *fresh, uint64_t at, uint32_t bytes)
{
	uint32_t mask = 0;
	for (uint32_t i = 0; i < bytes; i++)
		mask |= is_set(fresh, at + i) ? 0xffu << 8 * i : 0;
	if (mask && fresh->partial.used) {
		const struct hd_map_entry *entry = hd_map_get(&fresh->partial, key_of(at));
		mask &= entry ? entry->start >> 8 * (at % 4) : HD_FULL;
	}
	return mask;
}

static bool is_whole(uint32_t mask, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		if ((mask >> 8 * i & 0xff) != 0xff && mask >> 8 * i & 0xff)
			return false;
	return true;
}

/* The bits of these bytes among the partial ones of their word. */
static void put_partial(struct hd_fresh *fresh, uint64_t at, uint32_t bytes, uint32_t mask)
{
	const struct hd_map_entry *entry = fresh->partial.used ? hd_map_get(&fresh->partial, key_of(at)) : NULL;
	if (!entry && is_whole(mask, bytes))
		return;
	uint32_t of_bytes = bytes < 4 ? (1u << 8 * bytes) - 1 : HD_FULL, shift = 8 * (uint32_t)(at % 4);
	uint32_t bits = entry ? entry->start : HD_FULL;
	bits = (bits & ~(of_bytes << shift)) | (mask & of_bytes) << shift;
	hd_map_put(&fresh->partial, key_of(at), bits, 0);
}

void hd_fresh_put(struct hd_fresh *fresh, uint64_t at, uint32_t bytes, uint32_t mask)
{
	if (mask)
		put_partial(fresh, at, bytes, mask);
	for (uint32_t i = 0; i < bytes; i++)
		set_bits(fresh, at + i, at + i + 1, mask >> 8 * i & 0xff);
}

/* Nothing is known any more of words of which only some bits were written. */
static void forget_partial(struct hd_fresh *fresh, uint64_t from, uint64_t bytes)
{
	struct hd_map *map = &fresh->partial;
	for (uint32_t i = 0; i < (map->used ? map->capacity : 0); i++) {
		uint64_t at = ((uint64_t)(uintptr_t)map->entries[i].key - 1) * 4;
		if (!map->entries[i].key)
			continue;
		for (uint32_t byte = 0; byte < 4; byte++)
			if (at + byte - from < bytes)
				map->entries[i].start |= 0xffu << 8 * byte;
	}
}

void hd_fresh_set(struct hd_fresh *fresh, uint64_t from, uint64_t bytes, bool set)
{
	uint64_t to = from + bytes, first = (from + 7) / 8, last = to / 8;
	if (set)
		forget_partial(fresh, from, bytes);
	if (first >= last) {
		set_bits(fresh, from, to, set);
		return;
	}
	set_bits(fresh, from, first * 8, set);
	memset(fresh->bits + first, set ? 0xff : 0, last - first);
	set_bits(fresh, last * 8, to, set);
}
