/*
 * Runs what a plan has and the store has not: see sweep.h. Every result is written when its run ends, so that a sweep
 * that ends at any moment goes on where it was; a run that fails stops nobody. Runs start in the plan's order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/strbuf.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/sweep/sweep.h"
#include "tools/heddle/sweep/times.h"

enum { LINE_SECONDS = 60 /* between lines of progress where they cannot be written over */, CAUSE = 200 };

struct drive {
	struct sweep *sweep;
	uint32_t todo, ended, failed, unstored;
	uint32_t known;			   /* of all to do, those of which an earlier run says how long they take */
	double estimated, estimated_ended; /* seconds, of all to do, and of those that have ended */
	double taken;			   /* by those that have ended */
	double start, shown;
	HD_VEC(uint32_t) list;
};

/* ------------------------------------------------------------ jobs */

struct words {
	HD_VEC(char *) all;
};

static void add(struct words *words, const char *word)
{
	hd_vec_push(&words->all, (char *)word);
}

static void add_pair(struct words *words, const char *option, const char *value)
{
	add(words, option);
	add(words, value);
}

/* Words of a text, which they point into. */
static void add_split(struct words *words, char *text)
{
	char *rest = NULL;
	for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		add(words, word);
}

static const char *statistics_of(struct sweep *sweep, const struct sweep_run *run, struct hd_arena *arena)
{
	return hd_arena_printf(arena, "%s/%s.stats", sweep->work, run->key);
}

static const char *log_of(struct sweep *sweep, const struct sweep_run *run, struct hd_arena *arena)
{
	return hd_arena_printf(arena, "%s/%s.log", sweep->work, run->key);
}

/* A program and its arguments. */
static void add_program(struct sweep *sweep, struct words *words, uint32_t index, const char *arguments,
			struct hd_arena *arena)
{
	const char *program = sweep->runs.programs.data[index].path;
	add(words, strchr(program, '/') ? program : hd_arena_printf(arena, "./%s", program));
	add_split(words, hd_arena_strdup(arena, arguments));
}

/* `heddle run`, or `heddle corun`, with all that the run's coordinates say. The words are in the arena. */
static void add_command(struct sweep *sweep, const struct sweep_run *run, struct words *words, struct hd_arena *arena)
{
	const struct sweep_config *config = &sweep->runs.configs.data[run->config];
	char *set = hd_arena_strdup(arena, config->set), *rest = set;
	add(words, sweep->heddle);
	add(words, run->partner_count ? "corun" : "run");
	add(words, "--quiet");
	add_pair(words, "--gpu", config->gpu);
	add_pair(words, "--policy", run_value(run, "policy"));
	for (char *item; (item = strsep(&rest, ";"));)
		if (*item)
			add_pair(words, "--set", item);
	add_pair(words, "--threads", hd_arena_printf(arena, "%u", sweep->threads));
	add_split(words, hd_arena_strdup(arena, run_value(run, "options")));
	add_pair(words, "--stats", statistics_of(sweep, run, arena));
	add(words, "--");
	add_program(sweep, words, run->program, run_value(run, "arguments"), arena);
	for (uint32_t i = 0; i < run->partner_count; i++) {
		add(words, "---");
		add_program(sweep, words, run->partners[i].program, run->partners[i].arguments, arena);
	}
	add(words, NULL);
}

static struct estimate expected(const struct sweep *sweep, const struct sweep_run *run)
{
	struct estimate estimate;
	return estimates_of(&sweep->estimates, run, &estimate) ? estimate : (struct estimate){0};
}

/* ------------------------------------------------------------ causes */

