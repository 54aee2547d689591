/*
 * Machine code and source of the interactive page: every function of the inputs that are chosen, or that a run has
 * spent slots in, and the source lines around those that its instructions come from.
 *
 * Cost: O(instructions), and that of the producers (flow.h) for functions of up to MOST_SLICED instructions.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "heddle/control.h"
#include "heddle/figures.h"
#include "lib/arena.h"
#include "lib/metadata/json.h"
#include "tools/heddle/report/explore.h"
#include "tools/heddle/report/flow.h"

/* Lines shown around one with code; the longest source; the producers of every instruction are only sought up to here.
 */
enum { AROUND = 12, MOST_SOURCE = 8 << 20, MOST_LINES = 1 << 20 };

/* ------------------------------------------------------------------ functions */

static void function_key(const char *name, bool linear, struct hd_strbuf *key)
{
	hd_strbuf_printf(key, "%c%s", linear ? 'L' : 'F', name);
}

static void add_function(struct explore *explore, const struct cmd_unit *unit, const struct hd_listing *listing)
{
	struct hd_strbuf key = {0};
	function_key(listing->function->name, listing->linear != NULL, &key);
	if (!json_object_get(explore->index, hd_strbuf_text(&key)))
		json_object_set_new(explore->index, hd_strbuf_text(&key), json_array());
	json_array_append_new(json_object_get(explore->index, hd_strbuf_text(&key)),
			      json_integer(explore->functions.len));
	hd_vec_push(&explore->functions, (struct explore_function){.unit = unit, .listing = *listing});
	hd_strbuf_release(&key);
}

/* Whether the same code is there already, of another input: a program and its object, for example. */
static bool is_known(const struct explore *explore, const struct hd_listing *listing)
{
	const struct hd_function *own = listing->function;
	for (uint32_t i = 0; i < explore->functions.len; i++) {
		const struct hd_listing *other = &explore->functions.data[i].listing;
		const struct hd_function *code = other->function;
		bool same = !listing->linear == !other->linear && strcmp(own->name, code->name) == 0 &&
			    own->inst_count == code->inst_count;
		for (uint32_t at = 0; same && at < own->inst_count; at++) {
			char texts[2][HD_LISTING_TEXT];
			hd_inst_format(&own->insts[at], texts[0], sizeof texts[0]);
			hd_inst_format(&code->insts[at], texts[1], sizeof texts[1]);
			same = strcmp(texts[0], texts[1]) == 0 && own->origins[at].line == code->origins[at].line;
		}
		if (same)
			return true;
	}
	return false;
}

static json_t *with_name(const struct explore *explore, const char *name, bool linear)
{
	struct hd_strbuf key = {0};
	function_key(name ? name : "", linear, &key);
	json_t *found = json_object_get(explore->index, hd_strbuf_text(&key));
	hd_strbuf_release(&key);
	return found;
}

/* How much of a row is as in the function: its instruction, and that one's line. */
static uint32_t likeness(const struct explore_function *function, const json_t *row)
{
	const struct hd_function *code = function->listing.function;
	uint32_t at = (uint32_t)(json_integer_value(json_object_get(row, "pc")) / HD_INST_BYTES);
	const char *text = json_string_value(json_object_get(row, "text"));
	char own[HD_LISTING_TEXT];
	if (at >= code->inst_count || !text)
		return 0;
	hd_inst_format(&code->insts[at], own, sizeof own);
	return (strcmp(own, text) == 0) + (code->origins[at].line == json_integer_value(json_object_get(row, "line")));
}

void explore_choose(struct explore *explore, const json_t *rows)
{
	uint64_t *like = hd_xcalloc(explore->functions.len + 1, sizeof *like);
	const char *key;
	json_t *list;
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		list = with_name(explore, json_string_value(json_object_get(row, "function")),
				 json_is_true(json_object_get(row, "linear")));
		for (size_t n = 0; n < json_array_size(list) && json_array_size(list) > 1; n++) {
			json_int_t function = json_integer_value(json_array_get(list, n));
			like[function] += likeness(&explore->functions.data[function], row);
		}
	}
	json_object_foreach(explore->index, key, list)
	{
		json_int_t best = json_integer_value(json_array_get(list, 0));
		for (size_t n = 1; n < json_array_size(list); n++) {
			json_int_t function = json_integer_value(json_array_get(list, n));
			best = like[function] > like[best] ? function : best;
		}
		json_object_set_new(explore->chosen, key, json_integer(best));
	}
	free(like);
}

