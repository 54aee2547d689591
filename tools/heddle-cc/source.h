/* Sources that clang reads in another form than they have: the text, and the overlay that stands for it. */
#ifndef HD_TOOLS_HEDDLE_CC_SOURCE_H
#define HD_TOOLS_HEDDLE_CC_SOURCE_H

#include <string.h>

#include "tools/heddle-cc/job.h"

/* Behind a comment or literal that starts here; NULL: none does. `start`: of the text. */
char *hd_source_skip_opaque(char *at, const char *start);
/* Behind the bracket that closes the one at `at` in this declaration, or NULL. */
char *hd_source_skip_brackets(char *at, const char *start);
/* Of the identifier here; 0: there is none. */
size_t hd_source_word_length(const char *at);
/* Whether the `length` characters here are the word. */
static inline bool hd_source_is_word(const char *word, const char *at, size_t length)
{
	return !strncmp(word, at, length) && !word[length];
}

/* A file as clang reads it. The caller frees the bytes. 0 or -1. */
int hd_source_read(struct hd_job *job, const char *file, uint8_t **bytes, size_t *size);
/* From here on clang reads this instead of the file, under the file's name. 0 or -1. */
int hd_source_write(struct hd_job *job, const char *file, const char *text, size_t size);

#endif
