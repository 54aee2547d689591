/* Coalescer and shared-memory conflicts: cases worked out by hand, and random ones against the definition. */
#include "harness.h"

#include <string.h>

#include "memory_rig.h"
#include "runtime/memory/coalescer.h"
#include "sample.h"

static struct hd_coalescer coalescer = {7, 5};
static struct hd_access out[HD_MAX_ACCESSES];

static uint32_t run(const struct hd_mem_request *request)
{
	memset(out, 0xaa, sizeof(out));
	return hd_coalesce(&coalescer, request, out);
}

/* ---- global loads */

static const struct {
	uint64_t base, stride;
	uint32_t bytes, lines;
	uint8_t first, last; /* sectors of the first and last line */
} strides[] = {
	{0x1000, 4, 4, 1, 0xf, 0xf},				     /* consecutive words */
	{0x1000, 1, 1, 1, 0x1, 0x1},				     /* consecutive bytes: one sector */
	{0x1000, 2, 2, 1, 0x3, 0x3},	{0x1000, 8, 4, 2, 0xf, 0xf}, /* every second word */
	{0x1000, 128, 4, 32, 0x1, 0x1},				     /* a column of a matrix with 32 words a row */
	{0x1000, 32, 4, 8, 0xf, 0xf},				     /* a word of each sector */
	{0x1000, 0, 4, 1, 0x1, 0x1},				     /* one word for all */
	{0x1020, 4, 4, 2, 0xe, 0x1},				     /* aligned to a sector, not to a line */
	{0x1004, 4, 4, 2, 0xf, 0x1},				     /* aligned to a word only */
	{0x1000, 8, 8, 2, 0xf, 0xf},	{0x1000, 16, 16, 4, 0xf, 0xf},
	{0x1078, 16, 16, 5, 0x8, 0xf}, /* a lane spans two lines */
};

START_TEST(strides_touch_these_lines)
{
	struct hd_mem_request request = rig_load(0, strides[_i].base, strides[_i].stride, strides[_i].bytes);
	uint32_t count = run(&request);
	ck_assert_uint_eq(count, strides[_i].lines);
	ck_assert_uint_eq(out[0].sectors, strides[_i].first);
	ck_assert_uint_eq(out[count - 1].sectors, strides[_i].last);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(out[i].line, strides[_i].base / 128 + i);
}
END_TEST

START_TEST(lines_come_in_the_order_of_lanes)
{
	struct hd_mem_request request = rig_load(0, 0, 4, 4);
	for (uint32_t lane = 0; lane < 32; lane++)
		request.address[lane] = (uint64_t)(lane * 7 % 5) * 128;
	ck_assert_uint_eq(run(&request), 5);
	static const uint64_t order[] = {0, 2, 4, 1, 3};
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_uint_eq(out[i].line, order[i]);
}
END_TEST

START_TEST(inactive_lanes_do_not_count)
{
	struct hd_mem_request request = rig_load(0, 0, 128, 4);
	request.mask = 0x80000001;
	ck_assert_uint_eq(run(&request), 2);
	ck_assert_uint_eq(out[1].line, 31);
	request.mask = 0;
	ck_assert_uint_eq(run(&request), 0);
}
END_TEST

/* The sectors that the definition gives, line by line. */
static uint8_t sectors_of(const struct hd_mem_request *request, uint64_t line)
{
	uint8_t sectors = 0;
	for (uint32_t lane = 0; lane < 32; lane++)
		for (uint32_t byte = 0; request->mask >> lane & 1 && byte < request->bytes; byte++) {
			uint64_t address = request->address[lane] + byte;
			if (address / 128 == line)
				sectors |= (uint8_t)(1u << address % 128 / 32);
		}
	return sectors;
}

