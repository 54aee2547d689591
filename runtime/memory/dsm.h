/*
 * The network between the SMs of a GPC, for accesses to the shared memory of other blocks of a cluster (dsm.c).
 */
#ifndef HD_RUNTIME_MEMORY_DSM_H
#define HD_RUNTIME_MEMORY_DSM_H

#include "lib/vec.h"
#include "runtime/memory/memory.h"

struct hd_remote;
struct hd_config;

/* An access that has an answer or is acknowledged; what tells a barrier of its bytes; an operation on a barrier, which
 * is there after what its SM has stored before, and of which nobody hears. */
enum hd_dsm_form { HD_DSM_ACCESS, HD_DSM_TELLS, HD_DSM_SYNC };

/* An access of a warp, from the load/store unit's queue to its last answer. */
struct hd_dsm_access {
	struct hd_remote *what;
	uint64_t issued;
	uint64_t leaves;  /* cycle in which its load/store unit sends it */
	uint64_t arrived; /* in which the last of its parts has */
	uint64_t there;	  /* in which those that have left will be, at the latest */
	uint64_t done;	  /* in which its last answer is there */
	uint64_t order;	  /* of those of its SM; of HD_DSM_SYNC: of the next one */
	uint32_t waits;	  /* HD_DSM_SYNC: for so many accesses before it that have not left */
	uint32_t sm, token, number;
	uint16_t group;
	uint8_t grid, kind;
	enum hd_dsm_form form;
	uint8_t count, left; /* parts: lines of shared memory; of these, not arrived yet */
	uint8_t under_way;   /* of a store: parts that have left and not arrived */
	/* In the network's list of its SM's stores. */
	struct hd_dsm_access *slow_before, *slow_behind;
	uint64_t line[32];   /* hd_remote_address / HD_DSM_LINE */
	uint8_t sectors[32]; /* that it touches there, a bit each */
};
enum { HD_DSM_LINE = 128, HD_DSM_SECTOR = 32 };

/* Of an SM. */
struct hd_dsm_port {
	HD_VEC(struct hd_dsm_access *) all;
	HD_VEC(uint32_t) unused;	     /* numbers of these */
	HD_VEC(struct hd_dsm_access *) out;  /* sent since the network last looked */
	HD_VEC(struct hd_dsm_access *) held; /* HD_DSM_SYNC that wait, in their order */
	uint64_t entered;
	uint32_t queued[HD_MEM_GRIDS]; /* of each grid, in the load/store unit */
};

struct hd_dsm_port *hd_dsm_port_new(struct hd_arena *arena);
void hd_dsm_port_release(struct hd_dsm_port *port);
/* Sorts a request's addresses into parts; returns the access's number. */
uint32_t hd_dsm_add(struct hd_dsm_port *port, uint32_t sm, const struct hd_mem_request *request, uint64_t now);
/* What hd_dsm_add gave leaves the load/store unit in a cycle. */
void hd_dsm_leave(struct hd_dsm_port *port, struct hd_dsm_access *access, uint64_t cycle);
/* An operation on barriers, at the addresses of the request, leaves in a cycle, or behind the last access that its grid
 * has in the load/store unit. */
void hd_dsm_sync(struct hd_dsm_port *port, uint32_t sm, const struct hd_mem_request *request, uint64_t leaves);
void hd_dsm_forget(struct hd_dsm_port *port, struct hd_dsm_access *access);

struct hd_dsm;
struct hd_dsm *hd_dsm_new(const struct hd_config *config, struct hd_arena *arena);
void hd_dsm_release(struct hd_dsm *dsm);
/* What an SM has sent is on its way; SMs in the order of their numbers. */
void hd_dsm_take(struct hd_dsm *dsm, struct hd_dsm_port *port);
/* The next access all of whose parts arrive before cycle `until`, in the order of their arrival; its `done` is known
 * then. NULL: none does. */
struct hd_dsm_access *hd_dsm_next(struct hd_dsm *dsm, uint64_t until);
/* An SM sends so many bytes from `cycle` on, in whole sectors: the cycle in which all have arrived. */
uint64_t hd_dsm_send(struct hd_dsm *dsm, uint32_t sm, uint64_t cycle, uint32_t bytes);
/* The next cycle with work; HD_NEVER. */
uint64_t hd_dsm_due(const struct hd_dsm *dsm);
/* The least cycles from an access until it arrives, and until its answer does: nobody learns of it before. */
uint64_t hd_dsm_lead(const struct hd_config *config);

#endif
