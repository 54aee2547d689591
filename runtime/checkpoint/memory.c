/*
 * What changed in device memory (memory.h): a mirror has a copy of each page that was not zero when it was
 * looked at. Pages that nobody has touched are not there in the host's file of device memory either, and are left out.
 *
 * Cost: a comparison of all that was ever written, each time.
 */
#include "runtime/checkpoint/memory.h"
#include "runtime/exec/devmem.h"

#include "lib/hash.h"

#define PAGE 4096u
#define LINE 64u

struct page {
	uint64_t address;
	bool seen;     /* by the look that is going on */
	uint8_t *data; /* PAGE bytes; NULL: zeros */
};

struct hd_mirror {
	const struct hd_devmem *memory;
	HD_VEC(struct page) pages;
	struct hd_hash_set set; /* of these, by address */
	/* of the look that is going on */
	struct hd_strbuf *changes;
	bool follows;
	uint64_t digest;
};

/* A page in changes; its lines follow. */
struct change {
	uint64_t address, lines;
	uint32_t bytes, unused;
};

static const uint8_t zeros[PAGE];

struct hd_mirror *hd_mirror_new(const struct hd_devmem *memory)
{
	struct hd_mirror *mirror = hd_xcalloc(1, sizeof *mirror);
	mirror->memory = memory;
	return mirror;
}

void hd_mirror_free(struct hd_mirror *mirror)
{
	if (!mirror)
		return;
	for (uint32_t i = 0; i < mirror->pages.len; i++)
		free(mirror->pages.data[i].data);
	hd_vec_release(&mirror->pages);
	hd_hash_set_release(&mirror->set);
	free(mirror);
}

static struct page *find(struct hd_mirror *mirror, uint64_t address)
{
	struct hd_hash_slot *slot;
	uint64_t hash = hd_hash_mix(0, address);
	HD_HASH_FIND(slot, &mirror->set, hash, mirror->pages.data[slot->id].address == address);
	if (!hd_hash_found(slot)) {
		hd_hash_set_put(&mirror->set, slot, hash, mirror->pages.len);
		hd_vec_push(&mirror->pages, (struct page){.address = address});
		return &hd_vec_last(&mirror->pages);
	}
	return &mirror->pages.data[slot->id];
}

static uint64_t digest_of(uint64_t address, const uint8_t *data, uint32_t bytes)
{
	uint64_t digest = hd_hash_mix(bytes, address);
	for (uint32_t i = 0; i < bytes; i += 8) {
		uint64_t word = 0;
		memcpy(&word, data + i, bytes - i < 8 ? bytes - i : 8);
		digest = hd_hash_mix(digest, word);
	}
	return digest;
}

static void note_change(struct hd_mirror *mirror, const struct page *page, const uint8_t *data, uint32_t bytes)
{
	const uint8_t *old = page->data ? page->data : zeros;
	struct change change = {.address = page->address, .bytes = bytes};
	for (uint32_t at = 0; at < bytes; at += LINE)
		if (memcmp(old + at, data + at, bytes - at < LINE ? bytes - at : LINE) != 0)
			change.lines |= UINT64_C(1) << at / LINE;
	hd_strbuf_append_bytes(mirror->changes, &change, sizeof change);
	for (uint64_t left = change.lines; left; left &= left - 1) {
		uint32_t at = (uint32_t)__builtin_ctzll(left) * LINE;
		hd_strbuf_append_bytes(mirror->changes, data + at, bytes - at < LINE ? bytes - at : LINE);
	}
}

static void look(void *context, uint64_t address, const void *host, uint32_t bytes)
{
	struct hd_mirror *mirror = context;
	struct page *page = find(mirror, address);
	page->seen = true;
	if (memcmp(page->data ? page->data : zeros, host, bytes) == 0)
		return;
	if (mirror->changes)
		note_change(mirror, page, host, bytes);
	if (!mirror->follows)
		return;
	if (!page->data)
		page->data = hd_xcalloc(1, PAGE);
	memcpy(page->data, host, bytes);
	mirror->digest += digest_of(address, host, bytes);
}

/* Also pages that are no longer there, which is as if they were zero: who releases memory gets zeros next time. */
static void look_at_all(struct hd_mirror *mirror)
{
	mirror->digest = 0;
	for (uint32_t i = 0; i < mirror->pages.len; i++)
		mirror->pages.data[i].seen = false;
	hd_devmem_visit(mirror->memory, look, mirror);
	for (uint32_t i = 0; i < mirror->pages.len; i++)
		if (mirror->follows && !mirror->pages.data[i].seen && mirror->pages.data[i].data)
			look(mirror, mirror->pages.data[i].address, zeros, PAGE);
}

uint64_t hd_mirror_follow(struct hd_mirror *mirror)
{
	mirror->follows = true;
	mirror->changes = NULL;
	look_at_all(mirror);
	return mirror->digest;
}

void hd_mirror_compare(struct hd_mirror *mirror, struct hd_strbuf *changes, bool follow)
{
	mirror->follows = follow;
	mirror->changes = changes;
	look_at_all(mirror);
}

int hd_mirror_put(struct hd_mirror *mirror, const void *changes, size_t bytes)
{
	const uint8_t *at = changes, *end = at + bytes;
	struct change change;
	while ((size_t)(end - at) >= sizeof change) {
		memcpy(&change, at, sizeof change);
		at += sizeof change;
		if (change.bytes > PAGE)
			return -1;
		for (; change.lines; change.lines &= change.lines - 1) {
			uint32_t from = (uint32_t)__builtin_ctzll(change.lines) * LINE;
			uint32_t count = from >= change.bytes	      ? 0
					 : change.bytes - from < LINE ? change.bytes - from
								      : LINE;
			void *to = count ? hd_devmem_page(mirror->memory, change.address + from, count) : NULL;
			if (!to || (size_t)(end - at) < count)
				return -1;
			memcpy(to, at, count);
			at += count;
		}
	}
	return at == end ? 0 : -1;
}
