/*
 * Malekeh (malekeh, sections 3 to 7): operand collectors that keep the registers of their warp. Warps that own a unit
 * issue first, the oldest before others (5). A warp without one takes the unit of another: at once when that keeps
 * nothing that is read again soon, else after STHLD lost slots (6), a number that follows the IPC of the chip (7). The
 * compiler's near bit of each operand (passes/analysis/reuse.c) says what is read again soon.
 *
 * What the paper leaves open and how it is read:
 *
 *   one unit a warp   a warp whose own unit still holds an instruction is no candidate: two units would disagree
 *   the counter       is of a scheduler, and only a takeover resets it: a warp that waits behind one that spins is
 *                     served
 *   branches          take no unit, as in the baseline, and are issued while others wait for one
 *   end of a warp     frees its unit; else the next warp in its place would find its registers
 *   writes            one that is not kept drops an older value of its register; one of some lanes is merged where the
 *                     register is kept already
 *   register stacks   where another policy renames registers, calls and returns flush the unit of their warp
 *
 * `malekeh:results` is the cache of the same size that results alone fill (as Gebhart et al., ISCA 2011, section 10),
 * for comparison. Two more take the design apart: with `malekeh:order` warps wait and are ordered as ever, but operands
 * come from the banks, and with `malekeh:hits` none does: the most that any cache in the units could give.
 *
 * Under --verify each operand that a unit serves is compared with the register file, lane by lane.
 *
 * Cost: O(units of a scheduler + entries) an instruction, and a look at each ready warp in each cycle.
 */
#include "runtime/policy/malekeh/malekeh.h"

#include <stdlib.h>

#include "runtime/policy/served.h"

#define INTERVAL 10000u /* cycles (7) */
#define NO_UNIT NULL

/* ---- variants */

struct variant {
	bool adaptive, waits, ordered, results;
	enum malekeh_distances distances;
	enum malekeh_operands operands;
	uint32_t sthld;
};

static bool take_sthld(const char *text, struct variant *variant)
{
	char *end;
	variant->adaptive = false;
	if (!strcmp(text, "off")) {
		variant->waits = false;
		return true;
	}
	variant->sthld = (uint32_t)strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && variant->sthld <= 1000000;
}

static bool take_variant(const char *parameter, struct variant *variant)
{
	*variant = (struct variant){.adaptive = true, .waits = true, .ordered = true};
	if (!strncmp(parameter, "sthld=", 6))
		return take_sthld(parameter + 6, variant);
	if (!strcmp(parameter, "unordered")) {
		variant->ordered = false;
		return true;
	}
	if (!strcmp(parameter, "order") || !strcmp(parameter, "hits")) {
		variant->operands = *parameter == 'o' ? MALEKEH_BANKS : MALEKEH_UNITS;
		return true;
	}
	if (!strcmp(parameter, "exact") || !strcmp(parameter, "record")) {
		variant->distances = *parameter == 'e' ? MALEKEH_EXACT : MALEKEH_RECORD;
		return true;
	}
	if (!strcmp(parameter, "results")) {
		*variant = (struct variant){.results = true};
		return true;
	}
	return !*parameter;
}

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	struct variant variant;
	(void)config;
	if (take_variant(parameter, &variant))
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy 'malekeh:%s': wrong parameter (expected %s)", parameter,
			policy->parameters);
}

static uint32_t setting(const struct hd_policy_handle *self, const struct hd_gpu *gpu, uint32_t which)
{
	return (uint32_t)hd_policy_setting(self, gpu, which);
}

