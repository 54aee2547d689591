/*
 * Programs that a plan gives as sources. One is named after the content of its sources and headers, the compiler and
 * the options, so that it is compiled once: heddle-cc lists the headers, which takes a fraction of a second, once for
 * all programs of a source that differ in parameters of the passes only.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/config.h"
#include "heddle/object.h"
#include "lib/strbuf.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/sweep/sweep.h"
#include "tools/heddle/sweep/times.h"

struct compiling {
	struct sweep *sweep;
	const char *compiler;	     /* digests of what compiles */
	HD_VEC(const char *) parsed; /* of each program source and options as headers depend on them; NULL: no source */
	int failed;
	uint32_t todo, ended; /* of a phase */
	double start, shown;
};

struct words {
	HD_VEC(char *) all;
};

static void add_split(struct sweep *sweep, struct words *words, const char *text)
{
	char *rest = NULL, *copy = hd_arena_strdup(&sweep->arena, text);
	for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		hd_vec_push(&words->all, word);
}

/* heddle-cc with two words, the options and the sources; the caller releases it. */
static struct words command(struct sweep *sweep, const struct sweep_program *program, const char *first,
			    const char *second)
{
	struct words words = {0};
	hd_vec_push(&words.all, (char *)sweep->heddle_cc);
	hd_vec_push(&words.all, (char *)first);
	if (second)
		hd_vec_push(&words.all, (char *)second);
	add_split(sweep, &words, program->compile);
	add_split(sweep, &words, program->source);
	hd_vec_push(&words.all, NULL);
	return words;
}

/* One job for each program that `wanted` chooses, `done` with each end. -1: interrupted. */
struct phase {
	bool (*wanted)(struct compiling *c, uint32_t program);
	struct words (*command)(struct compiling *c, uint32_t program);
	void (*done)(struct compiling *c, uint32_t program, const char *log, const struct engine_end *end);
	const char *suffix, *what;
};

static const char *log_of(struct sweep *sweep, uint32_t program, const char *suffix)
{
	return store_temporary(&sweep->store, hd_arena_printf(&sweep->arena, "program-%u", program), suffix);
}

/* Shown from two seconds on: on a terminal in one line, elsewhere each minute. */
static void show(struct compiling *c, const struct phase *phase, bool last)
{
	char text[32];
	bool over = cmd_progress();
	double time = times_now();
	if (c->sweep->quiet || (last && (!over || c->shown == c->start)) ||
	    (!last && (time - c->start < 2 || time - c->shown < (over ? 0.2 : 60))))
		return;
	c->shown = time;
	if (over)
		fputs("\r\033[K", stderr);
	if (last)
		return;
	fprintf(stderr, "%s: %u of %u programs", phase->what, c->ended, c->todo);
	if (c->ended)
		fprintf(stderr, ", %s left", times_print((time - c->start) * (c->todo - c->ended) / c->ended, text));
	fputs(over ? "" : "\n", stderr);
	fflush(stderr);
}

/* Errors do not begin on the line of the progress, which is shown again by the next step. */
static void clear_line(struct compiling *c)
{
	if (c->sweep->quiet || !cmd_progress() || c->shown == c->start)
		return;
	fputs("\r\033[K", stderr);
	c->shown = c->start;
}

static enum engine_event next_end(struct compiling *c, const struct phase *phase)
{
	struct sweep *sweep = c->sweep;
	struct engine_end end;
	enum engine_event event = sweep->engine->poll(sweep->engine, 1000, &end);
	if (event == ENGINE_ENDED && !sweep->signals.caught) {
		clear_line(c);
		phase->done(c, end.id, log_of(sweep, end.id, phase->suffix), &end);
	}
	c->ended += event == ENGINE_ENDED;
	show(c, phase, false);
	return event;
}

