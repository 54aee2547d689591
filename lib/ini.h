/*
 * Lines of an .ini file, as every reader of one gives them to inih; plans, whose values go on in indented lines, and
 * tables of workloads are read by tools/heddle/sweep. inih alone takes the rest of a long line for
 * another one, an indented line for more of the one before, and ends a line at a NUL byte.
 */
#ifndef HD_LIB_INI_H
#define HD_LIB_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/diag.h"

struct hd_ini {
	const char *text, *end; /* what has not been read */
	struct hd_loc loc;	/* of the line that was read last */
	struct hd_diag *diag;
	bool wrong; /* some line was reported */
};

/* The text outlives it. */
struct hd_ini hd_ini_of(const char *path, const char *text, size_t size, struct hd_diag *diag);
/*
 * The next line without indentation, end of line and byte order mark, not terminated; NULL: there is none. Reports a
 * line with a NUL byte, and returns it empty.
 */
const char *hd_ini_next(struct hd_ini *ini, size_t *length);
/* Copies a line to inih's buffer: a comment as an empty line, so that it may have any length. Reports a line that does
 * not fit, and leaves it empty, too. */
void hd_ini_give(struct hd_ini *ini, const char *line, size_t length, char *to, int room);
/* Both of these, as inih's reader returns it. */
char *hd_ini_line(struct hd_ini *ini, char *to, int room);

#endif
