/*
 * A comparison as text, CSV and JSON. Launches are numbered from 1 as the profile has them, those of one side only
 * follow.
 */
#include <csv.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/metadata/json.h"
#include "tools/heddle/validate/validate.h"

/* "lts__t_sectors_op_read.sum + lts__t_sectors_op_write.sum" */
static void print_metric(const struct validation *validation, unsigned quantity, FILE *to)
{
	const struct metric_info *metric = &metrics[validation->used[quantity]];
	for (uint32_t p = 0; metric->names[p]; p++)
		fprintf(to, "%s%s", p ? " + " : "", metric->names[p]);
}

static bool compared(const struct launch *card, unsigned quantity)
{
	return card->partner && !isnan(card->values[quantity]) && !isnan(card->partner->values[quantity]);
}

/* ------------------------------------------------------------ text */

static void print_percent(FILE *to, int width, double part, const char *sign)
{
	if (isnan(part))
		fprintf(to, "%*s", width, "-");
	else
		fprintf(to, *sign ? "%+*.1f %%" : "%*.1f %%", width - 2, 100 * part);
}

static void print_quantity(const struct validation *validation, unsigned quantity, FILE *to)
{
	const struct quantity_info *info = &quantities[quantity];
	fprintf(to, "%s%s%s: ", info->title, strcmp(info->title, info->unit) ? ", " : "",
		strcmp(info->title, info->unit) ? info->unit : "");
	print_metric(validation, quantity, to);
	if (quantity == QUANTITY_cycles && validation->added > 0)
		fprintf(to, ", of whole launches; here with %.0f more (profiler_launch_cycles)", validation->added);
	fprintf(to, "\n%6s %16s %16s %12s  %s\n", "launch", "card", "here", "error", "kernel");
	for (uint32_t i = 0; i < validation->card.len; i++) {
		const struct launch *card = &validation->card.data[i];
		if (!card->partner)
			continue;
		double values[] = {card->values[quantity], card->partner->values[quantity]};
		fprintf(to, "%6" PRIu32, i + 1);
		for (unsigned side = 0; side < 2; side++)
			if (isnan(values[side]))
				fprintf(to, " %16s", "-");
			else
				fprintf(to, " %16.0f", values[side]);
		fputc(' ', to);
		print_percent(to, 12, compare_error(values[0], values[1]), "+");
		fprintf(to, "  %s", card->partner->kernel);
		if (card->mean)
			fprintf(to, ", mean of %" PRIu32, card->partner->launches);
		fputc('\n', to);
	}
	fputc('\n', to);
}

static void print_summary(const struct validation *validation, FILE *to)
{
	fprintf(to, "%-20s %8s %12s %20s %17s\n", "", "launches", "correlation", "mean absolute error",
		"error of the sum");
	for (unsigned q = 0; q < QUANTITY_COUNT; q++) {
		const struct comparison *figures = &validation->figures[q];
		if (!figures->launches)
			continue;
		fprintf(to, "%-20s %8" PRIu32 " ", quantities[q].title, figures->launches);
		if (isnan(figures->correlation))
			fprintf(to, "%12s ", "-");
		else
			fprintf(to, "%12.4f ", figures->correlation);
		print_percent(to, 20, figures->mean_absolute, "");
		fputc(' ', to);
		print_percent(to, 17, figures->sum, "+");
		fputc('\n', to);
	}
	for (unsigned q = 0; q < QUANTITY_COUNT; q++)
		if (validation->figures[q].without)
			fprintf(to, "%s: without an error, 0 on the card and not here: %" PRIu32 "\n",
				quantities[q].title, validation->figures[q].without);
}

static void print_sizes(const struct launch *launch, FILE *to)
{
	if (launch->sized)
		fprintf(to, " grid %u x %u x %u, block %u x %u x %u", launch->grid[0], launch->grid[1], launch->grid[2],
			launch->block[0], launch->block[1], launch->block[2]);
}

