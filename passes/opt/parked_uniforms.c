/*
 * Parks values that are the same in all lanes in uniform registers, where registers are short: R2UR behind each
 * definition, and the uniform register itself as an operand where the instruction takes one, else a MOV in front of it.
 * That costs an instruction here and there; a spilled register costs a store and loads. Registers are short
 *
 *   - where more are live than the function may have; or
 *   - where nobody has set a limit, an SM would hold few warps, and parking makes them more.
 *
 * Whole live ranges are parked, the cheapest first for the crowded instructions that they leave. A uniform register is
 * written only where all lanes are together (mir/divergence.c), so that ranges that do not meet in the code may share
 * one.
 *
 * Needs machine IR out of SSA, scheduled. Costs live intervals; and where registers are short a pass of the analysis,
 * the length of what is parked, and sorting. Switch: without=parked-uniforms
 */
#include <math.h>

#include "passes/mir/divergence.h"
#include "passes/opt/parked_uniforms.h"

/* As ptxas 13 is seen to do it on sm_75 and sm_80, with 64 to 200 sums that the lanes share. */
#define FEW_WARPS 24u	 /* of an SM, with as many or fewer it pays */
#define ENOUGH_WARPS 40u /* more are not worth the instructions */
#define SLACK 1u	 /* registers that aligned pairs leave unused */
#define MOST_ADDED 3.0	 /* instructions, each as often as the hottest that names the value: a spill costs no more */

/* ---- candidates */

static void refuse(void *context, struct hd_mreg *reg, bool is_def)
{
	const struct hd_parked_uniforms *p = context;
	struct hd_parked_candidate *candidate = hd_parked_candidate_of(p, *reg);
	(void)is_def;
	if (candidate)
		candidate->possible = false;
}

static void note_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_parked_uniforms *p = context;
	struct hd_parked_candidate *candidate = hd_parked_candidate_of(p, *reg);
	if (!candidate)
		return;
	struct hd_parked_touch touch = {p->frequency, 2 * p->index + is_def, candidate->touch, reg->words, false,
					false};
	touch.folds = !is_def && hd_parked_slot(p->inst, reg->id) != HD_SLOT_DST;
	touch.made = is_def && hd_parked_is_made(p->inst);
	hd_vec_push(&p->touches, touch);
	candidate->touch = p->touches.len;
}

static void note_inst(struct hd_parked_uniforms *p, struct hd_minst *inst)
{
	bool plain = inst->op == HD_OP_COPY || (inst->op < HD_OP_LIMIT && !inst->extra_count && !inst->linear);
	p->inst = inst;
	hd_minst_visit(p->func, inst, plain && inst->guard == HD_MREG_PT ? note_operand : refuse, p);
}

static bool is_uniform(const struct hd_parked_uniforms *p, const struct hd_mir_uniformity *known, uint32_t vreg)
{
	const struct hd_live *live = &p->intervals.live;
	for (uint32_t word = live->base[vreg]; word < live->base[vreg + 1]; word++)
		if (hd_bitset_has(&known->divergent, word))
			return false;
	return p->func->vregs.data[vreg].words > 0;
}

static bool find_candidates(struct hd_parked_uniforms *p)
{
	struct hd_mfunc *func = p->func;
	struct hd_mir_uniformity known;
	if (!hd_mfunc_uniformity(func, &p->intervals.live, &p->arena, &known))
		return false;
	p->candidates = HD_ARENA_NEW(&p->arena, struct hd_parked_candidate, func->vregs.len + 1);
	for (uint32_t vreg = 0; vreg < func->vregs.len; vreg++)
		p->candidates[vreg].possible = is_uniform(p, &known, vreg);
	for (uint32_t i = 0; i < p->intervals.order_count; i++) {
		struct hd_mblock *block = &func->blocks.data[p->intervals.order[i]];
		p->frequency = block->frequency;
		p->index = p->intervals.first[p->intervals.order[i]];
		for (uint32_t k = 0; k < block->insts.len; k++, p->index++)
			note_inst(p, &block->insts.data[k]);
	}
	for (uint32_t vreg = 0; vreg < func->vregs.len; vreg++)
		if (p->candidates[vreg].possible)
			hd_vec_push(&p->possible, vreg);
	return p->possible.len != 0;
}

