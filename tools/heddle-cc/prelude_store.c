/*
 * The folder of precompiled headers: see prelude_store.h. KEY.info has, a line each: the name of the other file; each
 * file that it was made of, with size, times and inode number; each name that these include, with `own` where
 * Heddle's headers have it; and all their words, by which macros are told that may change them.
 */
#include "tools/heddle-cc/prelude_store.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "tools/heddle-cc/source.h"

#define FIRST_LINE "heddle-prelude 3\n"

enum {
	MOST_HEADERS = 48, /* of 6 MB each; the ones that were used least recently go */
	STALE = 3600	   /* seconds, until what is unfinished counts as left behind */
};

/* ------------------------------------------------------------ the folder */

/* Whoever may write there may have clang read anything. */
static bool is_ours(const char *path)
{
	struct stat info;
	return !stat(path, &info) && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
	       !(info.st_mode & (S_IWGRP | S_IWOTH));
}

const char *hd_prelude_folder(struct hd_cc *cc)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (!cache || *cache != '/') {
		if (!home || *home != '/')
			return NULL;
		cache = hd_arena_printf(&cc->arena, "%s/.cache", home);
	}
	const char *folder = hd_arena_printf(&cc->arena, "%s/heddle", cache);
	if (access(folder, F_OK)) {
		mkdir(cache, 0700);
		mkdir(folder, 0700);
	}
	return is_ours(folder) ? folder : NULL;
}

/* ------------------------------------------------------------ reading */

/* A file as it was: another content has another of these. */
static bool append_stamp(struct hd_strbuf *out, const char *path, struct stat *info)
{
	if (stat(path, info))
		return false;
	hd_strbuf_printf(out, "file %lld %lld.%09ld %lld.%09ld %llu %s\n", (long long)info->st_size,
			 (long long)info->st_mtim.tv_sec, info->st_mtim.tv_nsec, (long long)info->st_ctim.tv_sec,
			 info->st_ctim.tv_nsec, (unsigned long long)info->st_ino, path);
	return true;
}

/* The last of six words. */
static const char *path_of(const char *line, size_t length)
{
	const char *at = line;
	for (unsigned i = 0; i < 5; i++) {
		at = memchr(at, ' ', (size_t)(line + length - at));
		if (!at)
			return NULL;
		at++;
	}
	return at;
}

static bool is_unchanged(struct hd_cc *cc, const char *line, size_t length)
{
	struct stat info;
	struct hd_strbuf now = {0};
	const char *path = path_of(line, length);
	bool same = path &&
		    append_stamp(&now, hd_arena_printf(&cc->arena, "%.*s", (int)(line + length - path), path), &info) &&
		    now.len == length + 1 && !memcmp(now.data, line, length);
	hd_strbuf_release(&now);
	return same;
}

bool hd_prelude_load(struct hd_cc *cc, const char *folder, const char *key, struct hd_prelude_entry *entry)
{
	static const char named[] = "header ";
	const char *path = hd_arena_printf(&cc->arena, "%s/%s.info", folder, key);
	uint8_t *bytes;
	size_t size;
	struct hd_diag silent = hd_diag_silent();
	if (hd_read_file(path, &bytes, &size, &silent))
		return false;
	*entry = (struct hd_prelude_entry){.info = hd_arena_strdup(&cc->arena, (const char *)bytes)};
	free(bytes);
	if (strncmp(entry->info, FIRST_LINE, strlen(FIRST_LINE)) != 0)
		return false;
	for (const char *line = entry->info + strlen(FIRST_LINE); strncmp(line, "words\n", 6) != 0;) {
		size_t length = strcspn(line, "\n");
		if (!line[length] || (!strncmp(line, "file ", 5) && !is_unchanged(cc, line, length)))
			return false;
		if (!strncmp(line, named, strlen(named)))
			entry->header = hd_arena_printf(&cc->arena, "%s/%.*s", folder, (int)(length - strlen(named)),
							line + strlen(named));
		line += length + 1;
	}
	/* For those who look which ones are in use. */
	utimensat(AT_FDCWD, path, NULL, 0);
	return entry->header && !access(entry->header, R_OK);
}

