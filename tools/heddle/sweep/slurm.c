/*
 * Jobs as tasks of arrays in Slurm's queue: see engine.h and docs/cluster.md.
 *
 * A task is a chunk of jobs that a node runs one after the other (task.c). What has ended is found in the shared file
 * system; squeue is only asked which tasks are still there. A job without an end whose task is gone is lost, and goes
 * into another array, alone. Arrays are recognised by their names, so that another process finds what this one has left
 * in the queue, whenever this one ended. Nothing is ever taken for lost because Slurm did not answer.
 */
#include "tools/heddle/sweep/slurm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/strbuf.h"

#define LOOK_LAST 1.0 /* seconds between looks at ends at most */

double slurm_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

const char *slurm_path(char path[4096], const struct slurm *slurm, const char *folder, const char *name)
{
	snprintf(path, 4096, "%s/%s/%s", slurm->folder, folder, name);
	return path;
}

/* ------------------------------------------------------------ entries */

static struct hd_hash_slot *slot_of(struct slurm *slurm, const char *key, uint64_t hash)
{
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &slurm->keys, hash, !strcmp(slurm->entries.data[slot->id].key, key));
	return slot;
}

static struct slurm_entry *entry_of(struct slurm *slurm, const char *key)
{
	struct hd_hash_slot *slot = slot_of(slurm, key, hd_hash_text(HD_HASH_TEXT, key));
	return hd_hash_found(slot) ? &slurm->entries.data[slot->id] : NULL;
}

static const struct slurm_left *left_of(struct slurm *slurm, const char *key)
{
	struct hd_hash_slot *slot;
	uint64_t hash = hd_hash_text(HD_HASH_TEXT, key);
	HD_HASH_FIND(slot, &slurm->left_keys, hash, !strcmp(slurm->left.data[slot->id].key, key));
	return hd_hash_found(slot) ? &slurm->left.data[slot->id] : NULL;
}

static void finish(struct slurm *slurm, struct slurm_entry *entry, const struct engine_end *end)
{
	uint32_t id = entry->id;
	struct slurm_array *array = entry->place == QUEUED ? slurm_array_of(slurm, entry->array) : NULL;
	if (array && --array->jobs[entry->task] == 0)
		array->states[entry->task] = GONE;
	slurm->waiting -= entry->place == WAITS;
	entry->end = *end;
	entry->end.id = id;
	entry->place = ENDED;
	hd_vec_push(&slurm->ready, (uint32_t)(entry - slurm->entries.data));
	slurm->look_every = SLURM_LOOK_FIRST;
}

void slurm_finish_without(struct slurm *slurm, struct slurm_entry *entry, enum engine_end_kind kind)
{
	struct engine_end end = {.kind = kind, .why = entry->why};
	finish(slurm, entry, &end);
}

/* Whether the job's end is there; if so it is finished. */
bool slurm_look_for(struct slurm *slurm, struct slurm_entry *entry)
{
	char path[4096];
	struct engine_end end;
	if (!slurm_end_read(slurm_path(path, slurm, "ends", entry->key), &end))
		return false;
	finish(slurm, entry, &end);
	return true;
}

/* ------------------------------------------------------------ ends */

static bool is_queued(struct slurm *slurm, const char *key)
{
	const struct slurm_entry *entry = entry_of(slurm, key);
	return entry && entry->place == QUEUED;
}

