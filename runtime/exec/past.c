/*
 * Global memory as it was when a window of cycles began, for runs that are watched (runtime/gpu/window.c): their SMs
 * work cycle by cycle, and what they store takes effect at once, since who watches wants to see it. Where nobody
 * watches, stores of a window take effect at its end (later.c). A program whose blocks race would show the difference,
 * so loads that see memory as at the window's beginning there get it from here. Those that are put off there see what
 * was written before them, and that is what memory has.
 *
 * Kept are the words that were overwritten in the window. Cost: a look-up for each word that is stored, and for each
 * that is loaded once the window has stores.
 */
#include "runtime/exec/past.h"

#include "lib/arena.h"

struct old_word {
	uintptr_t place; /* in units of a word */
	uint32_t value, window;
};

struct hd_past {
	struct old_word *words; /* an open hash table */
	uint32_t used, capacity, window;
};
enum { FIRST_WORDS = 1024, WORD = 4 };

struct hd_past *hd_past_new(void)
{
	struct hd_past *past = hd_xcalloc(1, sizeof(*past));
	past->capacity = FIRST_WORDS;
	past->words = hd_xcalloc(past->capacity, sizeof(*past->words));
	past->window = 1;
	return past;
}

void hd_past_free(struct hd_past *past)
{
	if (past)
		free(past->words);
	free(past);
}

void hd_past_clear(struct hd_past *past)
{
	past->used = 0;
	past->window++;
}

/* The word's place in the table, or the free one that it would have. */
static struct old_word *find(const struct hd_past *past, uintptr_t place)
{
	uint32_t at = (uint32_t)((uint64_t)place * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (past->capacity - 1);
	while (past->words[at].window == past->window && past->words[at].place != place)
		at = (at + 1) & (past->capacity - 1);
	return &past->words[at];
}

static void grow(struct hd_past *past)
{
	struct hd_past old = *past;
	past->capacity *= 2;
	past->words = hd_xcalloc(past->capacity, sizeof(*past->words));
	for (uint32_t i = 0; i < old.capacity; i++)
		if (old.words[i].window == past->window)
			*find(past, old.words[i].place) = old.words[i];
	free(old.words);
}

static void keep(struct hd_past *past, uintptr_t host, unsigned bytes)
{
	for (uintptr_t place = host / WORD; place <= (host + bytes - 1) / WORD; place++) {
		struct old_word *word = find(past, place);
		if (word->window == past->window)
			continue;
		*word = (struct old_word){.place = place, .window = past->window};
		memcpy(&word->value, (const void *)(place * WORD), WORD);
		if (2 * ++past->used > past->capacity)
			grow(past);
	}
}

void hd_past_keep(struct hd_past *past, const struct hd_exec *exec, uintptr_t base, const uint64_t *offset,
		  unsigned bytes)
{
	HD_FOR_LANES (lane, exec->mask)
		keep(past, base + offset[lane], bytes);
}

bool hd_past_read(const struct hd_past *past, const void *host, unsigned bytes, uint8_t *out)
{
	uintptr_t first = (uintptr_t)host;
	bool changed = false;
	memcpy(out, host, bytes);
	for (uintptr_t place = first / WORD; past->used && place <= (first + bytes - 1) / WORD; place++) {
		const struct old_word *word = find(past, place);
		if (word->window != past->window)
			continue;
		changed = true;
		for (unsigned i = 0; i < WORD; i++)
			if (place * WORD + i - first < bytes)
				out[place * WORD + i - first] =
					(uint8_t)(word->value >> 8 * i); /* little-endian host */
	}
	return changed;
}

void hd_past_load(const struct hd_past *past, const struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base,
		  const uint64_t *offset)
{
	uint8_t bytes[HD_WARP_LANES][16];
	uint64_t from[HD_WARP_LANES];
	HD_FOR_LANES (lane, exec->mask) {
		hd_past_read(past, (const void *)(uintptr_t)(base + offset[lane]), inst->access_bytes, bytes[lane]);
		from[lane] = (uintptr_t)bytes[lane];
	}
	hd_exec_load_lanes(exec, inst, 0, from);
}
