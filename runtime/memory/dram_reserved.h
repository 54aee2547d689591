/*
 * A DRAM channel whose commands are settled when a request comes (memory = reserved).
 */
#ifndef HD_RUNTIME_MEMORY_DRAM_RESERVED_H
#define HD_RUNTIME_MEMORY_DRAM_RESERVED_H

#include "runtime/memory/dram.h"

struct hd_dram_reserved;

struct hd_dram_reserved *hd_dram_reserved_new(const struct hd_dram *dram, struct hd_arena *arena);
/* The first core cycle, `now` or later, in which a request may have left the queue where that is full now, which
 * hd_dram_room then tells. */
uint64_t hd_dram_reserved_room(struct hd_dram *dram, enum hd_dram_mode mode, uint64_t now);
/* Reads sectors of the line that is number `in_slice` of `slice`. Returns the core cycle at which they are there. */
uint64_t hd_dram_reserved_read(struct hd_dram *dram, uint64_t now, uint32_t slice, uint64_t in_slice, uint8_t sectors,
			       uint8_t grid);
void hd_dram_reserved_write(struct hd_dram *dram, uint64_t now, uint32_t slice, uint64_t in_slice, uint8_t sectors,
			    uint8_t grid);
/* With dram_write_early: the core cycle at which writes that wait may go if no read has come, or HD_NEVER; and that,
 * in that cycle. */
uint64_t hd_dram_reserved_due(const struct hd_dram *dram);
void hd_dram_reserved_tick(struct hd_dram *dram, uint64_t now);
void hd_dram_reserved_disown(struct hd_dram *dram, uint32_t grid);
void hd_dram_reserved_dump(const struct hd_dram *dram, uint32_t channel, FILE *out);

#endif