static void start_machine(const struct hd_policy_handle *self, struct hd_gpu *gpu, struct hd_sthld *machine)
{
	machine->most = setting(self, gpu, MALEKEH_MOST);
	machine->large = hd_policy_setting(self, gpu, MALEKEH_LARGE) / 100;
	machine->step = setting(self, gpu, MALEKEH_STEP);
	hd_sthld_start(machine);
}

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct malekeh_gpu *malekeh = malekeh_gpu_of(self, gpu);
	struct variant variant;
	take_variant(self->parameter, &variant);
	malekeh->adaptive = variant.adaptive;
	malekeh->waits = variant.waits;
	malekeh->ordered = variant.ordered;
	malekeh->sthld = variant.sthld;
	malekeh->results = variant.results;
	malekeh->distances = variant.distances;
	malekeh->operands = variant.operands;
	malekeh_exact_start(gpu, malekeh);
	start_machine(self, gpu, &malekeh->machine);
	uint64_t seed = setting(self, gpu, MALEKEH_SEED);
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		for (uint32_t part = 0; part < gpu->shape.parts; part++)
			for (uint32_t c = 0; c < gpu->sms[i]->operands.regfiles[part]->collector_count; c++) {
				struct hd_collector *collector = &gpu->sms[i]->operands.regfiles[part]->collectors[c];
				struct hd_ccu *unit = malekeh_unit_of(self, collector);
				hd_ccu_init(unit, setting(self, gpu, MALEKEH_ENTRIES),
					    seed << 32 | i << 16 | collector->number);
				unit->results_only = variant.results;
				unit->exact = variant.distances == MALEKEH_EXACT;
				unit->rthld = setting(self, gpu, MALEKEH_RTHLD);
			}
}

/* ---- owners */

static void leave_unit(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	struct malekeh_warp *mine = malekeh_warp_of(self, warp);
	if (!mine->unit)
		return;
	struct hd_ccu *unit = malekeh_unit_of(self, mine->unit);
	hd_ccu_flush(unit);
	unit->owner = NULL;
	mine->unit = NO_UNIT;
}

/* The warp's own; one that it had under another scheduler is of no use to it. */
static struct hd_collector *own_unit(const struct hd_policy_handle *self, const struct hd_warp *warp,
				     const struct hd_regfile *regfile)
{
	struct hd_collector *unit = malekeh_warp_of(self, warp)->unit;
	if (!unit || unit == &regfile->collectors[unit->index])
		return unit;
	if (!unit->waiting)
		leave_unit(self, warp);
	return unit->waiting ? unit : NO_UNIT;
}

static void take_over(const struct hd_policy_handle *self, struct hd_collector *collector, struct hd_warp *warp)
{
	struct hd_ccu *unit = malekeh_unit_of(self, collector);
	struct malekeh_counts *counts = malekeh_counts_of(self, warp);
	if (unit->owner) {
		counts->takeovers++;
		counts->dropped_near += hd_ccu_has_near(unit);
		leave_unit(self, unit->owner);
	}
	unit->owner = warp;
	malekeh_warp_of(self, warp)->unit = collector;
}

/* ---- allocation (6) */

/* What is lost by taking a unit. */
enum loss { LOSS_NOTHING, LOSS_FAR, LOSS_NEAR };

static enum loss loss_of(const struct hd_ccu *unit)
{
	return !unit->owner ? LOSS_NOTHING : hd_ccu_has_near(unit) ? LOSS_NEAR : LOSS_FAR;
}

/* Of units whose instruction has been dispatched the one with the least loss; of several the one that was dispatched
 * first. */
static struct hd_collector *cheapest(const struct hd_policy_handle *self, const struct hd_regfile *regfile,
				     uint64_t now, enum loss *loss)
{
	struct hd_collector *best = NO_UNIT;
	uint64_t since = 0;
	for (uint32_t i = 0; i < regfile->collector_count; i++) {
		struct hd_collector *collector = &regfile->collectors[i];
		const struct hd_ccu *unit = malekeh_unit_of(self, collector);
		if (regfile->free[i] > now)
			continue;
		enum loss here = loss_of(unit);
		if (best && (here > *loss || (here == *loss && unit->dispatched >= since)))
			continue;
		best = collector;
		*loss = here;
		since = unit->dispatched;
	}
	return best;
}

