/*
 * Runs a generated kernel on the host: the threads of a block are coroutines that take turns at barriers and warp
 * operations, which are ordinary functions here. Made for kernels whose warp and block operations are executed by
 * all threads of the warp or block (see generate/gen.h). The blocks run one after the other, and the warps of a block
 * from one barrier to the next.
 *
 * The kernel's module is compiled for the host with `llvm.nvvm.` replaced by `nvvm.`, and linked with this file.
 *
 *   host GRID BLOCK_X BLOCK_Y OUT_WORDS IN_WORDS N FILE [BYTES:ALIGN:SEED]...
 *
 * The buffers hold random:1 and random:2, see tools/heddle/run/spec.h. What follows FILE are parameters by value, of
 * bytes of random:SEED. The host's ABI (System V, x86-64) passes them on the stack, one after the other, each at its
 * alignment and at least at a multiple of 8: all of them together are one structure here.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK_BYTES = 256 * 1024, MAX_THREADS = 1024, WARP = 32 };

struct by_value {
	_Alignas(16) uint8_t bytes[4608];
};

void k(void *out, const void *in, uint32_t n, struct by_value by_value);

enum place { AT_WARP, AT_BLOCK, AT_END };

struct thread {
	ucontext_t context;
	char *stack;
	uint64_t given; /* what it brings to the operation it waits at */
	enum place place;
};

/* One kernel runs in this process: the state of the machine. */
static struct thread threads[MAX_THREADS];
static ucontext_t scheduler;
static uint32_t current, thread_count, grid, block_x, block_y, block;
static void *out, *in;
static uint32_t argument;
static struct by_value by_value;

static void thread_main(void)
{
	k(out, in, argument, by_value);
	threads[current].place = AT_END;
	swapcontext(&threads[current].context, &scheduler);
}

/* Gives the others their turn. All threads of the warp (AT_WARP) or block come here equally often, so all of them get
 * past each meeting.
 */
static void meet_at(enum place place, uint64_t given)
{
	threads[current].given = given;
	threads[current].place = place;
	swapcontext(&threads[current].context, &scheduler);
}

static void meet(uint64_t given)
{
	meet_at(AT_WARP, given);
}

/* Where threads [first, last) are: all of them in one place. */
static enum place common_place(uint32_t first, uint32_t last)
{
	for (uint32_t t = first; t < last; t++)
		if (threads[t].place != threads[first].place) {
			fprintf(stderr, "host: some threads wait or ended where others do not\n");
			exit(3);
		}
	return threads[first].place;
}

/* Each round takes every thread from one meeting to the next; what they brought stays until the round after. */
static void run_warp(uint32_t first)
{
	uint32_t last = first + WARP < thread_count ? first + WARP : thread_count;
	do
		for (current = first; current < last; current++)
			swapcontext(&scheduler, &threads[current].context);
	while (common_place(first, last) == AT_WARP);
}

static void run_block(void)
{
	for (uint32_t t = 0; t < thread_count; t++) {
		getcontext(&threads[t].context);
		threads[t].context.uc_stack.ss_sp = threads[t].stack;
		threads[t].context.uc_stack.ss_size = STACK_BYTES;
		threads[t].context.uc_link = &scheduler;
		makecontext(&threads[t].context, thread_main, 0);
	}
	do
		for (uint32_t first = 0; first < thread_count; first += WARP)
			run_warp(first);
	while (common_place(0, thread_count) == AT_BLOCK);
}

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t *buffer(const char *words, uint64_t seed, size_t *count)
{
	*count = strtoull(words, NULL, 0);
	uint64_t *data = aligned_alloc(256, (8 * *count + 256) / 256 * 256);
	for (size_t i = 0; i < *count; i++)
		data[i] = splitmix(&seed);
	return data;
}

static int add_by_value(uint32_t *at, const char *text)
{
	unsigned long bytes, align, seed;
	if (sscanf(text, "%lu:%lu:%lu", &bytes, &align, &seed) != 3)
		return -1;
	align = align < 8 ? 8 : align;
	*at = (uint32_t)((*at + align - 1) & ~(align - 1));
	if (align > 16 || *at + bytes > sizeof by_value.bytes)
		return -1;
	uint64_t state = seed;
	for (unsigned long i = 0; i < bytes; i++)
		by_value.bytes[*at + i] = (uint8_t)splitmix(&state);
	*at += (uint32_t)((bytes + 7) & ~7ul);
	return 0;
}

