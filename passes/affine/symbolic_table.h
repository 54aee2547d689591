/* What the files of the symbolic polynomials share: the table behind the ids. */
#ifndef HD_PASSES_AFFINE_SYMBOLIC_TABLE_H
#define HD_PASSES_AFFINE_SYMBOLIC_TABLE_H

#include "lib/hash.h"
#include "lib/vec.h"
#include "passes/affine/symbolic.h"

struct hd_poly_table {
	struct hd_arena *arena;
	HD_VEC(struct hd_unknown) symbols; /* in the arena, as the others */
	HD_VEC(struct hd_monomial) monomials;
	HD_VEC(struct hd_poly) polys;
	struct hd_hash_set symbol_ids, monomial_ids, poly_ids;
};

#endif