/* Whether a warp of the scheduler has waited for long enough; asked once a slot, for the warp that is first. */
static bool has_waited(const struct hd_policy_handle *self, const struct hd_warp *warp, uint64_t now)
{
	const struct hd_sm *sm = warp->cta->sm;
	const struct malekeh_gpu *malekeh = malekeh_gpu_of(self, sm->gpu);
	struct malekeh_wait *wait = &malekeh_sm_of(self, sm)->waits[sm->scheduling.scheduler_of[warp->id]];
	if (!malekeh->waits)
		return true;
	if (wait->asked == now + 1)
		return false;
	if (wait->slots > (malekeh->adaptive ? malekeh->machine.value : malekeh->sthld)) {
		wait->slots = 0;
		return true;
	}
	wait->asked = now + 1;
	wait->slots++;
	malekeh_counts_of(self, warp)->waits++;
	return false;
}

/* ---- an instruction comes (3.2) */

/* Entries that hits find hold what the register file holds; those that miss get it. */
static void check_values(struct hd_warp *warp, const struct hd_dinst *inst, struct hd_ccu *unit)
{
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		uint32_t reg = inst->operands[i].reg;
		if (unit->index[i] == HD_CCU_NONE)
			continue;
		struct hd_ccu_entry *entry = &unit->entries[unit->index[i]];
		if (unit->hits >> i & 1)
			hd_served_check(warp, reg, entry->data, "Malekeh");
		else
			memcpy(entry->data, warp->regs[reg], HD_ROW_BYTES);
	}
}

static void count_operands(struct malekeh_counts *counts, const struct hd_dinst *inst, const struct hd_ccu *unit,
			   uint32_t misses)
{
	uint32_t registers = 0;
	for (uint32_t i = 0; i < inst->operand_count; i++)
		registers += inst->operands[i].same == i;
	counts->operands += inst->operand_count;
	counts->hits += (uint32_t)__builtin_popcount(unit->hits);
	counts->registers += registers;
	counts->register_hits += registers - (misses < registers ? misses : registers);
	counts->bypasses += registers > unit->entry_count;
}

static void take(const struct hd_policy_handle *self, struct hd_collector *collector, struct hd_warp *warp,
		 const struct hd_dinst *inst)
{
	struct hd_ccu *unit = malekeh_unit_of(self, collector);
	const struct malekeh_gpu *malekeh = malekeh_gpu_of(self, warp->cta->sm->gpu);
	struct malekeh_counts *counts = malekeh_counts_of(self, warp);
	uint64_t before = counts->registers;
	if (unit->exact)
		malekeh_exact_take(self, warp, inst, unit);
	uint32_t misses = hd_ccu_take(unit, inst);
	if (warp->cta->sm->gpu->options.verify)
		check_values(warp, inst, unit);
	if (malekeh->operands != MALEKEH_BOTH) {
		bool all = malekeh->operands == MALEKEH_UNITS;
		unit->hits = all ? (1u << inst->operand_count) - 1 : 0;
		misses = all ? 0 : UINT32_MAX;
	}
	count_operands(counts, inst, unit, misses);
	hd_policy_spend(self, warp->cta->sm, warp->cta->grid, MALEKEH_TAG, counts->registers - before);
}

static uint32_t choose_collector(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
				 const struct hd_regfile *regfile, uint64_t now, uint8_t *reason)
{
	struct hd_collector *unit = own_unit(self, warp, regfile);
	enum loss loss = LOSS_NOTHING;
	if (unit && (unit->waiting || regfile->free[unit->index] > now))
		return HD_NO_COLLECTOR;
	if (!unit) {
		unit = cheapest(self, regfile, now, &loss);
		if (!unit)
			return HD_NO_COLLECTOR;
		if (loss == LOSS_NEAR && !has_waited(self, warp, now)) {
			*reason = HD_STALL_withheld;
			return HD_NO_COLLECTOR;
		}
		take_over(self, unit, warp);
	}
	take(self, unit, warp, inst);
	return unit->index;
}

