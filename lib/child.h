/*
 * Child processes that do not outlive the tool that starts them, and a tool that cleans up before a signal ends it.
 *
 * A tool holds the signals that would end it, starts children, waits for each, removes what is temporary and releases
 * the signals: one that came meanwhile was passed on to the child, and now ends the tool as it would have at once.
 * No handler and no state outside the struct: held signals are blocked, and taken while waiting.
 */
#ifndef HD_LIB_CHILD_H
#define HD_LIB_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/diag.h"

struct hd_signals {
	sigset_t taken;	 /* by hd_child_wait: SIGCHLD, and those that end the tool */
	sigset_t before; /* the mask that children get back */
	struct sigaction child_before;
	int caught;	 /* the first that came; 0: none */
	pid_t keeps_for; /* in a keeper (hd_child_fork_kept): the tool; else 0 */
};

/*
 * Holds SIGHUP, SIGINT, SIGQUIT and SIGTERM, those of them that the tool's own starter does not have ignored (nohup,
 * `&` of a script), and SIGPIPE, which ends the tool at hd_signals_release.
 */
void hd_signals_hold(struct hd_signals *signals);
/* Undoes it. Does not return when a signal came: the tool ends by it, which is what its starter sees. */
void hd_signals_release(struct hd_signals *signals);

/*
 * fork(2) for a child that has the signals as they were before, and that gets `when_orphaned` when the calling thread
 * ends before it. 0 in the child, -1 with errno set.
 */
pid_t hd_child_fork(const struct hd_signals *signals, int when_orphaned);
/*
 * Waits for the child's end, passing on the signals that come. The status as of waitpid(2). What the terminal sends
 * (Ctrl-C) is not passed on: the child is in the same foreground process group and has it already.
 */
int hd_child_wait(struct hd_signals *signals, pid_t child);
/* The file that hd_child_run would run, found in PATH where `name` is no path; NULL: none. The caller frees it. */
char *hd_child_find(const char *name);
/*
 * Runs a program, searched in PATH, and waits. `environment` NULL: ours. It gets SIGTERM when the tool is gone, so that
 * it can remove its own temporary files. Its exit status; -1 when it cannot be started or is ended by a signal,
 * reported unless the tool ends by it, too.
 */
int hd_child_run(struct hd_signals *signals, char *const *words, char *const *environment, struct hd_diag *diag);
/*
 * The same in two steps, for children that run beside each other: starts the program, whose standard error goes to the
 * descriptor `messages` (-1: ours); its pid, or -1 with the error reported, and without a word when the tool is about
 * to end by a signal. hd_child_wait gives the status that hd_child_result takes.
 */
pid_t hd_child_start(const struct hd_signals *signals, char *const *words, char *const *environment, int messages,
		     struct hd_diag *diag);
int hd_child_result(const struct hd_signals *signals, const char *name, int status, struct hd_diag *diag);
/* Ends a child whose work nobody needs any more (SIGTERM), and waits for it. */
void hd_child_stop(pid_t child);

/*
 * As hd_child_fork for a program that may have children of its own: nothing of it stays when the tool is killed, with
 * SIGKILL, too, or when a signal ended it and left children behind.
 * Children that stay behind its own end are its own affair. The parent gets the process to wait for, which ends as the
 * program does.
 */
pid_t hd_child_fork_kept(const struct hd_signals *signals);

#endif
