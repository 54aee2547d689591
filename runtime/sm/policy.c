/*
 * The parser of `--policy a+b:parameter`, the state that policies are given, and the loops over
 * the hooks that give an answer (see heddle/policy.h). A combination asks every policy: registers pass through them in
 * order, extra cycles add up, and one refusal is enough.
 *
 * Cost: nothing for the baseline; O(policies) a hook otherwise.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "heddle/config.h"
#include "heddle/policy.h"
#include "lib/bits.h"
#include "lib/strbuf.h"
#include "runtime/sm/counts.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/keys.h"
#include "runtime/sm/policy_object.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/stage.h"
#include "runtime/sm/timers.h"
#include "runtime/sm/traffic.h"

static const char *const touch_names[HD_TOUCH_COUNT] = {
	"register allocation",	   "the register file", "calls",
	"warp scheduling",	   "CTA dispatch",	"the L1 cache",
	"the code that runs",	   "when warps begin",	"where warps are",
	"kernels' shares of an SM"};

static const struct hd_policy *find_listed(const char *name, size_t length)
{
	for (const struct hd_policy *policy = hd_policies; policy->name; policy++)
		if (strlen(policy->name) == length && !strncmp(policy->name, name, length))
			return policy;
	return NULL;
}

static bool is_baseline(const struct hd_policy *policy)
{
	return policy == hd_policies;
}

static void unknown_policy(const char *name, size_t length, struct hd_diag *diag)
{
	const char *names[64];
	unsigned count = 0;
	for (const struct hd_policy *policy = hd_policies; policy->name && count < 64; policy++)
		names[count++] = policy->name;
	char wanted[64];
	snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
	char *near = hd_nearest_names(wanted, names, count);
	struct hd_strbuf known = {0};
	for (unsigned i = 0; i < count; i++)
		hd_strbuf_printf(&known, "%s%s", i ? ", " : "", names[i]);
	if (*near)
		hd_error(diag, HD_NOWHERE, "unknown policy '%s'; did you mean %s?", wanted, near);
	else
		hd_error(diag, HD_NOWHERE, "unknown policy '%s'; known: %s", wanted, hd_strbuf_text(&known));
	hd_strbuf_release(&known);
	free(near);
}

/* Of the table, or in a shared object. NULL: reported. */
static const struct hd_policy *find_policy(const char *name, size_t length, struct hd_diag *diag)
{
	if (hd_policy_is_path(name, length))
		return hd_policy_load(name, length, diag);
	const struct hd_policy *policy = find_listed(name, length);
	if (!policy)
		unknown_policy(name, length, diag);
	return policy;
}

uint32_t hd_policy_touched(uint32_t touches, const char *names[HD_TOUCH_COUNT])
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < HD_TOUCH_COUNT; i++)
		if (touches >> i & 1)
			names[count++] = touch_names[i];
	return count;
}

bool hd_policy_joins(const struct hd_policy *policy, const struct hd_policy *other)
{
	return policy->hooks && policy->hooks->joins && !strcmp(policy->hooks->joins, other->name);
}

uint32_t hd_policy_conflict(const struct hd_policy *a, const struct hd_policy *b)
{
	return hd_policy_joins(a, b) || hd_policy_joins(b, a) ? 0 : a->touches & b->touches;
}

static int check_pair(const struct hd_policy *a, const struct hd_policy *b, struct hd_diag *diag)
{
	uint32_t both = hd_policy_conflict(a, b);
	if (!strcmp(a->name, b->name))
		return hd_error(diag, HD_NOWHERE, "policy '%s' is named twice", a->name);
	if (!both)
		return 0;
	uint32_t first = (uint32_t)__builtin_ctz(both);
	const char *what = first < sizeof touch_names / sizeof *touch_names ? touch_names[first] : "the same structure";
	return hd_error(diag, HD_NOWHERE, "policies '%s' and '%s' cannot combine: both take over %s", a->name, b->name,
			what);
}

int hd_policy_combine(struct hd_policy_set *chosen, const struct hd_policy *policy, struct hd_diag *diag)
{
	if (is_baseline(policy))
		return 0;
	for (uint32_t i = 0; i < chosen->count; i++)
		if (check_pair(chosen->policies[i], policy, diag))
			return -1;
	if (chosen->count == HD_MAX_POLICIES)
		return hd_error(diag, HD_NOWHERE, "at most %d policies combine", HD_MAX_POLICIES);
	chosen->policies[chosen->count++] = policy;
	return 0;
}