START_TEST(random_addresses_agree_with_the_definition)
{
	uint64_t state = 1 + (uint64_t)_i;
	struct hd_mem_request request = rig_load(0, 0, 0, 1u << _i % 5);
	uint64_t range = UINT64_C(1) << (6 + _i % 14);
	request.mask = (uint32_t)sample_random(&state);
	for (uint32_t lane = 0; lane < 32; lane++)
		request.address[lane] = sample_random(&state) % range;
	uint32_t count = run(&request), sectors = 0;
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(out[i].sectors, sectors_of(&request, out[i].line));
		for (uint32_t j = 0; j < i; j++)
			ck_assert(out[i].line != out[j].line);
		sectors += (uint32_t)__builtin_popcount(out[i].sectors);
	}
	for (uint64_t line = 0; line <= range / 128; line++)
		sectors -= (uint32_t)__builtin_popcount(sectors_of(&request, line));
	ck_assert_uint_eq(sectors, 0);
}
END_TEST

START_TEST(unsectored_lines_have_one_sector)
{
	struct hd_config config;
	hd_config_defaults(&config);
	config.sector = 128;
	struct hd_coalescer whole;
	hd_coalescer_init(&whole, &config);
	struct hd_mem_request request = rig_load(0, 0x40, 4, 4);
	request.kind = HD_MEM_STORE;
	ck_assert_uint_eq(hd_coalesce(&whole, &request, out), 2);
	ck_assert_uint_eq(out[0].sectors, 1);
	ck_assert_uint_eq(out[0].full, 0);
	request = rig_load(0, 0, 4, 4);
	request.kind = HD_MEM_STORE;
	ck_assert_uint_eq(hd_coalesce(&whole, &request, out), 1);
	ck_assert_uint_eq(out[0].full, 1);
	request.mask = 0x7fffffff; /* the last word of the line is missing */
	ck_assert_uint_eq(hd_coalesce(&whole, &request, out), 1);
	ck_assert_uint_eq(out[0].full, 0);
}
END_TEST

/* A word is missing in the first half of the line, or in the second. */
START_TEST(sectors_of_64_bytes_are_two_a_line)
{
	static const struct {
		uint32_t mask;
		uint8_t full;
	} cases[] = {{UINT32_MAX, 0x3}, {0xfffffffe, 0x2}, {0xffff7fff, 0x2}, {0xfffeffff, 0x1}, {0x7fffffff, 0x1}};
	const struct hd_coalescer halves = {7, 6};
	for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct hd_mem_request request = rig_load(0, 0, 4, 4);
		request.kind = HD_MEM_STORE;
		request.mask = cases[i].mask;
		ck_assert_uint_eq(hd_coalesce(&halves, &request, out), 1);
		ck_assert_uint_eq(out[0].sectors, 0x3);
		ck_assert_uint_eq(out[0].full, cases[i].full);
	}
}
END_TEST

/* ---- local memory: 4-byte words of one lane are 128 bytes apart */

static struct hd_mem_request local(uint32_t bytes, uint32_t offset, uint32_t step)
{
	struct hd_mem_request request = rig_load(0, 0, 0, bytes);
	request.space = HD_MEM_LOCAL;
	for (uint32_t lane = 0; lane < 32; lane++)
		request.address[lane] = hd_local_address(0x10000, lane, offset + lane * step);
	return request;
}

START_TEST(wide_local_accesses_take_a_line_a_word)
{
	for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
		struct hd_mem_request request = local(bytes, 16, 0);
		uint32_t words = bytes > 4 ? bytes / 4 : 1;
		ck_assert_uint_eq(run(&request), words);
		for (uint32_t i = 0; i < words; i++) {
			ck_assert_uint_eq(out[i].line, 0x10000 / 128 + 4 + i);
			ck_assert_uint_eq(out[i].sectors, 0xf);
		}
	}
}
END_TEST

/* Two words of each lane, as a pattern says beforehand: two lines of two sectors, of 64 bytes each. */
START_TEST(wide_local_accesses_touch_sectors_of_64_bytes)
{
	const struct hd_coalescer halves = {7, 6};
	struct hd_mem_request request = local(8, 16, 0);
	request.pattern = HD_MEM_CONSECUTIVE;
	ck_assert_uint_eq(hd_coalesce(&halves, &request, out), 2);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(out[i].line, 0x10000 / 128 + 4 + i);
		ck_assert_uint_eq(out[i].sectors, 0x3);
	}
}
END_TEST

