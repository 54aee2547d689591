/*
 * What a launch specification says of its buffers: their first contents, and what becomes of the results (see spec.h).
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/object.h"
#include "tools/heddle/run/spec.h"

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

/* Half precision, rounded once. Values of a binade are multiples of one quantum, which also serves those below the
 * smallest normal number; a value that rounds up to the next binade carries into the exponent. */
static uint16_t half_bits(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double size = fabs(value);
	if (isnan(value))
		return 0x7e00;
	if (size >= 65520)
		return sign | 0x7c00;
	int exponent = size < 0x1p-14 ? -14 : ilogb(size);
	return (uint16_t)(sign | ((exponent + 14) * 1024 + (int)nearbyint(ldexp(size, 10 - exponent))));
}

static double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 1023;
	double size = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
		      : exponent     ? ldexp(1024 + fraction, exponent - 25)
				     : ldexp(fraction, -24);
	return bits >> 15 ? -size : size;
}

uint64_t spec_real_bits(const struct spec_type *type, double value)
{
	uint64_t bits = 0;
	float single = (float)value;
	if (type->bytes == 2)
		return half_bits(value);
	memcpy(&bits, type->bytes == 4 ? (void *)&single : (void *)&value, type->bytes);
	return bits;
}

double spec_real_value(const struct spec_type *type, uint64_t bits)
{
	float single;
	double value;
	memcpy(&single, &bits, sizeof single);
	memcpy(&value, &bits, sizeof value);
	return type->bytes == 2 ? half_value((uint16_t)bits) : type->bytes == 4 ? (double)single : value;
}

static void put_real(const struct spec_type *type, uint8_t *bytes, uint64_t index, double value)
{
	put(type, bytes, index, spec_real_bits(type, value));
}

static double real_of(const struct spec_type *type, const uint8_t *bytes, uint64_t index)
{
	uint64_t bits = 0;
	memcpy(&bits, bytes + index * type->bytes, type->bytes);
	return spec_real_value(type, bits);
}

static int64_t integer_of(const struct spec_type *type, const uint8_t *bytes, uint64_t index)
{
	uint64_t bits = 0;
	memcpy(&bits, bytes + index * type->bytes, type->bytes);
	unsigned spare = 64 - 8 * type->bytes;
	return type->is_signed ? (int64_t)(bits << spare) >> spare : (int64_t)bits;
}

/* ------------------------------------------------------------ expressions */

bool spec_number(const struct spec *spec, const char *text, double *value)
{
	struct expr expr = {.at = text, .names = spec->names.data, .name_count = spec->names.len};
	return expr_read(&expr, value) && !*expr.at;
}

bool spec_element_of(const struct spec *spec, const struct spec_type *type, const char *text, uint64_t *bits)
{
	double number;
	char written[64];
	if (spec_element(type, text, bits))
		return true;
	if (!spec_number(spec, text, &number))
		return false;
	/* Beyond 2^53 an integer might not be what was meant. */
	if (!type->is_float && (number != floor(number) || fabs(number) > 0x1p53))
		return false;
	snprintf(written, sizeof written, type->is_float ? "%.17g" : "%.0f", number);
	return spec_element(type, written, bits);
}

void spec_use_names(const struct spec *spec, const char *init)
{
	char *copy = hd_xstrdup(init), *rest = copy, *part;
	double ignored;
	while ((part = strsep(&rest, ":")))
		if (part > copy)
			spec_number(spec, part, &ignored);
	free(copy);
}

/* ------------------------------------------------------------ generators */

static int fill_value(const struct spec *spec, const struct spec_data *data, const char *text, uint8_t *bytes)
{
	uint64_t bits;
	if (!spec_element_of(spec, data->type, text, &bits))
		return -1;
	for (uint64_t i = 0; i < data->count; i++)
		put(data->type, bytes, i, bits);
	return 0;
}

static bool in_order(const struct spec_type *type, uint64_t low, uint64_t high)
{
	int64_t first = integer_of(type, (const uint8_t *)&low, 0), last = integer_of(type, (const uint8_t *)&high, 0);
	return type->is_signed ? first <= last : low <= high;
}

