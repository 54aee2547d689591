/* What is said of loops (lib/object/loops.h): of some by hand, and of random ones by running them. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "lab.h"
#include "lib/object/loops.h"
#include "sample.h"

enum { MOST_INSTS = 96, REGS = 4, FIRST_REG = 2, LAST_REG = FIRST_REG + REGS - 1 };

struct maker {
	struct hd_inst insts[MOST_INSTS];
	uint32_t count;
	uint64_t state;
	uint32_t leaves[MOST_INSTS], leave_count; /* branches out of the loop */
};

static uint32_t below(struct maker *maker, uint32_t limit)
{
	return (uint32_t)(sample_random(&maker->state) >> 20) % limit;
}

static uint32_t add(struct maker *maker, struct hd_inst inst)
{
	ck_assert_uint_lt(maker->count, MOST_INSTS);
	maker->insts[maker->count] = inst;
	return maker->count++;
}

/* ---- instructions */

static struct hd_inst add_imm(uint8_t dst, uint8_t a, uint32_t step)
{
	return lab_imm(HD_OP_IADD3, dst, a, step);
}

static struct hd_inst move(uint8_t dst, uint8_t src)
{
	struct hd_inst inst = hd_inst_new(HD_OP_MOV);
	inst.dst = dst;
	inst.b = src;
	return inst;
}

static struct hd_inst memory(enum hd_op op, uint8_t reg, uint32_t at)
{
	struct hd_inst inst = lab_op(op);
	inst.mods = HD_MOD(SIZE, HD_SIZE_32);
	inst.x = at;
	*(op == HD_OP_STL ? &inst.c : &inst.dst) = reg;
	return inst;
}

static struct hd_inst shift(uint8_t dst, uint8_t a)
{
	return lab_imm(HD_OP_SHR, dst, a, 1);
}

/* ---- what is said */

struct said {
	bool counted, heeds;
};

static struct said said_of(const struct hd_inst *insts, uint32_t count, uint32_t branch)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	struct hd_function function = {.name = "loop", .inst_count = count};
	function.insts = HD_ARENA_NEW(&arena, struct hd_inst, count);
	memcpy(function.insts, insts, count * sizeof *insts);
	uint8_t *foreign = HD_ARENA_NEW(&arena, uint8_t, count);
	for (uint32_t i = 0; i < count; i++)
		foreign[i] = insts[i].op == HD_OP_LDS;
	struct hd_loops loops = hd_loops_of(&function, &arena);
	struct said said = {hd_loop_is_counted(&loops, branch), hd_loop_heeds(&loops, branch, foreign)};
	hd_arena_release(&arena);
	return said;
}

/* The last instruction but one is the branch back to the first. */
#define EXPECT(is_counted, may_heed, ...)                                                             \
	do {                                                                                          \
		const struct hd_inst code[] = {__VA_ARGS__, lab_op(HD_OP_EXIT)};                      \
		const uint32_t last = sizeof code / sizeof *code - 2;                                 \
		struct said said = said_of(code, last + 2, last);                                     \
		ck_assert_msg(said.counted == (is_counted) && said.heeds == (may_heed),               \
			      "line %d: counted %d, heeds %d", __LINE__, said.counted, said.heeds);   \
	} while (0)
#define LOADED memory(HD_OP_LDS, 7, 0)
#define WHILE_LESS(reg) lab_isetp(0, HD_CMP_LT, reg, 100)
#define BACK(at) lab_bra(0, 0, (at) + 1)

START_TEST(registers_that_count)
{
	EXPECT(true, false, LOADED, add_imm(2, 2, 1), WHILE_LESS(2), BACK(3));
	EXPECT(true, true, LOADED, add_imm(2, 2, 1), WHILE_LESS(7), BACK(3));
	EXPECT(true, false, add_imm(3, 2, 1), WHILE_LESS(2), move(2, 3), LOADED, BACK(4)); /* in two registers */
	EXPECT(true, false, move(2, 4), add_imm(3, 2, 1), WHILE_LESS(2), move(4, 3), LOADED, BACK(5));
	EXPECT(false, false, LOADED, add_imm(2, 2, 1u << 28), WHILE_LESS(2), BACK(3)); /* round after 16 turns */
	EXPECT(false, false, LOADED, shift(2, 2), WHILE_LESS(2), BACK(3));
	EXPECT(false, true, add_imm(3, 2, 1), LOADED, move(2, 7), WHILE_LESS(2), BACK(4));
	EXPECT(false, false, LOADED, lab_guarded(1, add_imm(2, 2, 1)), WHILE_LESS(2), BACK(3));
	EXPECT(false, false, add_imm(3, 2, 1), lab_guarded(1, move(2, 3)), WHILE_LESS(2), LOADED, BACK(4));
	EXPECT(false, false, LOADED, lab_bra(1, 3, 3), add_imm(2, 2, 1), WHILE_LESS(2), BACK(4)); /* passed by */
	EXPECT(false, false, add_imm(3, 2, 1), lab_bra(1, 3, 3), move(2, 3), LOADED, WHILE_LESS(2), BACK(5));
	EXPECT(true, false, LOADED, lab_bra(1, 3, 3), shift(3, 3), add_imm(2, 2, 1), WHILE_LESS(2), BACK(5));
}
END_TEST

