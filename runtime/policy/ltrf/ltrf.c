/*
 * LTRF, LTRF+ and LTRF on strands (ltrf-asplos18, sections 3, 4 and 6.6): a register cache with a row for each active
 * warp. At the entry of each register-interval a PREFETCH brings the interval's working set, so that what is in between
 * reads and writes the cache alone. Warps that leave the active set write their registers back, and fetch them again
 * when they are in it again.
 *
 * What the paper leaves open and how it is read:
 *
 *   divergence      a path that goes on inside another interval fetches that one's set, as an activation does
 *   deactivation    is the two-level scheduler's: for loads that missed L1, at barriers and fences, after a quantum
 *   rows            the row of a warp that has left is given when its last register is out
 *   results         of warps that are not active, and of registers outside the set, go to the main register file
 *   code            a bit vector of 256 bits stands in front of each entry, with an instruction before it or not, which
 *                   takes an issue slot; what follows has other addresses in the instruction cache
 *   calls           are intervals of their own, as in the paper; with `across_calls` what the caller has in the cache
 *                   stays there while the callee leaves room, as if its set had both
 *   register stacks where another policy renames registers, a warp's cache is emptied at calls and returns
 *   no metadata     code without intervals is served by the main register file
 *
 * LTRF+ moves live registers only. A register lives from a write to the read that the compiler marks as the last of the
 * whole warp.
 *
 * Under --verify an operand that is not in the cache where it has to be, and one whose value LTRF+ has dropped, is a
 * fault.
 *
 * Cost: O(operands) an instruction, and O(registers) each time that a set moves.
 */
#include "runtime/policy/ltrf/ltrf.h"
#include "heddle/config.h"
#include "heddle/figures.h"
#include "runtime/exec/fault.h"
#include "runtime/policy/regcache.h"
#include "runtime/policy/served.h"

#include <assert.h>

#define VECTOR_BYTES (HD_WCB_REGISTERS / 8)

/* ---- the machine */

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct ltrf_gpu *ltrf = ltrf_gpu_of(self, gpu);
	const struct hd_config *config = gpu->config;
	uint64_t rows = config->two_level_active * (config->two_level_pool ? 1 : config->schedulers);
	ltrf->variant.plus = !strcmp(self->policy->name, "ltrf-plus");
	ltrf->variant.strands = !strcmp(self->policy->name, "ltrf-strands");
	ltrf->rows = (uint32_t)(rows < config->max_warps ? rows : config->max_warps);
	ltrf->rows = ltrf->rows < LTRF_ROWS ? ltrf->rows : LTRF_ROWS;
	ltrf->banks = (uint32_t)hd_policy_setting(self, gpu, LTRF_BANKS);
	ltrf_move_init(self, gpu);
}

/* ---- intervals */

struct place {
	uint64_t interval; /* as of struct ltrf_warp */
	const struct hd_meta_interval *facts;
	bool entry, call;
};

static struct place place_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu, uint32_t pc)
{
	const struct hd_pfunction *function;
	const struct hd_code_facts *facts = hd_facts_at(gpu, pc, &function);
	bool strands = ltrf_gpu_of(self, gpu)->variant.strands;
	uint32_t interval = !facts ? HD_NO_FACT : strands ? facts->strand : facts->interval;
	struct place place = {.interval = LTRF_NOWHERE};
	if (interval == HD_NO_FACT)
		return place;
	place.interval = (uint64_t)(function - gpu->program.functions.data) << 32 | interval;
	place.facts = &(strands ? function->said->strands : function->said->intervals)[interval];
	place.call = facts->call != HD_NO_FACT;
	place.entry = place.facts->entry_pc == (pc - function->first) * HD_INST_BYTES;
	return place;
}

static bool is_empty(const struct hd_meta_interval *facts)
{
	return !(facts->working_set[0] | facts->working_set[1] | facts->working_set[2] | facts->working_set[3]);
}

/* Whether a warp that comes to the place has to fetch a set: at an entry from elsewhere, which for strands is also the
 * way back to their own, or inside an interval that it was not in. */
static bool is_due(const struct hd_policy_handle *self, const struct hd_warp *warp, const struct place *place)
{
	const struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	bool strands = ltrf_gpu_of(self, warp->cta->sm->gpu)->variant.strands, begins = !mine->block.banks;
	if (!place->facts || is_empty(place->facts))
		return false;
	return begins || place->interval != mine->interval || (strands && place->entry);
}

static void too_many(struct hd_warp *warp, const struct hd_wcb_set *set, uint32_t banks)
{
	hd_gpu_fault(warp->cta->sm->gpu, warp, warp->pc, 0, HD_SIM_VERIFY,
		     "LTRF: the interval has %u registers, but the register cache has %u banks", hd_wcb_count(set),
		     banks);
}

