/*
 * heddle dis: machine code with what is known about each instruction beside it, as lib/object/listing.h prints it,
 * under a head of the function's figures; or all of it as JSON.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/metadata/json.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/listing.h"

struct dis {
	const char *file, *function;
	bool json, no_source, control, colour;
};

enum { OPT_JSON = 256, OPT_NO_SOURCE, OPT_CONTROL };

static const struct argp_option options[] = {
	{"function", 'f', "NAME", 0, "print only this function, given by symbol or source name", 0},
	{"json", OPT_JSON, NULL, 0, "print JSON with all facts about each instruction", 0},
	{"no-source", OPT_NO_SOURCE, NULL, 0, "print file and line instead of the source text", 0},
	{"control", OPT_CONTROL, NULL, 0,
	 "print control bits (code for sm_75 and later): counters that the instruction waits for, counters "
	 "that its sources and its result release, yield flag, stall count",
	 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct dis *dis = state->input;
	switch (key) {
	case 'f': dis->function = arg; return 0;
	case OPT_JSON: dis->json = true; return 0;
	case OPT_CONTROL: dis->control = true; return 0;
	case OPT_NO_SOURCE: dis->no_source = true; return 0;
	case ARGP_KEY_ARG:
		if (dis->file)
			argp_error(state, "more than one input file");
		dis->file = arg;
		return 0;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no input file"); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const char *style(const struct dis *dis, const char *sequence)
{
	return dis->colour ? sequence : "";
}

static const char *shown_name(const struct hd_listing *listing)
{
	return listing->meta ? listing->meta->demangled : listing->function->name;
}

static void print_header(const struct dis *dis, const struct hd_listing *listing)
{
	const struct hd_function *function = listing->function;
	const struct hd_meta_function *meta = listing->meta;
	printf("%s%s %s%s", style(dis, "\033[1m"), function->kernel ? "kernel" : "function", shown_name(listing),
	       style(dis, "\033[0m"));
	if (meta && strcmp(meta->demangled, function->name) != 0)
		printf("  %s", function->name);
	if (meta && meta->source.file)
		printf("  %s:%u", meta->source.file, meta->source.line);
	printf("\n  %u instructions, %u registers, frame %u bytes", function->inst_count, function->registers,
	       function->frame_bytes);
	if (function->kernel)
		printf(", shared %u bytes, parameters %u bytes", function->shared_bytes, function->param_bytes);
	if (meta)
		printf("\n  FRU %u (%u pushed), MaxStackDepth %u, call depth %u", meta->fru, meta->pushed_registers,
		       meta->max_stack_depth, meta->call_depth);
	if (meta && meta->kernel)
		printf(", watermarks low %u high %u", meta->low_watermark, meta->high_watermark);
	putchar('\n');
}

/* The register table, and what a launch computes before its threads run. */
static void print_linear_header(const struct dis *dis, const struct hd_listing *listing)
{
	const struct hd_linear *linear = listing->linear;
	printf("%slinear version of %s%s\n", style(dis, "\033[1m"), shown_name(listing), style(dis, "\033[0m"));
	printf("  %u instructions, %u registers, frame %u bytes, %u launch conditions\n", linear->body.inst_count,
	       linear->body.registers, linear->body.frame_bytes, linear->check_count);
	printf("  %u coefficient registers, %u thread-index registers, %u linear registers\n", linear->coefficients,
	       linear->threads, linear->linears);
	hd_listing_print_linear_registers(stdout, linear);
}

static const char *line_of(void *lines, uint32_t file, uint32_t line)
{
	return source_line(lines, file, line);
}

static void print_function(const struct dis *dis, const struct hd_listing *listing, struct source_lines *lines)
{
	const struct hd_listing_style look = {
		.bold = style(dis, "\033[1m"),
		.dim = style(dis, "\033[2m"),
		.plain = style(dis, "\033[0m"),
		.source = lines ? line_of : NULL,
		.context = lines,
		.control = dis->control,
	};
	if (listing->linear)
		print_linear_header(dis, listing);
	else
		print_header(dis, listing);
	hd_listing_print(stdout, listing, &look);
}

static bool selected(const struct dis *dis, const struct cmd_unit *unit, const struct hd_function *function)
{
	if (!dis->function || strcmp(dis->function, function->name) == 0)
		return true;
	const struct hd_meta_function *found = hd_metadata_find(&unit->metadata, dis->function);
	return found && strcmp(found->name, function->name) == 0;
}

