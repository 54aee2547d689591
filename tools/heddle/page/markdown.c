/*
 * A page as Markdown, in the form that GitHub shows.
 */
#include <string.h>

#include "tools/heddle/page/page.h"

/* Entities: neither Markdown nor HTML finds structure in them. */
void page_append_markdown(struct hd_strbuf *out, const char *text)
{
	for (const char *at = text; *at; at++) {
		unsigned char byte = (unsigned char)*at;
		if (strchr("&<>|*_`[]\\~\"#!", *at))
			hd_strbuf_printf(out, "&#%u;", byte);
		else if (strchr("\n\r\t", *at))
			hd_strbuf_append(out, " ");
		else if (byte < 0x20)
			hd_strbuf_append(out, "&#xfffd;");
		else
			hd_strbuf_append_bytes(out, at, 1);
	}
}

static void append(struct hd_strbuf *out, const json_t *text)
{
	page_append_markdown(out, json_is_string(text) ? json_string_value(text) : "");
}

static void append_cell(struct hd_strbuf *out, const json_t *cell)
{
	struct hd_strbuf text = {0};
	page_cell_text(cell, &text);
	hd_strbuf_append(out, " ");
	page_append_markdown(out, hd_strbuf_text(&text));
	hd_strbuf_append(out, " |");
	hd_strbuf_release(&text);
}

static void write_row(const json_t *cells, struct hd_strbuf *out)
{
	hd_strbuf_append(out, "|");
	for (size_t i = 0; i < json_array_size(cells); i++)
		append_cell(out, json_array_get(cells, i));
	hd_strbuf_append(out, "\n");
}

/* A column whose first cell is a number stands to the right. */
static void write_table(const json_t *table, struct hd_strbuf *out)
{
	const json_t *columns = json_object_get(table, "columns"), *rows = json_object_get(table, "rows");
	const json_t *first = json_array_get(rows, 0), *folded = json_object_get(table, "folded");
	if (json_is_string(folded)) {
		hd_strbuf_append(out, "<details><summary>");
		append(out, folded);
		hd_strbuf_append(out, "</summary>\n\n");
	}
	write_row(columns, out);
	hd_strbuf_append(out, "|");
	for (size_t i = 0; i < json_array_size(columns); i++)
		hd_strbuf_append(out, json_is_number(json_array_get(first, i)) ? "--:|" : "---|");
	hd_strbuf_append(out, "\n");
	for (size_t i = 0; i < json_array_size(rows); i++)
		write_row(json_array_get(rows, i), out);
	if (json_is_string(folded))
		hd_strbuf_append(out, "\n</details>\n");
	hd_strbuf_append(out, "\n");
}

static void write_list(const json_t *list, struct hd_strbuf *out)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		hd_strbuf_append(out, "- ");
		append(out, json_array_get(list, i));
		hd_strbuf_append(out, "\n");
	}
	hd_strbuf_append(out, "\n");
}

/* Bars as a table of their shares. */
static void write_bars(const json_t *block, struct hd_strbuf *out)
{
	const json_t *legend = json_object_get(block, "legend"), *bars = json_object_get(block, "bars");
	hd_strbuf_append(out, "| % |");
	for (size_t i = 0; i < json_array_size(legend); i++)
		append_cell(out, json_array_get(legend, i));
	hd_strbuf_append(out, "\n|---|");
	for (size_t i = 0; i < json_array_size(legend); i++)
		hd_strbuf_append(out, "--:|");
	hd_strbuf_append(out, "\n");
	for (size_t i = 0; i < json_array_size(bars); i++) {
		const json_t *bar = json_array_get(bars, i), *shares = json_object_get(bar, "shares");
		hd_strbuf_append(out, "|");
		append_cell(out, json_object_get(bar, "name"));
		for (size_t j = 0; j < json_array_size(shares); j++)
			hd_strbuf_printf(out, " %.1f |", json_real_value(json_array_get(shares, j)));
		hd_strbuf_append(out, "\n");
	}
	hd_strbuf_append(out, "\n");
}

static void write_block(const json_t *block, struct hd_strbuf *out)
{
	if (json_object_get(block, "text")) {
		append(out, json_object_get(block, "text"));
		hd_strbuf_append(out, "\n\n");
	} else if (json_object_get(block, "list")) {
		write_list(json_object_get(block, "list"), out);
	} else if (json_object_get(block, "columns")) {
		write_table(block, out);
	} else {
		write_bars(block, out);
	}
}

void page_write_markdown(const json_t *page, struct hd_strbuf *out)
{
	const json_t *sections = json_object_get(page, "sections");
	hd_strbuf_append(out, "# ");
	append(out, json_object_get(page, "title"));
	hd_strbuf_append(out, "\n\n");
	for (size_t i = 0; i < json_array_size(sections); i++) {
		const json_t *section = json_array_get(sections, i), *blocks = json_object_get(section, "blocks");
		hd_strbuf_printf(out, "%.*s ", (int)json_integer_value(json_object_get(section, "level")), "######");
		append(out, json_object_get(section, "heading"));
		hd_strbuf_append(out, "\n\n");
		for (size_t j = 0; j < json_array_size(blocks); j++)
			write_block(json_array_get(blocks, j), out);
	}
}
