/*
 * Growable text. `struct hd_strbuf text = {0};` is empty; the text is always
 * NUL-terminated once something was appended, and may contain NUL bytes before that.
 */
#ifndef HD_LIB_STRBUF_H
#define HD_LIB_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct hd_strbuf {
	char *data; /* NULL while empty: read it through hd_strbuf_text() */
	size_t len; /* without the terminating NUL */
	size_t cap;
};

void hd_strbuf_append(struct hd_strbuf *buf, const char *text);
void hd_strbuf_append_bytes(struct hd_strbuf *buf, const void *bytes, size_t len);
void hd_strbuf_printf(struct hd_strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hd_strbuf_vprintf(struct hd_strbuf *buf, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* The text, valid until the next append; never NULL. */
const char *hd_strbuf_text(const struct hd_strbuf *buf);
/* Empties the buffer and hands its text to the caller, who frees it; never NULL. */
char *hd_strbuf_detach(struct hd_strbuf *buf);
/* Empties the buffer and keeps its memory for the next text. */
void hd_strbuf_clear(struct hd_strbuf *buf);
void hd_strbuf_release(struct hd_strbuf *buf);

#endif
