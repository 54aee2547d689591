/*
 * Manual pages and completion words from commands.def, passes.def, mir.def, options.def and each command's argp table,
 * so that they say what the programs do.
 */
#include "tools/heddle/manual.h"

#include <stdio.h>
#include <string.h>

#include "lib/mdoc.h"
#include "lib/strbuf.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/pass_tables.h"

struct entry {
	const char *name, *text;
};

static const struct entry commands[] = {
#define CMD(name, help) {#name, help},
#include "tools/heddle/commands.def"
#undef CMD
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char exit_text[] = "0; 1 for a finding; 2 for a usage or input error. Deviations are in DESCRIPTION.\n";

/* ---- heddle(1) */

void manual_program(void)
{
	static const char *const see[] = {"heddle-cc 1", "heddle-passes 7", NULL};
	hd_mdoc_begin(stdout, "heddle", 1, "analyse, check and simulate GPU kernels");
	hd_mdoc_section(stdout, "SYNOPSIS");
	fputs(".Nm\n.Ar command\n.Op Ar option ...\n.Op Ar argument ...\n", stdout);
	hd_mdoc_section(stdout, "DESCRIPTION");
	hd_mdoc_text(stdout, "Reads the analyses that the plugin HeddlePasses.so wrote for GPU kernels, checks them "
			     "against budgets, and runs programs built with heddle-cc on a simulated GPU. Results go "
			     "to standard output, all other output to standard error.\n\n"
			     "The commands are:\n");
	hd_mdoc_list_begin(stdout);
	for (unsigned i = 0; i < COMMANDS; i++) {
		fprintf(stdout, ".It Xr heddle-%s 1\n", commands[i].name);
		hd_mdoc_text(stdout, commands[i].text);
	}
	hd_mdoc_list_end(stdout);
	hd_mdoc_section(stdout, "ENVIRONMENT");
	hd_mdoc_list_begin(stdout);
	hd_mdoc_item(stdout, "HEDDLE_DATA",
		     "Folder with GPU configurations and headers (default: share/heddle next to the program).");
	hd_mdoc_item(stdout, "NO_COLOR", "If set, output has no colours.");
	hd_mdoc_list_end(stdout);
	hd_mdoc_section(stdout, "EXIT STATUS");
	hd_mdoc_text(stdout, exit_text);
	hd_mdoc_see_also(stdout, see);
}

/* ---- the commands */

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc;
}

static char short_name(const struct argp_option *option)
{
	return option->key > ' ' && option->key < 127 ? (char)option->key : 0;
}

static void list_options(const struct argp *argp)
{
	hd_mdoc_section(stdout, "OPTIONS");
	hd_mdoc_list_begin(stdout);
	for (const struct argp_option *option = argp->options; option && !is_end(option); option++) {
		struct hd_strbuf name = {0};
		hd_strbuf_printf(&name, "--%s", option->name ? option->name : "");
		if (!(option->flags & OPTION_HIDDEN))
			hd_mdoc_option(stdout, short_name(option), option->name ? hd_strbuf_text(&name) : NULL,
				       option->arg, option->doc ? option->doc : "");
		hd_strbuf_release(&name);
	}
	hd_mdoc_option(stdout, '?', "--help", NULL, "print help and exit");
	hd_mdoc_option(stdout, 'V', "--version", NULL, "print the version and exit");
	hd_mdoc_list_end(stdout);
}

/* argp separates forms of the command line by line ends. */
static void synopsis(const struct argp *argp, const char *name)
{
	const char *form = argp->args_doc ? argp->args_doc : "";
	hd_mdoc_section(stdout, "SYNOPSIS");
	do {
		size_t len = strcspn(form, "\n");
		printf(".Nm %s\n.Op Ar option ...\n", name);
		struct hd_strbuf words = {0};
		hd_strbuf_append_bytes(&words, form, len);
		if (len)
			hd_mdoc_line(stdout, "Ar", hd_strbuf_text(&words));
		hd_strbuf_release(&words);
		form += len + (form[len] == '\n');
	} while (*form);
}

/* argp's text before the options and, behind \v, after them. */
static void description(const struct argp *argp)
{
	struct hd_strbuf text = {0};
	hd_mdoc_section(stdout, "DESCRIPTION");
	hd_strbuf_append(&text, argp->doc ? argp->doc : "");
	char *rest = text.data ? strchr(text.data, '\v') : NULL;
	if (rest)
		*rest = 0;
	hd_mdoc_text(stdout, hd_strbuf_text(&text));
	if (rest) {
		fputs(".Pp\n", stdout);
		hd_mdoc_text(stdout, rest + 1);
	}
	hd_strbuf_release(&text);
}

void manual_command(const struct argp *argp, const char *name)
{
	static const char *const see[] = {"heddle 1", "heddle-cc 1", NULL};
	const char *command = strchr(name, ' ') + 1, *about = "";
	struct hd_strbuf page = {0};
	for (unsigned i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, command))
			about = commands[i].text;
	hd_strbuf_printf(&page, "heddle-%s", command);
	hd_mdoc_begin(stdout, hd_strbuf_text(&page), 1, about);
	hd_strbuf_release(&page);
	synopsis(argp, name);
	description(argp);
	list_options(argp);
	hd_mdoc_section(stdout, "EXIT STATUS");
	hd_mdoc_text(stdout, exit_text);
	hd_mdoc_see_also(stdout, see);
}

/* ---- heddle-passes(7) */

struct parameter {
	const char *name, *value, *initial, *text;
};