uint32_t explore_function_named(const struct explore *explore, const char *name, bool linear)
{
	struct hd_strbuf key = {0};
	function_key(name ? name : "", linear, &key);
	const json_t *found = json_object_get(explore->chosen, hd_strbuf_text(&key));
	hd_strbuf_release(&key);
	return found ? (uint32_t)json_integer_value(found) : UINT32_MAX;
}

static bool is_chosen(const struct report *report, const struct cmd_unit *unit, const char *name)
{
	for (uint32_t i = 0; i < report->subjects.list.len; i++) {
		const struct gate_subject *subject = &report->subjects.list.data[i];
		if (subject->unit == unit && strcmp(subject->meta->name, name) == 0)
			return subject->chosen;
	}
	return false;
}

void explore_find_functions(struct explore *explore)
{
	const struct cmd_input *input = &explore->report->input;
	for (uint32_t u = 0; u < input->units.len; u++) {
		const struct cmd_unit *unit = &input->units.data[u];
		for (uint32_t f = 0; unit->has_code && f < unit->object.function_count; f++) {
			const struct hd_function *function = &unit->object.functions[f];
			const struct hd_linear *linear = hd_object_linear(&unit->object, f);
			struct hd_listing listing;
			if (!function->helper && !is_chosen(explore->report, unit, function->name))
				continue;
			hd_listing_init(&listing, &unit->object, function, explore->arena);
			if (!is_known(explore, &listing))
				add_function(explore, unit, &listing);
			if (linear) {
				hd_listing_init_linear(&listing, &unit->object, linear, explore->arena);
				if (!is_known(explore, &listing))
					add_function(explore, unit, &listing);
			}
		}
	}
}

const struct flow *explore_flow(struct explore *explore, uint32_t function)
{
	struct explore_function *of = &explore->functions.data[function];
	if (!of->flow)
		of->flow = flow_new(&of->listing, explore->arena);
	return of->flow;
}

/* ------------------------------------------------------------------ source files */

static uint32_t count_lines(const char *text, size_t bytes)
{
	uint32_t count = 0;
	for (const char *at = text; at && at < text + bytes && count < MOST_LINES; count++) {
		at = memchr(at, '\n', (size_t)(text + bytes - at));
		at = at ? at + 1 : NULL;
	}
	return count;
}

/* The object, which may be anybody's, says which file: a pipe would be waited for. */
static bool is_source(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MOST_SOURCE;
}

/* As the compiler saw the path, else beside the object, else where --sources says, else where its name on the page is.
 * A source that is not there is none. */
static void read_file(struct explore *explore, struct explore_file *file, const char *path, const char *object)
{
	struct hd_diag silent = hd_diag_silent();
	const struct gate_root *root = &explore->report->root;
	const char *slash = strrchr(object, '/');
	const char *const places[] = {
		path,
		slash && path[0] != '/'
			? hd_arena_printf(explore->arena, "%.*s/%s", (int)(slash - object), object, path)
			: NULL,
		root->sources ? hd_arena_printf(explore->arena, "%s/%s", root->sources, path) : NULL,
		file->name[0] == '/' ? file->name : hd_arena_printf(explore->arena, "%s/%s", root->path, file->name),
	};
	uint8_t *bytes = NULL;
	for (size_t i = 0; i < sizeof places / sizeof *places && !file->text; i++) {
		if (!places[i] || !is_source(places[i]) || hd_read_file(places[i], &bytes, &file->bytes, &silent) != 0)
			continue;
		if (file->bytes <= MOST_SOURCE && !memchr(bytes, '\0', file->bytes))
			file->text = memcpy(HD_ARENA_NEW(explore->arena, char, file->bytes + 1), bytes, file->bytes);
		free(bytes);
	}
	file->line_count = file->text ? count_lines(file->text, file->bytes) : 0;
	file->wanted = HD_ARENA_NEW(explore->arena, bool, file->line_count + 2);
}

