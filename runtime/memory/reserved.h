/*
 * The memory system with memory = reserved: what becomes of a packet is settled when it comes to the head of its SM's
 * queue.
 */
#ifndef HD_RUNTIME_MEMORY_RESERVED_H
#define HD_RUNTIME_MEMORY_RESERVED_H

#include <stdio.h>

#include "runtime/memory/packet.h"

struct hd_arena;
struct hd_config;
struct hd_memory;
struct hd_reserved;

struct hd_reserved *hd_reserved_new(struct hd_memory *memory, const struct hd_config *config, struct hd_arena *arena);
/* The work of core cycle `now`; sets the memory's `next`. */
void hd_reserved_step(struct hd_memory *memory, uint64_t now);
/* The next cycle with work after `now`, which was done; HD_NEVER. */
uint64_t hd_reserved_next(const struct hd_memory *memory, uint64_t now);
void hd_reserved_dump(const struct hd_memory *memory, FILE *out);

#endif
