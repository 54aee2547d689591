/* heddle-cc as a child of a program's process. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heddle/config.h"
#include "lib/compiler.h"

extern char **environ;

char *hd_compiler_path(void)
{
	struct hd_strbuf path = {0};
	char *data = hd_data_dir();
	hd_strbuf_printf(&path, "%s/../../bin/heddle-cc", data);
	free(data);
	return hd_strbuf_detach(&path);
}

static void read_all(int from, struct hd_strbuf *to)
{
	char bytes[4096];
	for (;;) {
		ssize_t got = read(from, bytes, sizeof bytes);
		if (got > 0)
			hd_strbuf_append_bytes(to, bytes, (size_t)got);
		else if (!got || errno != EINTR)
			return;
	}
}

int hd_compiler_run(char *const *words, const char *who, struct hd_strbuf *output)
{
	int ends[2], status = -1;
	pid_t child;
	posix_spawn_file_actions_t files;
	if (pipe2(ends, O_CLOEXEC)) {
		hd_strbuf_printf(output, "%s: error: cannot run %s: %s\n", who, words[0], strerror(errno));
		return -1;
	}
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, ends[1], 1);
	posix_spawn_file_actions_adddup2(&files, ends[1], 2);
	int error = posix_spawn(&child, words[0], &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	close(ends[1]);
	if (error)
		hd_strbuf_printf(output, "%s: error: cannot run %s: %s\n", who, words[0], strerror(error));
	else
		read_all(ends[0], output);
	close(ends[0]);
	if (error)
		return -1;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
