/*
 * Which precompiled header a half takes: see prelude.h. Its key is made of clang and of the half's arguments without
 * those that cannot change the header: folders of headers in which none of its own files is found, and macros whose
 * names are no words of it. These words are known only when there is one, so that the key grows: without macros at
 * first, then with those that are words of what was found. A few hundred calls of stat(2), most of them for the files
 * that it was made of.
 */
#include "tools/heddle-cc/prelude.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "heddle/object.h"
#include "lib/path.h"
#include "lib/sha256.h"
#include "lib/strbuf.h"
#include "tools/heddle-cc/prelude_store.h"

#define HEADER "heddle_cuda.h"
#define MAIN_FILE "heddle_prelude.cu"
#define FORMAT "heddle-prelude 3"

struct folder {
	const char *path;
	bool ahead; /* of Heddle's own headers */
};

/* A half's arguments, sorted. */
struct sorted {
	hd_arguments words;  /* what the header is compiled with, and part of its key */
	hd_arguments macros; /* -DNAME=VALUE and -UNAME, in order */
	HD_VEC(struct folder) folders;
	bool debugging; /* full debug information is asked for */
	bool unusual;	/* there are options that are not known to go with a precompiled header */
};

/* ------------------------------------------------------------ arguments */

static bool begins(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

static bool begins_with_one_of(const char *word, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (begins(word, *prefixes))
			return true;
	return false;
}

/*
 * Options of languages, code and warnings, whose meaning is the same for a header that is parsed before. Not those
 * that ask for another output or for a report of the parse.
 */
static bool is_usual(const char *word)
{
	static const char *const taken[] = {"-O",      "-f",	  "-m",		"-W",	      "-std=",
					    "-g",      "-R",	  "-pedantic",	"-ansi",      "-p",
					    "-w",      "--cuda-", "-nocudainc", "-nocudalib", "--no-offload-new-driver",
					    "-static", "-shared", "-rdynamic",	"-stdlib=",   "--gcc-toolchain=",
					    NULL};
	static const char *const left[] = {"-fbuild",
					   "-fcoverage",
					   "-fcrash",
					   "-fcs-profile",
					   "-fcxx-module",
					   "-fdiagnostics-print",
					   "-fdirectives-only",
					   "-fembed-bitcode",
					   "-fimplicit-module",
					   "-fminimize",
					   "-fmodule",
					   "-fno-integrated-cc1",
					   "-fpass-plugin",
					   "-fpch",
					   "-fplugin",
					   "-fprofile",
					   "-fsave-optimization",
					   "-fstack-usage",
					   "-fsyntax-only",
					   "-ftest-coverage",
					   "-ftime",
					   "-fxray",
					   "-gen-",
					   "-mllvm",
					   "-module",
					   "-print",
					   "-Wp,",
					   "-Wsystem-headers",
					   NULL};
	return begins_with_one_of(word, taken) && !begins_with_one_of(word, left);
}

/* Of types that were parsed before clang writes other debug information, in another order. */
static bool is_debugging(const char *word)
{
	return (begins(word, "-g") && strcmp(word, "-gline-tables-only") != 0 && strcmp(word, "-g0") != 0) ||
	       begins(word, "-fdebug") || begins(word, "-fstandalone-debug");
}

/*
 * Whether the word turns warnings on or off. clang takes those of the command line, and not those of a header that it
 * reads, and says nothing of system headers, which ours are. What is no error any more may be one in our header.
 * -Wdeprecated is a macro, too (-fdeprecated-macro), and clang takes no header that was made without it.
 */
static bool is_warning(const char *word)
{
	static const char *const others[] = {"-Wno-error=", "-Wl,", "-Wa,", NULL};
	if (!strcmp(word, "-Wdeprecated") || !strcmp(word, "-Wno-deprecated"))
		return false;
	return !strcmp(word, "-w") || (begins(word, "-W") && !begins_with_one_of(word, others));
}

/*
 * A word as the header depends on it; NULL: not at all. The same bytes come of every level that optimises, of every
 * line table (which is code generation's), of all warnings and, in the host half, of every architecture.
 */
static const char *essence(const char *word, bool device)
{
	static const char *const levels[] = {"-O", "-O1", "-O2", "-O3"};
	if (is_warning(word) || !strcmp(word, "-gline-tables-only") || !strcmp(word, "-g0") ||
	    (!device && begins(word, "--cuda-gpu-arch=")))
		return NULL;
	for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++)
		if (!strcmp(word, levels[i]))
			return "-O2";
	return word;
}