static int run_phase(struct compiling *c, const struct phase *phase)
{
	struct sweep *sweep = c->sweep;
	c->start = c->shown = times_now();
	c->todo = c->ended = 0;
	for (uint32_t i = 0; i < sweep->runs.programs.len; i++)
		c->todo += phase->wanted(c, i);
	for (uint32_t i = 0; i < sweep->runs.programs.len && !sweep->signals.caught; i++) {
		struct engine_job job = {.id = i, .log = log_of(sweep, i, phase->suffix), .slots = 1};
		if (!phase->wanted(c, i))
			continue;
		while (!sweep->engine->has_room(sweep->engine, &job) && !sweep->signals.caught)
			next_end(c, phase);
		struct words words = phase->command(c, i);
		job.words = words.all.data;
		clear_line(c);
		if (!sweep->signals.caught && sweep->engine->submit(sweep->engine, &job, sweep->diag))
			c->failed++;
		hd_vec_release(&words.all);
	}
	while (sweep->engine->running)
		next_end(c, phase);
	show(c, phase, true);
	return sweep->signals.caught ? -1 : 0;
}

static void report(struct compiling *c, const struct sweep_program *program, const char *log)
{
	struct hd_diag silent = hd_diag_silent();
	uint8_t *text;
	size_t size;
	c->failed++;
	if (hd_read_file(log, &text, &size, &silent))
		size = 0;
	hd_error(c->sweep->diag, plan_loc(&c->sweep->plan, program->line), "cannot compile %s %s%s%.*s",
		 program->compile, program->source, size ? ":\n" : "", size ? (int)size : 0, size ? (char *)text : "");
	if (size)
		free(text);
}

/* ------------------------------------------------------------ headers */

/* Without -Xheddle and its value. */
static const char *parsed_of(struct sweep *sweep, const struct sweep_program *program)
{
	struct words words = {0};
	struct hd_strbuf text = {0};
	add_split(sweep, &words, program->compile);
	for (uint32_t i = 0; i < words.all.len; i++)
		if (!strcmp(words.all.data[i], "-Xheddle"))
			i++;
		else
			hd_strbuf_printf(&text, "%s ", words.all.data[i]);
	hd_strbuf_append(&text, program->source);
	const char *kept = hd_arena_strdup(&sweep->arena, hd_strbuf_text(&text));
	hd_vec_release(&words.all);
	hd_strbuf_release(&text);
	return kept;
}

/* The first program with this one's headers. */
static uint32_t parsed_first(struct compiling *c, uint32_t program)
{
	uint32_t first = 0;
	while (!c->parsed.data[first] || strcmp(c->parsed.data[first], c->parsed.data[program]) != 0)
		first++;
	return first;
}

static bool lists_headers(struct compiling *c, uint32_t program)
{
	return c->parsed.data[program] && parsed_first(c, program) == program;
}

static struct words list_headers(struct compiling *c, uint32_t program)
{
	return command(c->sweep, &c->sweep->runs.programs.data[program], "-MM", NULL);
}

static void add_text(struct hd_sha256 *hash, const char *text)
{
	hd_sha256_add(hash, text, strlen(text) + 1);
}

/* The words of make's rules that are files. */
static void add_files(struct compiling *c, char *rules, struct hd_sha256 *hash)
{
	char *rest = NULL;
	for (char *word = strtok_r(rules, " \t\n\\", &rest); word; word = strtok_r(NULL, " \t\n\\", &rest)) {
		const char *digest = identity_file(&c->sweep->identity, word);
		if (*digest)
			add_text(hash, digest);
	}
}

/* A name to recognise it by: that of the first source. */
static const char *base_of(struct sweep *sweep, const char *source)
{
	const char *first = hd_arena_printf(&sweep->arena, "%.*s", (int)strcspn(source, " \t"), source);
	const char *base = strrchr(first, '/') ? strrchr(first, '/') + 1 : first;
	return hd_arena_printf(&sweep->arena, "%.*s", (int)strcspn(base, "."), base);
}

