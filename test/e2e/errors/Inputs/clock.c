/*
 * clock.so: a clock that somebody sets. Preloaded into a program, each look at the time of day is some hundred days
 * before or behind the one before it. CLOCK_FROM=N: the Nth place of the list first. CLOCK_LOOKS names a file that gets
 * a byte for each process that has looked. The monotonic clock and files' times stay as they are.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_uint looks;

static void note(void)
{
	const char *path = getenv("CLOCK_LOOKS");
	int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	if (file < 0)
		return;
	if (write(file, "x", 1) != 1)
		abort();
	close(file);
}

static time_t moved(void)
{
	static const time_t days[] = {0, -400, 500, -1, 900, -10000, 1};
	const char *from = getenv("CLOCK_FROM");
	unsigned look = looks++;
	if (!look)
		note();
	return days[(look + (from ? atoi(from) : 0)) % (sizeof days / sizeof *days)] * 86400;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	int status = (int)syscall(SYS_clock_gettime, clock, time);
	if (status == 0 && clock == CLOCK_REALTIME)
		time->tv_sec += moved();
	return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	struct timespec now;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	time->tv_sec = now.tv_sec;
	time->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *to)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (to)
		*to = now.tv_sec;
	return now.tv_sec;
}