/* The parameter of the policy that was added last. */
static int take_parameter(struct hd_policy_set *chosen, const struct hd_policy *policy, const char *text, size_t length,
			  struct hd_diag *diag)
{
	if (!policy->parameters && *text == ':')
		return hd_error(diag, HD_NOWHERE, "policy '%s' takes no parameter", policy->name);
	if (is_baseline(policy))
		return 0;
	char *parameter = chosen->parameters[chosen->count - 1];
	if (length > HD_PARAMETER_BYTES)
		return hd_error(diag, HD_NOWHERE, "policy '%s:%.*s': wrong parameter (expected %s)", policy->name,
				(int)length - 1, text + 1, policy->parameters);
	snprintf(parameter, HD_PARAMETER_BYTES, "%.*s", length ? (int)length - 1 : 0, length ? text + 1 : "");
	return 0;
}

/* One name of the list, with its parameter. */
static int choose_one(struct hd_policy_set *chosen, const char *text, size_t length, struct hd_diag *diag)
{
	size_t name = strcspn(text, ":+");
	const struct hd_policy *policy = find_policy(text, name, diag);
	if (!policy)
		return -1;
	if (hd_policy_combine(chosen, policy, diag))
		return -1;
	return take_parameter(chosen, policy, text + name, length - name, diag);
}

static int choose(struct hd_policy_set *chosen, struct hd_config *config, const char *text, struct hd_diag *diag)
{
	for (const char *item = text && *text ? text : "baseline";;) {
		size_t length = strcspn(item, "+");
		if (choose_one(chosen, item, length, diag))
			return -1;
		if (!item[length])
			break;
		item += length + 1;
	}
	for (uint32_t i = 0; i < chosen->count; i++)
		if (chosen->policies[i]->hooks->configure &&
		    chosen->policies[i]->hooks->configure(chosen->policies[i], config, chosen->parameters[i], diag))
			return -1;
	return 0;
}

int hd_policy_check(const char *text, struct hd_diag *diag)
{
	struct hd_policy_set chosen = {.count = 0};
	struct hd_config config;
	hd_config_defaults(&config);
	return choose(&chosen, &config, text, diag);
}

/* Whether it is the run that needs another one before it (0), or that other one (1). */
static bool is_rehearsed(const struct hd_policy_set *chosen, uint32_t i, uint32_t which)
{
	const char *parameter = chosen->policies[i]->hooks->rehearsal[which];
	return parameter && !strcmp(chosen->parameters[i], parameter);
}

static int check_rehearsal(const struct hd_gpu *gpu, const struct hd_policy_set *chosen, uint32_t i,
			   struct hd_diag *diag)
{
	if (gpu->options.rehearsal || (!is_rehearsed(chosen, i, 0) && !is_rehearsed(chosen, i, 1)))
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy '%s:%s' needs two runs of the program (use 'heddle run')",
			chosen->policies[i]->name, chosen->parameters[i]);
}

bool hd_policy_rehearses(const char *text, char **first)
{
	struct hd_policy_set chosen = {.count = 0};
	struct hd_config config;
	struct hd_diag diag = hd_diag_silent();
	struct hd_strbuf list = {0};
	bool rehearses = false;
	hd_config_defaults(&config);
	if (choose(&chosen, &config, text, &diag))
		return false;
	for (uint32_t i = 0; i < chosen.count; i++) {
		bool here = is_rehearsed(&chosen, i, 0);
		const char *parameter = here ? chosen.policies[i]->hooks->rehearsal[1] : chosen.parameters[i];
		rehearses |= here;
		hd_strbuf_printf(&list, "%s%s%s%s", i ? "+" : "", chosen.policies[i]->name, *parameter ? ":" : "",
				 parameter);
	}
	*first = rehearses ? hd_xstrdup(hd_strbuf_text(&list)) : NULL;
	hd_strbuf_release(&list);
	return rehearses;
}

