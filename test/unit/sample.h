/* Samples that several unit tests share: random instructions, and a small object with everything in it. */
#ifndef HD_TEST_UNIT_SAMPLE_H
#define HD_TEST_UNIT_SAMPLE_H

#include "heddle/object.h"

/* A small deterministic generator (xorshift); the state is never 0. */
uint64_t sample_random(uint64_t *state);
/* A random instruction of this opcode that hd_inst_check accepts. */
struct hd_inst sample_inst(unsigned op, uint64_t *state);

/* Metadata of one kernel and two functions with every field set. */
struct hd_metadata sample_metadata(struct hd_arena *arena);
/*
 * An object with a kernel (branch, jump table, call, addresses), a function, variables in every space, undefined
 * symbols and relocations in code and data. hd_object_verify accepts it.
 */
struct hd_object sample_object(struct hd_arena *arena);
/* Where a section's contents are in the bytes of an object, and how many; NULL: there is none of that name. */
uint8_t *sample_section(uint8_t *object, const char *name, size_t *size);

#endif