/* ---- pressure */

static void find_pressure(struct hd_parked_uniforms *p)
{
	const struct hd_live_intervals *intervals = &p->intervals;
	memset(p->pressure, 0, p->positions * sizeof(*p->pressure));
	for (uint32_t vreg = 0; vreg < p->func->vregs.len; vreg++) {
		if (!p->func->vregs.data[vreg].words)
			continue;
		uint32_t first = intervals->segment_start[intervals->live.base[vreg]];
		for (uint32_t s = first; s < intervals->segment_start[intervals->live.base[vreg + 1]]; s++)
			hd_segment_spread(p->pressure, intervals->segments[s], 1);
	}
	for (uint32_t i = 0; i < intervals->fixed.len; i++)
		if (intervals->fixed.data[i].reg < HD_RZ)
			hd_segment_spread(p->pressure, intervals->fixed.data[i].segment, 1);
	for (uint32_t at = 1; at < p->positions; at++)
		p->pressure[at] += p->pressure[at - 1];
}

static uint32_t most_live(const struct hd_parked_uniforms *p)
{
	int32_t most = 0;
	for (uint32_t at = 0; at < p->positions; at++)
		most = p->pressure[at] > most ? p->pressure[at] : most;
	return (uint32_t)most;
}

/* ---- crowded places: a Fenwick tree counts them */

static void count_at(struct hd_parked_uniforms *p, uint32_t at, int32_t by)
{
	for (at++; at <= p->positions; at += at & -at)
		p->crowded[at] += by;
}

static uint32_t crowded_before(const struct hd_parked_uniforms *p, uint32_t at)
{
	int32_t count = 0;
	for (; at; at -= at & -at)
		count += p->crowded[at];
	return (uint32_t)count;
}

static uint32_t crowded_between(const struct hd_parked_uniforms *p, uint32_t start, uint32_t end)
{
	return crowded_before(p, end) - crowded_before(p, start);
}

static bool is_crowded(const struct hd_parked_uniforms *p, uint32_t at)
{
	return p->pressure[at] > (int32_t)p->limit;
}

static void count_crowded(struct hd_parked_uniforms *p, uint32_t limit)
{
	p->limit = limit;
	memset(p->crowded, 0, (p->positions + 1) * sizeof(*p->crowded));
	for (uint32_t at = 1; at <= p->positions; at++) {
		uint32_t above = at + (at & -at);
		p->crowded[at] += is_crowded(p, at - 1);
		if (above <= p->positions)
			p->crowded[above] += p->crowded[at];
	}
}

static void change_pressure(struct hd_parked_uniforms *p, uint32_t at, int32_t by)
{
	bool before = is_crowded(p, at);
	p->pressure[at] += by;
	if (is_crowded(p, at) != before)
		count_at(p, at, before ? -1 : 1);
}

/* Whether the touch keeps words in registers for a moment. */
static bool is_held(const struct hd_parked_uniforms *p, const struct hd_parked_touch *touch)
{
	return !touch->made && !(touch->folds && !p->taken[touch->position / 2]);
}

/* Words times crowded places that parking it would relieve; and the instructions that it adds, by frequency. */
static uint32_t relief(const struct hd_parked_uniforms *p, uint32_t vreg, double *cost)
{
	const struct hd_live_intervals *intervals = &p->intervals;
	uint32_t places = 0, first = intervals->segment_start[intervals->live.base[vreg]];
	double hottest = 0;
	for (uint32_t s = first; s < intervals->segment_start[intervals->live.base[vreg + 1]]; s++)
		places += crowded_between(p, intervals->segments[s].start, intervals->segments[s].end);
	*cost = 0;
	for (uint32_t t = p->candidates[vreg].touch; t && places; t = p->touches.data[t - 1].next) {
		const struct hd_parked_touch *touch = &p->touches.data[t - 1];
		hottest = fmax(hottest, touch->frequency);
		if (!is_held(p, touch))
			continue;
		uint32_t held = touch->words * is_crowded(p, touch->position);
		places -= held < places ? held : places;
		*cost += touch->frequency * touch->words;
	}
	return *cost > MOST_ADDED * hottest && p->func->uniform != HD_UNIFORM_ALWAYS ? 0 : places;
}

/* ---- choice */

