/*
 * The cache table of a caching collector unit: look-up, replacement and writes (malekeh 3.2, 4.1, 4.2).
 *
 * What the paper leaves open: entries that hits need are not replaced by misses of the same instruction; free entries
 * come first; a far value among several is taken by a generator of the unit's own. A result that is not kept, or only
 * by some lanes, drops an older value of its register, since that would be read otherwise. So does one that comes while
 * an instruction holds the register locked: that keeps what it has, and nobody after it finds it.
 *
 * Cost: O(entries) an operand.
 */
#include "runtime/policy/malekeh/ccu.h"

#include <string.h>

enum { TAG_BITS = 8, LOCK_BITS = 1, NEAR_BITS = 1 };

void hd_ccu_init(struct hd_ccu *unit, uint32_t entries, uint64_t seed)
{
	memset(unit, 0, sizeof *unit);
	unit->entry_count = entries;
	unit->random = seed;
	for (uint32_t i = 0; i < entries; i++)
		unit->entries[i].lru = (uint8_t)i;
}

void hd_ccu_flush(struct hd_ccu *unit)
{
	for (uint32_t i = 0; i < unit->entry_count; i++)
		unit->entries[i].valid = false;
}

uint32_t hd_ccu_find(const struct hd_ccu *unit, uint8_t reg)
{
	for (uint32_t i = 0; i < unit->entry_count; i++)
		if (unit->entries[i].valid && unit->entries[i].reg == reg)
			return i;
	return HD_CCU_NONE;
}

static bool is_near(const struct hd_ccu *unit, const struct hd_ccu_entry *entry)
{
	return unit->exact ? entry->due != HD_CCU_NEVER && entry->due < unit->now + unit->rthld : entry->near;
}

bool hd_ccu_has_near(const struct hd_ccu *unit)
{
	for (uint32_t i = 0; i < unit->entry_count; i++)
		if (unit->entries[i].valid && is_near(unit, &unit->entries[i]))
			return true;
	return false;
}

static void touch(struct hd_ccu *unit, uint32_t entry)
{
	uint8_t before = unit->entries[entry].lru;
	for (uint32_t i = 0; i < unit->entry_count; i++)
		unit->entries[i].lru += unit->entries[i].lru < before;
	unit->entries[entry].lru = 0;
}

/* splitmix64: the same sequence on every machine. */
static uint64_t draw(struct hd_ccu *unit)
{
	uint64_t x = unit->random += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint32_t nth_bit(uint32_t bits, uint32_t n)
{
	while (n--)
		bits &= bits - 1;
	return (uint32_t)__builtin_ctz(bits);
}

/* Whether entry a goes rather than b, where none is far. */
static bool goes_first(const struct hd_ccu *unit, const struct hd_ccu_entry *a, const struct hd_ccu_entry *b)
{
	return unit->exact ? a->due > b->due : a->lru > b->lru;
}

/* The entry that is given up (4.1); HD_CCU_NONE: all are locked. With exact distances the one that is read last. */
static uint32_t victim_of(struct hd_ccu *unit)
{
	uint32_t far = 0, oldest = HD_CCU_NONE;
	for (uint32_t i = 0; i < unit->entry_count; i++) {
		const struct hd_ccu_entry *entry = &unit->entries[i];
		if (entry->locked)
			continue;
		if (!entry->valid)
			return i;
		far |= (uint32_t)!(entry->near || unit->exact) << i;
		if (oldest == HD_CCU_NONE || goes_first(unit, entry, &unit->entries[oldest]))
			oldest = i;
	}
	return far ? nth_bit(far, (uint32_t)(draw(unit) % (uint32_t)__builtin_popcount(far))) : oldest;
}

static uint32_t replace(struct hd_ccu *unit, uint8_t reg)
{
	uint32_t victim = victim_of(unit);
	if (victim != HD_CCU_NONE) {
		unit->entries[victim].reg = reg;
		unit->entries[victim].valid = true;
	}
	return victim;
}

static uint32_t registers_of(const struct hd_dinst *inst)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < inst->operand_count; i++)
		count += inst->operands[i].same == i;
	return count;
}

static void use(struct hd_ccu *unit, const struct hd_dinst *inst, uint32_t operand, uint32_t entry)
{
	unit->index[operand] = (uint8_t)entry;
	unit->entries[entry].locked = true;
	unit->entries[entry].near = inst->operands[operand].near;
	unit->entries[entry].due = unit->due[operand];
	touch(unit, entry);
}

uint32_t hd_ccu_take(struct hd_ccu *unit, const struct hd_dinst *inst)
{
	uint32_t misses = 0;
	bool fits = registers_of(inst) <= unit->entry_count;
	unit->hits = 0;
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		uint32_t entry = fits ? hd_ccu_find(unit, inst->operands[i].reg) : HD_CCU_NONE;
		unit->index[i] = HD_CCU_NONE;
		if (entry == HD_CCU_NONE)
			continue;
		unit->hits |= 1u << i;
		use(unit, inst, i, entry);
	}
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		uint32_t same = inst->operands[i].same;
		if (unit->hits >> i & 1)
			continue;
		misses += same == i;
		if (fits && !unit->results_only)
			use(unit, inst, i, same == i ? replace(unit, inst->operands[i].reg) : unit->index[same]);
	}
	return misses;
}

void hd_ccu_dispatch(struct hd_ccu *unit, uint64_t now)
{
	unit->dispatched = now;
	for (uint32_t i = 0; i < unit->entry_count; i++)
		unit->entries[i].locked = false;
}

enum hd_ccu_write hd_ccu_write(struct hd_ccu *unit, uint8_t reg, bool near, bool full, uint64_t now, uint32_t *entry)
{
	bool port = unit->written != now + 1;
	*entry = hd_ccu_find(unit, reg);
	bool old = *entry != HD_CCU_NONE;
	bool locked = old && unit->entries[*entry].locked;
	if (near && port && !old && full)
		*entry = replace(unit, reg);
	if (!near || !port || locked || *entry == HD_CCU_NONE) {
		if (old)
			unit->entries[*entry].valid = false;
		return old ? HD_CCU_DROPPED : HD_CCU_PASSED;
	}
	unit->written = now + 1;
	unit->entries[*entry].near = true;
	unit->entries[*entry].due = unit->result_due;
	touch(unit, *entry);
	return HD_CCU_WRITTEN;
}

static uint32_t bits_for(uint32_t values)
{
	uint32_t bits = 0;
	while (1u << bits < values)
		bits++;
	return bits;
}

uint32_t hd_ccu_extra_bits(uint32_t entries, uint32_t rows)
{
	uint32_t index = bits_for(entries);
	return entries * (TAG_BITS + LOCK_BITS + NEAR_BITS + index) + rows * index;
}
