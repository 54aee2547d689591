/*
 * Whole files in and out. Writing is all or nothing: the bytes go to a temporary file in the same directory, which
 * takes the final name only when everything is on it. Until then it has no name where the file system can do that
 * (O_TMPFILE), so that a process that is killed leaves nothing. Where a file cannot be given a name afterwards, as in
 * processes that may not use links, its bytes are copied to one that has a name.
 */
#include "heddle/object.h"
#include "lib/path.h"

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
	int fd = access("/proc/self/fd", X_OK) ? -1 : open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	free(copy);
	return fd;
}

/* A new file beside `path`, created with the permissions that the user's umask gives. */
static int open_named(const char *path, char *name, size_t name_size)
{
	int fd = -1;
	for (unsigned attempt = 0; fd < 0 && attempt < 1000; attempt++) {
		temporary_name(path, attempt, name, name_size);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/* The same; its name is "" if it has none. */
static int open_temporary(const char *path, char *name, size_t name_size)
{
	int fd = open_unnamed(path);
	*name = '\0';
	return fd < 0 ? open_named(path, name, name_size) : fd;
}

static int copy_bytes(int from, int to)
{
	char piece[1 << 16];
	ssize_t got, done;
	for (off_t at = 0; (got = pread(from, piece, sizeof piece, at)); at += got) {
		for (ssize_t put = 0; put < got; put += done)
			if ((done = write(to, piece + put, (size_t)(got - put))) < 0)
				return -1;
		if (got < 0)
			return -1;
	}
	return 0;
}

/* A file with a name that has the bytes of one without. 0, or -1 with errno and without a file. */
static int copy_temporary(int from, const char *path, char *name, size_t name_size)
{
	int to = open_named(path, name, name_size);
	int status = to < 0 ? -1 : copy_bytes(from, to), error = errno;
	if (to >= 0 && close(to) && !status) {
		status = -1;
		error = errno;
	}
	if (to >= 0 && status)
		unlink(name);
	if (status)
		*name = '\0';
	errno = error;
	return status;
}

/*
 * Gives a name to a file without one: that of `path` where nothing has it, else a temporary one. 0, or -1 with errno.
 */
static int name_temporary(int fd, const char *path, char *name, size_t name_size)
{
	char from[64];
	snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
	if (!linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return 0;
	for (unsigned attempt = 0; errno == EEXIST && attempt < 1000; attempt++) {
		temporary_name(path, attempt, name, name_size);
		if (!linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW))
			return 0;
	}
	return copy_temporary(fd, path, name, name_size);
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
		return S_ISREG(status.st_mode) ? hd_path_real(path) : NULL;
	char *folder_copy = hd_xstrdup(path), *name_copy = hd_xstrdup(path), *file = NULL;
	char *folder = hd_path_real(dirname(folder_copy));
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
	output->path = exists ? hd_path_real(path) : NULL;
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

/*
 * All that was written, to the file; 0, or an errno. A write that failed before is known by its flag only: another one
 * tells why, or nobody knows.
 */
static int flush(struct hd_output *output)
{
	bool failed = ferror(output->to);
	if (fflush(output->to))
		return errno;
	if (failed && output->temporary && write(fileno(output->to), "", 1) < 0)
		return errno;
	return failed ? EIO : 0;
}

/*
 * Gives the whole file its final name; 0, or an errno. A signal that ends the process waits meanwhile, or it would
 * leave the temporary name. `fd`: of a file without a name; -1.
 */
static int put_in_place(struct hd_output *output, int fd)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int error = 0;
	if (fd >= 0 && name_temporary(fd, output->path, output->temporary, temporary_size(output)))
		error = errno;
	if (!error && *output->temporary && rename(output->temporary, output->path)) {
		error = errno;
		unlink(output->temporary);
	}
	*output->temporary = '\0';
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

int hd_output_close(struct hd_output *output, struct hd_diag *diag)
{
	bool unnamed = output->temporary && !*output->temporary;
	int error = flush(output);
	int fd = unnamed && !error ? fcntl(fileno(output->to), F_DUPFD_CLOEXEC, 0) : -1;
	if (unnamed && !error && fd < 0)
		error = errno;
	if (fclose(output->to) && !error)
		error = errno;
	if (!error && output->temporary)
		error = put_in_place(output, fd);
	if (fd >= 0)
		close(fd);
	if (error)
		report(diag, output->path, error);
	note_closed(output);
	release(output, error != 0);
	return error ? -1 : 0;
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