START_TEST(diverging_local_accesses_touch_up_to_128_lines)
{
	struct hd_mem_request request = local(16, 0, 16);
	ck_assert_uint_eq(run(&request), 128);
	for (uint32_t i = 0; i < 128; i++)
		ck_assert_uint_eq(__builtin_popcount(out[i].sectors), 1);
}
END_TEST

/* ---- stores: which sectors are written in every byte */

START_TEST(full_sectors_are_found)
{
	struct hd_mem_request request = rig_load(0, 0, 4, 4);
	request.kind = HD_MEM_STORE;
	run(&request);
	ck_assert_uint_eq(out[0].full, 0xf);
	request.mask = 0x0000fffe; /* lane 0 missing, sectors 2 and 3 not touched */
	run(&request);
	ck_assert_uint_eq(out[0].sectors, 0x3);
	ck_assert_uint_eq(out[0].full, 0x2);
	request = rig_load(0, 0x40, 1, 1);
	request.kind = HD_MEM_STORE;
	run(&request);
	ck_assert_uint_eq(out[0].sectors, 0x4);
	ck_assert_uint_eq(out[0].full, 0x4);
	request = rig_load(0, 0x38, 8, 8); /* eight-byte stores across the middle of the line */
	request.kind = HD_MEM_STORE;
	ck_assert_uint_eq(run(&request), 3);
	ck_assert_uint_eq(out[0].full, 0xc);
	ck_assert_uint_eq(out[1].full, 0xf);
	ck_assert_uint_eq(out[2].sectors, 0x3);
	ck_assert_uint_eq(out[2].full, 0x1);
	request = rig_load(0, 4, 8, 8); /* of bytes 4 to 259, some across the middle and the ends of lines */
	request.kind = HD_MEM_STORE;
	ck_assert_uint_eq(run(&request), 3);
	ck_assert_uint_eq(out[0].full, 0xe);
	ck_assert_uint_eq(out[1].full, 0xf);
	ck_assert_uint_eq(out[2].sectors, 0x1);
	ck_assert_uint_eq(out[2].full, 0);
	request = rig_load(0, 33, 2, 2); /* of bytes 33 to 96, one of them across the middle */
	request.kind = HD_MEM_STORE;
	ck_assert_uint_eq(run(&request), 1);
	ck_assert_uint_eq(out[0].sectors, 0xe);
	ck_assert_uint_eq(out[0].full, 0x4);
}
END_TEST

START_TEST(local_stores_of_a_whole_warp_are_full)
{
	struct hd_mem_request request = local(16, 0, 0);
	request.kind = HD_MEM_STORE;
	ck_assert_uint_eq(run(&request), 4);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(out[i].full, 0xf);
}
END_TEST

/* ---- atomics: lanes on one word are served one after the other */

START_TEST(atomics_are_served_by_word)
{
	struct hd_mem_request request = rig_load(0, 0, 0, 4);
	request.kind = HD_MEM_ATOMIC;
	ck_assert_uint_eq(run(&request), 1);
	ck_assert_uint_eq(out[0].service, 32);
	request = rig_load(0, 0, 4, 4);
	request.kind = HD_MEM_REDUCTION;
	run(&request);
	ck_assert_uint_eq(out[0].service, 4); /* one cycle for each sector */
	for (uint32_t lane = 0; lane < 32; lane++)
		request.address[lane] = lane < 5 ? 0 : lane < 8 ? 4 : 64 + lane % 2 * 4;
	run(&request);
	ck_assert_uint_eq(out[0].service, 5 + 12); /* sector 0: 5 and 3 lanes; sector 2: 12 and 12 */
	request = rig_load(0, 0, 0, 8);
	request.kind = HD_MEM_ATOMIC;
	request.mask = 0xff;
	run(&request);
	ck_assert_uint_eq(out[0].service, 8);
}
END_TEST

/* ---- what the executor has seen of the lanes */

/* Lines and sectors are those that are found lane by lane. */
static void check_pattern(struct hd_mem_request *request, uint8_t pattern)
{
	struct hd_access plain[HD_MAX_ACCESSES];
	uint32_t count = hd_coalesce(&coalescer, request, plain);
	request->pattern = pattern;
	ck_assert_uint_eq(run(request), count);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(out[i].line, plain[i].line);
		ck_assert_uint_eq(out[i].sectors, plain[i].sectors);
		ck_assert_uint_eq(out[i].full, plain[i].full);
		ck_assert_uint_eq(out[i].service, plain[i].service);
	}
}

