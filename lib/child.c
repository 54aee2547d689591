/*
 * Child processes and signals: see child.h.
 */
#include "lib/child.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/strbuf.h"

extern char **environ;

/* ------------------------------------------------------------ signals */

void hd_signals_hold(struct hd_signals *signals)
{
	static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t blocked;
	*signals = (struct hd_signals){0};
	/* An ignored SIGCHLD would have children reaped before we ask for their status. */
	sigaction(SIGCHLD, &action, &signals->child_before);
	sigemptyset(&signals->taken);
	sigaddset(&signals->taken, SIGCHLD);
	/* Linux queues a blocked signal even if it is ignored. */
	for (unsigned i = 0; i < sizeof ending / sizeof *ending; i++)
		if (!sigaction(ending[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&signals->taken, ending[i]);
	blocked = signals->taken;
	sigaddset(&blocked, SIGPIPE);
	sigprocmask(SIG_BLOCK, &blocked, &signals->before);
}

/* What children inherit. */
static void restore(const struct hd_signals *signals)
{
	sigaction(SIGCHLD, &signals->child_before, NULL);
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

/* Ends the process by the signal, without a core file; all streams are flushed. */
static _Noreturn void end_by(int signal)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t set;
	fflush(NULL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	sigaction(signal, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + signal);
}

void hd_signals_release(struct hd_signals *signals)
{
	if (signals->caught)
		end_by(signals->caught);
	restore(signals);
}

/* ------------------------------------------------------------ start and end of a child */

pid_t hd_child_fork(const struct hd_signals *signals, int when_orphaned)
{
	pid_t starter = getpid();
	pid_t child = fork();
	if (child == 0) {
		/* Survives an exec of all but set-user-ID programs. The starter may have ended before it was set. */
		prctl(PR_SET_PDEATHSIG, when_orphaned);
		if (getppid() != starter)
			raise(SIGKILL);
		restore(signals);
	}
	return child;
}

/* To whom a signal goes on that came from outside. In a keeper only the tool's own count: it passes on what it gets. */
static void pass_on(const struct hd_signals *signals, const siginfo_t *info, pid_t child)
{
	if (signals->keeps_for && getppid() != signals->keeps_for)
		kill(child, SIGKILL);
	else if (info->si_code != SI_KERNEL && (!signals->keeps_for || info->si_pid == signals->keeps_for))
		kill(child, info->si_signo);
}

int hd_child_wait(struct hd_signals *signals, pid_t child)
{
	int status;
	siginfo_t info;
	for (;;) {
		pid_t ended = waitpid(child, &status, WNOHANG);
		if (ended == child)
			return status;
		if (ended < 0 && errno != EINTR)
			return W_EXITCODE(127, 0);
		int signal = sigwaitinfo(&signals->taken, &info);
		if (signal <= 0 || signal == SIGCHLD)
			continue;
		if (!signals->caught)
			signals->caught = signal;
		pass_on(signals, &info, child);
	}
}

char *hd_child_find(const char *name)
{
	const char *path = strchr(name, '/') ? "" : getenv("PATH");
	while (path) {
		struct hd_strbuf file = {0};
		size_t length = strcspn(path, ":");
		hd_strbuf_printf(&file, "%.*s%s%s", (int)length, path, length ? "/" : "", name);
		if (access(hd_strbuf_text(&file), X_OK) == 0)
			return hd_strbuf_detach(&file);
		hd_strbuf_release(&file);
		path = path[length] ? path + length + 1 : NULL;
	}
	return NULL;
}

/* The child's pid; -1 with errno set when it or the program cannot be started. */
static pid_t spawn(const struct hd_signals *signals, char *const *words, char *const *environment, int messages)
{
	int report[2], error = 0;
	if (pipe2(report, O_CLOEXEC))
		return -1;
	fflush(NULL);
	pid_t child = hd_child_fork(signals, SIGTERM);
	if (child == 0) {
		if (messages >= 0)
			dup2(messages, STDERR_FILENO);
		execvpe(words[0], words, environment);
		error = errno;
		_exit(write(report[1], &error, sizeof error) < 0 ? 126 : 127);
	}
	if (child < 0)
		error = errno;
	close(report[1]);
	/* Ends without a byte when exec closes the other end. */
	if (child > 0 && read(report[0], &error, sizeof error) == sizeof error)
		waitpid(child, NULL, 0);
	close(report[0]);
	errno = error;
	return error ? -1 : child;
}

pid_t hd_child_start(const struct hd_signals *signals, char *const *words, char *const *environment, int messages,
		     struct hd_diag *diag)
{
	if (signals->caught)
		return -1;
	pid_t child = spawn(signals, words, environment ? environment : environ, messages);
	if (child < 0)
		hd_error(diag, HD_NOWHERE, "cannot run %s: %s", words[0], strerror(errno));
	return child;
}

int hd_child_result(const struct hd_signals *signals, const char *name, int status, struct hd_diag *diag)
{
	if (signals->caught)
		return -1;
	if (WIFSIGNALED(status))
		return hd_error(diag, HD_NOWHERE, "%s: killed by signal %d (%s)", name, WTERMSIG(status),
				strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status);
}

int hd_child_run(struct hd_signals *signals, char *const *words, char *const *environment, struct hd_diag *diag)
{
	pid_t child = hd_child_start(signals, words, environment, -1, diag);
	return child < 0 ? -1 : hd_child_result(signals, words[0], hd_child_wait(signals, child), diag);
}

void hd_child_stop(pid_t child)
{
	kill(child, SIGTERM);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ------------------------------------------------------------ descendants */

/* The parent of a process by /proc/PID/stat, "pid (name) state parent ..."; 0: it is gone. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[512] = "";
	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
		text[0] = '\0';
	if (fd >= 0)
		close(fd);
	const char *end = strrchr(text, ')');
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

static bool kill_children(void)
{
	bool any = false;
	DIR *dir = opendir("/proc");
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (isdigit((unsigned char)*entry->d_name) && parent_of(entry->d_name) == getpid())
			any = !kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL) || any;
	if (dir)
		closedir(dir);
	return any;
}

/* The children of those that die become ours, and are killed in the next round. */
static void kill_rest(void)
{
	while (kill_children())
		while (waitpid(-1, NULL, 0) < 0 && errno == EINTR)
			;
}

/* ------------------------------------------------------------ keepers */

static _Noreturn void keep(struct hd_signals *signals, pid_t program)
{
	int status = program > 0 ? hd_child_wait(signals, program) : W_EXITCODE(127, 0);
	if (signals->caught)
		kill_rest();
	if (WIFSIGNALED(status))
		end_by(WTERMSIG(status));
	_exit(WEXITSTATUS(status));
}

/*
 * PR_SET_PDEATHSIG reaches only the process that set it and is lost on fork; a process group would reach more, but take
 * the program from the terminal's foreground or kill our starter's other jobs, and programs leave it at will. A
 * subreaper that outlives us for a moment misses nobody: orphans become its children wherever they went.
 */
pid_t hd_child_fork_kept(const struct hd_signals *signals)
{
	struct hd_signals held = *signals;
	sigset_t orphaned;
	held.keeps_for = getpid();
	held.caught = 0;
	fflush(NULL);
	pid_t keeper = fork();
	if (keeper)
		return keeper;
	sigemptyset(&orphaned);
	sigaddset(&orphaned, SIGUSR1);
	sigaddset(&held.taken, SIGUSR1);
	sigprocmask(SIG_BLOCK, &orphaned, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid_t program = getppid() == held.keeps_for ? hd_child_fork(&held, SIGKILL) : -1;
	if (program < 0)
		perror("cannot start a process");
	if (program)
		keep(&held, program);
	return 0;
}
