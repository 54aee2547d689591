/*
 * heddle policies: the hardware designs that --policy takes.
 */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>

#include "heddle/policy.h"
#include "tools/heddle/cmd.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*(bool *)state->input = true;
	return 0;
}

int cmd_policies(int argc, char **argv)
{
	static const struct argp_option options[] = {{"json", 'j', NULL, 0, "print JSON", 0}, {0}};
	static const struct argp argp = {options, parse,
					 NULL,	  "Lists the hardware designs that 'heddle run --policy' takes.",
					 NULL,	  NULL,
					 NULL};
	bool as_json = false;
	cmd_parse(&argp, argc, argv, 0, &as_json);
	json_t *all = json_array();
	for (const struct hd_policy *policy = hd_policies; policy->name; policy++) {
		const char *paper = policy->paper ? policy->paper : "";
		if (as_json)
			json_array_append_new(all, json_pack("{s:s,s:s,s:s}", "name", policy->name, "help",
							     policy->help, "paper", paper));
		else
			printf("%-14s %s%s%s%s\n", policy->name, policy->help, *paper ? " (" : "", paper,
			       *paper ? ")" : "");
		if (!as_json && policy->parameters)
			printf("%-14s   %s:X, X is %s\n", "", policy->name, policy->parameters);
		if (!as_json && policy->best_of)
			printf("%-14s   best-%s: the fastest of X = %s\n", "", policy->name, policy->best_of);
	}
	if (as_json) {
		json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
		putchar('\n');
	}
	json_decref(all);
	return 0;
}
