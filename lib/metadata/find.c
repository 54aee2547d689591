/*
 * Finds functions by what a person types: the symbol, or the demangled name with or
 * without its parameter list and, for templates, its return type. Linear in the functions.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "heddle/machine.h"
#include "heddle/metadata.h"
#include "lib/vec.h"

/* Length of a demangled name without its parameter list and what follows it: `f` of `void ns::f(int) const`. */
static size_t without_parameters(const char *name)
{
	size_t end = strlen(name);
	while (end && name[end - 1] != ')')
		end--;
	unsigned depth = 0;
	while (end) {
		char at = name[--end];
		if (at == ')')
			depth++;
		else if (at == '(' && --depth == 0)
			return end;
	}
	return strlen(name);
}

/* Where the name begins behind a return type: after the last space that no bracket encloses. */
static size_t return_type_length(const char *name, size_t len)
{
	size_t begin = 0;
	unsigned depth = 0;
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '<' || name[i] == '(')
			depth++;
		else if ((name[i] == '>' || name[i] == ')') && depth)
			depth--;
		else if (name[i] == ' ' && !depth)
			begin = i + 1;
	}
	return begin;
}

static int by_symbol(const void *symbol, const void *function)
{
	return strcmp(symbol, ((const struct hd_meta_function *)function)->name);
}

struct hd_meta_function *hd_metadata_find_symbol(const struct hd_metadata *metadata, const char *symbol)
{
	return metadata->function_count ? bsearch(symbol, metadata->functions, metadata->function_count,
						  sizeof(*metadata->functions), by_symbol)
					: NULL;
}

const char *hd_meta_shown_name(const struct hd_meta_function *function)
{
	return function->demangled && function->demangled[0] ? function->demangled : function->name;
}

static int same(const char *part, size_t len, const char *wanted)
{
	return len && strlen(wanted) == len && memcmp(part, wanted, len) == 0;
}

static int matches_demangled(const char *demangled, const char *wanted)
{
	size_t len = without_parameters(demangled);
	size_t begin = return_type_length(demangled, len);
	return strcmp(demangled, wanted) == 0 || strcmp(demangled + begin, wanted) == 0 ||
	       same(demangled, len, wanted) || same(demangled + begin, len - begin, wanted);
}

const char *hd_metadata_parameter(const struct hd_metadata *metadata, const char *key, size_t *length)
{
	size_t wanted = strlen(key);
	for (const char *at = metadata->flags; at && *at; at += strspn(at, ";")) {
		size_t all = strcspn(at, ";");
		if (all > wanted && at[wanted] == '=' && !memcmp(at, key, wanted)) {
			*length = all - wanted - 1;
			return at + wanted + 1;
		}
		at += all;
	}
	return NULL;
}

/* nvcc's options limit only where there are no bounds. Bounds that bind leave a multiple of eight (limit.c of select).
 */
const char *hd_metadata_limit(const struct hd_metadata *metadata, const struct hd_meta_function *function,
			      struct hd_arena *arena)
{
	size_t length = 0;
	const char *option = hd_metadata_parameter(metadata, "maxrregcount", &length);
	const char *ctas = function->min_ctas ? hd_arena_printf(arena, ", %u CTA%s an SM", function->min_ctas,
								function->min_ctas == 1 ? "" : "s")
					      : "";
	if (function->own_registers > HD_MAX_REGS / 8 * 8)
		return NULL;
	if (function->max_threads)
		return hd_arena_printf(arena, "launch bounds (%u threads%s) limit its registers; its code has %u",
				       function->max_threads, ctas, function->own_registers);
	return option ? hd_arena_printf(arena, "-maxrregcount %.*s limits its registers; its code has %u", (int)length,
					option, function->own_registers)
		      : NULL;
}

const struct hd_meta_function *hd_metadata_find(const struct hd_metadata *metadata, const char *name)
{
	uint32_t at;
	/* In order of name, but while they are made. */
	HD_BISECT(at, 0, metadata->function_count, strcmp(metadata->functions[at].name, name) < 0);
	if (at < metadata->function_count && strcmp(metadata->functions[at].name, name) == 0)
		return &metadata->functions[at];
	for (uint32_t i = 0; i < metadata->function_count; i++)
		if (strcmp(metadata->functions[i].name, name) == 0)
			return &metadata->functions[i];
	for (uint32_t i = 0; i < metadata->function_count; i++)
		if (metadata->functions[i].demangled && matches_demangled(metadata->functions[i].demangled, name))
			return &metadata->functions[i];
	return NULL;
}

char *hd_meta_bare_name(const char *demangled, struct hd_arena *arena)
{
	size_t len = without_parameters(demangled);
	size_t begin = return_type_length(demangled, len);
	return hd_arena_printf(arena, "%.*s", (int)(len - begin), demangled + begin);
}

char *hd_meta_function_bare_name(const struct hd_meta_function *function, struct hd_arena *arena)
{
	return hd_meta_bare_name(function->demangled ? function->demangled : function->name, arena);
}

/* The shortest form first: a pattern is most often a bare name. */
bool hd_meta_function_matches(const struct hd_meta_function *function, const char *glob)
{
	const char *demangled = function->demangled ? function->demangled : function->name;
	size_t len = without_parameters(demangled);
	size_t begin = return_type_length(demangled, len);
	char *bare = hd_xstrdup(demangled);
	bare[len] = '\0';
	bool matches = fnmatch(glob, bare + begin, 0) == 0 || fnmatch(glob, bare, 0) == 0 ||
		       fnmatch(glob, demangled + begin, 0) == 0 || fnmatch(glob, demangled, 0) == 0 ||
		       fnmatch(glob, function->name, 0) == 0;
	free(bare);
	return matches;
}
