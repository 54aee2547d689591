/*
 * Slurm's commands: sbatch, squeue and scontrol, as a user calls them. No accounting database is asked.
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_SLURM_QUEUE_H
#define HD_TOOLS_HEDDLE_SWEEP_SLURM_QUEUE_H

#include "tools/heddle/sweep/engine.h"

enum { SLURM_FINE, SLURM_LATER /* the controller does not answer, or takes no more now */, SLURM_WRONG };

struct slurm_limits {
	uint32_t array; /* tasks of an array: MaxArraySize */
	uint32_t jobs;	/* in the queue, of all users: MaxJobCount */
};

/* A task as squeue has it; the texts are of the answer. */
struct slurm_task {
	const char *name, *state, *job, *nodes;
	uint32_t index;
};

struct slurm_queue {
	struct hd_signals *signals;
	const char *out, *err; /* files for what commands print */
	const char *user;
	char *message; /* what the last command that failed said; the heap's */
};

/* Texts of the arena; `folder` is for files. */
void slurm_queue_init(struct slurm_queue *queue, struct hd_signals *signals, struct hd_arena *arena,
		      const char *folder);
void slurm_queue_release(struct slurm_queue *queue);

/* SLURM_FINE, or another of its kind with queue->message. */
int slurm_ask_limits(struct slurm_queue *queue, struct slurm_limits *limits);
/*
 * Calls `tell` for each task of this user's that is in the queue, and of those that have ended a while ago; not at all
 * when the answer is not whole.
 */
int slurm_ask_tasks(struct slurm_queue *queue, void (*tell)(void *context, const struct slurm_task *task),
		    void *context);
/* Submits with these words after `sbatch`, of which the last is NULL. */
int slurm_submit(struct slurm_queue *queue, char *const *words);

#endif