int main(int argc, char **argv)
{
	size_t out_words, in_words;
	uint32_t at = 0;
	if (argc < 8)
		return 2;
	for (int i = 8; i < argc; i++)
		if (add_by_value(&at, argv[i])) {
			fprintf(stderr, "host: cannot pass %s\n", argv[i]);
			return 2;
		}
	grid = (uint32_t)atoi(argv[1]);
	block_x = (uint32_t)atoi(argv[2]);
	block_y = (uint32_t)atoi(argv[3]);
	thread_count = block_x * block_y;
	out = buffer(argv[4], 1, &out_words);
	in = buffer(argv[5], 2, &in_words);
	argument = (uint32_t)atoi(argv[6]);
	for (uint32_t t = 0; t < thread_count; t++)
		threads[t].stack = malloc(STACK_BYTES);
	for (block = 0; block < grid; block++)
		run_block();
	FILE *file = fopen(argv[7], "wb");
	return !file || fwrite(out, 8, out_words, file) != out_words || fclose(file) ? 2 : 0;
}

/* ------------------------------------------------------------ special registers */

#define REGISTER(id, name, value)                              \
	uint32_t id(void) __asm__("nvvm.read.ptx.sreg." name); \
	uint32_t id(void)                                      \
	{                                                      \
		return value;                                  \
	}

static uint32_t lane(void)
{
	return current % WARP;
}

REGISTER(tid_x, "tid.x", current % block_x)
REGISTER(tid_y, "tid.y", current / block_x)
REGISTER(tid_z, "tid.z", 0)
REGISTER(ntid_x, "ntid.x", block_x)
REGISTER(ntid_y, "ntid.y", block_y)
REGISTER(ntid_z, "ntid.z", 1)
REGISTER(ctaid_x, "ctaid.x", block)
REGISTER(nctaid_x, "nctaid.x", grid)
REGISTER(laneid, "laneid", lane())
REGISTER(warpsize, "warpsize", WARP)
REGISTER(lanemask_eq, "lanemask.eq", 1u << lane())
REGISTER(lanemask_lt, "lanemask.lt", (1u << lane()) - 1)
REGISTER(lanemask_ge, "lanemask.ge", ~((1u << lane()) - 1))

/* ------------------------------------------------------------ integer functions */

#define FUNCTION(type, id, name, params, value) \
	type id params __asm__("nvvm." name);   \
	type id params                          \
	{                                       \
		return value;                   \
	}

FUNCTION(int32_t, mulhi_i, "mulhi.i", (int32_t a, int32_t b), (int32_t)((int64_t)a *b >> 32))
FUNCTION(uint32_t, mulhi_ui, "mulhi.ui", (uint32_t a, uint32_t b), (uint32_t)((uint64_t)a *b >> 32))
FUNCTION(int64_t, mulhi_ll, "mulhi.ll", (int64_t a, int64_t b), (int64_t)((__int128)a *b >> 64))
FUNCTION(uint64_t, mulhi_ull, "mulhi.ull", (uint64_t a, uint64_t b), (uint64_t)((unsigned __int128)a *b >> 64))
FUNCTION(int32_t, mul24_i, "mul24.i", (int32_t a, int32_t b),
	 (int32_t)(uint32_t)((int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8)))
FUNCTION(uint32_t, mul24_ui, "mul24.ui", (uint32_t a, uint32_t b), (a & 0xffffff) * (b & 0xffffff))
FUNCTION(uint32_t, sad_i, "sad.i", (int32_t a, int32_t b, uint32_t c),
	 (a > b ? (uint32_t)a - (uint32_t)b : (uint32_t)b - (uint32_t)a) + c)
FUNCTION(uint32_t, sad_ui, "sad.ui", (uint32_t a, uint32_t b, uint32_t c), (a > b ? a - b : b - a) + c)

uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector) __asm__("nvvm.prmt");
uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t result = 0;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t select = selector >> 4 * i & 15;
		uint32_t byte = (uint32_t)(bytes >> 8 * (select & 7)) & 255;
		if (select & 8)
			byte = byte & 128 ? 255 : 0;
		result |= byte << 8 * i;
	}
	return result;
}

/* ------------------------------------------------------------ barriers */

void barrier0(void) __asm__("nvvm.barrier0");
void barrier0(void)
{
	meet_at(AT_BLOCK, 0);
}

void bar_warp_sync(uint32_t mask) __asm__("nvvm.bar.warp.sync");
void bar_warp_sync(uint32_t mask)
{
	(void)mask;
	meet(0);
}

/*
 * What all threads gave is read after the first meeting, and a second one keeps the early threads from giving something
 * else before the late ones have read.
 */
static uint32_t count_true(uint32_t from, uint32_t to)
{
	uint32_t count = 0;
	for (uint32_t t = from; t < to; t++)
		count += threads[t].given != 0;
	meet_at(AT_BLOCK, threads[current].given);
	return count;
}

static uint32_t block_count(uint32_t flag)
{
	meet_at(AT_BLOCK, flag != 0);
	return count_true(0, thread_count);
}

FUNCTION(uint32_t, barrier0_popc, "barrier0.popc", (uint32_t flag), block_count(flag))
FUNCTION(uint32_t, barrier0_and, "barrier0.and", (uint32_t flag), block_count(flag) == thread_count)
FUNCTION(uint32_t, barrier0_or, "barrier0.or", (uint32_t flag), block_count(flag) != 0)

