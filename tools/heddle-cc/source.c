/*
 * Sources as nvcc takes them and clang does not: launches that a formatter took apart, `kernel << < g, b >> > ()`,
 * lists in them, `kernel<<<{2, 3}, 32>>>()`, C++'s attributes behind CUDA's (attributes.c), and registers in templates
 * of inline assembly (templates.c). What is read of such a file is a copy that clang takes, under the file's own name
 * and with each line, and most columns, where they were (clang's overlay of the file system). Of the inputs and what
 * they include by "NAME". Linear in their text.
 */
#include <ctype.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/hash.h"
#include "lib/path.h"
#include "tools/heddle-cc/attributes.h"
#include "tools/heddle-cc/source.h"
#include "tools/heddle-cc/templates.h"

struct mend {
	struct hd_job *job;
	hd_arguments visited; /* real names of `files` */
	struct hd_hash_set visited_ids;
	hd_arguments files; /* to be read */
	struct hd_attribute_macros macros;
};

/* ------------------------------------------------------------ text */

/* Behind a raw string's end; `at` is at the quote behind R. */
static char *skip_raw(char *at)
{
	char end[20] = ")";
	size_t length = strcspn(at + 1, "( \\)\n");
	if (length > 16 || at[1 + length] != '(')
		return at + 1;
	snprintf(end, sizeof end, ")%.*s\"", (int)length, at + 1);
	char *stop = strstr(at + 1, end);
	return stop ? stop + strlen(end) : at + strlen(at);
}

