/*
 * What squeue says of our arrays, and jobs whose tasks are gone: see slurm.h. A question without an answer, or a task
 * that has just gone, says nothing yet: an end may be there that the file system does not show.
 */
#include "tools/heddle/sweep/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"

enum {
	ATTEMPTS = 3,  /* of a job whose tasks end without its end */
	GRACE = 10,    /* seconds for an end to be seen when its task is gone: file systems have caches */
	ASK_LAST = 30, /* seconds between questions to squeue at most */
};

/* States in which squeue lists a task that has ended. */
static bool is_over(const char *state)
{
	static const char *const states[] = {"BOOT_FAIL", "CANCELLED",	   "COMPLETED", "DEADLINE", "FAILED",
					     "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
	for (unsigned i = 0; i < sizeof states / sizeof *states; i++)
		if (!strcmp(state, states[i]))
			return true;
	return false;
}

struct slurm_array *slurm_array_of(struct slurm *slurm, uint32_t number)
{
	for (uint32_t i = 0; i < slurm->arrays.len; i++)
		if (slurm->arrays.data[i].number == number)
			return &slurm->arrays.data[i];
	return NULL;
}

struct slurm_array *slurm_add_array(struct slurm *slurm, uint32_t number, uint32_t tasks)
{
	struct slurm_array array = {.number = number, .tasks = tasks};
	array.why = hd_arena_alloc(&slurm->arena, tasks * sizeof(*array.why));
	array.states = hd_arena_alloc(&slurm->arena, tasks);
	memset(array.why, 0, tasks * sizeof(*array.why));
	memset(array.states, THERE, tasks);
	array.jobs = hd_arena_alloc(&slurm->arena, tasks * sizeof(*array.jobs));
	memset(array.jobs, 0xff, tasks * sizeof(*array.jobs));
	hd_vec_push(&slurm->arrays, array);
	return &hd_vec_last(&slurm->arrays);
}

/* The number behind the name that our arrays have; false: it is none of ours. */
static bool number_of(const struct slurm *slurm, const char *name, uint32_t *number)
{
	size_t length = strlen(slurm->name);
	char *end;
	if (strncmp(name, slurm->name, length) != 0 || name[length] != '-')
		return false;
	*number = (uint32_t)strtoul(name + length + 1, &end, 10);
	return end != name + length + 1 && !*end;
}

static void tell_task(void *context, const struct slurm_task *task)
{
	struct slurm *slurm = context;
	uint32_t number;
	if (!number_of(slurm, task->name, &number))
		return;
	struct slurm_array *array = slurm_array_of(slurm, number);
	if (!array || task->index >= array->tasks)
		return;
	array->states[task->index] = is_over(task->state) ? GONE : THERE;
	if (!array->job)
		array->job = hd_arena_strdup(&slurm->arena, task->job);
	if (is_over(task->state) && !array->why[task->index])
		array->why[task->index] =
			hd_arena_printf(&slurm->arena, "%s%s%s", task->state, *task->nodes ? " on " : "", task->nodes);
}

/* Says once that Slurm does not answer, and once that it does again. */
void slurm_tell_silence(struct slurm *slurm, bool silent)
{
	if (silent && !slurm->silent)
		hd_warning(slurm->diag, HD_NOWHERE, "Slurm does not answer (%s); asking again", slurm->queue.message);
	else if (!silent && slurm->silent)
		hd_note(slurm->diag, HD_NOWHERE, "Slurm answers again");
	slurm->silent = silent;
}

bool slurm_ask(struct slurm *slurm)
{
	for (uint32_t i = 0; i < slurm->arrays.len; i++)
		memset(slurm->arrays.data[i].states, GONE, slurm->arrays.data[i].tasks);
	bool answered = slurm_ask_tasks(&slurm->queue, tell_task, slurm) == SLURM_FINE;
	for (uint32_t i = 0; !answered && i < slurm->arrays.len; i++)
		memset(slurm->arrays.data[i].states, THERE, slurm->arrays.data[i].tasks);
	slurm_tell_silence(slurm, !answered);
	return answered;
}

/* A lost job waits for another array; after too many it has failed. What a user took out of the queue is left. */
static void lose(struct slurm *slurm, struct slurm_entry *entry)
{
	char path[4096], file[64];
	uint8_t *said;
	size_t size = 0;
	struct hd_diag silent = hd_diag_silent();
	snprintf(file, sizeof file, "%u/%u.out", entry->array, entry->task);
	const char *state = slurm_array_of(slurm, entry->array)->why[entry->task];
	bool read = !hd_read_file(slurm_path(path, slurm, ".", file), &said, &size, &silent);
	while (read && size && said[size - 1] == '\n')
		said[--size] = '\0';
	const char *line = read && strrchr((char *)said, '\n') ? strrchr((char *)said, '\n') + 1 : NULL;
	entry->why = hd_arena_printf(&slurm->arena, "%s%s%.300s", state ? state : "gone from the queue",
				     line ? ": " : "", line ? line : "");
	if (read)
		free(said);
	if (state && !strncmp(state, "CANCELLED", strlen("CANCELLED")))
		slurm_finish_without(slurm, entry, ENGINE_LEFT);
	else if (++entry->attempts == ATTEMPTS)
		slurm_finish_without(slurm, entry, ENGINE_LOST);
	else {
		entry->place = WAITS;
		slurm->waiting++;
	}
}

static bool is_gone(struct slurm *slurm, const struct slurm_entry *entry)
{
	const struct slurm_array *array = slurm_array_of(slurm, entry->array);
	return !array || entry->task >= array->tasks || array->states[entry->task] == GONE;
}

/* Which jobs have no task any more. False: Slurm did not say. */
static bool ask(struct slurm *slurm)
{
	double every = 2 * slurm->ask_every;
	bool answered = slurm_ask(slurm), any_gone = false;
	double time = slurm_now();
	slurm->ask_every = every < ASK_LAST ? every : ASK_LAST;
	slurm->ask_at = time + slurm->ask_every;
	if (!answered)
		return false;
	for (uint32_t i = 0; i < slurm->entries.len; i++) {
		struct slurm_entry *entry = &slurm->entries.data[i];
		if (entry->place != QUEUED)
			continue;
		if (!is_gone(slurm, entry))
			entry->gone = 0;
		else if (entry->gone <= 0)
			entry->gone = time;
		any_gone = any_gone || entry->gone > 0;
	}
	if (any_gone) { /* to be told soon after GRACE */
		slurm->ask_every = SLURM_ASK_FIRST;
		slurm->ask_at = time + 2 * SLURM_ASK_FIRST;
	}
	return true;
}

/* Jobs that have been gone for long, and of which a look just now found no end. */
static void lose_gone(struct slurm *slurm)
{
	double time = slurm_now();
	uint32_t again = 0;
	const char *why = NULL;
	for (uint32_t i = 0; i < slurm->entries.len; i++) {
		struct slurm_entry *entry = &slurm->entries.data[i];
		if (entry->place != QUEUED || entry->gone <= 0 || time - entry->gone < GRACE ||
		    slurm_look_for(slurm, entry))
			continue;
		lose(slurm, entry);
		again += entry->place == WAITS;
		why = entry->place == WAITS ? entry->why : why;
	}
	if (again)
		hd_note(slurm->diag, HD_NOWHERE, "%u runs were lost (%s): submitted again", again, why);
}

void slurm_watch(struct slurm *slurm)
{
	if (ask(slurm))
		lose_gone(slurm);
}
