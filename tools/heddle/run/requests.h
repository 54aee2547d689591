/*
 * Request-driven runs (`heddle corun --arrivals`): each program serves requests that arrive in time, one pass of it for
 * each; how long these take is the figure, by program and by priority, as people who serve models ask for it.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_REQUESTS_H
#define HD_TOOLS_HEDDLE_RUN_REQUESTS_H

#include <jansson.h>
#include <stdint.h>

#include "lib/diag.h"
#include "lib/vec.h"

enum { REQUESTS_PROGRAMS = 4 };

/* Cycles. */
struct request {
	uint64_t arrived, began, ended; /* began: it had arrived, and the one before it had ended */
};

struct requests {
	const char *spec; /* of arrivals; NULL: the run is none of these */
	uint64_t seed, window;
	double cycles_per_us;
	HD_VEC(struct request) of[REQUESTS_PROGRAMS]; /* by program, in order of arrival */
};

/*
 * "poisson:US[,US...]" and "every:US[,US...]": one program after the other, microseconds between requests, on average
 * or always; the last one counts for those behind it. Requests arrive as long as `window` cycles have not passed. Else
 * a file: a line for each request, its time in microseconds and the program's number from 1 on, in order of time, of
 * which those in the window count; # begins a comment. 0, or -1 with the error reported. Released either way.
 */
int requests_read(struct requests *requests, uint32_t programs, struct hd_diag *diag);
void requests_release(struct requests *requests);

/* The value such that at least `percent` of the `count` ascending ones, above 0, are not above it. */
double requests_percentile(const double *values, size_t count, double percent);

/* Adds the key `requests` to statistics. `programs`: objects with `recording`, `program` and `priority`, in order. */
void requests_add(json_t *document, const struct requests *requests, json_t *programs);
/* A table of that key; nothing where there is none. */
void requests_print(const json_t *document);

#endif
