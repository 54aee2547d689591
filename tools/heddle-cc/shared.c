/*
 * __shared__ variables whose class has a constructor or destructor that does something, such as cuda::barrier's: nvcc
 * takes them and runs neither, clang refuses them. Where it did, in libclang's scan,
 *
 *   __shared__ T a, b[2];
 *
 * becomes (source.h) what clang takes, a union, which has a constructor of its own, and names for what is in it:
 *
 *   __shared__ union u { u() {} ~u() {} struct { T a, b[2]; } v; } s; constexpr auto &a = s.v.a; constexpr auto &b =
 * s.v.b;
 *
 * Linear in the text for each scan that finds more of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/strbuf.h"
#include "tools/heddle-cc/source.h"

/* Where a variable that was refused has its name. */
struct place {
	struct hd_loc loc;
	size_t offset;
};
typedef HD_VEC(struct place) places;

struct name {
	const char *text;
	int length;
};

/* `__shared__ TYPE NAME, ...;` */
struct declaration {
	char *start, *type, *end; /* at __shared__, behind it, at the semicolon */
	HD_VEC(struct name) names;
};

static const char shared_word[] = "__shared__";

static bool is_word_at(const char *text, const char *at, const char *word)
{
	size_t length = strlen(word);
	return (at == text || !hd_source_word_length(at - 1)) && hd_source_word_length(at) == length &&
	       !strncmp(at, word, length);
}

/* Back from the name to the declaration's __shared__; false: something else comes before, or another name. */
static bool find_start(char *text, char *name, struct declaration *declaration)
{
	int depth = 0;
	for (char *at = name; at > text && !strchr(";{}", at[-1]); at--) {
		depth += strchr(">)", at[-1]) ? 1 : strchr("<(", at[-1]) ? -1 : 0;
		if (depth == 0 && at[-1] == ',')
			return false;
		if (is_word_at(text, at - 1, shared_word)) {
			declaration->start = at - 1;
			declaration->type = at - 1 + strlen(shared_word);
			return true;
		}
	}
	return false;
}

/* From the first name to the semicolon; false: there are initializers, which nvcc does not take either. */
static bool find_names(char *text, char *at, struct declaration *declaration)
{
	static const char blanks[] = " \t\r\n";
	for (;; at++) {
		at += strspn(at, " \t\r\n*&");
		struct name name = {at, (int)hd_source_word_length(at)};
		if (!name.length)
			return false;
		hd_vec_push(&declaration->names, name);
		at += name.length;
		for (at += strspn(at, blanks); *at == '['; at += strspn(at, blanks))
			if (!(at = hd_source_skip_brackets(at, text)))
				return false;
		declaration->end = at;
		if (*at != ',')
			return *at == ';';
	}
}

static void append_type(struct hd_strbuf *out, char *text, const struct declaration *declaration)
{
	static const char storage[] = "static";
	for (char *at = declaration->type; at < declaration->end; at++) {
		if (is_word_at(text, at, storage))
			at += strlen(storage);
		hd_strbuf_append_bytes(out, at, 1);
	}
}

static void append_declaration(struct hd_strbuf *out, char *text, const struct declaration *declaration)
{
	struct name first = declaration->names.data[0];
	hd_strbuf_printf(out,
			 "%s union hd_union_%.*s{__host__ __device__ hd_union_%.*s(){}"
			 "__host__ __device__ ~hd_union_%.*s(){}struct{",
			 shared_word, first.length, first.text, first.length, first.text, first.length, first.text);
	append_type(out, text, declaration);
	hd_strbuf_printf(out, ";}v;}hd_shared_%.*s;", first.length, first.text);
	for (uint32_t i = 0; i < declaration->names.len; i++) {
		struct name name = declaration->names.data[i];
		hd_strbuf_printf(out, "constexpr auto&%.*s=hd_shared_%.*s.v.%.*s;", name.length, name.text,
				 first.length, first.text, name.length, name.text);
	}
}

