/*
 * `malekeh:exact`: distances as they are, in place of the compiler's near bits, to judge these (malekeh 8). The program
 * runs twice. The first run, `malekeh:record`, writes down for each instruction of each warp how many instructions
 * later each of its operands is read next. In the second each entry of a unit knows when its register is read again:
 * the entry whose register comes last or never is given up, and a value is near while its read is less than RTHLD
 * instructions away.
 *
 * A warp that executes other instructions than in the first run, as one does that spins, goes on with the compiler's
 * bits from there; `strayed` counts its instructions.
 *
 * The file is a record a warp: a struct record, then for each instruction two bytes of its pc and a byte for each
 * operand and each register written, the distance (254 and more: 254; NEVER: it is not read).
 *
 * Cost: a few bytes of memory for each instruction of a grid while that runs.
 */
#include <assert.h>
#include <stdlib.h>

#include "runtime/policy/malekeh/malekeh.h"

enum { PC_BYTES = 2, FARTHEST = 254, NEVER = 255 };

struct record {
	uint64_t grid, warp; /* of all warps of the grid, block after block */
	uint64_t bytes;
};

/* ---- one warp's part */

static struct malekeh_stream *stream_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	const struct malekeh_grid *grid = hd_policy_grid(self, warp->cta->grid);
	return &grid->streams[(uint64_t)warp->cta->linear * warp->cta->grid->block_warps + warp->index];
}

static uint32_t place_of(const struct hd_warp *warp, const struct hd_dinst *inst)
{
	return (uint32_t)(inst - warp->cta->sm->gpu->program.code.data);
}

static uint32_t bytes_of(const struct hd_dinst *inst)
{
	return PC_BYTES + inst->operand_count + inst->write_count;
}

/* The warp's bytes about the instruction that it comes to; NULL: it has none, or is elsewhere than in the first run. */
static const uint8_t *recorded(const struct hd_policy_handle *self, const struct hd_warp *warp,
			       const struct hd_dinst *inst)
{
	uint32_t pc = place_of(warp, inst);
	const struct malekeh_warp *mine = malekeh_warp_of(self, warp);
	const struct malekeh_stream *stream = stream_of(self, warp);
	if (mine->strayed || mine->at + bytes_of(inst) > stream->length)
		return NULL;
	const uint8_t *at = stream->bytes + mine->at;
	return at[0] == (pc & 255) && at[1] == (pc >> 8 & 255) ? at + PC_BYTES : NULL;
}

static uint32_t due_of(uint8_t distance, uint32_t now)
{
	return distance == NEVER ? HD_CCU_NEVER : now + distance;
}

static void count_distance(struct malekeh_counts *counts, uint8_t distance)
{
	uint64_t *const of[] = {&counts->distance_1,  &counts->distance_2,   &counts->distance_4,
				&counts->distance_8,  &counts->distance_16,  &counts->distance_32,
				&counts->distance_64, &counts->distance_more};
	uint32_t i = 0;
	while (i < 7 && distance > 1u << i)
		i++;
	++*(distance == NEVER ? &counts->unread : of[i]);
}

static void count_distances(struct malekeh_counts *counts, const struct hd_dinst *inst, const uint8_t *distances)
{
	for (uint32_t i = 0; i < inst->operand_count; i++)
		if (inst->operands[i].same == i)
			count_distance(counts, distances[i]);
	for (uint32_t word = 0; word < inst->write_count; word++)
		count_distance(counts, distances[inst->operand_count + word]);
}

void malekeh_exact_take(const struct hd_policy_handle *self, const struct hd_warp *warp, const struct hd_dinst *inst,
			struct hd_ccu *unit)
{
	struct malekeh_warp *mine = malekeh_warp_of(self, warp);
	const uint8_t *distances = recorded(self, warp, inst);
	unit->now = mine->issued;
	if (distances)
		count_distances(malekeh_counts_of(self, warp), inst, distances);
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		uint32_t same = inst->operands[i].same;
		uint8_t bit = inst->operands[same].near ? 1 : NEVER;
		unit->due[i] = due_of(distances ? distances[same] : bit, mine->issued);
	}
	for (uint32_t word = 0; word < inst->write_count; word++) {
		uint8_t bit = inst->near_result ? 1 : NEVER;
		mine->next[inst->inst.dst + word].when =
			due_of(distances ? distances[inst->operand_count + word] : bit, mine->issued);
	}
}

/* ---- the first run */

static uint8_t *grow(struct malekeh_stream *stream, uint32_t bytes)
{
	if (stream->length + bytes > stream->capacity) {
		stream->capacity = 2 * stream->capacity + bytes + 64;
		stream->bytes = hd_xrealloc(stream->bytes, stream->capacity);
	}
	stream->length += bytes;
	return stream->bytes + stream->length - bytes;
}

/* What waits for a read of the register has it now. */
static void found(struct malekeh_warp *mine, struct malekeh_stream *stream, uint8_t reg)
{
	struct malekeh_next *next = &mine->next[reg];
	uint32_t distance = mine->issued - next->when;
	if (next->at)
		stream->bytes[next->at - 1] = (uint8_t)(distance < FARTHEST ? distance : FARTHEST);
	next->at = 0;
}