static enum hd_source operand_source(const struct hd_policy_handle *self, struct hd_collector *collector,
				     const struct hd_operand *operand, uint64_t now, uint64_t *ready)
{
	const struct hd_ccu *unit = malekeh_unit_of(self, collector);
	(void)now, (void)ready;
	return unit->hits >> (operand - collector->inst->operands) & 1 ? HD_FROM_CACHE : HD_FROM_BANK;
}

static void dispatch(const struct hd_policy_handle *self, struct hd_collector *collector, uint64_t now)
{
	hd_ccu_dispatch(malekeh_unit_of(self, collector), now);
}

/* Owners first, by age (5). */
static uint64_t prefer(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       uint64_t now)
{
	(void)inst, (void)now;
	if (!malekeh_gpu_of(self, warp->cta->sm->gpu)->ordered)
		return 0;
	return (uint64_t)!malekeh_warp_of(self, warp)->unit << 63 | warp->age;
}

/* ---- results (4.2) */

/* Whether a result is to be kept, by the compiler's bit or by when it is read. */
static bool wants(const struct hd_policy_handle *self, const struct hd_result *result, struct hd_ccu *unit)
{
	const struct malekeh_warp *mine = malekeh_warp_of(self, result->warp);
	if (!unit->exact)
		return result->inst->near_result || unit->results_only;
	unit->result_due = mine->next[result->reg].when;
	return unit->result_due != HD_CCU_NEVER && unit->result_due < mine->issued + unit->rthld;
}

/* An entry gets the lanes that are written and no others, so that --verify sees what is missing. */
static void write_lanes(const struct hd_result *result, uint32_t *data)
{
	const uint32_t *row = result->warp->regs[result->reg];
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		if (result->lanes >> lane & 1)
			data[lane] = row[lane];
}

static enum hd_target result_target(const struct hd_policy_handle *self, const struct hd_result *result, uint64_t now)
{
	struct hd_warp *warp = result->warp;
	struct malekeh_counts *counts = malekeh_counts_of(self, warp);
	bool full = !(warp->live & ~result->lanes);
	uint32_t entry;
	if (!malekeh_warp_of(self, warp)->unit)
		return HD_TO_BANK;
	struct hd_ccu *unit = malekeh_unit_of(self, malekeh_warp_of(self, warp)->unit);
	bool near = wants(self, result, unit);
	enum hd_ccu_write what = hd_ccu_write(unit, result->reg, near, full, now, &entry);
	counts->cached_results += what == HD_CCU_WRITTEN;
	counts->dropped_results += what == HD_CCU_DROPPED;
	hd_policy_spend(self, warp->cta->sm, warp->cta->grid, MALEKEH_TAG, near);
	if (what != HD_CCU_WRITTEN || malekeh_gpu_of(self, warp->cta->sm->gpu)->operands == MALEKEH_BANKS)
		return HD_TO_BANK;
	hd_policy_spend(self, warp->cta->sm, warp->cta->grid, MALEKEH_WRITE, 1);
	if (warp->cta->sm->gpu->options.verify)
		write_lanes(result, unit->entries[entry].data);
	return HD_TO_BOTH;
}

/* ---- warps and grids */

static void warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	leave_unit(self, warp);
}

static void cta_kill(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)sm;
	for (uint32_t i = 0; i < cta->warp_count; i++)
		if (cta->warps[i])
			leave_unit(self, cta->warps[i]);
}

static void forget_names(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	const struct malekeh_warp *mine = malekeh_warp_of(self, warp);
	(void)now;
	if (mine->unit)
		hd_ccu_flush(malekeh_unit_of(self, mine->unit));
}

static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	const struct malekeh_warp *mine = malekeh_warp_of(self, warp);
	malekeh_exact_issued(self, warp, inst, effect, now);
	if (mine->unit && hd_served_is_service(inst))
		hd_ccu_flush(malekeh_unit_of(self, mine->unit));
}

static uint64_t issued_on(const struct hd_gpu *gpu)
{
	uint64_t issued = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		for (uint32_t slot = 0; slot < HD_MAX_GRIDS; slot++)
			issued += gpu->sms[i]->counted[slot].warp_instructions;
	return issued;
}

