/* Temporary directories: who removes them, and that a tool may wait for all of its children meanwhile. */
#include "harness.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/scratch.h"

START_TEST(nobody_has_to_be_waited_for)
{
	struct hd_arena arena;
	struct hd_scratch scratch;
	struct hd_diag diag = hd_diag_silent();
	hd_arena_init(&arena);
	ck_assert_int_eq(hd_scratch_make(&scratch, "scratch", &arena, &diag), 0);
	const char *path = scratch.path;
	ck_assert_int_eq(access(path, W_OK), 0);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	hd_scratch_release(&scratch);
	ck_assert_int_ne(access(path, F_OK), 0);
	hd_arena_release(&arena);
}
END_TEST

/* The tool is a child here, which ends without a word. */
START_TEST(it_goes_when_the_tool_is_killed)
{
	int ends[2];
	char path[256] = "";
	ck_assert_int_eq(pipe(ends), 0);
	pid_t tool = fork();
	if (!tool) {
		struct hd_arena arena;
		struct hd_scratch scratch;
		struct hd_diag diag = hd_diag_silent();
		hd_arena_init(&arena);
		if (!hd_scratch_make(&scratch, "scratch", &arena, &diag) &&
		    write(ends[1], scratch.path, strlen(scratch.path)) < 0)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	close(ends[1]);
	ck_assert_int_gt(read(ends[0], path, sizeof path - 1), 0);
	close(ends[0]);
	ck_assert_int_eq(waitpid(tool, NULL, 0), tool);
	for (int i = 0; i < 500 && !access(path, F_OK); i++)
		usleep(10000);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("scratch", (const TTest *const[]){
					      nobody_has_to_be_waited_for,
					      it_goes_when_the_tool_is_killed,
					      NULL,
				      });
}
