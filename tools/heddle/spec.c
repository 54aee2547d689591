/*
 * Reads launch specifications (see spec.h): inih splits the lines, each key is checked against the table of its
 * section, and every error has its line. Errors do not stop the reading, so that one run shows them all.
 */
#include "tools/heddle/spec.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/object.h"

static const struct spec_type types[] = {
	{"i8", 1, false, true},	 {"u8", 1, false, false},  {"i16", 2, false, true}, {"u16", 2, false, false},
	{"i32", 4, false, true}, {"u32", 4, false, false}, {"i64", 8, false, true}, {"u64", 8, false, false},
	{"f32", 4, true, true},	 {"f64", 8, true, true},
};
enum { TYPES = sizeof types / sizeof *types };

/* inih cuts names off at this many characters. */
enum { INI_NAME_LIMIT = 49 };

/* What the reader of lines and the handler of keys share. inih calls the reader once a line, so it counts them. */
struct reading {
	struct spec *spec;
	struct hd_diag *diag;
	const char *text;
	uint32_t line;
	char section[64];
	struct spec_data *data; /* of the current section; NULL in [launch] and in sections that are wrong */
	bool wrong_section;
	bool grid_given, block_given;
};

static struct hd_loc at(const struct spec *spec, uint32_t line)
{
	return (struct hd_loc){spec->path, line, 0};
}

