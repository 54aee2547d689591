/*
 * A page as one HTML file that loads nothing from elsewhere: page.css and the files of script/ are in the program, the
 * data are compressed in the file. Without scripts a browser shows the sections alone.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/packed.h"
#include "tools/heddle/page/page.h"

/* Colours of bars, as many as there are in page.css. */
enum { COLOURS = 18 };

/* The Makefile makes them from page.css and script/. */
extern const char _binary_page_css_start[], _binary_page_css_end[], _binary_page_js_start[], _binary_page_js_end[];

static void append_file(struct hd_strbuf *out, const char *start, const char *end)
{
	hd_strbuf_append_bytes(out, start, (size_t)(end - start));
}

static void append_base64(struct hd_strbuf *out, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char group[4];
	for (size_t i = 0; i < size; i += 3) {
		uint32_t left = size - i < 3 ? (uint32_t)(size - i) : 3, word = 0;
		for (uint32_t j = 0; j < 3; j++)
			word = word << 8 | (j < left ? bytes[i + j] : 0);
		for (uint32_t j = 0; j < 4; j++)
			group[j] = j <= left ? digits[word >> (18 - 6 * j) & 63] : '=';
		hd_strbuf_append_bytes(out, group, 4);
	}
}

static int append_data(struct hd_strbuf *out, const json_t *data)
{
	char *text = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(12));
	struct hd_strbuf packed = {0};
	int status = text ? hd_packed_append(&packed, HD_CODEC_ZLIB, text, strlen(text)) : -1;
	if (status == 0) {
		hd_strbuf_append(out, "<script type=\"text/plain\" id=\"data\">");
		append_base64(out, (const uint8_t *)hd_strbuf_text(&packed), packed.len);
		hd_strbuf_append(out, "</script>\n");
	}
	free(text);
	hd_strbuf_release(&packed);
	return status;
}

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

/* With a comma between groups of three digits. */
static void append_grouped(struct hd_strbuf *out, long long value)
{
	char digits[32];
	int length = snprintf(digits, sizeof digits, "%llu", value < 0 ? 0 - (unsigned long long)value : value + 0ull);
	hd_strbuf_append(out, value < 0 ? "-" : "");
	for (int i = 0; i < length; i++) {
		hd_strbuf_append(out, i && (length - i) % 3 == 0 ? "," : "");
		hd_strbuf_append_bytes(out, digits + i, 1);
	}
}

static void write_cell(const json_t *cell, struct hd_strbuf *out)
{
	const char *section = json_string_value(json_object_get(cell, "section"));
	struct hd_strbuf text = {0};
	if (json_is_integer(cell))
		append_grouped(&text, json_integer_value(cell));
	else
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

int page_write_html(const json_t *page, const json_t *data, struct hd_strbuf *out)
{
	const json_t *sections = json_object_get(page, "sections");
	hd_strbuf_append(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	append(out, json_object_get(page, "title"));
	hd_strbuf_append(out, "</title>\n<style>\n");
	append_file(out, _binary_page_css_start, _binary_page_css_end);
	hd_strbuf_append(out, "</style>\n</head>\n<body>\n<main id=\"sections\">\n<h1>");
	append(out, json_object_get(page, "title"));
	hd_strbuf_append(out, "</h1>\n");
	for (size_t i = 0; i < json_array_size(sections); i++)
		write_section(json_array_get(sections, i), out);
	hd_strbuf_append(out, "</main>\n");
	if (append_data(out, data) != 0)
		return -1;
	hd_strbuf_append(out, "<script>\n");
	append_file(out, _binary_page_js_start, _binary_page_js_end);
	hd_strbuf_append(out, "</script>\n</body>\n</html>\n");
	return 0;
}
