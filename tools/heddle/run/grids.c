/*
 * Figures of kernels beside each other: see grids.h. What each took of L1, L2 and DRAM is its own (requests, lines
 * and packets know whose they are).
 */
#include "tools/heddle/run/grids.h"

#include <stdio.h>
#include <string.h>

#include "lib/strbuf.h"
#include "tools/heddle/run/figures.h"

static const char *const summed[] = {"cycles",	    "warp_instructions", "l1d_accesses", "l1d_hits",
				     "l2_accesses", "l2_hits",		 "dram_reads",	 "dram_writes"};

bool run_grids_have(const char *figure)
{
	return figure_is_in(figure, summed, sizeof summed / sizeof *summed);
}

void run_grids_add(json_t *grids, const json_t *launch)
{
	if (!json_is_true(json_object_get(launch, "shared")))
		return;
	struct hd_strbuf name = {0};
	hd_strbuf_printf(&name, "%.0f %s", figure_number(launch, "stream"),
			 json_string_value(json_object_get(launch, "kernel")));
	json_t *sum = json_object_get(grids, hd_strbuf_text(&name));
	if (!sum) {
		sum = json_object();
		json_object_set(sum, "kernel", json_object_get(launch, "kernel"));
		json_object_set_new(sum, "stream", json_real(figure_number(launch, "stream")));
		json_object_set_new(grids, hd_strbuf_text(&name), sum);
	}
	json_object_set_new(sum, "launches", json_real(figure_number(sum, "launches") + 1));
	for (size_t i = 0; i < sizeof summed / sizeof *summed; i++)
		json_object_set_new(sum, summed[i],
				    json_real(figure_number(sum, summed[i]) + figure_number(launch, summed[i])));
	hd_strbuf_release(&name);
}

static void print_head(void)
{
	printf("%8s %10s %14s %18s %8s %8s %8s %12s  kernel\n", "stream", "launches", "cycles", "warp instructions",
	       "IPC", "L1 hit %", "L2 hit %", "DRAM, KB");
}

static void print_grid(const json_t *f, double sector)
{
	double cycles = figure_number(f, "cycles"), instructions = figure_number(f, "warp_instructions");
	printf("%8.0f %10.0f %14.0f %18.0f %8.3f %8.1f %8.1f %12.0f  %s\n", figure_number(f, "stream"),
	       figure_number(f, "launches"), cycles, instructions, cycles > 0 ? instructions / cycles : 0,
	       figure_share(figure_number(f, "l1d_hits"), figure_number(f, "l1d_accesses")),
	       figure_share(figure_number(f, "l2_hits"), figure_number(f, "l2_accesses")),
	       (figure_number(f, "dram_reads") + figure_number(f, "dram_writes")) * sector / 1024,
	       json_string_value(json_object_get(f, "kernel")));
}

void run_grids_print(const json_t *grids, double sector)
{
	const char *name;
	json_t *grid;
	if (!json_object_size(grids))
		return;
	printf("beside others:\n");
	print_head();
	json_object_foreach((json_t *)grids, name, grid) print_grid(grid, sector);
}

void run_coruns_print(const json_t *coruns, double sector)
{
	size_t index, number;
	json_t *corun, *grid;
	json_array_foreach(coruns, index, corun)
	{
		printf("co-run of %.0f cycles from cycle %.0f on:\n", figure_number(corun, "cycles"),
		       figure_number(corun, "start_cycle"));
		print_head();
		json_array_foreach(json_object_get(corun, "grids"), number, grid) print_grid(grid, sector);
	}
}
