/*
 * Text files: see text.h. Linear in the file.
 */
#include "lib/text.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"

int hd_text_read(const char *path, char **text, size_t *size, struct hd_diag *diag)
{
	uint8_t *bytes;
	struct hd_loc loc = {path, 1, 0};
	if (hd_read_file(path, &bytes, size, diag))
		return -1;
	*text = (char *)bytes;
	const char *nul = memchr(*text, '\0', *size);
	for (const char *at = *text; nul && at < nul; at++)
		loc.line += *at == '\n';
	if (!nul)
		return 0;
	free(bytes);
	return hd_error(diag, loc, "the line has a NUL byte");
}
