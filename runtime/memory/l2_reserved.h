/*
 * A slice of L2 that settles when it comes to a request as soon as the crossbar has taken that (memory = reserved).
 */
#ifndef HD_RUNTIME_MEMORY_L2_RESERVED_H
#define HD_RUNTIME_MEMORY_L2_RESERVED_H

#include "runtime/memory/l2.h"

struct hd_l2_reserved;

/* `room`: flits of the crossbar's queue in front of the slice. */
struct hd_l2_reserved *hd_l2_reserved_new(const struct hd_l2_slice *slice, uint32_t line_sectors, uint32_t queue,
					  uint32_t room, struct hd_arena *arena);
/* The first core cycle, `now` or later, in which the crossbar's queue has room for so many flits. */
uint64_t hd_l2_reserved_room(const struct hd_l2_slice *slice, uint32_t flits, uint64_t now);
/* A request that is there in core cycle `arrival`, behind all that came before it. Makes it its answer, with the cycle
 * from which that may leave; false: there is none, and `ready` is the cycle in which it is done. */
bool hd_l2_reserved_serve(struct hd_l2_slice *slice, struct hd_packet *packet, uint64_t arrival, struct hd_dram *dram);
void hd_l2_reserved_dump(const struct hd_l2_slice *slice, uint64_t now, FILE *out);

#endif
