/*
 * Whole files in and out. Writing is all or nothing: the bytes go to a temporary file in the same directory, which
 * takes the final name only when everything is on it. Until then it has no name where the file system can do that
 * (O_TMPFILE), so that a process that is killed leaves nothing.
 */
#include "heddle/object.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OF_A_DEVICE = 1 << 24 }; /* bytes: more than anyone types at a terminal */

static int report(struct hd_diag *diag, const char *path, int error)
{
	return hd_error(diag, HD_NOWHERE, "%s: %s", path, strerror(error));
}

/*
 * Reads until the end: the size that the file system gives is a hint (pipes and /proc have none). More than `limit`
 * bytes are an error: devices such as /dev/zero have no end.
 */
static int read_all(int fd, size_t hint, size_t limit, uint8_t **bytes, size_t *size)
{
	size_t capacity = hint + 1, len = 0;
	uint8_t *data = hd_xmalloc(capacity + 1);
	for (;;) {
		ssize_t got = read(fd, data + len, capacity - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(data);
			return -1;
		}
		if (got == 0)
			break;
		len += (size_t)got;
		if (len > limit) {
			free(data);
			errno = EFBIG;
			return -1;
		}
		if (len == capacity) {
			capacity *= 2;
			data = hd_xrealloc(data, capacity + 1);
		}
	}
	data[len] = '\0';
	*bytes = data;
	*size = len;
	return 0;
}

int hd_read_file(const char *path, uint8_t **bytes, size_t *size, struct hd_diag *diag)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return report(diag, path, errno);
	if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
		close(fd);
		return report(diag, path, EISDIR);
	}
	size_t hint = S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
	int result = read_all(fd, hint, S_ISCHR(status.st_mode) ? MOST_OF_A_DEVICE : SIZE_MAX, bytes, size);
	int error = errno;
	close(fd);
	return result == 0 ? 0 : report(diag, path, error);
}

static void temporary_name(const char *path, unsigned attempt, char *name, size_t name_size)
{
	snprintf(name, name_size, "%s.tmp%ld.%u", path, (long)getpid(), attempt);
}

/* A file without a name in the folder of `path`; -1: there is no such thing here. */
static int open_unnamed(const char *path)
{
	char *copy = hd_xstrdup(path);
	int fd = access("/proc/self/fd", X_OK) ? -1 : open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(copy);
	return fd;
}

