/*
 * heddle-fuzz-TARGET [--damaged N] FILE|FOLDER...: gives each file to a fuzz target (targets/fuzz.h), and N damaged
 * copies of each, the same in every run. Files of a folder are taken in the order of their names. The name of the file,
 * or the seed of the damage, stands on stderr when the target stops the program.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/strbuf.h"
#include "test/fuzz/damage.h"
#include "test/fuzz/targets/fuzz.h"

/* Seconds that an input may take; the largest take a tenth of one. */
enum { MOST_SECONDS = 30 };

static char running[512]; /* what is given to the target */
static int messages;	  /* stderr: the target may have its own elsewhere */

static void tell(int number)
{
	static const char before[] = "stopped by: ";
	(void)!write(messages, before, sizeof before - 1);
	(void)!write(messages, running, strlen(running));
	(void)!write(messages, "\n", 1);
	signal(number, SIG_DFL);
	raise(number);
}

static void give(const uint8_t *bytes, size_t size)
{
	/* A copy of exactly this size: a sanitizer sees an access behind it. */
	uint8_t *copy = malloc(size ? size : 1);
	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	alarm(MOST_SECONDS);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
}

static int replay_file(const char *path, unsigned long damaged)
{
	struct hd_diag diag = {.tool = "heddle-fuzz"};
	uint8_t *bytes;
	size_t size;
	if (hd_read_file(path, &bytes, &size, &diag))
		return 1;
	snprintf(running, sizeof running, "%s", path);
	give(bytes, size);
	for (unsigned long seed = 1; seed <= damaged && size; seed++) {
		struct damage damage = {.random = seed, .bytes = malloc(size), .size = size};
		if (!damage.bytes)
			abort();
		memcpy(damage.bytes, bytes, size);
		damage_some(&damage);
		snprintf(running, sizeof running, "%s with damage %lu", path, seed);
		give(damage.bytes, damage.size);
		free(damage.bytes);
	}
	free(bytes);
	return 0;
}

static int replay_folder(const char *path, unsigned long damaged)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort), status = count < 0;
	for (int i = 0; i < count; i++) {
		struct hd_strbuf file = {0};
		hd_strbuf_printf(&file, "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			status |= replay_file(hd_strbuf_text(&file), damaged);
		hd_strbuf_release(&file);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return status;
}

int main(int argc, char **argv)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
	unsigned long damaged = 0;
	int first = 1, status = 0;
	if (argc > 2 && strcmp(argv[1], "--damaged") == 0) {
		damaged = strtoul(argv[2], NULL, 0);
		first = 3;
	}
	if (first >= argc) {
		fprintf(stderr, "Usage: %s [--damaged N] FILE|FOLDER...\n", argv[0]);
		return 2;
	}
	messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		signal(fatal[i], tell);
	for (int i = first; i < argc; i++) {
		struct stat info;
		bool folder = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode);
		status |= folder ? replay_folder(argv[i], damaged) : replay_file(argv[i], damaged);
	}
	return status;
}