static void begin_part(struct malekeh_gpu *malekeh, const struct hd_gpu *gpu, uint64_t now)
{
	malekeh->begun = now;
	malekeh->issued = issued_on(gpu);
}

static void end_part(struct malekeh_gpu *malekeh, const struct hd_gpu *gpu, uint64_t now)
{
	malekeh->cycles += now - malekeh->begun;
	malekeh->instructions += issued_on(gpu) - malekeh->issued;
	begin_part(malekeh, gpu, now);
}

static void grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct malekeh_gpu *malekeh = malekeh_gpu_of(self, gpu);
	malekeh_exact_begin(self, gpu, grid);
	if (!malekeh->running++)
		begin_part(malekeh, gpu, gpu->now);
}

static void grid_end(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct malekeh_gpu *malekeh = malekeh_gpu_of(self, gpu);
	malekeh_exact_end(self, gpu, grid);
	if (!--malekeh->running)
		end_part(malekeh, gpu, gpu->now);
}

/* An interval has 10,000 cycles in which a grid ran, or a few more: it ends at a multiple of so many (7). */
static void gpu_tick(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	struct malekeh_gpu *malekeh = malekeh_gpu_of(self, gpu);
	end_part(malekeh, gpu, now);
	if (malekeh->cycles < INTERVAL)
		return;
	if (malekeh->adaptive)
		hd_sthld_step(&malekeh->machine, (double)malekeh->instructions / (double)malekeh->cycles);
	malekeh->cycles = malekeh->instructions = 0;
}

static const struct hd_policy_setting settings[] = {
	{"entries", "entries of a unit's cache table (malekeh 3.2)", HD_CCU_ENTRIES, 1, HD_CCU_MOST},
	{"seed", "seed of the units' random choice among far values", 1, 0, 4294967295.0},
	{"rthld", "with `exact`: reuse distance at which a value is far (otherwise set by the compiler's rthld=)", 16,
	 0, 255},
	{"sthld_most", "maximum STHLD (assumed)", 64, 0, 1000000},
	{"sthld_large", "change of IPC, in percent, above which it is large (assumed)", 1, 0, 1000},
	{"sthld_step",
	 "slots by which STHLD climbs in the state machine of section 7 (its drawing's numbers are assumed)", 1, 1, 64},
	{0},
};

/* Beside what collectors take in the baseline, too (pj_collector). */
static const struct hd_policy_energy energy[] = {
	[MALEKEH_TAG] = {"tag", "look-up of a register in a unit (assumed)", 0.2},
	[MALEKEH_WRITE] = {"result", "write of a result to a unit, through the crossbar (assumed)", 5.4},
	{0},
};

const struct hd_policy_hooks hd_hooks_malekeh = {
	.gpu_bytes = sizeof(struct malekeh_gpu),
	.sm_bytes = sizeof(struct malekeh_sm),
	.warp_bytes = sizeof(struct malekeh_warp),
	.collector_bytes = sizeof(struct hd_ccu),
	.several_grids = true,
	.energy = energy,
	.settings = settings,
	.counts = malekeh_counts,
	.configure = configure,
	.start = start,
	.operands.choose_collector = choose_collector,
	.operands.operand_source = operand_source,
	.operands.dispatch = dispatch,
	.issue.prefer = prefer,
	.operands.result_target = result_target,
	.grid_bytes = sizeof(struct malekeh_grid),
	.issue.issued = issued,
	.rehearsal = {"exact", "record"},
	.allocation.warp_done = warp_done,
	.contexts.cta_kill = cta_kill,
	.calls.forget_names = forget_names,
	.grid_begin = grid_begin,
	.grid_end = grid_end,
	.gpu_tick_interval = INTERVAL,
	.gpu_tick = gpu_tick,
	.observation.dump = malekeh_dump,
	.observation.series = malekeh_series,
	.observation.sample = malekeh_sample,
	.observation.report = malekeh_report,
	.observation.reported = malekeh_reported,
};
