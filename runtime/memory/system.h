/*
 * The memory system behind the load/store units, as memory.c and lsu.c share it.
 */
#ifndef HD_RUNTIME_MEMORY_SYSTEM_H
#define HD_RUNTIME_MEMORY_SYSTEM_H

#include "runtime/memory/address_map.h"
#include "runtime/memory/agenda.h"
#include "runtime/memory/crossbar.h"
#include "runtime/memory/dram.h"
#include "runtime/memory/l2.h"
#include "runtime/memory/memory.h"

struct hd_memory {
	struct hd_address_map map;
	struct hd_crossbar up, down; /* SMs to slices, slices to SMs */
	struct hd_l2_slice *slices;
	struct hd_dram *channels;
	struct hd_packet_pool low; /* requests of low priority in slices */
	uint32_t slice_count, channel_count, sm_count, line_bytes;
	uint64_t *slice_next; /* core cycle at which each slice wants to work, HD_NEVER */
	bool large;	      /* more than the host's caches hold: what units look at is fetched for many together */
	uint16_t *visited;    /* slices with work in the cycle */
	struct hd_agenda slice_agenda, channel_agenda;
	uint64_t next;	  /* cycle with work, HD_NEVER */
	uint64_t last;	  /* cycle that had some */
	uint64_t *worked; /* slices that have had work since they and their channels were found idle, a bit each */
	struct hd_counters counters[HD_MEM_GRIDS + 1]; /* the last: HD_MEM_NOBODY */
	uint32_t launches[HD_MEM_GRIDS];	       /* that have had each number */
	struct hd_reserved *reserved;		       /* memory = reserved; else NULL */
};

#endif
