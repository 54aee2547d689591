/*
 * A tool's temporary directory: see scratch.h.
 */
#include "lib/scratch.h"
#include "lib/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Something of the tool may still be writing when the tool has been killed. */
enum { TRIES = 50, PAUSE = 20000 /* microseconds */ };

/* Without the files that the tool has open, so that nobody waits for this process. */
static _Noreturn void reap(int tool, const char *directory)
{
	char byte;
	dup2(tool, 0);
	close_range(1, ~0u, 0);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	for (int i = 0; i < TRIES && !access(directory, F_OK); i++) {
		if (i)
			usleep(PAUSE);
		hd_scratch_remove(directory);
	}
	_exit(0);
}

/*
 * Without one the directory stays when the tool is killed, and nothing else is lost. It is no child of the tool's,
 * which may be a program that waits for all of its children; and not in the tool's session, for what kills that as a
 * whole.
 */
static void start_reaper(struct hd_scratch *scratch)
{
	int ends[2];
	scratch->alive = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return;
	pid_t between = fork();
	if (between == 0) {
		close(ends[1]);
		setsid();
		if (!fork())
			reap(ends[0], scratch->path);
		_exit(0);
	}
	close(ends[0]);
	scratch->alive = ends[1];
	while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
}

int hd_scratch_make(struct hd_scratch *scratch, const char *tool, struct hd_arena *arena, struct hd_diag *diag)
{
	const char *base = secure_getenv("TMPDIR");
	base = base && *base ? base : "/tmp";
	/* Those who get the path may go elsewhere, so that it is absolute. */
	char *real = hd_path_real(base);
	*scratch = (struct hd_scratch){.path = hd_arena_printf(arena, "%s/%s-XXXXXX", real ? real : base, tool),
				       .alive = -1};
	free(real);
	if (!mkdtemp(scratch->path)) {
		scratch->path = NULL;
		return hd_error(diag, HD_NOWHERE, "cannot make a directory in %s: %s", base, strerror(errno));
	}
	start_reaper(scratch);
	return 0;
}

void hd_scratch_release(struct hd_scratch *scratch)
{
	hd_scratch_remove(scratch->path);
	/* Forked processes may have it open for long: the byte says that nobody needs to wait any more. */
	if (scratch->path && scratch->alive >= 0) {
		send(scratch->alive, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		close(scratch->alive);
	}
	*scratch = (struct hd_scratch){.alive = -1};
}

/* Of the folder that `at` is, which it closes. */
static void empty(int at)
{
	DIR *dir = at >= 0 ? fdopendir(at) : NULL;
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		const char *name = entry->d_name;
		if (!strcmp(name, ".") || !strcmp(name, "..") || !unlinkat(at, name, 0) || errno != EISDIR)
			continue;
		empty(openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
		unlinkat(at, name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

static int empty_and_remove(const char *directory)
{
	empty(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return rmdir(directory);
}

void hd_scratch_remove(const char *directory)
{
	/* Processes that the tool does not wait for may put a file there in between, as long as it is there. */
	for (int i = 0; directory && i < TRIES; i++)
		if (!empty_and_remove(directory) || (errno != ENOTEMPTY && errno != EEXIST))
			return;
}