/* The first uniform register from which on there is room for all its words, + 1; 0: there is none. */
static uint32_t find_place(const struct hd_parked_uniforms *p, uint32_t vreg)
{
	const struct hd_live_intervals *intervals = &p->intervals;
	uint32_t words = p->func->vregs.data[vreg].words, run = 0;
	for (uint32_t reg = 0; reg < HD_MAX_UREGS; reg++) {
		uint32_t word = intervals->live.base[vreg] + run, first = intervals->segment_start[word];
		if (hd_track_is_free(&p->tracks[reg], intervals->segments + first,
				     intervals->segment_start[word + 1] - first)) {
			if (++run == words)
				return reg + 2 - words;
		} else {
			reg -= run; /* from the next one on */
			run = 0;
		}
	}
	return 0;
}

static void park(struct hd_parked_uniforms *p, uint32_t vreg, uint32_t place)
{
	const struct hd_live_intervals *intervals = &p->intervals;
	struct hd_parked_candidate *candidate = &p->candidates[vreg];
	candidate->place = place;
	for (uint32_t i = 0; i < p->func->vregs.data[vreg].words; i++) {
		uint32_t word = intervals->live.base[vreg] + i, first = intervals->segment_start[word];
		hd_track_claim(&p->tracks[place - 1 + i], intervals->segments + first,
			       intervals->segment_start[word + 1] - first, vreg);
		for (uint32_t s = first; s < intervals->segment_start[word + 1]; s++)
			for (uint32_t at = intervals->segments[s].start; at < intervals->segments[s].end; at++)
				change_pressure(p, at, -1);
	}
	for (uint32_t t = candidate->touch; t; t = p->touches.data[t - 1].next) {
		const struct hd_parked_touch *touch = &p->touches.data[t - 1];
		if (is_held(p, touch))
			change_pressure(p, touch->position, touch->words);
		p->taken[touch->position / 2] |= touch->folds;
	}
}

/* ---- the cheapest first */

/* Cost for each word and crowded place; INFINITY: not worth it, or there are none. */
static double rate(const struct hd_parked_uniforms *p, uint32_t vreg)
{
	double cost;
	uint32_t relieved = relief(p, vreg, &cost);
	return relieved ? cost / relieved : INFINITY;
}

static bool is_before(const struct hd_parked_offer *a, const struct hd_parked_offer *b)
{
	return a->rate != b->rate ? a->rate < b->rate : a->vreg < b->vreg;
}

/* Lets the offer at `at` of a binary heap sink to its place. */
static void sink(struct hd_parked_uniforms *p, uint32_t at)
{
	struct hd_parked_offer offer = p->offers.data[at];
	for (uint32_t child = 2 * at + 1; child < p->offers.len; child = 2 * at + 1) {
		child += child + 1 < p->offers.len && is_before(&p->offers.data[child + 1], &p->offers.data[child]);
		if (!is_before(&p->offers.data[child], &offer))
			break;
		p->offers.data[at] = p->offers.data[child];
		at = child;
	}
	p->offers.data[at] = offer;
}

static void collect_offers(struct hd_parked_uniforms *p)
{
	hd_vec_clear(&p->offers);
	for (uint32_t i = 0; i < p->possible.len; i++) {
		struct hd_parked_offer offer = {rate(p, p->possible.data[i]), p->possible.data[i]};
		if (offer.rate < INFINITY)
			hd_vec_push(&p->offers, offer);
	}
	for (uint32_t i = p->offers.len / 2; i-- > 0;)
		sink(p, i);
}

/* Takes the first offer, or puts it back where it belongs: what has been parked makes others dearer, never cheaper. */
static void take_offer(struct hd_parked_uniforms *p)
{
	struct hd_parked_offer *first = &p->offers.data[0];
	double now = rate(p, first->vreg);
	if (now > first->rate && now < INFINITY) {
		first->rate = now;
	} else {
		uint32_t room = now < INFINITY ? find_place(p, first->vreg) : 0;
		if (room)
			park(p, first->vreg, room);
		*first = hd_vec_last(&p->offers);
		p->offers.len--;
	}
	if (p->offers.len)
		sink(p, 0);
}

