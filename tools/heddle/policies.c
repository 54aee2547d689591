/*
 * heddle policies: the hardware designs that --policy takes.
 */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "heddle/policy.h"
#include "tools/heddle/cmd.h"

struct arguments {
	bool as_json, keys, counts, combinations;
	char **objects;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	(void)arg;
	switch (key) {
	case 'j': arguments->as_json = true; return 0;
	case 'k': arguments->keys = true; return 0;
	case 'c': arguments->counts = true; return 0;
	case 'b': arguments->combinations = true; return 0;
	case ARGP_KEY_ARGS: arguments->objects = state->argv + state->next; return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* The keys of its section: calls `each` with one after the other. */
static void walk_keys(const struct hd_policy *policy,
		      void (*each)(void *context, const char *key, double value, const char *help), void *context)
{
	const struct hd_policy_setting *setting = policy->hooks ? policy->hooks->settings : NULL;
	const struct hd_policy_energy *energy = policy->hooks ? policy->hooks->energy : NULL;
	char key[96];
	for (; setting && setting->name; setting++) {
		snprintf(key, sizeof key, "%s.%s", policy->name, setting->name);
		each(context, key, setting->value, setting->help);
	}
	for (; energy && energy->name; energy++) {
		snprintf(key, sizeof key, "%s.pj_%s", policy->name, energy->name);
		each(context, key, energy->pj, energy->help);
	}
}

static void print_key(void *context, const char *key, double value, const char *help)
{
	(void)context;
	printf("%-14s   %s = %g: %s\n", "", key, value, help);
}

static void add_key(void *context, const char *key, double value, const char *help)
{
	json_array_append_new(context, json_pack("{s:s,s:f,s:s}", "key", key, "default", value, "help", help));
}

/* What the engine keeps for it, and what it reports itself. */
enum { COUNT_TABLES = 2 };
static const struct hd_policy_count *counts_of(const struct hd_policy *policy, unsigned table)
{
	static const struct hd_policy_count none = {0};
	const struct hd_policy_hooks *hooks = policy->hooks;
	const struct hd_policy_count *rows = !hooks ? NULL : table ? hooks->observation.reported : hooks->counts;
	return rows ? rows : &none;
}

static json_t *counts_array(const struct hd_policy *policy)
{
	json_t *array = json_array();
	for (unsigned table = 0; table < COUNT_TABLES; table++)
		for (const struct hd_policy_count *row = counts_of(policy, table); row->name; row++)
			json_array_append_new(array, json_pack("{s:s,s:s,s:s}", "name", row->name, "unit", row->unit,
							       "help", row->help));
	return array;
}

/* ---- which combine */

static json_t *names_array(uint32_t touches)
{
	const char *names[HD_TOUCH_COUNT];
	uint32_t count = hd_policy_touched(touches, names);
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, json_string(names[i]));
	return array;
}

/* The baseline stands for nothing in a combination. */
static bool is_partner(const struct hd_policy *policy, const struct hd_policy *other)
{
	return policy != hd_policies && other != hd_policies && strcmp(policy->name, other->name) != 0;
}

static void add_partners(json_t *object, const struct hd_policy *policy)
{
	json_t *combines = json_array(), *refused = json_array(), *joins = json_array();
	for (const struct hd_policy *other = hd_policies; other->name; other++) {
		uint32_t both = hd_policy_conflict(policy, other);
		if (!is_partner(policy, other))
			continue;
		if (both)
			json_array_append_new(refused,
					      json_pack("{s:s,s:o}", "policy", other->name, "both", names_array(both)));
		else
			json_array_append_new(combines, json_string(other->name));
		if (hd_policy_joins(policy, other))
			json_array_append_new(joins, json_string(other->name));
	}
	json_object_set_new(object, "takes_over", names_array(policy->touches));
	json_object_set_new(object, "several_grids",
			    json_boolean(policy == hd_policies || policy->hooks->several_grids));
	json_object_set_new(object, "needs_collectors", json_boolean(hd_policy_needs_collectors(policy)));
	json_object_set_new(object, "joins", joins);
	const char *why = hd_policy_needs_scoreboard(policy);
	json_object_set_new(object, "cores",
			    why ? json_pack("[s]", "scoreboard") : json_pack("[s,s]", "scoreboard", "modern"));
	if (why)
		json_object_set_new(object, "needs_scoreboard", json_string(why));
	json_object_set_new(object, "combines", combines);
	json_object_set_new(object, "refused", refused);
}

static void print_partners(const struct hd_policy *policy)
{
	const char *names[HD_TOUCH_COUNT], *before = "", *why = hd_policy_needs_scoreboard(policy);
	printf("%-14s   core: scoreboard%s%s%s\n", "", why ? " (" : ", modern", why ? why : "", why ? ")" : "");
	printf("%-14s   combines with ", "");
	for (const struct hd_policy *other = hd_policies; other->name; other++) {
		if (!is_partner(policy, other) || hd_policy_conflict(policy, other))
			continue;
		printf("%s%s", before, other->name);
		before = ", ";
	}
	printf("%s\n", *before ? "" : "none");
	for (const struct hd_policy *other = hd_policies; other->name; other++) {
		if (!is_partner(policy, other) || !hd_policy_conflict(policy, other))
			continue;
		uint32_t count = hd_policy_touched(hd_policy_conflict(policy, other), names);
		printf("%-14s   not with %s: both take over ", "", other->name);
		for (uint32_t i = 0; i < count; i++)
			printf("%s%s", i ? ", " : "", names[i]);
		putchar('\n');
	}
}

static void add_object(json_t *all, const struct hd_policy *policy, const char *name, const char *paper)
{
	json_t *keys = json_array();
	walk_keys(policy, add_key, keys);
	json_t *object = json_pack("{s:s,s:s,s:s,s:o,s:o}", "name", name, "help", policy->help, "paper", paper, "keys",
				   keys, "counts", counts_array(policy));
	add_partners(object, policy);
	json_array_append_new(all, object);
}

/* `name`: what --policy takes. */
static void show(const struct hd_policy *policy, const char *name, const struct arguments *arguments, json_t *all)
{
	const char *paper = policy->paper ? policy->paper : "";
	if (all) {
		add_object(all, policy, name, paper);
		return;
	}
	printf("%-14s %s%s%s%s\n", name, policy->help, *paper ? " (" : "", paper, *paper ? ")" : "");
	if (policy->parameters)
		printf("%-14s   %s:X, X is %s\n", "", name, policy->parameters);
	if (policy->best_of)
		printf("%-14s   best-%s: the fastest of X = %s\n", "", name, policy->best_of);
	if (arguments->keys)
		walk_keys(policy, print_key, NULL);
	if (arguments->combinations && policy != hd_policies)
		print_partners(policy);
	for (unsigned table = 0; table < COUNT_TABLES && arguments->counts; table++)
		for (const struct hd_policy_count *row = counts_of(policy, table); row->name; row++)
			printf("%-14s   %s.%s%s%s: %s\n", "", policy->name, row->name, *row->unit ? ", " : "",
			       row->unit, row->help);
}

static int show_object(const char *path, const struct arguments *arguments, json_t *all)
{
	struct hd_diag diag = {.tool = "heddle"};
	const struct hd_policy *policy = hd_policy_load(path, strlen(path), &diag);
	if (policy)
		show(policy, path, arguments, all);
	return policy ? 0 : CMD_ERROR;
}

int cmd_policies(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"keys", 'k', NULL, 0,
		 "print the configuration keys of each design with default and meaning (set them with heddle run "
		 "--set)",
		 0},
		{"counts", 'c', NULL, 0, "print the counters of each design (its own section in the statistics)", 0},
		{"combinations", 'b', NULL, 0,
		 "print the cores that each design supports, the designs that it combines with, and for all others the "
		 "unit that both replace",
		 0},
		{"json", 'j', NULL, 0, "print JSON, combinations included", 0},
		{0}};
	static const struct argp argp = {
		options,
		parse,
		"[OBJECT.so...]",
		"Lists the hardware designs for 'heddle run --policy', and those in shared objects.",
		NULL,
		NULL,
		NULL};
	struct arguments arguments = {0};
	cmd_parse(&argp, argc, argv, 0, &arguments);
	json_t *all = arguments.as_json ? json_array() : NULL;
	for (const struct hd_policy *policy = hd_policies; policy->name; policy++)
		show(policy, policy->name, &arguments, all);
	int status = 0;
	for (char **object = arguments.objects; !status && object && *object; object++)
		status = show_object(*object, &arguments, all);
	if (all && !status) {
		json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
		putchar('\n');
	}
	json_decref(all);
	return status;
}