/* ------------------------------------------------------------ warp operations */

static struct thread *warp_threads(void)
{
	return threads + current / WARP * WARP;
}

/* PTX's shfl.sync: b is the lane operand, c the clamp value and segment mask. */
enum mode { IDX, BFLY, UP, DOWN };

struct shuffled {
	int64_t value, inside; /* as {i32, i1} comes back in two registers */
};

static struct shuffled shuffle(enum mode mode, uint32_t value, uint32_t b, uint32_t c)
{
	uint32_t self = lane(), segment = c >> 8 & 31, clamp = c & 31, from;
	uint32_t last = (self & segment) | (clamp & ~segment), first = self & segment;
	int inside;
	b &= 31;
	switch (mode) {
	case UP:
		from = self - b;
		inside = (int32_t)from >= (int32_t)last;
		break;
	case DOWN:
		from = self + b;
		inside = from <= last;
		break;
	case BFLY:
		from = self ^ b;
		inside = from <= last;
		break;
	default:
		from = first | (b & ~segment);
		inside = from <= last;
		break;
	}
	if (!inside)
		from = self;
	meet(value);
	uint32_t result = (uint32_t)warp_threads()[from].given;
	meet(value);
	return (struct shuffled){result, inside};
}

static float shuffle_float(enum mode mode, float value, uint32_t b, uint32_t c)
{
	uint32_t bits;
	memcpy(&bits, &value, 4);
	bits = (uint32_t)shuffle(mode, bits, b, c).value;
	memcpy(&value, &bits, 4);
	return value;
}

#define SHUFFLE(id, name, mode)                                                                                     \
	FUNCTION(uint32_t, id##_i32, "shfl.sync." name ".i32",                                                      \
		 (uint32_t mask, uint32_t value, uint32_t b, uint32_t c),                                           \
		 ((void)mask, (uint32_t)shuffle(mode, value, b, c).value))                                          \
	FUNCTION(struct shuffled, id##_i32p, "shfl.sync." name ".i32p",                                             \
		 (uint32_t mask, uint32_t value, uint32_t b, uint32_t c), ((void)mask, shuffle(mode, value, b, c))) \
	FUNCTION(float, id##_f32, "shfl.sync." name ".f32", (uint32_t mask, float value, uint32_t b, uint32_t c),   \
		 ((void)mask, shuffle_float(mode, value, b, c)))

SHUFFLE(shfl_idx, "idx", IDX)
SHUFFLE(shfl_bfly, "bfly", BFLY)
SHUFFLE(shfl_up, "up", UP)
SHUFFLE(shfl_down, "down", DOWN)

static uint32_t ballot(uint32_t mask, uint32_t flag)
{
	uint32_t result = 0;
	meet(flag & 1);
	for (uint32_t i = 0; i < WARP; i++)
		result |= ((uint32_t)warp_threads()[i].given & 1) << i;
	meet(flag & 1);
	return result & mask;
}

FUNCTION(uint32_t, vote_ballot, "vote.ballot.sync", (uint32_t mask, uint32_t flag), ballot(mask, flag))
FUNCTION(_Bool, vote_all, "vote.all.sync", (uint32_t mask, uint32_t flag), ballot(mask, flag) == mask)
FUNCTION(_Bool, vote_any, "vote.any.sync", (uint32_t mask, uint32_t flag), ballot(mask, flag) != 0)

static _Bool vote_same(uint32_t mask, uint32_t flag)
{
	uint32_t all = ballot(mask, flag);
	return all == 0 || all == mask;
}

FUNCTION(_Bool, vote_uni, "vote.uni.sync", (uint32_t mask, uint32_t flag), vote_same(mask, flag))

static uint32_t equal_lanes(uint32_t mask, uint64_t value)
{
	uint32_t result = 0;
	meet(value);
	for (uint32_t i = 0; i < WARP; i++)
		result |= (uint32_t)(warp_threads()[i].given == value) << i;
	meet(value);
	return result & mask;
}

static struct shuffled match_all(uint32_t mask, uint64_t value)
{
	uint32_t equal = equal_lanes(mask, value);
	return (struct shuffled){equal == mask ? equal : 0, equal == mask};
}

FUNCTION(uint32_t, match_any_i32, "match.any.sync.i32", (uint32_t mask, uint32_t value), equal_lanes(mask, value))
FUNCTION(uint32_t, match_any_i64, "match.any.sync.i64", (uint32_t mask, uint64_t value), equal_lanes(mask, value))
FUNCTION(struct shuffled, match_all_i32, "match.all.sync.i32p", (uint32_t mask, uint32_t value), match_all(mask, value))
FUNCTION(struct shuffled, match_all_i64, "match.all.sync.i64p", (uint32_t mask, uint64_t value), match_all(mask, value))
