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
	bool as_json;
	char **objects;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	(void)arg;
	switch (key) {
	case 'j': arguments->as_json = true; return 0;
	case ARGP_KEY_ARGS: arguments->objects = state->argv + state->next; return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* `name`: what --policy takes. */
static void show(const struct hd_policy *policy, const char *name, json_t *all)
{
	const char *paper = policy->paper ? policy->paper : "";
	if (all) {
		json_array_append_new(all,
				      json_pack("{s:s,s:s,s:s}", "name", name, "help", policy->help, "paper", paper));
		return;
	}
	printf("%-14s %s%s%s%s\n", name, policy->help, *paper ? " (" : "", paper, *paper ? ")" : "");
	if (policy->parameters)
		printf("%-14s   %s:X, X is %s\n", "", name, policy->parameters);
	if (policy->best_of)
		printf("%-14s   best-%s: the fastest of X = %s\n", "", name, policy->best_of);
}

static int show_object(const char *path, json_t *all)
{
	struct hd_diag diag = {.tool = "heddle"};
	const struct hd_policy *policy = hd_policy_load(path, strlen(path), &diag);
	if (policy)
		show(policy, path, all);
	return policy ? 0 : CMD_ERROR;
}

int cmd_policies(int argc, char **argv)
{
	static const struct argp_option options[] = {{"json", 'j', NULL, 0, "print JSON", 0}, {0}};
	static const struct argp argp = {
		options,
		parse,
		"[OBJECT.so...]",
		"Lists the hardware designs that 'heddle run --policy' takes, and those in shared objects.",
		NULL,
		NULL,
		NULL};
	struct arguments arguments = {0};
	cmd_parse(&argp, argc, argv, 0, &arguments);
	json_t *all = arguments.as_json ? json_array() : NULL;
	for (const struct hd_policy *policy = hd_policies; policy->name; policy++)
		show(policy, policy->name, all);
	int status = 0;
	for (char **object = arguments.objects; !status && object && *object; object++)
		status = show_object(*object, all);
	if (all && !status) {
		json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
		putchar('\n');
	}
	json_decref(all);
	return status;
}
