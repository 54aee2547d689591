/*
 * The statistics' way to `heddle run`: records (runtime/sim/lines.c), a line each, in a file of this process in the
 * folder that HEDDLE_RECORDS names. A program may end anywhere, so that each is in the file when its launch returns,
 * and one without the last record tells that it did not end in good order.
 *
 * The file is opened for each: programs close what they did not open (daemons), and open others in its place.
 *
 * Cost: two records a launch; nothing in memory.
 */
#include "runtime/cudart/records.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <jansson.h>

#include "runtime/cudart/context.h"

static int write_line(int fd, const char *line, size_t length)
{
	while (length) {
		ssize_t done = write(fd, line, length);
		if (done < 0 && errno != EINTR)
			return -1;
		line += done < 0 ? 0 : done;
		length -= done < 0 ? 0 : (size_t)done;
	}
	return 0;
}

/* Async-signal-safe. The line ends with a newline: one that does not was cut short. */
static int append(const struct hd_records *records, const char *line, size_t length)
{
	int fd = open(records->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	int status = fd < 0 ? -1 : write_line(fd, line, length), error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return status;
}

void hd_cudart_record(void *context, const char *line)
{
	struct hd_cudart *cudart = context;
	struct hd_records *records = &cudart->records;
	size_t length = strlen(line);
	if (!records->on)
		return;
	char *text = hd_xmalloc(length + 1);
	memcpy(text, line, length);
	text[length] = '\n';
	if (append(records, text, length + 1)) {
		records->on = false;
		if (errno == ENOENT)
			hd_note(&cudart->diag, HD_NOWHERE,
				"heddle run ended before this process; statistics omit the rest of this process");
		else {
			hd_error(&cudart->diag, HD_NOWHERE, "statistics of this process end here: %s: %s",
				 records->path, strerror(errno));
			char which[64];
			snprintf(which, sizeof which, "statistics of %ld", (long)getpid());
			hd_cudart_report("fault", which);
		}
	}
	free(text);
}

/* In clock ticks since the machine started, which orders processes, by /proc/self/stat; 0: not known. */
static long long start_of_process(void)
{
	char text[1024] = "";
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[length < 0 ? 0 : length] = '\0';
	const char *at = strrchr(text, ')'); /* the program's name is the second field and may have blanks */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? atoll(at) : 0;
}

static int create(struct hd_records *records, const char *folder)
{
	for (unsigned i = 0; i < INT_MAX; i++) { /* exec keeps the process's number */
		int length =
			snprintf(records->path, sizeof records->path, "%s/%ld.%u.records", folder, (long)getpid(), i);
		if (length < 0 || (size_t)length >= sizeof records->path)
			return errno = ENAMETOOLONG, -1;
		int fd = open(records->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0)
			return close(fd);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

static void record_process(struct hd_cudart *cudart)
{
	json_t *object = json_pack("{s:{s:I,s:I,s:s?}}", "process", "pid", (json_int_t)getpid(), "started",
				   (json_int_t)start_of_process(), "program", program_invocation_name);
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	hd_cudart_record(cudart, text ? text : "{\"process\":{}}"); /* a name that is not UTF-8 */
	free(text);
	json_decref(object);
}

/* ------------------------------------------------------------ ends */

/*
 * A program that ends by _exit, as forked children do, ends in good order, too. It may be in a signal handler. A child
 * of vfork is not its owner.
 */
static void end_by_exit(void)
{
	static const char line[] = "{\"end\":{}}\n";
	struct hd_records *records = hd_cudart_records_of_process();
	int error = errno;
	if (records->on && records->owner == getpid())
		append(records, line, sizeof line - 1);
	records->on = records->on && records->owner != getpid();
	errno = error;
}

/* The C library's own, as the program calls them; exit() does not come here. */
#pragma GCC visibility push(default)
_Noreturn void _exit(int status)
{
	end_by_exit();
	for (;;)
		syscall(SYS_exit_group, status);
}

_Noreturn void _Exit(int status)
{
	_exit(status);
}
#pragma GCC visibility pop

bool hd_cudart_records_start(struct hd_cudart *cudart)
{
	const char *folder = secure_getenv("HEDDLE_RECORDS");
	struct hd_records *records = &cudart->records;
	if (!folder || !*folder)
		return false;
	if (create(records, folder)) {
		hd_note(&cudart->diag, HD_NOWHERE, "no statistics of this process: %s: %s", folder, strerror(errno));
		return false;
	}
	records->owner = getpid();
	records->on = true;
	at_quick_exit(end_by_exit);
	record_process(cudart);
	return true;
}