static char *skip_quoted(char *at)
{
	char quote = *at++;
	while (*at && *at != quote && *at != '\n')
		at += *at == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

char *hd_source_skip_opaque(char *at, const char *start)
{
	if (at[0] == '/' && at[1] == '/')
		return at + strcspn(at, "\n");
	if (at[0] == '/' && at[1] == '*') {
		char *end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (*at == '"')
		return at > start && at[-1] == 'R' ? skip_raw(at) : skip_quoted(at);
	/* 1'000'000 */
	if (*at == '\'')
		return at > start && isxdigit((unsigned char)at[-1]) ? at + 1 : skip_quoted(at);
	return NULL;
}

size_t hd_source_word_length(const char *at)
{
	size_t length = 0;
	while (isalnum((unsigned char)at[length]) || at[length] == '_')
		length++;
	return isdigit((unsigned char)*at) ? 0 : length;
}

char *hd_source_skip_brackets(char *at, const char *start)
{
	int depth = 0;
	while (*at && *at != ';') {
		char *behind = hd_source_skip_opaque(at, start);
		if (!behind) {
			depth += strchr("([{", *at) ? 1 : strchr(")]}", *at) ? -1 : 0;
			behind = at + 1;
			if (depth == 0)
				return behind;
		}
		at = behind;
	}
	return NULL;
}

/* The end of three angles with nothing but blanks between them, or NULL. */
static char *three_angles(char *at, char angle)
{
	for (unsigned i = 0; i < 3; i++) {
		if (i)
			at += strspn(at, " \t\r\n");
		if (*at++ != angle)
			return NULL;
	}
	return at;
}

/* "a  b" of angles to "  ab": the blanks first. Whether there were any. */
static bool join(char *at, char *end)
{
	char angle = *at, *to = at;
	for (char *from = at; from < end; from++)
		if (*from != angle)
			*to++ = *from;
	bool apart = end - to == 3 && to > at;
	memset(to, angle, (size_t)(end - to));
	return apart;
}

/* friend ostream &operator<< <T>(...) */
static bool after_operator(const char *at, const char *start)
{
	static const char word[] = "operator";
	while (at > start && isspace((unsigned char)at[-1]))
		at--;
	return at - start >= (ptrdiff_t)strlen(word) && !strncmp(at - strlen(word), word, strlen(word));
}

/* The end of the configuration that starts at `at`, joined; whether it was apart. */
static bool close_launch(char *at, const char *start)
{
	int depth = 0;
	while (*at && *at != ';' && depth >= 0) {
		char *behind = hd_source_skip_opaque(at, start), *end;
		if (behind) {
			at = behind;
			continue;
		}
		depth += strchr("([{", *at) ? 1 : strchr(")]}", *at) ? -1 : 0;
		end = depth == 0 && *at == '>' && at[-1] != '-' ? three_angles(at, '>') : NULL;
		if (end && end[strspn(end, " \t\r\n")] == '(')
			return join(at, end);
		at++;
	}
	return false;
}

/* `<<<{2, 3}, {n}>>>` to `<<<dim3{2, 3}, dim3{n}>>>`; whether there was such a list behind the angles at `at`. */
static bool name_lists(struct hd_text *text, char *at)
{
	static const char word[] = "dim3";
	bool starts = true, changed = false;
	int depth = 0, argument = 0;
	while (*at && *at != ';' && depth >= 0 && argument < 2 && (depth || *at != '>' || !three_angles(at, '>'))) {
		char *behind = hd_source_skip_opaque(at, text->data);
		if (!behind && starts && *at == '{') {
			memmove(at + strlen(word), at, (size_t)(text->data + text->size + 1 - at));
			memcpy(at, word, strlen(word));
			text->size += strlen(word);
			at += strlen(word);
			changed = true;
		}
		bool comma = !behind && depth == 0 && *at == ',';
		argument += comma;
		starts = comma || (starts && (behind || isspace((unsigned char)*at)));
		depth += behind ? 0 : strchr("([{", *at) ? 1 : strchr(")]}", *at) ? -1 : 0;
		at = behind ? behind : at + 1;
	}
	return changed;
}

/* Joins the angles of launches in `text` and names the lists in them; whether there was something to do. */
static bool join_launches(struct hd_text *text)
{
	bool changed = false;
	for (char *at = text->data; *at;) {
		char *behind = hd_source_skip_opaque(at, text->data), *end;
		if (behind) {
			at = behind;
		} else if (*at == '<' && (end = three_angles(at, '<')) && *end != '<' &&
			   !after_operator(at, text->data)) {
			changed = join(at, end) || changed;
			changed = close_launch(end, text->data) || changed;
			changed = name_lists(text, end) || changed;
			at = end;
		} else {
			at++;
		}
	}
	return changed;
}

/* ------------------------------------------------------------ files */

/* The shell's name of the working directory, which clang goes by, too; it may lead through links. */
static const char *working_directory(struct hd_cc *cc)
{
	char here[PATH_MAX];
	const char *shell = getenv("PWD");
	if (!getcwd(here, sizeof here))
		return ".";
	char *real = shell && *shell == '/' ? hd_path_real(shell) : NULL;
	const char *name = hd_arena_strdup(&cc->arena, real && !strcmp(real, here) ? shell : here);
	free(real);
	return name;
}

/* A file to read, once by its real name. */
static void add_file(struct mend *mend, const char *path)
{
	struct hd_cc *cc = mend->job->cc;
	char *real = hd_path_real(path);
	if (real && strncmp(real, cc->include_dir, strlen(cc->include_dir)) != 0) {
		uint64_t hash = hd_hash_text(HD_HASH_TEXT, real);
		struct hd_hash_slot *slot;
		HD_HASH_FIND(slot, &mend->visited_ids, hash, !strcmp(mend->visited.data[slot->id], real));
		if (!hd_hash_found(slot)) {
			hd_hash_set_put(&mend->visited_ids, slot, hash, mend->visited.len);
			hd_vec_push(&mend->visited, hd_arena_strdup(&cc->arena, real));
			hd_vec_push(&mend->files, path);
		}
	}
	free(real);
}

/* As compilers look for it: beside the file, then in the folders of -I. */
static void add_include(struct mend *mend, const char *file, const char *name, size_t length)
{
	struct hd_cc *cc = mend->job->cc;
	const char *slash = strrchr(file, '/');
	const char *path =
		hd_arena_printf(&cc->arena, "%.*s%.*s", slash ? (int)(slash + 1 - file) : 0, file, (int)length, name);
	if (*name == '/')
		path = hd_arena_printf(&cc->arena, "%.*s", (int)length, name);
	for (uint32_t i = 0; access(path, R_OK) && i + 1 < cc->common.len; i++)
		if (!strcmp(cc->common.data[i], "-I"))
			path = hd_arena_printf(&cc->arena, "%s/%.*s", cc->common.data[i + 1], (int)length, name);
	if (access(path, R_OK) == 0)
		add_file(mend, path);
}

static void add_includes(struct mend *mend, const char *file, const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *at = line + strspn(line, " \t");
		if (*at != '#')
			continue;
		at += 1 + strspn(at + 1, " \t");
		if (strncmp(at, "include", 7) != 0)
			continue;
		at += 7 + strspn(at + 7, " \t");
		size_t length = *at == '"' ? strcspn(at + 1, "\"\n") : 0;
		if (length && at[1 + length] == '"')
			add_include(mend, file, at + 1, length);
	}
}

/* The overlay's file that stands for `name`; NULL: none does. */
static const char *copy_of(const struct hd_job *job, const char *name)
{
	json_t *root;
	size_t i;
	json_array_foreach(job->overlay, i,
			   root) if (!strcmp(json_string_value(json_object_get(root, "name")),
					     name)) return json_string_value(json_object_get(root,
											     "external-contents"));
	return NULL;
}

static const char *whole_name(struct hd_cc *cc, const char *file)
{
	return *file == '/' ? file : hd_arena_printf(&cc->arena, "%s/%s", working_directory(cc), file);
}

static int write_overlay(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	const char *path = hd_job_path(job, "overlay.json");
	json_t *overlay = json_pack("{s:i,s:b,s:O}", "version", 0, "use-external-names", 0, "roots", job->overlay);
	char *text = overlay ? json_dumps(overlay, 0) : NULL;
	int status = text ? hd_write_file(path, text, strlen(text), &cc->diag) : -1;
	/* _Alignas is not what the source says. */
	if (json_array_size(job->overlay) == 1)
		hd_job_add(&cc->common, "-ivfsoverlay", path, "-Wno-c11-extensions", NULL);
	free(text);
	json_decref(overlay);
	return status;
}

int hd_source_write(struct hd_job *job, const char *file, const char *text, size_t size)
{
	struct hd_cc *cc = job->cc;
	const char *name = whole_name(cc, file), *copy = copy_of(job, name);
	job->mended++;
	if (copy)
		return hd_write_file(copy, text, size, &cc->diag);
	if (!job->overlay)
		job->overlay = json_array();
	copy = hd_job_path(job, hd_arena_printf(&cc->arena, "source-%zu", json_array_size(job->overlay)));
	json_array_append_new(job->overlay,
			      json_pack("{s:s,s:s,s:s}", "type", "file", "name", name, "external-contents", copy));
	return hd_write_file(copy, text, size, &cc->diag) || write_overlay(job) ? -1 : 0;
}

int hd_source_read(struct hd_job *job, const char *file, uint8_t **bytes, size_t *size)
{
	const char *copy = copy_of(job, whole_name(job->cc, file));
	return hd_read_file(copy ? copy : file, bytes, size, &job->cc->diag);
}

/* What it includes, and what it defines, which those that include it may use. */
static int read_file(struct mend *mend, const char *file)
{
	struct hd_cc *cc = mend->job->cc;
	uint8_t *bytes;
	size_t size;
	if (hd_read_file(file, &bytes, &size, &cc->diag))
		return -1;
	add_includes(mend, file, (const char *)bytes);
	hd_attributes_note(&mend->macros, (const char *)bytes, &cc->arena);
	free(bytes);
	return 0;
}

static int mend_file(struct mend *mend, const char *file)
{
	uint8_t *bytes;
	size_t size;
	if (hd_read_file(file, &bytes, &size, &mend->job->cc->diag))
		return -1;
	/* A blank for `alignas` with its seven letters, four for each list in `<<<{},{}>>>`, a sign for `%tid`. */
	struct hd_text text = {hd_xmalloc(2 * size + 1), size};
	memcpy(text.data, bytes, size);
	text.data[size] = '\0';
	free(bytes);
	bool changed = join_launches(&text);
	changed = hd_attributes_mend(&text, &mend->macros) || changed;
	changed = hd_templates_mend(&text) || changed;
	int status = changed ? hd_source_write(mend->job, file, text.data, text.size) : 0;
	free(text.data);
	return status;
}

int hd_job_mend_sources(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	struct mend mend = {.job = job};
	int status = 0;
	for (uint32_t i = 0; i < cc->inputs.len; i++)
		if (hd_cc_is_cuda(cc, cc->inputs.data[i]))
			add_file(&mend, cc->inputs.data[i]);
	for (uint32_t i = 0; i < mend.files.len && !status; i++)
		status = read_file(&mend, mend.files.data[i]);
	for (uint32_t i = 0; i < mend.files.len && !status; i++)
		status = mend_file(&mend, mend.files.data[i]);
	hd_hash_set_release(&mend.visited_ids);
	hd_vec_release(&mend.visited);
	hd_attributes_release(&mend.macros);
	hd_vec_release(&mend.files);
	return status;
}