static void print_alone(const struct validation *validation, FILE *to)
{
	if (validation->only_card)
		fprintf(to, "\nonly in the profile: %" PRIu32 "\n", validation->only_card);
	for (uint32_t i = 0; i < validation->card.len; i++) {
		const struct launch *card = &validation->card.data[i];
		if (card->partner)
			continue;
		fprintf(to, "%6" PRIu32 "  %s:%" PRIu32 ": %s", i + 1, validation->profile, card->line, card->kernel);
		print_sizes(card, to);
		fputc('\n', to);
	}
	if (validation->only_here)
		fprintf(to, "\nonly here: %" PRIu32 "\n", validation->only_here);
	for (uint32_t i = 0; i < validation->here.len; i++) {
		const struct launch *here = &validation->here.data[i];
		if (here->partner)
			continue;
		fprintf(to, "%6" PRIu32 "  %s", here->index + 1, here->kernel);
		print_sizes(here, to);
		fputc('\n', to);
	}
}

static const char *name_in(const struct validation *validation, const char *key)
{
	const char *name = json_string_value(json_object_get(validation->run, key));
	return name ? name : "";
}

void show_text(const struct validation *validation, FILE *to)
{
	for (unsigned q = 0; q < QUANTITY_COUNT; q++)
		if (validation->figures[q].launches)
			print_quantity(validation, q, to);
	fprintf(to, "%s beside %s on %s\n", validation->profile, name_in(validation, "policy"),
		name_in(validation, "gpu"));
	print_summary(validation, to);
	for (unsigned q = 0; q < QUANTITY_COUNT; q++)
		if (validation->used[q] < 0)
			fprintf(to, "%s: the profile has none of its metrics\n", quantities[q].title);
	print_alone(validation, to);
}

/* ------------------------------------------------------------ CSV */

static void put_text(FILE *to, const char *text)
{
	csv_fwrite(to, text, strlen(text));
}

static void put_value(FILE *to, double value, const char *format)
{
	fputc(',', to);
	if (!isnan(value))
		fprintf(to, format, value);
}

static void put_row(const struct launch *card, const struct launch *here, uint32_t number, unsigned quantity, FILE *to)
{
	double x = card ? card->values[quantity] : NAN, y = here ? here->values[quantity] : NAN;
	if (number)
		fprintf(to, "%" PRIu32 ",", number);
	else
		fputc(',', to);
	if (card)
		fprintf(to, "%" PRIu32, card->line);
	fputc(',', to);
	if (here)
		fprintf(to, "%" PRIu32, here->index + 1);
	fputc(',', to);
	put_text(to, here ? here->kernel : card->kernel);
	fprintf(to, ",%s", quantities[quantity].name);
	put_value(to, x, "%.0f");
	put_value(to, y, "%.0f");
	put_value(to, compare_error(x, y), "%.6f");
	fputc('\n', to);
}

void show_csv(const struct validation *validation, FILE *to)
{
	fputs("launch,line,launch here,kernel,quantity,card,here,error\n", to);
	for (uint32_t i = 0; i < validation->card.len; i++)
		for (unsigned q = 0; q < QUANTITY_COUNT; q++)
			if (validation->used[q] >= 0)
				put_row(&validation->card.data[i], validation->card.data[i].partner, i + 1, q, to);
	for (uint32_t i = 0; i < validation->here.len; i++)
		for (unsigned q = 0; q < QUANTITY_COUNT && !validation->here.data[i].partner; q++)
			if (validation->used[q] >= 0)
				put_row(NULL, &validation->here.data[i], 0, q, to);
}

/* ------------------------------------------------------------ JSON */

static json_t *number(double value)
{
	return isnan(value)				     ? json_null()
	       : value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value)
							     : json_real(value);
}

