/*
 * Lines of .ini files: see ini.h. Linear in the text; nothing is allocated.
 */
#include "lib/ini.h"

#include <string.h>

struct hd_ini hd_ini_of(const char *path, const char *text, size_t size, struct hd_diag *diag)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t skipped = size >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
	return (struct hd_ini){.text = text + skipped, .end = text + size, .loc = {path, 0, 0}, .diag = diag};
}

static size_t indentation(const char *line, size_t length)
{
	size_t indent = 0;
	while (indent < length && (line[indent] == ' ' || line[indent] == '\t'))
		indent++;
	return indent;
}

const char *hd_ini_next(struct hd_ini *ini, size_t *length)
{
	if (ini->text == ini->end)
		return NULL;
	const char *line = ini->text, *end = memchr(line, '\n', (size_t)(ini->end - line));
	ini->text = end ? end + 1 : ini->end;
	*length = (size_t)((end ? end : ini->end) - line);
	*length -= *length && line[*length - 1] == '\r';
	ini->loc.line++;
	if (memchr(line, '\0', *length)) {
		hd_error(ini->diag, ini->loc, "the line has a NUL byte");
		ini->wrong = true;
		*length = 0;
	}
	size_t indent = indentation(line, *length);
	*length -= indent;
	return line + indent;
}

void hd_ini_give(struct hd_ini *ini, const char *line, size_t length, char *to, int room)
{
	size_t most = (size_t)room - 2; /* inih appends an end of line, and a NUL byte */
	bool comment = length && (*line == ';' || *line == '#');
	if (length > most && !comment) {
		hd_error(ini->diag, ini->loc, "the line is longer than %zu characters", most);
		ini->wrong = true;
	}
	length = comment || length > most ? 0 : length;
	memcpy(to, line, length);
	to[length] = '\0';
}

char *hd_ini_line(struct hd_ini *ini, char *to, int room)
{
	size_t length;
	const char *line = room < 2 ? NULL : hd_ini_next(ini, &length);
	if (!line)
		return NULL;
	hd_ini_give(ini, line, length, to, room);
	return to;
}
