/*
 * Accesses to the shared memory of other blocks of a cluster, and what warps do to their clusters (remote.c).
 */
#ifndef HD_RUNTIME_EXEC_REMOTE_H
#define HD_RUNTIME_EXEC_REMOTE_H

#include "runtime/core/cluster.h"
#include "runtime/exec/exec.h"

/* An access; an operation on barriers (SYNCS); an access that tells a barrier (STAS, REDAS). */
enum hd_remote_kind { HD_REMOTE_ACCESS, HD_REMOTE_SYNC, HD_REMOTE_TELLS };

/* A warp's access, from its issue until it arrives: host addresses, checked, and operands as they were. */
struct hd_remote {
	struct hd_remote *next;	 /* of the free ones */
	struct hd_remote *other; /* of all that the SM has */
	bool under_way;
	struct hd_remotes *of;
	const struct hd_dinst *inst;
	struct hd_warp *warp; /* of what has a result; else it may have ended, and be another block's */
	struct hd_cta *cta;
	uint32_t index; /* the warp's, in its block */
	uint64_t age;
	struct hd_cluster *cluster;
	uint32_t mask;
	enum hd_remote_kind kind;
	uint64_t host[HD_WARP_LANES];
	uint8_t *barrier[HD_WARP_LANES]; /* of HD_REMOTE_TELLS */
	uint8_t rank[HD_WARP_LANES];	 /* of SYNC and TELLS: whose barrier it is */
	union {
		uint32_t rows[4][HD_WARP_LANES]; /* of SYNC: in the first, counts */
		struct hd_atomic_operands operands[HD_WARP_LANES];
	};
};

/* Of an SM. */
struct hd_remotes {
	struct hd_arena *arena;
	struct hd_remote *free, *all;
	HD_VEC(struct hd_cluster_event) events; /* since the GPU last looked */
};

/* The SM gets its first cluster. */
void hd_remotes_prepare(struct hd_exec *exec, struct hd_arena *arena);
void hd_remotes_release(struct hd_exec *exec);
/*
 * An access of a lane to a shared address whose upper byte names a block. Returns the host's address, NULL: it has
 * faulted. `*remote`: it is another block's, and `*timing` a place as hd_remote_address has it.
 */
uint8_t *hd_remote_find(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint32_t address,
			uint64_t *timing, bool *remote);
/* Whether accesses take effect when they arrive, not at once. */
static inline bool hd_remote_waits(const struct hd_exec *exec)
{
	return exec->remotes && !exec->gpu->functional;
}
/* The lanes' accesses are put off: effect->remote. Addresses are in `host`. */
void hd_remote_put_off(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lanes, const uint64_t *host);
/* SYNCS on barriers of other blocks in these lanes, whose `host` and `rank` are known. The same. */
void hd_remote_sync(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lanes, const uint64_t *host,
		    const uint8_t *rank);
/* One arrives: it takes effect, and is forgotten. Returns the ranks of the blocks whose barriers it has changed, a bit
 * each. */
uint32_t hd_remote_do(struct hd_exec *exec, struct hd_remote *remote);
/* It is forgotten without. */
void hd_remote_drop(struct hd_remote *remote);
/* Lanes of exec->warp, whose block is in a cluster, arrive at its barrier, or exit. */
void hd_cluster_note(struct hd_exec *exec, uint32_t lanes, enum hd_cluster_event_kind kind);

#endif
