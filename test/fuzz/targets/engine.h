/*
 * An object in the simulator, for the targets `code` and `run`.
 */
#ifndef HD_TEST_FUZZ_TARGETS_ENGINE_H
#define HD_TEST_FUZZ_TARGETS_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/* Loads the object and launches its kernels one after the other, with a buffer's address as each parameter of eight
 * bytes, on a GPU of two SMs. `choice` picks the policy, whether annotations are verified, and whether errors of the
 * program are looked for. A launch ends after some thousand cycles. */
void fuzz_simulate(const uint8_t *bytes, size_t size, unsigned choice);

#endif
