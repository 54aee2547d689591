/*
 * Numbers and units as Nsight Compute and nvprof print them: "1,234,567", "12.3", with a unit in a column or a row of
 * its own: Kbyte, Minst, usecond, us. Nsight Compute's K is 1000, that of nvprof's KB 1024.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heddle/validate/validate.h"

enum kind { KIND_COUNT, KIND_BYTES, KIND_TIME };

struct unit {
	const char *name;
	enum kind kind;
	double scale;
};

/* Behind a prefix, but for the empty one. */
static const struct unit bases[] = {
	{"cycle", KIND_COUNT, 1},  {"inst", KIND_COUNT, 1},    {"sector", KIND_COUNT, 1},
	{"thread", KIND_COUNT, 1}, {"request", KIND_COUNT, 1}, {"byte", KIND_BYTES, 1},
};

static const struct unit whole[] = {
	{"", KIND_COUNT, 1},	      {"s", KIND_TIME, 1},
	{"second", KIND_TIME, 1},     {"ms", KIND_TIME, 1e-3},
	{"msecond", KIND_TIME, 1e-3}, {"us", KIND_TIME, 1e-6},
	{"usecond", KIND_TIME, 1e-6}, {"ns", KIND_TIME, 1e-9},
	{"nsecond", KIND_TIME, 1e-9}, {"\302\265s", KIND_TIME, 1e-6},
};

/* nvprof's, of sizes. */
static const struct unit binary[] = {
	{"B", KIND_BYTES, 1},
	{"KB", KIND_BYTES, 1024},
	{"MB", KIND_BYTES, 1048576},
	{"GB", KIND_BYTES, 1073741824},
};

static bool find(const struct unit *units, size_t count, const char *text, double scale, struct unit *found)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(units[i].name, text)) {
			*found = units[i];
			found->scale *= scale;
			return true;
		}
	return false;
}

#define FIND(units, text, scale, found) find(units, sizeof(units) / sizeof(*(units)), text, scale, found)

static bool unit_of(const char *text, bool nvprof, struct unit *found)
{
	static const char prefixes[] = "KMGT";
	if (FIND(whole, text, 1, found) || FIND(bases, text, 1, found) || (nvprof && FIND(binary, text, 1, found)))
		return true;
	const char *prefix = strchr(prefixes, *text);
	return *text && prefix && FIND(bases, text + 1, pow(1000, (double)(prefix - prefixes + 1)), found);
}

/* Digits, in groups of three behind the first comma; *at is behind them. */
static bool take_integer(const char **at, double *value)
{
	size_t group = 0;
	bool grouped = false;
	if (!isdigit((unsigned char)**at))
		return false;
	for (*value = 0; isdigit((unsigned char)**at) || **at == ','; ++*at) {
		if (**at != ',') {
			*value = 10 * *value + (**at - '0');
			group++;
			continue;
		}
		if (grouped ? group != 3 : group > 3)
			return false;
		grouped = true;
		group = 0;
	}
	return !grouped || group == 3;
}

/* The integer part may have separators that strtod does not know. */
static bool take_number(const char *text, double *value)
{
	const char *at = text;
	double fraction = 0;
	if (!take_integer(&at, value))
		return false;
	if (*at == '.') {
		char *end;
		if (!isdigit((unsigned char)at[1]))
			return false;
		for (const char *digit = at + 1; *digit; digit++)
			if (!isdigit((unsigned char)*digit))
				return false;
		fraction = strtod(at, &end);
		at = end;
	}
	*value += fraction;
	return !*at && isfinite(*value);
}

const char *profile_number(const char *text, const char *unit, bool nvprof, bool time, double *value)
{
	struct unit found;
	if (!take_number(text, value))
		return "is no number (LC_ALL=C has profilers write 1,234.5)";
	if (!unit_of(unit, nvprof, &found))
		return "has an unknown unit";
	if ((found.kind == KIND_TIME) != time)
		return time ? "has no unit of time" : "has a unit of time";
	*value *= found.scale;
	return NULL;
}
