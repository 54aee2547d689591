/*
 * What the parts of `heddle validate` share: launches of a profile (profile.c), launches of a run (launches.c), which
 * of them belong together (match.c), how far they are from each other (compare.c), and how that is shown (show.c,
 * draw.c). Text of launches is in the arena of struct validation.
 */
#ifndef HD_TOOLS_HEDDLE_VALIDATE_H
#define HD_TOOLS_HEDDLE_VALIDATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/arena.h"
#include "lib/child.h"
#include "lib/diag.h"
#include "lib/vec.h"

enum quantity {
#define QUANTITY(name, title, unit, of, help) QUANTITY_##name,
#define METRIC(...)
#include "tools/heddle/validate/metrics.def"
#undef METRIC
#undef QUANTITY
	QUANTITY_COUNT
};

struct quantity_info {
	const char *name, *title, *unit, *of, *help;
};
extern const struct quantity_info quantities[QUANTITY_COUNT];

enum metric_scale { SCALE_SAME, SCALE_PER_SM, SCALE_SECTOR, SCALE_TIME };
/* What a count of cycles is of; see metrics.def. */
enum counted { COUNTED_KERNEL, COUNTED_LAUNCH };
enum { MOST_PARTS = 4, METRICS = 64 /* at least as many as metrics.def has */ };

/* A way to a quantity: the sum of the metrics of these names. */
struct metric_info {
	enum quantity quantity;
	enum metric_scale scale;
	const char *names[MOST_PARTS + 1]; /* ends with NULL */
	enum counted counted;
};
extern const struct metric_info metrics[];
extern const uint32_t metric_count;

/* A launch of the profile or of the run. */
struct launch {
	const char *kernel; /* as it is written there */
	const char *name;   /* without return type, arguments of the template and parameters */
	const char *bare;   /* and without namespaces: a part of `name` */
	uint32_t line;	    /* in the profile */
	uint32_t index;	    /* in the run, from 0 */
	bool sized;	    /* the profile says grid and block */
	bool mean;	    /* of all launches of a kernel */
	uint32_t launches;  /* that a mean here is of; else 0 */
	uint32_t grid[3], block[3];
	double values[QUANTITY_COUNT]; /* NAN: not known */
	struct launch *partner;	       /* of the other side; NULL: none */
	const char *process, *id;      /* of the profile, NULL where it has none */
	double *parts;		       /* of a profile's: [metric * MOST_PARTS + part], NAN where not known */
};

typedef HD_VEC(struct launch) launch_list;

/* How far launches are from the card's in a quantity. NAN: there is no such number. */
struct comparison {
	uint32_t launches;    /* of which both sides are known */
	uint32_t without;     /* of these, 0 on the card and not here: no relative error */
	double correlation;   /* Pearson's */
	double mean_absolute; /* mean of |here / card - 1| */
	double sum;	      /* of here / of card - 1 */
};

struct validation {
	struct hd_arena arena;
	struct hd_diag *diag;
	const char *profile; /* path */
	const char *source;  /* of the run: path of the statistics, or NULL */
	json_t *document;    /* the run's statistics */
	const json_t *run;   /* the one of these that is compared */
	uint32_t sms;	     /* of the card; 0: as many as the run's GPU has */
	double clock;	     /* MHz of the card; 0: not given */
	launch_list card, here;
	const char *unknown; /* a counter of elapsed cycles in the profile that is not in `metrics`; NULL: none */
	uint32_t unknown_line;
	double added;		      /* to cycles here, since the card's are of whole launches */
	int32_t used[QUANTITY_COUNT]; /* index in `metrics`, -1: the profile has none */
	uint32_t only_card, only_here;
	struct comparison figures[QUANTITY_COUNT];
};

/* Reads a profiler's export. 0, or -1 with the error reported, at a line of the file. */
int profile_read(struct validation *validation);
/* Sets the values of its launches, when the run is known. 0 or -1. */
int profile_values(struct validation *validation);

/*
 * A number as profilers write it, with thousands separated by commas or not, in `unit`: *value is in cycles,
 * instructions, sectors, bytes, or seconds for a time. `nvprof`: KB is 1024 bytes. NULL, or what is wrong.
 */
const char *profile_number(const char *text, const char *unit, bool nvprof, bool time, double *value);

/* Takes launches of the run of `policy` (NULL: the only one) out of the document. 0 or -1. */
int launches_read(struct validation *validation, const char *policy);
/* Adds to cycles here what the counter that the profile has counts beyond them. */
void launches_count(struct validation *validation);
/* Sets name and bare. */
void launch_set_name(struct launch *launch, struct hd_arena *arena);

/* Sets partners; says where the launches are in the profile that none here belongs to. */
void match_launches(struct validation *validation);

/* here / card - 1; 0 where both are 0; NAN where one is not known or only the card's is 0. */
double compare_error(double card, double here);
void compare_launches(struct validation *validation);

void show_text(const struct validation *validation, FILE *to);
void show_csv(const struct validation *validation, FILE *to);
json_t *show_json(const struct validation *validation);

/* Draws all quantities that can be compared into an SVG, or a PNG, by gnuplot, whose script is put into `folder`. 0 or
 * -1. */
int draw_comparison(const struct validation *validation, const char *path, bool svg, const char *folder,
		    struct hd_signals *signals);

#endif
