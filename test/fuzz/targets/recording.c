/*
 * Recordings of programs. The input is a list of entries, which are written with the checks that the reader wants: a
 * byte for the kind, two for the size, and the bytes. Bytes 0xff in front: the input is the file as it is.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdlib.h>

#include "lib/recording.h"

static char *write_entries(const uint8_t *bytes, size_t size, size_t *length)
{
	char *text = NULL;
	struct hd_recording_writer writer = {0};
	FILE *to = open_memstream(&text, length);
	if (!to)
		abort();
	hd_recording_begin(&writer, to);
	for (size_t at = 0; at + 3 <= size;) {
		size_t part = bytes[at + 1] | (size_t)bytes[at + 2] << 8;
		part = part < size - at - 3 ? part : size - at - 3;
		hd_recording_put(&writer, (enum hd_recording_kind)bytes[at], bytes + at + 3, part, NULL, 0);
		at += 3 + part;
	}
	fclose(to);
	return text;
}

static void read(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_recording recording;
	hd_recording_read(&recording, fuzz_file(bytes, size, ".hdrun"), &diag);
	hd_recording_release(&recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size && bytes[0] == 0xff) {
		read(bytes + 1, size - 1);
		return 0;
	}
	size_t length = 0;
	char *text = write_entries(bytes, size, &length);
	read((const uint8_t *)text, length);
	free(text);
	return 0;
}