bool hd_policy_runs_several(const char *text)
{
	struct hd_policy_set chosen = {.count = 0};
	struct hd_config config;
	struct hd_diag diag = hd_diag_silent();
	hd_config_defaults(&config);
	bool several = !choose(&chosen, &config, text, &diag);
	for (uint32_t i = 0; i < chosen.count; i++)
		several = several && chosen.policies[i]->hooks->several_grids;
	return several;
}

const char *hd_policy_best_of(const char *name, size_t length)
{
	struct hd_diag diag = hd_diag_silent();
	const struct hd_policy *policy = find_policy(name, length, &diag);
	return policy ? policy->best_of : NULL;
}

/* ---- handles and state */

#define STATE_ALIGN 16u

/* Where `bytes` of one more policy begin in a space of *total. */
static uint32_t set_aside(uint32_t *total, uint32_t bytes)
{
	uint32_t at = *total;
	*total = (uint32_t)hd_align_up(at + bytes, STATE_ALIGN);
	return at;
}

void hd_policy_add(struct hd_gpu *gpu, const struct hd_policy *policy, const char *parameter)
{
	const struct hd_policy_hooks *hooks = policy->hooks;
	assert(gpu->policy_count < HD_MAX_POLICIES);
	gpu->policies[gpu->policy_count++] = (struct hd_policy_handle){
		.policy = policy,
		.hooks = hooks,
		.parameter = parameter,
		.gpu_at = set_aside(&gpu->policy_bytes.gpu, hooks->gpu_bytes),
		.collector_at = set_aside(&gpu->policy_bytes.collector, hooks->collector_bytes),
		.sm_at = set_aside(&gpu->policy_bytes.sm, hooks->sm_bytes),
		.cta_at = set_aside(&gpu->policy_bytes.cta, hooks->cta_bytes),
		.warp_at = set_aside(&gpu->policy_bytes.warp, hooks->warp_bytes),
		.grid_at = set_aside(&gpu->policy_bytes.grid, hooks->grid_bytes),
	};
	hd_counts_take(gpu, &gpu->policies[gpu->policy_count - 1]);
	gpu->stages += hooks->stages;
	gpu->moves |= hooks->moves;
	gpu->spare_warps = hooks->spare_warps > gpu->spare_warps ? hooks->spare_warps : gpu->spare_warps;
	gpu->spare_ctas = hooks->spare_ctas > gpu->spare_ctas ? hooks->spare_ctas : gpu->spare_ctas;
}

bool hd_policy_needs_collectors(const struct hd_policy *policy)
{
	const struct hd_policy_hooks *hooks = policy->hooks;
	return hooks->operands.choose_collector || hooks->operands.operand_source || hooks->operands.dispatch;
}

const char *hd_policy_needs_scoreboard(const struct hd_policy *policy)
{
	const struct hd_policy_hooks *hooks = policy->hooks;
	if (hd_policy_needs_collectors(policy))
		return "it works on operand collectors";
	if (hooks->operands.operand_source || hooks->operands.result_target || hooks->operands.rename)
		return "it changes where registers are and when they are read or written";
	if (hooks->operands.range_reads || hooks->operands.range_writes)
		return "it has registers of its own";
	if (hooks->issue.elide || hooks->memory.memory_access || hooks->linear)
		return "it changes which instructions issue";
	return hooks->memory.first_use ? "it is told when a load's result is waited for first" : NULL;
}

int hd_policy_fits(const struct hd_config *config, const struct hd_policy *policy, struct hd_diag *diag)
{
	const char *why = config->core == HD_CORE_MODERN ? hd_policy_needs_scoreboard(policy) : NULL;
	if (why)
		return hd_error(diag, HD_NOWHERE,
				"policy '%s' needs a register scoreboard, which core = modern lacks: %s", policy->name,
				why);
	if (config->operands == HD_OPERANDS_COLLECTORS || !hd_policy_needs_collectors(policy))
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy '%s' needs operand collectors, which operands = modern lacks",
			policy->name);
}

static bool joins_another(const struct hd_policy_set *chosen, uint32_t index)
{
	for (uint32_t i = 0; i < chosen->count; i++)
		if (hd_policy_joins(chosen->policies[index], chosen->policies[i]))
			return true;
	return false;
}

/* In their order, but those behind all others that join one. */
static void add_chosen(struct hd_gpu *gpu, const struct hd_policy_set *chosen)
{
	for (uint32_t joined = 0; joined < 2; joined++)
		for (uint32_t i = 0; i < chosen->count; i++)
			if (joins_another(chosen, i) == joined)
				hd_policy_add(gpu, chosen->policies[i],
					      hd_arena_strdup(&gpu->arena, chosen->parameters[i]));
}

