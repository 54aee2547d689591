/*
 * Reads what a profiler exports of the launches of a program:
 *
 *   Nsight Compute, ncu --csv --page raw       a row for each launch, a column for each metric, a row of units
 *   Nsight Compute, ncu --csv (--page details) a row for each metric of a launch
 *   nvprof --csv --print-gpu-trace [--metrics ... --events ...]   a row for each launch, a row of units
 *   AccelWattch's hw_perf.csv                  a row for each kernel of a benchmark, with means over its launches
 *
 * Fields are split by libcsv. What stands before the table (the program's own output) and lines of the profiler that
 * begin with == are passed over; a table may follow another one in the file. Everything else that is not understood is
 * an error at its line. Cost: linear in the file, for each row also in the table of metrics.
 */
#include <csv.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/heddle/validate/validate.h"

const struct quantity_info quantities[QUANTITY_COUNT] = {
#define QUANTITY(name, title, unit, of, help) {#name, title, unit, of, help},
#define METRIC(...)
#include "tools/heddle/validate/metrics.def"
#undef METRIC
#undef QUANTITY
};

const struct metric_info metrics[] = {
#define QUANTITY(...)
#define METRIC(quantity, scale, ...) {QUANTITY_##quantity, SCALE_##scale, {__VA_ARGS__}, COUNTED_KERNEL},
#define COUNTER(counts, scale, name) {QUANTITY_cycles, SCALE_##scale, {name}, COUNTED_##counts},
#include "tools/heddle/validate/metrics.def"
#undef METRIC
#undef QUANTITY
};
const uint32_t metric_count = sizeof(metrics) / sizeof(*metrics);

enum form { FORM_NONE, FORM_RAW, FORM_DETAILS, FORM_NVPROF, FORM_MEANS };

/* Columns of the table, -1: it has none of that name. */
struct columns {
	int kernel, id, process, grid, block, metric, unit, value, sizes[6];
};

struct reader {
	struct validation *validation;
	struct csv_parser parser;
	HD_VEC(const char *) cells; /* of the row */
	const char **header, **units;
	uint32_t width; /* of the header */
	uint32_t line;	/* of the file, where the row begins */
	bool complete;	/* the row is */
	enum form form;
	struct columns columns;
};

static int wrong(struct reader *reader, const char *what, const char *text)
{
	struct hd_loc loc = {.file = reader->validation->profile, .line = reader->line};
	return hd_error(reader->validation->diag, loc, "%s%s%s%s", what, text ? " '" : "", text ? text : "",
			text ? "'" : "");
}

/* ------------------------------------------------------------ the header */

static int column(const struct reader *reader, const char *name)
{
	for (uint32_t i = 0; i < reader->cells.len; i++)
		if (!strcmp(reader->cells.data[i], name))
			return (int)i;
	return -1;
}

static struct columns columns_of(const struct reader *reader, const char *kernel)
{
	static const char *const sizes[] = {"Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z"};
	struct columns columns = {
		column(reader, kernel),	       column(reader, "ID"),	       column(reader, "Process ID"),
		column(reader, "Grid Size"),   column(reader, "Block Size"),   column(reader, "Metric Name"),
		column(reader, "Metric Unit"), column(reader, "Metric Value"), {0}};
	for (unsigned i = 0; i < 6; i++)
		columns.sizes[i] = column(reader, sizes[i]);
	return columns;
}

/* Of the header in the cells: which table it begins. FORM_NONE: none. */
static enum form form_of(const struct reader *reader)
{
	if (column(reader, "Kernel Name") >= 0 && column(reader, "ID") >= 0)
		return column(reader, "Metric Name") >= 0 ? FORM_DETAILS : FORM_RAW;
	if (column(reader, "Benchmark") >= 0 && column(reader, "Kernel") >= 0)
		return FORM_MEANS;
	bool metrics_of = column(reader, "Kernel") >= 0 && column(reader, "Device") >= 0;
	bool times = column(reader, "Name") >= 0 && column(reader, "Grid X") >= 0;
	return metrics_of || times ? FORM_NVPROF : FORM_NONE;
}

static bool is_summary(const struct reader *reader)
{
	return (column(reader, "Kernel") >= 0 && column(reader, "Invocations") >= 0) ||
	       (column(reader, "Name") >= 0 && column(reader, "Calls") >= 0);
}