static json_t *real(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *sizes_json(const uint32_t sizes[3])
{
	json_t *array = json_array();
	for (unsigned i = 0; i < 3; i++)
		json_array_append_new(array, json_integer(sizes[i]));
	return array;
}

static void add_card(json_t *object, const struct launch *card, uint32_t number_of)
{
	json_object_set_new(object, "launch", json_integer(number_of));
	json_object_set_new(object, "line", json_integer(card->line));
	json_object_set_new(object, "profiled_kernel", hd_json_text(card->kernel));
}

static void add_here(json_t *object, const struct launch *here)
{
	json_object_set_new(object, "launch_here", json_integer(here->index + 1));
	json_object_set_new(object, "kernel", hd_json_text(here->kernel));
	if (here->launches)
		json_object_set_new(object, "launches", json_integer(here->launches));
}

static void add_sizes(json_t *object, const struct launch *launch)
{
	if (!launch->sized)
		return;
	json_object_set_new(object, "grid", sizes_json(launch->grid));
	json_object_set_new(object, "block", sizes_json(launch->block));
}

static json_t *values_json(const struct launch *card, unsigned quantity)
{
	double x = card->values[quantity], y = card->partner->values[quantity];
	json_t *object = json_object();
	json_object_set_new(object, "card", number(x));
	json_object_set_new(object, "here", number(y));
	json_object_set_new(object, "error", real(compare_error(x, y)));
	return object;
}

static json_t *launch_json(const struct validation *validation, uint32_t index)
{
	const struct launch *card = &validation->card.data[index];
	json_t *object = json_object();
	add_card(object, card, index + 1);
	if (card->partner)
		add_here(object, card->partner);
	add_sizes(object, card->partner ? card->partner : card);
	for (unsigned q = 0; q < QUANTITY_COUNT; q++)
		if (compared(card, q))
			json_object_set_new(object, quantities[q].name, values_json(card, q));
	return object;
}

static json_t *quantity_json(const struct validation *validation, unsigned quantity)
{
	const struct comparison *figures = &validation->figures[quantity];
	const struct metric_info *metric = &metrics[validation->used[quantity]];
	json_t *object = json_object(), *names = json_array();
	for (uint32_t p = 0; metric->names[p]; p++)
		json_array_append_new(names, json_string(metric->names[p]));
	json_object_set_new(object, "metrics", names);
	json_object_set_new(object, "unit", json_string(quantities[quantity].unit));
	if (quantity == QUANTITY_cycles) {
		bool whole = metric->counted == COUNTED_LAUNCH;
		json_object_set_new(object, "counts", json_string(whole ? "launch" : "kernel"));
		json_object_set_new(object, "added_here", number(validation->added));
	}
	json_object_set_new(object, "launches", json_integer(figures->launches));
	json_object_set_new(object, "without_error", json_integer(figures->without));
	json_object_set_new(object, "correlation", real(figures->correlation));
	json_object_set_new(object, "mean_absolute_error", real(figures->mean_absolute));
	json_object_set_new(object, "sum_error", real(figures->sum));
	return object;
}

json_t *show_json(const struct validation *validation)
{
	json_t *document = json_object(), *figures = json_object(), *both = json_array(), *card = json_array(),
	       *here = json_array();
	json_object_set_new(document, "profile", hd_json_text(validation->profile));
	json_object_set_new(document, "gpu", hd_json_text(name_in(validation, "gpu")));
	json_object_set_new(document, "policy", hd_json_text(name_in(validation, "policy")));
	for (unsigned q = 0; q < QUANTITY_COUNT; q++)
		if (validation->used[q] >= 0)
			json_object_set_new(figures, quantities[q].name, quantity_json(validation, q));
	for (uint32_t i = 0; i < validation->card.len; i++)
		json_array_append_new(validation->card.data[i].partner ? both : card, launch_json(validation, i));
	for (uint32_t i = 0; i < validation->here.len; i++) {
		if (validation->here.data[i].partner)
			continue;
		json_t *object = json_object();
		add_here(object, &validation->here.data[i]);
		add_sizes(object, &validation->here.data[i]);
		json_array_append_new(here, object);
	}
	json_object_set_new(document, "quantities", figures);
	json_object_set_new(document, "launches", both);
	json_object_set_new(document, "only_in_profile", card);
	json_object_set_new(document, "only_here", here);
	return document;
}