static const char *const folder_options[] = {"-isystem", "-iquote", "-idirafter", "-I", NULL};

/* The option among `options` that the word is, with its value joined or in the next word. */
static const char *option_of(const char *word, const char *const *options)
{
	for (; *options; options++)
		if (begins(word, *options))
			return *options;
	return NULL;
}

static bool has_words(const hd_arguments *words, const char *first, const char *second)
{
	for (uint32_t i = 0; i + 1 < words->len; i++)
		if (!strcmp(words->data[i], first) && !strcmp(words->data[i + 1], second))
			return true;
	return false;
}

static void add_folder(struct hd_cc *cc, struct sorted *sorted, const char *option, const char *path)
{
	/* Heddle's own comes first; clang drops a folder that is it by another name, or comes again, as build systems
	 * have it. */
	char *real = hd_path_real(path);
	bool own = real && !strcmp(real, cc->include_dir);
	free(real);
	if (own) {
		if (!strcmp(path, cc->include_dir) && !has_words(&sorted->words, option, path)) {
			hd_vec_push(&sorted->words, option);
			hd_vec_push(&sorted->words, path);
		}
		return;
	}
	bool behind = !strcmp(option, "-isystem") || !strcmp(option, "-idirafter");
	hd_vec_push(&sorted->folders, (struct folder){path, !behind});
}

/* Takes the option at *index, with its value; false: it is none that has one. */
static bool take_valued(struct hd_cc *cc, struct sorted *sorted, const hd_arguments *arguments, uint32_t *index)
{
	static const char *const macros[] = {"-D", "-U", NULL};
	static const char *const ours[] = {"-target-sdk-version=12.3", "-fcuda-allow-variadic-functions",
					   "-no-enable-noundef-analysis", NULL};
	const char *word = arguments->data[*index];
	const char *next = *index + 1 < arguments->len ? arguments->data[*index + 1] : "";
	const char *option = option_of(word, macros), *folder = option_of(word, folder_options);
	if (option) {
		bool joined = word[2];
		hd_vec_push(&sorted->macros, joined ? word : hd_arena_printf(&cc->arena, "%s%s", option, next));
		*index += !joined;
	} else if (folder) {
		bool joined = word[strlen(folder)];
		add_folder(cc, sorted, folder, joined ? word + strlen(folder) : next);
		*index += !joined;
	} else if (!strcmp(word, "-Xclang")) {
		sorted->unusual = sorted->unusual || !begins_with_one_of(next, ours);
		hd_vec_push(&sorted->words, word);
		hd_vec_push(&sorted->words, next);
		++*index;
	} else if (!strcmp(word, "-include") || !strcmp(word, "-x")) {
		/* What the user includes comes behind the header. */
		if (!strcmp(word, "-x") || !strcmp(next, HEADER)) {
			hd_vec_push(&sorted->words, word);
			hd_vec_push(&sorted->words, next);
		}
		++*index;
	} else if (!strcmp(word, "-ivfsoverlay")) {
		++*index; /* of files outside of Heddle's own (source.c) */
	} else {
		return false;
	}
	return true;
}

static void sort_arguments(struct hd_cc *cc, bool device, struct sorted *sorted)
{
	static const char *const paths[] = {"CPATH", "CPLUS_INCLUDE_PATH", NULL};
	hd_arguments arguments = {0};
	hd_cc_half_arguments(cc, device, &arguments);
	for (uint32_t i = 0; i < arguments.len; i++) {
		const char *word = arguments.data[i];
		if (take_valued(cc, sorted, &arguments, &i))
			continue;
		sorted->unusual = sorted->unusual || !is_usual(word);
		sorted->debugging = sorted->debugging || is_debugging(word);
		const char *kept = essence(word, device);
		if (kept)
			hd_vec_push(&sorted->words, kept);
	}
	hd_vec_release(&arguments);
	for (const char *const *name = paths; *name; name++) {
		const char *list = getenv(*name);
		for (; list && *list; list += strcspn(list, ":"), list += *list == ':')
			hd_vec_push(&sorted->folders,
				    (struct folder){hd_arena_printf(&cc->arena, "%.*s", (int)strcspn(list, ":"), list),
						    true});
	}
}

