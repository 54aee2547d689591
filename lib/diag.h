/*
 * Diagnostics. Libraries report through a struct hd_diag and return a status;
 * they never print on their own and never exit.
 */
#ifndef HD_LIB_DIAG_H
#define HD_LIB_DIAG_H

#include <stdarg.h>
#include <stdint.h>

#include "lib/api.h"

enum hd_severity { HD_NOTE, HD_WARNING, HD_ERROR };

/* A place in a source file. `file` may be NULL (no place known); line and column are 0 when unknown. */
struct hd_loc {
	const char *file;
	uint32_t line, column;
};

struct hd_diag {
	/* Takes the finished message. NULL: print `file:line:col: error: message` on stderr. */
	void (*emit)(void *context, enum hd_severity severity, struct hd_loc loc, const char *message);
	void *context;
	const char *tool; /* prefix for messages without a place, e.g. "heddle: error: ..." */
	unsigned errors;  /* reported so far */
};

#define HD_NOWHERE ((struct hd_loc){0})

struct hd_strbuf;
/* Appends FILE:LINE:COLUMN, as far as they are known. */
void hd_loc_append(struct hd_strbuf *text, struct hd_loc loc);

/* For what may fail without a word; errors are counted. */
struct hd_diag hd_diag_silent(void);

void hd_diag_vreport(struct hd_diag *diag, enum hd_severity severity, struct hd_loc loc, const char *format,
		     va_list args) __attribute__((format(printf, 4, 0)));
/* Reports an error and returns -1, so that `return hd_error(diag, loc, ...)` reads well. */
HD_API int hd_error(struct hd_diag *diag, struct hd_loc loc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
HD_API void hd_note(struct hd_diag *diag, struct hd_loc loc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
HD_API void hd_warning(struct hd_diag *diag, struct hd_loc loc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The names in `names` (`count` of them) nearest to `wanted` by edit distance, as one
 * text such as "v100, titanv"; empty when nothing is near. The caller frees it.
 */
char *hd_nearest_names(const char *wanted, const char *const *names, unsigned count);

/*
 * An error about a name that is none of `names`: "BEFORE 'NAME'; did you mean ...?" with the nearest ones, and then
 * all. Returns -1.
 */
HD_API int hd_unknown_name(struct hd_diag *diag, const char *before, const char *name, const char *const *names,
			   unsigned count);

#endif
