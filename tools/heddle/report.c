/*
 * heddle report: one page about kernels and runs, to be read in a browser, in a pull request or by a script.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/metadata/json.h"
#include "tools/heddle/report/explore.h"

enum format { FORMAT_NONE, FORMAT_HTML, FORMAT_MARKDOWN, FORMAT_JSON, FORMAT_DATA };

struct command {
	HD_VEC(const char *) files;
	HD_VEC(const char *) kernels;
	HD_VEC(const char *) gpu_names;
	const char *title, *output, *root_path, *source_path;
	enum format format;
	struct report report;
};

enum { OPT_SHARED = 256, OPT_TITLE, OPT_ROOT, OPT_SOURCES, OPT_JSON };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "write to FILE; the suffix .html, .md or .json selects the format", 0},
	{"format", 'f', "FORMAT", 0,
	 "html, markdown (default), json, or data: what the script in the HTML page shows, as JSON", 0},
	{"json", OPT_JSON, NULL, 0, "short for --format json", 0},
	{"title", OPT_TITLE, "TEXT", 0, "title of the page", 0},
	{"gpu", 'g', "NAME,...", 0, "GPUs whose occupancy is computed (default: those of the runs, else v100)", 0},
	{"block", 'b', "N", 0, "threads per CTA (default: from launch bounds or launches in the source)", 0},
	{"shared", OPT_SHARED, "BYTES", 0, "dynamic shared memory per CTA", 0},
	{"kernel", 'k', "PATTERN", 0, "only kernels and functions whose name matches PATTERN", 0},
	{"root", OPT_ROOT, "DIR", 0,
	 "repository folder; file names are relative to DIR (default: the git working tree)", 0},
	{"sources", OPT_SOURCES, "DIR", 0,
	 "resolve relative file names in the metadata against DIR (default: current folder)", 0},
	{0},
};

static enum format parse_format(struct argp_state *state, const char *name)
{
	static const char *const names[] = {"", "html", "markdown", "json", "data"};
	for (unsigned i = FORMAT_HTML; i <= FORMAT_DATA; i++)
		if (strcmp(names[i], name) == 0)
			return (enum format)i;
	argp_error(state, "unknown format '%s'; known: html, markdown, json, data", name);
	return FORMAT_NONE;
}

static enum format format_of_name(const char *file)
{
	const char *dot = file ? strrchr(file, '.') : NULL;
	if (dot && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0))
		return FORMAT_HTML;
	return dot && strcmp(dot, ".json") == 0 ? FORMAT_JSON : FORMAT_MARKDOWN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct command *command = state->input;
	struct gate_choice *choice = &command->report.choice;
	switch (key) {
	case 'o': command->output = arg; break;
	case 'f': command->format = parse_format(state, arg); break;
	case OPT_JSON: command->format = FORMAT_JSON; break;
	case OPT_TITLE: command->title = arg; break;
	case 'g': hd_vec_push(&command->gpu_names, arg); break;
	case 'b': choice->block = cmd_parse_count(state, "--block", arg, 1, CMD_MOST_THREADS); break;
	case OPT_SHARED:
		choice->shared = cmd_parse_count(state, "--shared", arg, 0, INT32_MAX);
		choice->shared_given = true;
		break;
	case 'k': hd_vec_push(&command->kernels, arg); break;
	case OPT_ROOT: command->root_path = arg; break;
	case OPT_SOURCES: command->source_path = arg; break;
	case ARGP_KEY_ARG: hd_vec_push(&command->files, arg); break;
	case ARGP_KEY_END:
		if (!command->files.len)
			argp_error(state, "no input file");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* ------------------------------------------------------------------ inputs */

/* Statistics are JSON that has "total" or "runs" in it; everything else is for cmd_input_load(). */
static int take_statistics(struct report *report, const char *path, bool *taken)
{
	uint8_t *bytes = NULL;
	size_t size = 0, at = 0;
	if (hd_read_file(path, &bytes, &size, &report->diag) != 0)
		return -1;
	while (at < size && isspace(bytes[at]))
		at++;
	json_t *document = at < size && bytes[at] == '{'
				   ? json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, NULL)
				   : NULL;
	free(bytes);
	*taken = json_object_get(document, "total") || json_object_get(document, "runs");
	if (!*taken) {
		json_decref(document);
		return 0;
	}
	hd_vec_push(&report->documents, document);
	if (!report_take_runs(report, path, document))
		return hd_error(&report->diag, HD_NOWHERE, "%s: not statistics of `heddle run --stats`", path);
	return 0;
}

static int load_files(struct command *command)
{
	struct report *report = &command->report;
	int status = 0;
	for (uint32_t i = 0; i < command->files.len; i++) {
		const char *path = command->files.data[i];
		bool taken = false;
		if (take_statistics(report, path, &taken) != 0 ||
		    (!taken && cmd_input_load(&report->input, path, &report->diag) != 0))
			status = -1;
	}
	return status;
}