/* A new file beside `path`, created with the permissions that the user's umask gives; its name "" if it has none. */
static int open_temporary(const char *path, char *name, size_t name_size)
{
	int fd = open_unnamed(path);
	*name = '\0';
	for (unsigned attempt = 0; fd < 0 && attempt < 1000; attempt++) {
		temporary_name(path, attempt, name, name_size);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/* Gives a name to a file without one. 0, or -1 with errno. */
static int name_temporary(struct hd_output *output, size_t name_size)
{
	char from[64];
	snprintf(from, sizeof from, "/proc/self/fd/%d", fileno(output->to));
	for (unsigned attempt = 0; attempt < 1000; attempt++) {
		temporary_name(output->path, attempt, output->temporary, name_size);
		if (!linkat(AT_FDCWD, from, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW))
			return 0;
		if (errno != EEXIST)
			break;
	}
	*output->temporary = '\0';
	return -1;
}

static size_t temporary_size(const struct hd_output *output)
{
	return strlen(output->path) + 48;
}

/* Those that are open, so that a process that runs out of memory leaves none of their temporary files. */
static struct hd_output *open_outputs;
static pthread_mutex_t outputs_lock = PTHREAD_MUTEX_INITIALIZER;

/* Another thread may be changing the list: then the files stay, and the process does not fail in the midst of it. */
static void unlink_temporaries(void)
{
	if (pthread_mutex_trylock(&outputs_lock))
		return;
	for (struct hd_output *output = open_outputs; output; output = output->next)
		if (output->temporary)
			unlink(output->temporary);
	pthread_mutex_unlock(&outputs_lock);
}

static void note_open(struct hd_output *output)
{
	pthread_mutex_lock(&outputs_lock);
	hd_out_of_memory_first(unlink_temporaries);
	output->next = open_outputs;
	open_outputs = output;
	pthread_mutex_unlock(&outputs_lock);
}

static void note_closed(struct hd_output *output)
{
	pthread_mutex_lock(&outputs_lock);
	struct hd_output **at = &open_outputs;
	while (*at != output)
		at = &(*at)->next;
	*at = output->next;
	pthread_mutex_unlock(&outputs_lock);
}

static void release(struct hd_output *output, bool remove)
{
	if (remove && output->temporary)
		unlink(output->temporary);
	free(output->path);
	free(output->temporary);
}

int hd_output_check(const char *path)
{
	struct stat status;
	bool exists = !stat(path, &status);
	char *copy = hd_xstrdup(path);
	const char *place = exists && !S_ISREG(status.st_mode) ? path : dirname(copy);
	int error = exists && S_ISDIR(status.st_mode)			? EISDIR
		    : access(place, place == path ? W_OK : W_OK | X_OK) ? errno
									: 0;
	free(copy);
	return error;
}

/* The file that `path` names or will name; the caller frees it. NULL: not a file, or its folder does not exist. */
static char *file_of(const char *path)
{
	struct stat status;
	if (!stat(path, &status))
		return S_ISREG(status.st_mode) ? realpath(path, NULL) : NULL;
	char *folder_copy = hd_xstrdup(path), *name_copy = hd_xstrdup(path), *file = NULL;
	char *folder = realpath(dirname(folder_copy), NULL);
	if (folder && asprintf(&file, "%s/%s", folder, basename(name_copy)) < 0)
		file = NULL;
	free(folder);
	free(folder_copy);
	free(name_copy);
	return file;
}

bool hd_output_same(const char *one, const char *other)
{
	char *first = file_of(one), *second = file_of(other);
	bool same = first && second && !strcmp(first, second);
	free(first);
	free(second);
	return same;
}

int hd_output_open(struct hd_output *output, const char *path, struct hd_diag *diag)
{
	struct stat status;
	bool exists = stat(path, &status) == 0;
	*output = (struct hd_output){0};
	if (exists && S_ISDIR(status.st_mode))
		return report(diag, path, EISDIR);
	bool replaces = !exists || S_ISREG(status.st_mode);
	/* What a symbolic link names is replaced, not the link. */
	output->path = exists ? realpath(path, NULL) : NULL;
	if (!output->path)
		output->path = hd_xstrdup(path);
	size_t size = temporary_size(output);
	output->temporary = replaces ? hd_xcalloc(1, size) : NULL;
	int fd = replaces ? open_temporary(output->path, output->temporary, size)
			  : open(path, O_WRONLY | O_CLOEXEC); /* devices and pipes (-o /dev/null) cannot be replaced */
	if (fd >= 0 && (output->to = fdopen(fd, "wb"))) {
		note_open(output);
		return 0;
	}
	int error = errno;
	if (fd >= 0)
		close(fd);
	release(output, fd >= 0);
	return report(diag, path, error);
}

void hd_output_abandon(struct hd_output *output)
{
	fclose(output->to);
	note_closed(output);
	release(output, true);
}

int hd_output_close(struct hd_output *output, struct hd_diag *diag)
{
	int result = ferror(output->to) || fflush(output->to) ? -1 : 0, error = errno;
	sigset_t all, before;
	/* One that ends the process after the first name and before the second would leave the first. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (!result && output->temporary && !*output->temporary) {
		result = name_temporary(output, temporary_size(output));
		error = errno;
	}
	if (fclose(output->to) && !result) {
		result = -1;
		error = errno;
	}
	if (!result && output->temporary && rename(output->temporary, output->path)) {
		result = -1;
		error = errno;
	}
	if (result)
		report(diag, output->path, error);
	note_closed(output);
	release(output, result != 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

int hd_write_file(const char *path, const void *bytes, size_t size, struct hd_diag *diag)
{
	struct hd_output output;
	if (hd_output_open(&output, path, diag))
		return -1;
	fwrite(bytes, 1, size, output.to);
	return hd_output_close(&output, diag);
}

int hd_object_write_file(const struct hd_object *object, const char *path, struct hd_diag *diag)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	if (hd_object_write(object, &bytes, &size, diag) != 0)
		return -1;
	int result = hd_write_file(path, bytes, size, diag);
	free(bytes);
	return result;
}