static void begin_warp(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	const struct hd_gpu *gpu = warp->cta->sm->gpu;
	struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	if (mine->block.banks)
		return;
	hd_wcb_init(&mine->block, ltrf_gpu_of(self, gpu)->banks,
		    hd_policy_setting(self, gpu, LTRF_SPREAD) != 0 ? warp->id : 0);
	mine->interval = LTRF_NOWHERE;
}

/* Whether the set that follows is that of a call, a callee, or the caller again. */
static bool is_across_calls(const struct ltrf_warp *mine, const struct place *place)
{
	return mine->interval != LTRF_NOWHERE && (place->call || mine->interval >> 32 != place->interval >> 32);
}

/* The instruction of a PREFETCH issues before it is carried out. */
static bool has_issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct place *place)
{
	struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	const struct hd_injected prefetch = {.rows = 1, .mask = warp->active, .kind = HD_INJECT_CONTROL};
	bool issued = mine->announced || !place->entry || !hd_policy_setting(self, warp->cta->sm->gpu, LTRF_EXPLICIT);
	mine->announced = !issued;
	if (!issued)
		hd_warp_inject(warp, &prefetch);
	return issued;
}

static void fetch(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t pc, uint64_t now)
{
	struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	struct ltrf_counts *counts = ltrf_counts_of(self, warp);
	struct hd_gpu *gpu = warp->cta->sm->gpu;
	struct place place = place_of(self, gpu, pc);
	struct hd_wcb_set set;
	begin_warp(self, warp);
	bool due = is_due(self, warp, &place), across = is_across_calls(mine, &place);
	if (due && !has_issued(self, warp, &place))
		return;
	mine->interval = place.interval;
	if (!due)
		return;
	memcpy(set.bits, place.facts->working_set, sizeof set.bits);
	if (!mine->row) {
		if (!ltrf_assign(self, warp, &set))
			too_many(warp, &set, mine->block.banks);
		return;
	}
	uint64_t from = warp->next_issue > now ? warp->next_issue : now;
	bool keeps = across && hd_policy_setting(self, gpu, LTRF_ACROSS_CALLS) != 0;
	uint64_t done = ltrf_prefetch(self, warp, &set, keeps, from * HD_TICKS);
	if (done == UINT64_MAX) {
		too_many(warp, &set, mine->block.banks);
		return;
	}
	*(place.entry ? &counts->prefetches : &counts->path_switches) += 1;
	counts->prefetch_cycles += done - from;
	warp->next_issue = done;
}

/* ---- code size (4.3) */

static bool has_prefetch(const struct hd_policy_handle *self, const struct hd_gpu *gpu, uint32_t pc)
{
	struct place place = place_of(self, gpu, pc);
	return place.facts && place.entry && !is_empty(place.facts);
}

static uint32_t *grow(struct hd_gpu *gpu, struct ltrf_gpu *ltrf, uint32_t wanted)
{
	if (wanted <= ltrf->slot_count)
		return ltrf->slots;
	uint32_t capacity = 2 * ltrf->slot_count > wanted ? 2 * ltrf->slot_count : wanted;
	uint32_t *slots = HD_ARENA_NEW(&gpu->arena, uint32_t, capacity);
	if (ltrf->slot_count)
		memcpy(slots, ltrf->slots, ltrf->slot_count * sizeof *slots);
	ltrf->slots = slots;
	ltrf->slot_count = capacity;
	return slots;
}

static void decode(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		   struct hd_dinst *code)
{
	uint32_t end = function->first + function->count;
	uint32_t *slots = grow(gpu, ltrf_gpu_of(self, gpu), end);
	uint32_t count = function->first ? slots[function->first - 1] : 0;
	(void)code;
	for (uint32_t pc = function->first; pc < end; pc++) {
		count += has_prefetch(self, gpu, pc);
		slots[pc] = count;
	}
}

static uint64_t code_place(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t pc,
			   uint64_t address, uint32_t *bytes)
{
	const struct hd_gpu *gpu = warp->cta->sm->gpu;
	const struct ltrf_gpu *ltrf = ltrf_gpu_of(self, gpu);
	uint32_t each = VECTOR_BYTES + (uint32_t)hd_policy_setting(self, gpu, LTRF_EXPLICIT) * *bytes;
	struct place place = place_of(self, gpu, pc);
	address += (uint64_t)ltrf->slots[pc] * each;
	if (hd_policy_setting(self, gpu, LTRF_FREE_CODE) != 0)
		return address - (uint64_t)ltrf->slots[pc] * each;
	if (!place.entry || ltrf_warp_of(self, warp)->announced || !is_due(self, warp, &place))
		return address; /* what is announced has been fetched */
	*bytes += each;
	return address - each;
}

/* ---- the active set */

static uint32_t activate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	begin_warp(self, warp);
	uint64_t done = ltrf_activate(self, warp, now);
	ltrf_counts_of(self, warp)->activation_cycles += done - now;
	return (uint32_t)(done - now);
}

