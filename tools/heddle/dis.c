/*
 * heddle dis: machine code with what is known about each instruction beside it, in columns:
 * pc, guard and assembly text, role, control flow, source.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/metadata/json.h"
#include "lib/strbuf.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/listing.h"

struct dis {
	const char *file, *function;
	bool json, no_source, colour;
};

enum { OPT_JSON = 256, OPT_NO_SOURCE };

static const struct argp_option options[] = {
	{"function", 'f', "NAME", 0, "only this function: its symbol, or its name in the source", 0},
	{"json", OPT_JSON, NULL, 0, "print JSON with every fact of every instruction", 0},
	{"no-source", OPT_NO_SOURCE, NULL, 0, "file and line instead of the source text", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct dis *dis = state->input;
	switch (key) {
	case 'f':
		dis->function = arg;
		return 0;
	case OPT_JSON:
		dis->json = true;
		return 0;
	case OPT_NO_SOURCE:
		dis->no_source = true;
		return 0;
	case ARGP_KEY_ARG:
		if (dis->file)
			argp_error(state, "more than one input file");
		dis->file = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no input file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char *style(const struct dis *dis, const char *sequence)
{
	return dis->colour ? sequence : "";
}

static const char *shown_name(const struct listing *listing)
{
	return listing->meta ? listing->meta->demangled : listing->function->name;
}

static void print_header(const struct dis *dis, const struct listing *listing)
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
static void print_linear_header(const struct dis *dis, const struct listing *listing)
{
	const struct hd_linear *linear = listing->linear;
	printf("%slinear version of %s%s\n", style(dis, "\033[1m"), shown_name(listing), style(dis, "\033[0m"));
	printf("  %u instructions, %u registers, frame %u bytes, %u launch conditions\n", linear->body.inst_count,
	       linear->body.registers, linear->body.frame_bytes, linear->check_count);
	printf("  %u coefficient registers, %u thread-index registers, %u linear registers\n", linear->coefficients,
	       linear->threads, linear->linears);
	for (uint32_t i = 0; i < linear->linears; i++)
		if (linear->thread_of[i] == HD_LR_NO_THREAD)
			printf("  %%lr%u = %%br%u\n", i, i);
		else
			printf("  %%lr%u = %%tr%u + %%br%u\n", i, linear->thread_of[i], i);
}

static void add_note(struct hd_strbuf *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_note(struct hd_strbuf *notes, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (notes->len)
		hd_strbuf_append(notes, ", ");
	hd_strbuf_vprintf(notes, format, args);
	va_end(args);
}

static void add_call_notes(struct hd_strbuf *notes, const struct hd_meta_call *call)
{
	if (call->kind == HD_CALL_INDIRECT) {
		add_note(notes, "may call");
		for (uint32_t i = 0; i < call->callee_count; i++)
			hd_strbuf_printf(notes, "%s%s", i ? "|" : " ", call->callees[i]);
		if (call->unknown_callees)
			hd_strbuf_append(notes, call->callee_count ? "|?" : " ?");
	}
	add_note(notes, "FRU %u", call->fru);
	if (call->recursive)
		add_note(notes, "recursive");
}

/* The targets of an indirect branch, by block. */
static void add_table_notes(struct hd_strbuf *notes, const struct listing *listing, const struct hd_jump_table *table)
{
	enum { SHOWN = 8 };
	add_note(notes, "to");
	for (uint32_t i = 0; i < table->count && i < SHOWN; i++)
		hd_strbuf_printf(notes, " .B%u", listing->block[table->targets[i]]);
	if (table->count > SHOWN)
		hd_strbuf_printf(notes, " and %u more", table->count - SHOWN);
}

/* What the instruction's text does not say: blocks of targets, reconvergence, callees, addresses. */
static void collect_notes(struct hd_strbuf *notes, const struct listing *listing, uint32_t index)
{
	const struct hd_inst *inst = &listing->function->insts[index];
	const struct hd_reloc *reloc = listing->reloc[index];
	if (inst->op == HD_OP_BRA)
		add_note(notes, "to .B%u", listing->block[inst->x]);
	if (inst->op == HD_OP_BRX)
		add_table_notes(notes, listing, &listing->function->tables[inst->x]);
	if (hd_opinfo[inst->op].effects & HD_FX_BRANCH && inst->reconv != HD_NO_PC)
		add_note(notes, "reconv 0x%x .B%u", inst->reconv * HD_INST_BYTES, listing->block[inst->reconv]);
	if (listing->call[index])
		add_call_notes(notes, listing->call[index]);
	if (reloc && reloc->kind != HD_REL_CALL) {
		add_note(notes, "%s(%s", reloc->kind == HD_REL_ABS_LO ? "lo" : "hi", listing_symbol(listing, index));
		hd_strbuf_printf(notes, reloc->addend ? "%+lld)" : ")", (long long)reloc->addend);
	}
}

