/*
 * The parser of `--policy a+b:parameter`: finds the policies in the table or in shared objects, refuses pairs that
 * cannot combine and policies that the configuration has no place for, and adds them to the GPU's.
 *
 * Cost: O(policies), once.
 */
#include "runtime/policy/choice/choice.h"

#include <stdio.h>
#include <string.h>

#include "heddle/config.h"
#include "lib/strbuf.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/keys.h"
#include "runtime/sm/policy_object.h"

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
	if (config->operands != HD_OPERANDS_MODERN || !hd_policy_needs_collectors(policy))
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

/* The policy of which this one is a variant, as ltrf is of ltrf-plus: it has the same hooks, and its name is the first
 * part of the variant's. NULL if there is none. */
static const char *design_of(const struct hd_policy *policy)
{
	for (const struct hd_policy *each = hd_policies; each->name; each++) {
		size_t length = strlen(each->name);
		if (each->hooks == policy->hooks && !strncmp(policy->name, each->name, length) &&
		    policy->name[length] == '-')
			return each->name;
	}
	return NULL;
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
		status = hd_keys_take(gpu, &gpu->policies[i], design_of(gpu->policies[i].policy), diag);
	return status;
}
