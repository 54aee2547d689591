/*
 * allocations.so: memory that runs out. Preloaded into a program, allocation FAIL_AT fails, and with FAIL_ON all behind
 * it. FAIL_COUNT names a file that gets the number of allocations of each process at its end. FAIL_RECORDS=N: the Nth
 * time that records of a run are opened fails. FAIL_PATHS=N: the Nth call of realpath finds no memory. FAIL_IN=NAME:
 * only allocations count that a library with such a name asks for itself.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's own names of what is replaced here. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_long made;
static long fails_at;
static int goes_on;
static const char *counted;

__attribute__((constructor)) static void start(void)
{
	const char *at = getenv("FAIL_AT");
	fails_at = at ? atol(at) : 0;
	goes_on = getenv("FAIL_ON") != NULL;
	counted = getenv("FAIL_IN");
	made = 0; /* those of the loader are the same in every program */
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	long count = made;
	fails_at = 0;
	FILE *file = path ? fopen(path, "a") : NULL;
	if (file) {
		fprintf(file, "%ld\n", count);
		fclose(file);
	}
}

/* How a child ends that was made without a program of its own: clang's part of heddle-cc. */
void _exit(int status)
{
	end();
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

static int counts(const void *caller)
{
	Dl_info library;
	return !counted || (dladdr(caller, &library) && library.dli_fname && strstr(library.dli_fname, counted));
}

static int fails(const void *caller)
{
	if (!counts(caller))
		return 0;
	long mine = ++made;
	int failed = fails_at && (mine == fails_at || (goes_on && mine > fails_at));
	if (failed)
		errno = ENOMEM;
	return failed;
}

void *malloc(size_t bytes)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
	*memory = memalign(alignment, bytes);
	return *memory ? 0 : ENOMEM;
}

FILE *fopen(const char *path, const char *mode)
{
	static int opened;
	FILE *(*next)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
	const char *fail = getenv("FAIL_RECORDS"), *end = strrchr(path, '.');
	if (fail && end && !strcmp(end, ".records") && *mode == 'r' && ++opened == atoi(fail)) {
		errno = ENOMEM;
		return NULL;
	}
	return next(path, mode);
}

char *realpath(const char *restrict path, char *restrict resolved)
{
	static int asked;
	char *(*next)(const char *, char *) = (char *(*)(const char *, char *))dlsym(RTLD_NEXT, "realpath");
	const char *fail = getenv("FAIL_PATHS");
	if (fail && ++asked == atoi(fail)) {
		errno = ENOMEM;
		return NULL;
	}
	return next(path, resolved);
}
