/*
 * Growable text on the heap. Appending is amortised constant time a byte;
 * running out of host memory aborts, as everywhere in lib.
 */
#include "lib/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"

/* Room for `more` bytes and the NUL behind them. */
static void reserve(struct hd_strbuf *buf, size_t more)
{
	if (more < buf->cap - buf->len)
		return;
	size_t cap = buf->cap ? buf->cap * 2 : 64;
	if (cap <= buf->len + more)
		cap = buf->len + more + 1;
	buf->data = hd_xrealloc(buf->data, cap);
	buf->cap = cap;
}

void hd_strbuf_append_bytes(struct hd_strbuf *buf, const void *bytes, size_t len)
{
	reserve(buf, len);
	if (len)
		memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void hd_strbuf_append(struct hd_strbuf *buf, const char *text)
{
	hd_strbuf_append_bytes(buf, text, strlen(text));
}

void hd_strbuf_vprintf(struct hd_strbuf *buf, const char *format, va_list args)
{
	va_list again;
	reserve(buf, 0);
	va_copy(again, args);
	int len = vsnprintf(buf->data + buf->len, buf->cap - buf->len, format, args);
	if (len >= 0 && (size_t)len >= buf->cap - buf->len) { /* once in a while: most texts fit */
		reserve(buf, (size_t)len);
		vsnprintf(buf->data + buf->len, (size_t)len + 1, format, again);
	}
	va_end(again);
	if (len < 0) /* an encoding error in the format: nothing to append */
		buf->data[buf->len] = '\0';
	else
		buf->len += (size_t)len;
}

void hd_strbuf_printf(struct hd_strbuf *buf, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	hd_strbuf_vprintf(buf, format, args);
	va_end(args);
}

const char *hd_strbuf_text(const struct hd_strbuf *buf)
{
	return buf->data ? buf->data : "";
}

char *hd_strbuf_detach(struct hd_strbuf *buf)
{
	char *text = buf->data ? buf->data : hd_xstrdup("");
	*buf = (struct hd_strbuf){0};
	return text;
}

void hd_strbuf_clear(struct hd_strbuf *buf)
{
	buf->len = 0;
	if (buf->data)
		*buf->data = '\0';
}

void hd_strbuf_release(struct hd_strbuf *buf)
{
	free(buf->data);
	*buf = (struct hd_strbuf){0};
}
