/*
 * --check=init: values that nothing has written, which a kernel copies to other memory and the host copies from there.
 * No instruction decides anything by them, but the program hands them out. What the host copies of memory that nothing
 * has written at all is the host's own affair: buffers that are filled in part are copied as a whole.
 *
 * A structure is copied with its padding. So a store counts whose bytes, and at least all of the aligned 8 bytes that
 * it is in, mean nothing: no padding of a structure is that long, unless its alignment is above 8 and it is copied by
 * less.
 *
 * Kept by 8 bytes of memory, for such stores alone. A copy of the host's costs a look-up for each of these once there
 * are any.
 */
#include "runtime/check/check.h"
#include "runtime/check/init.h"
#include "runtime/exec/devmem.h"

enum { PART = 8, MOST_PARTS = 1 << 22 }; /* more are not kept */

static const void *key_of(uint64_t at)
{
	return (const void *)(uintptr_t)(at / PART + 1);
}

static uint32_t place_of(struct hd_check *check, const struct hd_finding *finding)
{
	uint32_t i = 0;
	while (i < check->handed_by.len &&
	       (check->handed_by.data[i].pc != finding->pc || check->handed_by.data[i].other_pc != finding->other_pc ||
		check->handed_by.data[i].kernel != finding->kernel))
		i++;
	if (i == check->handed_by.len)
		hd_vec_push(&check->handed_by, *finding);
	return i;
}

void hd_handed_store(const struct hd_init *now, uint32_t lane, uint64_t at, const struct hd_origin_of *of)
{
	struct hd_check *check = now->check;
	uint64_t end = at + now->inst->access_bytes;
	if (check->handed.used >= MOST_PARTS)
		return;
	struct hd_finding finding = hd_init_finding(now, of, "is copied here, and the host copies it from there");
	hd_finding_place(&finding, now->exec->warp, lane);
	uint32_t place = place_of(check, &finding);
	for (at -= at % PART; at < end; at += PART)
		hd_map_put(&check->handed, key_of(at), place, 0);
}

void hd_handed_forget(struct hd_check *check, uint64_t from, uint64_t bytes)
{
	struct hd_map kept = {.entries = NULL};
	if (!check->handed.used)
		return;
	for (uint32_t i = 0; i < check->handed.capacity; i++) {
		const struct hd_map_entry *entry = &check->handed.entries[i];
		uint64_t at = ((uint64_t)(uintptr_t)entry->key - 1) * PART;
		if (entry->key && (at >= from + bytes || at + PART <= from))
			hd_map_put(&kept, entry->key, entry->start, 0);
	}
	hd_map_release(&check->handed);
	check->handed = kept;
}

/* Whether none of these bytes means anything. */
static bool is_empty(const struct hd_check *check, uint64_t at)
{
	return hd_fresh_mask(&check->fresh, at, 4) == HD_FULL && hd_fresh_mask(&check->fresh, at + 4, 4) == HD_FULL;
}

void hd_check_read(struct hd_check *check, uint64_t address, uint64_t bytes)
{
	uint64_t at = address - HD_DEVICE_BASE, end = at + bytes;
	if (!check->handed.used || at >= check->fresh_bytes || bytes > check->fresh_bytes - at)
		return;
	uint32_t places = hd_check_places(check);
	for (at -= at % PART; at < end; at += PART) {
		const struct hd_map_entry *entry = hd_map_get(&check->handed, key_of(at));
		if (entry && is_empty(check, at))
			hd_check_found_at(check, &check->handed_by.data[entry->start]);
	}
	if (hd_check_places(check) > places)
		hd_check_tell(check);
}

void hd_handed_release(struct hd_check *check)
{
	hd_map_release(&check->handed);
	hd_vec_release(&check->handed_by);
}