/* A file made and removed by us makes a client of a network file system ask its server again for what a folder has. */
static void refresh(const struct slurm *slurm)
{
	char path[4096];
	int fd = open(slurm_path(path, slurm, "ends", ".look"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
	unlink(path);
}

static void look(struct slurm *slurm)
{
	char path[4096];
	refresh(slurm);
	DIR *dir = opendir(slurm_path(path, slurm, "ends", ""));
	double every = 2 * slurm->look_every;
	slurm->look_every = every < LOOK_LAST ? every : LOOK_LAST;
	for (struct dirent *item; dir && (item = readdir(dir));)
		if (*item->d_name != '.' && is_queued(slurm, item->d_name))
			slurm_look_for(slurm, entry_of(slurm, item->d_name));
	if (dir)
		closedir(dir);
	slurm->look_at = slurm_now() + slurm->look_every;
}

/* ------------------------------------------------------------ the engine */

static bool has_room(struct engine *engine, const struct engine_job *job)
{
	(void)engine;
	(void)job;
	return true;
}

/* Its end may be there since an earlier process; what the end tells of has to be there, too. */
static bool has_ended(struct slurm *slurm, struct slurm_entry *entry, const struct engine_job *job)
{
	char path[4096];
	struct engine_end end;
	if (!slurm_end_read(slurm_path(path, slurm, "ends", entry->key), &end))
		return false;
	bool failed = end.kind != ENGINE_EXITED || end.code;
	if (failed ? job->again : job->output && access(job->output, R_OK)) {
		unlink(path);
		return false;
	}
	finish(slurm, entry, &end);
	return true;
}

static int submit(struct engine *engine, const struct engine_job *job, struct hd_diag *diag)
{
	struct slurm *slurm = (struct slurm *)engine;
	char path[4096];
	char *text = slurm_job_text(job, slurm_path(path, slurm, "ends", job->key));
	if (!text)
		return hd_error(diag, HD_NOWHERE, "%s: a word of its command is not UTF-8", job->key);
	uint64_t hash = hd_hash_text(HD_HASH_TEXT, job->key);
	struct hd_hash_slot *slot = slot_of(slurm, job->key, hash);
	hd_hash_set_put(&slurm->keys, slot, hash, slurm->entries.len);
	hd_vec_push(&slurm->entries, (struct slurm_entry){.key = hd_arena_strdup(&slurm->arena, job->key),
							  .text = text,
							  .seconds = job->expected_seconds,
							  .limit = job->seconds,
							  .bytes = job->bytes,
							  .id = job->id,
							  .slots = job->slots,
							  .array = UINT32_MAX,
							  .place = QUEUED});
	struct slurm_entry *entry = &hd_vec_last(&slurm->entries);
	const struct slurm_left *left = left_of(slurm, job->key);
	engine->running++;
	if (has_ended(slurm, entry, job))
		return 0;
	if (left) {
		entry->array = left->array;
		entry->task = left->task;
		return 0;
	}
	entry->place = WAITS;
	slurm->waiting++;
	return 0;
}

/* What nobody will take is left. */
static void leave_waiting(struct slurm *slurm)
{
	for (uint32_t i = 0; i < slurm->entries.len; i++)
		if (slurm->entries.data[i].place == WAITS)
			slurm_finish_without(slurm, &slurm->entries.data[i], ENGINE_LEFT);
}

static void step(struct slurm *slurm)
{
	if (slurm->broken && slurm->waiting)
		leave_waiting(slurm);
	if (slurm->waiting && slurm_now() >= slurm->send_at)
		slurm_send(slurm);
	if (slurm_now() >= slurm->look_at)
		look(slurm);
	if (slurm->engine.running && slurm->arrays.len && slurm_now() >= slurm->ask_at)
		slurm_watch(slurm);
}

/* Jobs in the queue go on; those that wait here are for the next process. */
static enum engine_event interrupt(struct slurm *slurm, int signal)
{
	struct hd_strbuf ids = {0};
	slurm->signals->caught = signal;
	if (!slurm->engine.running)
		return ENGINE_INTERRUPTED;
	slurm_ask(slurm);
	for (uint32_t i = 0; i < slurm->arrays.len; i++)
		if (slurm->arrays.data[i].job)
			hd_strbuf_printf(&ids, " %s", slurm->arrays.data[i].job);
	hd_note(slurm->diag, HD_NOWHERE,
		"%u runs continue in Slurm's queue, %u wait (the same command resumes; scancel%s ends them)",
		slurm->engine.running - slurm->waiting, slurm->waiting, hd_strbuf_text(&ids));
	hd_strbuf_release(&ids);
	slurm->engine.running = 0;
	return ENGINE_INTERRUPTED;
}

static bool tell_end(struct slurm *slurm, struct engine_end *end)
{
	if (slurm->next_ready == slurm->ready.len)
		return false;
	*end = slurm->entries.data[slurm->ready.data[slurm->next_ready++]].end;
	slurm->engine.running--;
	return true;
}

static enum engine_event poll_tasks(struct engine *engine, unsigned milliseconds, struct engine_end *end)
{
	struct slurm *slurm = (struct slurm *)engine;
	double until = slurm_now() + 1e-3 * milliseconds;
	for (;;) {
		if (tell_end(slurm, end))
			return ENGINE_ENDED;
		double left = until - slurm_now();
		if (left <= 0 || !engine->running)
			return ENGINE_NOTHING;
		step(slurm);
		if (slurm->next_ready < slurm->ready.len)
			continue;
		left = left < SLURM_LOOK_FIRST ? left : SLURM_LOOK_FIRST;
		struct timespec wait = {0, (long)(left * 1e9)};
		int signal = sigtimedwait(&slurm->signals->taken, NULL, &wait);
		if (signal > 0 && signal != SIGCHLD)
			return interrupt(slurm, signal);
	}
}

/* The last one that was told. */
static void settle(struct engine *engine, uint32_t id)
{
	struct slurm *slurm = (struct slurm *)engine;
	struct slurm_entry *entry = &slurm->entries.data[slurm->ready.data[slurm->next_ready - 1]];
	char path[4096];
	if (entry->id != id)
		return;
	unlink(slurm_path(path, slurm, "ends", entry->key));
	entry->place = SETTLED;
	free(entry->text);
	entry->text = NULL;
}

/* Whether a task of the array may still be needed: by our jobs, or by those of another plan's part. */
static bool is_needed(struct slurm *slurm, uint32_t number)
{
	for (uint32_t i = 0; i < slurm->entries.len; i++)
		if (slurm->entries.data[i].array == number && slurm->entries.data[i].place == QUEUED)
			return true;
	for (uint32_t i = 0; i < slurm->left.len; i++)
		if (slurm->left.data[i].array == number && !entry_of(slurm, slurm->left.data[i].key))
			return true;
	return false;
}

/* What tasks that were killed had begun: files with more behind the name that they were to get. */
static void remove_begun(const struct slurm *slurm, const char *folder, unsigned dots)
{
	char path[4096];
	DIR *dir = opendir(slurm_path(path, slurm, ".", folder));
	for (struct dirent *item; dir && (item = readdir(dir));) {
		unsigned found = 0;
		for (const char *at = item->d_name; *at; at++)
			found += *at == '.';
		if (*item->d_name != '.' && found > dots)
			unlinkat(dirfd(dir), item->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

static void tidy(struct slurm *slurm)
{
	bool needed = false;
	for (uint32_t i = 0; i < slurm->arrays.len; i++) {
		uint32_t number = slurm->arrays.data[i].number;
		if (is_needed(slurm, number))
			needed = true;
		else
			slurm_remove_array(slurm, number);
	}
	if (needed)
		return;
	remove_begun(slurm, "ends", 0);
	remove_begun(slurm, "runs", 1);
}

static void release(struct engine *engine)
{
	struct slurm *slurm = (struct slurm *)engine;
	if (slurm->begun)
		tidy(slurm);
	for (uint32_t i = 0; i < slurm->entries.len; i++)
		free(slurm->entries.data[i].text);
	slurm_queue_release(&slurm->queue);
	hd_vec_release(&slurm->entries);
	hd_vec_release(&slurm->arrays);
	hd_vec_release(&slurm->left);
	hd_vec_release(&slurm->ready);
	hd_hash_set_release(&slurm->keys);
	hd_hash_set_release(&slurm->left_keys);
	hd_arena_release(&slurm->arena);
	free(slurm);
}

/* ------------------------------------------------------------ beginning */

static int make_folders(const struct slurm *slurm)
{
	static const char *const names[] = {"", "/ends", "/runs"};
	char path[4096];
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s%s", slurm->folder, names[i]);
		if (mkdir(path, 0777) && errno != EEXIST)
			return hd_error(slurm->diag, HD_NOWHERE, "cannot make %s: %s", path, strerror(errno));
	}
	return 0;
}

/* The folder's name in the queue: of its own, since a folder may be made anew while tasks of the old one are there. */
static int read_name(struct slurm *slurm)
{
	char path[4096], id[17] = "";
	slurm_path(path, slurm, ".", "id");
	FILE *file = fopen(path, "re");
	bool right = file && fread(id, 1, 16, file) == 16;
	if (file)
		fclose(file);
	if (!right) {
		struct timespec time;
		clock_gettime(CLOCK_REALTIME, &time);
		uint64_t hash = hd_hash_mix((uint64_t)time.tv_sec, (uint64_t)time.tv_nsec);
		snprintf(id, sizeof id, "%016llx", (unsigned long long)hd_hash_mix(hash, (uint64_t)getpid()));
		if (slurm_file_write(path, id, 16, slurm->diag))
			return -1;
	}
	slurm->name = hd_arena_printf(&slurm->arena, "heddle-%s", id);
	return 0;
}

static int begin(struct slurm *slurm)
{
	static const char script[] = "#!/bin/sh\nexec \"$1\" sweep --task \"$2/$SLURM_ARRAY_TASK_ID.jobs\"\n";
	char path[4096];
	if (make_folders(slurm) || read_name(slurm) ||
	    slurm_file_write(slurm_path(path, slurm, ".", "script"), script, sizeof script - 1, slurm->diag))
		return -1;
	if (slurm_ask_limits(&slurm->queue, &slurm->limits) != SLURM_FINE)
		return hd_error(slurm->diag, HD_NOWHERE, "no answer from Slurm: %s", slurm->queue.message);
	if (slurm->limits.array < 2 || slurm->limits.jobs < 2)
		return hd_error(slurm->diag, HD_NOWHERE,
				"this Slurm has no job arrays: MaxArraySize is %u, MaxJobCount %u", slurm->limits.array,
				slurm->limits.jobs);
	if (slurm_take_up(slurm))
		return hd_error(slurm->diag, HD_NOWHERE, "no answer from Slurm: %s", slurm->queue.message);
	slurm->begun = true;
	return 0;
}

struct engine *engine_slurm(struct hd_signals *signals, const struct slurm_options *options, const char *folder,
			    const char *heddle, struct hd_diag *diag)
{
	struct slurm *slurm = hd_xcalloc(1, sizeof(*slurm));
	slurm->engine = (struct engine){0, has_room, submit, poll_tasks, settle, release};
	slurm->signals = signals;
	slurm->diag = diag;
	slurm->options = *options;
	slurm->heddle = heddle;
	hd_arena_init(&slurm->arena);
	slurm->folder = hd_arena_strdup(&slurm->arena, folder);
	slurm_queue_init(&slurm->queue, signals, &slurm->arena, folder);
	slurm->look_every = SLURM_LOOK_FIRST;
	slurm->ask_every = slurm->send_every = SLURM_ASK_FIRST;
	if (!begin(slurm))
		return &slurm->engine;
	release(&slurm->engine);
	return NULL;
}
