/*
 * Kernel objects: read whole, read in parts, verified, listed, and written again.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdlib.h>

#include "heddle/object.h"

static void read_whole(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_arena arena;
	struct hd_object object;
	uint8_t *again;
	size_t again_size;
	hd_arena_init(&arena);
	if (!hd_object_read(bytes, size, "input", &arena, &object, &diag)) {
		free(hd_metadata_to_json(&object.metadata));
		if (!hd_object_write(&object, &again, &again_size, &diag))
			free(again);
	}
	hd_arena_release(&arena);
}

static void read_parts(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_arena arena;
	struct hd_object object;
	hd_arena_init(&arena);
	if (!hd_object_open(bytes, size, "input", &arena, &object, &diag)) {
		for (uint32_t i = 0; i < object.function_count; i++)
			hd_object_load_code(&object, i, &diag);
		for (uint32_t i = 0; i < object.metadata.function_count; i++) {
			hd_object_load_metadata(&object, i, false, &diag);
			hd_object_load_metadata(&object, i, true, &diag);
		}
	}
	hd_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	read_whole(bytes, size);
	read_parts(bytes, size);
	return 0;
}
