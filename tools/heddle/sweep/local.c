/*
 * Jobs as children of this process: see engine.h. Each ends when the sweep does, however that ends. Time is looked at
 * when polling, memory four times a second: the resident pages of a job's processes together. (A limit of address space
 * would be simpler, but the simulator reserves far more of it than it uses.)
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/vec.h"
#include "tools/heddle/sweep/engine.h"
#include "tools/heddle/sweep/times.h"

enum { LOOK = 250 /* milliseconds between looks at memory */, GRACE = 10 /* seconds from SIGTERM to SIGKILL */ };

struct child {
	struct engine_job job;
	pid_t pid;
	double start, ended_at; /* seconds; ended_at: SIGTERM was sent, 0: not yet */
	uint64_t bytes;		/* resident at the last look */
	enum engine_end_kind kind;
};

struct local {
	struct engine engine;
	struct hd_signals *signals;
	uint32_t slots, used;
	uint64_t budget; /* bytes of memory */
	double looked;
	HD_VEC(struct child) children;
};

/* ------------------------------------------------------------ memory */

/* A number in a file, behind `name` where that is given; 0: there is none. */
static uint64_t number_in(const char *path, const char *name)
{
	char line[256];
	uint64_t value = 0;
	FILE *file = fopen(path, "re");
	while (file && !value && fgets(line, sizeof line, file))
		if (!strncmp(line, name, strlen(name)))
			sscanf(line + strlen(name), "%" SCNu64, &value);
	if (file)
		fclose(file);
	return value;
}

/* What is free on this machine, and in the container that we may be in; a twentieth is left. */
static uint64_t free_memory(void)
{
	uint64_t free = number_in("/proc/meminfo", "MemAvailable:") << 10;
	uint64_t most = number_in("/sys/fs/cgroup/memory.max", "");
	uint64_t taken = number_in("/sys/fs/cgroup/memory.current", "");
	if (most && (most < taken || most - taken < free))
		free = most < taken ? 0 : most - taken;
	return free - free / 20;
}