static uint32_t file_of(struct explore *explore, const char *path, const char *object)
{
	const char *shown = gate_root_source(&explore->report->root, path, object, explore->arena);
	shown = shown ? shown : path;
	for (uint32_t i = 0; i < explore->files.len; i++)
		if (strcmp(explore->files.data[i].name, shown) == 0)
			return i;
	struct explore_file file = {.name = shown};
	read_file(explore, &file, path, object);
	hd_vec_push(&explore->files, file);
	return explore->files.len - 1;
}

static void want(struct explore_file *file, uint32_t line)
{
	uint32_t from = line > AROUND ? line - AROUND : 1;
	for (uint32_t i = from; i <= line + AROUND && i <= file->line_count; i++)
		file->wanted[i] = true;
}

static json_t *lines_json(const struct explore_file *file)
{
	json_t *parts = json_array(), *lines = NULL;
	const char *at = file->text, *end = file->text + file->bytes;
	for (uint32_t line = 1; line <= file->line_count; line++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		if (file->wanted[line] && !lines) {
			lines = json_array();
			json_array_append_new(parts, json_pack("{s:i,s:o}", "from", (int)line, "lines", lines));
		}
		if (file->wanted[line]) {
			char *text = hd_xstrndup(at, (size_t)(stop - at));
			json_array_append_new(lines, hd_json_text(text));
			free(text);
		} else {
			lines = NULL;
		}
		at = stop < end ? stop + 1 : end;
	}
	return parts;
}

json_t *explore_files_json(struct explore *explore)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < explore->files.len; i++) {
		const struct explore_file *file = &explore->files.data[i];
		json_array_append_new(array, json_pack("{s:o,s:o}", "name", hd_json_text(file->name), "parts",
						       file->text ? lines_json(file) : json_array()));
	}
	return array;
}

/* ------------------------------------------------------------------ code */

/* -1: unknown. */
static int place_of(struct explore *explore, const struct explore_function *of, uint32_t file, uint32_t line,
		    uint32_t *known)
{
	const struct hd_object *object = of->listing.object;
	if (file >= object->file_count || !line)
		return -1;
	if (known[file] == UINT32_MAX)
		known[file] = file_of(explore, object->files[file], of->unit->path);
	want(&explore->files.data[known[file]], line);
	return (int)known[file];
}

/* Where in "calls" those of the function's object begin. */
static uint32_t first_call(struct explore *explore, const struct explore_function *of, uint32_t *known)
{
	const struct hd_object *object = of->listing.object;
	uint32_t first = (uint32_t)json_array_size(explore->calls);
	for (uint32_t i = 0; i < explore->inlined.len; i++)
		if (explore->inlined.data[i].object == object)
			return explore->inlined.data[i].first;
	hd_vec_push(&explore->inlined, (struct explore_calls){object, first});
	for (uint32_t i = 0; i < object->inlined_count; i++) {
		const struct hd_inlined *call = &object->inlined[i];
		json_array_append_new(explore->calls,
				      json_pack("{s:o,s:i,s:i,s:i}", "callee", hd_json_text(call->callee), "file",
						place_of(explore, of, call->file, call->line, known), "line",
						(int)call->line, "outer",
						call->outer ? (int)(first + call->outer - 1) : -1));
	}
	return first;
}

static json_t *numbers_json(const uint32_t *numbers, uint32_t count)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, json_integer(numbers[i] == UINT32_MAX ? -1 : (json_int_t)numbers[i]));
	return array;
}

/* Null: the next instruction alone. */
static json_t *next_json(const struct hd_function *function, uint32_t index)
{
	uint32_t few[2], count = hd_inst_successors(function, index, few, 2);
	if (count == 1 && few[0] == index + 1)
		return json_null();
	uint32_t *all = hd_xcalloc(count, sizeof(*all));
	hd_inst_successors(function, index, all, count);
	json_t *array = numbers_json(all, count);
	free(all);
	return array;
}

static json_t *from_json(struct explore *explore, uint32_t function, uint32_t index)
{
	const struct hd_function *code = explore->functions.data[function].listing.function;
	if (code->inst_count > MOST_SLICED)
		return json_null();
	struct hd_arena arena;
	uint32_t count;
	hd_arena_init(&arena);
	uint32_t *list = flow_producers(explore_flow(explore, function), index, FLOW_VALUE, &arena, &count);
	json_t *array = numbers_json(list, count);
	hd_arena_release(&arena);
	return array;
}