static int no_such_function(const struct dis *dis, const struct cmd_input *input)
{
	HD_VEC(const char *) names = {0};
	for (uint32_t i = 0; i < input->units.len; i++) {
		const struct cmd_unit *unit = &input->units.data[i];
		for (uint32_t j = 0; j < unit->metadata.function_count; j++)
			if (strcmp(unit->metadata.functions[j].demangled, unit->metadata.functions[j].name) != 0)
				hd_vec_push(&names, unit->metadata.functions[j].demangled);
		for (uint32_t j = 0; j < unit->object.function_count; j++)
			hd_vec_push(&names, unit->object.functions[j].name);
	}
	char *near = hd_nearest_names(dis->function, names.data, names.len);
	int status = near[0] ? cmd_error("%s: no function '%s'; nearest: %s", dis->file, dis->function, near)
			     : cmd_error("%s: no function '%s'; `heddle info` lists them", dis->file, dis->function);
	free(near);
	hd_vec_release(&names);
	return status;
}

/* A function, and its linear version where there is one. */
static void show_function(const struct dis *dis, const struct hd_object *object, uint32_t index,
			  struct source_lines *lines, json_t *array)
{
	const struct hd_linear *linear = hd_object_linear(object, index);
	struct hd_arena arena;
	struct hd_listing listing, version;
	hd_arena_init(&arena);
	hd_listing_init(&listing, object, &object->functions[index], &arena);
	if (linear)
		hd_listing_init_linear(&version, object, linear, &arena);
	if (array) {
		json_array_append_new(array, listing_json(&listing, linear ? &version : NULL));
	} else {
		print_function(dis, &listing, lines);
		if (linear) {
			putchar('\n');
			print_function(dis, &version, lines);
		}
	}
	hd_arena_release(&arena);
}

/* Prints, or collects into `array` for JSON. Returns how many functions were selected. */
static unsigned show_unit(const struct dis *dis, const struct cmd_unit *unit, json_t *array)
{
	struct source_lines *lines = dis->no_source || array ? NULL : source_lines_new(&unit->object, unit->path);
	unsigned shown = 0;
	for (uint32_t i = 0; i < unit->object.function_count; i++) {
		if (!selected(dis, unit, &unit->object.functions[i]))
			continue;
		if (!array && shown)
			putchar('\n');
		show_function(dis, &unit->object, i, lines, array);
		shown++;
	}
	source_lines_free(lines);
	return shown;
}

static int show(const struct dis *dis, const struct cmd_input *input)
{
	json_t *document = dis->json ? json_object() : NULL, *objects = dis->json ? json_array() : NULL;
	unsigned shown = 0;
	if (document)
		json_object_set_new(document, "objects", objects);
	for (uint32_t i = 0; i < input->units.len; i++) {
		const struct cmd_unit *unit = &input->units.data[i];
		json_t *object = document ? json_object() : NULL, *functions = document ? json_array() : NULL;
		if (object) {
			json_object_set_new(object, "file", hd_json_text(unit->path));
			json_object_set_new(object, "module", hd_json_text(unit->metadata.module));
			json_object_set_new(object, "target", hd_json_text(unit->metadata.target));
			json_object_set_new(object, "functions", functions);
			json_array_append_new(objects, object);
		} else if (i) {
			putchar('\n');
		}
		shown += show_unit(dis, unit, functions);
	}
	if (dis->function && !shown) {
		json_decref(document);
		return no_such_function(dis, input);
	}
	return document ? cmd_print_json(document) : CMD_OK;
}

int cmd_dis(int argc, char **argv)
{
	static const char doc[] =
		"Prints the machine code of a kernel object.\v"
		"FILE is a kernel object (.hdo) or a program built with heddle-cc. The columns are byte "
		"offset, guard, instruction, role (save, restore or spill), control flow and calls, and source "
		"line. Comments mark the first instruction of each register-interval and list its working set. "
		"The linear version of a kernel (R2D2) follows the kernel: first its register table, then its "
		"streams.";
	static const struct argp argp = {options, parse_option, "FILE", doc, NULL, NULL, NULL};
	struct dis dis = {.colour = cmd_colour()};
	struct hd_diag diag = {.tool = "heddle"};
	cmd_parse(&argp, argc, argv, 0, &dis);
	struct cmd_input input;
	cmd_input_init(&input, true);
	int status = cmd_input_load(&input, dis.file, &diag) == 0 ? show(&dis, &input) : CMD_ERROR;
	cmd_input_release(&input);
	return status;
}
