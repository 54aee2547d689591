/*
 * Single lines of sources: as they are compared, and as they are shown. They come from files and from statistics that
 * somebody else may have written.
 */
#ifndef HD_TOOLS_HEDDLE_SOURCE_LINE_H
#define HD_TOOLS_HEDDLE_SOURCE_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

/* Bytes of a line that statistics keep. */
enum { SOURCE_LINE_MOST = 240 };

/* Lines are compared without the blanks around them, and without the `\r` of other systems: the first byte that counts;
 * `length` becomes how many do. */
const char *source_line_trim(const char *text, size_t *length);
/* Of a trimmed line. */
uint32_t source_line_digest(const char *text, size_t length);
/*
 * Appends the text, trimmed, as UTF-8 of at most `most` bytes that ends with a whole character. What a terminal would
 * obey, and bytes that are no UTF-8, are `?`, and tabs are blanks.
 */
void source_line_show(struct hd_strbuf *out, const char *text, size_t most);

#endif
