/*
 * Loops in which lanes may wait for another lane of their warp: what the simulator lets make way for other paths
 * (runtime/exec/yield.c), and what liveness has to reckon with (passes/analysis/yields.c).
 */
#ifndef HD_LIB_OBJECT_SPINS_H
#define HD_LIB_OBJECT_SPINS_H

#include "heddle/object.h"

/* Of a branch back, by its loop: no; when lanes, registers and predicates recur; also when it turns very often. */
enum hd_spin { HD_SPIN_NEVER, HD_SPIN_SAME, HD_SPIN_LONG };

struct hd_spins {
	const struct hd_object *object;
	uint8_t *call;	/* by function: enum hd_spin of a loop that calls it */
	uint8_t *class; /* scratch, by instruction */
};

/* Looks at no function yet. */
void hd_spins_prepare(struct hd_spins *spins, const struct hd_object *object, struct hd_arena *arena);
/* Looks at these functions, which call each other and those that were looked at before; linear in their code for each
 * round, of which there are as many as calls are nested. */
void hd_spins_look(struct hd_spins *spins, const uint32_t *functions, uint32_t count);
/* Looks at all functions. */
void hd_spins_init(struct hd_spins *spins, const struct hd_object *object, struct hd_arena *arena);
/* Fills in `of`, enum hd_spin of each instruction of a function, or of a linear version's body: of branches back, and
 * of each NANOSLEEP in such a loop. Linear but for a search through each loop. */
void hd_spins_find(const struct hd_spins *spins, const struct hd_function *function, uint8_t *of);

#endif