/* Where the instruction comes from; nothing when it is the line of the instruction before it. */
static void collect_source(struct hd_strbuf *text, const struct listing *listing, struct source_lines *lines,
			   uint32_t index)
{
	const struct hd_origin *origin = &listing->function->origins[index];
	const struct hd_origin *before = index ? origin - 1 : NULL;
	bool new_block = index && listing->block[index] != listing->block[index - 1];
	if (origin->file >= listing->object->file_count || !origin->line)
		return;
	if (before && !new_block && before->file == origin->file && before->line == origin->line)
		return;
	const char *line = lines ? source_line(lines, origin->file, origin->line) : NULL;
	hd_strbuf_printf(text, "%s:%u", listing->object->files[origin->file], origin->line);
	if (line)
		hd_strbuf_printf(text, "  %s", line);
}

/* Registers as R0-R3 R8. */
static void append_registers(struct hd_strbuf *text, const uint64_t vector[4])
{
	unsigned end;
	for (unsigned reg = 0; reg < HD_MAX_REGS; reg = end + 1) {
		for (end = reg; end < HD_MAX_REGS && vector[end / 64] >> (end % 64) & 1;)
			end++;
		if (end > reg)
			hd_strbuf_printf(text, " R%u", reg);
		if (end > reg + 1)
			hd_strbuf_printf(text, "-R%u", end - 1);
	}
}

/* Where a register-interval begins: what its PREFETCH allocates, and what of that it has to fetch. */
static void print_interval(const struct dis *dis, const struct hd_meta_interval *interval)
{
	struct hd_strbuf set = {0}, live = {0};
	append_registers(&set, interval->working_set);
	append_registers(&live, interval->live_in);
	printf("  %s; interval %u:%s, live in:%s%s\n", style(dis, "\033[2m"), interval->id,
	       set.len ? hd_strbuf_text(&set) : " no registers", live.len ? hd_strbuf_text(&live) : " none",
	       style(dis, "\033[0m"));
	hd_strbuf_release(&set);
	hd_strbuf_release(&live);
}

static void print_inst(const struct dis *dis, const struct listing *listing, struct source_lines *lines, uint32_t index)
{
	const struct hd_inst *inst = &listing->function->insts[index];
	char text[LISTING_TEXT];
	listing_format(listing, index, text);
	/* The guard has a column of its own, so that mnemonics line up. */
	char *mnemonic = text[0] == '@' ? strchr(text, ' ') : NULL;
	if (mnemonic)
		*mnemonic++ = '\0';

	struct hd_strbuf notes = {0}, source = {0}, line = {0};
	collect_notes(&notes, listing, index);
	collect_source(&source, listing, lines, index);
	hd_strbuf_printf(&line, "  %04x  %-5s %-40s", index * HD_INST_BYTES, mnemonic ? text : "",
			 mnemonic ? mnemonic : text);
	hd_strbuf_printf(&line, " %-14s", inst->role ? hd_role_name((enum hd_role)inst->role) : "");
	hd_strbuf_printf(&line, " %-26s", hd_strbuf_text(&notes));
	if (source.len)
		hd_strbuf_printf(&line, " %s; %s%s", style(dis, "\033[2m"), hd_strbuf_text(&source),
				 style(dis, "\033[0m"));
	while (line.len && line.data[line.len - 1] == ' ')
		line.data[--line.len] = '\0';
	puts(hd_strbuf_text(&line));
	hd_strbuf_release(&notes);
	hd_strbuf_release(&source);
	hd_strbuf_release(&line);
}

static void print_function(const struct dis *dis, const struct listing *listing, struct source_lines *lines)
{
	if (listing->linear)
		print_linear_header(dis, listing);
	else
		print_header(dis, listing);
	for (uint32_t i = 0; i < listing->function->inst_count; i++) {
		const char *stream = listing_stream(listing, i);
		if (stream)
			printf("%s%s%s\n", style(dis, "\033[1m"), stream, style(dis, "\033[0m"));
		if (!i || listing->block[i] != listing->block[i - 1])
			printf("%s.B%u:%s\n", style(dis, "\033[1m"), listing->block[i], style(dis, "\033[0m"));
		if (listing->interval[i])
			print_interval(dis, listing->interval[i]);
		print_inst(dis, listing, lines, i);
	}
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
	struct listing listing, version;
	hd_arena_init(&arena);
	listing_init(&listing, object, &object->functions[index], &arena);
	if (linear)
		listing_init_linear(&version, object, linear, &arena);
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
		"FILE is a kernel object (.hdo) or a program built with heddle-cc. The columns are the byte offset, "
		"the guard, the "
		"instruction, its role (saves, restores and spills), its control flow and calls, and the source line. "
		"Comments say where register-intervals begin, with their working sets. A kernel with a linear version "
		"(R2D2) is followed by it: its register table, and its streams one after the other.";
	static const struct argp argp = {options, parse_option, "FILE", doc, NULL, NULL, NULL};
	struct dis dis = {.colour = cmd_colour()};
	struct hd_diag diag = {.tool = "heddle"};
	struct cmd_input input;

	cmd_parse(&argp, argc, argv, 0, &dis);
	cmd_input_init(&input, true);
	int status = cmd_input_load(&input, dis.file, &diag) == 0 ? show(&dis, &input) : CMD_ERROR;
	cmd_input_release(&input);
	return status;
}