/* Parks until no more than `limit` words are live anywhere, or nothing is left to park: whether it sufficed. */
static bool park_down_to(struct hd_parked_uniforms *p, uint32_t limit)
{
	count_crowded(p, limit);
	collect_offers(p);
	while (p->offers.len && crowded_before(p, p->positions))
		take_offer(p);
	return !crowded_before(p, p->positions);
}

/* ---- how far */

static uint32_t warps_with(const struct hd_mfunc *func, uint32_t registers)
{
	uint32_t each = (registers + 7) & ~7u, most = func->sm_threads / HD_WARP_LANES;
	uint32_t warps = HD_SM_REGISTERS / HD_WARP_LANES / each & ~3u;
	return warps < most ? warps : most;
}

/* Takes back what has been parked. */
static void forget(struct hd_parked_uniforms *p)
{
	for (uint32_t reg = 0; reg < HD_MAX_UREGS; reg++)
		hd_vec_clear(&p->tracks[reg].claims);
	for (uint32_t i = 0; i < p->possible.len; i++)
		p->candidates[p->possible.data[i]].place = 0;
	memset(p->taken, 0, p->intervals.inst_count * sizeof(*p->taken));
	find_pressure(p);
}

/* For the most warps that parking gets an SM to hold, if they are a third more; so ptxas does when it is given no
 * limit and few warps would fit. */
static bool park_for_warps(struct hd_parked_uniforms *p, uint32_t most)
{
	struct hd_mfunc *func = p->func;
	uint32_t reserved = func->abi->reserved_registers, now = warps_with(func, most + reserved);
	for (uint32_t warps = ENOUGH_WARPS; 3 * warps >= 4 * now; warps -= 4) {
		uint32_t registers = HD_SM_REGISTERS / HD_WARP_LANES / warps & ~7u;
		if (warps_with(func, registers) < warps)
			continue;
		if (park_down_to(p, registers - reserved - SLACK)) {
			func->max_registers = registers;
			return true;
		}
		forget(p);
	}
	return false;
}

static bool has_few_warps(const struct hd_mfunc *func, uint32_t most)
{
	return func->max_registers == HD_MAX_REGS &&
	       warps_with(func, most + func->abi->reserved_registers) <= FEW_WARPS;
}

static bool choose(struct hd_parked_uniforms *p)
{
	uint32_t most = most_live(p), cap = hd_mfunc_cap(p->func);
	if (p->func->uniform == HD_UNIFORM_ALWAYS)
		park_down_to(p, 0);
	else if (most > cap)
		park_down_to(p, cap - SLACK);
	else
		return park_for_warps(p, most);
	return true;
}

static bool is_short(const struct hd_parked_uniforms *p)
{
	uint32_t most = most_live(p);
	return p->func->uniform == HD_UNIFORM_ALWAYS || most > hd_mfunc_cap(p->func) || has_few_warps(p->func, most);
}

static void release(struct hd_parked_uniforms *p)
{
	for (uint32_t reg = 0; reg < HD_MAX_UREGS; reg++)
		hd_vec_release(&p->tracks[reg].claims);
	hd_live_intervals_release(&p->intervals);
	hd_vec_release(&p->possible);
	hd_vec_release(&p->touches);
	hd_vec_release(&p->offers);
	hd_vec_release(&p->out);
	hd_vec_release(&p->after);
	hd_arena_release(&p->arena);
}

int hd_parked_uniforms_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct hd_parked_uniforms p = {.func = func};
	(void)diag;
	if (!func->kernel || func->stream || func->uniform == HD_UNIFORM_NEVER ||
	    !hd_switch_is_on(func->without, HD_SWITCH_PARKED_UNIFORMS))
		return 0;
	hd_arena_init(&p.arena);
	hd_live_intervals_compute(func, &p.arena, &p.intervals);
	p.positions = 2 * p.intervals.inst_count + 3;
	p.pressure = HD_ARENA_NEW(&p.arena, int32_t, p.positions);
	p.taken = HD_ARENA_NEW(&p.arena, bool, p.intervals.inst_count + 1);
	find_pressure(&p);
	p.crowded = HD_ARENA_NEW(&p.arena, int32_t, p.positions + 1);
	if (is_short(&p) && find_candidates(&p) && choose(&p))
		hd_parked_rewrite(&p);
	release(&p);
	return 0;
}
