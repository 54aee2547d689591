/*
 * Checkpoints (options.checkpoint) and going on from one in another process (options.resume), to the same results and
 * statistics.
 *
 * The host's half of a program cannot be kept: it runs again from the start, and the simulator answers it out of the
 * file until it has come to the launch that the checkpoint is in. Launches that had ended by then are not simulated
 * again: their effects on device memory, their records and what they printed are in the file. Then the simulator's own
 * memory, as it was, takes the place of what it has, and it goes on in the cycle in which it was, with all caches,
 * queues and warps as they were. Writing a checkpoint therefore changes no figure.
 *
 * What the program does until then is held against the file, and anything else than before is an error: objects that it
 * loads, launches with sizes and parameters, and what it puts into device memory between them.
 */
#ifndef HD_RUNTIME_CHECKPOINT_CHECKPOINT_H
#define HD_RUNTIME_CHECKPOINT_CHECKPOINT_H

#include <jansson.h>

#include "runtime/core/gpu.h"

struct hd_checkpoint;

/* Before there is a simulator, whose memory is then to be one that can be kept. `*checkpoint` stays NULL if the options
 * want none. 0 or -1, reported. */
int hd_checkpoint_new(const struct hd_sim_options *options, struct hd_checkpoint **checkpoint);
/* The GPU is there, with its policies: 0, or -1 where they, or the configuration, are not those of the file. `run` says
 * what they are: producer, gpu, policy, config. */
int hd_checkpoint_start(struct hd_gpu *gpu, const json_t *run);
void hd_checkpoint_free(struct hd_checkpoint *checkpoint);

/* The rest does nothing where gpu->checkpoint is NULL. Errors are 0 or HD_SIM_CHECKPOINT, told, with gpu->error_text.
 */

int hd_checkpoint_load(struct hd_gpu *gpu, const struct hd_module *module, const uint8_t *bytes, size_t size,
		       const struct hd_placement *placed, uint32_t count);
int hd_checkpoint_submit(struct hd_gpu *gpu, const struct hd_grid *grid);

enum hd_checkpoint_turn {
	HD_TURN_RUN,	 /* the step is to be done */
	HD_TURN_GOES_ON, /* it was in the middle, and is to be done from there on */
	HD_TURN_DONE	 /* it was done, with gpu->error */
};
/* Around hd_sim_step. */
enum hd_checkpoint_turn hd_checkpoint_begin_step(struct hd_gpu *gpu);
void hd_checkpoint_end_step(const struct hd_gpu *gpu, int error);
/* launch.c: a digest of a launch as its kernel sees it. */
uint64_t hd_checkpoint_digest(const struct hd_gpu *gpu, const struct hd_grid *grid);
/* A record for options.record. */
void hd_checkpoint_record(const struct hd_gpu *gpu, const char *line);
/* As hd_sim_checkpoint_end and hd_sim_checkpoint_check. */
int hd_checkpoint_end(const struct hd_gpu *gpu);
int hd_checkpoint_check(const char *path, struct hd_diag *diag);

#endif
