/*
 * What the files of --check share. Private to runtime/check.
 */
#ifndef HD_RUNTIME_CHECK_STATE_H
#define HD_RUNTIME_CHECK_STATE_H

#include "lib/hash.h"
#include "runtime/check/check.h"
#include "runtime/check/shadow.h"

struct hd_bulk;

/* Those of a block, and behind them the cluster's. */
enum { HD_CHECK_CLUSTER = 16, HD_CHECK_BARRIERS, HD_CHECK_OPEN_SYNCS = 4 };

/* ---- findings.c */

enum hd_finding_kind {
	HD_FOUND_READ_AFTER_WRITE,
	HD_FOUND_WRITE_AFTER_READ,
	HD_FOUND_WRITE_AFTER_WRITE,
	HD_FOUND_UNWRITTEN, /* memory that nothing wrote */
	HD_FOUND_SHUFFLE,   /* a value of a lane that was not there */
	HD_FOUND_BARRIER,
	HD_FOUND_WARPSYNC,
	HD_FOUND_OUTSIDE, /* of a variable */
	HD_FOUND_HEAP,	  /* outside of a block of the heap */
	HD_FOUND_FREED,	  /* in one that was freed */
	HD_FOUND_LEAK,
	HD_FOUND_COUNT
};

/* Of what is found: the place and thread where it shows, and those that it has to do with. */
struct hd_finding {
	enum hd_finding_kind kind;
	uint32_t pc, other_pc;	     /* other_pc: HD_PC_NONE where there is none */
	uint32_t thread, other;	     /* in the block; other: UINT32_MAX where there is none */
	uint32_t block[3], shape[3]; /* of the block */
	uint32_t other_block;	     /* 1 + number of the other thread's, where it may be another one; 0: the same */
	uint32_t grid[3];
	uint32_t bytes;
	uint8_t space;	    /* enum hd_mem_space */
	uint64_t address;   /* offset in shared memory, or device address */
	uint64_t low, size; /* what lies there: a variable, a block of the heap */
	const struct hd_kernel *kernel;
	const char *what; /* words for the message; of static duration */
	uint32_t lanes;	  /* absent ones */
	uint64_t count;
	bool told, repeated; /* repeated: an earlier one is of the same places in the source */
};
/* Counts it, where it is known, and else keeps it. `warp` and `lane` are where it shows. */
void hd_check_found(struct hd_check *check, const struct hd_warp *warp, uint32_t lane, struct hd_finding finding);
/* Fills in where; keeps one that has that already, which an SM has found, or nobody on an SM. */
void hd_finding_place(struct hd_finding *finding, const struct hd_warp *warp, uint32_t lane);
void hd_check_found_by(struct hd_check *check, const struct hd_sm *sm, const struct hd_finding *finding);
void hd_check_found_at(struct hd_check *check, const struct hd_finding *finding);
/* The cycle of an SM, or in a run without timing what grows likewise. */
uint64_t hd_check_cycle(const struct hd_sm *sm);
/* Prints what is new. */
void hd_check_tell(struct hd_check *check);

/* ---- clocks.c: which accesses of a block's threads are ordered */

struct hd_clocks {
	uint32_t warps;
	uint32_t all, own; /* warps of the cluster, block by block; the first of this block's among them */
	uint32_t *now;	   /* of each warp: grows with everything that orders its accesses */
	uint32_t *known;   /* [warp][other of all]: up to when what the other did is before what the warp does now */
	uint32_t *fenced;  /* the same at the warp's last fence */
	bool *has_fence;
	uint32_t *ended;				 /* [warp of all]: what warps that have ended did */
	uint32_t *barriers;				 /* [barrier][warp of all]: what those did that have arrived */
	uint32_t (*lanes)[HD_WARP_LANES][HD_WARP_LANES]; /* [warp][lane][other lane]: as `known` inside a warp */
	uint32_t *place_of;	   /* [word of shared memory]: 1 + index of what was released there */
	HD_VEC(uint32_t) released; /* [index][warp of all]; index 0: global memory */
};
/* Of the block of a rank, where the cluster has so many; without one 0 of 1. */
void hd_clocks_begin(struct hd_clocks *clocks, uint32_t warps, uint32_t words, uint32_t rank, uint32_t ranks);
void hd_clocks_release(struct hd_clocks *clocks);
/* Is what `other_lane` of `other` did at `when` before what the lane does now? */
static inline bool hd_clocks_ordered(const struct hd_clocks *clocks, uint32_t warp, uint32_t lane, uint32_t other,
				     uint32_t other_lane, uint32_t when)
{
	if (warp != other)
		return clocks->known[warp * clocks->all + clocks->own + other] >= when;
	return lane == other_lane || clocks->lanes[warp][lane][other_lane] >= when;
}
void hd_clocks_warpsync(struct hd_clocks *clocks, uint32_t warp, uint32_t lanes);
void hd_clocks_fence(struct hd_clocks *clocks, uint32_t warp);
/* A strong access of a lane; `word`: of the shared memory of the block with the clocks `at`, UINT32_MAX: somewhere in
 * global memory. */