static void deactivate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	bool ended = warp->state == HD_WARP_DONE || warp->state == HD_WARP_KILLED || warp->state == HD_WARP_FREE;
	if (ltrf_warp_of(self, warp)->row)
		ltrf_deactivate(self, warp, ended, now);
}

/* ---- operands and results */

static void check_operand(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t reg)
{
	const struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	struct hd_gpu *gpu = warp->cta->sm->gpu;
	if (hd_facts_undefined(gpu, warp->pc, reg))
		return;
	if (hd_wcb_has(&mine->lost, reg))
		hd_gpu_fault(gpu, warp, warp->pc, 0, HD_SIM_VERIFY, "LTRF+: R%u is read after it was dropped as dead",
			     reg);
	else if (mine->interval != LTRF_NOWHERE && !hd_wcb_has(&mine->block.valid, reg))
		hd_gpu_fault(gpu, warp, warp->pc, 0, HD_SIM_VERIFY,
			     "LTRF: R%u is not in the register cache inside its interval", reg);
}

/* Distinct registers of the instruction before this operand: the control block looks up two a cycle. */
static uint32_t rank_of(const struct hd_dinst *inst, const struct hd_operand *operand)
{
	uint32_t rank = 0;
	for (uint32_t i = 0; i < operand->same; i++)
		rank += inst->operands[i].same == i;
	return rank;
}

static enum hd_source operand_source(const struct hd_policy_handle *self, struct hd_collector *collector,
				     const struct hd_operand *operand, uint64_t now, uint64_t *ready)
{
	struct hd_warp *warp = collector->warp;
	struct hd_sm *sm = warp->cta->sm;
	const struct hd_wcb *block = &ltrf_warp_of(self, warp)->block;
	uint32_t index = (uint32_t)(operand - collector->inst->operands);
	if (sm->gpu->options.verify && hd_served_is_read(warp, collector->inst))
		check_operand(self, warp, operand->reg);
	if (!hd_wcb_has(&block->valid, operand->reg)) {
		ltrf_counts_of(self, warp)->main_reads += operand->same == index;
		return HD_FROM_BANK;
	}
	if (operand->same != index) {
		*ready = collector->ready[operand->same];
		return HD_FROM_CACHE;
	}
	uint64_t ports = (uint64_t)hd_policy_setting(self, sm->gpu, LTRF_LOOKUP_PORTS);
	uint64_t from = now * HD_TICKS +
			ltrf_ticks(self, sm->gpu, LTRF_LOOKUP) * (1 + rank_of(collector->inst, operand) / ports);
	struct hd_calendar *port = &ltrf_sm_of(self, sm)->ports[block->bank[operand->reg]];
	*ready = hd_calendar_take(port, now * HD_TICKS, from, HD_TICKS) + ltrf_ticks(self, sm->gpu, LTRF_CACHE_LATENCY);
	ltrf_counts_of(self, warp)->cache_reads++;
	ltrf_spend(self, warp, LTRF_CONTROL);
	ltrf_spend(self, warp, LTRF_CACHE_READ);
	return HD_FROM_CACHE;
}

static enum hd_target result_target(const struct hd_policy_handle *self, const struct hd_result *result, uint64_t now)
{
	struct hd_warp *warp = result->warp;
	struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	if (!mine->row || !hd_wcb_has(&mine->block.set, result->reg)) {
		ltrf_counts_of(self, warp)->main_writes++;
		return HD_TO_BANK;
	}
	struct hd_calendar *port = &ltrf_sm_of(self, warp->cta->sm)->ports[mine->block.bank[result->reg]];
	hd_calendar_take(port, now * HD_TICKS, now * HD_TICKS, HD_TICKS);
	ltrf_counts_of(self, warp)->cache_writes++;
	ltrf_spend(self, warp, LTRF_CONTROL);
	ltrf_spend(self, warp, LTRF_CACHE_WRITE);
	return HD_TO_CACHE;
}

static struct hd_wcb_set registers_of(const struct hd_dinst *inst)
{
	struct hd_wcb_set all = {{0}};
	for (uint32_t i = 0; i < inst->named_count; i++)
		hd_wcb_add(&all, inst->operands[i].reg);
	for (uint32_t word = 0; word < inst->write_count; word++)
		hd_wcb_add(&all, inst->inst.dst + word);
	return all;
}