struct columns {
	json_t *text, *file, *line, *role, *live, *next, *callee, *from, *control, *stream, *inlined;
	uint32_t first_call;
};

static void add_instruction(struct explore *explore, uint32_t function, uint32_t index, uint32_t *known,
			    const struct columns *to)
{
	const struct explore_function *of = &explore->functions.data[function];
	const struct hd_function *code = of->listing.function;
	const struct hd_inst *inst = &code->insts[index];
	char text[HD_LISTING_TEXT], control[HD_CONTROL_TEXT];
	const char *stream = hd_listing_stream(&of->listing, index);
	uint16_t effects = hd_opinfo[inst->op].effects;
	hd_listing_format(&of->listing, index, text);
	json_array_append_new(to->text, hd_json_text(text));
	json_array_append_new(to->file, json_integer(place_of(explore, of, code->origins[index].file,
							      code->origins[index].line, known)));
	json_array_append_new(to->line, json_integer(code->origins[index].line));
	json_array_append_new(to->role, inst->role ? json_string(hd_role_name((enum hd_role)inst->role)) : json_null());
	json_array_append_new(to->live, json_integer(flow_live(explore_flow(explore, function), index)));
	json_array_append_new(to->next, next_json(code, index));
	const char *symbol = effects & HD_FX_CALL ? hd_listing_symbol(&of->listing, index) : NULL;
	json_array_append_new(to->callee, hd_json_text(symbol));
	json_array_append_new(to->from, from_json(explore, function, index));
	if (code->control)
		hd_control_format(&code->control[index], control);
	json_array_append_new(to->control, code->control ? json_string(control) : json_null());
	json_array_append_new(to->stream, stream ? json_string(stream) : json_null());
	uint32_t call = code->origins[index].inlined;
	json_array_append_new(to->inlined, json_integer(call ? (json_int_t)to->first_call + call - 1 : -1));
}

static json_t *code_json(struct explore *explore, uint32_t function)
{
	const struct explore_function *of = &explore->functions.data[function];
	uint32_t files = of->listing.object->file_count, *known = hd_xcalloc(files + 1, sizeof(*known));
	memset(known, 0xff, sizeof(*known) * (files + 1));
	const struct columns columns = {json_array(), json_array(), json_array(), json_array(),
					json_array(), json_array(), json_array(), json_array(),
					json_array(), json_array(), json_array(), first_call(explore, of, known)};
	for (uint32_t i = 0; i < of->listing.function->inst_count; i++)
		add_instruction(explore, function, i, known, &columns);
	free(known);
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "text", columns.text, "file", columns.file,
			 "line", columns.line, "role", columns.role, "live", columns.live, "next", columns.next,
			 "callee", columns.callee, "from", columns.from, "control", columns.control, "stream",
			 columns.stream, "inlined", columns.inlined);
}

static json_t *function_json(struct explore *explore, uint32_t function)
{
	const struct explore_function *of = &explore->functions.data[function];
	const struct hd_meta_function *meta = of->listing.meta;
	const struct hd_function *code = of->listing.function;
	json_t *object = json_object();
	const char *file = NULL;
	if (meta && meta->source.file)
		file = gate_root_source(&explore->report->root, meta->source.file, of->unit->path, explore->arena);
	json_object_set_new(object, "name", hd_json_text(code->name));
	json_object_set_new(object, "demangled",
			    hd_json_text(meta && meta->demangled[0] ? meta->demangled : code->name));
	json_object_set_new(object, "kernel", json_boolean(code->kernel));
	json_object_set_new(object, "linear", json_boolean(of->listing.linear != NULL));
	json_object_set_new(object, "module", hd_json_text(of->unit->metadata.module));
	json_object_set_new(object, "object", hd_json_text(of->unit->path));
	json_object_set_new(object, "file", hd_json_text(file));
	json_object_set_new(object, "line", json_integer(meta ? meta->source.line : 0));
	json_object_set_new(object, "meta", meta ? hd_metadata_function_json(meta) : json_null());
	json_object_set_new(object, "code", code_json(explore, function));
	return object;
}

json_t *explore_functions_json(struct explore *explore)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < explore->functions.len; i++)
		json_array_append_new(array, function_json(explore, i));
	return array;
}
