/*
 * BOW (Breathing Operand Windows, MICRO 2020), as malekeh describes it (sections 8 to 10): a comparator. Each resident
 * warp has buffers for a window of three instructions in place of the collectors that warps share. A register that an
 * instruction of the window has read, or written, is forwarded to later ones in it; else it is read from its bank.
 * Banks get every result. A branch that goes elsewhere begins a new window, and so does a barrier that gives a result.
 *
 * How it is read: instructions leave the window in order, so that a warp waits while its oldest has not been
 * dispatched; branches have no place in it; a value that is still on its way from a bank is forwarded when it comes; a
 * result that comes after its instruction has left the window, or by some lanes only, goes to the bank
 * alone. Its storage is that of three sources and a result for each instruction, of all resident warps.
 *
 * Under --verify what is forwarded is compared with the register file.
 *
 * Cost: O(window x operands^2) an instruction.
 */
#include <stdlib.h>

#include "heddle/config.h"
#include "runtime/policy/served.h"
#include "runtime/sm/counts.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"

enum { WINDOW = 3, LEAST = 2, MOST = 8 };     /* instructions */
enum { MOST_COLLECTORS = 256, BUFFERED = 4 }; /* BUFFERED: registers of an instruction, for the storage */
enum { ENERGY_FORWARD, ENERGY_RESULT };
enum { MOST_WORDS = 4 };

#define BOW_COUNTS(X)                                                                        \
	X(operands, "operands", "register operands of instructions, duplicates included")    \
	X(hits, "operands", "register operands that were forwarded")                                           \
	X(flushes, "branches", "branches that start a new window")                                    \
	X(kept_results, "registers", "results that arrived while their instruction was in the window")

struct bow_counts {
	BOW_COUNTS(HD_COUNT_FIELD)
};

struct bow_gpu {
	uint32_t window;
};

struct bow_warp {
	uint64_t issued; /* instructions with a place in a window */
	uint32_t count;	 /* of them, in this one */
};

/* A place in a window: the engine keeps the instruction, its sources and when these come. */
struct bow_place {
	uint32_t results; /* bit a word of the result that is here */
	uint32_t sources[HD_MAX_OPERANDS][HD_WARP_LANES], words[MOST_WORDS][HD_WARP_LANES]; /* under --verify */
};

static struct bow_gpu *gpu_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return hd_policy_gpu(self, gpu);
}

static struct bow_counts *counts_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts(self, warp);
}

/* ---- the number of collectors */

static uint32_t window_of(const char *parameter)
{
	char *end;
	unsigned long window = *parameter ? strtoul(parameter, &end, 10) : WINDOW;
	if (!*parameter)
		return WINDOW;
	return *parameter >= '0' && *parameter <= '9' && !*end && window >= LEAST && window <= MOST ? (uint32_t)window
												    : 0;
}

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	uint32_t window = window_of(parameter);
	if (!window)
		return hd_error(diag, HD_NOWHERE, "policy 'bow:%s': expected %s", parameter, policy->parameters);
	uint64_t parts = config->subcores ? config->schedulers : 1;
	uint64_t collectors = (config->max_warps + parts - 1) / parts * parts * window;
	if (collectors > MOST_COLLECTORS)
		return hd_error(diag, HD_NOWHERE,
				"policy 'bow': %d warps with windows of %u instructions need more "
				"than %d collectors",
				(int)config->max_warps, window, MOST_COLLECTORS);
	config->collectors = collectors;
	return 0;
}

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	gpu_of(self, gpu)->window = window_of(self->parameter);
}

/* ---- windows */

static uint32_t index_of(const struct hd_policy_handle *self, const struct hd_warp *warp, uint64_t number)
{
	const struct hd_gpu *gpu = warp->cta->sm->gpu;
	uint32_t window = gpu_of(self, gpu)->window;
	return warp->slot / gpu->shape.parts * window + (uint32_t)(number % window);
}

static struct bow_place *place_of(const struct hd_policy_handle *self, const struct hd_collector *collector)
{
	return hd_policy_collector(self, collector);
}

/* An instruction of the window, `back` before the last one; NULL: there are not so many. */
static struct hd_collector *earlier(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t back)
{
	const struct bow_warp *mine = hd_policy_warp(self, warp);
	if (back >= mine->count)
		return NULL;
	return &warp->regfile->collectors[index_of(self, warp, mine->issued - 1 - back)];
}

static uint32_t choose_collector(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
				 const struct hd_regfile *regfile, uint64_t now, uint8_t *reason)
{
	struct bow_warp *mine = hd_policy_warp(self, warp);
	uint32_t index = index_of(self, warp, mine->issued), window = gpu_of(self, warp->cta->sm->gpu)->window;
	(void)reason;
	if (regfile->free[index] > now)
		return HD_NO_COLLECTOR;
	place_of(self, &regfile->collectors[index])->results = 0;
	mine->issued++;
	mine->count += mine->count < window;
	counts_of(self, warp)->operands += inst->operand_count;
	return index;
}

struct found {
	uint64_t ready;
	const uint32_t *value;
};

static bool writes(const struct hd_dinst *inst, uint32_t reg)
{
	return inst->inst.dst <= reg && reg < (uint32_t)inst->inst.dst + inst->write_count;
}

