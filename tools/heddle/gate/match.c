/*
 * Elements between the common beginning and end are matched by a longest common subsequence; where that table would be
 * too large, they are replaced as a whole, which is as right, only longer.
 *
 * Cost: O(n m) in the elements between, bounded.
 */
#include "tools/heddle/gate/match.h"

#include <stdlib.h>

#include "lib/arena.h"

enum { MOST_CELLS = 4 << 20 };

struct match {
	bool (*same)(const void *context, uint32_t old, uint32_t new);
	const void *context;
	struct gate_edit *edits;
	uint32_t count;
};

static bool same(const struct match *match, uint32_t old, uint32_t new)
{
	return match->same(match->context, old, new);
}

static void push(struct match *match, char kind, uint32_t old, uint32_t new)
{
	match->edits[match->count++] = (struct gate_edit){kind, old, new};
}

/* Edits for [a, a + n) and [b, b + m). length[i][j]: of the longest common subsequence of what follows i and j. */
static void match_middle(struct match *match, uint32_t a, uint32_t n, uint32_t b, uint32_t m)
{
	bool fits = ((uint64_t)n + 1) * ((uint64_t)m + 1) <= MOST_CELLS;
	uint32_t *length = fits ? hd_xcalloc(((size_t)n + 1) * (m + 1), sizeof(*length)) : NULL;
	uint32_t i, j;
#define LENGTH(i, j) length[(size_t)(i) * (m + 1) + (j)]
	for (i = fits ? n : 0; i-- > 0;)
		for (j = m; j-- > 0;) {
			uint32_t down = LENGTH(i + 1, j), right = LENGTH(i, j + 1);
			LENGTH(i, j) = same(match, a + i, b + j) ? LENGTH(i + 1, j + 1) + 1
				       : down > right		 ? down
								 : right;
		}
	i = j = 0;
	while (i < n || j < m) {
		if (fits && i < n && j < m && same(match, a + i, b + j)) {
			push(match, ' ', a + i, b + j);
			i++, j++;
		} else if (i < n && (!fits || j == m || LENGTH(i + 1, j) >= LENGTH(i, j + 1))) {
			push(match, '-', a + i, b + j);
			i++;
		} else {
			push(match, '+', a + i, b + j);
			j++;
		}
	}
#undef LENGTH
	free(length);
}

uint32_t gate_match(uint32_t n, uint32_t m, bool (*are_same)(const void *context, uint32_t old, uint32_t new),
		    const void *context, struct gate_edit *edits)
{
	struct match match = {.same = are_same, .context = context, .edits = edits};
	uint32_t head = 0, tail = 0;
	for (; head < n && head < m && same(&match, head, head); head++)
		push(&match, ' ', head, head);
	while (tail < n - head && tail < m - head && same(&match, n - 1 - tail, m - 1 - tail))
		tail++;
	match_middle(&match, head, n - head - tail, head, m - head - tail);
	for (; tail; tail--)
		push(&match, ' ', n - tail, m - tail);
	return match.count;
}