int hd_policy_parse(struct hd_gpu *gpu, const char *text, struct hd_diag *diag)
{
	struct hd_policy_set chosen = {.count = 0};
	int status = choose(&chosen, gpu->config, text, diag);
	for (uint32_t i = 0; !status && i < chosen.count; i++)
		status = hd_policy_fits(gpu->config, chosen.policies[i], diag);
	for (uint32_t i = 0; !status && i < chosen.count; i++)
		status = check_rehearsal(gpu, &chosen, i, diag);
	if (!status)
		add_chosen(gpu, &chosen);
	for (uint32_t i = 0; !status && i < gpu->policy_count; i++)
		status = hd_keys_take(gpu, &gpu->policies[i], diag);
	return status;
}

static uint64_t hooks_of(const struct hd_gpu *gpu)
{
	uint64_t hooks = 0;
	for (uint32_t i = 0; i < gpu->policy_count; i++) {
#define X(subject, hook) hooks |= gpu->policies[i].hooks->subject.hook ? HD_HOOK(hook) : 0;
		HD_HOOK_LIST(X)
#undef X
	}
	/* Where names change. */
	if (hooks & HD_HOOK(forget_names) && hooks & HD_HOOK(rename))
		hooks |= HD_HOOK(call) | HD_HOOK(call_return) | HD_HOOK(path_switch);
	return hooks;
}

static uint8_t *new_space(struct hd_gpu *gpu, uint32_t bytes)
{
	return bytes ? hd_arena_alloc(&gpu->arena, bytes) : NULL;
}

static void place_in_stage(struct hd_gpu *gpu, struct hd_sm *sm)
{
	for (uint32_t part = 0; part < gpu->shape.parts; part++)
		for (uint32_t i = 0; i < sm->operands.regfiles[part]->collector_count; i++)
			sm->operands.regfiles[part]->collectors[i].policy_space =
				new_space(gpu, gpu->policy_bytes.collector);
	if (sm->hooks & HD_HOOK(result_target))
		sm->stage.results = HD_ARENA_NEW(&gpu->arena, struct hd_stage_result, hd_sm_timers(gpu->config));
}

void hd_policy_place(struct hd_gpu *gpu)
{
	gpu->policy_space = new_space(gpu, gpu->policy_bytes.gpu);
	hd_counts_place(gpu);
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct hd_sm *sm = gpu->sms[i];
		sm->hooks = hooks_of(gpu);
		hd_sm_spare(sm, gpu->spare_warps, gpu->spare_ctas);
		hd_sm_place_watched(sm);
		sm->policies.space = new_space(gpu, gpu->policy_bytes.sm);
		for (uint32_t id = 0; id < sm->warp_count; id++)
			sm->warps[id].policy_space = new_space(gpu, gpu->policy_bytes.warp);
		for (uint32_t i = 0; i < sm->cta_count; i++)
			sm->ctas[i].policy_space = new_space(gpu, gpu->policy_bytes.cta);
		place_in_stage(gpu, sm);
		hd_traffic_watch(sm);
	}
}

/* ---- hooks that give an answer */

/* Of all policies, or of those alone that give kernels shares. */
static uint32_t least_quota(const struct hd_sm *sm, const struct hd_grid *grid, bool shares)
{
	uint32_t least = UINT32_MAX;
	HD_HOOKED (sm->gpu, self, allocation.quota) {
		if (shares && !(self->policy->touches & HD_TOUCH_SHARES))
			continue;
		uint32_t quota = self->hooks->allocation.quota(self, sm, grid);
		least = quota < least ? quota : least;
	}
	return least;
}

uint32_t hd_policy_quota(const struct hd_sm *sm, const struct hd_grid *grid)
{
	return least_quota(sm, grid, false);
}

uint32_t hd_policy_share(const struct hd_sm *sm, const struct hd_grid *grid)
{
	return least_quota(sm, grid, true);
}

bool hd_policy_shares(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (gpu->policies[i].policy->touches & HD_TOUCH_SHARES)
			return true;
	return false;
}