/* Whether an instruction of the window has the register: its result, or a source. *over: it changes the register, so
 * that what is before it is old. */
static bool find_in(const struct hd_policy_handle *self, const struct hd_collector *collector, uint32_t reg,
		    struct found *found, bool *over)
{
	const struct hd_dinst *inst = collector->inst;
	const struct bow_place *place = place_of(self, collector);
	*over = writes(inst, reg);
	if (*over) {
		uint32_t word = reg - inst->inst.dst;
		*found = (struct found){0, word < MOST_WORDS ? place->words[word] : NULL};
		return word < MOST_WORDS && place->results >> word & 1;
	}
	for (uint32_t i = 0; i < inst->operand_count; i++)
		if (inst->operands[i].reg == reg) {
			*found = (struct found){collector->ready[i], place->sources[i]};
			return true;
		}
	return false;
}

static enum hd_source operand_source(const struct hd_policy_handle *self, struct hd_collector *collector,
				     const struct hd_operand *operand, uint64_t now, uint64_t *ready)
{
	struct hd_warp *warp = collector->warp;
	struct bow_place *place = place_of(self, collector);
	uint32_t index = (uint32_t)(operand - collector->inst->operands);
	struct hd_collector *before;
	struct found found = {0, NULL};
	bool over = false, here = false, checked = warp->cta->sm->gpu->options.verify;
	(void)now;
	for (uint32_t back = 1; !over && !here && (before = earlier(self, warp, back)); back++)
		here = find_in(self, before, operand->reg, &found, &over);
	if (checked && here)
		hd_served_check(warp, operand->reg, found.value, "BOW");
	if (checked)
		memcpy(place->sources[index], warp->regs[operand->reg], HD_ROW_BYTES);
	if (!here)
		return HD_FROM_BANK;
	counts_of(self, warp)->hits++;
	hd_policy_spend(self, warp->cta->sm, warp->cta->grid, ENERGY_FORWARD, 1);
	*ready = found.ready > *ready ? found.ready : *ready;
	return HD_FROM_BYPASS;
}

static struct hd_collector *producer_of(const struct hd_policy_handle *self, const struct hd_result *result)
{
	struct hd_collector *collector;
	for (uint32_t back = 0; (collector = earlier(self, result->warp, back)); back++)
		if (collector->inst == result->inst)
			return collector;
	return NULL;
}

static enum hd_target result_target(const struct hd_policy_handle *self, const struct hd_result *result, uint64_t now)
{
	struct hd_warp *warp = result->warp;
	struct hd_collector *collector = warp->slot == HD_NO_SLOT ? NULL : producer_of(self, result);
	(void)now;
	if (!collector || warp->live & ~result->lanes || result->word >= MOST_WORDS)
		return HD_TO_BANK;
	struct bow_place *place = place_of(self, collector);
	place->results |= 1u << result->word;
	if (warp->cta->sm->gpu->options.verify)
		memcpy(place->words[result->word], warp->regs[result->reg], HD_ROW_BYTES);
	counts_of(self, warp)->kept_results++;
	hd_policy_spend(self, warp->cta->sm, warp->cta->grid, ENERGY_RESULT, 1);
	return HD_TO_BOTH;
}

static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	struct bow_warp *mine = hd_policy_warp(self, warp);
	(void)effect, (void)now;
	if (effect->warp_done)
		return;
	bool passes = inst->pipe != HD_PIPE_BRU || !inst->write_count; /* it has a place, or changes nothing */
	if (passes && !hd_served_is_service(inst) && inst + 1 == &warp->cta->sm->gpu->program.code.data[warp->pc])
		return;
	mine->count = 0;
	counts_of(self, warp)->flushes++;
}

/* ---- figures */

static const struct hd_policy_count counts[] = {
	BOW_COUNTS(HD_COUNT_ROW){0},
};

static const struct hd_policy_count reported[] = {
	{"read_hits", "%", "operands that the window of the warp had"},
	{"storage", "bytes", "storage that the design adds to an SM"},
	{0},
};

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	struct bow_counts sum;
	hd_policy_sum(self, gpu, &sum);
	add(context, "read_hits", hd_percent(sum.hits, sum.operands), "%");
	add(context, "storage", (double)gpu->config->collectors * BUFFERED * HD_ROW_BYTES, "bytes");
}

static const struct hd_policy_energy energy[] = {
	[ENERGY_FORWARD] = {"forward", "a value forwarded within the window (assumed)", 4.8},
	[ENERGY_RESULT] = {"result", "a result written to the window, through the crossbar (assumed)", 5.4},
	{0},
};

const struct hd_policy_hooks hd_hooks_bow = {
	.gpu_bytes = sizeof(struct bow_gpu),
	.warp_bytes = sizeof(struct bow_warp),
	.collector_bytes = sizeof(struct bow_place),
	.several_grids = true,
	.energy = energy,
	.counts = counts,
	.configure = configure,
	.start = start,
	.operands.choose_collector = choose_collector,
	.operands.operand_source = operand_source,
	.operands.result_target = result_target,
	.issue.issued = issued,
	.observation.report = report,
	.observation.reported = reported,
};