/* As nvcc does, with the word by which its warning is switched off. */
static void warn(struct hd_cc *cc, const char *text, const struct place *place)
{
	if (!cc->quiet && !strstr(text, "static_var_with_dynamic_init") && !strstr(text, "20054"))
		hd_warning(&cc->diag, place->loc,
			   "the constructor of this __shared__ variable does not run, as with nvcc "
			   "(#pragma nv_diag_suppress static_var_with_dynamic_init)");
}

/* The text with the file's places from `from` on mended; returns how many were. */
static unsigned mend_text(struct hd_cc *cc, char *text, size_t size, const places *places, uint32_t from,
			  struct hd_strbuf *out)
{
	unsigned mended = 0;
	char *done = text;
	for (uint32_t i = from; i < places->len; i++) {
		const struct place *place = &places->data[i];
		struct declaration declaration = {0};
		char *name = text + place->offset;
		if (!strcmp(place->loc.file, places->data[from].loc.file) && place->offset < size && name >= done &&
		    find_start(text, name, &declaration) && declaration.start >= done &&
		    find_names(text, name, &declaration)) {
			warn(cc, text, place);
			hd_strbuf_append_bytes(out, done, (size_t)(declaration.start - done));
			append_declaration(out, text, &declaration);
			done = declaration.end + 1;
			mended++;
		}
		hd_vec_release(&declaration.names);
	}
	hd_strbuf_append_bytes(out, done, size - (size_t)(done - text));
	return mended;
}

/* Mends the file of the place `from`; how many declarations, or -1. */
static int mend_file(struct hd_job *job, const places *places, uint32_t from)
{
	const char *file = places->data[from].loc.file;
	uint8_t *bytes;
	size_t size;
	if (hd_source_read(job, file, &bytes, &size))
		return -1;
	char *text = hd_xmalloc(size + 1);
	memcpy(text, bytes, size);
	text[size] = '\0';
	free(bytes);
	struct hd_strbuf out = {0};
	unsigned mended = mend_text(job->cc, text, size, places, from, &out);
	int status = mended ? hd_source_write(job, file, out.data, out.len) : 0;
	hd_strbuf_release(&out);
	free(text);
	return status ? -1 : (int)mended;
}

static int by_file(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = strcmp(a->loc.file, b->loc.file);
	return order ? order : (a->offset > b->offset) - (a->offset < b->offset);
}

static void read_places(struct hd_cc *cc, char *text, places *places)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		struct place place = {.offset = strtoul(line, &line, 10)};
		place.loc.line = (uint32_t)strtoul(line, &line, 10);
		place.loc.column = (uint32_t)strtoul(line, &line, 10);
		place.loc.file = hd_arena_strdup(&cc->arena, line + 1);
		hd_vec_push(places, place);
	}
}

/* Mends what the scan left at `path`; whether there was something that could be. */
static bool mend_refused(struct hd_job *job, const char *path)
{
	uint8_t *bytes;
	size_t size;
	places places = {0};
	int mended = 0;
	if (access(path, R_OK) || hd_read_file(path, &bytes, &size, &job->cc->diag))
		return false;
	char *text = hd_arena_printf(&job->cc->arena, "%.*s", (int)size, (const char *)bytes);
	free(bytes);
	unlink(path);
	read_places(job->cc, text, &places);
	qsort(places.data, places.len, sizeof *places.data, by_file);
	for (uint32_t i = 0; i < places.len && mended >= 0; i++)
		if (i == 0 || strcmp(places.data[i].loc.file, places.data[i - 1].loc.file) != 0) {
			int more = mend_file(job, &places, i);
			mended = more < 0 ? -1 : mended + more;
		}
	hd_vec_release(&places);
	return mended > 0;
}

bool hd_job_scan(struct hd_job *job, const char *input, const char *header, bool whole, const char *path)
{
	const char *refused = hd_job_path(job, "refused");
	bool scanned;
	/* Each round mends one place at least, and clang stops at so many errors. */
	scanned = hd_cc_scan(job->cc, &job->signals, input, header, whole, path, refused);
	while (mend_refused(job, refused))
		scanned = hd_cc_scan(job->cc, &job->signals, input, header, true, path, refused);
	return scanned;
}
