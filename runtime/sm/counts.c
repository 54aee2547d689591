/*
 * What policies count: rows of 64-bit numbers, of each grid on each SM, so that SMs on several host threads do not
 * meet. A grid's are summed over the SMs when it ends.
 *
 * Cost: an addition an event; O(SMs * rows) a grid.
 */
#include "runtime/sm/counts.h"

#include <string.h>

#include "runtime/sm/sm.h"

void hd_counts_take(struct hd_gpu *gpu, struct hd_policy_handle *self)
{
	self->counts_at = gpu->count_rows;
	for (const struct hd_policy_count *row = self->hooks->counts; row && row->name; row++)
		self->count_rows++;
	gpu->count_rows += self->count_rows;
}

void hd_counts_place(struct hd_gpu *gpu)
{
	if (!gpu->count_rows)
		return;
	gpu->counted = HD_ARENA_NEW(&gpu->arena, uint64_t, gpu->count_rows);
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		gpu->sms[i]->policies.counts = HD_ARENA_NEW(&gpu->arena, uint64_t, gpu->count_rows *HD_MAX_GRIDS);
}

static uint64_t *rows_of(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	return sm->policies.counts + (size_t)self->counts_at * HD_MAX_GRIDS + (size_t)grid->slot * self->count_rows;
}

/* Of the grid, over the SMs. */
static uint64_t sum_row(const struct hd_policy_handle *self, const struct hd_gpu *gpu, const struct hd_grid *grid,
			uint32_t row)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		if (hd_sm_is_built(gpu->sms[i]))
			sum += rows_of(self, gpu->sms[i], grid)[row];
	return sum;
}

void hd_counts_begin(struct hd_gpu *gpu, const struct hd_grid *grid)
{
	HD_HOOKED (gpu, self, counts)
		for (uint32_t i = 0; i < gpu->sm_count; i++)
			if (hd_sm_is_built(gpu->sms[i]))
				memset(rows_of(self, gpu->sms[i], grid), 0, self->count_rows * sizeof(uint64_t));
}

void hd_counts_end(struct hd_gpu *gpu, const struct hd_grid *grid)
{
	HD_HOOKED (gpu, self, counts)
		for (uint32_t row = 0; row < self->count_rows; row++)
			gpu->counted[self->counts_at + row] += sum_row(self, gpu, grid, row);
}

void hd_counts_sum(const struct hd_gpu *gpu, const struct hd_grid *grid, uint64_t *rows)
{
	HD_HOOKED (gpu, self, counts)
		for (uint32_t row = 0; row < self->count_rows; row++)
			rows[self->counts_at + row] = sum_row(self, gpu, grid, row);
}

void hd_counts_add(struct hd_gpu *gpu, const struct hd_grid *grid, const uint64_t *rows)
{
	HD_HOOKED (gpu, self, counts)
		for (uint32_t row = 0; row < self->count_rows; row++) {
			rows_of(self, gpu->sms[0], grid)[row] += rows[self->counts_at + row];
			gpu->counted[self->counts_at + row] += rows[self->counts_at + row];
		}
}

static uint64_t reported(const struct hd_policy_handle *self, const struct hd_gpu *gpu, uint32_t row)
{
	return gpu->grid ? sum_row(self, gpu, gpu->grid, row) : gpu->counted[self->counts_at + row];
}

void hd_policy_sum(const struct hd_policy_handle *self, const struct hd_gpu *gpu, void *sum)
{
	for (uint32_t row = 0; row < self->count_rows; row++)
		((uint64_t *)sum)[row] = reported(self, gpu, row);
}

void hd_counts_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		      void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	for (uint32_t row = 0; row < self->count_rows; row++)
		add(context, self->hooks->counts[row].name, (double)reported(self, gpu, row),
		    self->hooks->counts[row].unit);
	if (self->hooks->observation.report)
		self->hooks->observation.report(self, gpu, add, context);
}
