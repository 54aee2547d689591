/*
 * Objects of a kernel, and objects in the simulator.
 */
#ifndef HD_TEST_FUZZ_TARGETS_ENGINE_H
#define HD_TEST_FUZZ_TARGETS_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/* Loads the object and launches its kernels one after the other, with a buffer's address as each parameter of eight
 * bytes, on a GPU of two SMs. `choice` picks the policy, whether annotations are verified, and whether errors of the
 * program are looked for. A launch ends after some thousand cycles. */
void fuzz_simulate(const uint8_t *bytes, size_t size, unsigned choice);

/* Makes an object with a kernel `k` of these instructions, of 16 bytes each, and an exit; it takes one parameter of
 * eight bytes. The caller frees it. 0, or -1 where the verifier refuses the code. */
int fuzz_object(const uint8_t *bytes, size_t size, uint8_t **written, size_t *length);

#endif
