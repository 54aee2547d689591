/*
 * Helpers of the subcommands: command lines, inputs, JSON and colour.
 */
#include "tools/heddle/cmd.h"

#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cubin/cubin.h"
#include "lib/metadata/json.h"
#include "tools/heddle/cubin_input.h"
#include "tools/heddle/manual.h"

int cmd_error(const char *format, ...)
{
	struct hd_diag diag = {.tool = "heddle"};
	va_list args;
	va_start(args, format);
	hd_diag_vreport(&diag, HD_ERROR, HD_NOWHERE, format, args);
	va_end(args);
	return CMD_ERROR;
}

enum { MOST_OPTIONS = 256 };

/* "--name" of argp's own options, then of the command's. */
static unsigned option_names(const struct argp *argp, const char **names, struct hd_arena *arena)
{
	unsigned count = 0;
	names[count++] = "--help";
	names[count++] = "--usage";
	names[count++] = "--version";
	for (const struct argp_option *option = argp->options; option && (option->name || option->key || option->doc);
	     option++)
		if (option->name && count < MOST_OPTIONS)
			names[count++] = hd_arena_printf(arena, "--%s", option->name);
	return count;
}

/* getopt takes any beginning of a name that is the beginning of one name only; ambiguity it reports itself. */
static bool known_option(const char *arg, size_t len, const char *const *names, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (strncmp(names[i], arg, len) == 0)
			return true;
	return false;
}

static _Noreturn void unknown_option(const char *command, const char *wanted, const char *const *names, unsigned count)
{
	char *near = hd_nearest_names(wanted, names, count);
	if (near[0])
		cmd_error("%s: unknown option '%s'; did you mean: %s?", command, wanted, near);
	else
		cmd_error("%s: unknown option '%s'; `%s --help` lists the options", command, wanted, command);
	exit(CMD_ERROR);
}

/* Whether the next argument is this option's value. */
static bool takes_next(const struct argp *argp, const char *arg)
{
	const struct argp_option *option = argp->options;
	size_t len = strlen(arg);
	for (; option && (option->name || option->key || option->doc); option++) {
		bool value = option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
		bool is_long = arg[1] == '-' && option->name && strncmp(option->name, arg + 2, len - 2) == 0;
		bool is_short = arg[1] != '-' && option->key < 128 && arg[len - 1] == option->key;
		if (value && len > 1 && (is_long || is_short))
			return true;
	}
	return false;
}

static void check_options(const struct argp *argp, int argc, char **argv, bool in_order)
{
	const char *names[MOST_OPTIONS];
	struct hd_arena arena;
	hd_arena_init(&arena);
	unsigned count = option_names(argp, names, &arena);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *arg = argv[i];
		bool operand = arg[0] != '-' || !arg[1];
		if (operand && in_order)
			break;
		if (operand)
			continue;
		size_t len = strcspn(arg, "=");
		if (arg[1] == '-' && !known_option(arg, len, names, count))
			unknown_option(argv[0], hd_arena_printf(&arena, "%.*s", (int)len, arg), names, count);
		if (arg[len] != '=' && takes_next(argp, arg))
			i++;
	}
	hd_arena_release(&arena);
}

/* As --help does, these end the program. */
static void describe(const struct argp *argp, int argc, char **argv)
{
	bool page = argc == 2 && strcmp(argv[1], "--man") == 0, words = argc == 2 && strcmp(argv[1], "--options") == 0;
	if (page)
		manual_command(argp, argv[0]);
	if (words)
		manual_options(argp);
	if (page || words)
		exit(CMD_OK);
}

void cmd_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	describe(argp, argc, argv);
	check_options(argp, argc, argv, flags & ARGP_IN_ORDER);
	int error = argp_parse(argp, argc, argv, flags, NULL, input);
	/* argp says what is wrong with a line and ends. It returns where it found no memory, and nothing was read. */
	if (error)
		exit(cmd_error("cannot read the command line: %s", strerror(error)));
}

uint32_t cmd_parse_count(struct argp_state *state, const char *option, const char *text, uint32_t min, uint32_t max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);
	if (!text[0] || *end || text[0] == '-' || value < min || value > max)
		argp_error(state, "%s: expected a number from %u to %u, not '%s'", option, min, max, text);
	return (uint32_t)value;
}

int cmd_print_json(struct json_t *value)
{
	char *text = hd_json_dump(value);
	json_decref(value);
	if (!text)
		return cmd_error("out of memory");
	fputs(text, stdout);
	free(text);
	return CMD_OK;
}

static bool is_terminal(int fd)
{
	const char *terminal = getenv("TERM");
	return isatty(fd) && terminal && strcmp(terminal, "dumb") != 0;
}

bool cmd_colour(void)
{
	const char *never = getenv("NO_COLOR");
	return is_terminal(STDOUT_FILENO) && !(never && never[0]);
}

bool cmd_progress(void)
{
	return is_terminal(STDERR_FILENO);
}

void cmd_input_init(struct cmd_input *input, bool need_code)
{
	*input = (struct cmd_input){.need_code = need_code};
	hd_arena_init(&input->arena);
}

void cmd_input_release(struct cmd_input *input)
{
	hd_vec_release(&input->units);
	hd_arena_release(&input->arena);
}

struct loading {
	struct cmd_input *input;
	const char *path;
	struct hd_diag *diag;
};

static int add_object(void *context, const uint8_t *bytes, size_t size)
{
	struct loading *loading = context;
	struct cmd_unit unit = {.path = loading->path, .has_code = true};
	if (hd_object_read(bytes, size, loading->path, &loading->input->arena, &unit.object, loading->diag) != 0)
		return -1;
	unit.metadata = unit.object.metadata;
	hd_vec_push(&loading->input->units, unit);
	return 0;
}

static int add_metadata(struct loading *loading, const uint8_t *text, size_t size)
{
	struct cmd_unit unit = {.path = loading->path};
	if (loading->input->need_code)
		return hd_error(loading->diag, HD_NOWHERE, "%s: metadata holds no code (give the kernel object)",
				loading->path);
	if (hd_metadata_from_json((const char *)text, size, loading->path, &loading->input->arena, &unit.metadata,
				  loading->diag) != 0)
		return -1;
	char *copy = hd_arena_alloc(&loading->input->arena, size);
	memcpy(copy, text, size);
	unit.metadata_text = copy;
	unit.metadata_bytes = size;
	hd_vec_push(&loading->input->units, unit);
	return 0;
}

static bool looks_like_json(const uint8_t *bytes, size_t size)
{
	size_t at = 0;
	while (at < size && isspace(bytes[at]))
		at++;
	return at < size && bytes[at] == '{';
}

int cmd_input_load(struct cmd_input *input, const char *path, struct hd_diag *diag)
{
	struct loading loading = {.input = input, .path = path, .diag = diag};
	uint8_t *bytes = NULL;
	size_t size = 0;
	if (hd_read_file(path, &bytes, &size, diag) != 0)
		return -1;
	bool json = looks_like_json(bytes, size), cubins = !json && hd_cubin_expected(bytes, size);
	int result = json ? add_metadata(&loading, bytes, size) : 1;
	if (cubins)
		result = cubin_input_load(input, path, bytes, size, diag);
	free(bytes);
	if (result != 1)
		return result;
	int count = hd_object_scan_file(path, add_object, &loading, diag);
	if (count == 0)
		return hd_error(diag, HD_NOWHERE, "%s: contains no device code", path);
	return count < 0 ? -1 : 0;
}