START_TEST(patterns_change_nothing)
{
	static const uint32_t kinds[] = {HD_MEM_LOAD, HD_MEM_STORE, HD_MEM_ATOMIC};
	static const uint32_t masks[] = {UINT32_MAX, 0xff00, 1};
	for (uint32_t word = 0; word < 40; word++)
		for (uint32_t i = 0; i < 9; i++)
			for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
				struct hd_mem_request request;
				for (uint32_t local = 0; local < 2; local++) {
					request = rig_load(0, 0x1000 + word * 4, 4, bytes);
					request.kind = (uint8_t)kinds[i % 3];
					request.mask = masks[i / 3];
					request.space = local ? HD_MEM_LOCAL : HD_MEM_GLOBAL;
					check_pattern(&request, HD_MEM_CONSECUTIVE);
				}
				request = rig_load(0, (0x1000 + word * 4) & ~(bytes - 1), 0, bytes);
				request.kind = (uint8_t)kinds[i % 3];
				request.mask = masks[i / 3];
				check_pattern(&request, HD_MEM_UNIFORM);
			}
}
END_TEST

/* ---- shared memory */

static const struct {
	uint64_t stride;
	uint32_t bytes, kind, mask, cycles;
} banks[] = {
	{4, 4, HD_MEM_LOAD, UINT32_MAX, 1},    {8, 4, HD_MEM_LOAD, UINT32_MAX, 2},
	{16, 4, HD_MEM_LOAD, UINT32_MAX, 4},   {128, 4, HD_MEM_LOAD, UINT32_MAX, 32},
	{132, 4, HD_MEM_LOAD, UINT32_MAX, 1}, /* the usual padding */
	{0, 4, HD_MEM_LOAD, UINT32_MAX, 1},   /* broadcast */
	{1, 1, HD_MEM_LOAD, UINT32_MAX, 1},   /* four lanes a word */
	{128, 4, HD_MEM_LOAD, 0x7, 3},	       {128, 4, HD_MEM_STORE, UINT32_MAX, 32},
	{8, 8, HD_MEM_LOAD, UINT32_MAX, 2}, /* half-warps */
	{8, 8, HD_MEM_LOAD, 0xffff, 1},	       {16, 8, HD_MEM_LOAD, UINT32_MAX, 4},
	{16, 16, HD_MEM_LOAD, UINT32_MAX, 4}, /* quarter-warps */
	{0, 16, HD_MEM_LOAD, UINT32_MAX, 4},   {128, 16, HD_MEM_LOAD, UINT32_MAX, 32},
	{0, 4, HD_MEM_ATOMIC, UINT32_MAX, 32}, {4, 4, HD_MEM_ATOMIC, UINT32_MAX, 1},
	{0, 4, HD_MEM_REDUCTION, 0xff, 8},     {4, 4, HD_MEM_LOAD, 0, 1},
};

START_TEST(strides_conflict_in_banks)
{
	struct hd_mem_request request = rig_load(0, 0, banks[_i].stride, banks[_i].bytes);
	request.space = HD_MEM_SHARED;
	request.kind = (uint8_t)banks[_i].kind;
	request.mask = banks[_i].mask;
	ck_assert_uint_eq(hd_shared_cycles(&request, 32, false), banks[_i].cycles);
}
END_TEST

