/*
 * heddle passes: what the compiler does in order, the papers that it follows, and which parts can be left out.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tools/heddle/cmd.h"
#include "tools/heddle/pass_tables.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*(bool *)state->input = true;
	return 0;
}

/* ---- text */

static int wider(int width, const char *name)
{
	int len = (int)strlen(name);
	return len > width ? len : width;
}

static void print_row(const char *name, const char *mark, const char *doc, const char *paper)
{
	int width = 0; /* one for both tables */
	for (unsigned i = 0; i < PASS_COUNT; i++)
		width = wider(width, pass_table[i].name);
	for (unsigned i = 0; i < STEP_COUNT; i++)
		width = wider(width, step_table[i].name);
	printf("  %-*s %-20s %s%s%s%s\n", width, name, mark, doc, paper ? " (" : "", paper ? paper : "",
	       paper ? ")" : "");
}

static void print_passes(void)
{
	puts("passes, in their order; print<heddle-NAME> shows what those with 'print' find:");
	for (unsigned i = 0; i < PASS_COUNT; i++)
		print_row(pass_table[i].name, pass_table[i].printer ? "print" : "", pass_table[i].doc,
			  pass_table[i].paper);
}

static void print_steps(void)
{
	puts("\nsteps of machine IR in `lower`, in their order, with the form of the code before and behind them; "
	     "dump=NAME shows\nthe function behind one:");
	for (unsigned i = 0; i < STEP_COUNT; i++) {
		const struct step_row *step = &step_table[i];
		char form[32];
		bool same = strcmp(step->needs, step->leaves) == 0;
		snprintf(form, sizeof(form), "%s%s%s", step->needs, same ? "" : " to ", same ? "" : step->leaves);
		print_row(step->name, form, step->doc, step->paper);
	}
}

static void print_switches(void)
{
	puts("\nswitches and the passes or steps that have them; without=NAME (heddle-cc: -heddle-no-NAME) leaves one "
	     "out:");
	int width = 0;
	for (unsigned i = 0; i < SWITCH_COUNT; i++)
		width = wider(width, switch_table[i].step);
	for (unsigned i = 0; i < SWITCH_COUNT; i++)
		printf("  %-22s %-*s %s\n", switch_table[i].name, width, switch_table[i].step, switch_table[i].doc);
}

/* ---- JSON */

/* The names of the switches of a pass or step. */
static json_t *switches_of(const char *step)
{
	json_t *names = json_array();
	for (unsigned i = 0; i < SWITCH_COUNT; i++)
		if (!strcmp(switch_table[i].step, step))
			json_array_append_new(names, json_string(switch_table[i].name));
	return names;
}

static json_t *passes_json(void)
{
	json_t *passes = json_array();
	for (unsigned i = 0; i < PASS_COUNT; i++) {
		const struct pass_row *pass = &pass_table[i];
		json_t *
			requires
		= json_array();
		for (unsigned other = 0; other < PASS_COUNT; other++)
			if (pass->requires >> other & 1)
				json_array_append_new(requires, json_string(pass_table[other].name));
		json_array_append_new(passes,
				      json_pack("{s:s,s:s,s:s,s:o,s:b,s:o,s:s?}", "name", pass->name, "doc", pass->doc,
						"level", pass->level, "requires", requires, "printer", pass->printer,
						"switches", switches_of(pass->name), "paper", pass->paper));
	}
	return passes;
}

static json_t *steps_json(void)
{
	json_t *steps = json_array();
	for (unsigned i = 0; i < STEP_COUNT; i++)
		json_array_append_new(steps, json_pack("{s:s,s:s,s:s,s:s,s:o,s:s?}", "name", step_table[i].name, "doc",
						       step_table[i].doc, "needs", step_table[i].needs, "leaves",
						       step_table[i].leaves, "switches",
						       switches_of(step_table[i].name), "paper", step_table[i].paper));
	return steps;
}

static json_t *switches_json(void)
{
	json_t *switches = json_array();
	for (unsigned i = 0; i < SWITCH_COUNT; i++)
		json_array_append_new(switches, json_pack("{s:s,s:s,s:s}", "name", switch_table[i].name, "step",
							  switch_table[i].step, "doc", switch_table[i].doc));
	return switches;
}

int cmd_passes(int argc, char **argv)
{
	static const struct argp_option options[] = {{"json", 'j', NULL, 0, "print JSON", 0}, {0}};
	static const char doc[] =
		"Lists the compiler's passes, the machine IR steps of pass `lower`, and the switches that turn "
		"off single optimisations.\v"
		"Each row names the paper and section that it follows, if any. heddle-passes(7) describes the "
		"parameters. The field `flags` in the metadata of a build lists its switches.";
	static const struct argp argp = {options, parse, NULL, doc, NULL, NULL, NULL};
	bool as_json = false;
	cmd_parse(&argp, argc, argv, 0, &as_json);
	if (as_json)
		return cmd_print_json(json_pack("{s:o,s:o,s:o}", "passes", passes_json(), "steps", steps_json(),
						"switches", switches_json()));
	print_passes();
	print_steps();
	print_switches();
	return CMD_OK;
}