#define VALUE_STRING(min, max) "TEXT"
#define VALUE_FLAG(min, max) NULL
#define VALUE_NUMBER(min, max) #min ".." #max
#define VALUE_CHOICE(min, max) max
#define VALUE_NAMES(min, max) "NAME+..."
#define INITIAL_STRING(initial) NULL
#define INITIAL_FLAG(initial) NULL
#define INITIAL_NUMBER(initial) #initial
#define INITIAL_CHOICE(initial) initial
#define INITIAL_NAMES(initial) NULL

static const struct parameter parameters[] = {
#define HD_OPTION(key, field, type, initial, min, max, recorded, help) \
	{key, VALUE_##type(min, max), INITIAL_##type(initial), help},
#include "passes/options.def"
#undef HD_OPTION
};

static void list_parameters(void)
{
	hd_mdoc_section(stdout, "PARAMETERS");
	hd_mdoc_list_begin(stdout);
	for (unsigned i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		const struct parameter *parameter = &parameters[i];
		struct hd_strbuf text = {0};
		hd_strbuf_append(&text, parameter->text);
		if (parameter->initial)
			hd_strbuf_printf(&text, " (default %s)", parameter->initial);
		fputs(".It Cm ", stdout);
		fputs(parameter->name, stdout);
		if (parameter->value)
			printf(" Ns = Ns Ar %s", parameter->value);
		putchar('\n');
		hd_mdoc_text(stdout, hd_strbuf_text(&text));
		hd_strbuf_release(&text);
	}
	hd_mdoc_list_end(stdout);
}

static void list_row(const char *name, const char *mark, const char *text, const char *paper)
{
	struct hd_strbuf title = {0}, about = {0};
	hd_strbuf_printf(&title, "%s%s", name, mark);
	hd_strbuf_printf(&about, "%s%s%s%s", text, paper ? " (" : "", paper ? paper : "", paper ? ")" : "");
	hd_mdoc_item(stdout, hd_strbuf_text(&title), hd_strbuf_text(&about));
	hd_strbuf_release(&title);
	hd_strbuf_release(&about);
}

static void list_passes(void)
{
	hd_mdoc_section(stdout, "PASSES");
	hd_mdoc_text(stdout, "Passes run in this order. A pass with an asterisk has a printer, print<heddle-NAME>.\n");
	hd_mdoc_list_begin(stdout);
	for (unsigned i = 0; i < PASS_COUNT; i++)
		list_row(pass_table[i].name, pass_table[i].printer ? " *" : "", pass_table[i].doc, pass_table[i].paper);
	hd_mdoc_list_end(stdout);
}

static void list_steps(void)
{
	hd_mdoc_section(stdout, "STEPS");
	hd_mdoc_text(stdout,
		     "Pass `lower` runs these steps on each function, in this order. dump= takes their names.\n");
	hd_mdoc_list_begin(stdout);
	for (unsigned i = 0; i < STEP_COUNT; i++)
		list_row(step_table[i].name, "", step_table[i].doc, step_table[i].paper);
	hd_mdoc_list_end(stdout);
}

static void list_switches(void)
{
	hd_mdoc_section(stdout, "SWITCHES");
	hd_mdoc_text(
		stdout,
		"without= and heddle-cc's -heddle-no-NAME take these names. Each entry ends with its pass or step.\n");
	hd_mdoc_list_begin(stdout);
	for (unsigned i = 0; i < SWITCH_COUNT; i++)
		list_row(switch_table[i].name, "", switch_table[i].doc, switch_table[i].step);
	hd_mdoc_list_end(stdout);
}

void manual_passes(void)
{
	static const char *const see[] = {"heddle 1", "heddle-cc 1", NULL};
	hd_mdoc_begin(stdout, "heddle-passes", 7, "the LLVM " HD_LLVM " plugin of Heddle and its parameters");
	hd_mdoc_section(stdout, "SYNOPSIS");
	hd_mdoc_text(stdout,
		     "  opt-" HD_LLVM " -load-pass-plugin=HeddlePasses.so -passes='heddle<PARAMETER;...>' FILE\n"
		     "  opt-" HD_LLVM
		     " -load-pass-plugin=HeddlePasses.so -passes='print<heddle-NAME;PARAMETER;...>' FILE\n"
		     "  HEDDLE_PASS='PARAMETER;...' clang++-" HD_LLVM " -fpass-plugin=HeddlePasses.so ...\n");
	hd_mdoc_section(stdout, "DESCRIPTION");
	hd_mdoc_text(stdout,
		     "Lowers an NVPTX module to machine kernels and analyses them. Writes the results into the "
		     "module, into a kernel object and into a JSON file next to it. Under clang, the plugin runs at "
		     "the end of the optimizer and ignores other targets.\n\n"
		     "-Rpass-analysis=heddle-NAME prints remarks (opt: -pass-remarks-analysis); "
		     "-fsave-optimization-record writes them to a file (opt: -pass-remarks-output).\n");
	list_parameters();
	list_passes();
	list_steps();
	list_switches();
	hd_mdoc_see_also(stdout, see);
}

/* ---- completion */

void manual_options(const struct argp *argp)
{
	for (const struct argp_option *option = argp->options; option && !is_end(option); option++) {
		const char *equals = option->arg ? "=" : "", *value = option->arg ? option->arg : "";
		if (option->name)
			printf("--%s%s%s\n", option->name, equals, value);
		if (short_name(option))
			printf("-%c%s%s\n", short_name(option), equals, value);
	}
	puts("--help\n--version");
}

void manual_commands(void)
{
	for (unsigned i = 0; i < COMMANDS; i++)
		puts(commands[i].name);
}
