/*
 * Making pages.
 */
#include "tools/heddle/page/page.h"

#include <math.h>

#include "lib/metadata/json.h"

json_t *page_new(const char *title)
{
	json_t *page = json_object();
	json_object_set_new(page, "title", hd_json_text(title));
	json_object_set_new(page, "sections", json_array());
	return page;
}

json_t *page_section(json_t *page, unsigned level, const char *heading)
{
	json_t *sections = json_object_get(page, "sections"), *section = json_object();
	json_object_set_new(section, "id", json_sprintf("s%zu", json_array_size(sections) + 1));
	json_object_set_new(section, "level", json_integer(level));
	json_object_set_new(section, "heading", hd_json_text(heading));
	json_object_set_new(section, "blocks", json_array());
	json_array_append_new(sections, section);
	return section;
}

static const char *id_of(const json_t *section)
{
	return json_string_value(json_object_get(section, "id"));
}

static json_t *add_block(json_t *section, const char *key, json_t *value)
{
	json_t *block = json_object();
	json_object_set_new(block, key, value);
	json_array_append_new(json_object_get(section, "blocks"), block);
	return block;
}

void page_text(json_t *section, const char *text)
{
	add_block(section, "text", hd_json_text(text));
}

json_t *page_list(json_t *section)
{
	json_t *list = json_array();
	add_block(section, "list", list);
	return list;
}

void page_item(json_t *list, const char *text)
{
	json_array_append_new(list, hd_json_text(text));
}

json_t *page_table(json_t *section, const char *const *names, const char *folded)
{
	json_t *table = add_block(section, "columns", json_array());
	json_object_set_new(table, "rows", json_array());
	json_object_set_new(table, "folded", hd_json_text(folded));
	for (; *names; names++)
		page_column(table, *names);
	return table;
}

void page_column(json_t *table, const char *name)
{
	json_array_append_new(json_object_get(table, "columns"), hd_json_text(name));
}

json_t *page_row(json_t *table)
{
	json_t *row = json_array();
	json_array_append_new(json_object_get(table, "rows"), row);
	return row;
}

void page_cell(json_t *row, const char *text)
{
	json_array_append_new(row, hd_json_text(text));
}

void page_number(json_t *row, double value)
{
	json_t *cell = json_null();
	if (isfinite(value))
		cell = value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : json_real(value);
	json_array_append_new(row, cell);
}

void page_link(json_t *row, const char *text, const json_t *section)
{
	json_array_append_new(row, json_pack("{s:o,s:s}", "text", hd_json_text(text), "section", id_of(section)));
}

json_t *page_bars(json_t *section, const char *const *legend, unsigned count)
{
	json_t *names = json_array(), *bars = json_array(), *block = add_block(section, "legend", names);
	for (unsigned i = 0; i < count; i++)
		json_array_append_new(names, hd_json_text(legend[i]));
	json_object_set_new(block, "bars", bars);
	return bars;
}

void page_bar(json_t *bars, const char *name, const double *shares, unsigned count)
{
	json_t *values = json_array();
	for (unsigned i = 0; i < count; i++)
		json_array_append_new(values, json_real(isfinite(shares[i]) ? round(shares[i] * 100) / 100 : 0));
	json_array_append_new(bars, json_pack("{s:o,s:o}", "name", hd_json_text(name), "shares", values));
}

void page_cell_text(const json_t *cell, struct hd_strbuf *out)
{
	if (json_is_object(cell))
		cell = json_object_get(cell, "text");
	if (json_is_string(cell))
		hd_strbuf_append(out, json_string_value(cell));
	else if (json_is_integer(cell))
		hd_strbuf_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(cell));
	else if (json_is_real(cell))
		hd_strbuf_printf(out, "%.6g", json_real_value(cell));
}