uint32_t hd_policy_launch_without(struct hd_sm *sm, const struct hd_grid *grid)
{
	uint32_t parts = 0;
	HD_HOOKED (sm->gpu, self, allocation.launch_without)
		parts |= self->hooks->allocation.launch_without(self, sm, grid);
	return parts;
}

uint32_t hd_policy_admit(struct hd_sm *sm, const struct hd_grid *grid, uint32_t registers)
{
	HD_HOOKED (sm->gpu, self, allocation.admit)
		registers = self->hooks->allocation.admit(self, sm, grid, registers);
	return registers;
}

bool hd_policy_can_issue(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	HD_HOOKED (sm->gpu, self, issue.can_issue)
		if (!self->hooks->issue.can_issue(self, warp, inst, now))
			return false;
	return true;
}

uint32_t hd_policy_rename(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg)
{
	HD_HOOKED (sm->gpu, self, operands.rename)
		return self->hooks->operands.rename(self, warp, reg);
	return reg;
}

uint64_t hd_policy_prefer(const struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	HD_HOOKED (sm->gpu, self, issue.prefer)
		return self->hooks->issue.prefer(self, warp, inst, now);
	return 0;
}

uint32_t hd_policy_range(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, bool writes,
			 struct hd_range_access list[HD_MAX_RANGE])
{
	HD_HOOKED (sm->gpu, self, operands.range_writes)
		if (writes)
			return self->hooks->operands.range_writes(self, warp, inst, list);
	HD_HOOKED (sm->gpu, self, operands.range_reads)
		if (!writes)
			return self->hooks->operands.range_reads(self, warp, inst, list);
	return 0;
}

static void forget_names(const struct hd_policy_handle *self, const struct hd_sm *sm, struct hd_warp *warp,
			 uint64_t now)
{
	if (self->hooks->calls.forget_names && sm->hooks & HD_HOOK(rename))
		self->hooks->calls.forget_names(self, warp, now);
}

uint32_t hd_policy_call(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t callee,
			uint64_t now)
{
	uint32_t cycles = 0;
	HD_POLICIES (sm->gpu, self) {
		if (self->hooks->calls.call)
			cycles += self->hooks->calls.call(self, warp, inst, callee, now);
		forget_names(self, sm, warp, now);
	}
	return cycles;
}

uint32_t hd_policy_return(struct hd_sm *sm, struct hd_warp *warp, bool all_threads, uint64_t now)
{
	uint32_t cycles = 0;
	HD_POLICIES (sm->gpu, self) {
		if (self->hooks->calls.call_return)
			cycles += self->hooks->calls.call_return(self, warp, all_threads, now);
		forget_names(self, sm, warp, now);
	}
	return cycles;
}

uint64_t hd_policy_code_place(struct hd_sm *sm, const struct hd_warp *warp, uint32_t *bytes)
{
	uint64_t address = (uint64_t)warp->pc * *bytes;
	HD_HOOKED (sm->gpu, self, issue.code_place)
		return self->hooks->issue.code_place(self, warp, warp->pc, address, bytes);
	return address;
}

void hd_policy_path(struct hd_sm *sm, struct hd_warp *warp, uint32_t lanes, uint64_t now)
{
	uint32_t left = lanes & warp->live, next = warp->active;
	enum hd_path how = HD_PATH_DIVERGED;
	if (next == left || !next || sm->effect.event == HD_EVENT_FAULT)
		return;
	if (sm->effect.yielded)
		how = HD_PATH_YIELDED;
	else if (!(next & left))
		how = HD_PATH_SWITCHED;
	else if (next & ~left)
		how = HD_PATH_JOINED;
	HD_POLICIES (sm->gpu, self) {
		if (self->hooks->calls.path_switch)
			self->hooks->calls.path_switch(self, warp, how, now);
		if (warp->reordered)
			forget_names(self, sm, warp, now);
	}
}

bool hd_policy_memory_access(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	bool goes = true;
	HD_HOOKED (sm->gpu, self, memory.memory_access)
		goes &= self->hooks->memory.memory_access(self, warp, inst, now);
	return goes;
}

bool hd_policy_l1_bypass(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	bool bypass = false;
	HD_HOOKED (sm->gpu, self, memory.l1_bypass)
		bypass |= self->hooks->memory.l1_bypass(self, warp, inst, now);
	return bypass;
}
