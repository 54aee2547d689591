/*
 * --check=race: a thread reads a word as it is, makes something of it and gives it to a compare-and-swap, which looks
 * whether the word is still what was read: the loop that CUDA's guide has for operations that are no instruction. The
 * read races with the others' atomic operations, and it does not matter what it reads. So such a race is held back
 * until the reading thread has swapped, or the kernel has ended; and what has been read so is forgotten with the swap.
 *
 * Cost: nothing without such a race; then a walk over those that are held, for each compare-and-swap.
 */
#include "runtime/check/state.h"

enum { MOST_HELD = 4096 }; /* what comes when all are taken is told at once */

bool hd_guess_hold(struct hd_check *check, const struct hd_finding *finding, const struct hd_guess *guess)
{
	if (check->guesses.len == MOST_HELD)
		return false;
	for (uint32_t i = 0; i < check->guesses.len; i++) {
		struct hd_guess *held = &check->guesses.data[i];
		if (held->word == guess->word && held->space == guess->space && held->block == guess->block &&
		    held->thread == guess->thread && held->finding.pc == finding->pc &&
		    held->finding.other_pc == finding->other_pc) {
			held->finding.count++;
			return true;
		}
	}
	hd_vec_push(&check->guesses, *guess);
	struct hd_guess *held = &check->guesses.data[check->guesses.len - 1];
	held->finding = *finding;
	held->finding.count = 1;
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

void hd_guess_swapped(struct hd_check *check, struct hd_word_check *word, const struct hd_guess *guess)
{
	uint32_t kept = 0;
	forget_reads(word, guess->block, guess->thread);
	for (uint32_t i = 0; i < check->guesses.len; i++) {
		const struct hd_guess *held = &check->guesses.data[i];
		if (held->word != guess->word || held->space != guess->space || held->block != guess->block ||
		    held->thread != guess->thread)
			check->guesses.data[kept++] = *held;
	}
	check->guesses.len = kept;
}

void hd_guess_end(struct hd_check *check)
{
	for (uint32_t i = 0; i < check->guesses.len; i++)
		hd_check_found_at(check, check->guesses.data[i].finding);
	check->guesses.len = 0;
}
