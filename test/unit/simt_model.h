/*
 * The SIMT stack of the machine in a few lines, for tests that run hand-made code with a few lanes:
 * divergent branches wait at their reconvergence points, the taken path runs first.
 */
#ifndef HD_TEST_UNIT_SIMT_MODEL_H
#define HD_TEST_UNIT_SIMT_MODEL_H

#include <stdbool.h>

#include "heddle/inst.h"

enum { MODEL_LANES = 8, MODEL_DEPTH = 256 };

struct model_entry {
	uint32_t pc, reconv, mask;
};

/* The last entry runs; the others wait at their pc with the lanes that are in no later entry. */
struct model {
	struct model_entry stack[MODEL_DEPTH];
	uint32_t depth; /* 0: all lanes are gone */
};

void model_start(struct model *model);
/* Executes the control flow of `inst` at the running entry's pc for the lanes of `mask`, those that its guard lets
 * through. */
void model_step(struct model *model, const struct hd_inst *inst, uint32_t mask);
/* Whether another branch may be executed. */
bool model_has_room(const struct model *model);
static inline struct model_entry *model_top(struct model *model)
{
	return &model->stack[model->depth - 1];
}

#endif
