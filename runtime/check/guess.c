/*
 * --check=race: a thread reads a word as it is, makes something of it and gives it to a compare-and-swap, which looks
 * whether the word is still what was read: the loop that CUDA's guide has for operations that are no instruction. The
 * read races with the others' atomic operations, and it does not matter what it reads. So such a race is held back
 * until the reading thread has swapped, or the kernel has ended; and what has been read so is forgotten with the swap.
 *
 * Cost: nothing without such a race; then a walk over those that are held, for each compare-and-swap.
 */
#include <stdlib.h>

#include "runtime/check/state.h"
#include "runtime/sm/sm.h"

enum { MOST_HELD = 4096 }; /* on an SM: what comes when all are taken is told at once */

/* Where a block's are held: on its SM, but where who swaps may be a block on another one. */
static struct hd_sm_check *holder(struct hd_check *check, const struct hd_cta *cta)
{
	bool together = cta->cluster || check->kinds & HD_CHECK_RACE_GLOBAL;
	return &check->sms[together ? 0 : cta->sm->id];
}

bool hd_guess_hold(struct hd_check *check, const struct hd_cta *cta, const struct hd_finding *finding,
		   const struct hd_guess *guess)
{
	struct hd_sm_check *sm = holder(check, cta);
	if (sm->guesses.len == MOST_HELD)
		return false;
	for (uint32_t i = 0; i < sm->guesses.len; i++) {
		struct hd_guess *held = &sm->guesses.data[i];
		if (held->word == guess->word && held->space == guess->space && held->block == guess->block &&
		    held->thread == guess->thread && held->finding.pc == finding->pc &&
		    held->finding.other_pc == finding->other_pc) {
			held->finding.count++;
			return true;
		}
	}
	hd_vec_push(&sm->guesses, *guess);
	struct hd_guess *held = &sm->guesses.data[sm->guesses.len - 1];
	held->finding = *finding;
	held->finding.count = 1;
	held->cycle = hd_check_cycle(cta->sm);
	held->sm = cta->sm->id;
	return true;
}

static void forget_reads(struct hd_word_check *word, uint32_t block, uint32_t thread)
{
	uint32_t from, to;
	hd_kept_of_warp(&word->reads, block, thread / HD_WARP_LANES, &from, &to);
	struct hd_kept_access *data = hd_kept_data(&word->reads);
	for (uint32_t i = from; i < to; i++)
		if (!data[i].strong)
			data[i].lanes &= ~(1u << thread % HD_WARP_LANES);
	hd_kept_tidy(&word->reads, from, to);
}

void hd_guess_swapped(struct hd_check *check, const struct hd_cta *cta, struct hd_word_check *word,
		      const struct hd_guess *guess)
{
	struct hd_sm_check *sm = holder(check, cta);
	uint32_t kept = 0;
	forget_reads(word, guess->block, guess->thread);
	for (uint32_t i = 0; i < sm->guesses.len; i++) {
		const struct hd_guess *held = &sm->guesses.data[i];
		if (held->word != guess->word || held->space != guess->space || held->block != guess->block ||
		    held->thread != guess->thread)
			sm->guesses.data[kept++] = *held;
	}
	sm->guesses.len = kept;
}

void hd_guess_void(struct hd_check *check, uint64_t end)
{
	for (uint32_t id = 0; id < check->gpu->sm_count; id++) {
		struct hd_sm_check *sm = &check->sms[id];
		while (sm->guesses.len && sm->guesses.data[sm->guesses.len - 1].cycle >= end)
			sm->guesses.len--;
	}
}

void hd_guess_moved(struct hd_check *check, const struct hd_cta *from, const struct hd_cta *to)
{
	struct hd_sm_check *old = holder(check, from), *new = holder(check, to);
	uint32_t kept = 0;
	if (old == new)
		return;
	for (uint32_t i = 0; i < old->guesses.len; i++) {
		const struct hd_guess *held = &old->guesses.data[i];
		if (held->block == to->linear)
			hd_vec_push(&new->guesses, *held);
		else
			old->guesses.data[kept++] = *held;
	}
	old->guesses.len = kept;
}

static int compare(const void *a, const void *b)
{
	const struct hd_guess *one = a, *other = b;
	if (one->cycle != other->cycle)
		return one->cycle < other->cycle ? -1 : 1;
	if (one->sm != other->sm)
		return one->sm < other->sm ? -1 : 1;
	return one->number < other->number ? -1 : 1;
}

void hd_guess_end(struct hd_check *check)
{
	HD_VEC(struct hd_guess) all = {0};
	for (uint32_t id = 0; id < check->gpu->sm_count; id++) {
		struct hd_sm_check *sm = &check->sms[id];
		for (uint32_t i = 0; i < sm->guesses.len; i++) {
			sm->guesses.data[i].number = all.len;
			hd_vec_push(&all, sm->guesses.data[i]);
		}
		sm->guesses.len = 0;
	}
	if (all.len)
		qsort(all.data, all.len, sizeof(*all.data), compare);
	for (uint32_t i = 0; i < all.len; i++)
		hd_check_found_at(check, &all.data[i].finding);
	hd_vec_release(&all);
}
