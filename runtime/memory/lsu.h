/*
 * The load/store unit of one SM, as lsu.c (instructions come and go), lsu_front.c (the first of
 * them is served) and lsu_port.c (packets) share it.
 */
#ifndef HD_RUNTIME_MEMORY_LSU_H
#define HD_RUNTIME_MEMORY_LSU_H

#include "runtime/memory/completions.h"
#include "runtime/memory/dsm.h"
#include "runtime/memory/l1.h"
#include "runtime/memory/system.h"

enum { HD_LSU_BANKS = 32, HD_LSU_LIST_END = 255 };
enum { HD_LSU_ORDINARY, HD_LSU_LOW, HD_LSU_BULK, HD_LSU_LINES };

/* Line accesses of a request whose owner has made them (hd_lsu_keep_lines), as hd_coalesce_runs gives them. */
struct hd_lsu_lines {
	uint16_t count;
	uint16_t next_free; /* its number; 0: the last */
	uint64_t line[2 * HD_MEM_MOST_RUNS];
};

/* A queued instruction, coalesced when it came. */
struct hd_lsu_waiting {
	uint64_t issued, ready;
	const void *origin;
	uint32_t token;
	uint32_t accesses; /* where its line accesses begin; of those to other SMs the number */
	uint16_t count;	   /* of them; of shared instructions the cycles, of those to other SMs the parts */
	uint16_t group, place, copy;
	uint16_t lines; /* the number of what has its accesses; 0: they are in the ring */
	uint8_t space, kind, class, cache, grid, bypass;
};

/* A global or local instruction from its first line access on. */
struct hd_lsu_inflight {
	uint64_t issued, due;
	const void *origin;
	uint32_t token;
	union {
		uint32_t remaining; /* line accesses */
		uint32_t next;	    /* of the free ones */
	};
	uint16_t group, copy;
	uint8_t kind, grid;
	bool missed; /* told */
};

/* Instructions of one grid, and how far the first of them is. */
struct hd_lsu_front {
	uint64_t stalled_since; /* HD_NEVER */
	uint64_t begun;		/* of the head: its first cycle */
	struct hd_access *head; /* accesses of the instruction under way, in a list a bank */
	uint32_t banks_left;	/* banks with accesses to do */
	uint32_t current;	/* inflight index of the head, or HD_NONE before it starts */
	struct hd_l1_request part;
	uint32_t given; /* of the head's accesses, to the banks: where they are not in the ring, some at a time */
	struct hd_access *given_out; /* these */
	uint8_t bank_first[HD_LSU_BANKS], bank_last[HD_LSU_BANKS];
	struct hd_l1_lacks bank_lacks[HD_LSU_BANKS]; /* of its first access */
	uint8_t lacks_packets; /* while it stalls: no bank goes on before there is room for so many packets; 0: unknown
				*/
	struct hd_lsu_waiting *queue;
	uint32_t mask, first, end;
	/* Of queued instructions, HD_MAX_ACCESSES for each place; and the places that are free, the last one next. */
	struct hd_access *accesses;
	uint16_t *places;
	uint32_t places_free;
};

enum { HD_LSU_CLAIMS = 64 };