/* text: SEED[:LOW:HIGH], which is taken apart */
static int fill_random(const struct spec_data *data, char *text, uint8_t *bytes)
{
	const struct spec_type *type = data->type;
	char *rest = text;
	const char *seed = strsep(&rest, ":"), *low_text = rest ? strsep(&rest, ":") : NULL, *high_text = rest;
	uint64_t state, low = 0, high = 0;
	if (!spec_unsigned(seed, UINT64_MAX, &state) || (low_text && !high_text))
		return -1;
	if (low_text && (!spec_element(type, low_text, &low) || !spec_element(type, high_text, &high)))
		return -1;
	double real_low = 0, real_high = 1;
	if (low_text && type->is_float) {
		real_low = real_of(type, (const uint8_t *)&low, 0);
		real_high = real_of(type, (const uint8_t *)&high, 0);
	}
	if (low_text && (type->is_float ? !(real_low <= real_high) : !in_order(type, low, high)))
		return -1;
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

/* text: empty, or START[:STEP], which is taken apart. Integers wrap around. */
static int fill_ramp(const struct spec *spec, const struct spec_data *data, char *text, uint8_t *bytes)
{
	const struct spec_type *type = data->type;
	bool given = *text;
	char *rest = text;
	const char *start_text = strsep(&rest, ":"), *step_text = rest ? rest : "1";
	double start = 0, step = 1;
	if (given && (!spec_number(spec, start_text, &start) || !spec_number(spec, step_text, &step)))
		return -1;
	bool whole = start == floor(start) && step == floor(step) && fabs(start) <= 0x1p53 && fabs(step) <= 0x1p53;
	if (!type->is_float && !whole)
		return -1;
	for (uint64_t i = 0; i < data->count; i++)
		if (type->is_float)
			put_real(type, bytes, i, start + (double)i * step);
		else
			put(type, bytes, i, (uint64_t)(int64_t)start + i * (uint64_t)(int64_t)step);
	return 0;
}

/* The text behind NAME, or behind NAME and a colon; NULL: the generator has another name. */
static const char *parameters(const char *init, const char *name)
{
	size_t length = strlen(name);
	if (strncmp(init, name, length) || (init[length] && init[length] != ':'))
		return NULL;
	return init + length + (init[length] == ':' && init[length + 1]);
}

static int fill_file(const struct spec *spec, struct spec_data *data, const char *path, uint8_t **bytes,
		     struct hd_diag *diag)
{
	size_t size;
	if (access(path, R_OK))
		return hd_error(diag, spec_at(spec, data->init_line), "cannot read %s: %s", path, strerror(errno));
	if (hd_read_file(path, bytes, &size, diag))
		return -1;
	if (!data->count)
		data->count = size / data->type->bytes;
	if (!data->count || size < data->count * data->type->bytes)
		return hd_error(diag, spec_at(spec, data->init_line), "%s has %zu bytes, but the buffer has %llu", path,
				size, (unsigned long long)((data->count ? data->count : 1) * data->type->bytes));
	return 0;
}

static int fill_npy(const struct spec *spec, struct spec_data *data, const char *path, uint8_t **bytes,
		    struct hd_diag *diag)
{
	struct hd_loc loc = spec_at(spec, data->init_line);
	struct npy npy;
	if (npy_read(&npy, path, bytes, loc, diag))
		return -1;
	if (npy.count < data->count || npy.bytes != data->type->bytes) /* another than the specification's reader saw */
		return hd_error(diag, loc, "%s has changed", path);
	return 0;
}

int spec_fill(const struct spec *spec, struct spec_data *data, uint8_t **bytes, struct hd_diag *diag)
{
	const char *init = data->init ? data->init : "zero";
	*bytes = NULL;
	bool npy = !strncmp(init, "npy:", 4);
	if (npy || !strncmp(init, "file:", 5)) {
		if (npy ? !fill_npy(spec, data, init + 4, bytes, diag) : !fill_file(spec, data, init + 5, bytes, diag))
			return 0;
		free(*bytes);
		*bytes = NULL;
		return -1;
	}
	*bytes = calloc(data->count ? data->count : 1, data->type->bytes);
	if (!*bytes)
		return hd_error(diag, spec_at(spec, data->line), "not enough memory for %llu elements",
				(unsigned long long)data->count);
	int status = -1;
	char *parts = hd_xstrdup(init);
	const char *ramp = parameters(init, "ramp");
	ramp = ramp ? ramp : parameters(init, "iota");
	if (data->fields)
		memcpy(*bytes, data->fields, data->count), status = 0;
	else if (data->value)
		status = fill_value(spec, data, data->value, *bytes);
	else if (!strcmp(init, "zero"))
		status = 0;
	else if (ramp)
		status = fill_ramp(spec, data, parts + (ramp - init), *bytes);
	else if (!strncmp(init, "value:", 6))
		status = fill_value(spec, data, init + 6, *bytes);
	else if (!strncmp(init, "random:", 7))
		status = fill_random(data, parts + 7, *bytes);
	free(parts);
	if (!status)
		return 0;
	free(*bytes);
	*bytes = NULL;
	return hd_error(
		diag, spec_at(spec, data->init_line),
		"init is zero, ramp[:START[:STEP]], value:V, random:SEED[:LOW:HIGH] (LOW <= HIGH), file:PATH or "
		"npy:PATH for type %s, not '%s'",
		data->type->name, init);
}

/* ------------------------------------------------------------ results */

static void element_text(const struct spec_type *type, const uint8_t *bytes, uint64_t index, char *text, size_t size)
{
	if (type->is_float)
		snprintf(text, size, "%.*g",
			 type->bytes == 2   ? 5
			 : type->bytes == 4 ? 9
					    : 17,
			 real_of(type, bytes, index));
	else if (type->is_signed)
		snprintf(text, size, "%lld", (long long)integer_of(type, bytes, index));
	else
		snprintf(text, size, "%llu", (unsigned long long)integer_of(type, bytes, index));
}

void spec_data_name(const struct spec_data *data, char *text, size_t size)
{
	if (data->symbol)
		snprintf(text, size, "%s", data->symbol);
	else
		snprintf(text, size, "arg%u", data->index);
}

static void print_elements(const struct spec_data *data, const uint8_t *bytes)
{
	char text[64], name[96];
	spec_data_name(data, name, sizeof name);
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

/* The expected elements (malloc'ed) of a .npy file, whose type and shape have to be those of the buffer. */
static int expected_npy(const struct spec_data *data, struct hd_loc loc, uint8_t **expected, struct hd_diag *diag)
{
	struct npy npy;
	if (npy_read(&npy, data->compare, expected, loc, diag))
		return -1;
	if (strcmp(npy.type, data->type->name))
		hd_error(diag, loc, "%s has elements of type %s, but the buffer has %s", data->compare, npy.type,
			 data->type->name);
	else if (npy.count != data->count)
		hd_error(diag, loc, "%s has %llu elements, but the buffer has %llu", data->compare,
			 (unsigned long long)npy.count, (unsigned long long)data->count);
	else if (data->dims && (npy.dims != data->dims || memcmp(npy.shape, data->shape, sizeof npy.shape)))
		hd_error(diag, loc, "%s has another shape than the buffer", data->compare);
	else
		return 0;
	return -1;
}

static int expected_raw(const struct spec_data *data, struct hd_loc loc, uint8_t **expected, struct hd_diag *diag)
{
	size_t size;
	if (hd_read_file(data->compare, expected, &size, diag))
		return -1;
	if (size != data->count * data->type->bytes)
		return hd_error(diag, loc, "%s has %zu bytes, but the buffer has %llu", data->compare, size,
				(unsigned long long)(data->count * data->type->bytes));
	return 0;
}

static int compare(const struct spec *spec, const struct spec_data *data, const uint8_t *bytes, struct hd_diag *diag)
{
	uint8_t *expected = NULL;
	struct hd_loc loc = spec_at(spec, data->compare_line);
	if (data->compare_npy ? expected_npy(data, loc, &expected, diag) : expected_raw(data, loc, &expected, diag)) {
		free(expected);
		return -1;
	}
	uint64_t differences = 0, first = 0;
	for (uint64_t i = 0; i < data->count; i++)
		if (!near_enough(data, bytes, expected, i) && !differences++)
			first = i;
	if (differences) {
		char name[96], got[64], wanted[64];
		spec_data_name(data, name, sizeof name);
		element_text(data->type, bytes, first, got, sizeof got);
		element_text(data->type, expected, first, wanted, sizeof wanted);
		hd_error(diag, loc, "%s: %llu of %llu elements differ; the first is [%llu]: %s instead of %s", name,
			 (unsigned long long)differences, (unsigned long long)data->count, (unsigned long long)first,
			 got, wanted);
	}
	free(expected);
	return differences != 0;
}

static void folder_of(const char *path, char folder[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	snprintf(folder, PATH_MAX, "%.*s", !slash ? 1 : slash == path ? 1 : (int)(slash - path), slash ? path : ".");
}

bool spec_is_writable(const char *path)
{
	struct stat known;
	char folder[PATH_MAX];
	if (!stat(path, &known)) {
		errno = EISDIR;
		return !S_ISDIR(known.st_mode) && !access(path, W_OK);
	}
	folder_of(path, folder);
	return *path && errno == ENOENT && !access(folder, W_OK);
}

static int write_output(const struct spec_data *data, const char *path, const uint8_t *bytes, struct hd_diag *diag)
{
	if (!npy_named(path))
		return hd_write_file(path, bytes, data->count * data->type->bytes, diag);
	struct npy npy = {.bytes = data->type->bytes, .dims = data->dims, .count = data->count};
	snprintf(npy.type, sizeof npy.type, "%s", data->type->name);
	memcpy(npy.shape, data->shape, sizeof npy.shape);
	if (!npy.dims) {
		npy.dims = 1;
		npy.shape[0] = data->count;
	}
	return npy_write(&npy, path, bytes, diag);
}

int spec_results(const struct spec *spec, const struct spec_data *data, const uint8_t *bytes, bool print,
		 struct hd_diag *diag)
{
	if (print && data->print)
		print_elements(data, bytes);
	if (data->output && write_output(data, data->output, bytes, diag))
		return -1;
	if (data->dump && write_output(data, data->dump, bytes, diag))
		return -1;
	return data->compare ? compare(spec, data, bytes, diag) : 0;
}