void hd_clocks_strong(struct hd_clocks *clocks, struct hd_clocks *at, uint32_t warp, uint32_t lane, uint32_t word,
		      uint32_t sem, bool reads, bool writes);
void hd_clocks_arrive(struct hd_clocks *clocks, uint32_t warp, uint32_t barrier);
void hd_clocks_depart(struct hd_clocks *clocks, uint32_t warp, uint32_t barrier);
void hd_clocks_end(struct hd_clocks *clocks, uint32_t warp);

/* ---- state of blocks and warps */

struct hd_known; /* global.c: what is known of other blocks; NULL: nothing */

/* An access to a word of shared memory, of lanes of one warp in one instruction. */
struct hd_kept_access {
	uint32_t pc, when, lanes, value;
	uint32_t group;	     /* of an asynchronous copy, from 1 on; 0: none */
	uint32_t block;	     /* its number in the grid */
	uint8_t warp, bytes; /* bytes: a bit each */
	bool write, strong, atomic;
};
/* Those of a word that were reads, or writes: see kept.c. Zeros are an empty list. */
struct hd_kept_list {
	struct hd_kept_access one, *more; /* one: while cap is 0 */
	uint32_t len, cap;
};
struct hd_word_check {
	struct hd_kept_list reads, writes;
};
static inline struct hd_kept_access *hd_kept_data(const struct hd_kept_list *list)
{
	return list->cap ? list->more : (struct hd_kept_access *)(uintptr_t)&list->one;
}
/* Room for accesses beside the first of a list, of all words together; what found none. */
struct hd_kept_room {
	uint64_t used, most, dropped;
};
/* Half a gibibyte for global memory, 14 MiB for the shared memory of a block. */
enum { HD_MOST_KEPT = 16 << 20, HD_MOST_KEPT_SHARED = 1 << 19 };
void hd_kept_of_warp(const struct hd_kept_list *list, uint32_t block, uint32_t warp, uint32_t *from, uint32_t *to);
/* Joins an access of one instruction with those of other lanes. */
void hd_kept_add(struct hd_kept_list *list, const struct hd_kept_access *access, struct hd_kept_room *room);
/* Of these, those without lanes leave the list. */
void hd_kept_tidy(struct hd_kept_list *list, uint32_t from, uint32_t to);
void hd_kept_release(struct hd_word_check *word, struct hd_kept_room *room);

/* Groups of asynchronous copies of a warp: the open one, up to which it has waited, and when, of the last of these. */
struct hd_copies_check {
	uint32_t open, waited;
	uint32_t when[HD_COPY_GROUPS];
};

/* A barrier, or an operation that waits, that some of the warp have not come to. */
struct hd_open_sync {
	uint32_t members, came, pc; /* members 0: none */
	uint32_t other_pc;	    /* where the first that was missing was then */
	bool meeting;		    /* an operation that waits */
	uint32_t meets_at;	    /* where its path meets that of the others; HD_PC_NONE: nowhere */
	uint32_t passed, acted;	    /* of those that are missing: who has been there, and has done something since */
};
/* Lanes that were at a place: at a barrier, or did something there while others were elsewhere. */
struct hd_visit {
	uint32_t pc, lanes; /* lanes 0: none */
};
enum { HD_CHECK_VISITS = 16 };
struct hd_visits {
	struct hd_visit at[HD_CHECK_VISITS];
	uint32_t next;
};

/* All that there are of a warp have passed an operation, and some have ended. */
struct hd_passing {
	uint32_t came, pc; /* came 0: none */
	uint32_t named;	   /* by any of those that came */
	uint32_t looks;	   /* left */
	bool barrier;
};

