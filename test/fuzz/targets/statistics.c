/*
 * Statistics of runs: their report, and their figures in a gate.
 */
#include "test/fuzz/targets/fuzz.h"

#include <string.h>

#include "lib/arena.h"
#include "tools/heddle/cmd.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char limits[] = "[kernel \"*\"]\ncycles <= 100\nipc >= 1\n";
	struct hd_arena arena;
	hd_arena_init(&arena);
	const char *path = hd_arena_printf(&arena, "%s", fuzz_file(bytes, size, ".json"));
	const char *budget = fuzz_file((const uint8_t *)limits, strlen(limits), ".ini");
	fuzz_command(cmd_report, path, NULL);
	fuzz_command(cmd_report, "--format", "data", path, NULL);
	fuzz_command(cmd_explain, path, path, NULL);
	fuzz_command(cmd_check, "--budget", budget, path, NULL);
	hd_arena_release(&arena);
	return 0;
}
