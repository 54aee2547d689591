/*
 * Linear versions as a launch sees them: whether the conditions hold under which one is right, by interval arithmetic
 * on the launch's constants, and how many registers it needs (r2d2-isca23, 4.4 and 5.6). The driver does this once a
 * launch.
 *
 * Needs a verified object. Linear in the check's words.
 */
#include <string.h>

#include "heddle/object.h"
#include "heddle/uniform.h"

/* Beyond this every value counts as unbounded: products of two such still fit. */
#define FAR ((__int128)1 << 62)

struct interval {
	__int128 low, high;
};

static __int128 clamp(__int128 value)
{
	return value > FAR ? FAR : value < -FAR ? -FAR : value;
}

static struct interval point(int64_t value)
{
	return (struct interval){clamp(value), clamp(value)};
}

static int64_t bank(const uint8_t *constants, uint64_t offset, size_t bytes)
{
	int64_t wide = 0;
	int32_t narrow = 0;
	if (bytes == 8)
		memcpy(&wide, constants + offset, 8);
	else
		memcpy(&narrow, constants + offset, 4);
	return bytes == 8 ? wide : narrow;
}

/* tid.x..z and ctaid.x..z: the dimensions stand in the bank in that order. */
static struct interval index_range(const uint8_t *constants, uint64_t index)
{
	uint32_t dimension;
	memcpy(&dimension, constants + HD_CB_NTID_X + 4 * index, 4);
	return (struct interval){0, dimension ? (__int128)dimension - 1 : 0};
}

static struct interval add(struct interval a, struct interval b)
{
	return (struct interval){clamp(a.low + b.low), clamp(a.high + b.high)};
}

static struct interval multiply(struct interval a, struct interval b)
{
	const __int128 products[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
	struct interval range = {products[0], products[0]};
	for (unsigned i = 1; i < 4; i++) {
		range.low = products[i] < range.low ? products[i] : range.low;
		range.high = products[i] > range.high ? products[i] : range.high;
	}
	return (struct interval){clamp(range.low), clamp(range.high)};
}

static bool is_point(struct interval a)
{
	return a.low == a.high && a.low > -FAR && a.high < FAR;
}

/* Of launch constants; what is computed from a range is not bounded. */
static struct interval operation(uint64_t word, const struct interval *args)
{
	unsigned op = word & 0xff, from = word >> 8 & 0xff, bits = (unsigned)(word >> 16);
	int64_t values[3] = {0, 0, 0};
	bool points = true;
	for (unsigned i = 0; i < hd_uniform_operands(op); i++) {
		points &= is_point(args[i]);
		values[i] = (int64_t)args[i].low;
	}
	return points ? point(hd_uniform_evaluate(op, from, bits, values)) : (struct interval){-FAR, FAR};
}

static struct interval evaluate(const struct hd_linear_check *check, const uint8_t *constants)
{
	struct interval stack[HD_CHECK_DEPTH + 1] = {{0, 0}};
	uint32_t top = 0; /* of the next free place */
	for (uint32_t i = 0; i < check->count; i++) {
		switch ((enum hd_check_op)check->words[i]) {
		case HD_CHECK_CONSTANT: stack[top++] = point(check->words[++i]); break;
		case HD_CHECK_BANK32: stack[top++] = point(bank(constants, (uint64_t)check->words[++i], 4)); break;
		case HD_CHECK_BANK64: stack[top++] = point(bank(constants, (uint64_t)check->words[++i], 8)); break;
		case HD_CHECK_INDEX: stack[top++] = index_range(constants, (uint64_t)check->words[++i]); break;
		case HD_CHECK_UP_TO:
			stack[top - 1].low = 0;
			if (stack[top - 1].high < 0)
				stack[top - 1].high = 0;
			break;
		case HD_CHECK_ADD:
			top--;
			stack[top - 1] = add(stack[top - 1], stack[top]);
			break;
		case HD_CHECK_OPERATION: {
			uint64_t word = (uint64_t)check->words[++i];
			top -= hd_uniform_operands(word & 0xff) - 1;
			stack[top - 1] = operation(word, &stack[top - 1]);
			break;
		}
		default:
			top--;
			stack[top - 1] = multiply(stack[top - 1], stack[top]);
			break;
		}
	}
	return stack[0];
}

bool hd_linear_check_holds(const struct hd_linear_check *check, const uint8_t *constants)
{
	struct interval value = evaluate(check, constants);
	return value.low > -FAR && value.high < FAR && value.low >= check->low && value.high <= check->high;
}

bool hd_linear_pays(const struct hd_linear *linear, uint64_t blocks, uint32_t warps, uint32_t sms)
{
	uint64_t busy = blocks < sms ? blocks : sms, coefficient = linear->start[HD_STREAM_THREAD],
		 thread = linear->start[HD_STREAM_BLOCK] - linear->start[HD_STREAM_THREAD],
		 block = linear->start[HD_STREAM_MAIN] - linear->start[HD_STREAM_BLOCK];
	uint64_t taken = busy * (coefficient + thread * warps) + blocks * block;
	return (double)linear->saved * (double)blocks * warps > 1000.0 * (double)taken;
}

uint64_t hd_linear_registers(const struct hd_linear *linear, uint32_t threads, uint32_t blocks, bool pairs)
{
	uint64_t rows = (linear->coefficients + HD_LR_COUNT - 1) / HD_LR_COUNT;
	if (!pairs)
		return (uint64_t)linear->threads * threads + UINT64_C(2) * HD_LR_COUNT * blocks + linear->coefficients;
	/* Whole warp registers of 32 words: two a block, of which the sixteen values fill half, and one for sixteen
	 * coefficients. */
	return UINT64_C(2) * linear->threads * threads + UINT64_C(2) * 32 * blocks + 32 * rows;
}

uint64_t hd_linear_free_registers(uint32_t of_sm, uint32_t registers, uint32_t threads, uint32_t blocks)
{
	uint64_t used = (uint64_t)threads * blocks * registers;
	return used < of_sm ? of_sm - used : 0;
}

const struct hd_linear *hd_object_linear(const struct hd_object *object, uint32_t function)
{
	uint32_t at;
	HD_BISECT(at, 0, object->linear_count, object->linears[at].kernel < function);
	return at < object->linear_count && object->linears[at].kernel == function ? &object->linears[at] : NULL;
}
