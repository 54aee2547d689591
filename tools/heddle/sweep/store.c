/*
 * Results on disk: see store.h. A file is written beside its place, synced, and renamed, and then its folder is synced:
 * after a crash it is there whole or not at all. Its first line has the length and a check sum of the rest:
 *
 *	{"heddle_sweep": 1, "bytes": N, "check": "16 digits",
 *	"run": {...},
 *	"host": {...},
 *	"output": "...",
 *	"statistics": {...}}
 */
#include "tools/heddle/sweep/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/hash.h"
#include "lib/metadata/json.h"
#include "lib/strbuf.h"

#define HEAD "{\"heddle_sweep\": 1, \"bytes\": %15" PRIu64 ", \"check\": \"%016" PRIx64 "\",\n"
#define HEAD_SCAN "{\"heddle_sweep\": 1, \"bytes\": %" SCNu64 ", \"check\": \"%" SCNx64 "\""
enum { HEAD_BYTES = 75, PIECE = 1 << 16, MOST_OUTPUT = 1 << 18 };

/* ------------------------------------------------------------ the folder */

static int make_folder(const char *path, struct hd_diag *diag)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		return hd_error(diag, HD_NOWHERE, "cannot make %s: %s", path, strerror(errno));
	return 0;
}

/* With those above it. */
static int make_folders(struct hd_arena *arena, const char *path, struct hd_diag *diag)
{
	char *part = hd_arena_strdup(arena, path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (make_folder(part, diag))
			return -1;
		*slash = '/';
	}
	return make_folder(part, diag);
}

static void empty_folder(const char *path)
{
	DIR *dir = opendir(path);
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (*entry->d_name != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* One sweep at a time: the kernel lets the lock go however that ends. */
static int take_lock(struct store *store, struct hd_diag *diag)
{
	const char *path = hd_arena_printf(&store->arena, "%s/lock", store->path);
	store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (store->lock < 0)
		return hd_error(diag, HD_NOWHERE, "cannot make %s: %s", path, strerror(errno));
	if (flock(store->lock, LOCK_EX | LOCK_NB))
		return hd_error(diag, HD_NOWHERE, "%s: another sweep uses this folder", store->path);
	return 0;
}

int store_open(struct store *store, const char *path, bool write, struct hd_diag *diag)
{
	*store = (struct store){.lock = -1};
	hd_arena_init(&store->arena);
	char here[4096];
	if (*path == '/')
		store->path = hd_arena_strdup(&store->arena, path);
	else if (getcwd(here, sizeof here))
		store->path = hd_arena_printf(&store->arena, "%s/%s", here, path);
	else
		return hd_error(diag, HD_NOWHERE, "the current folder no longer exists");
	if (!write)
		return 0;
	static const char *const inner[] = {"results", "failed", "programs", "tmp"};
	if (make_folders(&store->arena, store->path, diag))
		return -1;
	for (unsigned i = 0; i < sizeof inner / sizeof *inner; i++)
		if (make_folder(hd_arena_printf(&store->arena, "%s/%s", store->path, inner[i]), diag))
			return -1;
	if (take_lock(store, diag))
		return -1;
	store->temporary = hd_arena_printf(&store->arena, "%s/tmp", store->path);
	empty_folder(store->temporary);
	return 0;
}

void store_close(struct store *store)
{
	if (store->lock >= 0)
		close(store->lock);
	hd_arena_release(&store->arena);
}

const char *store_result(struct store *store, const char *key)
{
	return hd_arena_printf(&store->arena, "%s/results/%.2s/%s.json", store->path, key, key);
}

const char *store_failure(struct store *store, const char *key)
{
	return hd_arena_printf(&store->arena, "%s/failed/%s.json", store->path, key);
}

const char *store_log(struct store *store, const char *key)
{
	return hd_arena_printf(&store->arena, "%s/failed/%s.log", store->path, key);
}

const char *store_temporary(struct store *store, const char *name, const char *suffix)
{
	return hd_arena_printf(&store->arena, "%s/%s%s", store->temporary, name, suffix);
}

/* ------------------------------------------------------------ reading */

/* Eight bytes at a time; whoever changes a file on purpose is not what this is for. */
static uint64_t check_sum(uint64_t sum, const char *bytes, size_t size)
{
	for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), bytes += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, bytes, sizeof word);
		sum = hd_hash_mix(sum, word);
	}
	while (size--)
		sum = hd_hash_mix(sum, (unsigned char)*bytes++);
	return sum;
}

static bool is_whole(const char *text, size_t size)
{
	uint64_t bytes, check;
	return size > HEAD_BYTES && sscanf(text, HEAD_SCAN, &bytes, &check) == 2 && bytes == size - HEAD_BYTES &&
	       check == check_sum(0, text + HEAD_BYTES, size - HEAD_BYTES);
}

static char *read_text(struct store *store, const char *key, size_t *size, bool *is_there)
{
	struct hd_diag silent = hd_diag_silent();
	uint8_t *bytes;
	char path[4096];
	snprintf(path, sizeof path, "%s/results/%.2s/%s.json", store->path, key, key);
	*is_there = !access(path, F_OK);
	if (!*is_there || hd_read_file(path, &bytes, size, &silent))
		return NULL;
	char *text = (char *)bytes;
	if (is_whole(text, *size))
		return text;
	free(text);
	return NULL;
}

char *store_text(struct store *store, const char *key, size_t *size)
{
	bool is_there;
	return read_text(store, key, size, &is_there);
}

enum store_state store_look(struct store *store, const char *key)
{
	size_t size;
	bool is_there;
	char *text = read_text(store, key, &size, &is_there), *cause;
	free(text);
	if (text)
		return STORE_DONE;
	if (is_there)
		return STORE_DAMAGED;
	cause = store_cause(store, key);
	free(cause);
	return cause ? STORE_FAILED : STORE_MISSING;
}

