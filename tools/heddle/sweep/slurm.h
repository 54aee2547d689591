/*
 * The state of Slurm's engine, which its files share: jobs and their ends (slurm.c), the queue (slurm_watch.c),
 * submission (slurm_send.c), and what an earlier process has left in the queue (slurm_left.c).
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_SLURM_H
#define HD_TOOLS_HEDDLE_SWEEP_SLURM_H

#include "lib/hash.h"
#include "lib/vec.h"
#include "tools/heddle/sweep/slurm_files.h"
#include "tools/heddle/sweep/slurm_queue.h"

enum { SLURM_ASK_FIRST = 1 /* seconds between questions to squeue, doubled while nothing happens */ };
#define SLURM_LOOK_FIRST 0.25 /* seconds between looks at ends, doubled while there are none */

enum slurm_place { WAITS, QUEUED, ENDED, SETTLED };

struct slurm_entry {
	const char *key;
	char *text;	/* the line of the .jobs file; NULL when settled */
	double seconds; /* expected; 0: not known */
	double gone;	/* since then its task is not in the queue; 0: it is */
	double limit;
	uint64_t bytes;
	uint32_t id, slots, array, task, attempts;
	enum slurm_place place;
	const char *why;
	struct engine_end end;
};

/* Tasks by their index. */
enum slurm_task_state { GONE, THERE };
struct slurm_array {
	char *job; /* number that squeue gives it; NULL: not seen yet */
	const char **why;
	uint8_t *states;
	uint32_t *jobs; /* of each task, that have not ended; of an earlier process's it is not known, and never 0 */
	uint32_t number, tasks;
};

/* A job that an earlier process has left in the queue. */
struct slurm_left {
	const char *key;
	uint32_t array, task;
};

struct slurm {
	struct engine engine;
	struct hd_signals *signals;
	struct hd_diag *diag;
	struct slurm_options options;
	struct slurm_limits limits;
	struct slurm_queue queue;
	struct hd_arena arena;
	const char *folder, *heddle, *name; /* name: heddle-ID, what arrays' names begin with */
	HD_VEC(struct slurm_entry) entries;
	struct hd_hash_set keys; /* of entries */
	HD_VEC(struct slurm_array) arrays;
	HD_VEC(struct slurm_left) left;
	struct hd_hash_set left_keys;
	HD_VEC(uint32_t) ready; /* entries to tell of */
	uint32_t next_ready, next_array, waiting;
	double look_at, look_every, ask_at, ask_every, send_at, send_every;
	bool begun;  /* what earlier processes have left is known */
	bool broken; /* nothing more can be submitted */
	bool silent; /* Slurm does not answer, and that was told */
};

/* Seconds of a clock that only goes forward. */
double slurm_now(void);
/* FOLDER/folder/name, in `path`, which it returns. */
const char *slurm_path(char path[4096], const struct slurm *slurm, const char *folder, const char *name);

/* slurm.c: the job ends without an end of its own. */
void slurm_finish_without(struct slurm *slurm, struct slurm_entry *entry, enum engine_end_kind kind);
/* Whether the job's end is there; if so it is finished. */
bool slurm_look_for(struct slurm *slurm, struct slurm_entry *entry);

/* slurm_watch.c: an array of our name in the queue; its tasks are taken to be there. Until the next one is added. */
struct slurm_array *slurm_add_array(struct slurm *slurm, uint32_t number, uint32_t tasks);
/* NULL: there is none. */
struct slurm_array *slurm_array_of(struct slurm *slurm, uint32_t number);
/* Which tasks of arrays are in the queue. False: Slurm did not say, and all count as there. */
bool slurm_ask(struct slurm *slurm);
/* Asks, and loses jobs whose tasks have been gone for a while. */
void slurm_watch(struct slurm *slurm);
/* Says once that Slurm does not answer, and once that it does again. */
void slurm_tell_silence(struct slurm *slurm, bool silent);

/* slurm_send.c: what waits goes into an array, where there is room for any. */
void slurm_send(struct slurm *slurm);
/* Removes the array's folder. */
void slurm_remove_array(const struct slurm *slurm, uint32_t number);

/* slurm_left.c: finds arrays of an earlier process and their jobs. 0; -1: Slurm does not answer. */
int slurm_take_up(struct slurm *slurm);

#endif
