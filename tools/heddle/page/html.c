/*
 * A page as one HTML file without scripts or anything from elsewhere.
 */
#include <string.h>

#include "tools/heddle/page/page.h"

enum { COLOURS = 13 };

/* Colours of bars stand out from each other on light and dark ground. */
static const char *const head =
	"<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<style>\n"
	":root{color-scheme:light dark}\n"
	"body{font:15px/1.45 system-ui,sans-serif;max-width:76em;margin:2em auto;padding:0 1em}\n"
	"h2{margin-top:2em;border-bottom:1px solid #8888}\n"
	".wide{overflow-x:auto}\n"
	"table{border-collapse:collapse;margin:1em 0;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.2em .7em;border-bottom:1px solid #8884;text-align:left;vertical-align:top}\n"
	"td.n{text-align:right}\n"
	".bar{display:flex;height:1.1em;min-width:20em;max-width:50em}\n"
	".bar span{height:100%}\n"
	".legend span{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 1em}\n"
	".c0{background:#4c9f70}.c1{background:#c7a23d}.c2{background:#8f6bb3}.c3{background:#3f87c5}"
	".c4{background:#d0693f}.c5{background:#d99bb8}.c6{background:#b03a48}.c7{background:#64b5b0}"
	".c8{background:#7f6a4d}.c9{background:#a9bd4f}.c10{background:#e0b184}.c11{background:#6a7a99}"
	".c12{background:#9a9a9a}\n"
	"</style>\n";

static void append_text(struct hd_strbuf *out, const char *text)
{
	for (const char *at = text; *at; at++) {
		unsigned char byte = (unsigned char)*at;
		if (strchr("&<>\"'", *at))
			hd_strbuf_printf(out, "&#%u;", byte);
		else if (byte < 0x20 && byte != '\n' && byte != '\t')
			hd_strbuf_append(out, "&#xfffd;");
		else
			hd_strbuf_append_bytes(out, at, 1);
	}
}

static void append(struct hd_strbuf *out, const json_t *text)
{
	append_text(out, json_is_string(text) ? json_string_value(text) : "");
}

static void write_cell(const json_t *cell, struct hd_strbuf *out)
{
	const char *section = json_string_value(json_object_get(cell, "section"));
	struct hd_strbuf text = {0};
	page_cell_text(cell, &text);
	hd_strbuf_append(out, json_is_number(cell) ? "<td class=\"n\">" : "<td>");
	if (section)
		hd_strbuf_printf(out, "<a href=\"#%s\">", section);
	append_text(out, hd_strbuf_text(&text));
	hd_strbuf_append(out, section ? "</a></td>" : "</td>");
	hd_strbuf_release(&text);
}

static void write_table(const json_t *table, struct hd_strbuf *out)
{
	const json_t *columns = json_object_get(table, "columns"), *rows = json_object_get(table, "rows"),
		     *folded = json_object_get(table, "folded");
	if (json_is_string(folded)) {
		hd_strbuf_append(out, "<details><summary>");
		append(out, folded);
		hd_strbuf_append(out, "</summary>\n");
	}
	hd_strbuf_append(out, "<div class=\"wide\"><table>\n<thead><tr>");
	for (size_t i = 0; i < json_array_size(columns); i++) {
		hd_strbuf_append(out, "<th>");
		append(out, json_array_get(columns, i));
		hd_strbuf_append(out, "</th>");
	}
	hd_strbuf_append(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		hd_strbuf_append(out, "<tr>");
		for (size_t j = 0; j < json_array_size(row); j++)
			write_cell(json_array_get(row, j), out);
		hd_strbuf_append(out, "</tr>\n");
	}
	hd_strbuf_append(out, "</tbody></table></div>\n");
	if (json_is_string(folded))
		hd_strbuf_append(out, "</details>\n");
}

static void write_list(const json_t *list, struct hd_strbuf *out)
{
	hd_strbuf_append(out, "<ul>\n");
	for (size_t i = 0; i < json_array_size(list); i++) {
		hd_strbuf_append(out, "<li>");
		append(out, json_array_get(list, i));
		hd_strbuf_append(out, "</li>\n");
	}
	hd_strbuf_append(out, "</ul>\n");
}

static void write_bar(const json_t *bar, const json_t *legend, struct hd_strbuf *out)
{
	const json_t *shares = json_object_get(bar, "shares");
	hd_strbuf_append(out, "<tr><td>");
	append(out, json_object_get(bar, "name"));
	hd_strbuf_append(out, "</td><td><div class=\"bar\">");
	for (size_t i = 0; i < json_array_size(shares); i++) {
		double share = json_real_value(json_array_get(shares, i));
		if (share <= 0)
			continue;
		hd_strbuf_printf(out, "<span class=\"c%zu\" style=\"width:%.2f%%\" title=\"", i % COLOURS, share);
		append(out, json_array_get(legend, i));
		hd_strbuf_printf(out, " %.1f %%\"></span>", share);
	}
	hd_strbuf_append(out, "</div></td></tr>\n");
}

static void write_bars(const json_t *block, struct hd_strbuf *out)
{
	const json_t *legend = json_object_get(block, "legend"), *bars = json_object_get(block, "bars");
	hd_strbuf_append(out, "<p class=\"legend\">");
	for (size_t i = 0; i < json_array_size(legend); i++) {
		hd_strbuf_printf(out, "<span class=\"c%zu\"></span>", i % COLOURS);
		append(out, json_array_get(legend, i));
		hd_strbuf_append(out, "\n");
	}
	hd_strbuf_append(out, "</p>\n<table><tbody>\n");
	for (size_t i = 0; i < json_array_size(bars); i++)
		write_bar(json_array_get(bars, i), legend, out);
	hd_strbuf_append(out, "</tbody></table>\n");
}

static void write_block(const json_t *block, struct hd_strbuf *out)
{
	if (json_object_get(block, "text")) {
		hd_strbuf_append(out, "<p>");
		append(out, json_object_get(block, "text"));
		hd_strbuf_append(out, "</p>\n");
	} else if (json_object_get(block, "list")) {
		write_list(json_object_get(block, "list"), out);
	} else if (json_object_get(block, "columns")) {
		write_table(block, out);
	} else {
		write_bars(block, out);
	}
}

static void write_section(const json_t *section, struct hd_strbuf *out)
{
	const json_t *blocks = json_object_get(section, "blocks");
	int level = (int)json_integer_value(json_object_get(section, "level"));
	hd_strbuf_printf(out, "<h%d id=\"%s\">", level, json_string_value(json_object_get(section, "id")));
	append(out, json_object_get(section, "heading"));
	hd_strbuf_printf(out, "</h%d>\n", level);
	for (size_t i = 0; i < json_array_size(blocks); i++)
		write_block(json_array_get(blocks, i), out);
}

void page_write_html(const json_t *page, struct hd_strbuf *out)
{
	const json_t *sections = json_object_get(page, "sections");
	hd_strbuf_append(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>");
	append(out, json_object_get(page, "title"));
	hd_strbuf_printf(out, "</title>\n%s</head>\n<body>\n<h1>", head);
	append(out, json_object_get(page, "title"));
	hd_strbuf_append(out, "</h1>\n");
	for (size_t i = 0; i < json_array_size(sections); i++)
		write_section(json_array_get(sections, i), out);
	hd_strbuf_append(out, "</body>\n</html>\n");
}
