/*
 * What the fuzz targets share (targets/fuzz.h).
 */
#include "test/fuzz/targets/fuzz.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/scratch.h"

enum { MOST_ARGUMENTS = 16 };

static void stop(const char *what)
{
	perror(what);
	abort();
}

const char *fuzz_file(const uint8_t *bytes, size_t size, const char *suffix)
{
	static struct hd_scratch scratch;
	static struct hd_arena arena;
	static char path[256];
	struct hd_diag diag = {.tool = "fuzz"};
	if (!scratch.path) {
		hd_arena_init(&arena);
		if (hd_scratch_make(&scratch, "heddle-fuzz", &arena, &diag))
			abort();
	}
	snprintf(path, sizeof path, "%s/input%s", scratch.path, suffix);
	FILE *to = fopen(path, "w");
	if (!to || fwrite(bytes, 1, size, to) != size || fclose(to))
		stop(path);
	return path;
}

static void drop(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)context, (void)severity, (void)loc, (void)message;
}

struct hd_diag fuzz_diag(void)
{
	return (struct hd_diag){.emit = drop, .tool = "fuzz"};
}

int fuzz_command(int (*run)(int argc, char **argv), ...)
{
	char name[] = "fuzz", *argv[MOST_ARGUMENTS + 1] = {name};
	int argc = 1, kept[2], nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	va_list arguments;
	va_start(arguments, run);
	for (char *argument; argc < MOST_ARGUMENTS && (argument = va_arg(arguments, char *));)
		argv[argc++] = argument;
	va_end(arguments);
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		kept[i] = dup(i + 1);
		if (nowhere < 0 || kept[i] < 0 || dup2(nowhere, i + 1) < 0)
			stop("dup");
	}
	close(nowhere);
	int status = run(argc, argv);
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		if (dup2(kept[i], i + 1) < 0)
			abort();
		close(kept[i]);
	}
	if (status < 0 || status > 2)
		abort();
	return status;
}
