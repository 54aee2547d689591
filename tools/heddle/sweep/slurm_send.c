/*
 * Jobs that wait become tasks of an array: see slurm.h. Short ones share a task, by estimates of their time.
 */
#include "tools/heddle/sweep/slurm.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/strbuf.h"

enum {
	CHUNK_JOBS = 500, /* of a task at most */
	UNKNOWN = 4,	  /* jobs of a task where nothing is known of their time */
	LATER_LAST = 300, /* seconds at most between attempts at what Slurm did not take */
	SPARE_MEMORY = 64 /* MB of a task beside the limit of its job */
};

/* An array that is being put together. */
struct sending {
	uint32_t number, tasks, slots;
	double limit; /* seconds that the longest task may take; < 0: there is no limit */
	uint64_t bytes;
	bool unlimited_memory;
};

void slurm_remove_array(const struct slurm *slurm, uint32_t number)
{
	char path[4096], name[16];
	snprintf(name, sizeof name, "%u", number);
	DIR *dir = opendir(slurm_path(path, slurm, ".", name));
	for (struct dirent *item; dir && (item = readdir(dir));)
		if (*item->d_name != '.')
			unlinkat(dirfd(dir), item->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

static double seconds_of(const struct slurm *slurm, const struct slurm_entry *entry)
{
	return entry->seconds > 0 ? entry->seconds : slurm->options.chunk / UNKNOWN;
}

/* Takes entries from *next on into a task: as many as make its time; what was lost before goes alone. */
static int write_task(struct slurm *slurm, struct sending *sending, uint32_t *next)
{
	struct hd_strbuf text = {0};
	char path[4096], file[64];
	double seconds = 0, limit = 0;
	uint32_t jobs = 0;
	for (; *next < slurm->entries.len && jobs < CHUNK_JOBS && (!jobs || seconds < slurm->options.chunk); ++*next) {
		struct slurm_entry *entry = &slurm->entries.data[*next];
		if (entry->place != WAITS)
			continue;
		if (jobs && entry->attempts)
			break;
		hd_strbuf_printf(&text, "%s\n", entry->text);
		seconds += entry->attempts ? slurm->options.chunk : seconds_of(slurm, entry);
		limit = limit < 0 || entry->limit <= 0 ? -1 : limit + entry->limit;
		sending->slots = entry->slots > sending->slots ? entry->slots : sending->slots;
		sending->bytes = entry->bytes > sending->bytes ? entry->bytes : sending->bytes;
		sending->unlimited_memory = sending->unlimited_memory || !entry->bytes;
		entry->place = QUEUED;
		entry->gone = 0;
		entry->array = sending->number;
		entry->task = sending->tasks;
		slurm->waiting--;
		jobs++;
	}
	sending->limit = limit < 0 || sending->limit < 0 ? -1 : limit > sending->limit ? limit : sending->limit;
	snprintf(file, sizeof file, "%u/%u.jobs", sending->number, sending->tasks);
	int status = jobs ? slurm_file_write(slurm_path(path, slurm, ".", file), text.data, text.len, slurm->diag) : 0;
	sending->tasks += jobs > 0;
	hd_strbuf_release(&text);
	return status;
}

static void take_back(struct slurm *slurm, const struct sending *sending)
{
	for (uint32_t i = 0; i < slurm->entries.len; i++) {
		struct slurm_entry *entry = &slurm->entries.data[i];
		if (entry->place != QUEUED || entry->array != sending->number)
			continue;
		entry->place = WAITS;
		slurm->waiting++;
	}
	slurm_remove_array(slurm, sending->number);
}

struct words {
	HD_VEC(char *) all;
};

static void add_option(struct words *words, struct hd_arena *arena, const char *option, const char *value)
{
	if (value)
		hd_vec_push(&words->all, hd_arena_printf(arena, "--%s=%s", option, value));
}

/* A path in sbatch's patterns. */
static const char *pattern_of(struct hd_arena *arena, const char *path)
{
	char *text = hd_arena_alloc(arena, 2 * strlen(path) + 1), *to = text;
	for (; *path; *to++ = *path++)
		if (*path == '%')
			*to++ = '%';
	*to = '\0';
	return text;
}

static void add_words(const struct slurm *slurm, const struct sending *sending, struct words *words,
		      struct hd_arena *arena)
{
	const struct slurm_options *options = &slurm->options;
	const char *folder = hd_arena_printf(arena, "%s/%u", slurm->folder, sending->number), *time = options->time;
	const char *memory = options->memory;
	if (!time && sending->limit > 0)
		time = hd_arena_printf(arena, "%.0f", ceil(sending->limit / 60) + 1);
	if (!memory && !sending->unlimited_memory)
		memory = hd_arena_printf(arena, "%.0fM", ceil((double)sending->bytes / (1 << 20)) + SPARE_MEMORY);
	hd_vec_push(&words->all, "sbatch");
	add_option(words, arena, "array", hd_arena_printf(arena, "0-%u", sending->tasks - 1));
	add_option(words, arena, "job-name", hd_arena_printf(arena, "%s-%u", slurm->name, sending->number));
	add_option(words, arena, "output", hd_arena_printf(arena, "%s/%%a.out", pattern_of(arena, folder)));
	add_option(words, arena, "cpus-per-task", hd_arena_printf(arena, "%u", sending->slots));
	hd_vec_push(&words->all, "--no-requeue");
	add_option(words, arena, "partition", options->partition);
	add_option(words, arena, "time", time);
	add_option(words, arena, "mem", memory);
	add_option(words, arena, "account", options->account);
	hd_vec_push(&words->all, hd_arena_printf(arena, "%s/script", slurm->folder));
	hd_vec_push(&words->all, (char *)slurm->heddle);
	hd_vec_push(&words->all, (char *)folder);
	hd_vec_push(&words->all, NULL);
}

static void add_array(struct slurm *slurm, const struct sending *sending)
{
	struct slurm_array *array = slurm_add_array(slurm, sending->number, sending->tasks);
	memset(array->jobs, 0, array->tasks * sizeof(*array->jobs));
	for (uint32_t i = 0; i < slurm->entries.len; i++) {
		const struct slurm_entry *entry = &slurm->entries.data[i];
		if (entry->place == QUEUED && entry->array == sending->number)
			array->jobs[entry->task]++;
	}
}

/* What was put together goes to Slurm. What it does not take now waits. */
static void submit_array(struct slurm *slurm, const struct sending *sending)
{
	struct hd_arena arena;
	struct words words = {0};
	hd_arena_init(&arena);
	add_words(slurm, sending, &words, &arena);
	int kind = slurm_submit(&slurm->queue, words.all.data);
	hd_vec_release(&words.all);
	hd_arena_release(&arena);
	if (kind == SLURM_FINE) {
		add_array(slurm, sending);
		slurm->send_every = slurm->ask_every = SLURM_ASK_FIRST;
		slurm->ask_at = slurm_now() + SLURM_ASK_FIRST;
		slurm->look_every = SLURM_LOOK_FIRST;
		return;
	}
	take_back(slurm, sending);
	slurm->broken = kind == SLURM_WRONG;
	if (slurm->broken)
		hd_error(slurm->diag, HD_NOWHERE, "cannot submit: %s", slurm->queue.message);
	else
		slurm_tell_silence(slurm, true);
	slurm->send_at = slurm_now() + slurm->send_every;
	slurm->send_every = 2 * slurm->send_every < LATER_LAST ? 2 * slurm->send_every : LATER_LAST;
}

static uint32_t room(const struct slurm *slurm)
{
	uint32_t most = slurm->options.tasks ? slurm->options.tasks : slurm->limits.jobs / 2, there = 0;
	for (uint32_t i = 0; i < slurm->arrays.len; i++)
		for (uint32_t task = 0; task < slurm->arrays.data[i].tasks; task++)
			there += slurm->arrays.data[i].states[task] == THERE;
	uint32_t left = there < most ? most - there : 0;
	if (left < most / 4 && left < slurm->waiting)
		return 0;
	return left < slurm->limits.array ? left : slurm->limits.array;
}

/* Whatever waits and has room, in one array. */
void slurm_send(struct slurm *slurm)
{
	char path[4096], name[16];
	struct sending sending = {.number = slurm->next_array};
	uint32_t most = room(slurm), next = 0;
	int status = 0;
	if (!most)
		return;
	slurm->next_array++;
	snprintf(name, sizeof name, "%u", sending.number);
	if (mkdir(slurm_path(path, slurm, ".", name), 0777))
		status = hd_error(slurm->diag, HD_NOWHERE, "cannot make %s: %s", path, strerror(errno));
	while (!status && next < slurm->entries.len && sending.tasks < most)
		status = write_task(slurm, &sending, &next);
	if (!status) {
		submit_array(slurm, &sending);
		return;
	}
	take_back(slurm, &sending);
	slurm->broken = true;
}
