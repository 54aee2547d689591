/*
 * A task on a cluster's node: the jobs of a file, one after the other, each under its limits, as this machine's own
 * engine runs them. A job's output and log take their places before its end does, so that an end tells that both are
 * there; a job that has an end is not run again. What this writes on stdout is for whoever looks for a lost task.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/strbuf.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/sweep/slurm_files.h"

struct task {
	struct engine *engine;
	struct hd_signals signals;
	struct hd_diag diag;
	const char *name; /* of this attempt: no other writes files with it */
};

/* The file is on the disk, or on the server. False: it cannot be, or there is none. */
static bool sync_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool synced = fd >= 0 && !fsync(fd);
	if (fd >= 0)
		close(fd);
	return synced;
}

/* Moves a finished file to its place. */
static int place(struct task *task, const char *from, const char *to)
{
	if (sync_file(from) && !rename(from, to))
		return 0;
	return hd_error(&task->diag, HD_NOWHERE, "cannot write %s: %s", to, strerror(errno));
}

/* The job with files of this attempt in place of its own: `output` among its words, too. */
static struct engine_job own(const struct slurm_job *job, char *log, char *output, char **words)
{
	struct engine_job mine = job->job;
	mine.log = log;
	mine.words = words;
	for (size_t i = 0; job->job.words[i]; i++) {
		bool is_output = mine.output && !strcmp(job->job.words[i], mine.output);
		words[i] = is_output ? output : job->job.words[i];
	}
	return mine;
}

static int wait_for(struct task *task, struct engine_end *end)
{
	while (task->engine->running)
		task->engine->poll(task->engine, 1000, end);
	return task->signals.caught ? -1 : 0;
}

/* 0; -1: interrupted, or what the job made cannot be kept, reported: it has no end then. */
static int run(struct task *task, const struct slurm_job *job)
{
	struct hd_arena arena;
	struct engine_end end = {0};
	size_t count = 0;
	int status = -1;
	while (job->job.words[count])
		count++;
	hd_arena_init(&arena);
	char *log = hd_arena_printf(&arena, "%s.%s", job->job.log, task->name),
	     *output = hd_arena_printf(&arena, "%s.%s", job->job.output ? job->job.output : "", task->name);
	struct engine_job mine = own(job, log, output, hd_arena_alloc(&arena, (count + 1) * sizeof(char *)));
	((char **)mine.words)[count] = NULL;
	if (!task->engine->submit(task->engine, &mine, &task->diag) && !wait_for(task, &end) &&
	    !place(task, log, job->job.log) &&
	    (!job->job.output || end.kind != ENGINE_EXITED || end.code || !place(task, output, job->job.output)))
		status = slurm_end_write(job->end, &end, &task->diag);
	unlink(log);
	unlink(output);
	hd_arena_release(&arena);
	return status;
}

static int run_lines(struct task *task, char *text)
{
	int status = 0;
	for (char *line; (line = strsep(&text, "\n")) && !status;) {
		struct slurm_job job;
		struct engine_end end;
		if (!*line)
			continue;
		if (!slurm_job_read(&job, line))
			status = hd_error(&task->diag, HD_NOWHERE, "'%.60s' is not a job", line);
		else if (!slurm_end_read(job.end, &end))
			status = run(task, &job);
		slurm_job_release(&job);
	}
	return status;
}

int engine_task(const char *path)
{
	struct task task = {.diag = {.tool = "heddle sweep"}};
	struct hd_strbuf name = {0};
	char host[65] = "";
	uint8_t *text;
	size_t size;
	gethostname(host, sizeof host - 1);
	hd_strbuf_printf(&name, "%s-%d", host, (int)getpid());
	printf("%s\n", name.data);
	fflush(stdout);
	if (hd_read_file(path, &text, &size, &task.diag)) {
		hd_strbuf_release(&name);
		return CMD_ERROR;
	}
	task.name = name.data;
	hd_signals_hold(&task.signals);
	task.engine = engine_local(&task.signals, 1);
	int status = run_lines(&task, (char *)text);
	task.engine->release(task.engine);
	free(text);
	hd_strbuf_release(&name);
	hd_signals_release(&task.signals);
	return status ? CMD_ERROR : CMD_OK;
}
