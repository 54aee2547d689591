/* What the files of the symbolic polynomials share: the table behind the ids. */
#ifndef HD_PASSES_AFFINE_SYMBOLIC_TABLE_H
#define HD_PASSES_AFFINE_SYMBOLIC_TABLE_H

#include "passes/affine/symbolic.h"

struct hd_id_slot {
	uint64_t hash;
	uint32_t id;
	bool used;
};
/* Open addressing; what is equal is decided by whoever looks up. */
struct hd_id_set {
	struct hd_id_slot *slots;
	uint32_t size, used; /* size: a power of two, or 0 */
};

void hd_id_set_grow(struct hd_id_set *set, struct hd_arena *arena);

struct hd_poly_table {
	struct hd_arena *arena;
	struct hd_unknown *symbols;
	struct hd_monomial *monomials;
	struct hd_poly *polys;
	uint32_t symbol_count, symbol_room, monomial_count, monomial_room, poly_count, poly_room;
	struct hd_id_set symbol_ids, monomial_ids, poly_ids;
};

/* Appends to one of the arrays; what it outgrows stays in the arena, at most as much again. */
#define HD_TABLE_PUSH(table, array, count, room, ...)                                                             \
	do {                                                                                                      \
		if ((table)->count == (table)->room) {                                                            \
			void *hd_old_ = (table)->array;                                                           \
			(table)->room = (table)->room ? (table)->room * 2 : 32;                                   \
			(table)->array = hd_arena_alloc((table)->arena, sizeof(*(table)->array) * (table)->room); \
			if (hd_old_)                                                                              \
				memcpy((table)->array, hd_old_, sizeof(*(table)->array) * (table)->count);        \
		}                                                                                                 \
		(table)->array[(table)->count++] = (__VA_ARGS__);                                                 \
	} while (0)

#endif
