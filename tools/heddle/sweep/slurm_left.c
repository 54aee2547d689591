/*
 * Arrays that an earlier process has left in the queue: see slurm.h. Their folders say what their tasks run, and squeue
 * which of them are still there; what ended meanwhile has an end.
 */
#include "tools/heddle/sweep/slurm.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"

static void add_left(struct slurm *slurm, const char *key, uint32_t array, uint32_t task)
{
	struct hd_hash_slot *slot;
	uint64_t hash = hd_hash_text(HD_HASH_TEXT, key);
	HD_HASH_FIND(slot, &slurm->left_keys, hash, !strcmp(slurm->left.data[slot->id].key, key));
	if (hd_hash_found(slot))
		return;
	hd_hash_set_put(&slurm->left_keys, slot, hash, slurm->left.len);
	hd_vec_push(&slurm->left, (struct slurm_left){hd_arena_strdup(&slurm->arena, key), array, task});
}

static void read_left(struct slurm *slurm, uint32_t array, uint32_t task)
{
	char path[4096], file[64];
	struct hd_diag silent = hd_diag_silent();
	uint8_t *text;
	size_t size;
	snprintf(file, sizeof file, "%u/%u.jobs", array, task);
	if (hd_read_file(slurm_path(path, slurm, ".", file), &text, &size, &silent))
		return;
	char *rest = (char *)text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		struct slurm_job job;
		if (slurm_job_read(&job, line) && strrchr(job.end, '/'))
			add_left(slurm, strrchr(job.end, '/') + 1, array, task);
		slurm_job_release(&job);
	}
	free(text);
}

/* How many tasks an array's folder has. */
static uint32_t count_tasks(const struct slurm *slurm, const char *name)
{
	char path[4096];
	uint32_t tasks = 0;
	DIR *dir = opendir(slurm_path(path, slurm, ".", name));
	for (struct dirent *item; dir && (item = readdir(dir));) {
		char *end;
		uint32_t index = (uint32_t)strtoul(item->d_name, &end, 10);
		if (end != item->d_name && !strcmp(end, ".jobs") && index >= tasks)
			tasks = index + 1;
	}
	if (dir)
		closedir(dir);
	return tasks;
}

static void find_arrays(struct slurm *slurm)
{
	DIR *dir = opendir(slurm->folder);
	for (struct dirent *item; dir && (item = readdir(dir));) {
		char *end;
		uint32_t number = (uint32_t)strtoul(item->d_name, &end, 10);
		if (end == item->d_name || *end)
			continue;
		uint32_t tasks = count_tasks(slurm, item->d_name);
		if (number >= slurm->next_array)
			slurm->next_array = number + 1;
		if (tasks)
			slurm_add_array(slurm, number, tasks);
		else
			slurm_remove_array(slurm, number);
	}
	if (dir)
		closedir(dir);
}

/* Arrays of which tasks are still in the queue, and their jobs; others are nothing any more. */
int slurm_take_up(struct slurm *slurm)
{
	find_arrays(slurm);
	if (slurm->arrays.len && !slurm_ask(slurm))
		return -1;
	for (uint32_t i = 0; i < slurm->arrays.len;) {
		struct slurm_array *array = &slurm->arrays.data[i];
		uint32_t there = 0;
		for (uint32_t task = 0; task < array->tasks; task++)
			if (array->states[task] == THERE) {
				read_left(slurm, array->number, task);
				there++;
			}
		if (there) {
			i++;
			continue;
		}
		slurm_remove_array(slurm, array->number);
		*array = hd_vec_last(&slurm->arrays);
		(void)hd_vec_pop(&slurm->arrays);
	}
	return 0;
}
