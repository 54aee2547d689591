/*
 * Writing and reading the file of a checkpoint (file.h). A file is read twice: once to see that it is whole
 * and undamaged, before anything of it is believed, and then entry by entry.
 *
 * Cost: O(bytes), at the speed of SHA-256.
 */
#include "runtime/checkpoint/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/arena.h"

#define MAGIC "HEDDLECK"
#define MAGIC_BYTES (sizeof(MAGIC) - 1)
#define MOST_HEAD (UINT32_C(1) << 20) /* bytes */
#define PIECE 65536

struct entry {
	uint32_t kind, unused;
	uint64_t bytes;
};

/* ---- writing */

void hd_entry_put(struct hd_entry_writer *writer, const void *bytes, size_t size)
{
	hd_sha256_add(&writer->hash, bytes, size);
	if (size && fwrite(bytes, 1, size, writer->to) != size)
		writer->failed = true;
}

void hd_entry_head(struct hd_entry_writer *writer, const char *head)
{
	uint32_t numbers[2] = {HD_CHECKPOINT_FORMAT, (uint32_t)strlen(head)};
	hd_sha256_init(&writer->hash);
	hd_entry_put(writer, MAGIC, MAGIC_BYTES);
	hd_entry_put(writer, numbers, sizeof numbers);
	hd_entry_put(writer, head, numbers[1]);
}

void hd_entry_begin(struct hd_entry_writer *writer, enum hd_entry_kind kind, uint64_t bytes)
{
	struct entry entry = {.kind = kind, .bytes = bytes};
	hd_entry_put(writer, &entry, sizeof entry);
}

void hd_entry_copy(struct hd_entry_writer *writer, FILE *from)
{
	uint8_t piece[PIECE];
	if (fflush(from) || fseeko(from, 0, SEEK_SET))
		writer->failed = true;
	for (size_t got; (got = fread(piece, 1, sizeof piece, from));)
		hd_entry_put(writer, piece, got);
	if (ferror(from))
		writer->failed = true;
}

void hd_entry_end(struct hd_entry_writer *writer)
{
	char text[HD_SHA256_TEXT];
	struct hd_sha256 all = writer->hash;
	hd_sha256_finish(&all, text);
	hd_entry_begin(writer, HD_ENTRY_END, HD_SHA256_TEXT - 1);
	hd_entry_put(writer, text, HD_SHA256_TEXT - 1);
}

/* ---- reading */

int hd_entry_get(struct hd_entry_reader *reader, void *bytes, size_t size)
{
	return !size || fread(bytes, 1, size, reader->from) == size ? 0 : -1;
}

int hd_entry_skip(struct hd_entry_reader *reader, uint64_t bytes)
{
	return fseeko(reader->from, (off_t)bytes, SEEK_CUR);
}

int hd_entry_next(struct hd_entry_reader *reader, enum hd_entry_kind *kind, uint64_t *bytes)
{
	struct entry entry;
	if (hd_entry_get(reader, &entry, sizeof entry))
		return -1;
	*kind = (enum hd_entry_kind)entry.kind;
	*bytes = entry.bytes;
	return 0;
}

static int read_head(struct hd_entry_reader *reader, struct hd_sha256 *hash, struct hd_diag *diag)
{
	char magic[MAGIC_BYTES];
	uint32_t numbers[2];
	if (hd_entry_get(reader, magic, sizeof magic) || memcmp(magic, MAGIC, sizeof magic) != 0)
		return hd_error(diag, HD_NOWHERE, "%s: not a checkpoint file", reader->path);
	if (hd_entry_get(reader, numbers, sizeof numbers))
		return hd_error(diag, HD_NOWHERE, "%s: truncated checkpoint: ends in the header", reader->path);
	if (numbers[0] != HD_CHECKPOINT_FORMAT)
		return hd_error(diag, HD_NOWHERE, "%s: checkpoint of format %u, but this Heddle reads format %u",
				reader->path, numbers[0], HD_CHECKPOINT_FORMAT);
	if (numbers[1] > MOST_HEAD)
		return hd_error(diag, HD_NOWHERE, "%s: damaged checkpoint: header of %u bytes", reader->path,
				numbers[1]);
	reader->head = hd_xcalloc(1, numbers[1] + 1);
	if (hd_entry_get(reader, reader->head, numbers[1]))
		return hd_error(diag, HD_NOWHERE, "%s: truncated checkpoint: ends in the header", reader->path);
	hd_sha256_add(hash, magic, sizeof magic);
	hd_sha256_add(hash, numbers, sizeof numbers);
	hd_sha256_add(hash, reader->head, numbers[1]);
	return 0;
}

