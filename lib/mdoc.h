/*
 * Manual pages in mdoc, made from the tables that the tools and passes parse their options with.
 */
#ifndef HD_LIB_MDOC_H
#define HD_LIB_MDOC_H

#include <stdio.h>

/* The head of a page and its NAME section: "heddle-check", 1, "hold the figures ...". */
void hd_mdoc_begin(FILE *out, const char *name, unsigned section, const char *about);
void hd_mdoc_section(FILE *out, const char *title);
/*
 * Text as help texts have it: empty lines end paragraphs, a line that begins with a blank is literal, and so are those
 * around it that do. Needs no escapes.
 */
void hd_mdoc_text(FILE *out, const char *text);
/* One macro line, its arguments escaped: hd_mdoc_line(out, "Xr", "heddle 1"). */
void hd_mdoc_line(FILE *out, const char *macro, const char *arguments);
/* An option in a list: short name (0: none), long name with its dashes (NULL: none), value (NULL: none) and meaning. */
void hd_mdoc_option(FILE *out, char short_name, const char *long_name, const char *value, const char *meaning);
void hd_mdoc_list_begin(FILE *out);
void hd_mdoc_item(FILE *out, const char *name, const char *meaning);
void hd_mdoc_list_end(FILE *out);
/* SEE ALSO: "heddle 1", ... up to the NULL. */
void hd_mdoc_see_also(FILE *out, const char *const *pages);

#endif