bool hd_prelude_has_word(const struct hd_prelude_entry *entry, const char *name, size_t length)
{
	const char *words = strstr(entry->info, "\nwords\n");
	for (const char *at = words; at && (at = memmem(at, strlen(at), name, length)); at++)
		if (at > words && at[-1] == '\n' && at[length] == '\n')
			return true;
	return false;
}

/* Of every folder only the first part of a name is looked for, in most of them in vain. */
static bool has_file(struct hd_cc *cc, const char *folder, const char *name, size_t length)
{
	const char *slash = memchr(name, '/', length);
	if (slash && access(hd_arena_printf(&cc->arena, "%s/%.*s", folder, (int)(slash - name), name), F_OK))
		return false;
	return !access(hd_arena_printf(&cc->arena, "%s/%.*s", folder, (int)length, name), F_OK);
}

bool hd_prelude_is_hidden(struct hd_cc *cc, const struct hd_prelude_entry *entry, const char *folder, bool ahead)
{
	for (const char *line = entry->info; strncmp(line, "words\n", 6) != 0; line += strcspn(line, "\n") + 1) {
		size_t length = strcspn(line, "\n");
		bool own = !strncmp(line, "own ", 4), other = !strncmp(line, "other ", 6);
		if (own ? ahead && has_file(cc, folder, line + 4, length - 4)
			: other && has_file(cc, folder, line + 6, length - 6))
			return true;
	}
	return false;
}

/* ------------------------------------------------------------ words of headers */

struct words {
	HD_VEC(const char *) list;
	struct hd_hash_set ids;
};

/* What the headers hold, each word and each included name once, in the order in which they are met. */
struct contents {
	struct hd_cc *cc;
	struct words words, names;
};

static void add_word(struct contents *contents, struct words *words, const char *text, size_t length)
{
	uint64_t hash = hd_hash_bytes(HD_HASH_TEXT, text, length);
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &words->ids, hash, hd_source_is_word(words->list.data[slot->id], text, length));
	if (hd_hash_found(slot))
		return;
	hd_hash_set_put(&words->ids, slot, hash, words->list.len);
	hd_vec_push(&words->list, hd_arena_printf(&contents->cc->arena, "%.*s", (int)length, text));
}

static void release_words(struct words *words)
{
	hd_vec_release(&words->list);
	hd_hash_set_release(&words->ids);
}

static const char *skip_comment(const char *at)
{
	if (at[1] == '/')
		return at + strcspn(at, "\n");
	const char *end = strstr(at + 2, "*/");
	return end ? end + 2 : at + strlen(at);
}

/* The name behind #include, #include_next and __has_include, which end at `at`. */
static void add_name(struct contents *contents, const char *at)
{
	at += strspn(at, " \t(");
	size_t length = *at == '<' ? strcspn(at + 1, ">\n") : *at == '"' ? strcspn(at + 1, "\"\n") : 0;
	if (length && at[1 + length] != '\n')
		add_word(contents, &contents->names, at + 1, length);
}

