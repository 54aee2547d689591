/*
 * The figures of runs that tables and reports show, from the statistics that `heddle run --stats` writes.
 */
#include "tools/heddle/run/figures.h"

#include <string.h>

double figure_number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

double figure_share(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static double cycles(const json_t *f, const json_t *l)
{
	(void)l;
	return figure_number(f, "cycles");
}
static double instructions(const json_t *f, const json_t *l)
{
	(void)l;
	return figure_number(f, "warp_instructions");
}
static double ipc(const json_t *f, const json_t *l)
{
	(void)l;
	return figure_number(f, "ipc");
}
static double l1_accesses(const json_t *f, const json_t *l)
{
	(void)f;
	return figure_number(l, "accesses");
}
static double l1_hits(const json_t *f, const json_t *l)
{
	(void)f;
	return figure_share(figure_number(l, "hits"), figure_number(l, "accesses"));
}
static double l1_global(const json_t *f, const json_t *l)
{
	(void)f;
	return figure_number(l, "global");
}
static double l1_spills(const json_t *f, const json_t *l)
{
	(void)f;
	return figure_number(l, "spill_fill");
}
static double l1_local(const json_t *f, const json_t *l)
{
	(void)f;
	return figure_number(l, "other_local");
}
static double energy(const json_t *f, const json_t *l)
{
	(void)l;
	return 1e3 * figure_number(f, "energy_joules");
}
static double energy_dynamic(const json_t *f, const json_t *l)
{
	(void)l;
	return 1e3 * figure_number(f, "dynamic_joules");
}
static double energy_static(const json_t *f, const json_t *l)
{
	(void)l;
	return 1e3 * figure_number(f, "static_joules");
}
static double energy_idle(const json_t *f, const json_t *l)
{
	(void)l;
	return 1e3 * figure_number(f, "idle_joules");
}
static double energy_constant(const json_t *f, const json_t *l)
{
	(void)l;
	return 1e3 * figure_number(f, "constant_joules");
}

static double threads(const json_t *f, const json_t *l)
{
	(void)l;
	return figure_number(f, "thread_instructions");
}
static double on_global(const json_t *f, const json_t *l)
{
	(void)l;
	return figure_number(f, "global_instructions");
}
static double on_shared(const json_t *f, const json_t *l)
{
	(void)l;
	return figure_number(f, "shared_instructions");
}
static double on_local(const json_t *f, const json_t *l)
{
	(void)l;
	return figure_number(f, "local_instructions");
}

/* Shares of all thread instructions, as in R2D2's Figure 4. */
static double ideal_wp(const json_t *f, const json_t *l)
{
	(void)l;
	return figure_share(figure_number(f, "ideal_wp_threads"), figure_number(f, "thread_instructions"));
}
static double ideal_tb(const json_t *f, const json_t *l)
{
	(void)l;
	return figure_share(figure_number(f, "ideal_tb_threads"), figure_number(f, "thread_instructions"));
}
static double ideal_ln(const json_t *f, const json_t *l)
{
	(void)l;
	return figure_share(figure_number(f, "ideal_ln_threads"), figure_number(f, "thread_instructions"));
}

const struct figure_row figure_rows[] = {
	{"cycles", "%.0f", cycles},
	{"warp instructions", "%.0f", instructions},
	{"IPC (warp instructions)", "%.3f", ipc},
	{"L1D accesses", "%.0f", l1_accesses},
	{"  hit rate, %", "%.1f", l1_hits},
	{"  global", "%.0f", l1_global},
	{"  local: spills and fills", "%.0f", l1_spills},
	{"  local: other", "%.0f", l1_local},
	{"energy, mJ", "%.3f", energy},
	{"  dynamic", "%.3f", energy_dynamic},
	{"  static, SMs with warps", "%.3f", energy_static},
	{"  static, SMs without", "%.3f", energy_idle},
	{"  constant, the board", "%.3f", energy_constant},
};
const struct figure_row figure_ideal_rows[] = {
	{"removed in a warp (WP), %", "%.1f", ideal_wp},
	{"  in a block (TB), %", "%.1f", ideal_tb},
	{"  by linearity (LN), %", "%.1f", ideal_ln},
};

const struct figure_row figure_functional_rows[] = {
	{"warp instructions", "%.0f", instructions}, {"thread instructions", "%.0f", threads},
	{"global memory", "%.0f", on_global},	     {"shared memory", "%.0f", on_shared},
	{"local memory", "%.0f", on_local},
};

const unsigned figure_functional_row_count = sizeof(figure_functional_rows) / sizeof(figure_functional_rows[0]);
const unsigned figure_row_count = sizeof(figure_rows) / sizeof(figure_rows[0]);
const unsigned figure_ideal_row_count = sizeof(figure_ideal_rows) / sizeof(figure_ideal_rows[0]);

static const char *const summed[] = {"cycles", "warp_instructions", "linear_check_fallbacks", "linear_small_fallbacks",
				     "linear_register_fallbacks"};

bool figure_is_in(const char *figure, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(figure, list[i]))
			return true;
	return false;
}

bool figure_kernels_have(const char *figure)
{
	return figure_is_in(figure, summed, sizeof summed / sizeof *summed);
}

/* Sums begin as zeros in a fixed order, and are then added to in place: programs may have many launches. */
static json_t *new_sum(void)
{
	json_t *sum = json_object();
	json_object_set_new(sum, "launches", json_real(0));
	for (size_t i = 0; i < sizeof summed / sizeof *summed; i++)
		json_object_set_new(sum, summed[i], json_real(0));
	json_object_set_new(sum, "ipc", json_real(0));
	return sum;
}

static void add(json_t *sum, const char *key, double value)
{
	json_t *number = json_object_get(sum, key);
	json_real_set(number, json_real_value(number) + value);
}

void figure_kernels_add(json_t *kernels, const json_t *launch)
{
	const char *name = json_string_value(json_object_get(launch, "kernel"));
	json_t *sum = name ? json_object_get(kernels, name) : NULL;
	if (!name)
		return;
	if (!sum) {
		sum = new_sum();
		json_object_set_new(kernels, name, sum);
	}
	add(sum, "launches", 1);
	for (size_t i = 0; i < sizeof summed / sizeof *summed; i++)
		if (json_object_get(launch, summed[i]))
			add(sum, summed[i], figure_number(launch, summed[i]));
	double cycles = figure_number(sum, "cycles");
	json_real_set(json_object_get(sum, "ipc"), cycles > 0 ? figure_number(sum, "warp_instructions") / cycles : 0);
}

json_t *figure_kernels(const json_t *stats)
{
	const json_t *launches = json_object_get(stats, "launches");
	json_t *kernels = json_object();
	for (size_t i = 0; i < json_array_size(launches); i++)
		figure_kernels_add(kernels, json_array_get(launches, i));
	return kernels;
}
