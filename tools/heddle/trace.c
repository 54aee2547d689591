/*
 * heddle trace: the events of a program's run, a line each, on standard output or in a file: `heddle run --trace` whose
 * lines do not go between what the program prints. runtime/watch/trace.c writes them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/object.h"
#include "heddle/trace.h"
#include "lib/strbuf.h"
#include "tools/heddle/cmd.h"

struct options {
	HD_VEC(char *) words; /* of `heddle run` */
	const char *streams, *out;
	int rest; /* the program's place among the words of the command line */
};

static const struct argp_option table[] = {
	{"gpu", 'g', "NAME", 0, "GPU to simulate (default v100; 'heddle gpus' lists them)", 0},
	{"policy", 'p', "NAME", 0, "hardware design to simulate (default baseline; 'heddle policies' lists them)", 0},
	{"set", 's', "KEY=VALUE", 0, "change a configuration key ('heddle gpus NAME' lists them)", 0},
	{"output", 'o', "FILE", 0, "write the lines to FILE (default: standard output)", 0},
	{0},
};

static void add_word(struct options *options, const char *option, const char *value)
{
	struct hd_strbuf word = {0};
	hd_strbuf_printf(&word, "%s%s", option, value);
	hd_vec_push(&options->words, hd_strbuf_detach(&word));
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;
	switch (key) {
	case 'g': add_word(options, "--gpu=", arg); return 0;
	case 'p': add_word(options, "--policy=", arg); return 0;
	case 's': add_word(options, "--set=", arg); return 0;
	case 'o': options->out = arg; return 0;
	case ARGP_KEY_ARG:
		options->streams = arg;
		options->rest = state->next;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no streams, e.g. issue,lsu@1000:1200"); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* The lines take the descriptor; what the program and heddle print goes to standard error. */
static int place(const struct options *options)
{
	int file =
		options->out ? open(options->out, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666) : dup(STDOUT_FILENO);
	char number[16];
	if (file < 0)
		return cmd_error("%s: %s", options->out ? options->out : "standard output", strerror(errno));
	snprintf(number, sizeof number, "%d", file);
	setenv("HEDDLE_TRACE_FD", number, 1);
	return !options->out && dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ? cmd_error("%s", strerror(errno)) : CMD_OK;
}

/* The command once printed lengths of intervals of OBJECT, its first operand. */
static int check_streams(const char *streams)
{
	struct hd_diag diag = {.tool = "heddle trace"};
	struct hd_trace trace;
	if (!hd_trace_parse(&trace, streams, &diag))
		return CMD_OK;
	return !access(streams, F_OK)
		       ? cmd_error("lengths of register-intervals: heddle info --intervals=TRACE %s", streams)
		       : CMD_ERROR;
}

int cmd_trace(int argc, char **argv)
{
	static const char doc[] =
		"Prints the events of a program's run on the simulated GPU, one a line.\v"
		"STREAMS are names separated by commas, and the core cycles wanted: issue,lsu@1000:1200.\n\n"
#define X(name, help) "  " #name ": " help "\n"
		HD_TRACE_LIST(X)
#undef X
			"\nA line has the cycle, the stream, the SM, the warp's slot, block and warp in it, the "
			"function, the "
			"instruction's offset in it, a value of the stream, and the instruction. What the program "
			"prints goes to "
			"standard error, unless the lines go to a file. The exit status is that of `heddle run`.";
	static const struct argp argp = {table, parse_option, "STREAMS[@FROM:TO] PROGRAM [ARG...]", doc, NULL,
					 NULL,	NULL};
	struct options options = {0};
	hd_vec_push(&options.words, strdup("heddle trace"));
	hd_vec_push(&options.words, strdup("--quiet"));
	cmd_parse(&argp, argc, argv, ARGP_IN_ORDER, &options);
	int status = check_streams(options.streams);
	add_word(&options, "--trace=", options.streams);
	add_word(&options, "--", "");
	uint32_t own = options.words.len;
	for (int i = options.rest; i < argc; i++)
		hd_vec_push(&options.words, argv[i]);
	uint32_t count = options.words.len;
	hd_vec_push(&options.words, NULL);
	if (status == CMD_OK && count == own)
		status = cmd_error("no program; usage: heddle trace STREAMS PROGRAM [ARG...]");
	if (status == CMD_OK)
		status = place(&options);
	if (status == CMD_OK)
		status = cmd_run((int)count, options.words.data);
	for (uint32_t i = 0; i < own; i++)
		free(options.words.data[i]);
	hd_vec_release(&options.words);
	return status;
}