struct hd_sync_check {
	struct hd_open_sync open[HD_CHECK_OPEN_SYNCS];
	struct hd_visits barriers, apart; /* apart: what was done while others were elsewhere, by lanes that since then
					     have not been together with all others */
	struct hd_passing passing;
	uint32_t next_open;
};

struct hd_warp_check {
	struct hd_sync_check sync;
	struct hd_known *known, *fenced; /* now, and at the last fence */
	uint32_t here;		 /* who executed the last vote .HERE, for whom an atomic operation of a warp is */
	struct hd_values values; /* the last, and there under --check=init alone */
};

/* Of a block of a cluster, by warp: up to when what it did is before its last arrival at the cluster's barrier; it has
 * come to the wait, behind which it knows what the others did. */
struct hd_cluster_check {
	uint32_t *arrived;
	bool *departs;
};

/* Groups of copies in bulk of a warp that have ended, and the agent's time of the last copy of each (bulk.c); [0]: of
 * the warp's last one. */
struct hd_bulk_groups_check {
	uint32_t ended, when[1 + HD_COPY_GROUPS];
};
/* What the thread knew that began a copy in bulk. */
struct hd_bulk_check {
	HD_VEC(uint32_t) known;
};

/* Its clocks have one more warp than the block: the agent of copies in bulk. */
struct hd_block_check {
	struct hd_clocks clocks;
	struct hd_word_check *words;
	uint32_t word_count;
	struct hd_kept_room room;		  /* of these */
	struct hd_copies_check *copies;		  /* by warp, the agent's behind them */
	struct hd_bulk_groups_check *bulk_groups; /* by warp */
	uint32_t *proxied;			  /* [warp][other]: what it knew at its last proxy fence */
	struct hd_cluster_check cluster;
	struct hd_fresh fresh; /* of shared memory */
	uint32_t shared_bytes;
	struct hd_known *known;			      /* what any warp has learned */
	struct hd_known *barriers[HD_CHECK_BARRIERS]; /* what those know that have arrived */
	struct hd_known *fences[HD_CHECK_BARRIERS];   /* and what their last fences were behind */
};

/* Global memory, by words: what was accessed in this kernel, and what was released there. */
struct hd_global_check {
	struct hd_map word_of, place_of;
	HD_VEC(struct hd_word_check) words;
	HD_VEC(struct hd_known *) places;
};

/* A block of the device's heap. */
struct hd_heap_block {
	uint64_t low, bytes;
	uint32_t pc, freed_pc; /* freed_pc: of what is freed */
	bool freed;
	struct hd_finding by; /* who asked for it, where */
};

/* A race of a read with an atomic operation: which word, and who reads it. */
struct hd_guess {
	struct hd_finding finding;
	uint64_t word; /* address / 4 */
	uint32_t block, thread;
	uint8_t space;
	uint64_t cycle; /* when it was first held, and on which SM */
	uint32_t sm, number;
};

/* What an SM has found in the window under way, its first cycle with it. */
struct hd_noted {
	uint64_t cycle;
	struct hd_finding finding;
};

/* What belongs to an SM, and is its thread's in a window. */
struct hd_sm_check {
	HD_VEC(struct hd_guess) guesses;
	HD_VEC(struct hd_noted) noted;
	uint32_t collected;		    /* of these */
	HD_VEC(struct hd_bulk_check) bulks; /* by number of the copy */
};

struct hd_check {
	struct hd_gpu *gpu;
	HD_VEC(struct hd_heap_block) heap; /* by address */
	struct hd_global_check global;
	struct hd_kept_room room; /* of words of global memory; dropped: of all */
	uint32_t kinds;
	struct hd_sm_check *sms;
	struct hd_warp_check **warps; /* by SM and slot */
	struct hd_block_check **blocks;
	struct hd_fresh fresh; /* of device memory */
	uint64_t fresh_bytes;
	struct hd_map handed;		     /* handed.c: 8 bytes of device memory -> index of the store */
	HD_VEC(struct hd_finding) handed_by; /* such stores */
	HD_VEC(struct hd_finding) findings;
	struct hd_hash_set places; /* of the findings that repeat no other */
	uint32_t joined;	   /* findings that have been told, and are in it */
	uint64_t not_kept;	   /* found when there was no room for another place */
	uint64_t launches;
};

/* ---- guess.c: reads whose value a compare-and-swap of the same thread looks at again */

/* A race that the block found. False: there is no room, and it is to be told. */
bool hd_guess_hold(struct hd_check *check, const struct hd_cta *cta, const struct hd_finding *finding,
		   const struct hd_guess *guess);
