/*
 * Gives physical registers to live intervals. Intervals are taken in the strategy's order;
 * each gets the lowest register (aligned pair, quad) that is free over all its segments,
 * a copy partner's register first where that does not raise the register count. At the cap
 * it takes the place of cheaper intervals or is spilled itself.
 *
 * Needs the intervals, weights and hints of regalloc.c. Cost: intervals x registers tried x
 * log(claims). Interval unions as in linear scan with holes (Wimmer and Franz, CGO 2010) and
 * eviction by spill weight.
 */
#include <assert.h>
#include <math.h>

#include "passes/regalloc/regalloc.h"

#define REST 8u /* instructions after which a memory instruction has read its operands in any case */

struct entry {
	uint32_t vreg, words, start, length;
};

struct assign {
	struct hd_regalloc *allocator;
	struct hd_assignment *result;
	enum hd_strategy strategy;
	struct hd_track *tracks;
	HD_VEC(uint32_t) work;	/* stack: next at the end */
	HD_VEC(uint32_t) evict; /* scratch */
	uint32_t high;		/* registers in use so far, or certain to be */
	bool has_wide;
};

static bool is_pred(const struct assign *assign, uint32_t vreg)
{
	return assign->allocator->func->vregs.data[vreg].words == 0;
}

/* ---- order ---- */

static struct entry describe(const struct hd_regalloc *allocator, uint32_t vreg)
{
	struct entry entry = {vreg, hd_regalloc_words(allocator, vreg), UINT32_MAX, 0};
	uint32_t word = allocator->intervals.live.base[vreg];
	for (uint32_t i = 0; i < entry.words; i++) {
		const struct hd_segment *segments;
		uint32_t count = hd_regalloc_segments(allocator, word + i, &segments);
		if (count && segments[0].start < entry.start)
			entry.start = segments[0].start;
		for (uint32_t k = 0; k < count; k++)
			entry.length += segments[k].end - segments[k].start;
	}
	return entry;
}

static int by_start(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->words != b->words)
		return a->words > b->words ? -1 : 1;
	return a->vreg < b->vreg ? -1 : a->vreg > b->vreg;
}

static int wide_first(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	if (a->words != b->words)
		return a->words > b->words ? -1 : 1;
	return by_start(left, right);
}

static int long_first(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	return by_start(left, right);
}

static void fill_work(struct assign *assign)
{
	static int (*const compare[HD_STRATEGY_COUNT])(const void *, const void *) = {by_start, wide_first, long_first};
	HD_VEC(struct entry) entries = {0};
	uint32_t count = assign->allocator->func->vregs.len;
	for (uint32_t vreg = 0; vreg < count; vreg++) {
		struct entry entry = describe(assign->allocator, vreg);
		assign->has_wide |= entry.length && entry.words > 1;
		if (entry.length)
			hd_vec_push(&entries, entry);
	}
	if (entries.len)
		qsort(entries.data, entries.len, sizeof(struct entry), compare[assign->strategy]);
	for (uint32_t i = entries.len; i-- > 0;)
		hd_vec_push(&assign->work, entries.data[i].vreg);
	hd_vec_release(&entries);
}

/* ---- places ---- */

static bool fits(const struct assign *assign, uint32_t vreg, uint32_t base)
{
	const struct hd_regalloc *allocator = assign->allocator;
	uint32_t word = allocator->intervals.live.base[vreg], words = hd_regalloc_words(allocator, vreg);
	for (uint32_t i = 0; i < words; i++) {
		const struct hd_segment *segments;
		uint32_t count = hd_regalloc_segments(allocator, word + i, &segments);
		if (!hd_track_is_free(&assign->tracks[base + i], segments, count))
			return false;
	}
	return true;
}

static void place(struct assign *assign, uint32_t vreg, uint32_t base)
{
	const struct hd_regalloc *allocator = assign->allocator;
	uint32_t word = allocator->intervals.live.base[vreg], words = hd_regalloc_words(allocator, vreg);
	for (uint32_t i = 0; i < words; i++) {
		const struct hd_segment *segments;
		uint32_t count = hd_regalloc_segments(allocator, word + i, &segments);
		hd_track_claim(&assign->tracks[base + i], segments, count, vreg);
		if (count && base < HD_RZ && base + i + 1 > assign->high)
			assign->high = base + i + 1;
	}
	assign->result->reg[vreg] = base;
}

static void displace(struct assign *assign, uint32_t vreg)
{
	const struct hd_regalloc *allocator = assign->allocator;
	uint32_t word = allocator->intervals.live.base[vreg], words = hd_regalloc_words(allocator, vreg);
	for (uint32_t i = 0; i < words; i++) {
		const struct hd_segment *segments;
		uint32_t count = hd_regalloc_segments(allocator, word + i, &segments);
		hd_track_drop(&assign->tracks[assign->result->reg[vreg] + i], segments, count);
	}
	assign->result->reg[vreg] = HD_NO_REG;
}

static uint32_t first_base(const struct assign *assign, uint32_t vreg)
{
	return is_pred(assign, vreg) ? HD_MREG_PRED : 0;
}

