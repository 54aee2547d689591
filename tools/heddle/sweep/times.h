/* Durations, as people read them. */
#ifndef HD_TOOLS_HEDDLE_SWEEP_TIMES_H
#define HD_TOOLS_HEDDLE_SWEEP_TIMES_H

#include <stdio.h>
#include <time.h>

/* Seconds of a clock that nobody sets. */
static inline double times_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* "45 s", "12 min 5 s", "3 h 20 min", "2 d 4 h". */
static inline const char *times_print(double seconds, char text[32])
{
	unsigned long s = (unsigned long)(seconds + 0.5);
	if (s < 60)
		snprintf(text, 32, "%lu s", s);
	else if (s < 3600)
		snprintf(text, 32, "%lu min %lu s", s / 60, s % 60);
	else if (s < 86400)
		snprintf(text, 32, "%lu h %lu min", s / 3600, s / 60 % 60);
	else
		snprintf(text, 32, "%lu d %lu h", s / 86400, s / 3600 % 24);
	return text;
}

#endif