/* As NVIDIA has it of compute capability 7.0 to 7.5: four requests of a load of 16 bytes become two. */
START_TEST(pairs_of_lanes_with_one_address_go_together)
{
	static const struct {
		uint32_t shift, modulo, bytes, kind, cycles;
	} pairs[] = {
		{5, 1, 16, HD_MEM_LOAD, 2},  {5, 1, 8, HD_MEM_LOAD, 1},	  {5, 1, 4, HD_MEM_LOAD, 1},
		{5, 1, 16, HD_MEM_STORE, 4}, {1, 16, 16, HD_MEM_LOAD, 2}, {0, 2, 16, HD_MEM_LOAD, 2},
		{0, 4, 16, HD_MEM_LOAD, 4},  {2, 8, 8, HD_MEM_LOAD, 1},
	};
	struct hd_mem_request request = rig_load(0, 0, 0, pairs[_i].bytes);
	request.space = HD_MEM_SHARED;
	request.kind = (uint8_t)pairs[_i].kind;
	for (uint32_t lane = 0; lane < 32; lane++)
		request.address[lane] = (lane >> pairs[_i].shift) % pairs[_i].modulo * pairs[_i].bytes;
	ck_assert_uint_eq(hd_shared_cycles(&request, 32, hd_shared_pairs(&request)), pairs[_i].cycles);
	request.mask &= ~1u; /* a lane that is off has any address */
	request.address[0] = 4096;
	ck_assert_uint_eq(hd_shared_cycles(&request, 32, hd_shared_pairs(&request)), pairs[_i].cycles);
}
END_TEST

/* Of 24 banks the words 0 and 1, and 16 and 17, are four. */
START_TEST(the_number_of_banks_need_be_no_power_of_two)
{
	struct hd_mem_request request = rig_load(0, 0, 64, 8);
	request.space = HD_MEM_SHARED;
	request.mask = 3;
	ck_assert_uint_eq(hd_shared_cycles(&request, 24, false), 1);
	request.address[1] = 96; /* words 24 and 25: banks 0 and 1 */
	ck_assert_uint_eq(hd_shared_cycles(&request, 24, false), 2);
}
END_TEST

/* Without banks a power of two, too, half-warps of 8 bytes go one after the other: lanes 16 and 17, words 0 and 24. */
START_TEST(later_groups_have_conflicts_of_their_own)
{
	struct hd_mem_request request = rig_load(0, 0, 0, 8);
	request.space = HD_MEM_SHARED;
	request.mask = 3u << 16;
	request.address[17] = 96;
	ck_assert_uint_eq(hd_shared_cycles(&request, 24, false), 2);
	request.mask |= 1; /* one more group, of one lane */
	ck_assert_uint_eq(hd_shared_cycles(&request, 24, false), 3);
}
END_TEST

/* 128 bytes are a row of 32 banks: a word that is as far from another one is in its bank, one before that is not. */
START_TEST(a_row_of_banks_ends)
{
	struct hd_mem_request request = rig_load(0, 0, 0, 4);
	request.space = HD_MEM_SHARED;
	for (uint32_t lane = 1; lane < 32; lane++) {
		request.address[lane] = 128;
		ck_assert_uint_eq(hd_shared_cycles(&request, 32, false), 2);
		request.address[lane] = 124;
		ck_assert_uint_eq(hd_shared_cycles(&request, 32, false), 1);
		request.address[lane] = 0;
	}
}
END_TEST

/* ---- runs of bytes: lines of 128 bytes, sectors of 32 */

START_TEST(runs_touch_the_sectors_that_they_lie_in)
{
	static const struct {
		uint64_t address;
		uint32_t bytes, lines;
		uint64_t first, second; /* line << 8 | sectors */
	} runs[] = {
		{0x1000, 32, 1, 0x20 << 8 | 1, 0},
		{0x1000, 33, 1, 0x20 << 8 | 3, 0},
		{0x101f, 1, 1, 0x20 << 8 | 1, 0},
		{0x101f, 2, 1, 0x20 << 8 | 3, 0},
		{0x1060, 32, 1, 0x20 << 8 | 8, 0},
		{0x1060, 33, 2, 0x20 << 8 | 8, 0x21 << 8 | 1},
		{0x1070, 48, 2, 0x20 << 8 | 8, 0x21 << 8 | 1},
		{0x1070, 49, 2, 0x20 << 8 | 8, 0x21 << 8 | 3},
		{0x107f, 128, 2, 0x20 << 8 | 8, 0x21 << 8 | 15},
	};
	uint64_t lines[8];
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		ck_assert_uint_eq(hd_coalesce_runs(&coalescer, &runs[i].address, 1, runs[i].bytes, lines),
				  runs[i].lines);
		ck_assert_uint_eq(lines[0], runs[i].first);
		if (runs[i].lines == 2)
			ck_assert_uint_eq(lines[1], runs[i].second);
	}
	/* Several runs: each line once, with the sectors of all. */
	const uint64_t both[] = {0x1000, 0x2000, 0x1040};
	ck_assert_uint_eq(hd_coalesce_runs(&coalescer, both, 3, 4, lines), 2);
	ck_assert_uint_eq(lines[0], 0x20 << 8 | 5);
	ck_assert_uint_eq(lines[1], 0x40 << 8 | 1);
}
END_TEST