static uint32_t end_base(const struct assign *assign, uint32_t vreg)
{
	return is_pred(assign, vreg) ? HD_MREG_PT : assign->allocator->cap;
}

/* Registers that arguments and results use are in use anyway. */
static uint32_t fixed_high(const struct hd_regalloc *allocator)
{
	uint32_t high = 0;
	for (uint32_t i = 0; i < allocator->intervals.fixed.len; i++) {
		uint32_t reg = allocator->intervals.fixed.data[i].reg;
		if (reg < HD_RZ && reg + 1 > high)
			high = reg + 1;
	}
	return high;
}

/* Registers that are in use anyway: a hint inside them costs nothing. */
static bool is_hint_cheap(const struct assign *assign, uint32_t vreg, uint32_t base, uint32_t words)
{
	if (is_pred(assign, vreg))
		return base >= HD_MREG_PRED && base < HD_MREG_PT;
	uint32_t limit = assign->high > assign->allocator->bound ? assign->high : assign->allocator->bound;
	const struct hd_mfunc *func = assign->allocator->func;
	bool pushes = !func->kernel && hd_abi_is_saved(func->abi, base) && base + words > assign->high;
	return base + words <= limit && base + words <= assign->allocator->cap && !pushes;
}

static uint32_t hinted(const struct assign *assign, uint32_t vreg)
{
	const struct hd_regalloc *allocator = assign->allocator;
	uint32_t words = hd_regalloc_words(allocator, vreg);
	for (uint32_t i = allocator->hint_start[vreg]; i < allocator->hint_start[vreg + 1]; i++) {
		const struct hd_hint *hint = &allocator->hints[i];
		uint32_t partner = hint->reg;
		if (hd_mreg_is_virtual(partner))
			partner = assign->result->reg[partner - HD_MREG_VIRTUAL];
		if (partner == HD_NO_REG)
			continue;
		int64_t base = (int64_t)partner + hint->shift;
		if (base < 0 || base % hd_register_alignment(words) ||
		    !is_hint_cheap(assign, vreg, (uint32_t)base, words))
			continue;
		if (fits(assign, vreg, (uint32_t)base))
			return (uint32_t)base;
	}
	return HD_NO_REG;
}

/* Whether the other half of the pair is taken where the interval begins: then a single fills a hole. */
static bool is_hole(const struct assign *assign, uint32_t vreg, uint32_t base)
{
	const struct hd_segment *segments;
	const struct hd_regalloc *allocator = assign->allocator;
	if (!hd_regalloc_segments(allocator, allocator->intervals.live.base[vreg], &segments))
		return true;
	const struct hd_track *track = &assign->tracks[base ^ 1];
	return hd_track_meet(track, 0, segments[0].start, segments[0].start + 1) < track->claims.len;
}

/*
 * Whether a word of the register was last read by a memory instruction shortly before: such an instruction reads its
 * operands late, and the next write would have to wait for it.
 */
static bool is_tired(const struct assign *assign, uint32_t vreg, uint32_t base)
{
	const struct hd_regalloc *allocator = assign->allocator;
	uint32_t word = allocator->intervals.live.base[vreg], words = hd_regalloc_words(allocator, vreg);
	for (uint32_t i = 0; i < words; i++) {
		const struct hd_segment *segments;
		if (!hd_regalloc_segments(allocator, word + i, &segments))
			continue;
		const struct hd_track *track = &assign->tracks[base + i];
		uint32_t start = segments[0].start, at = hd_track_meet(track, 0, start, UINT32_MAX);
		if (!at || track->claims.data[at - 1].end + 2 * REST <= start)
			continue;
		uint32_t end = track->claims.data[at - 1].end;
		if (end != start && allocator->reads_late[(end - 1) / 2])
			return true;
	}
	return false;
}

/*
 * The lowest place that is rested, among the registers that cost no occupancy. Kernels that call by the convention keep
 * to what they need: their frames count in the stacks of registers.
 */
static uint32_t rested(const struct assign *assign, uint32_t vreg)
{
	const struct hd_regalloc *allocator = assign->allocator;
	uint32_t words = hd_regalloc_words(allocator, vreg), step = hd_register_alignment(words);
	bool convention = allocator->func->calls_program && !allocator->func->clobbers;
	if (is_pred(assign, vreg) || !allocator->func->kernel || convention)
		return HD_NO_REG;
	uint32_t found = HD_NO_REG, end = allocator->in_loop[vreg] ? allocator->near : allocator->free;
	uint32_t wishes = allocator->in_loop[vreg] ? allocator->wishes : end;
	for (uint32_t base = 0; base + words <= end && (found == HD_NO_REG || base < wishes); base += step) {
		bool wished =
			words > 1 || !allocator->bank[vreg] || (base & 1) == (allocator->bank[vreg] == HD_BANK_ODD);
		if ((!wished && found != HD_NO_REG) || !fits(assign, vreg, base) || is_tired(assign, vreg, base))
			continue;
		if (wished)
			return base;
		found = base;
	}
	return found;
}