/* The last line of the log that tells of an error, or else the last line. */
static void line_of_log(const char *log, char cause[CAUSE])
{
	struct hd_diag silent = hd_diag_silent();
	uint8_t *bytes;
	size_t size;
	bool error = false;
	cause[0] = '\0';
	if (hd_read_file(log, &bytes, &size, &silent))
		return;
	char *rest = (char *)bytes;
	for (char *line; (line = strsep(&rest, "\n"));) {
		bool tells = strstr(line, "error: ") || strstr(line, "FAILED");
		if (!*line || (error && !tells))
			continue;
		error = error || tells;
		snprintf(cause, CAUSE, "%s", line);
	}
	free(bytes);
	for (char *at = cause; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
}

static void find_cause(const struct sweep *sweep, const struct engine_end *end, const char *log, char *text,
		       size_t size)
{
	char line[CAUSE];
	line_of_log(log, line);
	if (end->kind == ENGINE_TIME)
		snprintf(text, size, "stopped after its %.0f s", sweep->seconds);
	else if (end->kind == ENGINE_MEMORY)
		snprintf(text, size, "stopped at its %.0f MB of memory", (double)sweep->bytes / (1 << 20));
	else if (end->kind == ENGINE_LOST)
		snprintf(text, size, "lost by the cluster each time, at last %s", end->why);
	else if (end->kind == ENGINE_SIGNALED)
		snprintf(text, size, "ended by signal %d (%s)", end->code, strsignal(end->code));
	else
		snprintf(text, size, "status %d%s%s", end->code, *line ? ": " : "", line);
}

/* ------------------------------------------------------------ progress */

static double time_left(const struct drive *d)
{
	double left = d->estimated - d->estimated_ended;
	/* Nobody knows how many of a cluster's nodes come next. */
	double jobs = d->sweep->cluster && d->taken > 0 ? d->taken / (times_now() - d->start) : d->sweep->jobs;
	/* Those of which nothing was known count with the mean of those that have ended: where nothing was known of any
	 * that is still to come, and of what was estimated lower than those that ended are. */
	if (left > 0 && d->estimated_ended > 0 && d->taken > 0)
		left *= d->taken / d->estimated_ended;
	else if (!(left > 0) && d->ended)
		left = d->taken * (d->todo - d->ended) / d->ended;
	return left > 0 ? left / jobs : 0;
}

static void show(struct drive *d, bool last)
{
	char text[32];
	bool over = cmd_progress();
	double time = times_now();
	if (d->sweep->quiet || (!last && time - d->shown < (over ? 0.2 : LINE_SECONDS)))
		return;
	d->shown = time;
	if (over)
		fputs("\r\033[K", stderr);
	if (last)
		return;
	fprintf(stderr, "%u of %u runs", d->ended, d->todo);
	if (d->failed)
		fprintf(stderr, ", %u failed", d->failed);
	if (d->ended || d->known == d->todo)
		fprintf(stderr, ", %s left", times_print(time_left(d), text));
	fputs(over ? "" : "\n", stderr);
	fflush(stderr);
}

static void tell_failure(const struct sweep_run *run, const char *cause)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	if (cmd_progress())
		fputs("\r\033[K", stderr);
	fprintf(stderr, "failed: %s: %s\n", run_title(run, &arena), cause);
	hd_arena_release(&arena);
}

/* ------------------------------------------------------------ ends */

static double estimate_of(const struct drive *d, const struct sweep_run *run)
{
	struct estimate estimate;
	return estimates_of(&d->sweep->estimates, run, &estimate) ? estimate.seconds : 1;
}

/* The full document is the result; without room for it there is no use in going on. */
static void keep(struct drive *d, const struct sweep_run *run, const struct engine_end *end)
{
	struct sweep *sweep = d->sweep;
	struct hd_arena arena;
	hd_arena_init(&arena);
	const char *log = log_of(sweep, run, &arena), *statistics = statistics_of(sweep, run, &arena);
	json_t *record = identity_record(&sweep->identity, &sweep->runs, run);
	char cause[2 * CAUSE + 400];
	int unstored;
	if (end->kind == ENGINE_EXITED && !end->code) {
		unstored = store_put(&sweep->store, run->key, record, &end->cost, statistics, log, sweep->diag);
		estimates_add(&sweep->estimates, run, &end->cost);
		char *wrong = unstored ? NULL : sweep_cause(sweep, run);
		if (wrong)
			tell_failure(run, wrong);
		d->failed += wrong != NULL;
		free(wrong);
	} else {
		find_cause(sweep, end, log, cause, sizeof cause);
		tell_failure(run, cause);
		unstored = store_fail(&sweep->store, run->key, record, &end->cost, cause, log, sweep->diag);
		d->failed++;
	}
	if (!unstored) {
		unlink(log);
		unlink(statistics);
		if (sweep->engine->settle)
			sweep->engine->settle(sweep->engine, end->id);
	}
	d->unstored += unstored != 0;
	json_decref(record);
	hd_arena_release(&arena);
}

/* Waits for an end, and keeps what there is of it. One that a signal to the sweep ended is not to blame. */
static void pump(struct drive *d)
{
	struct sweep *sweep = d->sweep;
	struct engine_end end;
	if (sweep->engine->poll(sweep->engine, 200, &end) == ENGINE_ENDED && end.kind != ENGINE_LEFT &&
	    !(sweep->cluster && d->unstored) && !(sweep->signals.caught && (end.kind != ENGINE_EXITED || end.code))) {
		const struct sweep_run *run = &sweep->runs.runs.data[end.id];
		d->ended++;
		d->estimated_ended += estimate_of(d, run);
		d->taken += end.cost.seconds;
		keep(d, run, &end);
	}
	show(d, false);
}

