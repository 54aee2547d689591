/*
 * Host threads that share pieces of work (crew.c).
 */
#ifndef HD_RUNTIME_GPU_CREW_H
#define HD_RUNTIME_GPU_CREW_H

#include <stdbool.h>
#include <stdint.h>

struct hd_crew;
enum { HD_CREW_MOST_PIECES = 65535 };

/* A crew of so many threads, the caller among them; where the host gives fewer there are fewer. */
struct hd_crew *hd_crew_new(uint32_t threads);
void hd_crew_free(struct hd_crew *crew);
/* Whether this is the process that made it: one that forked from that has none of its threads. */
bool hd_crew_is_here(const struct hd_crew *crew);
/* work(context, i) for each i below `count`, in any order by any thread; returns when all are done. What the caller
 * wrote before is seen by all, and what they wrote by the caller. Always by one caller at a time. */
void hd_crew_run(struct hd_crew *crew, uint32_t count, void (*work)(void *context, uint32_t index), void *context);
/* Processors that this process may run on. */
uint32_t hd_crew_processors(void);

#endif