char *store_cause(struct store *store, const char *key)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/failed/%s.json", store->path, key);
	json_t *document = json_load_file(path, 0, NULL);
	const char *cause = json_string_value(json_object_get(document, "cause"));
	char *copy = cause ? hd_xstrdup(cause) : NULL;
	json_decref(document);
	return copy;
}

/* ------------------------------------------------------------ writing */

static void sync_folder(const char *path)
{
	char folder[4096];
	snprintf(folder, sizeof folder, "%s", path);
	*strrchr(folder, '/') = '\0';
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		fsync(fd);
	if (fd >= 0)
		close(fd);
}

/* The finished file takes its place. */
static int publish(FILE *file, const char *temporary, const char *path, struct hd_diag *diag)
{
	bool written = !ferror(file) && !fflush(file) && !fsync(fileno(file));
	int error = errno;
	if (fclose(file) || !written || rename(temporary, path)) {
		error = written ? errno : error;
		unlink(temporary);
		return hd_error(diag, HD_NOWHERE, "cannot write %s: %s", path, strerror(error));
	}
	sync_folder(path);
	return 0;
}

static void put(FILE *to, const char *bytes, size_t size, uint64_t *total, struct hd_strbuf *rest, uint64_t *sum)
{
	fwrite(bytes, 1, size, to);
	*total += size;
	/* The sum is over whole words of the file, wherever pieces end. */
	hd_strbuf_append_bytes(rest, bytes, size);
	size_t whole = rest->len - rest->len % sizeof(uint64_t);
	*sum = check_sum(*sum, rest->data, whole);
	memmove(rest->data, rest->data + whole, rest->len - whole);
	rest->len -= whole;
}

static char *compact(const json_t *value)
{
	return json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER);
}

/* What the run printed, as JSON: the end of it where it is long. */
static char *output_json(const char *log)
{
	struct hd_diag silent = hd_diag_silent();
	uint8_t *bytes = NULL;
	size_t size = 0;
	if (hd_read_file(log, &bytes, &size, &silent))
		return hd_xstrdup("\"\"");
	for (size_t i = 0; i < size; i++)
		bytes[i] = bytes[i] ? bytes[i] : '?';
	json_t *text = hd_json_text((const char *)bytes + (size > MOST_OUTPUT ? size - MOST_OUTPUT : 0));
	char *json = json_dumps(text, JSON_ENCODE_ANY);
	json_decref(text);
	free(bytes);
	return json ? json : hd_xstrdup("\"\"");
}

/* All but the first line, whose place is left. */
static void write_body(FILE *to, FILE *statistics, const json_t *record, const struct store_cost *cost, const char *log)
{
	struct hd_strbuf front = {0}, rest = {0};
	uint64_t total = 0, sum = 0;
	char *run = compact(record), *output = output_json(log), *piece = hd_xmalloc(PIECE);
	fprintf(to, "%*s", HEAD_BYTES, "");
	hd_strbuf_printf(&front,
			 "\"run\": %s,\n\"host\": {\"seconds\": %.3f, \"cpu_seconds\": %.3f, \"peak_bytes\": %" PRIu64
			 "},\n\"output\": %s,\n\"statistics\": ",
			 run, cost->seconds, cost->cpu_seconds, cost->peak_bytes, output);
	put(to, front.data, front.len, &total, &rest, &sum);
	for (size_t size; (size = fread(piece, 1, PIECE, statistics));)
		put(to, piece, size, &total, &rest, &sum);
	put(to, "}\n", 2, &total, &rest, &sum);
	sum = check_sum(sum, rest.data, rest.len);
	rewind(to);
	fprintf(to, HEAD, total, sum);
	free(run);
	free(output);
	free(piece);
	hd_strbuf_release(&front);
	hd_strbuf_release(&rest);
}

int store_put(struct store *store, const char *key, const json_t *record, const struct store_cost *cost,
	      const char *statistics, const char *log, struct hd_diag *diag)
{
	const char *path = store_result(store, key), *temporary = store_temporary(store, key, ".part");
	FILE *from = fopen(statistics, "re");
	if (!from)
		return hd_error(diag, HD_NOWHERE, "cannot read %s: %s", statistics, strerror(errno));
	FILE *to = fopen(temporary, "we");
	int status = -1;
	if (!to)
		hd_error(diag, HD_NOWHERE, "cannot write %s: %s", temporary, strerror(errno));
	else {
		make_folder(hd_arena_printf(&store->arena, "%s/results/%.2s", store->path, key), diag);
		write_body(to, from, record, cost, log);
		status = publish(to, temporary, path, diag);
	}
	fclose(from);
	if (!status) {
		unlink(statistics);
		unlink(store_failure(store, key));
		unlink(store_log(store, key));
	}
	return status;
}

int store_fail(struct store *store, const char *key, const json_t *record, const struct store_cost *cost,
	       const char *cause, const char *log, struct hd_diag *diag)
{
	const char *path = store_failure(store, key), *temporary = store_temporary(store, key, ".part");
	json_t *document = json_pack("{s:s,s:f,s:O}", "cause", cause, "seconds", cost->seconds, "run", record);
	FILE *to = fopen(temporary, "we");
	if (rename(log, store_log(store, key)) && errno != ENOENT)
		hd_warning(diag, HD_NOWHERE, "cannot keep %s: %s", log, strerror(errno));
	if (!to) {
		json_decref(document);
		return hd_error(diag, HD_NOWHERE, "cannot write %s: %s", temporary, strerror(errno));
	}
	json_dumpf(document, to, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	fputc('\n', to);
	json_decref(document);
	return publish(to, temporary, path, diag);
}