static void name_program(struct compiling *c, uint32_t index, const char *log, const struct engine_end *end)
{
	struct sweep *sweep = c->sweep;
	struct sweep_program *program = &sweep->runs.programs.data[index];
	struct hd_sha256 hash;
	char digest[HD_SHA256_TEXT];
	uint8_t *rules;
	size_t size;
	if (end->kind != ENGINE_EXITED || end->code) {
		report(c, program, log);
		return;
	}
	if (hd_read_file(log, &rules, &size, sweep->diag)) {
		c->failed++;
		return;
	}
	hd_sha256_init(&hash);
	add_text(&hash, c->compiler);
	add_text(&hash, program->compile);
	add_files(c, (char *)rules, &hash);
	hd_sha256_finish(&hash, digest);
	free(rules);
	program->path = hd_arena_printf(&sweep->runs.arena, "%s/programs/%s-%.16s", sweep->store.path,
					base_of(sweep, program->source), digest);
}

/* Those that the first one's list names, too. Its errors have been reported. */
static void name_others(struct compiling *c)
{
	static const struct engine_end good = {.kind = ENGINE_EXITED};
	for (uint32_t i = 0; i < c->parsed.len; i++) {
		uint32_t first = c->parsed.data[i] ? parsed_first(c, i) : i;
		if (first != i && c->sweep->runs.programs.data[first].path)
			name_program(c, i, log_of(c->sweep, first, ".headers"), &good);
	}
}

/* ------------------------------------------------------------ programs */

static bool is_missing(struct compiling *c, uint32_t index)
{
	const struct sweep_program *program = &c->sweep->runs.programs.data[index];
	return program->source && program->path && access(program->path, X_OK) != 0;
}

static const char *output_of(struct sweep *sweep, uint32_t index)
{
	return log_of(sweep, index, ".program");
}

static struct words compile(struct compiling *c, uint32_t index)
{
	return command(c->sweep, &c->sweep->runs.programs.data[index], "-o", output_of(c->sweep, index));
}

static void keep_program(struct compiling *c, uint32_t index, const char *log, const struct engine_end *end)
{
	struct sweep *sweep = c->sweep;
	const struct sweep_program *program = &sweep->runs.programs.data[index];
	const char *output = output_of(sweep, index);
	/* What heddle-cc writes beside a program is about it, and of use to readers. */
	const char *about = hd_arena_printf(&sweep->arena, "%s.heddle.json", output);
	if (end->kind != ENGINE_EXITED || end->code) {
		report(c, program, log);
		return;
	}
	rename(about, hd_arena_printf(&sweep->arena, "%s.heddle.json", program->path));
	if (rename(output, program->path))
		c->failed++;
	identity_forget(&sweep->identity, program->path);
}

/* Digests of the compiler, the passes and the library of the device. */
static const char *compiler_of(struct sweep *sweep)
{
	char *data = hd_data_dir();
	const char *passes = hd_arena_printf(&sweep->arena, "%s/../../lib/HeddlePasses.so", data);
	const char *clang = hd_arena_printf(&sweep->arena, "%s/../../lib/HeddleClang.so", data);
	const char *text =
		hd_arena_printf(&sweep->arena, "%s %s %s", identity_file(&sweep->identity, sweep->heddle_cc),
				identity_file(&sweep->identity, clang), identity_file(&sweep->identity, passes));
	free(data);
	return text;
}

int sweep_compile(struct sweep *sweep, bool make)
{
	static const struct phase headers = {lists_headers, list_headers, name_program, ".headers",
					     "looking at headers"};
	static const struct phase programs = {is_missing, compile, keep_program, ".log", "compiling"};
	struct compiling c = {.sweep = sweep};
	bool any = false;
	for (uint32_t i = 0; i < sweep->runs.programs.len; i++) {
		const struct sweep_program *program = &sweep->runs.programs.data[i];
		hd_vec_push(&c.parsed, program->source ? parsed_of(sweep, program) : NULL);
		any = any || program->source;
	}
	int status = 0;
	if (any) {
		c.compiler = compiler_of(sweep);
		status = run_phase(&c, &headers);
		if (!status)
			name_others(&c);
		if (!status && make)
			status = run_phase(&c, &programs);
	}
	hd_vec_release(&c.parsed);
	return status ? -1 : c.failed ? 1 : 0;
}
