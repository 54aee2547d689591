/*
 * Allocation tables of an SM, one for registers and one for shared memory: which block has which range, first fit, and
 * which blocks have to leave for another kernel (gpu-multiprogramming-lin, 2.3.1, Figure 2.4).
 *
 * An SM gives registers warp by warp, wherever they are free, so a block of another kernel can have its place where no
 * gap is large enough for it. The table has to know of it all the same, or too few blocks would leave: it closes its
 * gaps then.
 *
 * Cost: O(entries) a block; O(entries^2) a question in the table's order, at most O(2^entries) for the fewest, over the
 * blocks of an SM, which are few; beyond FEW of them it is the table's order.
 */
#include "runtime/policy/preempt/preempt.h"

#include <string.h>

enum { FEW = 16 };

static void close_gaps(struct preempt_table *table)
{
	uint32_t start = 0;
	for (uint32_t i = 0; i < table->count; i++) {
		table->entries[i].start = start;
		start += table->entries[i].size;
	}
}

/* Before which entry the first gap of this size is, and where it begins; false: there is none. */
static bool find_gap(const struct preempt_table *table, uint32_t size, uint32_t *at, uint32_t *start)
{
	*start = 0;
	for (*at = 0; *at < table->count && table->entries[*at].start - *start < size; ++*at)
		*start = table->entries[*at].start + table->entries[*at].size;
	return table->total - *start >= size;
}

bool preempt_table_take(struct preempt_table *table, uint32_t block, uint32_t size)
{
	uint32_t start, at;
	if (table->count == PREEMPT_TABLE_ENTRIES)
		return false;
	if (!find_gap(table, size, &at, &start)) {
		close_gaps(table);
		if (!find_gap(table, size, &at, &start))
			return false;
	}
	memmove(&table->entries[at + 1], &table->entries[at], (table->count - at) * sizeof(table->entries[0]));
	table->entries[at].block = block;
	table->entries[at].start = start;
	table->entries[at].size = size;
	table->count++;
	return true;
}

void preempt_table_free(struct preempt_table *table, uint32_t block)
{
	for (uint32_t i = 0; i < table->count; i++) {
		if (table->entries[i].block != block)
			continue;
		table->count--;
		memmove(&table->entries[i], &table->entries[i + 1], (table->count - i) * sizeof(table->entries[0]));
		return;
	}
}

/* How many ranges of this size fit when the entries in `gone` have left. */
static uint32_t fitting(const struct preempt_table *table, uint64_t gone, uint32_t size)
{
	uint32_t start = 0, count = 0;
	for (uint32_t i = 0; i < table->count; i++) {
		if (gone >> i & 1)
			continue;
		count += (table->entries[i].start - start) / size;
		start = table->entries[i].start + table->entries[i].size;
	}
	return count + (table->total - start) / size;
}

static uint64_t first_in_order(const struct preempt_table *table, uint32_t count, uint32_t size)
{
	uint64_t gone = 0;
	for (uint32_t i = 0; i < table->count && fitting(table, gone, size) < count; i++)
		gone |= UINT64_C(1) << i;
	return gone;
}

static uint64_t as_few_as_possible(const struct preempt_table *table, uint32_t count, uint32_t size)
{
	uint64_t all = (UINT64_C(1) << table->count) - 1, best = all;
	for (uint64_t gone = 0; gone <= all; gone++)
		if (__builtin_popcountll(gone) < __builtin_popcountll(best) && fitting(table, gone, size) >= count)
			best = gone;
	return best;
}

uint64_t preempt_table_victims(const struct preempt_table *table, uint32_t count, uint32_t size, bool fewest)
{
	uint64_t blocks = 0, gone = 0;
	if (size && count)
		gone = fewest && table->count <= FEW ? as_few_as_possible(table, count, size)
						     : first_in_order(table, count, size);
	for (uint32_t i = 0; i < table->count; i++)
		if (gone >> i & 1)
			blocks |= UINT64_C(1) << table->entries[i].block;
	return blocks;
}
