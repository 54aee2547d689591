/* Whole text files, for readers that go from line to line with C's strings. */
#ifndef HD_LIB_TEXT_H
#define HD_LIB_TEXT_H

#include <stddef.h>

#include "lib/diag.h"

/* As hd_read_file: 0 with the text, which the caller frees, or -1 with an error reported. A NUL byte, where such a
 * reader would end without a word, is an error with its line. */
int hd_text_read(const char *path, char **text, size_t *size, struct hd_diag *diag);

#endif
