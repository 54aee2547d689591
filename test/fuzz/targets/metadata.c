/*
 * Metadata as JSON: read, and what is taken is written and read again.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_arena arena;
	struct hd_metadata metadata;
	hd_arena_init(&arena);
	if (!hd_metadata_from_json((const char *)bytes, size, "input", &arena, &metadata, &diag)) {
		char *text = hd_metadata_to_json(&metadata);
		struct hd_metadata again;
		if (!text || hd_metadata_from_json(text, strlen(text), "again", &arena, &again, &diag))
			abort();
		free(text);
	}
	hd_arena_release(&arena);
	return 0;
}