static uint64_t resident(pid_t pid)
{
	char path[64];
	uint64_t pages = 0;
	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	FILE *file = fopen(path, "re");
	if (file && fscanf(file, "%*u %" SCNu64, &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t tree_bytes(pid_t pid);

static uint64_t children_bytes(const char *list)
{
	uint64_t sum = 0;
	int child;
	FILE *file = fopen(list, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		sum += tree_bytes((pid_t)child);
	if (file)
		fclose(file);
	return sum;
}

/* Of a process and its descendants; any of its threads may have started some. */
static uint64_t tree_bytes(pid_t pid)
{
	char path[64], list[320];
	uint64_t sum = resident(pid);
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		snprintf(list, sizeof list, "%s/%.32s/children", path, entry->d_name);
		sum += children_bytes(list);
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* What it has or will have. */
static uint64_t claim(const struct engine_job *job, uint64_t bytes)
{
	return job->expected_bytes > bytes ? job->expected_bytes : bytes;
}

static bool has_room(struct engine *engine, const struct engine_job *job)
{
	const struct local *local = (const struct local *)engine;
	uint64_t claimed = claim(job, 0);
	if (!engine->running)
		return true;
	for (uint32_t i = 0; i < local->children.len; i++)
		claimed += claim(&local->children.data[i].job, local->children.data[i].bytes);
	return local->used + job->slots <= local->slots && claimed <= local->budget;
}

/* ------------------------------------------------------------ start */

static _Noreturn void become(const struct engine_job *job)
{
	int log = open(job->log, O_WRONLY | O_CREAT | O_TRUNC, 0666), nothing = open("/dev/null", O_RDONLY);
	if (log < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(126);
	close(log);
	close(nothing);
	execvp(job->words[0], job->words);
	fprintf(stderr, "cannot run %s: %s\n", job->words[0], strerror(errno));
	_exit(127);
}

static int submit(struct engine *engine, const struct engine_job *job, struct hd_diag *diag)
{
	struct local *local = (struct local *)engine;
	fflush(NULL);
	pid_t pid = hd_child_fork(local->signals, SIGTERM);
	if (pid == 0)
		become(job);
	if (pid < 0)
		return hd_error(diag, HD_NOWHERE, "cannot start a process: %s", strerror(errno));
	hd_vec_push(&local->children, (struct child){.job = *job, .pid = pid, .start = times_now()});
	local->used += job->slots;
	engine->running++;
	return 0;
}

/* ------------------------------------------------------------ end */

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void tell(const struct child *child, int status, const struct rusage *usage, struct engine_end *end)
{
	*end = (struct engine_end){.id = child->job.id, .kind = child->kind};
	if (end->kind == ENGINE_EXITED && WIFSIGNALED(status))
		end->kind = ENGINE_SIGNALED;
	end->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	end->cost.seconds = times_now() - child->start;
	end->cost.cpu_seconds = seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime);
	end->cost.peak_bytes = (uint64_t)usage->ru_maxrss << 10;
	if (child->bytes > end->cost.peak_bytes)
		end->cost.peak_bytes = child->bytes;
}

static bool reap(struct local *local, struct engine_end *end)
{
	for (uint32_t i = 0; i < local->children.len; i++) {
		struct child *child = &local->children.data[i];
		struct rusage usage;
		int status = 0;
		memset(&usage, 0, sizeof usage);
		pid_t ended = wait4(child->pid, &status, WNOHANG, &usage);
		if (!ended || (ended < 0 && errno == EINTR))
			continue;
		tell(child, status, &usage, end);
		local->used -= child->job.slots;
		local->engine.running--;
		*child = hd_vec_last(&local->children);
		(void)hd_vec_pop(&local->children);
		return true;
	}
	return false;
}

static void end_child(struct child *child, enum engine_end_kind kind)
{
	child->kind = kind;
	child->ended_at = times_now();
	kill(child->pid, SIGTERM);
}

static void check_limits(struct local *local)
{
	double time = times_now();
	bool look = time - local->looked >= 1e-3 * LOOK;
	for (uint32_t i = 0; i < local->children.len; i++) {
		struct child *child = &local->children.data[i];
		if (look)
			child->bytes = tree_bytes(child->pid);
		if (child->ended_at > 0 && time - child->ended_at > GRACE)
			kill(child->pid, SIGKILL);
		else if (child->ended_at > 0)
			continue;
		else if (child->job.bytes && child->bytes > child->job.bytes)
			end_child(child, ENGINE_MEMORY);
		else if (child->job.seconds > 0 && time - child->start > child->job.seconds)
			end_child(child, ENGINE_TIME);
	}
	if (look)
		local->looked = time;
}

/* The terminal's signals (Ctrl-C) have reached the children, too; others are passed on. */
static void interrupt(struct local *local, const siginfo_t *info)
{
	if (!local->signals->caught)
		local->signals->caught = info->si_signo;
	for (uint32_t i = 0; i < local->children.len; i++) {
		local->children.data[i].ended_at = times_now();
		if (info->si_code != SI_KERNEL)
			kill(local->children.data[i].pid, info->si_signo);
	}
}

static enum engine_event poll_children(struct engine *engine, unsigned milliseconds, struct engine_end *end)
{
	struct local *local = (struct local *)engine;
	double until = times_now() + 1e-3 * milliseconds;
	for (;;) {
		siginfo_t info;
		if (reap(local, end))
			return ENGINE_ENDED;
		check_limits(local);
		double left = until - times_now();
		if (left <= 0 || !engine->running)
			return ENGINE_NOTHING;
		left = left < 1e-3 * LOOK ? left : 1e-3 * LOOK;
		struct timespec wait = {0, (long)(left * 1e9)};
		int signal = sigtimedwait(&local->signals->taken, &info, &wait);
		if (signal > 0 && signal != SIGCHLD) {
			interrupt(local, &info);
			return ENGINE_INTERRUPTED;
		}
	}
}

static void release(struct engine *engine)
{
	struct local *local = (struct local *)engine;
	hd_vec_release(&local->children);
	free(local);
}

struct engine *engine_local(struct hd_signals *signals, uint32_t slots)
{
	struct local *local = hd_xcalloc(1, sizeof(*local));
	local->engine = (struct engine){0, has_room, submit, poll_children, NULL, release};
	local->signals = signals;
	local->slots = slots;
	local->budget = free_memory();
	return &local->engine;
}
