/*
 * Which change of the rows of a shared array makes the conflicts of an access go: padding that is missing, or that is
 * itself the cause. Tries the rows that are up to 32 elements longer or shorter, each in all warps of the report.
 */
#include <stdlib.h>

#include "passes/affine/coalescing_internal.h"

enum { MOST_ELEMENTS = 32 };

/* Bytes of a row of the shared array that the address is in; 0 where its type has none. */
static uint64_t row_of_type(const struct hd_affine *affine, uint32_t vector)
{
	const struct hd_poly *sum = hd_poly_get(affine->polys, hd_affine_vector(affine, vector)->part[HD_INDEX_C]);
	for (uint32_t t = 0; t < sum->count; t++) {
		const struct hd_monomial *product = hd_monomial_get(affine->polys, sum->terms[t].monomial);
		const struct hd_unknown *symbol =
			product->degree == 1 ? hd_unknown_get(affine->polys, product->symbols[0]) : NULL;
		if (!symbol || symbol->kind != HD_UNKNOWN_ADDRESS)
			continue;
		LLVMTypeRef type = LLVMGlobalGetValueType(affine->variables.data[symbol->offset]), row = NULL;
		while (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
			row = row ? type : NULL;
			type = LLVMGetElementType(type);
			row = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? type : row;
		}
		return row ? LLVMABISizeOfType(affine->layout, row) : 0;
	}
	return 0;
}

/* The index of a shared access by rows: where the type has none, the least step that goes beyond an element. */
struct rows {
	int64_t factor[3];
	int64_t bytes, used; /* of a row; what the threads of the block use of it, 0 unknown */
};

static bool find_rows(const struct hd_coalescing *report, uint32_t vector, uint32_t element, struct rows *rows)
{
	const struct hd_affine_vector *parts = hd_affine_vector(report->affine, vector);
	rows->bytes = (int64_t)row_of_type(report->affine, vector);
	for (unsigned axis = 0; axis < 3; axis++) {
		if (!hd_coalescing_factor(report, parts->part[HD_INDEX_TID_X + axis], &rows->factor[axis]))
			return false;
		int64_t step = llabs(rows->factor[axis]);
		if (step > element && (!rows->bytes || (!row_of_type(report->affine, vector) && step < rows->bytes)))
			rows->bytes = step;
	}
	rows->used = report->warps.assumes == HD_ASSUME_BLOCK ? element : 0;
	for (unsigned axis = 0; axis < 3 && rows->used; axis++)
		if (llabs(rows->factor[axis]) < rows->bytes)
			rows->used += llabs(rows->factor[axis]) * (report->warps.block[axis] - 1);
	return rows->bytes > 0;
}

/* Whether no warp has a conflict when rows are longer by `step` bytes. */
static bool is_free_with(const struct hd_coalescing *report, const struct hd_affine_value *linear,
			 const struct rows *rows, int64_t step, const struct hd_meta_access *access)
{
	for (uint32_t w = 0; w < report->warps.count; w++) {
		struct hd_meta_access found = {.space = access->space, .kind = access->kind, .bytes = access->bytes};
		struct hd_pattern pattern;
		hd_coalescing_lay_out(report, linear, &report->warps.lanes[w], &pattern);
		for (unsigned axis = 0; axis < 3; axis++)
			for (uint32_t lane = 0; lane < HD_LANES; lane++)
				pattern.offset[lane] += rows->factor[axis] / rows->bytes * step *
							report->warps.lanes[w].index[axis][lane];
		if (!hd_coalescing_count(&pattern, &found) || found.conflicts_most > 1)
			return false;
	}
	return true;
}

int32_t hd_coalescing_row_step(const struct hd_coalescing *report, const struct hd_affine_value *linear,
			       const struct hd_meta_access *access)
{
	struct rows rows;
	if (!find_rows(report, linear->vector, access->bytes, &rows))
		return 0;
	for (int64_t step = access->bytes; step <= (int64_t)access->bytes * MOST_ELEMENTS; step += access->bytes) {
		if (is_free_with(report, linear, &rows, step, access))
			return (int32_t)step;
		if (rows.used && rows.bytes - step >= rows.used && is_free_with(report, linear, &rows, -step, access))
			return (int32_t)-step;
	}
	return 0;
}