static int add_bytes(struct hd_entry_reader *reader, struct hd_sha256 *hash, uint64_t bytes)
{
	uint8_t piece[PIECE];
	for (uint64_t left = bytes; left;) {
		size_t want = left < sizeof piece ? (size_t)left : sizeof piece;
		if (hd_entry_get(reader, piece, want))
			return -1;
		hd_sha256_add(hash, piece, want);
		left -= want;
	}
	return 0;
}

static int check_end(struct hd_entry_reader *reader, struct hd_sha256 *hash, struct hd_diag *diag)
{
	char is[HD_SHA256_TEXT] = "", says[HD_SHA256_TEXT] = "";
	hd_sha256_finish(hash, is);
	if (hd_entry_get(reader, says, HD_SHA256_TEXT - 1))
		return hd_error(diag, HD_NOWHERE, "%s: truncated checkpoint: ends in the checksum", reader->path);
	if (strcmp(is, says) != 0)
		return hd_error(diag, HD_NOWHERE,
				"%s: damaged checkpoint: checksum %.16s..., but its bytes have %.16s...", reader->path,
				says, is);
	if (getc(reader->from) != EOF)
		return hd_error(diag, HD_NOWHERE, "%s: damaged checkpoint: data after the end", reader->path);
	return 0;
}

static int check_entries(struct hd_entry_reader *reader, struct hd_sha256 *hash, struct hd_diag *diag)
{
	for (;;) {
		struct entry entry;
		uint64_t at = (uint64_t)ftello(reader->from);
		if (hd_entry_get(reader, &entry, sizeof entry))
			return hd_error(diag, HD_NOWHERE, "%s: truncated checkpoint: no end", reader->path);
		if (entry.kind == HD_ENTRY_END && entry.bytes == HD_SHA256_TEXT - 1 && !entry.unused)
			return check_end(reader, hash, diag);
		if (entry.kind < HD_ENTRY_LOAD || entry.kind >= HD_ENTRY_END || entry.unused)
			return hd_error(diag, HD_NOWHERE, "%s: damaged checkpoint: no entry at byte %" PRIu64 "",
					reader->path, at);
		hd_sha256_add(hash, &entry, sizeof entry);
		if (add_bytes(reader, hash, entry.bytes))
			return hd_error(diag, HD_NOWHERE,
					"%s: truncated checkpoint: ends in the entry of %" PRIu64
					" bytes at byte %" PRIu64,
					reader->path, entry.bytes, at);
	}
}

int hd_entry_open(struct hd_entry_reader *reader, const char *path, struct hd_diag *diag)
{
	struct hd_sha256 hash;
	struct stat status;
	*reader = (struct hd_entry_reader){.path = path, .from = fopen(path, "rbe")};
	if (!reader->from)
		return hd_error(diag, HD_NOWHERE, "cannot read the checkpoint %s: %s", path, strerror(errno));
	hd_sha256_init(&hash);
	if (fstat(fileno(reader->from), &status) || !S_ISREG(status.st_mode))
		hd_error(diag, HD_NOWHERE, "%s: not a regular file", path);
	else if (!read_head(reader, &hash, diag)) {
		off_t entries = ftello(reader->from);
		if (!check_entries(reader, &hash, diag) && !fseeko(reader->from, entries, SEEK_SET))
			return 0;
	}
	hd_entry_close(reader);
	return -1;
}

void hd_entry_close(struct hd_entry_reader *reader)
{
	if (reader->from)
		fclose(reader->from);
	free(reader->head);
	*reader = (struct hd_entry_reader){.path = reader->path};
}
