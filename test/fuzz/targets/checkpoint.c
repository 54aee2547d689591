/*
 * Checkpoints, as far as they are read before the program runs. The input is the head's size in two bytes, the head,
 * and a list of entries: a byte for the kind, two for the size, and the bytes. They are written with the right
 * checksum. Bytes 0xff in front: the input is the file as it is.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/sim.h"
#include "runtime/checkpoint/file.h"

static size_t take_size(const uint8_t *bytes, size_t at, size_t size)
{
	size_t part = bytes[at] | (size_t)bytes[at + 1] << 8, left = size - at - 2;
	return part < left ? part : left;
}

static char *write_entries(const uint8_t *bytes, size_t size, size_t *length)
{
	char *text = NULL;
	struct hd_entry_writer writer = {0};
	size_t head_size = size >= 2 ? take_size(bytes, 0, size) : 0, at = size >= 2 ? 2 + head_size : size;
	char *head = malloc(head_size + 1);
	writer.to = open_memstream(&text, length);
	if (!writer.to || !head)
		abort();
	memcpy(head, bytes + (size >= 2 ? 2 : 0), head_size);
	head[head_size] = 0;
	hd_entry_head(&writer, head);
	while (at + 3 <= size) {
		size_t part = take_size(bytes, at + 1, size);
		hd_entry_begin(&writer, (enum hd_entry_kind)bytes[at], part);
		hd_entry_put(&writer, bytes + at + 3, part);
		at += 3 + part;
	}
	hd_entry_end(&writer);
	fclose(writer.to);
	free(head);
	return text;
}

static void read(const char *path)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_entry_reader reader = {0};
	enum hd_entry_kind kind;
	uint64_t size;
	uint8_t some[64];
	hd_sim_checkpoint_check(path, &diag);
	if (hd_entry_open(&reader, path, &diag))
		return;
	while (!hd_entry_next(&reader, &kind, &size) && kind != HD_ENTRY_END) {
		uint64_t part = size < sizeof some ? size : sizeof some;
		if (hd_entry_get(&reader, some, part) || hd_entry_skip(&reader, size - part))
			break;
	}
	hd_entry_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size && bytes[0] == 0xff) {
		read(fuzz_file(bytes + 1, size - 1, ".hdck"));
		return 0;
	}
	size_t length = 0;
	char *text = write_entries(bytes, size, &length);
	read(fuzz_file((const uint8_t *)text, length, ".hdck"));
	free(text);
	return 0;
}