static int load_gpus(struct command *command)
{
	struct report *report = &command->report;
	uint32_t mask = 0;
	for (uint32_t i = 0; i < command->gpu_names.len; i++)
		if (gate_gpus_add_list(&report->gpus, command->gpu_names.data[i], &mask, HD_NOWHERE, &report->diag) !=
		    0)
			return -1;
	if (!mask && report_add_gpus(report) != 0)
		return -1;
	return report->gpus.count ? 0 : gate_gpus_add_list(&report->gpus, "v100", &mask, HD_NOWHERE, &report->diag);
}

static int choose_kernels(struct command *command)
{
	struct gate_subjects *subjects = &command->report.subjects;
	for (uint32_t i = 0; i < subjects->list.len; i++)
		subjects->list.data[i].chosen = !command->kernels.len;
	for (uint32_t k = 0; k < command->kernels.len; k++)
		if (!gate_subjects_choose(subjects, command->kernels.data[k]))
			return hd_error(&command->report.diag, HD_NOWHERE, "no kernel or function matches '%s'",
					command->kernels.data[k]);
	return 0;
}

/* ------------------------------------------------------------------ output */

static void append_json(struct hd_strbuf *text, const json_t *value)
{
	char *json = hd_json_dump(value);
	hd_strbuf_append(text, json ? json : "");
	free(json);
}

static int write_page(struct command *command)
{
	enum format format = command->format ? command->format : format_of_name(command->output);
	struct hd_diag diag = {.tool = "heddle"};
	struct hd_strbuf text = {0};
	const json_t *page = command->report.page;
	json_t *data = format == FORMAT_HTML || format == FORMAT_DATA
			       ? explore_json(&command->report, json_string_value(json_object_get(page, "title")))
			       : NULL;
	int status = 0;
	if (format == FORMAT_HTML)
		status = page_write_html(page, data, &text);
	else if (format == FORMAT_MARKDOWN)
		page_write_markdown(page, &text);
	else
		append_json(&text, data ? data : page);
	json_decref(data);
	if (status != 0)
		return cmd_error("out of memory");
	if (!command->output || strcmp(command->output, "-") == 0)
		fputs(hd_strbuf_text(&text), stdout);
	else
		status = hd_write_file(command->output, hd_strbuf_text(&text), text.len, &diag);
	hd_strbuf_release(&text);
	return status;
}

static int make_page(struct command *command)
{
	struct report *report = &command->report;
	int status = load_files(command);
	if (load_gpus(command) != 0 || status != 0)
		return -1;
	if (gate_subjects_init(&report->subjects, &report->input, &report->diag) != 0 || choose_kernels(command) != 0)
		return -1;
	report->page = page_new(command->title ? command->title : "Kernels and runs");
	report_add_runs(report);
	report_add_kernels(report);
	return write_page(command);
}

static void release(struct command *command)
{
	struct report *report = &command->report;
	json_decref(report->page);
	for (uint32_t i = 0; i < report->documents.len; i++)
		json_decref(report->documents.data[i]);
	hd_vec_release(&report->documents);
	hd_vec_release(&report->runs);
	gate_subjects_release(&report->subjects);
	cmd_input_release(&report->input);
	gate_root_release(&report->root);
	hd_vec_release(&command->files);
	hd_vec_release(&command->kernels);
	hd_vec_release(&command->gpu_names);
	hd_arena_release(&report->arena);
	free(command);
}

static struct command *command_new(void)
{
	struct command *command = hd_xcalloc(1, sizeof(*command)); /* configurations are large */
	command->report.diag = (struct hd_diag){.tool = "heddle"};
	hd_arena_init(&command->report.arena);
	cmd_input_init(&command->report.input, false);
	return command;
}

json_t *report_data(const char *const *files, uint32_t count)
{
	struct command *command = command_new();
	struct report *report = &command->report;
	json_t *data = NULL;
	for (uint32_t i = 0; i < count; i++)
		hd_vec_push(&command->files, files[i]);
	if (gate_root_init(&report->root, NULL, NULL, &report->diag) == 0 && load_files(command) == 0 &&
	    gate_subjects_init(&report->subjects, &report->input, &report->diag) == 0 && choose_kernels(command) == 0)
		data = explore_json(report, "");
	release(command);
	return data;
}

int cmd_report(int argc, char **argv)
{
	static const char doc[] =
		"Writes one page about kernels and runs: self-contained HTML, Markdown, or JSON.\v"
		"FILE is a kernel object (.hdo), metadata (.heddle.json), a program built with heddle-cc, or "
		"the statistics that `heddle run --stats` wrote. For kernels the page shows the figures side "
		"by side, the occupancy on each GPU with the next higher step, and the source lines and calls "
		"behind the figures. For runs it shows the figures side by side, the use of issue slots, and "
		"the time of each kernel.";
	static const struct argp argp = {options, parse_option, "FILE...", doc, NULL, NULL, NULL};
	struct command *command = command_new();
	struct report *report = &command->report;
	cmd_parse(&argp, argc, argv, 0, command);
	int status = gate_root_init(&report->root, command->root_path, command->source_path, &report->diag);
	status = status == 0 ? make_page(command) : status;
	release(command);
	return status == 0 ? CMD_OK : CMD_ERROR;
}