static int take_header(struct reader *reader, enum form form)
{
	struct hd_arena *arena = &reader->validation->arena;
	bool kernels = column(reader, "Kernel") >= 0;
	reader->form = form;
	reader->columns = columns_of(reader, form == FORM_MEANS	   ? "Kernel"
					     : form != FORM_NVPROF ? "Kernel Name"
					     : kernels		   ? "Kernel"
								   : "Name");
	reader->width = reader->cells.len;
	reader->header = HD_ARENA_NEW(arena, const char *, reader->width);
	reader->units = HD_ARENA_NEW(arena, const char *, reader->width);
	for (uint32_t i = 0; i < reader->width; i++) {
		reader->header[i] = reader->cells.data[i];
		reader->units[i] = "";
	}
	const struct columns *columns = &reader->columns;
	if (form == FORM_DETAILS && (columns->unit < 0 || columns->value < 0))
		return wrong(reader, "no columns Metric Unit and Metric Value beside Metric Name", NULL);
	return 0;
}

/* ------------------------------------------------------------ launches */

/* "(16, 8, 1)" */
static int take_triple(struct reader *reader, int at, uint32_t sizes[3])
{
	int end = 0;
	const char *text = reader->cells.data[at];
	if (sscanf(text, "(%u, %u, %u)%n", &sizes[0], &sizes[1], &sizes[2], &end) != 3 || !end || text[end])
		return wrong(reader, "no size of a grid or block:", text);
	return 0;
}

static int take_sizes(struct reader *reader, struct launch *launch)
{
	const struct columns *columns = &reader->columns;
	if (columns->grid >= 0 && columns->block >= 0) {
		launch->sized = true;
		return take_triple(reader, columns->grid, launch->grid) ||
				       take_triple(reader, columns->block, launch->block)
			       ? -1
			       : 0;
	}
	for (unsigned i = 0; i < 6; i++) {
		char *end;
		if (columns->sizes[i] < 0)
			return 0;
		const char *text = reader->cells.data[columns->sizes[i]];
		unsigned long size = strtoul(text, &end, 10);
		if (!*text || *end || *text == '-' || size > UINT32_MAX)
			return wrong(reader, "no size of a grid or block:", text);
		(i < 3 ? launch->grid : launch->block)[i % 3] = (uint32_t)size;
	}
	launch->sized = true;
	return 0;
}

