/*
 * Draws a comparison: a plot for each quantity, the card's value across and the one here up, both logarithmic, with the
 * line on which they are equal. Launches with a 0 have no place there, and their number is in the plot's title. gnuplot
 * does it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"
#include "lib/strbuf.h"
#include "tools/heddle/validate/validate.h"

enum { WIDTH = 420, HEIGHT = 380, MOST_ACROSS = 3 };

static void add_quoted(struct hd_strbuf *script, const char *text)
{
	hd_strbuf_append(script, "\"");
	for (; *text; text++) {
		if (strchr("\"\\`", *text))
			hd_strbuf_append(script, "\\");
		if (*text == '\n')
			hd_strbuf_append(script, "\\n");
		else
			hd_strbuf_append_bytes(script, text, 1);
	}
	hd_strbuf_append(script, "\"");
}

/* Points that logarithms have a place for, and what lies around them. */
struct points {
	uint32_t count;
	double low, high;
};

static struct points add_points(const struct validation *validation, unsigned quantity, struct hd_strbuf *script)
{
	struct points points = {.low = INFINITY};
	hd_strbuf_printf(script, "$%s << EOD\n", quantities[quantity].name);
	for (uint32_t i = 0; i < validation->card.len; i++) {
		const struct launch *card = &validation->card.data[i];
		double x = card->values[quantity], y = card->partner ? card->partner->values[quantity] : NAN;
		if (!(x > 0 && y > 0))
			continue;
		hd_strbuf_printf(script, "%.9g %.9g\n", x, y);
		points.count++;
		points.low = fmin(points.low, pow(10, floor(log10(fmin(x, y)))));
		points.high = fmax(points.high, pow(10, floor(log10(fmax(x, y))) + 1));
	}
	hd_strbuf_append(script, "EOD\n");
	return points;
}

static void add_title(const struct validation *validation, unsigned quantity, uint32_t count, struct hd_strbuf *script)
{
	const struct comparison *figures = &validation->figures[quantity];
	struct hd_strbuf title = {0};
	hd_strbuf_printf(&title, "%s: %" PRIu32 " launches", quantities[quantity].title, figures->launches);
	if (count < figures->launches)
		hd_strbuf_printf(&title, ", %" PRIu32 " with 0 not drawn", figures->launches - count);
	if (!isnan(figures->correlation))
		hd_strbuf_printf(&title, "\ncorrelation %.4f", figures->correlation);
	if (!isnan(figures->mean_absolute))
		hd_strbuf_printf(&title, "%smean absolute error %.1f %%", isnan(figures->correlation) ? "\n" : ", ",
				 100 * figures->mean_absolute);
	hd_strbuf_append(script, "set title ");
	add_quoted(script, hd_strbuf_text(&title));
	hd_strbuf_append(script, " noenhanced\n");
	hd_strbuf_release(&title);
}

static void add_plot(const struct validation *validation, unsigned quantity, struct hd_strbuf *script)
{
	struct points points = add_points(validation, quantity, script);
	add_title(validation, quantity, points.count, script);
	if (points.count)
		hd_strbuf_printf(
			script,
			"set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n"
			"plot x with lines linecolor rgb \"#8c8c8c\" dashtype 2 notitle, "
			"$%s using 1:2 with points pointtype 7 pointsize 0.6 linecolor rgb \"#4c72b0\" notitle\n",
			points.low, points.high, points.low, points.high, quantities[quantity].name);
	else
		hd_strbuf_append(script, "set xrange [1:10]\nset yrange [1:10]\nplot 0 notitle\n");
}

static void add_script(const struct validation *validation, const char *path, bool svg, struct hd_strbuf *script)
{
	unsigned count = 0;
	for (unsigned q = 0; q < QUANTITY_COUNT; q++)
		count += validation->figures[q].launches != 0;
	unsigned across = count < MOST_ACROSS ? count : MOST_ACROSS, down = (count + across - 1) / across;
	hd_strbuf_printf(script, "set terminal %s size %u,%u font \"sans,10\" background \"white\"\nset output ",
			 svg ? "svg" : "pngcairo", WIDTH * across, HEIGHT * down);
	add_quoted(script, path);
	hd_strbuf_printf(script,
			 "\nset multiplot layout %u,%u\nset logscale xy\nset grid\nset format xy \"10^{%%T}\"\n"
			 "set xlabel \"card\"\nset ylabel \"here\"\n",
			 down, across);
	for (unsigned q = 0; q < QUANTITY_COUNT; q++)
		if (validation->figures[q].launches)
			add_plot(validation, q, script);
	hd_strbuf_append(script, "unset multiplot\n");
}

/* The picture comes to its place whole or not at all. */
static int move_picture(const char *from, const char *to, struct hd_diag *diag)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	int status = hd_read_file(from, &bytes, &size, diag) || hd_write_file(to, bytes, size, diag) ? -1 : 0;
	free(bytes);
	return status;
}

int draw_comparison(const struct validation *validation, const char *path, bool svg, const char *folder,
		    struct hd_signals *signals)
{
	struct hd_strbuf script = {0}, name = {0}, picture = {0};
	hd_strbuf_printf(&picture, "%s/picture", folder);
	hd_strbuf_printf(&name, "%s/plot", folder);
	add_script(validation, picture.data, svg, &script);
	char *words[] = {"gnuplot", name.data, NULL};
	int status = hd_write_file(name.data, hd_strbuf_text(&script), script.len, validation->diag);
	if (!status)
		status = hd_child_run(signals, words, NULL, validation->diag);
	if (status > 0)
		hd_error(validation->diag, HD_NOWHERE, "gnuplot cannot draw %s", path);
	if (!status)
		status = move_picture(picture.data, path, validation->diag);
	hd_strbuf_release(&script);
	hd_strbuf_release(&name);
	hd_strbuf_release(&picture);
	return status ? -1 : 0;
}