/* A thread of the block has swapped this word; of `guess` the word and the thread count. */
void hd_guess_swapped(struct hd_check *check, const struct hd_cta *cta, struct hd_word_check *word,
		      const struct hd_guess *guess);
/* A fault came before cycle `end`: those since then are void. */
void hd_guess_void(struct hd_check *check, uint64_t end);
/* The block is on another SM from now on. */
void hd_guess_moved(struct hd_check *check, const struct hd_cta *from, const struct hd_cta *to);
/* A kernel has ended: what is still held is a race. */
void hd_guess_end(struct hd_check *check);

struct hd_warp_check *hd_check_warp(struct hd_check *check, const struct hd_warp *warp);
struct hd_block_check *hd_check_block_of(const struct hd_check *check, const struct hd_cta *cta);

/* An access as the lanes of exec->mask make it. */
struct hd_accesses {
	uint8_t space[HD_WARP_LANES];	 /* enum hd_mem_space */
	uint64_t address[HD_WARP_LANES]; /* offsets in shared and local memory */
	/* In a cluster: whose shared memory each lane accesses. */
	bool in_cluster;
	const struct hd_cta *owner[HD_WARP_LANES];
};

/* Is what warp `other` of a block of the cluster did at `when` before what a warp of the block does now? */
bool hd_check_cluster_ordered(const struct hd_check *check, const struct hd_cta *cta, uint32_t warp, uint32_t block,
			      uint32_t other, uint32_t when);

/* ---- global.c: what is ordered between blocks */

/* Is what warp `other` of a block did at `when` before what the warp does now? */
bool hd_global_ordered(const struct hd_check *check, const struct hd_warp *warp, uint32_t block, uint32_t other,
		       uint32_t when);
/* Before the same of clocks.c: a fence of the GPU's scope, a strong access to global memory, one to shared memory. */
void hd_global_fence(struct hd_check *check, const struct hd_warp *warp);
void hd_global_strong(struct hd_check *check, const struct hd_warp *warp, uint64_t address, uint32_t sem,
		      uint32_t scope, bool reads, bool writes);
void hd_global_shared_strong(struct hd_check *check, const struct hd_warp *warp);
void hd_global_arrive(struct hd_check *check, const struct hd_warp *warp, uint32_t barrier);
void hd_global_depart(struct hd_check *check, const struct hd_warp *warp, uint32_t barrier);
void hd_global_released(struct hd_block_check *block, uint32_t barrier); /* all have departed */
/* The same of a cluster's barrier, before that of clocks.c; a warp learns from each of its blocks. */
void hd_global_cluster_arrive(struct hd_check *check, const struct hd_warp *warp);
void hd_global_cluster_learn(struct hd_check *check, const struct hd_warp *warp, const struct hd_block_check *block);
void hd_global_forget_block(struct hd_block_check *block);
void hd_global_forget_warp(struct hd_warp_check *warp);
/* What is kept of the accesses to a word; valid until the next call. */
struct hd_word_check *hd_global_word(struct hd_check *check, uint64_t address);
void hd_global_forget(struct hd_check *check, uint64_t address, uint64_t bytes);
/* A kernel begins. */
void hd_global_begin(struct hd_check *check);
void hd_global_release(struct hd_check *check);

void hd_check_race(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
		   const struct hd_accesses *accesses);
/* An asynchronous copy: as hd_check_race, of where it writes; the end of a group, and a wait, of a warp. */
void hd_check_copies(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst);
/* What a copy in bulk does to the words of a block, as the block's agent. */
struct hd_bulk_access {
	const struct hd_bulk *bulk;
	uint32_t first, bytes, lane, when;
	bool write, compares, keeps;
};
void hd_check_race_bulk(struct hd_check *check, const struct hd_exec *exec, struct hd_block_check *block,
			const struct hd_bulk_access *bulk);
/* bulk.c: an end of a group, a wait or a proxy fence; whether what a warp wrote at `when` is there for copies that
 * another one begins. */
void hd_check_bulk_step(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst);
bool hd_check_is_proxied(const struct hd_block_check *block, uint32_t reader, uint32_t writer, uint32_t when);
void hd_check_bounds(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
		     const struct hd_accesses *accesses);
void hd_check_leaks(struct hd_check *check);
void hd_check_init(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
		   const struct hd_accesses *accesses);
void hd_check_sync(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst);

#endif
