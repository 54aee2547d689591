/*
 * The figures of a process's launches as its records have them (runtime/sim/lines.c): pairs of a place and a value,
 * without zeros, where a place is that of a number in the head's `total`.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_PLACES_H
#define HD_TOOLS_HEDDLE_RUN_PLACES_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/vec.h"

struct run_place {
	json_t *sum;		 /* in the total */
	const char *group, *key; /* group: NULL, or the object that has the key */
	bool shown;		 /* in tables' sums by kernel */
};

struct run_pair {
	uint32_t place;
	json_int_t value;
};

/* Begins empty. Names and sums are the total's, which has to stay. */
struct run_places {
	HD_VEC(struct run_place) list;
	HD_VEC(struct run_pair) pairs; /* the record's that was read last */
	json_int_t *values;	       /* a launch's, by place; zeros between launches */
};

/* Of the total's numbers the first `count`. */
void run_places_find(struct run_places *places, json_t *total, json_int_t count);
void run_places_release(struct run_places *places);
/* Takes the figures of a record for what follows; "": there are none. */
void run_places_read(struct run_places *places, const char *text);
/* Adds them to the total's numbers. Its ipc is no sum, and the caller's to set. */
void run_places_add(struct run_places *places);
/* New references: a launch as the statistics have it, with all figures in the place of the null that stands for them;
 * or with those only that tables show. */
json_t *run_places_whole(struct run_places *places, json_t *launch);
json_t *run_places_short(struct run_places *places, json_t *launch);

#endif