/* Table 4's optimum: a PREFETCH stands where the registers since the one before would be too many. */
static void count_fewest(const struct hd_policy_handle *self, const struct hd_warp *warp, const struct hd_dinst *inst)
{
	struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	struct ltrf_counts *counts = ltrf_counts_of(self, warp);
	const struct hd_wcb_set all = registers_of(inst), added = hd_wcb_without(&all, &mine->run);
	uint32_t before = hd_wcb_count(&mine->run), more = hd_wcb_count(&added);
	bool full = before + more > mine->block.banks;
	counts->instructions++;
	counts->fewest += full || (!before && more);
	if (full)
		mine->run = (struct hd_wcb_set){{0}};
	for (uint32_t i = 0; i < HD_WCB_REGISTERS / 64; i++)
		mine->run.bits[i] |= all.bits[i];
}

/* The liveness vector: dead after its last read, live from a write on. */
static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	(void)now;
	mine->begun = true;
	if (mine->interval != LTRF_NOWHERE)
		count_fewest(self, warp, inst);
	for (uint32_t i = 0; i < inst->named_count; i++)
		if (inst->operands[i].dead)
			hd_wcb_drop(&mine->block.live, inst->operands[i].reg);
	for (uint32_t word = 0; effect->mask && word < inst->write_count; word++) {
		hd_wcb_add(&mine->block.live, inst->inst.dst + word);
		hd_wcb_add(&mine->defined, inst->inst.dst + word);
		hd_wcb_drop(&mine->lost, inst->inst.dst + word);
	}
}

/* All leave the cache. */
static void forget_names(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	const struct hd_wcb_set none = {{0}};
	if (mine->row)
		ltrf_prefetch(self, warp, &none, false, now * HD_TICKS);
	else
		ltrf_assign(self, warp, &none);
	mine->interval = LTRF_NOWHERE;
	mine->lost = mine->defined = none;
	memset(&mine->block.live, 0xff, sizeof mine->block.live);
}

static const struct hd_policy_setting settings[] = {
	[LTRF_BANKS] = {"banks",
			"banks of the register cache: maximum registers of an interval (ltrf-asplos18 Table 3)", 16, 1,
			HD_WCB_BANKS},
	[LTRF_LOOKUP] = {"lookup_cycles", "access time of the warp control block, cycles (ltrf-asplos18 4.3)", 1, 0,
			 1000},
	[LTRF_LOOKUP_PORTS] = {"lookup_ports", "operands per access of the warp control block (4.1)", 2, 1, 8},
	[LTRF_CACHE_LATENCY] = {"cache_latency",
				"register cache read latency, cycles (as the bank of configuration #1, assumed)", 1, 0,
				1000},
	[LTRF_LINK_CYCLES] = {"link_cycles", "cycles to move a register between main register file and cache (4.2)", 4,
			      0, 1000},
	[LTRF_EXPLICIT] = {"explicit",
			   "1: an instruction announces each bit vector; 0: a bit in every instruction does (4.3)", 0,
			   0, 1},
	[LTRF_RELOAD] = {"reload",
			 "1: PREFETCH moves all registers; 0: only registers that are not in both sets (assumed)", 0, 0,
			 1},
	[LTRF_SIMPLEX] =
		{"simplex",
		 "1: one link for both directions between main register file and cache; 0: two links (assumed)", 0, 0,
		 1},
	[LTRF_ACROSS_CALLS] = {"across_calls",
			       "1: at calls and returns, registers of the old set stay while there is room; 0: they "
			       "leave, as elsewhere (3.3)",
			       0, 0, 1},
	[LTRF_FREE_CODE] = {"free_code", "1: bit vectors take no code space, to measure their cost; 0: they do", 0, 0,
			    1},
	[LTRF_SPREAD] =
		{"spread",
		 "1: a warp's queue of free cache banks begins with the bank of the warp's number; 0: with bank 0 "
		 "(assumed)",
		 0, 0, 1},
	{0},
};

static const struct hd_policy_energy energy[] = {
	[LTRF_CONTROL] = {"control", "look-up in the warp control block (assumed)", 0.5},
	HD_REGCACHE_ENERGY("cache"), /* LTRF_CACHE_READ, LTRF_CACHE_WRITE */
	[LTRF_LINK] = {"link", "move of a register between main register file and cache (assumed)", 3},
	{0},
};

const struct hd_policy_hooks hd_hooks_ltrf = {
	.gpu_bytes = sizeof(struct ltrf_gpu),
	.sm_bytes = sizeof(struct ltrf_sm),
	.warp_bytes = sizeof(struct ltrf_warp),
	.several_grids = true,
	.facts = true,
	.energy = energy,
	.settings = settings,
	.counts = ltrf_counts,
	.configure = hd_regcache_configure,
	.start = start,
	.decode = decode,
	.issue.fetch = fetch,
	.issue.code_place = code_place,
	.issue.activate = activate,
	.issue.deactivate = deactivate,
	.calls.forget_names = forget_names,
	.operands.operand_source = operand_source,
	.operands.result_target = result_target,
	.issue.issued = issued,
	.observation.dump = ltrf_dump,
	.observation.report = ltrf_report,
	.observation.reported = ltrf_reported,
};
