/*
 * Keys of runs: see identity.h. Files are read once; the rest is a hash of less than a kilobyte a run.
 */
#include "tools/heddle/sweep/identity.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "heddle/config.h"
#include "heddle/object.h"
#include "heddle/version.h"
#include "lib/metadata/json.h"
#include "lib/strbuf.h"

struct identity_file {
	const char *path;
	char digest[HD_SHA256_TEXT]; /* "": none */
	bool known;
};

static void read_digest(const char *path, char text[HD_SHA256_TEXT])
{
	struct hd_diag silent = hd_diag_silent();
	struct stat status;
	uint8_t *bytes;
	size_t size;
	text[0] = '\0';
	if (stat(path, &status) || !S_ISREG(status.st_mode) || hd_read_file(path, &bytes, &size, &silent))
		return;
	struct hd_sha256 hash;
	hd_sha256_init(&hash);
	hd_sha256_add(&hash, bytes, size);
	hd_sha256_finish(&hash, text);
	free(bytes);
}

static struct identity_file *file_of(struct identity *identity, const char *path)
{
	uint64_t hash = hd_hash_text(HD_HASH_TEXT, path);
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &identity->set, hash, !strcmp(identity->files.data[slot->id].path, path));
	if (!hd_hash_found(slot)) {
		hd_hash_set_put(&identity->set, slot, hash, identity->files.len);
		hd_vec_push(&identity->files, (struct identity_file){.path = hd_arena_strdup(&identity->arena, path)});
	}
	return &identity->files.data[slot->id];
}

const char *identity_file(struct identity *identity, const char *path)
{
	struct identity_file *file = file_of(identity, path);
	if (!file->known)
		read_digest(path, file->digest);
	file->known = true;
	return file->digest;
}

void identity_forget(struct identity *identity, const char *path)
{
	file_of(identity, path)->known = false;
}

int identity_init(struct identity *identity, struct hd_diag *diag)
{
	*identity = (struct identity){0};
	hd_arena_init(&identity->arena);
	char *data = hd_data_dir();
	const char *path = hd_arena_printf(&identity->arena, "%s/../../lib/libheddle-cudart.so", data);
	free(data);
	read_digest(path, identity->runtime);
	return *identity->runtime ? 0 : hd_error(diag, HD_NOWHERE, "cannot read %s", path);
}

void identity_release(struct identity *identity)
{
	hd_vec_release(&identity->files);
	hd_hash_set_release(&identity->set);
	hd_arena_release(&identity->arena);
}

/* ------------------------------------------------------------ keys */

/* A text with its length, so that two of them are not taken for another two. */
static void add(struct hd_strbuf *all, const char *name, const char *text)
{
	hd_strbuf_printf(all, "%s %zu %s\n", name, strlen(text), text);
}

/* The words, and the digest of those that are files. */
static void add_words(struct identity *identity, struct hd_strbuf *all, const char *text)
{
	char *copy = hd_xstrdup(text), *rest = NULL;
	for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		add(all, "argument", word);
		const char *digest = identity_file(identity, word);
		if (*digest)
			add(all, "file", digest);
	}
	free(copy);
}

/* Policies that are shared objects stand there as PATH or PATH:PARAMETER. */
static void add_policy(struct identity *identity, struct hd_strbuf *all, const char *policy)
{
	char *copy = hd_xstrdup(policy), *rest = copy;
	add(all, "policy", policy);
	for (char *item; (item = strsep(&rest, "+"));) {
		item[strcspn(item, ":")] = '\0';
		const char *digest = strchr(item, '/') || strstr(item, ".so") ? identity_file(identity, item) : "";
		if (*digest)
			add(all, "object", digest);
	}
	free(copy);
}

static void compute_key(struct identity *identity, const struct sweep_runs *runs, struct sweep_run *run)
{
	const struct sweep_program *program = &runs->programs.data[run->program];
	struct hd_strbuf all = {0};
	struct hd_sha256 hash;
	char digest[HD_SHA256_TEXT];
	add(&all, "heddle", HD_VERSION);
	add(&all, "runtime", identity->runtime);
	add(&all, "program", program->digest);
	add_words(identity, &all, run_value(run, "arguments"));
	for (uint32_t i = 0; i < run->partner_count; i++) {
		add(&all, "beside", runs->programs.data[run->partners[i].program].digest);
		add_words(identity, &all, run->partners[i].arguments);
	}
	add(&all, "gpu", run_value(run, "gpu"));
	add(&all, "config", runs->configs.data[run->config].digest);
	add_policy(identity, &all, run_value(run, "policy"));
	add(&all, "options", run_value(run, "options"));
	hd_sha256_init(&hash);
	hd_sha256_add(&hash, all.data, all.len);
	hd_sha256_finish(&hash, digest);
	snprintf(run->key, sizeof run->key, "%.*s", RUN_KEY - 1, digest);
	hd_strbuf_release(&all);
}

/* All that it runs are there. */
static bool has_programs(const struct sweep_runs *runs, const struct sweep_run *run)
{
	bool all = *runs->programs.data[run->program].digest != 0;
	for (uint32_t i = 0; i < run->partner_count; i++)
		all &= *runs->programs.data[run->partners[i].program].digest != 0;
	return all;
}

void identity_keys(struct identity *identity, struct sweep_runs *runs)
{
	struct hd_hash_set set = {0};
	for (uint32_t i = 0; i < runs->programs.len; i++) {
		struct sweep_program *program = &runs->programs.data[i];
		snprintf(program->digest, sizeof program->digest, "%s",
			 program->path ? identity_file(identity, program->path) : "");
	}
	for (uint32_t i = 0; i < runs->runs.len; i++) {
		struct sweep_run *run = &runs->runs.data[i];
		struct hd_hash_slot *slot;
		run->same = i;
		run->key[0] = '\0';
		if (!has_programs(runs, run))
			continue;
		compute_key(identity, runs, run);
		uint64_t hash = hd_hash_text(HD_HASH_TEXT, run->key);
		HD_HASH_FIND(slot, &set, hash, !strcmp(runs->runs.data[slot->id].key, run->key));
		if (hd_hash_found(slot))
			run->same = slot->id;
		else
			hd_hash_set_put(&set, slot, hash, i);
	}
	hd_hash_set_release(&set);
}

json_t *identity_record(const struct identity *identity, const struct sweep_runs *runs, const struct sweep_run *run)
{
	json_t *record = json_object(), *coordinates = json_object();
	for (uint32_t i = 0; i < run->count; i++)
		json_object_set_new(coordinates, run->coordinates[i].name, hd_json_text(run->coordinates[i].value));
	json_object_set_new(record, "key", json_string(run->key));
	json_object_set_new(record, "coordinates", coordinates);
	json_object_set_new(record, "program", json_string(runs->programs.data[run->program].digest));
	json_object_set_new(record, "config", json_string(runs->configs.data[run->config].digest));
	json_object_set_new(record, "heddle", json_string(HD_VERSION));
	json_object_set_new(record, "runtime", json_string(identity->runtime));
	return record;
}
