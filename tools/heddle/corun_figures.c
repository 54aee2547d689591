/*
 * Figures of co-runs: see corun_figures.h. A kernel's speedup is its instructions a cycle beside the others over those
 * alone (Lin, 4.3.3): the harmonic speedup of all is the harmonic mean of theirs, the weighted one their sum, the
 * slowdown of one the inverse of its speedup.
 */
#include "tools/heddle/corun_figures.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/heddle/figures.h"

json_t *corun_figures_new(const char *policy)
{
	return json_pack("{s:s, s:[], s:[]}", "policy", policy, "settings", "each");
}

void corun_figures_setting(json_t *alone, const char *setting)
{
	json_array_append_new(json_object_get(alone, "settings"), json_string(setting));
}

/* What a stream did: over the window, or from the first launch's begin to the last one's end where there is none. */
static json_t *find_stream(const json_t *document, const json_t *grids, uint64_t stream)
{
	const json_t *corun = json_array_get(json_object_get(document, "coruns"), 0);
	const char *name;
	json_t *grid;
	size_t index;
	json_array_foreach(json_object_get(corun, "grids"), index, grid)
	{
		if (json_number_value(json_object_get(grid, "stream")) == (double)stream)
			return grid;
	}
	json_object_foreach((json_t *)grids, name, grid)
	{
		if (!corun && json_number_value(json_object_get(grid, "stream")) == (double)stream)
			return grid;
	}
	return NULL;
}

static json_t *figures_of(const char *name, const json_t *from)
{
	json_t *figures = json_pack("{s:s}", "launch", name);
	double cycles = figure_number(from, "cycles"), instructions = figure_number(from, "warp_instructions");
	const char *kernel = json_string_value(json_object_get(from, "kernel"));
	if (kernel)
		json_object_set_new(figures, "kernel", json_string(kernel));
	json_object_set_new(figures, "launches", json_integer((json_int_t)figure_number(from, "launches")));
	json_object_set_new(figures, "cycles", json_integer((json_int_t)cycles));
	json_object_set_new(figures, "warp_instructions", json_integer((json_int_t)instructions));
	json_object_set_new(figures, "ipc", json_real(cycles > 0 ? instructions / cycles : 0));
	return figures;
}

/* Alone there is one stream, and without a window one launch: the total is its. */
void corun_figures_alone(json_t *alone, const char *name, const json_t *statistics)
{
	const json_t *grid =
		json_array_get(json_object_get(json_array_get(json_object_get(statistics, "coruns"), 0), "grids"), 0);
	const json_t *launch = json_array_get(json_object_get(statistics, "launches"), 0);
	json_t *figures = figures_of(name, grid ? grid : json_object_get(statistics, "total"));
	if (!grid) {
		json_object_set(figures, "kernel", json_object_get(launch, "kernel"));
		json_object_set_new(figures, "launches", json_integer(1));
	}
	json_array_append_new(json_object_get(alone, "each"), figures);
}

/* Sums over the kernels so far. */
struct together {
	double slowdowns, speedups;
	bool stands; /* one made no progress at all: its slowdown is infinite */
};

static void compare(json_t *figures, const json_t *alone, struct together *together)
{
	double before = figure_number(alone, "ipc"), ipc = figure_number(figures, "ipc");
	double speedup = before > 0 ? ipc / before : 0;
	json_object_set_new(figures, "alone_ipc", json_real(before));
	json_object_set_new(figures, "speedup", json_real(speedup));
	json_object_set_new(figures, "slowdown", speedup > 0 ? json_real(1 / speedup) : json_null());
	together->speedups += speedup;
	together->slowdowns += speedup > 0 ? 1 / speedup : 0;
	together->stands |= !(speedup > 0);
}

void corun_figures_add(struct run_statistics *statistics, const char *const *names, uint32_t count, uint64_t first,
		       json_t *alone)
{
	json_t *document = statistics->document, *corun = json_object(), *kernels = json_array();
	const json_t *each = json_object_get(alone, "each");
	const json_t *window = json_array_get(json_object_get(document, "coruns"), 0);
	struct together together = {0};
	json_object_set_new(corun, "cycles", json_integer((json_int_t)figure_number(window, "cycles")));
	json_object_set_new(corun, "kernels", kernels);
	for (uint32_t i = 0; i < count; i++) {
		json_t *figures = figures_of(names[i], find_stream(document, statistics->grids, first + i));
		json_object_set_new(figures, "stream", json_integer((json_int_t)(first + i)));
		if (json_array_get(each, i))
			compare(figures, json_array_get(each, i), &together);
		json_array_append_new(kernels, figures);
	}
	if (alone) {
		json_object_set_new(corun, "harmonic_speedup",
				    json_real(together.stands ? 0 : count / together.slowdowns));
		json_object_set_new(corun, "weighted_speedup", json_real(together.speedups));
		json_object_set(corun, "alone", alone);
	}
	json_object_set_new(document, "corun", corun);
}

/* ---- the table */

static void print_alone(const json_t *alone)
{
	size_t index;
	json_t *setting;
	printf("alone: policy %s", json_string_value(json_object_get(alone, "policy")));
	json_array_foreach(json_object_get(alone, "settings"), index, setting)
		printf(", %s", json_string_value(setting));
	printf("\n");
}

static void print_kernel(const json_t *figures, bool alone)
{
	const json_t *slowdown = json_object_get(figures, "slowdown");
	const char *kernel = json_string_value(json_object_get(figures, "kernel"));
	printf("%8.0f %10.0f %18.0f %8.3f", figure_number(figures, "stream"), figure_number(figures, "launches"),
	       figure_number(figures, "warp_instructions"), figure_number(figures, "ipc"));
	if (alone)
		printf(" %8.3f %8.3f", figure_number(figures, "alone_ipc"), figure_number(figures, "speedup"));
	if (alone && json_is_null(slowdown))
		printf(" %9s", "-");
	else if (alone)
		printf(" %9.3f", json_number_value(slowdown));
	printf("  %s%s%s\n", json_string_value(json_object_get(figures, "launch")), kernel ? ": " : "",
	       kernel ? kernel : "");
}

void corun_figures_print(const json_t *document)
{
	const json_t *corun = json_object_get(document, "corun"), *alone = json_object_get(corun, "alone");
	size_t index;
	json_t *figures;
	if (!corun)
		return;
	printf("%8s %10s %18s %8s", "stream", "launches", "warp instructions", "IPC");
	if (alone)
		printf(" %8s %8s %9s", "alone", "speedup", "slowdown");
	printf("  kernel\n");
	json_array_foreach(json_object_get(corun, "kernels"), index, figures) print_kernel(figures, alone);
	if (!alone)
		return;
	printf("harmonic speedup %.3f, weighted speedup %.3f; ", figure_number(corun, "harmonic_speedup"),
	       figure_number(corun, "weighted_speedup"));
	print_alone(alone);
}