/* `; did you mean a, b?` or `; known: a, b, c`. */
static void unknown(struct reading *reading, const char *what, const char *wanted, const char *const *names,
		    unsigned count)
{
	char *near = hd_nearest_names(wanted, names, count);
	char all[256] = "";
	for (unsigned i = 0; i < count; i++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
	hd_error(reading->diag, at(reading->spec, reading->line), "unknown %s '%s'; %s %s%s", what, wanted,
		 *near ? "did you mean" : "known:", *near ? near : all, *near ? "?" : "");
	free(near);
}

static char *next_line(char *to, int room, void *context)
{
	struct reading *reading = context;
	if (!*reading->text || room < 2)
		return NULL;
	size_t length = strcspn(reading->text, "\n");
	reading->line++;
	size_t kept = length < (size_t)room - 1 ? length : (size_t)room - 2;
	if (kept < length)
		hd_error(reading->diag, at(reading->spec, reading->line), "the line is longer than %d characters",
			 room - 2);
	memcpy(to, reading->text, kept);
	to[kept] = '\0';
	reading->text += length + (reading->text[length] == '\n');
	return to;
}

/* ------------------------------------------------------------ values */

static bool parse_unsigned(const char *text, uint64_t max, uint64_t *value)
{
	char *end;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value <= max;
}

/* The element's bytes, little-endian, in *bits. */
static bool parse_element(const struct spec_type *type, const char *text, uint64_t *bits)
{
	char *end;
	errno = 0;
	if (type->is_float) {
		double value = strtod(text, &end);
		float single = (float)value;
		*bits = 0;
		memcpy(bits, type->bytes == 4 ? (void *)&single : (void *)&value, type->bytes);
		return end != text && !*end;
	}
	unsigned width = 8 * type->bytes;
	if (*text != '-')
		return parse_unsigned(text, UINT64_MAX >> (64 - width), bits);
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
	hd_error(reading->diag, at(reading->spec, reading->line), "%s needs %s, not '%s'", key, needs, value);
}

static void parse_dimensions(struct reading *reading, const char *key, const char *value, uint32_t out[3])
{
	char *copy = hd_arena_strdup(&reading->spec->arena, value), *rest = copy;
	unsigned count = 0;
	out[0] = out[1] = out[2] = 1;
	for (char *item; (item = strsep(&rest, ",")); count++) {
		uint64_t number;
		item += strspn(item, " \t");
		item[strcspn(item, " \t")] = '\0';
		if (count == 3 || !parse_unsigned(item, UINT32_MAX, &number) || !number) {
			wrong(reading, key, "one to three positive numbers (x,y,z)", value);
			return;
		}
		out[count] = (uint32_t)number;
	}
}

static void parse_number(struct reading *reading, const char *key, const char *value, uint64_t max, uint64_t *out)
{
	if (!parse_unsigned(value, max, out))
		wrong(reading, key, "a number", value);
}

static void parse_tolerance(struct reading *reading, const char *key, const char *value, double *out)
{
	char *end;
	*out = strtod(value, &end);
	if (end == value || *end || !(*out >= 0))
		wrong(reading, key, "a number that is not negative", value);
}

/* ------------------------------------------------------------ keys */

enum { MAX_COUNT = 1 << 30 };

static void launch_key(struct reading *reading, const char *key, const char *value)
{
	static const char *const keys[] = {"grid", "block", "shared"};
	struct spec *spec = reading->spec;
	uint64_t number = 0;
	if (!strcmp(key, "grid")) {
		reading->grid_given = true;
		parse_dimensions(reading, key, value, spec->grid);
	} else if (!strcmp(key, "block")) {
		reading->block_given = true;
		parse_dimensions(reading, key, value, spec->block);
	} else if (!strcmp(key, "shared")) {
		parse_number(reading, key, value, UINT32_MAX, &number);
		spec->shared = (uint32_t)number;
	} else {
		unknown(reading, "key", key, keys, 3);
	}
}

static void data_key(struct reading *reading, const char *key, const char *value)
{
	static const char *const keys[] = {"kind",   "value", "type",	 "count", "init",
					   "output", "print", "compare", "abs",	  "rel"};
	struct spec_data *data = reading->data;
	char *text = hd_arena_strdup(&reading->spec->arena, value);
	if (!strcmp(key, "kind")) {
		data->buffer = !strcmp(value, "buffer");
		if (!data->buffer)
			data->type = type_or_error(reading, value, true);
	} else if (!strcmp(key, "value")) {
		data->value = text;
		data->value_line = reading->line;
	} else if (!strcmp(key, "type")) {
		data->type = type_or_error(reading, value, false);
	} else if (!strcmp(key, "count")) {
		data->count_given = true;
		parse_number(reading, key, value, MAX_COUNT, &data->count);
	} else if (!strcmp(key, "init")) {
		data->init = text;
		data->init_line = reading->line;
	} else if (!strcmp(key, "output")) {
		data->output = text;
	} else if (!strcmp(key, "print")) {
		parse_number(reading, key, value, MAX_COUNT, &data->print);
	} else if (!strcmp(key, "compare")) {
		data->compare_line = reading->line;
		data->compare = strncmp(text, "file:", 5) ? NULL : text + 5;
		if (!data->compare)
			wrong(reading, key, "file:PATH", value);
	} else if (!strcmp(key, "abs")) {
		parse_tolerance(reading, key, value, &data->abs);
	} else if (!strcmp(key, "rel")) {
		parse_tolerance(reading, key, value, &data->rel);
	} else {
		unknown(reading, "key", key, keys, sizeof keys / sizeof *keys);
	}
}

static bool enter_argument(struct reading *reading, const char *number)
{
	struct spec *spec = reading->spec;
	uint64_t index;
	if (!parse_unsigned(number, 4095, &index) || index != spec->args.len)
		return false;
	hd_vec_push(&spec->args, (struct spec_data){.line = reading->line, .index = (uint32_t)index});
	reading->data = &hd_vec_last(&spec->args);
	return true;
}

static void enter_section(struct reading *reading, const char *section)
{
	struct spec *spec = reading->spec;
	snprintf(reading->section, sizeof reading->section, "%s", section);
	reading->data = NULL;
	reading->wrong_section = false;
	if (!strcmp(section, "launch"))
		return;
	if (!strncmp(section, "arg", 3) && enter_argument(reading, section + 3))
		return;
	if (!strncmp(section, "symbol ", 7) && strlen(section) < INI_NAME_LIMIT) {
		const char *name = hd_arena_strdup(&spec->arena, section + 7);
		hd_vec_push(&spec->symbols, (struct spec_data){.line = reading->line, .symbol = name, .buffer = true});
		reading->data = &hd_vec_last(&spec->symbols);
		return;
	}
	char next[32];
	snprintf(next, sizeof next, "arg%u", spec->args.len);
	const char *names[] = {"launch", next, "symbol NAME"};
	reading->wrong_section = true;
	unknown(reading, "section", section, names, 3);
}

static int on_key(void *context, const char *section, const char *key, const char *value)
{
	struct reading *reading = context;
	if (strcmp(section, reading->section))
		enter_section(reading, section);
	if (!*section)
		hd_error(reading->diag, at(reading->spec, reading->line), "'%s' stands before the first section", key);
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
		if (!type || !parse_element(type, value, &bits))
			return false;
		size = (size + type->bytes - 1) & ~(type->bytes - 1);
		memcpy(bytes + size, &bits, type->bytes);
		size += type->bytes;
		align = type->bytes > align ? type->bytes : align;
	}
	data->fields = bytes;
	data->count = (size + align - 1) & ~(align - 1);
	return true;
}