/* The most words of a bank that `lanes` access. */
static uint32_t words_of_a_bank(const struct hd_mem_request *request, uint32_t lanes)
{
	uint32_t most = 0, wide = request->bytes > 4 ? request->bytes / 4 : 1;
	for (uint32_t bank = 0; bank < 32; bank++) {
		uint32_t words = 0;
		for (uint64_t word = bank; word < 256; word += 32) {
			bool used = false;
			for (uint32_t lane = 0; lane < 32; lane++)
				used |= lanes >> lane & 1 && word - request->address[lane] / 4 < wide;
			words += used;
		}
		most = words > most ? words : most;
	}
	return most;
}

/* Also where all lanes are in a row of the banks, or nearly. */
START_TEST(random_conflicts_agree_with_the_definition)
{
	uint64_t state = 99 + (uint64_t)_i;
	uint32_t bytes = 1u << _i % 5, group = bytes > 4 ? 128 / bytes : 32, cycles = 0;
	uint32_t chunks = _i % 3 ? 1024 / bytes : 128 / bytes, odd = sample_random(&state) % 32;
	struct hd_mem_request request = rig_load(0, 0, 0, bytes);
	if (_i % 2)
		request.mask = (uint32_t)(sample_random(&state) | sample_random(&state));
	for (uint32_t lane = 0; lane < 32; lane++)
		request.address[lane] = sample_random(&state) % chunks * bytes;
	if (_i % 4 == 0)
		request.address[odd] = request.address[(odd + 1) % 32] ^ 512;
	for (uint32_t first = 0; first < 32; first += group) {
		uint32_t all = (uint32_t)((UINT64_C(1) << group) - 1) << first;
		cycles += words_of_a_bank(&request, request.mask & all);
	}
	ck_assert_uint_eq(hd_shared_cycles(&request, 32, false), cycles ? cycles : 1);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("coalescer");
	TCase *cases = tcase_create("cases");
	tcase_add_loop_test(cases, strides_touch_these_lines, 0, sizeof(strides) / sizeof(strides[0]));
	tcase_add_test(cases, lines_come_in_the_order_of_lanes);
	tcase_add_test(cases, inactive_lanes_do_not_count);
	tcase_add_loop_test(cases, random_addresses_agree_with_the_definition, 0, 100);
	tcase_add_test(cases, unsectored_lines_have_one_sector);
	tcase_add_test(cases, wide_local_accesses_take_a_line_a_word);
	tcase_add_test(cases, wide_local_accesses_touch_sectors_of_64_bytes);
	tcase_add_test(cases, diverging_local_accesses_touch_up_to_128_lines);
	tcase_add_test(cases, full_sectors_are_found);
	tcase_add_test(cases, sectors_of_64_bytes_are_two_a_line);
	tcase_add_test(cases, local_stores_of_a_whole_warp_are_full);
	tcase_add_test(cases, atomics_are_served_by_word);
	tcase_add_test(cases, patterns_change_nothing);
	tcase_add_loop_test(cases, strides_conflict_in_banks, 0, sizeof(banks) / sizeof(banks[0]));
	tcase_add_test(cases, the_number_of_banks_need_be_no_power_of_two);
	tcase_add_test(cases, later_groups_have_conflicts_of_their_own);
	tcase_add_test(cases, a_row_of_banks_ends);
	tcase_add_test(cases, runs_touch_the_sectors_that_they_lie_in);
	tcase_add_loop_test(cases, pairs_of_lanes_with_one_address_go_together, 0, 8);
	tcase_add_loop_test(cases, random_conflicts_agree_with_the_definition, 0, 240);
	suite_add_tcase(suite, cases);
	return suite;
}
