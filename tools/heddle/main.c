/*
 * The `heddle` program: finds the subcommand and runs it. Results go to stdout, everything
 * else to stderr; the exit status is 0, 1 for a finding, 2 for a usage or input error.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/metadata.h"
#include "heddle/version.h"
#include "lib/arena.h"
#include "lib/metadata/json.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/manual.h"

static const struct cmd commands[] = {
#define CMD(name, help) {#name, help, cmd_##name},
#include "tools/heddle/commands.def"
#undef CMD
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void print_help(FILE *out)
{
	fputs("Usage: heddle COMMAND [OPTION...] [ARG...]\n"
	      "Analyses GPU kernels and simulates GPUs that run them.\n\n"
	      "Commands:\n",
	      out);
	for (unsigned i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
	fputs("\n`heddle help COMMAND` explains a command. `heddle --version` prints the version.\n", out);
}

static int unknown_command(const char *name)
{
	const char *names[COMMANDS];
	for (unsigned i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	char *near = hd_nearest_names(name, names, COMMANDS);
	const char *kind = name[0] == '-' ? "option" : "command";
	if (near[0])
		cmd_error("unknown %s '%s'; did you mean: %s?", kind, name, near);
	else
		cmd_error("unknown %s '%s'; `heddle --help` lists the commands", kind, name);
	free(near);
	return CMD_ERROR;
}

static int run_command(const struct cmd *command, int argc, char **argv)
{
	/* argp and getopt take the program's name for messages from argv[0]. */
	char name[64];
	snprintf(name, sizeof(name), "heddle %s", command->name);
	argv[0] = name;
	program_invocation_short_name = name;
	argp_program_version = "heddle " HD_VERSION;
	argp_err_exit_status = CMD_ERROR;
	return command->run(argc, argv);
}

static const struct cmd *command_named(const char *name)
{
	for (unsigned i = 0; i < COMMANDS; i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

/* `heddle help`, and `heddle help COMMAND`: as COMMAND --help. */
static int help(int argc, char **argv)
{
	const struct cmd *command = argc > 2 ? command_named(argv[2]) : NULL;
	char option[] = "--help", *words[] = {argv[1], option, NULL};
	if (argc > 2)
		return command ? run_command(command, 2, words) : unknown_command(argv[2]);
	print_help(stdout);
	return CMD_OK;
}

static void print_schema(void)
{
	char *schema = hd_metadata_schema();
	fputs(schema ? schema : "", stdout);
	free(schema);
}

/* The pages and words that `make` asks for, and the schema of the metadata. */
static bool describe(const char *option, const char *about)
{
	if (strcmp(option, "--options") == 0)
		manual_commands();
	else if (strcmp(option, "--man") == 0 && !about)
		manual_program();
	else if (strcmp(option, "--man") == 0 && strcmp(about, "passes") == 0)
		manual_passes();
	else if (strcmp(option, "--schema") == 0)
		print_schema();
	else
		return false;
	return true;
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return CMD_ERROR;
	}
	const char *name = argv[1];
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
		return help(argc, argv);
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		puts("heddle " HD_VERSION);
		return CMD_OK;
	}
	if (describe(name, argv[2]))
		return CMD_OK;
	const struct cmd *command = command_named(name);
	return command ? run_command(command, argc - 1, argv + 1) : unknown_command(name);
}

int main(int argc, char **argv)
{
	hd_out_of_memory_status(CMD_ERROR);
	hd_json_never_null();
	int status = dispatch(argc, argv);
	/* A full disk must not look like success. */
	if (fflush(stdout) != 0 || ferror(stdout))
		return cmd_error("cannot write the output: %s", strerror(errno));
	return status;
}