static void check_scalar(struct reading *reading, struct spec_data *data)
{
	const struct spec *spec = reading->spec;
	uint64_t bits;
	data->count = 1;
	if (data->init || data->output || data->compare || data->print || data->count_given)
		hd_error(reading->diag, at(spec, data->line),
			 "arg%u: only a buffer has init, count, output, print or compare", data->index);
	if (!data->value)
		hd_error(reading->diag, at(spec, data->line), "arg%u: value is missing", data->index);
	else if (data->type == &struct_type && !parse_fields(reading->spec, data))
		hd_error(reading->diag, at(spec, data->value_line), "a struct's value is TYPE:V, TYPE:V, ..., not '%s'",
			 data->value);
	else if (data->type != &struct_type && !parse_element(data->type, data->value, &bits))
		hd_error(reading->diag, at(spec, data->value_line), "'%s' is not a value of type %s", data->value,
			 data->type->name);
}

static void check_data(struct reading *reading, struct spec_data *data)
{
	struct hd_loc loc = at(reading->spec, data->line);
	const char *name = data->symbol;
	char argument[32];
	snprintf(argument, sizeof argument, "arg%u", data->index);
	name = name ? name : argument;
	if (!data->buffer && data->type)
		check_scalar(reading, data);
	else if (!data->buffer)
		hd_error(reading->diag, loc, "%s: kind is missing", name);
	else if (!data->type)
		hd_error(reading->diag, loc, "%s: type is missing", name);
	else if (data->value)
		hd_error(reading->diag, at(reading->spec, data->value_line), "%s: a buffer has init = value:%s", name,
			 data->value);
	else if (!data->symbol && !data->count && (!data->init || strncmp(data->init, "file:", 5)))
		hd_error(reading->diag, loc, "%s: count is missing", name);
}

int spec_read(struct spec *spec, const char *path, struct hd_diag *diag)
{
	unsigned before = diag->errors;
	uint8_t *text = NULL;
	size_t size;
	*spec = (struct spec){.path = path};
	hd_arena_init(&spec->arena);
	if (hd_read_file(path, &text, &size, diag))
		return -1;
	struct reading reading = {.spec = spec, .diag = diag, .text = (const char *)text};
	int bad_line = ini_parse_stream(next_line, &reading, on_key, &reading);
	if (bad_line > 0)
		hd_error(diag, at(spec, (uint32_t)bad_line), "neither a [section] nor a 'key = value' line");
	free(text);
	if (diag->errors == before) {
		if (!reading.grid_given || !reading.block_given)
			hd_error(diag, (struct hd_loc){path, 0, 0}, "[launch] needs grid and block");
		for (uint32_t i = 0; i < spec->args.len; i++)
			check_data(&reading, &spec->args.data[i]);
		for (uint32_t i = 0; i < spec->symbols.len; i++)
			check_data(&reading, &spec->symbols.data[i]);
	}
	return diag->errors == before ? 0 : -1;
}

void spec_release(struct spec *spec)
{
	hd_vec_release(&spec->args);
	hd_vec_release(&spec->symbols);
	hd_arena_release(&spec->arena);
}

/* ------------------------------------------------------------ contents of buffers */

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void put(const struct spec_type *type, uint8_t *bytes, uint64_t index, uint64_t bits)
{
	memcpy(bytes + index * type->bytes, &bits, type->bytes);
}

static void put_real(const struct spec_type *type, uint8_t *bytes, uint64_t index, double value)
{
	float single = (float)value;
	memcpy(bytes + index * type->bytes, type->bytes == 4 ? (void *)&single : (void *)&value, type->bytes);
}