/* ------------------------------------------------------------ all of it */

static void start(struct drive *d, uint32_t index)
{
	struct sweep *sweep = d->sweep;
	const struct sweep_run *run = &sweep->runs.runs.data[index];
	struct hd_arena arena;
	struct words words = {0};
	struct estimate estimate = expected(sweep, run);
	hd_arena_init(&arena);
	struct engine_job job = {.id = index,
				 .key = run->key,
				 .seconds = sweep->seconds,
				 .bytes = sweep->bytes,
				 .slots = sweep->threads,
				 .expected_bytes = estimate.peak_bytes,
				 .expected_seconds = estimate.seconds,
				 .again = sweep->again};
	while (!sweep->engine->has_room(sweep->engine, &job) && !sweep->signals.caught)
		pump(d);
	add_command(sweep, run, &words, &arena);
	job.words = words.all.data;
	job.log = log_of(sweep, run, &arena);
	job.output = statistics_of(sweep, run, &arena);
	if (!sweep->signals.caught && sweep->engine->submit(sweep->engine, &job, sweep->diag))
		d->unstored++;
	hd_vec_release(&words.all);
	hd_arena_release(&arena);
}

static void list_todo(struct drive *d, struct sweep_counts *counts)
{
	struct sweep *sweep = d->sweep;
	for (uint32_t i = 0; i < sweep->runs.runs.len; i++) {
		const struct sweep_run *run = &sweep->runs.runs.data[i];
		enum store_state state = run->same == i && *run->key ? sweep_state(sweep, run) : STORE_DONE;
		counts->unbuilt += !*run->key;
		counts->same += run->same != i;
		if (run->same != i || !*run->key)
			continue;
		counts->done += state == STORE_DONE;
		counts->damaged += state == STORE_DAMAGED;
		counts->failed += state == STORE_FAILED && !sweep->again;
		if (state == STORE_DONE || (state == STORE_FAILED && !sweep->again))
			continue;
		hd_vec_push(&d->list, i);
		d->estimated += estimate_of(d, run);
		d->known += expected(sweep, run).seconds > 0;
	}
	d->todo = d->list.len;
}

static void check_programs(struct sweep *sweep)
{
	for (uint32_t i = 0; i < sweep->runs.programs.len; i++) {
		const struct sweep_program *program = &sweep->runs.programs.data[i];
		if (!program->source && !*program->digest)
			hd_error(sweep->diag, plan_loc(&sweep->plan, program->line), "no such program: %s",
				 program->path);
	}
}

static void print_summary(const struct drive *d, const struct sweep_counts *counts)
{
	char time[32];
	if (d->sweep->quiet)
		return;
	printf("%u runs", d->sweep->runs.runs.len);
	if (counts->same)
		printf(" (%u the same as others)", counts->same);
	printf(": %u were done, %u done now", counts->done, d->ended - d->failed);
	if (counts->damaged)
		printf(" (%u of them damaged before)", counts->damaged);
	if (d->failed + counts->failed)
		printf(", %u failed", d->failed + counts->failed);
	if (d->todo > d->ended)
		printf(", %u left", d->todo - d->ended);
	if (counts->unbuilt)
		printf(", %u without a program", counts->unbuilt);
	printf("\n");
	fprintf(stderr, "%s in %s\n", d->sweep->store.path, times_print(times_now() - d->start, time));
}

int sweep_drive(struct sweep *sweep)
{
	struct drive d = {.sweep = sweep, .start = times_now(), .shown = times_now()};
	struct sweep_counts counts = {0};
	check_programs(sweep);
	list_todo(&d, &counts);
	for (uint32_t i = 0; i < d.list.len && !sweep->signals.caught && !d.unstored; i++)
		start(&d, d.list.data[i]);
	while (sweep->engine->running && !(sweep->cluster && d.unstored))
		pump(&d);
	show(&d, true);
	hd_vec_release(&d.list);
	print_summary(&d, &counts);
	if (sweep->diag->errors)
		return CMD_ERROR;
	return d.failed || counts.failed || counts.unbuilt || d.ended < d.todo ? CMD_FINDING : CMD_OK;
}
