/*
 * Watchers of a run: traces, profiles, --verify, --check and others. A watcher is a row of functions, one for each
 * event of watch.def that it wants, and is added to a GPU with its state. The rooms that an event comes from call
 * HD_TELL; they do not know who listens. Watchers are told in the order in which they were added.
 *
 * What a watcher keeps of a warp, block or grid lies at an offset of that one's watch_space, zeroed at the start of the
 * simulation (of grids: at their start), and is reached with one addition. A warp that nobody may watch has no such
 * space: what an observer computes with beside the program (a twin, streams without time).
 *
 * Cost: an event that nobody wants is one test of a bit in hd_gpu.watched.
 */
#ifndef HD_RUNTIME_CORE_WATCH_H
#define HD_RUNTIME_CORE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/core/cycle.h"

#define HD_MAX_WATCHERS 16

struct hd_bulk;
struct hd_cta;
struct hd_dinst;
struct hd_effect;
struct hd_exec;
struct hd_gpu;
struct hd_grid;
struct hd_inst;
struct hd_module;
struct hd_pfunction;
struct hd_sm;
struct hd_warp;
struct hd_watcher_handle;

#define HD_WATCH_UNPACK(...) __VA_ARGS__

/* What a policy has done to a block or a warp, or allows: HD_WATCH(noted), with what `value` is. */
#define HD_NOTE_LIST(X)                                                                                         \
	X(WARP_OUT, "warp out", "")		/* it gives up its slot, and registers as the policy says */    \
	X(WARP_IN, "warp in", "")		/* it has a slot again */                                       \
	X(BLOCK_OUT, "block out", "")		/* the same of a block, after its warps */                      \
	X(BLOCK_IN, "block in", "")                                                                             \
	X(BLOCK_KILLED, "block killed", "")	/* it will begin again */                                       \
	X(WARP_KILLED, "warp killed", "")                                                                       \
	X(CONTEXT_OUT, "context out", "bytes")	/* a transfer to memory has been asked for */                   \
	X(CONTEXT_IN, "context in", "bytes")                                                                    \
	X(QUOTA, "quota", "blocks")		/* that the grid may have on the SM, where a policy limits them */
enum hd_note {
#define X(name, text, unit) HD_NOTE_##name,
	HD_NOTE_LIST(X)
#undef X
		HD_NOTE_COUNT
};

struct hd_watcher {
	const char *name;
	uint32_t warp_bytes, cta_bytes, grid_bytes; /* of its state with each */
	bool stepwise; /* it sees instructions in their order: the SMs go cycle by cycle, on one thread */
	bool in_order; /* the same of kernels that may call the runtime (printf, malloc), or run in clusters */
	bool alone;    /* the same as `stepwise` while it is awake, and stores take effect at once */
	bool all_code; /* it shows code or metadata that does not run, so that everything is loaded */
	bool facts;    /* it uses hd_facts_at */
	bool one_grid; /* grids run one at a time */
#define HD_WATCH(event, parameters) void (*event)(const struct hd_watcher_handle *self, HD_WATCH_UNPACK parameters);
#include "runtime/core/watch.def"
#undef HD_WATCH
};

/* A watcher of one GPU. */
struct hd_watcher_handle {
	const struct hd_watcher *watcher;
	void *state;
	uint32_t warp_at, cta_at, grid_at; /* in watch_space */
	bool asleep;			   /* it is told nothing but `look`, `check` and `pause` */
	uint64_t due;			   /* cycle in which it is told these; HD_NEVER */
};

/* The first cycles in which some watcher is to be told these events. */
struct hd_watch_due {
	uint64_t look, check, pause;
};

enum hd_watch_index {
#define HD_WATCH(event, parameters) HD_WATCH_INDEX_##event,
#include "runtime/core/watch.def"
#undef HD_WATCH
	HD_WATCH_EVENTS
};
_Static_assert(HD_WATCH_EVENTS <= 64, "a bit each");
#define HD_WATCH_BIT(event) (UINT64_C(1) << HD_WATCH_INDEX_##event)

/* Some watcher wants the event now. */
#define HD_WATCHED(gpu, event) __builtin_expect(((gpu)->watched & HD_WATCH_BIT(event)) != 0, 0)
/* Tells those who want it; the arguments are evaluated only then. */
#define HD_TELL(gpu, event, ...)                                                                            \
	do {                                                                                                \
		if (HD_WATCHED(gpu, event))                                                                 \
			for (uint32_t hd_at_ = 0; hd_at_ < (gpu)->watcher_count; hd_at_++) {                \
				const struct hd_watcher_handle *hd_told_ = &(gpu)->watchers[hd_at_];        \
				if (hd_told_->watcher->event && !hd_told_->asleep)                          \
					hd_told_->watcher->event(hd_told_, __VA_ARGS__);                    \
			}                                                                                   \
	} while (0)
/* Events about each instruction that executes. */
#define HD_WATCH_STEPS                                                                                          \
	(HD_WATCH_BIT(execute_before) | HD_WATCH_BIT(step_before) | HD_WATCH_BIT(step_done) |                   \
	 HD_WATCH_BIT(step_after) | HD_WATCH_BIT(execute_after) | HD_WATCH_BIT(issued))

/* What a watcher keeps of a warp, block or grid; NULL: that one has no space for watchers. */
#define HD_WATCHER_OF(self, thing, which)                                                                       \
	((thing)->watch_space ? (void *)((thing)->watch_space + (self)->which##_at) : NULL)

/* Adds a watcher, awake, with its state, which is the caller's. Before hd_sm_place_watched. */
struct hd_watcher_handle *hd_watcher_add(struct hd_gpu *gpu, const struct hd_watcher *watcher, void *state);
/* Its handle; NULL: it does not watch this GPU. */
struct hd_watcher_handle *hd_watcher_find(struct hd_gpu *gpu, const struct hd_watcher *watcher);
/* Its state; NULL: it does not watch this GPU. */
void *hd_watcher_state(const struct hd_gpu *gpu, const struct hd_watcher *watcher);
/* Whether some watcher of the GPU, awake or asleep, has one of these events, of HD_WATCH_BIT. */
bool hd_watcher_has(const struct hd_gpu *gpu, uint64_t events);
/* It wants to be told `look`, `check` or `pause`, whichever it has, in cycle `due`, once; HD_NEVER: no longer. */
void hd_watcher_wants(struct hd_gpu *gpu, struct hd_watcher_handle *handle, uint64_t due);
/* Tells those whose cycle has come by `now`. */
void hd_watch_look(struct hd_gpu *gpu, uint64_t now);
void hd_watch_check(struct hd_gpu *gpu, uint64_t now);
void hd_watch_pause(struct hd_gpu *gpu, uint64_t now);
/* From now on it is told nothing, or of its events again. Not from another thread than the GPU's. */
void hd_watcher_sleep(struct hd_gpu *gpu, struct hd_watcher_handle *handle, bool asleep);

#endif