static double real_of(const struct spec_type *type, const uint8_t *bytes, uint64_t index)
{
	float single;
	double value;
	if (type->bytes == 4) {
		memcpy(&single, bytes + index * 4, 4);
		return single;
	}
	memcpy(&value, bytes + index * 8, 8);
	return value;
}

static int64_t integer_of(const struct spec_type *type, const uint8_t *bytes, uint64_t index)
{
	uint64_t bits = 0;
	memcpy(&bits, bytes + index * type->bytes, type->bytes);
	unsigned spare = 64 - 8 * type->bytes;
	return type->is_signed ? (int64_t)(bits << spare) >> spare : (int64_t)bits;
}

static int fill_value(const struct spec_data *data, const char *text, uint8_t *bytes)
{
	uint64_t bits;
	if (!parse_element(data->type, text, &bits))
		return -1;
	for (uint64_t i = 0; i < data->count; i++)
		put(data->type, bytes, i, bits);
	return 0;
}

/* text: SEED[:LOW:HIGH] */
static int fill_random(const struct spec_data *data, const char *text, uint8_t *bytes)
{
	const struct spec_type *type = data->type;
	char copy[160], *rest = copy;
	snprintf(copy, sizeof copy, "%s", text);
	const char *seed = strsep(&rest, ":"), *low_text = rest ? strsep(&rest, ":") : NULL, *high_text = rest;
	uint64_t state, low = 0, high = 0;
	if (!parse_unsigned(seed, UINT64_MAX, &state) || (low_text && !high_text))
		return -1;
	if (low_text && (!parse_element(type, low_text, &low) || !parse_element(type, high_text, &high)))
		return -1;
	double real_low = 0, real_high = 1;
	if (low_text && type->is_float) {
		real_low = real_of(type, (const uint8_t *)&low, 0);
		real_high = real_of(type, (const uint8_t *)&high, 0);
	}
	uint64_t range = low_text ? high - low + 1 : 0;
	for (uint64_t i = 0; i < data->count; i++) {
		uint64_t draw = splitmix(&state);
		if (type->is_float)
			put_real(type, bytes, i, real_low + (double)(draw >> 11) * 0x1p-53 * (real_high - real_low));
		else
			put(type, bytes, i, low + (range ? draw % range : draw));
	}
	return 0;
}

static void fill_ramp(const struct spec_data *data, uint8_t *bytes)
{
	for (uint64_t i = 0; i < data->count; i++)
		if (data->type->is_float)
			put_real(data->type, bytes, i, (double)i);
		else
			put(data->type, bytes, i, i);
}

static int fill_file(const struct spec *spec, struct spec_data *data, const char *path, uint8_t **bytes,
		     struct hd_diag *diag)
{
	size_t size;
	if (access(path, R_OK))
		return hd_error(diag, at(spec, data->init_line), "cannot read %s: %s", path, strerror(errno));
	if (hd_read_file(path, bytes, &size, diag))
		return -1;
	if (!data->count)
		data->count = size / data->type->bytes;
	if (!data->count || size < data->count * data->type->bytes)
		return hd_error(diag, at(spec, data->init_line), "%s has %zu bytes, fewer than the %llu of the buffer",
				path, size, (unsigned long long)((data->count ? data->count : 1) * data->type->bytes));
	return 0;
}

int spec_fill(const struct spec *spec, struct spec_data *data, uint8_t **bytes, struct hd_diag *diag)
{
	const char *init = data->init ? data->init : "zero";
	*bytes = NULL;
	if (!strncmp(init, "file:", 5)) {
		if (!fill_file(spec, data, init + 5, bytes, diag))
			return 0;
		free(*bytes);
		*bytes = NULL;
		return -1;
	}
	*bytes = calloc(data->count ? data->count : 1, data->type->bytes);
	if (!*bytes)
		return hd_error(diag, at(spec, data->line), "not enough memory for %llu elements",
				(unsigned long long)data->count);
	int status = -1;
	if (data->fields)
		memcpy(*bytes, data->fields, data->count), status = 0;
	else if (!data->buffer)
		status = fill_value(data, data->value, *bytes);
	else if (!strcmp(init, "zero"))
		status = 0;
	else if (!strcmp(init, "ramp"))
		fill_ramp(data, *bytes), status = 0;
	else if (!strncmp(init, "value:", 6))
		status = fill_value(data, init + 6, *bytes);
	else if (!strncmp(init, "random:", 7))
		status = fill_random(data, init + 7, *bytes);
	if (!status)
		return 0;
	free(*bytes);
	*bytes = NULL;
	return hd_error(diag, at(spec, data->init_line),
			"init is zero, ramp, value:V, random:SEED[:LOW:HIGH] or file:PATH for type %s, not '%s'",
			data->type->name, init);
}

