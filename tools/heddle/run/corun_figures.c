/*
 * Figures of co-runs: see corun_figures.h. A kernel's speedup is its instructions a cycle beside the others over those
 * alone (Lin, 4.3.3): the harmonic speedup of all is the harmonic mean of theirs, the weighted one their sum, the
 * slowdown of one the inverse of its speedup.
 */
#include "tools/heddle/run/corun_figures.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/heddle/run/figures.h"

/* {kernel, launches, cycles, warp_instructions} of the stream, from where there are figures of its launches. */
static json_t *find_kernel(json_t *kernels, const json_t *launch)
{
	size_t index;
	json_t *kernel;
	json_array_foreach(kernels, index, kernel)
	{
		if (json_equal(json_object_get(kernel, "kernel"), json_object_get(launch, "kernel")))
			return kernel;
	}
	kernel = json_pack("{s:O, s:i, s:i, s:i}", "kernel", json_object_get(launch, "kernel"), "launches", 0, "cycles",
			   0, "warp_instructions", 0);
	json_array_append_new(kernels, kernel);
	return kernel;
}

static void add(json_t *to, const char *key, double value)
{
	json_object_set_new(to, key, json_integer((json_int_t)(figure_number(to, key) + value)));
}

static void set_ipc(json_t *figures)
{
	double cycles = figure_number(figures, "cycles"), instructions = figure_number(figures, "warp_instructions");
	json_object_set_new(figures, "ipc", json_real(cycles > 0 ? instructions / cycles : 0));
}

static json_t *kernels_of(const json_t *list, uint64_t stream)
{
	json_t *kernels = json_array(), *launch, *kernel;
	size_t index;
	json_array_foreach(list, index, launch)
	{
		if (figure_number(launch, "stream") != (double)stream)
			continue;
		const json_t *launches = json_object_get(launch, "launches");
		kernel = find_kernel(kernels, launch);
		add(kernel, "launches", launches ? json_number_value(launches) : 1);
		add(kernel, "cycles", figure_number(launch, "cycles"));
		add(kernel, "warp_instructions", figure_number(launch, "warp_instructions"));
	}
	json_array_foreach(kernels, index, kernel) set_ipc(kernel);
	return kernels;
}

json_t *corun_figures_of(const json_t *statistics, uint64_t stream, uint64_t cycles)
{
	const json_t *corun = json_array_get(json_object_get(statistics, "coruns"), 0);
	json_t *kernels = kernels_of(json_object_get(corun ? corun : statistics, corun ? "grids" : "launches"), stream);
	json_t *figures = json_object(), *kernel;
	size_t index;
	if (json_array_size(kernels) == 1)
		json_object_set(figures, "kernel", json_object_get(json_array_get(kernels, 0), "kernel"));
	json_array_foreach(kernels, index, kernel)
	{
		add(figures, "launches", figure_number(kernel, "launches"));
		add(figures, "cycles", figure_number(kernel, "cycles"));
		add(figures, "warp_instructions", figure_number(kernel, "warp_instructions"));
	}
	if (corun || cycles)
		json_object_set_new(figures, "cycles",
				    json_integer(corun ? (json_int_t)figure_number(corun, "cycles")
						       : (json_int_t)cycles));
	set_ipc(figures);
	if (json_array_size(kernels) > 1)
		json_object_set(figures, "kernels", kernels);
	json_decref(kernels);
	return figures;
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

void corun_figures_add(json_t *document, const char *key, json_t *each, json_t *alone)
{
	json_t *corun = json_object(), *figures;
	const json_t *window = json_array_get(json_object_get(document, "coruns"), 0);
	struct together together = {0};
	size_t index;
	json_object_set_new(corun, "cycles", json_integer((json_int_t)figure_number(window, "cycles")));
	json_object_set_new(corun, key, each);
	json_array_foreach(each, index, figures)
	{
		if (alone)
			compare(figures, json_array_get(json_object_get(alone, "each"), index), &together);
	}
	if (alone) {
		json_object_set_new(corun, "harmonic_speedup",
				    json_real(together.stands ? 0
							      : (double)json_array_size(each) / together.slowdowns));
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

/* What taking SMs from one and giving them to another cost, under policies that do. */
static void print_switching(const json_t *total)
{
	const char *policy;
	json_t *f;
	json_object_foreach((json_t *)total, policy, f)
	{
		if (!json_object_get(f, "switched_blocks") || !(figure_number(f, "requests") > 0))
			continue;
		double bytes = figure_number(f, "register_bytes") + figure_number(f, "shared_bytes") +
			       figure_number(f, "stack_bytes");
		printf("%s: SMs asked for %.0f times, free after %.3f us (%.3f us of it draining), longest %.3f us; "
		       "blocks switched %.0f, drained %.0f, flushed %.0f; context %.0f bytes\n",
		       policy, figure_number(f, "requests"), figure_number(f, "preempt_us"),
		       figure_number(f, "drain_us"), figure_number(f, "longest_us"),
		       figure_number(f, "switched_blocks"), figure_number(f, "drained_blocks"),
		       figure_number(f, "flushed_blocks"), bytes);
	}
}

static void print_one(const json_t *figures, bool programs, bool alone)
{
	const json_t *slowdown = json_object_get(figures, "slowdown");
	const char *kernel = json_string_value(json_object_get(figures, programs ? "program" : "kernel"));
	printf("%8.0f", figure_number(figures, "stream"));
	if (programs)
		printf(" %8.0f", figure_number(figures, "passes"));
	printf(" %10.0f %18.0f %8.3f", figure_number(figures, "launches"), figure_number(figures, "warp_instructions"),
	       figure_number(figures, "ipc"));
	if (alone)
		printf(" %8.3f %8.3f", figure_number(figures, "alone_ipc"), figure_number(figures, "speedup"));
	if (alone && json_is_null(slowdown))
		printf(" %9s", "-");
	else if (alone)
		printf(" %9.3f", json_number_value(slowdown));
	printf("  %s%s%s\n", json_string_value(json_object_get(figures, programs ? "recording" : "launch")),
	       kernel ? ": " : "", kernel ? kernel : "");
}

void corun_figures_print(const json_t *document)
{
	const json_t *corun = json_object_get(document, "corun"), *alone = json_object_get(corun, "alone");
	const json_t *programs = json_object_get(corun, "programs");
	size_t index;
	json_t *figures;
	if (!corun)
		return;
	printf("%8s", "stream");
	if (programs)
		printf(" %8s", "passes");
	printf(" %10s %18s %8s", "launches", "warp instructions", "IPC");
	if (alone)
		printf(" %8s %8s %9s", "alone", "speedup", "slowdown");
	printf("  %s\n", programs ? "program" : "kernel");
	json_array_foreach(programs ? programs : json_object_get(corun, "kernels"), index, figures)
		print_one(figures, programs, alone);
	print_switching(json_object_get(document, "total"));
	if (!alone)
		return;
	printf("harmonic speedup %.3f, weighted speedup %.3f; ", figure_number(corun, "harmonic_speedup"),
	       figure_number(corun, "weighted_speedup"));
	print_alone(alone);
}
