/*
 * What the fuzz targets share. Each file test/fuzz/targets/NAME.c defines LLVMFuzzerTestOneInput for one kind of input,
 * and is built in two ways: with libFuzzer and sanitizers (make fuzz TARGET=NAME), and with replay.c, which runs given
 * files and damaged copies of them, as the tests do. A target may do anything with its input but crash, hang, leak
 * memory or fail an assertion.
 */
#ifndef HD_TEST_FUZZ_TARGETS_FUZZ_H
#define HD_TEST_FUZZ_TARGETS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Writes the input to a file whose name ends in `suffix`; the next call overwrites it. Its path is valid until then. */
const char *fuzz_file(const uint8_t *bytes, size_t size, const char *suffix);
/* A diagnostic that formats messages, so that what they print is read, and drops them. */
struct hd_diag fuzz_diag(void);
/* Runs a subcommand of heddle (commands.def) with arguments up to NULL, without its output. Returns its status; a
 * status other than 0, 1 and 2 aborts. */
int fuzz_command(int (*run)(int argc, char **argv), ...) __attribute__((sentinel));

#endif
