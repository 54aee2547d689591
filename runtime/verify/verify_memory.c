/*
 * --verify of idempotence (gpu-multiprogramming-lin, 2.2.2): of a kernel whose blocks are said to be
 * restartable, no atomic operation reaches global memory, and no word is overwritten that a block of the
 * grid has read. The block that read it, run again from its start, would find something else there.
 *
 * Keeps a bit for each word of global memory that the running grid has read, in pages of 4 KiB: a 24th of
 * what it reads. A store of the same value counts: that it is the same is not what the analysis says.
 *
 * Of copies in bulk only reductions are looked at: a kernel that copies is not said to be restartable, unless it only
 * reads or only writes.
 *
 * The bits are the whole grid's: they are looked at in the order of cycles and SMs (hd_later_tell).
 */
#include "heddle/figures.h"
#include "runtime/verify/verify.h"

#include <stddef.h>

#include "heddle/opcodes.h"
#include "lib/hash.h"
#include "runtime/exec/later.h"

enum { PAGE_BITS = 12, WORD_BYTES = 4, PAGE_WORDS = (1 << PAGE_BITS) / WORD_BYTES };

struct page {
	uint64_t number;
	uint64_t words[PAGE_WORDS / 64];
};

struct hd_words_read {
	HD_VEC(struct page) pages;
	struct hd_hash_set by_number; /* indices in pages */
};

void hd_verify_forget(struct hd_verify_grid *kept)
{
	if (!kept->words)
		return;
	hd_vec_release(&kept->words->pages);
	hd_hash_set_release(&kept->words->by_number);
	free(kept->words);
	kept->words = NULL;
}

static bool is_restartable(const struct hd_grid *grid)
{
	const struct hd_meta_function *meta = grid->kernel ? grid->kernel->meta : NULL;
	return meta && meta->idempotence && meta->idempotence->why == HD_BREAK_NONE;
}

void hd_verify_remember(const struct hd_grid *grid, struct hd_verify_grid *kept)
{
	if (is_restartable(grid))
		kept->words = hd_xcalloc(1, sizeof(*kept->words));
}

static struct page *page_of(struct hd_words_read *words, uint64_t number, bool make)
{
	struct hd_hash_slot *slot;
	uint64_t hash = hd_hash_mix(0, number);
	HD_HASH_FIND(slot, &words->by_number, hash, words->pages.data[slot->id].number == number);
	if (hd_hash_found(slot))
		return &words->pages.data[slot->id];
	if (!make)
		return NULL;
	hd_hash_set_put(&words->by_number, slot, hash, words->pages.len);
	hd_vec_push(&words->pages, (struct page){.number = number});
	return &hd_vec_last(&words->pages);
}

static bool visit_word(struct hd_words_read *words, uint64_t word, bool load)
{
	struct page *page = page_of(words, word / PAGE_WORDS, load);
	uint64_t bit = UINT64_C(1) << word % 64;
	uint64_t *bits = page ? &page->words[word % PAGE_WORDS / 64] : NULL;
	bool was_read = bits && *bits & bit;
	if (load)
		*bits |= bit;
	return was_read;
}

/* A warp's access: what is looked at later, when the registers that it came from may have changed. */
struct accessed {
	struct hd_words_read *words;
	uint32_t lanes;
	uint8_t bytes;
	bool load, row;			 /* row: a word of each lane, side by side: there is one address */
	uint64_t address[HD_WARP_LANES]; /* of these lanes, one after the other */
};
_Static_assert(sizeof(struct accessed) <= HD_LATER_RECORD, "a record has room");

/* A load has them remembered; returns whether one of them was. */
static bool visit_row(struct hd_words_read *words, uint64_t first, bool load)
{
	bool was_read = false;
	for (uint64_t word = first, end = first + HD_WARP_LANES; word < end;) {
		struct page *page = page_of(words, word / PAGE_WORDS, load);
		uint64_t at = word % PAGE_WORDS, left = end - word, in = 64 - at % 64;
		uint64_t count = left < in ? left : in;
		uint64_t bits = count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
		was_read |= page && page->words[at / 64] & bits << at % 64;
		if (load)
			page->words[at / 64] |= bits << at % 64;
		word += count;
	}
	return was_read;
}

static bool check_lane(struct hd_exec *exec, const struct accessed *access, uint32_t lane, uint64_t address)
{
	uint64_t first = address / WORD_BYTES, last = (address + access->bytes - 1) / WORD_BYTES;
	for (uint64_t word = first; word <= last; word++) {
		if (!visit_word(access->words, word, access->load) || access->load)
			continue;
		HD_FAULT(exec, lane, HD_SIM_VERIFY,
			 "the word at 0x%llx is overwritten, a block has read it, and the kernel is said to be "
			 "restartable",
			 (unsigned long long)(word * WORD_BYTES));
		return false;
	}
	return true;
}

static void check_access(void *state, struct hd_exec *exec, const void *record)
{
	const struct accessed *access = record;
	uint32_t next = 0;
	(void)state;
	bool was_read = access->row && visit_row(access->words, access->address[0] / WORD_BYTES, access->load);
	if (access->row && (access->load || !was_read))
		return;
	HD_FOR_LANES (lane, access->lanes) {
		uint64_t address =
			access->row ? access->address[0] + (uint64_t)WORD_BYTES * lane : access->address[next++];
		if (!check_lane(exec, access, lane, address))
			return;
	}
}

void hd_verify_bulk(struct hd_exec *exec, const struct hd_dinst *inst)
{
	bool adds =
		inst->inst.op == HD_OP_UTMAREDG || (inst->inst.op == HD_OP_UBLKRED && HD_MODIFIER(BULK) == HD_BULK_S2G);
	if (adds && exec->mask && is_restartable(exec->warp->cta->grid))
		HD_FAULT(exec, (uint32_t)__builtin_ctz(exec->mask), HD_SIM_VERIFY,
			 "a reduction in bulk in global memory in a kernel that is said to be restartable");
}

void hd_verify_memory(struct hd_exec *exec, const struct hd_dinst *inst, struct hd_verify_grid *kept)
{
	struct hd_grid *grid = exec->warp->cta->grid;
	const struct hd_effect *effect = exec->effect;
	if (effect->space != HD_MEM_GLOBAL || !is_restartable(grid))
		return;
	if (inst->effects & HD_FX_ATOMIC) {
		if (effect->mask)
			HD_FAULT(exec, (uint32_t)__builtin_ctz(effect->mask), HD_SIM_VERIFY,
				 "an atomic operation on global memory in a kernel that is said to be restartable");
		return;
	}
	struct accessed access = {.words = kept->words,
				  .lanes = effect->mask,
				  .bytes = inst->access_bytes,
				  .load = !(inst->effects & HD_FX_STORE)};
	uint32_t count = 0;
	access.row = effect->pattern == HD_MEM_CONSECUTIVE && effect->mask == HD_FULL && access.bytes == WORD_BYTES;
	HD_FOR_LANES (lane, access.row ? 1 : effect->mask)
		access.address[count++] = effect->address[lane];
	hd_later_tell(exec, check_access, NULL, &access,
		      offsetof(struct accessed, address) + count * sizeof(access.address[0]));
}