static void release(struct sorted *sorted)
{
	hd_vec_release(&sorted->words);
	hd_vec_release(&sorted->macros);
	hd_vec_release(&sorted->folders);
}

bool hd_prelude_is_usual(struct hd_cc *cc, bool device)
{
	struct sorted sorted = {0};
	sort_arguments(cc, device, &sorted);
	release(&sorted);
	return !sorted.unusual;
}

/* ------------------------------------------------------------ the key */

/* What clang is: its file, without links, and when it was installed. */
static const char *compiler(struct hd_cc *cc)
{
	struct stat info;
	const char *clang = hd_cc_compiler(cc);
	if (!clang || stat(clang, &info))
		return NULL;
	return hd_arena_printf(&cc->arena, "%s %lld %lld.%09ld", clang, (long long)info.st_size,
			       (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

static const char *key_of(struct hd_cc *cc, const char *clang, const hd_arguments *words)
{
	struct hd_sha256 hash;
	char text[HD_SHA256_TEXT];
	enum { DIGITS = 32 };
	hd_sha256_init(&hash);
	hd_sha256_add(&hash, FORMAT, sizeof FORMAT);
	hd_sha256_add(&hash, clang, strlen(clang) + 1);
	for (uint32_t i = 0; i < words->len; i++)
		hd_sha256_add(&hash, words->data[i], strlen(words->data[i]) + 1);
	hd_sha256_finish(&hash, text);
	return hd_arena_printf(&cc->arena, "%.*s", DIGITS, text);
}

/* Headers may paste such names together, and compilers and systems know more of them than the headers show. */
static bool is_reserved(const char *name)
{
	return *name == '_';
}

/* Adds the macros that are words of the entry (NULL: reserved names only) and not yet in `taken`; how many. */
static uint32_t add_macros(const struct sorted *sorted, const struct hd_prelude_entry *entry, bool *taken)
{
	uint32_t added = 0;
	for (uint32_t i = 0; i < sorted->macros.len; i++) {
		const char *name = sorted->macros.data[i] + 2;
		size_t length = strcspn(name, "=(");
		if (!taken[i] && (entry ? hd_prelude_has_word(entry, name, length) : is_reserved(name))) {
			taken[i] = true;
			added++;
		}
	}
	return added;
}

static bool is_hidden(struct hd_cc *cc, const struct sorted *sorted, const struct hd_prelude_entry *entry)
{
	for (uint32_t i = 0; i < sorted->folders.len; i++)
		if (hd_prelude_is_hidden(cc, entry, sorted->folders.data[i].path, sorted->folders.data[i].ahead))
			return true;
	return false;
}

/* Finds or makes the entry for the macros taken. */
static bool find_entry(struct hd_cc *cc, struct hd_signals *signals, const char *folder, const char *clang,
		       const struct sorted *sorted, const bool *taken, struct hd_prelude_entry *entry)
{
	hd_arguments words = {0};
	for (uint32_t i = 0; i < sorted->words.len; i++)
		hd_vec_push(&words, sorted->words.data[i]);
	for (uint32_t i = 0; i < sorted->macros.len; i++)
		if (taken[i])
			hd_vec_push(&words, sorted->macros.data[i]);
	const char *key = key_of(cc, clang, &words);
	hd_vec_push(&words, hd_arena_printf(&cc->arena, "%s/" MAIN_FILE, cc->include_dir));
	bool found = hd_prelude_load(cc, folder, key, entry) ||
		     (hd_prelude_make(cc, signals, folder, key, &words) && hd_prelude_load(cc, folder, key, entry));
	hd_vec_release(&words);
	return found;
}

static const char *find(struct hd_cc *cc, struct hd_signals *signals, const struct sorted *sorted)
{
	struct hd_prelude_entry entry;
	const char *clang = compiler(cc), *folder = clang ? hd_prelude_folder(cc) : NULL;
	bool *taken = hd_arena_alloc(&cc->arena, sorted->macros.len + 1);
	memset(taken, 0, sorted->macros.len + 1);
	if (!folder)
		return NULL;
	add_macros(sorted, NULL, taken);
	do
		if (!find_entry(cc, signals, folder, clang, sorted, taken, &entry))
			return NULL;
	while (add_macros(sorted, &entry, taken));
	return is_hidden(cc, sorted, &entry) ? NULL : entry.header;
}

const char *hd_prelude_find(struct hd_cc *cc, struct hd_signals *signals, bool device)
{
	struct sorted sorted = {0};
	if (cc->no_header)
		return NULL;
	sort_arguments(cc, device, &sorted);
	const char *header = sorted.unusual || sorted.debugging ? NULL : find(cc, signals, &sorted);
	release(&sorted);
	return header;
}

void hd_prelude_use(hd_arguments *arguments, const char *header)
{
	for (uint32_t i = 0; header && i + 1 < arguments->len; i++)
		if (!strcmp(arguments->data[i], "-include") && !strcmp(arguments->data[i + 1], HEADER)) {
			arguments->data[i] = "-include-pch";
			arguments->data[i + 1] = header;
			return;
		}
}

/* ------------------------------------------------------------ headers for make */

/* A name as make takes it: blanks and number signs stand behind backslashes, dollars are doubled. */
struct made {
	const char *text;
	size_t length;
	size_t shown; /* characters of the name itself */
};

/* To the next name of a rule; false: the rule ends at *at. */
static bool next_name(const char **at, struct made *name)
{
	*at += strspn(*at, " ");
	while ((*at)[0] == '\\' && (*at)[1] == '\n') {
		*at += 2;
		*at += strspn(*at, " ");
	}
	*name = (struct made){.text = *at};
	for (; **at && !isspace((unsigned char)**at); name->shown++) {
		bool escaped = (**at == '\\' && strchr(" #", (*at)[1]) && (*at)[1]) || (**at == '$' && (*at)[1] == '$');
		*at += escaped ? 2 : 1;
	}
	name->length = (size_t)(*at - name->text);
	return name->length;
}

static bool is_file(const struct made *name, const char *file)
{
	const char *at = name->text;
	if (name->shown != strlen(file))
		return false;
	for (; *file; file++, at++) {
		at += *at != *file && strchr("\\$", *at) ? 1 : 0;
		if (*at != *file)
			return false;
		at += *at == '$';
	}
	return true;
}

/* Of the precompiled header itself. */
static bool is_main_file(const struct made *name)
{
	size_t own = strlen("/" MAIN_FILE);
	return name->length > own && !strncmp(name->text + name->length - own, "/" MAIN_FILE, own);
}

struct rule {
	struct hd_strbuf *out;
	size_t column;
};

/* In lines as clang breaks them. */
static void add_dependency(struct rule *rule, const struct made *name)
{
	enum { COLUMNS = 75 };
	if (rule->column + name->shown + 1 + 2 > COLUMNS) {
		hd_strbuf_append(rule->out, " \\\n ");
		rule->column = 2;
	}
	hd_strbuf_append(rule->out, " ");
	hd_strbuf_append_bytes(rule->out, name->text, name->length);
	rule->column += name->shown + 1;
}

/* -MP's rules, "NAME:" a line: a plain parse has none for the source. */
static void copy_phony(struct hd_strbuf *out, const char *text, const char *input)
{
	for (const char *line = text, *end; *line; line = end) {
		const char *at = line;
		struct made name;
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		bool named = next_name(&at, &name) && at[-1] == ':';
		name.length -= named;
		name.shown -= named;
		if (!named || (!is_main_file(&name) && !is_file(&name, input)))
			hd_strbuf_append_bytes(out, line, (size_t)(end - line));
	}
}

static void mend_rules(const char *text, const char *rest, const char *input, struct hd_strbuf *out)
{
	struct rule rule = {out, (size_t)(rest - text)};
	struct made name;
	const char *at = rest;
	hd_strbuf_append_bytes(out, text, (size_t)(rest - text));
	while (next_name(&at, &name))
		if (is_file(&name, input)) {
			add_dependency(&rule, &name);
			break;
		}
	for (at = rest; next_name(&at, &name);)
		if (!is_main_file(&name) && !is_file(&name, input))
			add_dependency(&rule, &name);
	copy_phony(out, at, input);
}

int hd_prelude_mend_dependencies(struct hd_cc *cc, const char *file, const char *input)
{
	uint8_t *bytes;
	size_t size;
	struct hd_strbuf out = {0};
	if (hd_read_file(file, &bytes, &size, &cc->diag))
		return -1;
	const char *text = (const char *)bytes, *colon = strstr(text, ": ");
	int status = 0;
	if (colon) {
		mend_rules(text, colon + 1, input, &out);
		status = hd_write_file(file, out.data, out.len, &cc->diag);
	}
	hd_strbuf_release(&out);
	free(bytes);
	return status;
}
