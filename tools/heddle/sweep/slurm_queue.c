/*
 * Slurm's commands as children whose output goes to files: see slurm_queue.h. One that does not end is killed: its
 * question is asked again later.
 */
#include "tools/heddle/sweep/slurm_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "heddle/object.h"

enum { PATIENCE = 120 /* seconds for a command */, NAP = 2 /* milliseconds between looks whether it has ended */ };

void slurm_queue_init(struct slurm_queue *queue, struct hd_signals *signals, struct hd_arena *arena, const char *folder)
{
	const struct passwd *entry = getpwuid(getuid());
	*queue = (struct slurm_queue){.signals = signals};
	queue->out = hd_arena_printf(arena, "%s/answer", folder);
	queue->err = hd_arena_printf(arena, "%s/complaint", folder);
	queue->user = entry ? hd_arena_strdup(arena, entry->pw_name) : hd_arena_printf(arena, "%u", (unsigned)getuid());
}

void slurm_queue_release(struct slurm_queue *queue)
{
	unlink(queue->out);
	unlink(queue->err);
	free(queue->message);
}

/* ------------------------------------------------------------ commands */

static _Noreturn void become(const struct slurm_queue *queue, char *const *words)
{
	int out = open(queue->out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	int err = open(queue->err, O_WRONLY | O_CREAT | O_TRUNC, 0666), nothing = open("/dev/null", O_RDONLY);
	if (out < 0 || err < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	/* Its own group: a Ctrl-C that ends us must not cut a submission in two. */
	setpgid(0, 0);
	execvp(words[0], words);
	fprintf(stderr, "cannot run %s: %s\n", words[0], strerror(errno));
	_exit(127);
}

/* Whether a signal that ends us has come; it stays for whoever polls. */
static bool is_ending(const struct slurm_queue *queue)
{
	static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	sigset_t pending;
	sigpending(&pending);
	for (unsigned i = 0; i < sizeof ending / sizeof *ending; i++)
		if (sigismember(&pending, ending[i]) == 1 && sigismember(&queue->signals->taken, ending[i]) == 1)
			return true;
	return false;
}

/* The child's status; one that takes too long is killed, and a question when we are to end. */
static int wait_for(const struct slurm_queue *queue, pid_t child, bool is_question)
{
	int status = 0;
	for (long naps = 0; waitpid(child, &status, WNOHANG) == 0; naps++) {
		if (naps == PATIENCE * 1000L / NAP || (is_question && is_ending(queue)))
			kill(child, SIGKILL);
		nanosleep(&(struct timespec){0, NAP * 1000000L}, NULL);
	}
	return status;
}

static char *read_all(const char *path)
{
	struct hd_diag silent = hd_diag_silent();
	uint8_t *bytes;
	size_t size;
	return hd_read_file(path, &bytes, &size, &silent) ? hd_xstrdup("") : (char *)bytes;
}

/* What passes by itself; other errors are of what was asked for, and stay. */
static bool passes(const char *message)
{
	static const char *const texts[] = {"temporarily", "contact slurm", "timed out",      "Timed out",
					    "onnection",   "try again",	    "SubmitJobLimit", "SubmitJobsPer",
					    "job limit",   "Job limit",	    "not responding", "Unexpected message",
					    "Zero Bytes",  "in standby"};
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		if (strstr(message, texts[i]))
			return true;
	return false;
}

/* Runs a command and gives what it wrote on stdout, for the caller to free; NULL: it failed. */
static char *run(struct slurm_queue *queue, char *const *words, int *kind)
{
	pid_t child = hd_child_fork(queue->signals, SIGTERM);
	if (child == 0)
		become(queue, words);
	int status = child < 0 ? -1 : wait_for(queue, child, strcmp(words[0], "sbatch") != 0);
	*kind = SLURM_FINE;
	if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return read_all(queue->out);
	free(queue->message);
	queue->message = child < 0 ? hd_xstrdup(strerror(errno)) : read_all(queue->err);
	for (char *at = queue->message; *at; at++)
		if (*at == '\n')
			*at = at[1] ? ' ' : '\0';
	*kind = child < 0 || !WIFEXITED(status) || passes(queue->message) ? SLURM_LATER : SLURM_WRONG;
	return NULL;
}

/* ------------------------------------------------------------ questions */

/* `Name = N` of scontrol's list; 0: it has none. */
static uint32_t limit_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	const char *equals = at ? strchr(at, '=') : NULL;
	return equals ? (uint32_t)strtoul(equals + 1, NULL, 10) : 0;
}

int slurm_ask_limits(struct slurm_queue *queue, struct slurm_limits *limits)
{
	char *words[] = {"scontrol", "show", "config", NULL};
	int kind;
	char *text = run(queue, words, &kind);
	if (!text)
		return kind;
	limits->array = limit_of(text, "\nMaxArraySize");
	limits->jobs = limit_of(text, "\nMaxJobCount");
	free(text);
	return SLURM_FINE;
}

static bool read_task(char *line, struct slurm_task *task)
{
	char *fields[5], *end;
	for (unsigned i = 0; i < 5; i++)
		if (!(fields[i] = strsep(&line, "|")))
			return false;
	*task = (struct slurm_task){fields[0], fields[2], fields[3], fields[4], 0};
	task->index = (uint32_t)strtoul(fields[1], &end, 10);
	return end != fields[1] && !*end;
}

int slurm_ask_tasks(struct slurm_queue *queue, void (*tell)(void *context, const struct slurm_task *task),
		    void *context)
{
	char *words[] = {"squeue",   "--noheader",     "--array", "--states=all", "--user", (char *)queue->user,
			 "--format", "%j|%K|%T|%F|%N", NULL};
	int kind;
	char *text = run(queue, words, &kind), *rest = text;
	if (!text)
		return kind;
	for (char *line; (line = strsep(&rest, "\n"));) {
		struct slurm_task task;
		if (read_task(line, &task))
			tell(context, &task);
	}
	free(text);
	return SLURM_FINE;
}

int slurm_submit(struct slurm_queue *queue, char *const *words)
{
	int kind;
	free(run(queue, words, &kind));
	return kind;
}