static bool is_include(const char *word, size_t length)
{
	static const char *const names[] = {"include", "include_next", "__has_include", "__has_include_next"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (hd_source_is_word(names[i], word, length))
			return true;
	return false;
}

/* Text in quotes is read as words, too: too many words cost a header more, too few would give a wrong one. */
static void read_words(struct contents *contents, const char *at)
{
	bool quoted = false;
	while (*at) {
		if (isalpha((unsigned char)*at) || *at == '_') {
			const char *word = at;
			while (isalnum((unsigned char)*at) || *at == '_')
				at++;
			if (is_include(word, (size_t)(at - word)))
				add_name(contents, at);
			add_word(contents, &contents->words, word, (size_t)(at - word));
		} else if (!quoted && at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
			at = skip_comment(at);
		} else if (!strncmp(at, "'\"'", 3)) {
			at += 3;
		} else {
			quoted = *at == '"' ? !quoted : quoted && *at != '\n';
			at += *at == '\\' && at[1] ? 2 : 1;
		}
	}
}

/* ------------------------------------------------------------ making */

/* The files of a rule for make, read and put down; false: one cannot be read, or has changed since `begin`. */
static bool add_files(struct contents *contents, const char *rule, time_t begin, struct hd_strbuf *out)
{
	struct hd_cc *cc = contents->cc;
	struct hd_diag silent = hd_diag_silent();
	const char *at = strstr(rule, ": ");
	for (at = at ? at + 2 : NULL; at && *at;) {
		at += strspn(at, " \n");
		if (at[0] == '\\' && at[1] == '\n') {
			at += 2;
			continue;
		}
		size_t length = strcspn(at, " \n");
		if (!length)
			break;
		struct stat info;
		uint8_t *bytes;
		size_t size;
		const char *path = hd_arena_printf(&cc->arena, "%.*s", (int)length, at);
		/* A backslash: of a name with blanks, which is not worth more. */
		if (strchr(path, '\\') || !append_stamp(out, path, &info) || info.st_mtim.tv_sec >= begin ||
		    hd_read_file(path, &bytes, &size, &silent))
			return false;
		read_words(contents, (const char *)bytes);
		free(bytes);
		at += length;
	}
	return at;
}

static int write_info(struct contents *contents, struct hd_strbuf *out, const char *path)
{
	struct hd_cc *cc = contents->cc;
	for (uint32_t i = 0; i < contents->names.list.len; i++) {
		const char *name = contents->names.list.data[i];
		bool own = !access(hd_arena_printf(&cc->arena, "%s/%s", cc->include_dir, name), F_OK);
		hd_strbuf_printf(out, "%s %s\n", own ? "own" : "other", name);
	}
	hd_strbuf_append(out, "words\n");
	for (uint32_t i = 0; i < contents->words.list.len; i++)
		hd_strbuf_printf(out, "%s\n", contents->words.list.data[i]);
	struct hd_diag silent = hd_diag_silent();
	return hd_write_file(path, out->data, out->len, &silent);
}

/* Puts down what the header BASE.pch was made of. */
static bool describe(struct hd_cc *cc, const char *base, const char *rule, time_t begin, const char *path)
{
	struct hd_diag silent = hd_diag_silent();
	struct contents contents = {.cc = cc};
	struct hd_strbuf out = {0};
	uint8_t *bytes = NULL;
	size_t size;
	hd_strbuf_printf(&out, FIRST_LINE "header %s.pch\n", base);
	bool done = !hd_read_file(rule, &bytes, &size, &silent) &&
		    add_files(&contents, (const char *)bytes, begin, &out) && !write_info(&contents, &out, path);
	release_words(&contents.words);
	release_words(&contents.names);
	hd_strbuf_release(&out);
	free(bytes);
	return done;
}

static bool run_clang(struct hd_cc *cc, struct hd_signals *signals, const hd_arguments *arguments, const char *header,
		      const char *rule)
{
	hd_arguments words = {0};
	hd_vec_push(&words, cc->clangxx);
	for (uint32_t i = 0; i < arguments->len; i++)
		hd_vec_push(&words, arguments->data[i]);
	/* The templates that the headers themselves use, which every compilation would instantiate anew: a third of
	 * its time. */
	const char *rest[] = {"-fpch-instantiate-templates",
			      "-S",
			      "-emit-llvm",
			      "-Xclang",
			      "-emit-pch",
			      "-MD",
			      "-MF",
			      rule,
			      "-o",
			      header};
	for (unsigned i = 0; i < sizeof rest / sizeof *rest; i++)
		hd_vec_push(&words, rest[i]);
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	pid_t child = nowhere < 0 ? -1 : hd_cc_start(cc, signals, &words, NULL, nowhere);
	bool done = child > 0 && !hd_child_wait(signals, child);
	if (nowhere >= 0)
		close(nowhere);
	hd_vec_release(&words);
	return done;
}

/* ------------------------------------------------------------ old ones */

struct kept {
	char *name; /* of the .info file */
	time_t used;
};

static int by_use(const void *left, const void *right)
{
	const struct kept *a = left, *b = right;
	return (a->used > b->used) - (a->used < b->used);
}

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), tail = strlen(end);
	return length > tail && !strcmp(name + length - tail, end);
}

