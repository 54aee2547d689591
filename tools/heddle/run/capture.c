/*
 * Reads what Triton keeps of a kernel (see capture.h). The .json is Triton's own and has many keys; those that a launch
 * needs are checked, the others are skipped.
 */
#include "tools/heddle/run/capture.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "lib/strbuf.h"

enum { MOST_ARCH = 999, MOST_WARPS = 32 };

static bool ends_with(const char *path, const char *tail)
{
	size_t length = strlen(path), end = strlen(tail);
	return length > end && !strcmp(path + length - end, tail);
}

/* A whole number of the document; `otherwise` where it is absent. */
static int number(const json_t *found, const char *key, uint64_t otherwise, uint64_t most, uint64_t *value,
		  const struct capture *capture, struct hd_diag *diag)
{
	*value = otherwise;
	if (!found || json_is_null(found))
		return 0;
	if (!json_is_integer(found) || json_integer_value(found) < 0 || (uint64_t)json_integer_value(found) > most)
		return hd_error(diag, (struct hd_loc){capture->json, 0, 0}, "%s must be a number from 0 to %llu", key,
				(unsigned long long)most);
	*value = (uint64_t)json_integer_value(found);
	return 0;
}

static int read_key(const json_t *object, const char *key, uint64_t otherwise, uint64_t most, uint64_t *value,
		    const struct capture *capture, struct hd_diag *diag)
{
	return number(json_object_get(object, key), key, otherwise, most, value, capture, diag);
}

/* {"backend": "cuda", "arch": 80, "warp_size": 32}, or ["cuda", 80] in older versions. */
static int read_target(const json_t *target, struct capture *capture, struct hd_diag *diag)
{
	const json_t *backend = json_is_array(target) ? json_array_get(target, 0) : json_object_get(target, "backend");
	const json_t *arch = json_is_array(target) ? json_array_get(target, 1) : json_object_get(target, "arch");
	const char *name = json_string_value(backend);
	struct hd_loc loc = {capture->json, 0, 0};
	uint64_t of_arch;
	if (target && !json_is_null(target) && !json_is_array(target) && !json_is_object(target))
		return hd_error(diag, loc, "target must be an object or a list with backend and arch");
	if (backend && !json_is_null(backend) && !name)
		return hd_error(diag, loc, "backend must be a string");
	if (name && strcmp(name, "cuda"))
		return hd_error(diag, loc, "it was compiled for '%s', not for cuda", name);
	if (number(arch, "arch", 0, MOST_ARCH, &of_arch, capture, diag))
		return -1;
	capture->arch = (uint32_t)of_arch;
	return 0;
}

static int read_json(struct hd_arena *arena, struct capture *capture, struct hd_diag *diag)
{
	json_error_t error;
	struct hd_loc loc = {capture->json, 0, 0};
	json_t *document = json_load_file(capture->json, 0, &error);
	if (!document)
		return hd_error(diag, (struct hd_loc){capture->json, (uint32_t)(error.line > 0 ? error.line : 0), 0},
				"%s", error.text);
	const char *name = json_string_value(json_object_get(document, "name"));
	uint64_t warps, shared, clusters;
	int status = json_is_object(document)
			     ? 0
			     : hd_error(diag, loc,
					"expected an object with num_warps, shared and target, as Triton writes it");
	if (!status)
		status =
			read_key(document, "num_warps", 0, MOST_WARPS, &warps, capture, diag) ||
			read_key(document, "shared", 0, UINT32_MAX, &shared, capture, diag) ||
			read_key(document, "num_ctas", 1, UINT32_MAX, &clusters, capture, diag) ||
			read_key(document, "global_scratch_size", 0, UINT32_MAX, &capture->scratch[0], capture, diag) ||
			read_key(document, "profile_scratch_size", 0, UINT32_MAX, &capture->scratch[1], capture,
				 diag) ||
			read_target(json_object_get(document, "target"), capture, diag);
	if (!status && !warps)
		status = hd_error(diag, loc, "it has no num_warps: is it Triton's file beside %s?", capture->ir);
	if (!status && clusters > 1)
		status = hd_error(diag, loc, "num_ctas is %llu: kernels in clusters are not run from captures",
				  (unsigned long long)clusters);
	if (!status) {
		capture->name = name ? hd_arena_strdup(arena, name) : NULL;
		capture->warps = (uint32_t)warps;
		capture->shared = (uint32_t)shared;
	}
	json_decref(document);
	return status ? -1 : 0;
}

bool capture_named(const char *path)
{
	return ends_with(path, ".llir") || ends_with(path, ".json");
}

int capture_read(const char *path, struct hd_arena *arena, struct capture *capture, struct hd_diag *diag)
{
	*capture = (struct capture){.warp_size = 32};
	if (!capture_named(path))
		return 0;
	int base = (int)(strlen(path) - 5);
	capture->ir = hd_arena_printf(arena, "%.*s.llir", base, path);
	capture->json = hd_arena_printf(arena, "%.*s.json", base, path);
	if (access(capture->ir, R_OK))
		return hd_error(diag, HD_NOWHERE, "cannot read %s: %s", capture->ir, strerror(errno));
	if (access(capture->json, R_OK)) {
		if (ends_with(path, ".json"))
			return hd_error(diag, HD_NOWHERE, "cannot read %s: %s", capture->json, strerror(errno));
		capture->absent = capture->json;
		capture->json = NULL;
		return 0;
	}
	return read_json(arena, capture, diag);
}

/* ------------------------------------------------------------ newer text */

/* Words of later versions: what stands for them, with or without the parentheses behind. */
static const struct {
	const char *word, *older;
	bool parentheses;
} newer[] = {
	{"captures(none)", "nocapture", false},
	{"captures", "", true},
	{"initializes", "", true},
	{"samesign", "", false},
	{"dead_on_return", "", false},
};

/* Behind the parenthesis that closes the one at `at`. */
static const char *closed(const char *at)
{
	unsigned depth = 0;
	for (; *at && *at != '\n'; at++)
		if (*at == '(')
			depth++;
		else if (*at == ')' && --depth == 0)
			return at + 1;
	return at;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || strchr("_.$@%-", c);
}

/* A word of the table at `at`, which begins a word: what is behind it, or NULL. */
static const char *replace(const char *at, struct hd_strbuf *out)
{
	for (unsigned i = 0; i < sizeof newer / sizeof *newer; i++) {
		size_t length = strlen(newer[i].word);
		if (strncmp(at, newer[i].word, length) || (at[length] && in_word(at[length])))
			continue;
		if (newer[i].parentheses && at[length] != '(')
			continue;
		hd_strbuf_append(out, newer[i].older);
		return newer[i].parentheses ? closed(at + length) : at + length;
	}
	return NULL;
}

char *capture_older_text(const char *text)
{
	struct hd_strbuf out = {0};
	bool quoted = false, comment = false;
	char before = '\n';
	for (const char *at = text; *at;) {
		if (*at == '"' && !comment)
			quoted = !quoted;
		comment = *at == '\n' ? false : comment || (*at == ';' && !quoted);
		const char *behind = quoted || comment || (before && in_word(before)) ? NULL : replace(at, &out);
		if (!behind) {
			hd_strbuf_append_bytes(&out, at, 1);
			behind = at + 1;
		}
		before = behind[-1];
		at = behind;
	}
	return hd_strbuf_detach(&out);
}