START_TEST(values_that_decide_the_end)
{
	EXPECT(false, true, LOADED, WHILE_LESS(7), BACK(2));
	EXPECT(false, true, WHILE_LESS(7), LOADED, BACK(2)); /* of the turn before */
	EXPECT(false, false, LOADED, move(7, 3), WHILE_LESS(7), BACK(3));
	EXPECT(false, true, LOADED, lab_guarded(1, move(7, 3)), WHILE_LESS(7), BACK(3));
	/* through local memory */
	EXPECT(false, true, LOADED, memory(HD_OP_STL, 7, 8), memory(HD_OP_LDL, 3, 8), WHILE_LESS(3), BACK(4));
	EXPECT(false, false, LOADED, memory(HD_OP_STL, 2, 8), memory(HD_OP_LDL, 3, 8), WHILE_LESS(3), BACK(4));
	/* what is loaded chooses what is run */
	EXPECT(false, true, LOADED, lab_isetp(1, HD_CMP_EQ, 7, 0), lab_bra(1, 4, 4), shift(2, 2), WHILE_LESS(2),
	       BACK(5));
	EXPECT(false, false, LOADED, lab_isetp(1, HD_CMP_EQ, 7, 0), lab_bra(1, 4, 4), shift(3, 3), WHILE_LESS(2),
	       BACK(5));
	EXPECT(false, true, LOADED, lab_isetp(1, HD_CMP_EQ, 7, 0), lab_bra(1, 4, 5), lab_bra(HD_PT, 5, HD_NO_PC),
	       shift(2, 2), WHILE_LESS(2), BACK(6)); /* in the other branch */
	EXPECT(false, true, LOADED, lab_isetp(1, HD_CMP_EQ, 7, 0), lab_bra(1, 5, 5), lab_isetp(2, HD_CMP_EQ, 3, 0),
	       lab_bra(2, 7, HD_NO_PC), WHILE_LESS(2), BACK(6)); /* what leaves */
	/* ... or how often a loop inside turns */
	EXPECT(false, true, shift(2, 2), LOADED, lab_isetp(1, HD_CMP_EQ, 7, 0), lab_bra(1, 0, 4), WHILE_LESS(2),
	       BACK(5));
	/* an exit in the middle */
	EXPECT(false, true, LOADED, lab_isetp(1, HD_CMP_EQ, 7, 0), lab_bra(1, 5, 5), WHILE_LESS(2), BACK(4));
	EXPECT(false, false, LOADED, lab_isetp(1, HD_CMP_EQ, 3, 0), lab_bra(1, 5, 5), WHILE_LESS(2), BACK(4));
	/* what other lanes have */
	struct hd_inst vote = lab_op(HD_OP_VOTE);
	vote.dst = 7;
	EXPECT(false, true, vote, WHILE_LESS(7), BACK(2));
	/* no end */
	EXPECT(false, true, LOADED, lab_bra(HD_PT, 0, 2));
}
END_TEST

/* ---- random loops */

static uint8_t some_reg(struct maker *maker)
{
	return (uint8_t)(FIRST_REG + below(maker, REGS));
}

static uint8_t some_guard(struct maker *maker)
{
	return (uint8_t)(below(maker, 2) | (below(maker, 2) ? HD_PRED_NOT : 0));
}

static void make_compare(struct maker *maker, uint8_t pred, uint8_t reg)
{
	add(maker, lab_isetp(pred, below(maker, 2) ? HD_CMP_LT : HD_CMP_NE, reg, below(maker, 8)));
}

static void make_items(struct maker *maker, uint32_t items, unsigned depth);

/* What the guard skips, or what it repeats. */
static void make_inside(struct maker *maker, unsigned depth)
{
	uint32_t first = maker->count;
	if (below(maker, 2)) {
		add(maker, lab_bra(some_guard(maker), 0, 0));
		make_items(maker, 1 + below(maker, 3), depth + 1);
		maker->insts[first].x = maker->insts[first].reconv = maker->count;
	} else {
		make_items(maker, 1 + below(maker, 3), depth + 1);
		add(maker, lab_bra(some_guard(maker), first, maker->count + 1));
	}
}