static const char *cell(const struct reader *reader, int at)
{
	return at < 0 ? NULL : reader->cells.data[at];
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * The name in a mangled one, without arguments: "ns::fill" of _ZN2ns4fillEPfi and of _ZN2ns4fillIfEEvPT_. NULL: none is
 * found.
 */
static const char *name_of_mangled(struct hd_arena *arena, const char *text)
{
	const char *name = "", *at = text + 2;
	at += *at == 'N';
	while (isdigit((unsigned char)*at)) {
		char *end;
		unsigned long length = strtoul(at, &end, 10);
		if (length == 0 || length > strlen(end))
			return NULL;
		bool hidden = !strncmp(end, "_GLOBAL__N_", 11);
		name = hd_arena_printf(arena, "%s%s%.*s", name, *name ? "::" : "", hidden ? 21 : (int)length,
				       hidden ? "(anonymous namespace)" : end);
		at = end + length;
		if (text[2] != 'N')
			break;
	}
	return *name ? name : NULL;
}

static const char *kernel_of_row(struct reader *reader)
{
	const char *kernel = reader->cells.data[reader->columns.kernel];
	if (strncmp(kernel, "_Z", 2) != 0)
		return kernel;
	const char *name = reader->form == FORM_MEANS ? name_of_mangled(&reader->validation->arena, kernel) : NULL;
	if (!name)
		wrong(reader, "a mangled name (ncu --kernel-name-base demangled has others):", kernel);
	return name;
}

/* The launch that the row is about, which in the form of details may have begun before. NULL: reported. */
static struct launch *launch_of_row(struct reader *reader)
{
	launch_list *list = &reader->validation->card;
	const char *id = cell(reader, reader->columns.id), *process = cell(reader, reader->columns.process);
	for (uint32_t i = list->len; reader->form == FORM_DETAILS && i-- > 0;)
		if (same(list->data[i].id, id) && same(list->data[i].process, process)) {
			if (!strcmp(list->data[i].kernel, cell(reader, reader->columns.kernel)))
				return &list->data[i];
			wrong(reader, "another kernel had this ID:", list->data[i].kernel);
			return NULL;
		}
	struct launch launch = {.line = reader->line, .id = id, .process = process};
	launch.mean = reader->form == FORM_MEANS;
	launch.kernel = kernel_of_row(reader);
	if (!launch.kernel || take_sizes(reader, &launch))
		return NULL;
	launch_set_name(&launch, &reader->validation->arena);
	launch.parts = HD_ARENA_NEW(&reader->validation->arena, double, metric_count *MOST_PARTS);
	for (uint32_t i = 0; i < metric_count * MOST_PARTS; i++)
		launch.parts[i] = NAN;
	hd_vec_push(list, launch);
	return &hd_vec_last(list);
}

/* What a profiler writes where it has no value. */
static bool is_none(const char *text)
{
	static const char *const none[] = {"", "n/a", "nan", "(!) n/a", "(!) nan", "<OVERFLOW>", "<INVALID>"};
	for (unsigned i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (!strcmp(text, none[i]))
			return true;
	return false;
}

static int set_part(struct reader *reader, double *part, const struct metric_info *metric, const char *name,
		    const char *unit, const char *text)
{
	double value;
	const char *error =
		profile_number(text, unit, reader->form == FORM_NVPROF, metric->scale == SCALE_TIME, &value);
	const char *shown = hd_arena_printf(&reader->validation->arena, "%s: '%s%s%s' %s", name, text, *unit ? " " : "",
					    unit, error ? error : "");
	if (error)
		return wrong(reader, shown, NULL);
	if (!isnan(*part) && *part != value)
		return wrong(reader, "a second value of the same launch:", name);
	*part = value;
	return 0;
}

/* Of the SMs' clock; those of L2 and DRAM have other cycles, and .per_second is a rate. */
static bool counts_elapsed(const char *name)
{
	static const char *const units[] = {"gpc__cycles_elapsed.", "tpc__cycles_elapsed.", "sm__cycles_elapsed.",
					    "smsp__cycles_elapsed."};
	for (unsigned i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strncmp(name, units[i], strlen(units[i])))
			return !strchr(name + strlen(units[i]), '.');
	return !strncasecmp(name, "elapsed_cycles", strlen("elapsed_cycles"));
}

static int set_metric(struct reader *reader, struct launch *launch, const char *name, const char *unit,
		      const char *text)
{
	int status = 0;
	struct validation *validation = reader->validation;
	if (!validation->unknown && !is_none(text) && counts_elapsed(name)) {
		validation->unknown = name;
		validation->unknown_line = reader->line;
	}
	for (uint32_t m = 0; m < metric_count && !is_none(text) && !status; m++)
		for (uint32_t p = 0; metrics[m].names[p] && !status; p++)
			if (!strcmp(metrics[m].names[p], name))
				status = set_part(reader, &launch->parts[m * MOST_PARTS + p], &metrics[m], name, unit,
						  text);
	return status;
}

static int take_launch(struct reader *reader)
{
	const struct columns *columns = &reader->columns;
	struct launch *launch = launch_of_row(reader);
	if (!launch)
		return -1;
	if (reader->form == FORM_DETAILS)
		return set_metric(reader, launch, cell(reader, columns->metric), cell(reader, columns->unit),
				  cell(reader, columns->value));
	int status = 0;
	for (uint32_t i = 0; i < reader->width && !status; i++)
		status = set_metric(reader, launch, reader->header[i], reader->units[i], reader->cells.data[i]);
	return status;
}

/* ------------------------------------------------------------ rows */

/* Makes the row as wide as the header. Rows of details end where they have nothing more, or with empty fields. */
static bool fit(struct reader *reader)
{
	while (reader->cells.len > reader->width && !*hd_vec_last(&reader->cells))
		reader->cells.len--;
	bool enough = reader->form == FORM_DETAILS && (int)reader->cells.len > reader->columns.value &&
		      (int)reader->cells.len > reader->columns.kernel;
	while (enough && reader->cells.len < reader->width)
		hd_vec_push(&reader->cells, "");
	return reader->cells.len == reader->width;
}

static int take_row(struct reader *reader)
{
	enum form form = form_of(reader);
	if (is_summary(reader))
		return wrong(reader, "a summary without launches; nvprof --print-gpu-trace has these", NULL);
	if (form != FORM_NONE)
		return take_header(reader, form);
	if (reader->form == FORM_NONE)
		return 0;
	uint32_t fields = reader->cells.len;
	if (!fit(reader))
		return wrong(reader,
			     hd_arena_printf(&reader->validation->arena, "%u fields, where the header has %u", fields,
					     reader->width),
			     NULL);
	const char *kernel = reader->cells.data[reader->columns.kernel];
	if (!*kernel) /* units */
		memcpy(reader->units, reader->cells.data, reader->width * sizeof(*reader->units));
	else if (strncmp(kernel, "[CUDA ", 6) != 0) /* copies have none of what is compared */
		return take_launch(reader);
	return 0;
}

static void end_cell(void *text, size_t length, void *context)
{
	struct reader *reader = context;
	hd_vec_push(&reader->cells,
		    hd_arena_printf(&reader->validation->arena, "%.*s", (int)length, (const char *)text));
}

static void end_row(int end, void *context)
{
	(void)end;
	((struct reader *)context)->complete = true;
}

static void begin_row(struct reader *reader)
{
	csv_free(&reader->parser);
	csv_init(&reader->parser, CSV_STRICT | CSV_STRICT_FINI);
	hd_vec_clear(&reader->cells);
	reader->complete = false;
}

/* A line of the file; where a quoted field goes on in the next line, the row does. */
static int take_line(struct reader *reader, const char *line, size_t length, uint32_t number)
{
	bool begins = !reader->cells.len && !reader->line;
	if (begins && (!strncmp(line, "==", 2) || !line[strspn(line, " \t\r\n")]))
		return 0;
	reader->line = begins ? number : reader->line;
	size_t taken = csv_parse(&reader->parser, line, length, end_cell, end_row, reader);
	bool outside = reader->form == FORM_NONE; /* what the program printed may be anything */
	int status = 0;
	if (taken != length && !outside)
		status = wrong(reader, "a quote within a field, or text behind one", NULL);
	else if (reader->complete && taken == length)
		status = take_row(reader);
	if (reader->complete || taken != length || outside) {
		begin_row(reader);
		reader->line = 0;
	}
	return status;
}

static int take_file(struct reader *reader, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int status = 0;
	for (uint32_t number = 1; !status && (length = getline(&line, &size, file)) >= 0; number++) {
		bool ended = length && line[length - 1] == '\n';
		status = take_line(reader, line, (size_t)length, number);
		if (!status && !ended)
			status = take_line(reader, "\n", 1, number);
	}
	/* Memory may run out as well, which ferror() does not tell. */
	if (!status && !feof(file))
		status = hd_error(reader->validation->diag, HD_NOWHERE, "%s: %s", reader->validation->profile,
				  strerror(errno));
	free(line);
	return !status && reader->line ? wrong(reader, "a quoted field without an end", NULL) : status;
}

int profile_read(struct validation *validation)
{
	struct reader reader = {.validation = validation};
	FILE *file = fopen(validation->profile, "re");
	if (!file)
		return hd_error(validation->diag, HD_NOWHERE, "%s: %s", validation->profile, strerror(errno));
	csv_init(&reader.parser, 0);
	begin_row(&reader);
	int status = take_file(&reader, file);
	csv_free(&reader.parser);
	hd_vec_release(&reader.cells);
	fclose(file);
	if (!status && reader.form == FORM_NONE)
		return hd_error(validation->diag, HD_NOWHERE,
				"%s: not a table of launches from Nsight Compute (ncu --csv) or nvprof (--csv "
				"--print-gpu-trace)",
				validation->profile);
	if (!status && !validation->card.len)
		return hd_error(validation->diag, HD_NOWHERE, "%s: no launches", validation->profile);
	return status;
}

/* ------------------------------------------------------------ values */

/* The sum of a metric's parts, in the quantity's unit; NAN: one is not known. */
static double value_of(const struct validation *validation, const struct launch *launch, uint32_t metric)
{
	static const double sector = 32; /* bytes */
	double sum = 0;
	for (uint32_t p = 0; metrics[metric].names[p]; p++)
		sum += launch->parts[metric * MOST_PARTS + p];
	switch (metrics[metric].scale) {
	case SCALE_SAME: return sum;
	case SCALE_PER_SM: return sum / validation->sms;
	case SCALE_SECTOR: return sum * sector;
	case SCALE_TIME: return validation->clock > 0 ? sum * 1e6 * validation->clock : NAN;
	}
	return NAN;
}

static bool any_has(const struct validation *validation, uint32_t metric)
{
	for (uint32_t i = 0; i < validation->card.len; i++)
		if (!isnan(value_of(validation, &validation->card.data[i], metric)))
			return true;
	return false;
}

static int32_t choose_metric(const struct validation *validation, unsigned quantity)
{
	for (uint32_t m = 0; m < metric_count; m++)
		if (metrics[m].quantity == quantity && any_has(validation, m))
			return (int32_t)m;
	return -1;
}

/* Cycles that are there, and are not compared since the counter is not known, are told. */
static int check_counter(const struct validation *validation)
{
	struct hd_loc loc = {.file = validation->profile, .line = validation->unknown_line};
	if (validation->used[QUANTITY_cycles] >= 0 || !validation->unknown)
		return 0;
	return hd_error(validation->diag, loc,
			"an unknown counter of cycles: '%s' (heddle validate --help lists those that are known)",
			validation->unknown);
}

int profile_values(struct validation *validation)
{
	bool any = false;
	for (unsigned q = 0; q < QUANTITY_COUNT; q++) {
		validation->used[q] = choose_metric(validation, q);
		any = any || validation->used[q] >= 0;
		for (uint32_t i = 0; i < validation->card.len; i++) {
			struct launch *launch = &validation->card.data[i];
			launch->values[q] = validation->used[q] < 0
						    ? NAN
						    : value_of(validation, launch, (uint32_t)validation->used[q]);
		}
	}
	struct hd_loc loc = {.file = validation->profile, .line = validation->card.data[0].line};
	if (check_counter(validation))
		return -1;
	return any ? 0
		   : hd_error(validation->diag, loc,
			      "no metric to compare (heddle validate --help lists them; times alone need --clock)");
}
