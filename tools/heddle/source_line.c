/*
 * Lines of sources: see source_line.h. Linear in the text.
 */
#include "tools/heddle/source_line.h"

#include <stdbool.h>
#include <string.h>

#include "lib/hash.h"

static bool is_blank(char c)
{
	return c && strchr(" \t\r\n\v\f", c);
}

const char *source_line_trim(const char *text, size_t *length)
{
	while (*length && is_blank(*text))
		text++, --*length;
	while (*length && is_blank(text[*length - 1]))
		--*length;
	return text;
}

uint32_t source_line_digest(const char *text, size_t length)
{
	uint64_t hash = hd_hash_bytes(HD_HASH_TEXT, text, length);
	return (uint32_t)(hash ^ hash >> 32);
}

/* The bytes of the character that begins here, of at most `length`; 0: it is no UTF-8. */
static size_t character(const unsigned char *at, size_t length, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t size = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
	if (!size || size > length)
		return 0;
	*code = size == 1 ? *at : *at & (0xffu >> (size + 1));
	for (size_t i = 1; i < size; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	return *code < least[size] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : size;
}

/* Control characters, and those that change the direction of the text around them. */
static bool is_obeyed(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

void source_line_show(struct hd_strbuf *out, const char *text, size_t most)
{
	size_t length = strlen(text), written = 0;
	text = source_line_trim(text, &length);
	for (size_t at = 0; at < length;) {
		uint32_t code = 0;
		size_t size = character((const unsigned char *)text + at, length - at, &code);
		bool plain = size && !is_obeyed(code);
		size_t room = plain ? size : 1;
		if (room > most - written)
			return;
		if (plain)
			hd_strbuf_append_bytes(out, text + at, size);
		else
			hd_strbuf_append(out, code == '\t' ? " " : "?");
		written += room;
		at += size ? size : 1;
	}
}