/* ------------------------------------------------------------ results */

static void element_text(const struct spec_type *type, const uint8_t *bytes, uint64_t index, char *text, size_t size)
{
	if (type->is_float)
		snprintf(text, size, "%.*g", type->bytes == 4 ? 9 : 17, real_of(type, bytes, index));
	else if (type->is_signed)
		snprintf(text, size, "%lld", (long long)integer_of(type, bytes, index));
	else
		snprintf(text, size, "%llu", (unsigned long long)integer_of(type, bytes, index));
}

static void data_name(const struct spec_data *data, char *text, size_t size)
{
	if (data->symbol)
		snprintf(text, size, "%s", data->symbol);
	else
		snprintf(text, size, "arg%u", data->index);
}

static void print_elements(const struct spec_data *data, const uint8_t *bytes)
{
	char text[64], name[96];
	data_name(data, name, sizeof name);
	printf("%s =", name);
	for (uint64_t i = 0; i < data->print && i < data->count; i++) {
		element_text(data->type, bytes, i, text, sizeof text);
		printf(" %s", text);
	}
	printf("%s\n", data->print < data->count ? " ..." : "");
}

/* Equal, both NaN, or within abs + rel * |expected|. */
static bool near_enough(const struct spec_data *data, const uint8_t *got, const uint8_t *expected, uint64_t i)
{
	uint32_t bytes = data->type->bytes;
	if (!memcmp(got + i * bytes, expected + i * bytes, bytes))
		return true;
	double a, b;
	if (data->type->is_float) {
		a = real_of(data->type, got, i);
		b = real_of(data->type, expected, i);
		if (a == b || (a != a && b != b))
			return true;
	} else {
		a = (double)integer_of(data->type, got, i);
		b = (double)integer_of(data->type, expected, i);
	}
	double difference = a < b ? b - a : a - b, size = b < 0 ? -b : b;
	return (data->abs > 0 || data->rel > 0) && difference <= data->abs + data->rel * size;
}

static int compare(const struct spec *spec, const struct spec_data *data, const uint8_t *bytes, struct hd_diag *diag)
{
	uint8_t *expected = NULL;
	size_t size;
	if (hd_read_file(data->compare, &expected, &size, diag))
		return -1;
	struct hd_loc loc = at(spec, data->compare_line);
	if (size != data->count * data->type->bytes) {
		hd_error(diag, loc, "%s has %zu bytes, the buffer %llu", data->compare, size,
			 (unsigned long long)(data->count * data->type->bytes));
		free(expected);
		return -1;
	}
	uint64_t differences = 0, first = 0;
	for (uint64_t i = 0; i < data->count; i++)
		if (!near_enough(data, bytes, expected, i) && !differences++)
			first = i;
	if (differences) {
		char name[96], got[64], wanted[64];
		data_name(data, name, sizeof name);
		element_text(data->type, bytes, first, got, sizeof got);
		element_text(data->type, expected, first, wanted, sizeof wanted);
		hd_error(diag, loc, "%s: %llu of %llu elements differ; the first is [%llu]: %s instead of %s", name,
			 (unsigned long long)differences, (unsigned long long)data->count, (unsigned long long)first,
			 got, wanted);
	}
	free(expected);
	return differences != 0;
}

int spec_results(const struct spec *spec, const struct spec_data *data, const uint8_t *bytes, bool print,
		 struct hd_diag *diag)
{
	if (print && data->print)
		print_elements(data, bytes);
	if (data->output && hd_write_file(data->output, bytes, data->count * data->type->bytes, diag))
		return -1;
	return data->compare ? compare(spec, data, bytes, diag) : 0;
}
