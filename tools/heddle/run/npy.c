/*
 * Reads and writes .npy files (see npy.h). The header is a dictionary in Python's notation. It comes from anywhere, so
 * each number is checked before it is used, and the size of the file has to agree with the shape.
 */
#include "tools/heddle/run/npy.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "heddle/object.h"
#include "lib/arena.h"
#include "lib/bits.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = sizeof magic - 1, MOST_HEADER = 65535, ALIGNMENT = 64 };

struct cursor {
	const char *at, *end;
	struct npy *npy;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct npy *npy, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(npy->why, sizeof npy->why, format, arguments);
	va_end(arguments);
	return false;
}

/* ------------------------------------------------------------ words of the header */

static bool accept(struct cursor *cursor, char wanted)
{
	while (cursor->at < cursor->end && strchr(" \t\n", *cursor->at) && *cursor->at)
		cursor->at++;
	if (cursor->at == cursor->end || *cursor->at != wanted)
		return false;
	cursor->at++;
	return true;
}

static bool expect(struct cursor *cursor, char wanted)
{
	return accept(cursor, wanted) || fail(cursor->npy, "its header has no '%c' where one is due", wanted);
}

static bool word(struct cursor *cursor, char *text, size_t room)
{
	char quote = accept(cursor, '\'') ? '\'' : accept(cursor, '"') ? '"' : '\0';
	size_t length = 0;
	if (!quote)
		return false;
	for (; cursor->at < cursor->end && *cursor->at != quote && length + 1 < room; cursor->at++)
		text[length++] = *cursor->at >= ' ' && *cursor->at <= '~' ? *cursor->at : '?';
	text[length] = '\0';
	return expect(cursor, quote);
}

static bool is_digit(const struct cursor *cursor)
{
	return cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
}

static bool number(struct cursor *cursor, uint64_t *value)
{
	accept(cursor, ' '); /* skips blanks */
	if (!is_digit(cursor))
		return fail(cursor->npy, "its shape has something that is no number");
	for (*value = 0; is_digit(cursor); cursor->at++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*cursor->at - '0'), value))
			return fail(cursor->npy, "its shape is too large");
	return true;
}

/* ------------------------------------------------------------ entries of the header */

static bool parse_type(struct cursor *cursor)
{
	struct npy *npy = cursor->npy;
	char text[24], kind, end;
	unsigned bytes;
	if (!word(cursor, text, sizeof text))
		return fail(npy, "it has elements with fields, not numbers");
	bool known = sscanf(text + (*text != '\0'), "%c%1u%c", &kind, &bytes, &end) == 2 && strchr("<>=|", *text) &&
		     (kind == 'b' ? bytes == 1
		      : kind == 'f'
			      ? bytes == 2 || bytes == 4 || bytes == 8
			      : (kind == 'i' || kind == 'u') && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8));
	if (!known)
		return fail(npy, "type '%s' is no integer of 8 to 64 bits and no floating point of 16 to 64 bits",
			    text);
	if (*text == '>' && bytes > 1)
		return fail(npy, "type '%s' is big-endian; write it as little-endian", text);
	npy->bytes = bytes;
	snprintf(npy->type, sizeof npy->type, "%c%u", kind == 'b' ? 'u' : kind, (uint8_t)(bytes * 8));
	return true;
}

static bool parse_order(struct cursor *cursor, bool *fortran)
{
	accept(cursor, ' ');
	size_t rest = (size_t)(cursor->end - cursor->at);
	*fortran = rest >= 4 && !memcmp(cursor->at, "True", 4);
	if (!*fortran && (rest < 5 || memcmp(cursor->at, "False", 5)))
		return fail(cursor->npy, "fortran_order is neither True nor False");
	cursor->at += *fortran ? 4 : 5;
	return true;
}

static bool parse_shape(struct cursor *cursor)
{
	struct npy *npy = cursor->npy;
	npy->dims = 0;
	npy->count = 1;
	if (!expect(cursor, '('))
		return false;
	while (!accept(cursor, ')')) {
		if (npy->dims == NPY_DIMS)
			return fail(npy, "it has more than %d dimensions", NPY_DIMS);
		uint64_t *size = &npy->shape[npy->dims++];
		if (!number(cursor, size))
			return false;
		if (__builtin_mul_overflow(npy->count, *size, &npy->count))
			return fail(npy, "its shape is too large");
		if (!accept(cursor, ',') && !(accept(cursor, ')') && cursor->at--))
			return fail(npy, "its shape does not end");
	}
	return true;
}

static bool parse_dictionary(struct cursor *cursor)
{
	static const char *const keys[] = {"descr", "fortran_order", "shape"};
	bool seen[3] = {false}, fortran = false;
	char key[24];
	if (!expect(cursor, '{'))
		return false;
	while (!accept(cursor, '}')) {
		unsigned k = 0;
		if (!word(cursor, key, sizeof key))
			return fail(cursor->npy, "its header does not end");
		while (k < 3 && strcmp(keys[k], key))
			k++;
		if (k == 3 || seen[k])
			return fail(cursor->npy, "its header has '%s' %s", key,
				    k == 3 ? "of no known meaning" : "twice");
		seen[k] = true;
		if (!expect(cursor, ':') || !(k == 0   ? parse_type(cursor)
					      : k == 1 ? parse_order(cursor, &fortran)
						       : parse_shape(cursor)))
			return false;
		if (!accept(cursor, ',') && !(accept(cursor, '}') && cursor->at--))
			return fail(cursor->npy, "its header does not end");
	}
	for (unsigned k = 0; k < 3; k++)
		if (!seen[k])
			return fail(cursor->npy, "its header has no '%s'", keys[k]);
	if (fortran && cursor->npy->dims > 1)
		return fail(cursor->npy, "it is in Fortran order; write it in C order");
	return true;
}

