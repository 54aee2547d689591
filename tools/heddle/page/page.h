/*
 * A page of a report: sections with texts, lists, tables and bars, as one JSON value that is printed as it is, as
 * Markdown or as HTML.
 *
 * HTML has the sections as they are, and a script with its data that shows the runs and the code beside them. Nothing
 * is loaded from elsewhere.
 *
 *     page     {"title", "sections": [section]}
 *     section  {"id", "level", "heading", "blocks": [block]}
 *     block    {"text"} | {"list": [text]} | {"columns": [name], "rows": [[cell]], "folded": title or null}
 *              | {"legend": [name], "bars": [{"name", "shares": [percent]}]}
 *     cell     text, number, null, or {"text", "section"}: a link to a section of this page
 */
#ifndef HD_TOOLS_HEDDLE_PAGE_PAGE_H
#define HD_TOOLS_HEDDLE_PAGE_PAGE_H

#include <jansson.h>

#include "lib/strbuf.h"

json_t *page_new(const char *title);
/* What these return belongs to the page. `level` from 2 on. */
json_t *page_section(json_t *page, unsigned level, const char *heading);
void page_text(json_t *section, const char *text);
json_t *page_list(json_t *section);
void page_item(json_t *list, const char *text);
/* `names`: of the columns, ended by NULL. `folded`: shown under this title when asked for; NULL: shown. */
json_t *page_table(json_t *section, const char *const *names, const char *folded);
void page_column(json_t *table, const char *name);
/* A new row, to which cells are appended. */
json_t *page_row(json_t *table);
void page_cell(json_t *row, const char *text);
void page_number(json_t *row, double value);
void page_link(json_t *row, const char *text, const json_t *section);
json_t *page_bars(json_t *section, const char *const *legend, unsigned count);
/* One bar, made of `shares` in percent. */
void page_bar(json_t *bars, const char *name, const double *shares, unsigned count);

/* `data`: what the page's script shows beside the sections (tools/heddle/report/explore.h), compressed in the file. 0,
 * or -1: out of memory. */
int page_write_html(const json_t *page, const json_t *data, struct hd_strbuf *out);
void page_write_markdown(const json_t *page, struct hd_strbuf *out);
/* Text in which neither Markdown nor HTML finds structure. */
void page_append_markdown(struct hd_strbuf *out, const char *text);
/* A cell or any number as it is shown; "" for null. */
void page_cell_text(const json_t *cell, struct hd_strbuf *out);

#endif
