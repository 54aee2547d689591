/*
 * Reads launch specifications (see spec.h): inih splits the lines, each key is checked against the table of its
 * section, and every error has its line. Errors do not stop the reading, so that one run shows them all.
 */
#include "tools/heddle/run/spec.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/bits.h"
#include "lib/ini.h"

static const struct spec_type types[] = {
	{"i8", 1, false, true},	 {"u8", 1, false, false},  {"i16", 2, false, true}, {"u16", 2, false, false},
	{"i32", 4, false, true}, {"u32", 4, false, false}, {"i64", 8, false, true}, {"u64", 8, false, false},
	{"f16", 2, true, true},	 {"f32", 4, true, true},   {"f64", 8, true, true},
};
enum { TYPES = sizeof types / sizeof *types };

/* inih cuts names off at this many characters. */
enum { INI_NAME_LIMIT = 49 };

/* What the reader of lines and the handler of keys share. */
struct reading {
	struct spec *spec;
	struct hd_diag *diag;
	struct hd_ini lines;
	char section[64];
	struct spec_data *data; /* of the current section; NULL in [launch] and in sections that are wrong */
	uint32_t seen;		/* keys of that section, by their place in its table */
	bool wrong_section, defining;
	uint32_t launch_seen;
};

/* `; did you mean a, b?` or `; known: a, b, c`. */
static void unknown(struct reading *reading, const char *what, const char *wanted, const char *const *names,
		    unsigned count)
{
	char *near = hd_nearest_names(wanted, names, count);
	char all[256] = "";
	for (unsigned i = 0; i < count; i++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
	hd_error(reading->diag, reading->lines.loc, "unknown %s '%s'; %s %s%s", what, wanted,
		 *near ? "did you mean" : "known:", *near ? near : all, *near ? "?" : "");
	free(near);
}

static char *next_line(char *to, int room, void *context)
{
	struct reading *reading = context;
	return hd_ini_line(&reading->lines, to, room);
}

/* ------------------------------------------------------------ values */

bool spec_unsigned(const char *text, uint64_t max, uint64_t *value)
{
	char *end;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value <= max;
}

/* Numbers that are too large are refused; infinities are written as such. */
static bool real_element(const struct spec_type *type, const char *text, uint64_t *bits)
{
	char *end;
	double value = strtod(text, &end);
	*bits = spec_real_bits(type, value);
	bool too_large = isinf(value) ? errno == ERANGE : isinf(spec_real_value(type, *bits));
	return end != text && !*end && !too_large;
}

bool spec_element(const struct spec_type *type, const char *text, uint64_t *bits)
{
	char *end;
	errno = 0;
	if (type->is_float)
		return real_element(type, text, bits);
	unsigned width = 8 * type->bytes;
	if (*text != '-')
		return spec_unsigned(text, UINT64_MAX >> (64 - width), bits);
	int64_t value = strtoll(text, &end, 0);
	*bits = (uint64_t)value;
	return type->is_signed && end != text && !*end && !errno && value >= -1 - (int64_t)(UINT64_MAX >> (65 - width));
}

static const struct spec_type struct_type = {"struct", 1, false, false};

static const struct spec_type *find_type(const char *name)
{
	for (unsigned i = 0; i < TYPES; i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

static const struct spec_type *type_or_error(struct reading *reading, const char *name, bool buffer_too)
{
	const char *names[TYPES + 2];
	const struct spec_type *type = find_type(name);
	if (buffer_too && !strcmp(name, struct_type.name))
		return &struct_type;
	for (unsigned i = 0; i < TYPES; i++)
		names[i] = types[i].name;
	names[TYPES] = "buffer";
	names[TYPES + 1] = struct_type.name;
	if (!type)
		unknown(reading, buffer_too ? "kind" : "type", name, names, TYPES + 2 * buffer_too);
	return type;
}

static void wrong(struct reading *reading, const char *key, const char *needs, const char *value)
{
	hd_error(reading->diag, reading->lines.loc, "%s needs %s, not '%s'", key, needs, value);
}

static struct expr expression(struct spec *spec, const char *text)
{
	return (struct expr){.at = text, .names = spec->names.data, .name_count = spec->names.len};
}

/* Whole numbers from 1 to 2^32-1, separated by commas: how many, or 0 with an error. `needs` says what is due. */
static uint32_t parse_list(struct reading *reading, const char *key, const char *value, const char *needs,
			   uint64_t *out, uint32_t most)
{
	struct expr expr = expression(reading->spec, value);
	for (uint32_t count = 0; count < most;) {
		double number;
		if (!expr_read(&expr, &number)) {
			hd_error(reading->diag, reading->lines.loc, "%s: %s", key, expr.why);
			return 0;
		}
		if (!(number >= 1 && number <= UINT32_MAX))
			break;
		if (number != floor(number)) {
			hd_error(reading->diag, reading->lines.loc,
				 "%s: %g is not whole; ceil(...) and floor(...) round", key, number);
			return 0;
		}
		out[count++] = (uint64_t)number;
		if (!*expr.at)
			return count;
		if (*expr.at++ != ',')
			break;
	}
	wrong(reading, key, needs, value);
	return 0;
}

static void parse_dimensions(struct reading *reading, const char *key, const char *value, uint32_t out[3])
{
	uint64_t sizes[3] = {1, 1, 1};
	parse_list(reading, key, value, "one to three positive numbers (x,y,z)", sizes, 3);
	for (unsigned i = 0; i < 3; i++)
		out[i] = (uint32_t)sizes[i];
}

static void parse_number(struct reading *reading, const char *key, const char *value, uint64_t max, uint64_t *out)
{
	struct expr expr = expression(reading->spec, value);
	char needs[64];
	double number;
	snprintf(needs, sizeof needs, "a number from 0 to %llu", (unsigned long long)max);
	if (!expr_read(&expr, &number))
		hd_error(reading->diag, reading->lines.loc, "%s: %s", key, expr.why);
	else if (*expr.at || !(number >= 0 && number <= (double)max) || number != floor(number))
		wrong(reading, key, needs, value);
	else
		*out = (uint64_t)number;
}

static void parse_tolerance(struct reading *reading, const char *key, const char *value, double *out)
{
	char *end;
	*out = strtod(value, &end);
	if (end == value || *end || !(*out >= 0))
		wrong(reading, key, "a number that is not negative", value);
}

/* ------------------------------------------------------------ keys */

enum { MAX_COUNT = 1 << 30, MAX_ARGUMENTS = 4096, MOST_PRIORITY = 1000 };

/* Place of `key` in its section's table, or `count` with an error for a key that is unknown or stands there twice. */
static unsigned find_key(struct reading *reading, const char *const *keys, unsigned count, const char *key,
			 uint32_t *seen)
{
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(keys[i], key))
			continue;
		if (*seen >> i & 1) {
			hd_error(reading->diag, reading->lines.loc, "duplicate %s in [%s]", key, reading->section);
			return count;
		}
		*seen |= 1u << i;
		return i;
	}
	unknown(reading, "key", key, keys, count);
	return count;
}

enum { KEY_GRID, KEY_BLOCK, KEY_SHARED, KEY_COOPERATIVE, KEY_FILE, KEY_KERNEL, KEY_PRIORITY, LAUNCH_KEYS };

static const char *beside_spec(struct spec *spec, const char *path)
{
	const char *slash = strrchr(spec->path, '/');
	int folder = slash && *path != '/' ? (int)(slash + 1 - spec->path) : 0;
	return hd_arena_printf(&spec->arena, "%.*s%s", folder, spec->path, path);
}

static void parse_priority(struct reading *reading, const char *key, const char *value, int *priority)
{
	char *end;
	long number = strtol(value, &end, 10);
	if (end == value || *end || number < -MOST_PRIORITY || number > MOST_PRIORITY)
		wrong(reading, key, "a number from -1000 to 1000", value);
	*priority = (int)number;
}

static void launch_key(struct reading *reading, const char *key, const char *value)
{
	static const char *const keys[LAUNCH_KEYS] = {"grid", "block",	"shared",  "cooperative",
						      "file", "kernel", "priority"};
	struct spec *spec = reading->spec;
	uint64_t number = 0;
	switch (find_key(reading, keys, LAUNCH_KEYS, key, &reading->launch_seen)) {
	case KEY_GRID: parse_dimensions(reading, key, value, spec->grid); break;
	case KEY_BLOCK: parse_dimensions(reading, key, value, spec->block); break;
	case KEY_SHARED:
		parse_number(reading, key, value, UINT32_MAX, &number);
		spec->shared = (uint32_t)number;
		break;
	case KEY_COOPERATIVE:
		parse_number(reading, key, value, 1, &number);
		spec->cooperative = number;
		break;
	case KEY_FILE: spec->file = beside_spec(spec, value); break;
	case KEY_KERNEL: spec->kernel = hd_arena_strdup(&spec->arena, value); break;
	case KEY_PRIORITY: parse_priority(reading, key, value, &spec->priority); break;
	default: break;
	}
}

enum {
	KEY_KIND,
	KEY_VALUE,
	KEY_TYPE,
	KEY_COUNT,
	KEY_SHAPE,
	KEY_INIT,
	KEY_OUTPUT,
	KEY_PRINT,
	KEY_COMPARE,
	KEY_ABS,
	KEY_REL,
	DATA_KEYS
};

static void parse_shape(struct reading *reading, const char *key, const char *value, struct spec_data *data)
{
	static const char needs[] = "positive numbers (rows,columns,...) with a product of at most 2^30";
	uint64_t count = 1;
	data->shape_line = reading->lines.loc.line;
	data->dims = parse_list(reading, key, value, needs, data->shape, NPY_DIMS);
	for (uint32_t i = 0; i < data->dims && count <= MAX_COUNT; i++)
		count *= data->shape[i];
	if (count > MAX_COUNT)
		wrong(reading, key, needs, value);
}

static struct expr_name *find_name(struct spec *spec, const char *name)
{
	for (uint32_t i = 0; i < spec->names.len; i++)
		if (!strcmp(spec->names.data[i].name, name))
			return &spec->names.data[i];
	hd_vec_push(&spec->names, (struct expr_name){.name = hd_arena_strdup(&spec->arena, name)});
	return &hd_vec_last(&spec->names);
}

static void define_key(struct reading *reading, const char *key, const char *value)
{
	struct hd_loc loc = reading->lines.loc;
	struct expr expr = expression(reading->spec, value);
	double number;
	if (!*key || key[expr_name_length(key)])
		hd_error(reading->diag, loc, "'%s' is no name of letters, digits and _", key);
	else if (!expr_read(&expr, &number))
		hd_error(reading->diag, loc, "%s: %s", key, expr.why);
	else if (*expr.at)
		wrong(reading, key, "one expression", value);
	else {
		struct expr_name *name = find_name(reading->spec, key);
		if (name->seen)
			hd_error(reading->diag, loc, "duplicate %s in [define]", key);
		name->seen = true;
		if (!name->given)
			name->value = number;
	}
}

/* NAME=V of the command line. */
static void define_given(struct spec *spec, const char *text, struct hd_diag *diag)
{
	unsigned length = expr_name_length(text);
	struct expr expr = {.at = text + length + 1};
	double number;
	if (!length || text[length] != '=' || !expr_read(&expr, &number) || *expr.at) {
		hd_error(diag, HD_NOWHERE, "--define needs NAME=NUMBER, not '%s'", text);
		return;
	}
	struct expr_name *name = find_name(spec, hd_arena_printf(&spec->arena, "%.*s", (int)length, text));
	name->value = number;
	name->given = true;
}

static void check_given(const struct spec *spec, struct hd_diag *diag)
{
	for (uint32_t i = 0; i < spec->names.len; i++)
		if (spec->names.data[i].given && !spec->names.data[i].used)
			hd_error(diag, HD_NOWHERE, "--define %s: %s does not use it", spec->names.data[i].name,
				 spec->path);
}

static void data_key(struct reading *reading, const char *key, const char *value)
{
	static const char *const keys[DATA_KEYS] = {"kind",   "value", "type",	  "count", "shape", "init",
						    "output", "print", "compare", "abs",   "rel"};
	struct spec_data *data = reading->data;
	char *text = hd_arena_strdup(&reading->spec->arena, value);
	switch (find_key(reading, keys, DATA_KEYS, key, &reading->seen)) {
	case KEY_KIND:
		data->buffer = !strcmp(value, "buffer");
		if (!data->buffer)
			data->type = type_or_error(reading, value, true);
		break;
	case KEY_VALUE:
		data->value = text;
		data->value_line = reading->lines.loc.line;
		break;
	case KEY_TYPE: data->type = type_or_error(reading, value, false); break;
	case KEY_COUNT:
		data->count_given = true;
		parse_number(reading, key, value, MAX_COUNT, &data->count);
		break;
	case KEY_SHAPE: parse_shape(reading, key, value, data); break;
	case KEY_INIT:
		data->init = text;
		data->init_line = reading->lines.loc.line;
		break;
	case KEY_OUTPUT:
		data->output = text;
		data->output_line = reading->lines.loc.line;
		break;
	case KEY_PRINT: parse_number(reading, key, value, MAX_COUNT, &data->print); break;
	case KEY_COMPARE:
		data->compare_line = reading->lines.loc.line;
		data->compare_npy = !strncmp(text, "npy:", 4);
		data->compare = data->compare_npy ? text + 4 : strncmp(text, "file:", 5) ? NULL : text + 5;
		if (!data->compare)
			wrong(reading, key, "file:PATH or npy:PATH", value);
		break;
	case KEY_ABS: parse_tolerance(reading, key, value, &data->abs); break;
	case KEY_REL: parse_tolerance(reading, key, value, &data->rel); break;
	default: break;
	}
}

static bool enter_argument(struct reading *reading, const char *number)
{
	struct spec *spec = reading->spec;
	char next[16];
	uint32_t index = spec->args.len;
	snprintf(next, sizeof next, "%u", index);
	if (strcmp(number, next) || index == MAX_ARGUMENTS)
		return false;
	hd_vec_push(&spec->args, (struct spec_data){.line = reading->lines.loc.line, .index = index});
	reading->data = &hd_vec_last(&spec->args);
	return true;
}

static void enter_section(struct reading *reading, const char *section)
{
	struct spec *spec = reading->spec;
	snprintf(reading->section, sizeof reading->section, "%s", section);
	reading->data = NULL;
	reading->seen = 0;
	reading->wrong_section = false;
	reading->defining = !strcmp(section, "define");
	if (reading->defining || !strcmp(section, "launch"))
		return;
	if (!strncmp(section, "arg", 3) && enter_argument(reading, section + 3))
		return;
	if (!strncmp(section, "symbol ", 7) && strlen(section) < INI_NAME_LIMIT) {
		const char *name = hd_arena_strdup(&spec->arena, section + 7);
		hd_vec_push(&spec->symbols,
			    (struct spec_data){.line = reading->lines.loc.line, .symbol = name, .buffer = true});
		reading->data = &hd_vec_last(&spec->symbols);
		return;
	}
	char next[32];
	snprintf(next, sizeof next, "arg%u", spec->args.len);
	const char *names[] = {"launch", next, "symbol NAME", "define"};
	reading->wrong_section = true;
	unknown(reading, "section", section, names, 4);
}

static int on_key(void *context, const char *section, const char *key, const char *value)
{
	struct reading *reading = context;
	if (strcmp(section, reading->section))
		enter_section(reading, section);
	if (!*section)
		hd_error(reading->diag, reading->lines.loc, "'%s' is outside of a section", key);
	else if (reading->defining)
		define_key(reading, key, value);
	else if (reading->data)
		data_key(reading, key, value);
	else if (!reading->wrong_section)
		launch_key(reading, key, value);
	return 1;
}

/* ------------------------------------------------------------ whole sections */

/* "i32:3, f32:0.5" as bytes. False when the text is none. */
static bool parse_fields(struct spec *spec, struct spec_data *data)
{
	char *rest = hd_arena_strdup(&spec->arena, data->value), *item;
	uint8_t *bytes = HD_ARENA_NEW(&spec->arena, uint8_t, 8 * strlen(rest) + 8);
	uint32_t size = 0, align = 1;
	while ((item = strsep(&rest, ","))) {
		item += strspn(item, " \t");
		char *value = strchr(item, ':');
		if (!value)
			return false;
		*value++ = '\0';
		value[strcspn(value, " \t")] = '\0';
		const struct spec_type *type = find_type(item);
		uint64_t bits;
		if (!type || !spec_element(type, value, &bits))
			return false;
		size = hd_align_up(size, type->bytes);
		memcpy(bytes + size, &bits, type->bytes);
		size += type->bytes;
		align = type->bytes > align ? type->bytes : align;
	}
	data->fields = bytes;
	data->count = hd_align_up(size, align);
	return true;
}

static void check_scalar(struct reading *reading, struct spec_data *data)
{
	const struct spec *spec = reading->spec;
	uint64_t bits;
	bool result = data->output || data->compare || data->print || data->dims;
	if (data->type == &struct_type && !data->value && data->count && !result)
		return;
	data->count = 1;
	if (data->init || result || data->count_given)
		hd_error(reading->diag, spec_at(spec, data->line),
			 "arg%u: init, count, shape, output, print and compare are for buffers (a struct may have "
			 "count and "
			 "init instead of value)",
			 data->index);
	if (!data->value)
		hd_error(reading->diag, spec_at(spec, data->line), "arg%u: value is missing", data->index);
	else if (data->type == &struct_type && !parse_fields(reading->spec, data))
		hd_error(reading->diag, spec_at(spec, data->value_line),
			 "a struct's value: expected TYPE:V, TYPE:V, ..., not '%s'", data->value);
	else if (data->type != &struct_type && !spec_element_of(reading->spec, data->type, data->value, &bits))
		hd_error(reading->diag, spec_at(spec, data->value_line), "'%s' is not a value of type %s", data->value,
			 data->type->name);
}

/* Type, count and shape of an argument or variable that a .npy file fills; what the specification says has to agree. */
static void describe_by_npy(struct reading *reading, struct spec_data *data)
{
	struct hd_loc loc = spec_at(reading->spec, data->init_line);
	const char *path = data->init + strlen("npy:");
	struct npy npy;
	if (npy_read(&npy, path, NULL, loc, reading->diag))
		return;
	const struct spec_type *type = find_type(npy.type);
	const struct spec_type *wanted = data->type == &struct_type ? find_type("u8") : data->type;
	if (wanted && wanted != type)
		hd_error(reading->diag, loc, "%s has elements of type %s, not %s", path, npy.type, wanted->name);
	data->type = data->type ? data->type : type;
	if (!npy.count || npy.count > MAX_COUNT)
		hd_error(reading->diag, loc, "%s has %llu elements; there can be 1 to 2^30", path,
			 (unsigned long long)npy.count);
	if (data->count_given && data->count > npy.count)
		hd_error(reading->diag, loc, "%s has %llu elements, but the buffer has %llu", path,
			 (unsigned long long)npy.count, (unsigned long long)data->count);
	if (!data->count_given) {
		data->count = npy.count;
		data->count_given = data->symbol != NULL; /* else its size says how many are due */
	}
	if (!data->dims && data->count == npy.count && type == data->type) {
		data->dims = npy.dims;
		memcpy(data->shape, npy.shape, sizeof data->shape);
	}
}

/* A shape gives the count, or agrees with it. */
static void count_by_shape(struct reading *reading, struct spec_data *data)
{
	uint64_t count = 1;
	for (uint32_t i = 0; i < data->dims; i++)
		count *= data->shape[i];
	if (data->count_given && data->count != count)
		hd_error(reading->diag, spec_at(reading->spec, data->shape_line),
			 "the shape has %llu elements, but count is %llu", (unsigned long long)count,
			 (unsigned long long)data->count);
	data->count = count;
	data->count_given = true;
}

static void check_data(struct reading *reading, struct spec_data *data)
{
	struct hd_loc loc = spec_at(reading->spec, data->line);
	const char *name = data->symbol;
	char argument[32];
	snprintf(argument, sizeof argument, "arg%u", data->index);
	name = name ? name : argument;
	unsigned before = reading->diag->errors;
	if (data->dims)
		count_by_shape(reading, data);
	if (data->init && !strncmp(data->init, "npy:", 4))
		describe_by_npy(reading, data);
	if (reading->diag->errors != before)
		return;
	if (data->init && strncmp(data->init, "npy:", 4) && strncmp(data->init, "file:", 5))
		spec_use_names(reading->spec, data->init);
	if (!data->buffer && data->type)
		check_scalar(reading, data);
	else if (!data->buffer)
		hd_error(reading->diag, loc, "%s: kind is missing", name);
	else if (!data->type)
		hd_error(reading->diag, loc, "%s: type is missing", name);
	else if (data->value)
		hd_error(reading->diag, spec_at(reading->spec, data->value_line), "%s: a buffer has init = value:%s",
			 name, data->value);
	else if (!data->symbol && !data->count && (!data->init || strncmp(data->init, "file:", 5)))
		hd_error(reading->diag, loc, "%s: count is missing", name);
}

static void check_file(struct spec *spec, const struct spec_data *data, struct hd_diag *diag)
{
	if (data->compare && access(data->compare, R_OK))
		hd_error(diag, spec_at(spec, data->compare_line), "cannot read %s: %s", data->compare, strerror(errno));
	if (data->output && !spec_is_writable(data->output))
		hd_error(diag, spec_at(spec, data->output_line), "cannot write '%s': %s", data->output,
			 strerror(errno));
}

struct spec_data *spec_nth(struct spec *spec, uint32_t index)
{
	if (index < spec->args.len)
		return &spec->args.data[index];
	index -= spec->args.len;
	return index < spec->symbols.len ? &spec->symbols.data[index] : NULL;
}

const struct spec_data *spec_writer(struct spec *spec, const char *path, const struct spec_data *before)
{
	const struct spec_data *data;
	for (uint32_t i = 0; (data = spec_nth(spec, i)) && data != before; i++)
		if ((data->output && hd_output_same(data->output, path)) ||
		    (data->dump && hd_output_same(data->dump, path)))
			return data;
	return NULL;
}

/* Before a long run, not behind it. */
static void check_files(struct spec *spec, struct hd_diag *diag)
{
	const struct spec_data *data, *other;
	for (uint32_t i = 0; (data = spec_nth(spec, i)); i++) {
		check_file(spec, data, diag);
		if (data->output && (other = spec_writer(spec, data->output, data)))
			hd_error(diag, spec_at(spec, data->output_line), "'%s' is the output of line %u, too",
				 data->output, other->output_line);
	}
}

static void check_launch(const struct reading *reading, const struct spec_known *known)
{
	struct hd_loc loc = {reading->spec->path, 0, 0};
	bool grid = reading->launch_seen & 1u << KEY_GRID, block = reading->launch_seen & 1u << KEY_BLOCK;
	if (!block && known && known->absent)
		hd_error(reading->diag, loc, "there is no %s, so [launch] needs %s", known->absent,
			 grid ? "block" : "grid and block");
	else if (!grid || !block)
		hd_error(reading->diag, loc, "[launch] needs %s", block ? "grid" : grid ? "block" : "grid and block");
}

int spec_read(struct spec *spec, const char *path, const struct spec_known *known, struct hd_diag *diag)
{
	unsigned before = diag->errors;
	uint8_t *text = NULL;
	size_t size;
	*spec = (struct spec){.path = path};
	hd_arena_init(&spec->arena);
	for (const char *const *defines = known ? known->defines : NULL; defines && *defines; defines++)
		define_given(spec, *defines, diag);
	if (hd_read_file(path, &text, &size, diag))
		return -1;
	struct reading reading = {.spec = spec, .diag = diag};
	reading.lines = hd_ini_of(path, (const char *)text, size, diag);
	int bad_line = ini_parse_stream(next_line, &reading, on_key, &reading);
	if (bad_line > 0)
		hd_error(diag, spec_at(spec, (uint32_t)bad_line), "expected a [section] or a 'key = value' line");
	free(text);
	if (diag->errors == before) {
		if (known && known->block && !(reading.launch_seen & 1u << KEY_BLOCK)) {
			memcpy(spec->block, (const uint32_t[]){known->block, 1, 1}, sizeof spec->block);
			reading.launch_seen |= 1u << KEY_BLOCK;
		}
		if (known && !(reading.launch_seen & 1u << KEY_SHARED))
			spec->shared = known->shared;
		check_launch(&reading, known);
		for (uint32_t i = 0; i < spec->args.len; i++)
			check_data(&reading, &spec->args.data[i]);
		for (uint32_t i = 0; i < spec->symbols.len; i++)
			check_data(&reading, &spec->symbols.data[i]);
	}
	if (diag->errors == before)
		check_given(spec, diag);
	if (diag->errors == before)
		check_files(spec, diag);
	return diag->errors == before ? 0 : -1;
}

void spec_release(struct spec *spec)
{
	hd_vec_release(&spec->args);
	hd_vec_release(&spec->symbols);
	hd_vec_release(&spec->names);
	hd_arena_release(&spec->arena);
}
