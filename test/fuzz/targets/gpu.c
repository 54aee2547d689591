/*
 * GPU descriptions (.ini) and assignments of single keys, one a line.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"

/* "key = value ; comment" of a file as `--set` has it: an unknown key, of which all names that are near are looked for,
 * takes a hundred times as long as a known one. */
static const char *as_assignment(char *line)
{
	char *to = line;
	for (const char *from = line; *from && *from != ';'; from++)
		if (*from != ' ' && *from != '\t')
			*to++ = *from;
	*to = 0;
	return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_config *config = malloc(sizeof *config);
	char *text = malloc(size + 1), *rest = text, *line;
	if (!config || !text)
		abort();
	hd_config_load(config, fuzz_file(bytes, size, ".ini"), &diag);
	memcpy(text, bytes, size);
	text[size] = 0;
	hd_config_defaults(config);
	while ((line = strsep(&rest, "\n")))
		hd_config_set(config, as_assignment(line), &diag);
	hd_config_check(config, &diag);
	free(text);
	free(config);
	return 0;
}