static uint32_t lowest(const struct assign *assign, uint32_t vreg)
{
	uint32_t words = hd_regalloc_words(assign->allocator, vreg), end = end_base(assign, vreg);
	uint32_t found = HD_NO_REG;
	bool pack = words == 1 && assign->has_wide && !is_pred(assign, vreg) && assign->strategy == HD_BY_START;
	for (uint32_t base = first_base(assign, vreg); base + words <= end; base += hd_register_alignment(words)) {
		if (found != HD_NO_REG && base >= assign->high)
			break; /* filling a hole must not raise the count */
		if (!fits(assign, vreg, base))
			continue;
		if (!pack || is_hole(assign, vreg, base))
			return base;
		if (found == HD_NO_REG)
			found = base;
	}
	return found;
}

/* ---- at the cap ---- */

/* Greatest weight of what holds `base`; infinite when something there must stay. The owners are in assign->evict. */
static double weigh(struct assign *assign, uint32_t vreg, uint32_t base)
{
	const struct hd_regalloc *allocator = assign->allocator;
	uint32_t word = allocator->intervals.live.base[vreg], words = hd_regalloc_words(allocator, vreg);
	double limit = allocator->weight[vreg], most = 0;
	hd_vec_clear(&assign->evict);
	for (uint32_t i = 0; i < words; i++) {
		const struct hd_segment *segments;
		const struct hd_track *track = &assign->tracks[base + i];
		uint32_t count = hd_regalloc_segments(allocator, word + i, &segments), at = 0;
		for (uint32_t k = 0; k < count; k++) {
			for (at = hd_track_meet(track, 0, segments[k].start, segments[k].end);
			     at < track->claims.len && track->claims.data[at].start < segments[k].end; at++) {
				uint32_t owner = track->claims.data[at].owner;
				if (owner == HD_OWNER_FIXED || allocator->weight[owner] >= limit)
					return INFINITY;
				bool seen = false;
				for (uint32_t e = 0; e < assign->evict.len && !seen; e++)
					seen = assign->evict.data[e] == owner;
				if (seen)
					continue;
				most = fmax(most, allocator->weight[owner]);
				hd_vec_push(&assign->evict, owner);
				if (assign->evict.len > 64 + words)
					return INFINITY;
			}
		}
	}
	return most;
}

static void spill(struct assign *assign, uint32_t vreg)
{
	if (assign->allocator->pieces.data[vreg].split == HD_SPLIT_TINY ||
	    hd_mreg_is_range(assign->allocator->func, vreg)) {
		assign->result->failed = vreg;
		return;
	}
	hd_vec_push(&assign->result->spilled, vreg);
	assign->result->spill_cost += assign->allocator->cost[vreg];
}

static void make_room(struct assign *assign, uint32_t vreg)
{
	uint32_t words = hd_regalloc_words(assign->allocator, vreg), end = end_base(assign, vreg), best = HD_NO_REG;
	double least = INFINITY;
	for (uint32_t base = first_base(assign, vreg); base + words <= end; base += hd_register_alignment(words)) {
		double most = weigh(assign, vreg, base);
		if (most < least) {
			least = most;
			best = base;
		}
	}
	if (best == HD_NO_REG) {
		spill(assign, vreg);
		return;
	}
	weigh(assign, vreg, best);
	for (uint32_t i = 0; i < assign->evict.len; i++) {
		displace(assign, assign->evict.data[i]);
		hd_vec_push(&assign->work, assign->evict.data[i]);
	}
	place(assign, vreg, best);
}

void hd_regalloc_assign(struct hd_regalloc *allocator, enum hd_strategy strategy, struct hd_assignment *result)
{
	struct assign assign = {.allocator = allocator, .result = result, .strategy = strategy};
	uint32_t count = allocator->func->vregs.len;
	struct hd_track tracks[HD_MREG_VIRTUAL] = {0};
	*result = (struct hd_assignment){.failed = HD_NO_REG};
	result->reg = HD_ARENA_NEW(&allocator->arena, uint32_t, count + 1);
	for (uint32_t i = 0; i < count; i++)
		result->reg[i] = HD_NO_REG;
	for (uint32_t reg = 0; reg < HD_MREG_VIRTUAL; reg++)
		for (uint32_t i = 0; i < allocator->tracks[reg].claims.len; i++)
			hd_vec_push(&tracks[reg].claims, allocator->tracks[reg].claims.data[i]);
	assign.tracks = tracks;
	assign.high = fixed_high(allocator);
	fill_work(&assign);
	while (assign.work.len && result->failed == HD_NO_REG) {
		uint32_t vreg = hd_vec_pop(&assign.work);
		uint32_t base = hinted(&assign, vreg);
		if (base == HD_NO_REG && strategy == HD_BY_START)
			base = rested(&assign, vreg);
		if (base == HD_NO_REG)
			base = lowest(&assign, vreg);
		if (base != HD_NO_REG)
			place(&assign, vreg, base);
		else
			make_room(&assign, vreg);
	}
	result->highest = assign.high;
	for (uint32_t reg = 0; reg < HD_MREG_VIRTUAL; reg++)
		hd_vec_release(&tracks[reg].claims);
	hd_vec_release(&assign.work);
	hd_vec_release(&assign.evict);
}