static void make_item(struct maker *maker, unsigned depth)
{
	uint8_t to = some_reg(maker), from = some_reg(maker);
	switch (below(maker, depth < 2 ? 15 : 11)) {
	case 0: add(maker, add_imm(to, to, below(maker, 3))); break;
	case 1: add(maker, add_imm(to, from, 1)); break;
	case 2: add(maker, move(to, from)); break;
	case 3: add(maker, shift(to, from)); break;
	case 4:
	case 10: add(maker, memory(HD_OP_LDS, to, 4 * below(maker, 4))); break;
	case 5: make_compare(maker, (uint8_t)below(maker, 2), from); break;
	case 6: add(maker, lab_guarded(some_guard(maker), add_imm(to, from, below(maker, 2)))); break;
	case 7: add(maker, memory(HD_OP_STL, from, 4 * below(maker, 2))); break;
	case 8: add(maker, memory(HD_OP_LDL, to, 4 * below(maker, 2))); break;
	case 9: maker->leaves[maker->leave_count++] = add(maker, lab_bra(some_guard(maker), 0, HD_NO_PC)); break;
	default: make_inside(maker, depth); break;
	}
}

static void make_items(struct maker *maker, uint32_t items, unsigned depth)
{
	for (uint32_t i = 0; i < items; i++)
		make_item(maker, depth);
}

static uint32_t make_loop(struct maker *maker)
{
	make_items(maker, 2 + below(maker, 6), 0);
	make_compare(maker, 0, some_reg(maker));
	uint32_t branch = add(maker, lab_bra(0, 0, maker->count + 1));
	uint32_t exit = add(maker, lab_op(HD_OP_EXIT));
	for (uint32_t i = 0; i < maker->leave_count; i++)
		maker->insts[maker->leaves[i]].x = exit;
	return branch;
}

enum { MOST_STEPS = 1500, TURNS_SEEN = 16 };

struct turns {
	uint32_t count;
	bool ended;
	uint32_t regs[TURNS_SEEN][REGS]; /* at the branch */
};

/* One thread, with registers and shared memory of this seed each. */
static struct turns run(const struct maker *maker, uint32_t branch, uint64_t regs, uint64_t shared)
{
	struct lab *lab = lab_kernel(maker->insts, maker->count, 1);
	struct turns turns = {0};
	for (unsigned reg = FIRST_REG; reg <= LAST_REG; reg++)
		lab->warp.regs[reg][0] = (uint32_t)(sample_random(&regs) >> 20) % 8;
	for (unsigned word = 0; word < 4; word++)
		((uint32_t *)(void *)lab->shared)[word] = (uint32_t)(sample_random(&shared) >> 20) % 8;
	for (unsigned steps = 0; steps < MOST_STEPS && !turns.ended; steps++) {
		if (lab->warp.pc == branch) {
			for (unsigned reg = 0; reg < REGS && turns.count < TURNS_SEEN; reg++)
				turns.regs[turns.count][reg] = lab->warp.regs[FIRST_REG + reg][0];
			turns.count++;
		}
		turns.ended = lab_run(lab, 1) == 0;
	}
	lab_free(lab);
	return turns;
}

/* A register that counts has no value twice. */
static bool one_counts(const struct turns *turns)
{
	uint32_t seen = turns->count < TURNS_SEEN ? turns->count : TURNS_SEEN;
	for (unsigned reg = 0; reg < REGS; reg++) {
		bool twice = false;
		for (unsigned a = 0; a < seen; a++)
			for (unsigned b = 0; b < a; b++)
				twice |= turns->regs[a][reg] == turns->regs[b][reg];
		if (!twice)
			return true;
	}
	return false;
}

START_TEST(random_loops_are_as_they_are_said_to_be)
{
	uint32_t counted = 0, independent = 0, unlike = 0;
	for (uint64_t n = 1; n <= hd_samples(3000, 100000); n++) {
		uint64_t seed = n * 0x9e3779b97f4a7c15; /* what comes of small seeds is alike at first */
		struct maker maker = {.state = seed};
		uint32_t branch = make_loop(&maker);
		struct said said = said_of(maker.insts, maker.count, branch);
		struct turns one = run(&maker, branch, seed, seed * 3), other = run(&maker, branch, seed, seed * 5);
		bool same = !(one.ended && other.count > one.count) && !(other.ended && one.count > other.count);
		if (said.counted)
			ck_assert_msg(one_counts(&one) && one_counts(&other), "seed %ju: nothing counts", (uintmax_t)n);
		if (!said.heeds)
			ck_assert_msg(same, "seed %ju: %u and %u turns", (uintmax_t)n, one.count, other.count);
		counted += said.counted;
		independent += !said.heeds;
		unlike += !same;
	}
	ck_assert_uint_gt(counted, 100);
	ck_assert_uint_gt(independent, 500);
	ck_assert_uint_gt(unlike, 40);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {registers_that_count, values_that_decide_the_end,
				      random_loops_are_as_they_are_said_to_be, NULL};
	return hd_suite_of("loops", tests);
}
