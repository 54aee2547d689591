/*
 * Host programs, libraries and objects, in which kernel objects are looked for, and the page about them.
 */
#include "test/fuzz/targets/fuzz.h"

#include "heddle/object.h"
#include "tools/heddle/cmd.h"

static int found(void *context, const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_arena arena;
	struct hd_object object;
	(void)context;
	hd_arena_init(&arena);
	hd_object_open(bytes, size, "input", &arena, &object, &diag);
	hd_arena_release(&arena);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	const char *path = fuzz_file(bytes, size, ".out");
	hd_object_scan_file(path, found, NULL, &diag);
	fuzz_command(cmd_report, "--format", "html", path, NULL);
	return 0;
}