struct hd_lsu {
	struct hd_memory *memory;
	uint32_t sm;
	struct hd_lsu_watch watch;
	struct hd_counters *grids;    /* of each grid, */
	struct hd_counters *counters; /* and of the one at the front */
	struct hd_coalescer coalescer;
	struct hd_l1 l1;
	struct hd_completions completions;
	struct hd_completions copies; /* that have their data: inflight index, and when shared memory may take them */
	uint32_t *pending_stores;     /* by group */
	uint32_t group_count;
	uint32_t pending[HD_MEM_GRIDS]; /* global and local requests of each grid */
	/* instructions */
	struct hd_lsu_front *fronts[HD_MEM_GRIDS]; /* NULL: the SM has not had a grid there */
	uint32_t filled;			   /* bit a grid with queued instructions */
	uint32_t stalled;			   /* bit a grid whose first one waits for L1 or a place under way */
	uint32_t woken;				   /* of these, those that may have got it since they were looked at */
	uint32_t capacity, share;		   /* places for instructions; for those of a grid */
	struct hd_lsu_lines *kept;		   /* by number; NULL: nobody keeps any */
	uint32_t kept_count;
	uint16_t free_kept; /* 0: none */
	struct hd_lsu_inflight *inflight;
	struct hd_pool inflight_pool;
	uint32_t inflight_count;
	uint32_t room;	     /* sectors that this cycle can still move */
	uint64_t front_free; /* first cycle of the next instruction, */
	const void *holder;  /* and the origin of what it waits for */
	/* What takes shared memory from some cycle on, before instructions do: products of warpgroups. */
	struct hd_lsu_claim {
		uint64_t from;
		const void *origin;
		uint32_t cycles;
	} claims[HD_LSU_CLAIMS];
	uint32_t claimed, settled; /* so far: the last HD_LSU_CLAIMS are kept */
	/* Places of instructions that are not in the queue any more, until told: in a tick those of some grids. */
	uint16_t taken[HD_MEM_GRIDS];
	uint8_t taken_count;
	bool tells_taken;
	/* packets */
	uint64_t next_reply; /* first cycle in which a reply can be taken: one a cycle */
	uint32_t turn;	     /* grid whose packet goes next where several are ready */
	bool freed;	     /* the grid's part of the queues has grown */
	bool refused;	     /* a policy let no packet go in this cycle */
	/* transfers */
	struct hd_packets lines[3];	      /* to go, of ordinary and of low priority; of copies in bulk */
	bool line_next;			      /* after a packet of the program an ordinary one */
	uint32_t lines_under_way, lines_most; /* under way: also those of copies in bulk */
	uint32_t *lines_done;		      /* tags, a ring */
	uint32_t done_mask, done_first, done_end;
	uint32_t bulk_under_way;
	uint32_t *bulk_done; /* tags, a ring */
	uint32_t bulk_mask, bulk_first, bulk_end;
	struct hd_dsm_port *port; /* to other SMs; NULL: it has had no cluster */
	/* configuration */
	struct hd_flits flits;
	uint32_t sector_bytes;
	uint32_t banks, ports, sectors, shared_banks, shared_width, shared_latency, l1_latency;
	bool shared_pairs;
	uint32_t copy_latency;	 /* from an L1's answer to shared memory */
	uint32_t interval;	 /* between instructions */
	uint32_t atomic_latency; /* beside that of a load */
	uint64_t l1_bytes, l1_ways;
	bool unified;
};

static inline bool hd_lsu_is_store(uint8_t kind)
{
	return kind == HD_MEM_STORE || kind == HD_MEM_REDUCTION;
}

/* The first instruction of a grid that has some. */
static inline const struct hd_lsu_waiting *hd_lsu_head(const struct hd_lsu_front *front)
{
	return &front->queue[front->first & front->mask];
}

static inline void hd_lsu_complete(struct hd_lsu *lsu, uint32_t token, uint64_t cycle)
{
	if (token != UINT32_MAX)
		hd_completions_add(&lsu->completions, cycle, token);
}

/* Tokens of stores to other SMs that are acknowledged, of which nobody else knows. */
#define HD_LSU_ACKNOWLEDGED 0x80000000u
/* What first instructions wait for may be there. They are looked at when the front gets to them, not only now. */
static inline void hd_lsu_wake(struct hd_lsu *lsu)
{
	lsu->woken = lsu->stalled;
}

/* All that an instruction under way does is done at `cycle`. */
void hd_lsu_end(struct hd_lsu *lsu, uint32_t index, uint64_t cycle);
/* What hd_lsu_keep_lines gave is not needed any more. */
void hd_lsu_release_lines(struct hd_lsu *lsu, uint16_t number);
/* One line access of an instruction is done, with data at `cycle`. */
void hd_lsu_access_done(struct hd_lsu *lsu, uint32_t index, uint64_t cycle);
/* lsu_port.c: the first reply is taken, if it may be; packets go to the crossbar. Whether one was, did. */
bool hd_lsu_take_reply(struct hd_lsu *lsu, const struct hd_packet *reply, uint64_t now);
bool hd_lsu_send_packets(struct hd_lsu *lsu, uint64_t now);
void hd_lsu_init_lines(struct hd_lsu *lsu, const struct hd_config *config, struct hd_arena *arena);
/* The next cycle in which the first packet of a queue may go; HD_NEVER. It may be past. */
static inline uint64_t hd_lsu_departure_from(const struct hd_lsu *lsu, const struct hd_packets *queue, uint64_t now)
{
	const struct hd_packet *packet = hd_packets_front(queue);
	if (!packet)
		return HD_NEVER;
	return packet->ready > now ? packet->ready : hd_crossbar_room_at(&lsu->memory->up, lsu->sm);
}
uint64_t hd_lsu_departure_of_all(const struct hd_lsu *lsu, uint64_t now);
/* The same of all packets. */
static inline uint64_t hd_lsu_departure(const struct hd_lsu *lsu, uint64_t now)
{
	uint32_t waiting = lsu->l1.waiting;
	if (lsu->lines_under_way || lsu->refused || waiting & (waiting - 1))
		return hd_lsu_departure_of_all(lsu, now);
	return waiting ? hd_lsu_departure_from(lsu, &lsu->l1.out[__builtin_ctz(waiting)], now) : HD_NEVER;
}

#endif