/* Removes the headers of a key, but for the one that is named. */
static void remove_headers(int folder, const char *key, size_t length, const char *kept)
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again >= 0 ? fdopendir(again) : NULL;
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (!strncmp(entry->d_name, key, length) && ends_in(entry->d_name, ".pch") &&
		    (!kept || strcmp(entry->d_name, kept) != 0))
			unlinkat(folder, entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* A header without the file that says what it was made of: its maker was killed, or somebody removed that file. */
static bool is_orphan(int folder, const char *name, time_t made, time_t now)
{
	char info[128];
	snprintf(info, sizeof info, "%.*s.info", (int)strcspn(name, "."), name);
	return ends_in(name, ".pch") && made + STALE < now && faccessat(folder, info, F_OK, 0);
}

/* What a folder of headers has too many of, and what was left behind there. */
static void remove_old(int folder)
{
	HD_VEC(struct kept) kept = {0};
	time_t now = time(NULL);
	struct stat info;
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again >= 0 ? fdopendir(again) : NULL;
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
			continue;
		if (ends_in(entry->d_name, ".info"))
			hd_vec_push(&kept, (struct kept){hd_xstrdup(entry->d_name), info.st_mtim.tv_sec});
		else if ((ends_in(entry->d_name, ".new") && info.st_mtim.tv_sec + STALE < now) ||
			 is_orphan(folder, entry->d_name, info.st_mtim.tv_sec, now))
			unlinkat(folder, entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	if (kept.len)
		qsort(kept.data, kept.len, sizeof *kept.data, by_use);
	for (uint32_t i = 0; i < kept.len; i++) {
		if (i + MOST_HEADERS < kept.len) {
			unlinkat(folder, kept.data[i].name, 0);
			remove_headers(folder, kept.data[i].name, strcspn(kept.data[i].name, "."), NULL);
		}
		free(kept.data[i].name);
	}
	hd_vec_release(&kept);
}

/* ------------------------------------------------------------ one entry */

/* Held until the descriptor is closed; -1: somebody else has it, or the folder cannot be written. */
static int take_lock(struct hd_cc *cc, const char *folder)
{
	int lock = open(hd_arena_printf(&cc->arena, "%s/lock", folder), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	/* Where there are no locks, renaming is enough. */
	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(lock);
		lock = -1;
	}
	return lock;
}

/* Renames what was made to its place; the headers that it replaces go. */
static bool put_in_place(const char *path, const char *key, const char *base)
{
	char fresh[128], name[128], info[128], place[128];
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(fresh, sizeof fresh, "%s.pch.new", base);
	snprintf(name, sizeof name, "%s.pch", base);
	snprintf(info, sizeof info, "%s.info.new", base);
	snprintf(place, sizeof place, "%s.info", key);
	if (folder < 0)
		return false;
	bool done = !renameat(folder, fresh, folder, name) && !renameat(folder, info, folder, place);
	if (done) {
		remove_headers(folder, key, strlen(key), name);
		remove_old(folder);
	} else {
		unlinkat(folder, name, 0);
	}
	close(folder);
	return done;
}

bool hd_prelude_make(struct hd_cc *cc, struct hd_signals *signals, const char *folder, const char *key,
		     const hd_arguments *arguments)
{
	int lock = take_lock(cc, folder);
	if (lock < 0)
		return false;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	const char *base = hd_arena_printf(&cc->arena, "%s.%lld%09ld", key, (long long)now.tv_sec, now.tv_nsec);
	const char *fresh = hd_arena_printf(&cc->arena, "%s/%s.pch.new", folder, base);
	const char *rule = hd_arena_printf(&cc->arena, "%s/%s.d.new", folder, base);
	const char *info = hd_arena_printf(&cc->arena, "%s/%s.info.new", folder, base);
	bool done = run_clang(cc, signals, arguments, fresh, rule) && describe(cc, base, rule, now.tv_sec, info) &&
		    put_in_place(folder, key, base);
	if (!done) {
		unlink(fresh);
		unlink(info);
	}
	unlink(rule);
	close(lock);
	return done;
}