bool npy_parse(struct npy *npy, const uint8_t *bytes, size_t size, uint64_t file_size)
{
	memset(npy, 0, sizeof *npy);
	if (size < MAGIC + 4 || memcmp(bytes, magic, MAGIC))
		return fail(npy, "it is no .npy file");
	unsigned version = bytes[MAGIC];
	if (version < 1 || version > 3)
		return fail(npy, "version %u of the format is not known", version);
	size_t start = MAGIC + (version == 1 ? 4 : 6);
	uint32_t length = bytes[MAGIC + 2] | (uint32_t)bytes[MAGIC + 3] << 8;
	if (version > 1 && size >= start)
		length |= (uint32_t)bytes[MAGIC + 4] << 16 | (uint32_t)bytes[MAGIC + 5] << 24;
	if (size < start || length > MOST_HEADER || size - start < length)
		return fail(npy, "its header of %u bytes is cut off or too long", length);
	struct cursor cursor = {(const char *)bytes + start, (const char *)bytes + start + length, npy};
	if (!parse_dictionary(&cursor))
		return false;
	npy->offset = start + length;
	uint64_t wanted;
	if (__builtin_mul_overflow(npy->count, npy->bytes, &wanted) || wanted != file_size - npy->offset)
		return fail(npy, "its shape has %llu elements of %u bytes, but %llu bytes follow",
			    (unsigned long long)npy->count, npy->bytes, (unsigned long long)(file_size - npy->offset));
	return true;
}

/* ------------------------------------------------------------ files */

static int read_head(const char *path, uint8_t *head, size_t *size, uint64_t *file_size)
{
	struct stat known;
	/* A device or a pipe might have no end. */
	if (stat(path, &known) || !S_ISREG(known.st_mode)) {
		errno = errno ? errno : EINVAL;
		return -1;
	}
	FILE *file = fopen(path, "rb");
	if (!file)
		return -1;
	*size = fread(head, 1, MAGIC + 6 + MOST_HEADER, file);
	fclose(file);
	*file_size = (uint64_t)known.st_size > *size ? (uint64_t)known.st_size : *size;
	return 0;
}

int npy_read(struct npy *npy, const char *path, uint8_t **elements, struct hd_loc loc, struct hd_diag *diag)
{
	uint8_t *bytes = NULL;
	uint8_t *head = hd_xmalloc(MAGIC + 6 + MOST_HEADER);
	size_t size;
	uint64_t file_size;
	errno = 0;
	int status = read_head(path, head, &size, &file_size);
	if (status)
		hd_error(diag, loc, "cannot read %s: %s", path, errno == EINVAL ? "it is no file" : strerror(errno));
	else if (!npy_parse(npy, head, size, file_size))
		status = hd_error(diag, loc, "%s: %s", path, npy->why);
	free(head);
	if (status || !elements)
		return status;
	if (hd_read_file(path, &bytes, &size, diag))
		return -1;
	if (!npy_parse(npy, bytes, size, size)) {
		free(bytes);
		return hd_error(diag, loc, "%s: %s", path, npy->why);
	}
	memmove(bytes, bytes + npy->offset, size - npy->offset);
	*elements = bytes;
	return 0;
}

int npy_write(const struct npy *npy, const char *path, const uint8_t *elements, struct hd_diag *diag)
{
	char header[1024];
	int length = snprintf(header, sizeof header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
			      npy->bytes == 1 ? '|' : '<', *npy->type, npy->bytes);
	for (uint32_t i = 0; i < npy->dims; i++)
		length += snprintf(header + length, sizeof header - (size_t)length, "%s%llu%s", i ? ", " : "",
				   (unsigned long long)npy->shape[i], npy->dims == 1 ? "," : "");
	length += snprintf(header + length, sizeof header - (size_t)length, "), }");
	/* Elements start at a multiple of 64 bytes; a line's end closes the header. */
	size_t start = MAGIC + 4, offset = hd_align_up(start + (size_t)length + 1, ALIGNMENT);
	size_t size = npy->count * npy->bytes;
	uint8_t *bytes = hd_xmalloc(offset + size);
	memset(bytes, ' ', offset);
	memcpy(bytes, magic, MAGIC);
	memcpy(bytes + MAGIC, (const uint8_t[]){1, 0, (uint8_t)(offset - start), (uint8_t)((offset - start) >> 8)}, 4);
	memcpy(bytes + start, header, (size_t)length);
	bytes[offset - 1] = '\n';
	memcpy(bytes + offset, elements, size);
	int status = hd_write_file(path, bytes, offset + size, diag);
	free(bytes);
	return status;
}

bool npy_named(const char *path)
{
	size_t length = strlen(path);
	return length > 4 && !strcmp(path + length - 4, ".npy");
}