static void record(const struct hd_policy_handle *self, const struct hd_warp *warp, const struct hd_dinst *inst)
{
	uint32_t pc = place_of(warp, inst);
	struct malekeh_warp *mine = malekeh_warp_of(self, warp);
	struct malekeh_stream *stream = stream_of(self, warp);
	if (!mine->issued)
		stream->length = 0; /* a block that was killed begins again */
	for (uint32_t i = 0; i < inst->operand_count; i++)
		found(mine, stream, inst->operands[i].reg);
	uint8_t *bytes = grow(stream, bytes_of(inst));
	uint32_t at = (uint32_t)(bytes - stream->bytes) + PC_BYTES + 1;
	bytes[0] = (uint8_t)pc;
	bytes[1] = (uint8_t)(pc >> 8);
	memset(bytes + PC_BYTES, NEVER, bytes_of(inst) - PC_BYTES);
	for (uint32_t i = 0; i < inst->operand_count; i++)
		if (inst->operands[i].same == i)
			mine->next[inst->operands[i].reg] = (struct malekeh_next){at + i, mine->issued};
	for (uint32_t word = 0; word < inst->write_count; word++)
		mine->next[inst->inst.dst + word] =
			(struct malekeh_next){at + inst->operand_count + word, mine->issued};
}

static void follow(const struct hd_policy_handle *self, const struct hd_warp *warp, const struct hd_dinst *inst)
{
	struct malekeh_warp *mine = malekeh_warp_of(self, warp);
	mine->strayed = !recorded(self, warp, inst);
	mine->at += bytes_of(inst);
	malekeh_counts_of(self, warp)->strayed += mine->strayed;
	if (mine->unit)
		malekeh_unit_of(self, mine->unit)->now = mine->issued + 1;
}

void malekeh_exact_issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  const struct hd_effect *effect, uint64_t now)
{
	const struct malekeh_gpu *malekeh = malekeh_gpu_of(self, warp->cta->sm->gpu);
	(void)effect, (void)now;
	if (malekeh->distances == MALEKEH_BITS)
		return;
	if (malekeh->distances == MALEKEH_RECORD)
		record(self, warp, inst);
	else
		follow(self, warp, inst);
	malekeh_warp_of(self, warp)->issued++;
}

/* ---- the file */

static void complain(const struct malekeh_gpu *malekeh, const char *what)
{
	fprintf(stderr, "heddle: %s: %s\n", malekeh->file, what);
}

void malekeh_exact_start(struct hd_gpu *gpu, struct malekeh_gpu *malekeh)
{
	malekeh->file = gpu->options.rehearsal;
	FILE *file = malekeh->distances == MALEKEH_RECORD ? fopen(malekeh->file, "wb") : NULL;
	if (malekeh->distances == MALEKEH_RECORD && (!file || fclose(file)))
		complain(malekeh, "cannot be written");
}

static void read_grid(const struct malekeh_gpu *malekeh, struct malekeh_grid *mine, uint64_t grid)
{
	struct record record;
	FILE *file = fopen(malekeh->file, "rb");
	while (file && fread(&record, sizeof record, 1, file) == 1) {
		if (record.grid != grid || record.warp >= mine->count) {
			fseek(file, (long)record.bytes, SEEK_CUR);
			continue;
		}
		struct malekeh_stream *stream = &mine->streams[record.warp];
		if (fread(grow(stream, (uint32_t)record.bytes), 1, record.bytes, file) != record.bytes)
			complain(malekeh, "ends in a record");
	}
	if (file)
		fclose(file);
}

void malekeh_exact_begin(const struct hd_policy_handle *self, const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	const struct malekeh_gpu *malekeh = malekeh_gpu_of(self, gpu);
	struct malekeh_grid *mine = hd_policy_grid(self, grid);
	if (malekeh->distances == MALEKEH_BITS)
		return;
	mine->count = grid->cta_total * grid->block_warps;
	mine->streams = hd_xcalloc(mine->count, sizeof *mine->streams);
	if (malekeh->distances == MALEKEH_EXACT)
		read_grid(malekeh, mine, grid->id);
}

static void write_grid(const struct malekeh_gpu *malekeh, const struct malekeh_grid *mine, uint64_t grid)
{
	FILE *file = fopen(malekeh->file, "ab");
	bool right = file;
	for (uint64_t warp = 0; right && warp < mine->count; warp++) {
		const struct malekeh_stream *stream = &mine->streams[warp];
		struct record record = {grid, warp, stream->length};
		right = fwrite(&record, sizeof record, 1, file) == 1 &&
			fwrite(stream->bytes, 1, stream->length, file) == stream->length;
	}
	if (file && fclose(file))
		right = false;
	if (!right)
		complain(malekeh, "cannot be written");
}

void malekeh_exact_end(const struct hd_policy_handle *self, const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	const struct malekeh_gpu *malekeh = malekeh_gpu_of(self, gpu);
	struct malekeh_grid *mine = hd_policy_grid(self, grid);
	if (malekeh->distances == MALEKEH_RECORD)
		write_grid(malekeh, mine, grid->id);
	for (uint64_t warp = 0; warp < mine->count; warp++)
		free(mine->streams[warp].bytes);
	free(mine->streams);
	mine->streams = NULL;
	mine->count = 0;
}
