/*
 * The whole memory system through the engine's interface: latencies derived from the configuration, bandwidth ceilings,
 * growth of latency with load, fences, the shared/L1 split, and that skipping cycles changes nothing.
 */
#include "harness.h"

#include <string.h>

#include "heddle/machine.h"
#include "memory_rig.h"
#include "runtime/memory/lsu.h"
#include "runtime/memory/system.h"
#include "sample.h"

static struct rig rig;

static void set_up(void)
{
	rig_init(&rig, 1 << 16);
}

static void tear_down(void)
{
	rig_release(&rig);
}

static struct hd_mem_request shared_load(uint32_t token, uint64_t stride)
{
	struct hd_mem_request request = rig_load(token, 0, stride, 4);
	request.space = HD_MEM_SHARED;
	return request;
}

static uint64_t latency_of(struct hd_mem_request request)
{
	return rig_latency(&rig, &request);
}

/* ---- latencies, from the first line access; the defaults have one clock for core, crossbar and L2 */

START_TEST(l1_hits_take_the_l1_latency)
{
	rig_build(&rig);
	latency_of(rig_load(1, 0, 4, 4));
	ck_assert_uint_eq(latency_of(rig_load(2, 0, 4, 4)), rig.config.l1_latency);
}
END_TEST

START_TEST(completions_come_on_their_cycle)
{
	struct hd_mem_completion done;
	rig_build(&rig);
	latency_of(rig_load(1, 0, 4, 4));
	struct hd_mem_request request = rig_load(2, 0, 4, 4);
	uint64_t now = rig.now, due = now + 1 + rig.config.l1_latency;
	hd_lsu_issue(rig.lsus[0], now, now + 1, &request);
	ck_assert_uint_eq(hd_lsu_tick(rig.lsus[0], now), now + 1);
	hd_lsu_tick(rig.lsus[0], now + 1);
	ck_assert_uint_eq(hd_lsu_next_completion(rig.lsus[0]), due);
	ck_assert_uint_eq(hd_lsu_completions(rig.lsus[0], due - 1, &done, 1), 0);
	ck_assert(!hd_lsu_idle(rig.lsus[0]));
	ck_assert_uint_eq(hd_lsu_completions(rig.lsus[0], due, &done, 1), 1);
	ck_assert_uint_eq(done.token, 2);
	ck_assert_uint_eq(done.cycle, due);
	ck_assert(hd_lsu_idle(rig.lsus[0]));
}
END_TEST

START_TEST(operands_are_waited_for)
{
	rig_build(&rig);
	struct hd_mem_request request = shared_load(1, 4);
	hd_lsu_issue(rig.lsus[0], rig.now, rig.now + 50, &request);
	rig.lsu_next[0] = rig.now + 1;
	rig.outstanding++;
	uint64_t start = rig.now;
	rig_run(&rig);
	ck_assert_uint_eq(rig.done[1], start + 50 + rig.config.shared_latency);
}
END_TEST

/* One that waits for its scheduler's address unit lets those of other schedulers pass, and goes when it is ready; each
 * place is told when its instruction is taken. Without memory queues the unit serves in the order of issue. */
START_TEST(address_units_hold_up_their_own)
{
	for (uint32_t places = 0; places <= 2; places += 2) {
		tear_down();
		set_up();
		rig.config.memory_queue = places;
		rig_build(&rig);
		uint64_t start = rig.now, latency = rig.config.shared_latency;
		struct hd_mem_request late = shared_load(1, 4), soon = shared_load(2, 4);
		late.place = 7, soon.place = 8;
		hd_lsu_issue(rig.lsus[0], start, start + 50, &late);
		hd_lsu_issue(rig.lsus[0], start, start + 5, &soon);
		if (places) {
			hd_lsu_tick(rig.lsus[0], start + 5);
			ck_assert_uint_eq(hd_lsu_taken(rig.lsus[0]), 8);
			ck_assert_uint_eq(hd_lsu_taken(rig.lsus[0]), HD_MEM_NO_PLACE);
		}
		rig.lsu_next[0] = start + 6;
		rig.now = start + 6;
		rig.outstanding += 2;
		rig_run(&rig);
		ck_assert_uint_eq(rig.done[1], start + 50 + latency);
		ck_assert_uint_eq(rig.done[2], start + (places ? 5 : 51) + latency);
	}
}
END_TEST

START_TEST(l2_hits_cross_twice)
{
	const struct hd_config *c = &rig.config;
	rig_build(&rig);
	struct hd_mem_request request = rig_load(1, 0, 0, 4);
	latency_of(request);
	request.cache = HD_CACHE_CG; /* past L1 */
	/* A reply with one sector is two flits. */
	ck_assert_uint_eq(latency_of(request), c->l1_latency + 2 * c->icnt_latency + c->l2_latency + 1);
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.icnt_flits_asked, 4);
	ck_assert_uint_eq(total.counters.l2_miss_replies, 1);
	ck_assert_uint_eq(total.counters.l2_hit_replies, 1);
	ck_assert_uint_eq(total.counters.l2_hit_latency, 2 * c->icnt_latency + c->l2_latency + 1);
}
END_TEST

/* Lines that a copy touches are there whole, those around are not; of a large copy the last lines are. */
START_TEST(copies_stay_in_l2)
{
	const struct hd_config *c = &rig.config;
	rig_build(&rig);
	uint64_t hit = c->l1_latency + 2 * c->icnt_latency + c->l2_latency + 1;
	uint64_t l2 = c->l2_slices * c->l2_slice_bytes, large = 1 << 30;
	hd_memory_copied(rig.memory, 4096 + 100, 100);
	ck_assert_uint_eq(latency_of(rig_load(1, 4096, 0, 4)), hit);
	ck_assert_uint_eq(latency_of(rig_load(1, 4096 + 255 - 31, 0, 4)), hit);
	ck_assert_uint_gt(latency_of(rig_load(1, 4096 - 32, 0, 4)), hit);
	ck_assert_uint_gt(latency_of(rig_load(1, 4096 + 256, 0, 4)), hit);
	hd_memory_copied(rig.memory, large, 8 * l2);
	ck_assert_uint_eq(latency_of(rig_load(1, large + 8 * l2 - 32, 0, 4)), hit);
	ck_assert_uint_gt(latency_of(rig_load(1, large, 0, 4)), hit);
	hd_memory_copied(rig.memory, 4096, 0);
	ck_assert_uint_eq(rig_total(&rig).counters.l2_hits, 3);
}
END_TEST

/* 128 bytes over 64 a cycle are two cycles, as many as a conflict of two ways takes, and one word is one. */
START_TEST(narrow_shared_memory_takes_more_cycles)
{
	rig.config.shared_width = 64;
	rig_build(&rig);
	uint64_t latency = rig.config.shared_latency;
	struct hd_mem_request wide = shared_load(3, 8), uniform = shared_load(4, 0);
	wide.bytes = 8;
	uniform.pattern = HD_MEM_UNIFORM;
	ck_assert_uint_eq(latency_of(shared_load(1, 4)), latency + 1);
	ck_assert_uint_eq(latency_of(shared_load(2, 8)), latency + 1);
	ck_assert_uint_eq(latency_of(wide), latency + 3);
	ck_assert_uint_eq(latency_of(uniform), latency);
	ck_assert_uint_eq(rig_total(&rig).counters.shared_cycles, 2 + 2 + 4 + 1);
}
END_TEST

/* Shared ones of one cycle and hits of L1 alike. */
START_TEST(instructions_start_an_interval_apart)
{
	for (uint32_t space = 0; space < 2; space++) {
		tear_down();
		set_up();
		rig.config.lsu_interval = 3;
		rig_build(&rig);
		latency_of(rig_load(1, 0, 4, 4)); /* in L1 */
		for (uint32_t token = 2; token < 6; token++) {
			struct hd_mem_request request = space ? shared_load(token, 4) : rig_load(token, 0, 4, 4);
			rig_issue(&rig, 0, &request);
		}
		rig_run(&rig);
		for (uint32_t token = 3; token < 6; token++)
			ck_assert_uint_eq(rig.done[token], rig.done[token - 1] + 3);
	}
}
END_TEST

/* What the unit at L2 takes more is in the answer of an atomic, and does not hold up a load's. */
START_TEST(atomics_take_longer_than_loads)
{
	uint64_t took[2], took_load[2];
	for (uint32_t more = 0; more < 2; more++) {
		tear_down();
		set_up();
		rig.config.atomic_latency = 23 * more;
		rig_build(&rig);
		struct hd_mem_request load = rig_load(1, 0, 0, 4), atomic = rig_load(2, 0, 0, 4);
		atomic.kind = HD_MEM_ATOMIC;
		atomic.mask = 1;
		load.cache = HD_CACHE_CG;
		latency_of(load);
		rig_issue(&rig, 0, &atomic);
		rig_issue(&rig, 0, &load);
		uint64_t start = rig.now;
		rig_run(&rig);
		took[more] = rig.done[2] - start;
		took_load[more] = rig.done[1] - start;
	}
	ck_assert_uint_eq(took[1], took[0] + 23);
	ck_assert_uint_eq(took_load[1], took_load[0]);
}
END_TEST

/*
 * Two loads of lines that L2 has, with an MSHR for one sector. The first is at L1 a cycle after its issue, the second a
 * cycle later, where it waits until the first has its data: so many cycles are stalls. As long as the first took from
 * its access on the second takes from then.
 */
START_TEST(cycles_without_an_mshr_are_stalls)
{
	rig.config.l1_mshrs = 1;
	rig_build(&rig);
	struct hd_mem_request first = rig_load(1, 0, 0, 4), second = rig_load(2, 4096, 0, 4), warm = first;
	warm.cache = HD_CACHE_CG;
	latency_of(warm);
	warm = second;
	warm.cache = HD_CACHE_CG;
	latency_of(warm);
	uint64_t before = rig_total(&rig).counters.l1d_stall_cycles, start = rig.now;
	rig.done[1] = rig.done[2] = 0;
	rig_issue(&rig, 0, &first);
	rig_issue(&rig, 0, &second);
	rig_run(&rig);
	uint64_t latency = rig.done[1] - (start + 1), access = rig.done[2] - latency;
	ck_assert_uint_ge(access, rig.done[1]);
	ck_assert_uint_le(access, rig.done[1] + 1);
	ck_assert_uint_eq(rig_total(&rig).counters.l1d_stall_cycles - before, access - (start + 2));
}
END_TEST

/* Data share flits with the header of 8 bytes: one sector is one flit of 40 bytes, four are 136 bytes in four flits. */
START_TEST(headers_share_flits_with_data)
{
	rig.config.icnt_flit = 40;
	rig.config.icnt_header = 8;
	rig_build(&rig);
	const struct hd_config *c = &rig.config;
	uint64_t round = c->l1_latency + 2 * c->icnt_latency + c->l2_latency;
	struct hd_mem_request one = rig_load(1, 0, 0, 4), line = rig_load(1, 0, 4, 4);
	one.cache = line.cache = HD_CACHE_CG;
	latency_of(line);
	struct hd_stats before = rig_total(&rig);
	ck_assert_uint_eq(latency_of(one), round);
	ck_assert_uint_eq(latency_of(line), round + 3);
	struct hd_stats after = rig_total(&rig);
	ck_assert_uint_eq(after.counters.icnt_flits_up - before.counters.icnt_flits_up, 2);
	ck_assert_uint_eq(after.counters.icnt_flits_down - before.counters.icnt_flits_down, 5);
	ck_assert_uint_eq(after.counters.icnt_flits_asked - before.counters.icnt_flits_asked, 5);
}
END_TEST

/* DRAM clock k happens at core cycle ceil(k * core / dram). */
static uint64_t dram_cycle(uint64_t clock)
{
	uint64_t core = (uint64_t)rig.config.core_mhz, own = (uint64_t)rig.config.dram_mhz;
	return (clock * core + own - 1) / own;
}

START_TEST(misses_go_to_dram)
{
	const struct hd_config *c = &rig.config;
	uint64_t waited = 0;
	rig_build(&rig);
	for (uint32_t i = 0; i < 2; i++) {
		/* Two lines of one row: slices x groups of lines further on, made to fit the slice's hash by search. */
		uint64_t start = rig.now + 1, arrival = start + c->l1_latency + c->icnt_latency;
		uint64_t seen = arrival * (uint64_t)c->dram_mhz / (uint64_t)c->core_mhz + 1;
		uint64_t clocks = (i == 0 ? c->t_rcd : 0) + c->t_cl + c->dram_burst / c->dram_ratio;
		uint64_t data = dram_cycle(seen + clocks) + c->dram_latency;
		/* The second is another sector of the line, in the open row. */
		uint64_t latency = latency_of(rig_load(1 + i, i * 32, 0, 4));
		ck_assert_uint_eq(latency, data + c->l2_latency + c->icnt_latency + 1 - start);
		waited += latency - c->l1_latency;
	}
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.l2_miss_replies, 2);
	ck_assert_uint_eq(total.counters.l2_miss_latency, waited);
	ck_assert_uint_eq(total.counters.l2_hit_replies + total.counters.l2_hit_latency, 0);
	ck_assert_uint_eq(total.counters.dram_activations, 1);
	ck_assert_uint_eq(total.counters.dram_row_hits, 1);
}
END_TEST

START_TEST(uncoalesced_hits_take_a_cycle_for_each_access_of_a_bank)
{
	rig_build(&rig);
	latency_of(rig_load(1, 0, 128, 4)); /* 32 lines over 4 banks: 8 cycles */
	ck_assert_uint_eq(latency_of(rig_load(2, 0, 128, 4)), rig.config.l1_latency + 7);
	latency_of(rig_load(3, 0, 512, 4)); /* all in one bank */
	ck_assert_uint_eq(latency_of(rig_load(4, 0, 512, 4)), rig.config.l1_latency + 31);
}
END_TEST

START_TEST(whole_lines_take_the_data_path)
{
	rig_build(&rig);
	latency_of(rig_load(1, 0, 16, 16)); /* 4 lines of 4 sectors, each in a bank of its own */
	ck_assert_uint_eq(latency_of(rig_load(2, 0, 16, 16)), rig.config.l1_latency + 3);
	struct hd_stats before = rig_total(&rig);
	latency_of(rig_load(3, 0, 160, 4)); /* a sector of a line, and 4 banks: the tags limit */
	ck_assert_uint_eq(latency_of(rig_load(4, 0, 160, 4)), rig.config.l1_latency + 7);
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(before.counters.l1d_port_stalls, 2 * 3);
	ck_assert_uint_eq(total.counters.l1d_port_stalls - before.counters.l1d_port_stalls, 2 * 7);
}
END_TEST

START_TEST(a_wider_data_path_takes_more_lines)
{
	rig.config.l1_width = 256;
	rig_build(&rig);
	latency_of(rig_load(1, 0, 16, 16));
	ck_assert_uint_eq(latency_of(rig_load(2, 0, 16, 16)), rig.config.l1_latency + 1);
}
END_TEST

START_TEST(ports_widen_the_data_path)
{
	rig.config.l1_ports = 4;
	rig_build(&rig);
	latency_of(rig_load(1, 0, 16, 16));
	ck_assert_uint_eq(latency_of(rig_load(2, 0, 16, 16)), rig.config.l1_latency);
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.l1d_port_stalls, 0);
}
END_TEST

/* A load of a line that L1 has, whose bytes take so many passes of shared memory. */
static struct hd_mem_request copy(uint32_t token, uint16_t passes)
{
	struct hd_mem_request request = rig_load(token, 0, 4, 4);
	request.copy = passes;
	return request;
}

START_TEST(copies_take_shared_memory_when_they_have_their_data)
{
	rig_build(&rig);
	latency_of(rig_load(1, 0, 4, 4));
	uint64_t there = rig.config.l1_latency + rig.config.copy_latency;
	ck_assert_uint_eq(latency_of(copy(2, 1)), there + 1);
	ck_assert_uint_eq(latency_of(copy(3, 4)), there + 4);
	/* Zeros alone are there at once. */
	struct hd_mem_request zeros = copy(4, 4);
	zeros.mask = 0;
	ck_assert_uint_eq(latency_of(zeros), rig.config.copy_latency + 4);
	/* Shared memory takes one after the other, and loads behind them. */
	struct hd_mem_request first = copy(5, 32), second = copy(6, 32), load = shared_load(7, 4);
	uint64_t start = rig.now + 1;
	rig_issue(&rig, 0, &first);
	rig_issue(&rig, 0, &second);
	hd_lsu_issue(rig.lsus[0], rig.now, start + there + 1, &load);
	rig_run(&rig);
	ck_assert_uint_eq(rig.done[6] - rig.done[5], 32);
	ck_assert_uint_eq(rig.done[7], rig.done[6] + rig.config.shared_latency);
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.copy_shared_cycles, 1 + 4 + 4 + 32 + 32);
	ck_assert_uint_eq(total.counters.shared_cycles, total.counters.copy_shared_cycles + 1);
}
END_TEST

/* ---- what L1 cannot serve yet */

/* L2 has the two lines of these loads, and L1 has an MSHR for one. Returns what one of them takes. */
static uint64_t two_loads_for_one_mshr(struct hd_mem_request *first, struct hd_mem_request *second)
{
	uint64_t latency;
	rig.config.l1_mshrs = 1;
	rig.config.l1_mshrs_kept = 0;
	rig_build(&rig);
	*first = rig_load(1, 1 << 20, 0, 4);
	*second = rig_load(2, 1 << 21, 0, 4);
	first->cache = second->cache = HD_CACHE_CG;
	latency_of(*first);
	latency = latency_of(*first);
	latency_of(*second);
	rig.done[1] = rig.done[2] = 0;
	return latency;
}

/* The answer that it waits for comes while a copy has shared memory, which the front does not get before. */
START_TEST(a_miss_goes_on_when_copies_have_left_shared_memory)
{
	struct hd_mem_request first, second, long_copy = copy(3, 1000);
	uint64_t latency = two_loads_for_one_mshr(&first, &second);
	latency_of(rig_load(4, 0, 4, 4));
	uint64_t start = rig.now + 1;
	rig_issue(&rig, 0, &first);
	rig_issue(&rig, 0, &long_copy);
	rig_issue(&rig, 0, &second);
	rig_run(&rig);
	ck_assert_uint_eq(rig.done[1], start + latency);
	ck_assert_uint_eq(rig.done[3], start + 1 + rig.config.l1_latency + rig.config.copy_latency + 1000);
	ck_assert_uint_eq(rig.done[2], rig.done[3] + latency);
}
END_TEST

/* The same with shared memory that another grid's load takes for 32 cycles, from before the answer comes or from then.
 */
START_TEST(a_miss_goes_on_when_another_grid_leaves_the_front)
{
	for (uint64_t before = 0; before <= 33; before++) {
		struct hd_mem_request first, second, other = shared_load(3, 128);
		tear_down();
		set_up();
		uint64_t latency = two_loads_for_one_mshr(&first, &second), answer = rig.now + 1 + latency;
		other.grid = 1;
		hd_lsu_prepare(rig.lsus[0], 1, &rig.arena);
		hd_lsu_set_sharers(rig.lsus[0], 2);
		hd_lsu_issue(rig.lsus[0], rig.now - 1, answer - before, &other);
		rig.outstanding++;
		rig_issue(&rig, 0, &first);
		rig_issue(&rig, 0, &second);
		rig_run(&rig);
		ck_assert_uint_eq(rig.done[1], answer);
		ck_assert_uint_eq(rig.done[3], answer - before + 31 + rig.config.shared_latency);
		ck_assert_uint_eq(rig.done[2], answer + (before < 32 ? 32 - before : 0) + latency);
	}
}
END_TEST

enum { UNDER_WAY = 1024 }; /* instructions of an SM, at most */

/* So many copies of eight sectors, then a load of one of these. */
static uint64_t feed_copies(struct rig *r, uint32_t sm, void *context)
{
	uint32_t *issued = context;
	while (sm == 0 && *issued <= UNDER_WAY && hd_lsu_can_accept(r->lsus[0], 0, 0)) {
		struct hd_mem_request request = rig_load(*issued, *issued % 8 * 32, 0, 4);
		request.copy = *issued < UNDER_WAY;
		rig_issue(r, 0, &request);
		++*issued;
	}
	return UINT64_MAX;
}

/* All copies get their data before one of them ends, and no answer comes after that. */
START_TEST(a_load_goes_on_when_copies_have_ended)
{
	uint32_t issued = 0;
	uint64_t last = 0;
	rig.config.l2_latency = 2000;
	rig.config.l1_mshr_merges = 256;
	rig.config.copy_latency = 100;
	rig_build(&rig);
	rig.feed = feed_copies;
	rig.context = &issued;
	rig_run(&rig);
	for (uint32_t i = 0; i < UNDER_WAY; i++)
		last = hd_later(last, rig.done[i]);
	ck_assert_uint_eq(issued, UNDER_WAY + 1);
	ck_assert_uint_eq(rig.done[UNDER_WAY], last + rig.config.l1_latency);
}
END_TEST

/* Others take shared memory once for 100 cycles and then 64 times for four, all from one cycle on: one more than are
 * kept until then. A load ten cycles behind that has it when all are over. */
START_TEST(all_that_others_take_of_shared_memory_counts)
{
	rig_build(&rig);
	uint64_t from = rig.now + 1000;
	hd_lsu_prepare(rig.lsus[0], 0, &rig.arena);
	for (uint32_t i = 0; i <= HD_LSU_CLAIMS; i++)
		hd_lsu_claim_shared(rig.lsus[0], rig.now, from, i ? 4 : 100, 0, NULL);
	rig.now = from + 9;
	ck_assert_uint_eq(latency_of(shared_load(1, 4)), 100 + 64 * 4 - 10 + rig.config.shared_latency);
	ck_assert_uint_eq(rig_total(&rig).counters.wgmma_shared_cycles, 100 + 64 * 4);
	/* Of what is taken later a load knows nothing before, and all in that cycle. */
	from = rig.now + 1000;
	hd_lsu_claim_shared(rig.lsus[0], rig.now, from, 100, 0, NULL);
	ck_assert_uint_eq(latency_of(shared_load(2, 4)), rig.config.shared_latency);
	rig.now = from - 1;
	ck_assert_uint_eq(latency_of(shared_load(3, 4)), 100 + rig.config.shared_latency);
}
END_TEST

/* A load with 32 conflicts has the unit for 32 cycles, and one without them, behind it, for lsu_interval; then nobody
 * has it. */
START_TEST(what_has_the_unit_is_known)
{
	rig_build(&rig);
	struct hd_lsu *lsu = rig.lsus[0];
	int first, second;
	uint64_t until, start = rig.now + 1, interval = rig.config.lsu_interval;
	struct hd_mem_request conflict = shared_load(1, 128), plain = shared_load(2, 4);
	conflict.origin = &first;
	plain.origin = &second;
	hd_lsu_issue(lsu, rig.now, start, &conflict);
	hd_lsu_issue(lsu, rig.now, start, &plain);
	ck_assert_ptr_eq(hd_lsu_holder(lsu, 0, rig.now, &until), &first); /* it is the next */
	hd_lsu_tick(lsu, start);
	ck_assert_ptr_eq(hd_lsu_holder(lsu, 0, start, &until), &first);
	ck_assert_ptr_eq(hd_lsu_holder(lsu, 0, start + 31, &until), &first);
	ck_assert_uint_eq(until, start + 32);
	ck_assert_ptr_eq(hd_lsu_holder(lsu, 0, start + 32, &until), &second);
	hd_lsu_tick(lsu, start + 32);
	ck_assert_ptr_eq(hd_lsu_holder(lsu, 0, start + 32 + interval - 1, &until), &second);
	ck_assert_ptr_null(hd_lsu_holder(lsu, 0, start + 32 + interval, &until));
}
END_TEST

/* A product has it for as long as it takes shared memory; what a transfer takes is no instruction's. */
START_TEST(what_else_has_the_unit_is_known)
{
	rig_build(&rig);
	struct hd_lsu *lsu = rig.lsus[0];
	int product, load;
	uint64_t until, start = rig.now + 1;
	struct hd_mem_request request = shared_load(1, 4);
	request.origin = &load;
	hd_lsu_prepare(lsu, 0, &rig.arena);
	hd_lsu_claim_shared(lsu, rig.now, start, 10, 0, &product);
	hd_lsu_issue(lsu, rig.now, start, &request);
	hd_lsu_tick(lsu, start);
	ck_assert_ptr_eq(hd_lsu_holder(lsu, 0, start + 9, &until), &product);
	ck_assert_ptr_eq(hd_lsu_holder(lsu, 0, start + 10, &until), &load);
	hd_lsu_use_shared(lsu, start + 10, 0);
	ck_assert_ptr_null(hd_lsu_holder(lsu, 0, start + 10, &until));
}
END_TEST

START_TEST(shared_accesses_wait_for_conflicts)
{
	rig_build(&rig);
	ck_assert_uint_eq(latency_of(shared_load(1, 4)), rig.config.shared_latency);
	ck_assert_uint_eq(latency_of(shared_load(2, 128)), rig.config.shared_latency + 31);
	/* One front: what follows waits. */
	struct hd_mem_request conflict = shared_load(3, 8), after = shared_load(4, 4);
	uint64_t start = rig.now + 1;
	rig_issue(&rig, 0, &conflict);
	rig_issue(&rig, 0, &after);
	rig_run(&rig);
	ck_assert_uint_eq(rig.done[3] - start, rig.config.shared_latency + 1);
	ck_assert_uint_eq(rig.done[4] - start, rig.config.shared_latency + 2);
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.shared_accesses, 4);
	ck_assert_uint_eq(total.counters.shared_cycles, 1 + 32 + 2 + 1);
}
END_TEST

START_TEST(empty_masks_complete)
{
	rig_build(&rig);
	struct hd_mem_request request = rig_load(1, 0, 4, 4);
	request.mask = 0;
	ck_assert_uint_eq(latency_of(request), 0);
}
END_TEST

/* ---- stores, fences, local memory */

START_TEST(stores_are_pending_until_acknowledged)
{
	rig_build(&rig);
	struct hd_mem_request store = rig_load(UINT32_MAX, 0, 4, 4);
	store.kind = HD_MEM_STORE;
	store.group = 5;
	rig_issue(&rig, 0, &store);
	store.kind = HD_MEM_REDUCTION;
	rig_issue(&rig, 0, &store);
	ck_assert_uint_eq(hd_lsu_pending_stores(rig.lsus[0], 5), 2);
	ck_assert_uint_eq(hd_lsu_pending_stores(rig.lsus[0], 4), 0);
	rig_run(&rig);
	ck_assert_uint_eq(hd_lsu_pending_stores(rig.lsus[0], 5), 0);
	/* With a token it also says when. */
	store.kind = HD_MEM_STORE;
	store.token = 7;
	uint64_t there = rig.config.l1_latency + rig.config.icnt_latency + 4; /* five flits */
	ck_assert_uint_eq(latency_of(store), there + rig.config.l2_latency + rig.config.icnt_latency);
}
END_TEST

START_TEST(local_victims_come_back_from_l2)
{
	rig.config.l1_bytes = 4 * 128;
	rig.config.l1_ways = 4;
	rig.config.l1_unified = 0;
	rig_build(&rig);
	for (uint32_t i = 0; i < 5; i++) {
		struct hd_mem_request store = rig_load(UINT32_MAX, i * 128, 4, 4);
		store.space = HD_MEM_LOCAL;
		store.kind = HD_MEM_STORE;
		store.class = HD_CLASS_SPILL_FILL;
		rig_issue(&rig, 0, &store);
		rig_run(&rig);
	}
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.l1d_writebacks, 4);
	ck_assert_uint_eq(total.counters.l1d_spill_fill, 5);
	ck_assert_uint_eq(total.counters.l2_accesses, 4);
	ck_assert_uint_eq(total.counters.dram_reads, 0);
	struct hd_mem_request load = rig_load(1, 0, 4, 4);
	load.space = HD_MEM_LOCAL;
	latency_of(load);
	total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.l2_hits, 4);
	ck_assert_uint_eq(total.counters.dram_reads, 0);
	hd_lsu_flush(rig.lsus[0]);
	total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.l1d_writebacks, 4 + 4 + 12); /* one more victim, then three dirty lines */
}
END_TEST

START_TEST(shared_memory_takes_ways_of_a_unified_l1)
{
	rig_build(&rig);
	uint64_t lines = rig.config.l1_bytes / 128;
	for (uint32_t pass = 0; pass < 3; pass++) {
		if (pass == 2)
			hd_lsu_set_shared(rig.lsus[0], 98304);
		for (uint64_t i = 0; i < lines; i++) {
			struct hd_mem_request load = rig_load(1, i * 128, 4, 4);
			rig_issue(&rig, 0, &load);
			rig_run(&rig);
		}
		struct hd_stats total = rig_total(&rig);
		if (pass == 1)
			ck_assert_uint_eq(total.counters.l1d_hits, lines);
		if (pass == 2) /* a quarter is left: LRU over a longer sequence hits nothing but what was kept */
			ck_assert_uint_le(total.counters.l1d_hits, lines + lines / 4);
	}
}
END_TEST

/* ---- load */

struct traffic {
	uint32_t per_sm, window, gap;
	uint32_t issued[RIG_MAX_SMS];
	uint64_t random, next[RIG_MAX_SMS];
	struct hd_mem_request (*make)(struct traffic *traffic, uint32_t sm, uint32_t number, uint32_t token);
	bool two_grids;
};

/* Issues one instruction every `gap` cycles while fewer than `window` are in flight in the SM. */
static uint64_t feed(struct rig *r, uint32_t sm, void *context)
{
	struct traffic *t = context;
	uint32_t number = t->issued[sm], sms = (uint32_t)r->config.sm_count;
	if (number == t->per_sm || !hd_lsu_can_accept(r->lsus[sm], 0, 0))
		return UINT64_MAX;
	if (t->two_grids && !hd_lsu_can_accept(r->lsus[sm], 1, 0))
		return UINT64_MAX;
	if (t->next[sm] > r->now)
		return t->next[sm];
	if (number >= t->window && !r->done[(number - t->window) * sms + sm])
		return UINT64_MAX;
	struct hd_mem_request request = t->make(t, sm, number, number * sms + sm);
	if (request.kind == HD_MEM_STORE || request.kind == HD_MEM_REDUCTION)
		r->done[number * sms + sm] = 1;
	rig_issue(r, sm, &request);
	t->issued[sm]++;
	t->next[sm] = r->now + t->gap;
	return t->next[sm];
}

static uint64_t run_traffic(struct traffic *traffic)
{
	rig.feed = feed;
	rig.context = traffic;
	uint64_t start = rig.now;
	rig_run(&rig);
	return rig.now - start;
}

static struct hd_mem_request stream(struct traffic *t, uint32_t sm, uint32_t number, uint32_t token)
{
	(void)t;
	(void)sm;
	(void)number;
	return rig_load(token, (uint64_t)token * 128, 4, 4);
}

START_TEST(streams_stay_below_the_dram_peak_and_near_it)
{
	struct traffic traffic = {.per_sm = 500, .window = 32, .gap = 1, .make = stream};
	rig_build(&rig);
	uint64_t cycles = run_traffic(&traffic);
	struct hd_stats total = rig_total(&rig);
	double bytes = (double)total.counters.dram_reads * 32 / (double)cycles * rig.config.core_mhz * 1e6;
	double peak = 850e6 * 16 * 2 * 32; /* 870.4 GB/s */
	ck_assert_msg(bytes <= peak && bytes >= 0.85 * peak, "%.1f GB/s", bytes / 1e9);
}
END_TEST

static struct hd_mem_request in_l2(struct traffic *t, uint32_t sm, uint32_t number, uint32_t token)
{
	(void)t;
	struct hd_mem_request request = rig_load(token, ((uint64_t)number * 80 + sm) % 8192 * 128, 4, 4);
	request.cache = HD_CACHE_CG;
	return request;
}

START_TEST(l2_bandwidth_is_bounded_by_slices_and_crossbar)
{
	struct traffic traffic = {.per_sm = 400, .window = 48, .gap = 1, .make = in_l2};
	rig_build(&rig);
	uint64_t cycles = run_traffic(&traffic);
	struct hd_stats total = rig_total(&rig);
	/* A reply of four sectors is five flits: 64 slices send at most 4/5 sector a cycle each, with head-of-line
	 * blocking at 59 % for uniform traffic and more for the mildly regular one here. */
	double sectors = (double)total.counters.l2_accesses / (double)cycles;
	ck_assert_msg(sectors <= 64 * 0.8 && sectors >= 64 * 0.8 * 0.5, "%.1f sectors a cycle", sectors);
}
END_TEST

static struct hd_mem_request scattered(struct traffic *t, uint32_t sm, uint32_t number, uint32_t token)
{
	struct hd_mem_request request = rig_load(token, 0, 0, 4);
	(void)sm;
	(void)number;
	for (uint32_t lane = 0; lane < 32; lane++)
		request.address[lane] = (sample_random(&t->random) >> 20 & 0xffffff) * 4;
	return request;
}

START_TEST(latency_grows_with_load)
{
	static const uint32_t gaps[] = {4000, 400, 250, 150, 50};
	uint64_t before = 0, alone = 0;
	for (uint32_t i = 0; i < 5; i++) {
		rig_init(&rig, 1 << 16);
		struct traffic traffic = {.per_sm = 20, .window = 16, .gap = gaps[i], .random = 42, .make = scattered};
		rig_build(&rig);
		run_traffic(&traffic);
		struct hd_stats total = rig_total(&rig);
		uint64_t latency = total.counters.load_latency / total.counters.load_requests;
		ck_assert_uint_eq(total.counters.load_requests, 20 * rig.config.sm_count);
		ck_assert_msg(latency > before, "%llu after %llu", (unsigned long long)latency,
			      (unsigned long long)before);
		before = latency;
		alone = i ? alone : latency;
		if (i < 4)
			rig_release(&rig);
	}
	ck_assert_uint_gt(before, 2 * alone);
}
END_TEST

/* ---- skipping */

static struct hd_mem_request mixed(struct traffic *t, uint32_t sm, uint32_t number, uint32_t token)
{
	uint64_t r = sample_random(&t->random) >> 7;
	struct hd_mem_request request =
		r & 1 ? scattered(t, sm, number, token)
		      : rig_load(token, (r >> 20 & 0xfff) * 128, (r >> 8 & 3) * 4, 4u << (r >> 10 & 1));
	request.kind = (uint8_t)(r >> 2 & 3);
	request.space = (uint8_t)((r >> 4 & 7) < 3 ? r >> 4 & 7 : HD_MEM_GLOBAL);
	request.cache = (uint8_t)(r >> 40 & 7);
	request.mask = (uint32_t)(r >> 13) | 1u << (r & 31);
	if (request.space == HD_MEM_LOCAL && request.kind > HD_MEM_STORE)
		request.kind = HD_MEM_LOAD;
	if (request.kind == HD_MEM_STORE || request.kind == HD_MEM_REDUCTION)
		request.token = r >> 50 & 1 ? token : UINT32_MAX;
	request.group = (uint16_t)(r >> 30 & 31);
	if (request.space == HD_MEM_LOCAL)
		for (uint32_t lane = 0; lane < 32; lane++)
			request.address[lane] = (request.address[lane] & 0x3ff80) + lane * 4;
	return request;
}

/* The same of two grids, some with copies to shared memory. */
static struct hd_mem_request mixed_grids(struct traffic *t, uint32_t sm, uint32_t number, uint32_t token)
{
	struct hd_mem_request request = mixed(t, sm, number, token);
	uint64_t r = sample_random(&t->random) >> 7;
	request.grid = r & 1;
	if (request.space == HD_MEM_GLOBAL && request.kind == HD_MEM_LOAD && r & 2)
		request.copy = (uint16_t)(1 + (r >> 2 & 63));
	return request;
}

/* Small queues, so that everything stalls at times, in several clock domains. */
static void configure_small(uint32_t variant, uint64_t mode)
{
	struct hd_config *c = &rig.config;
	c->sm_count = 5;
	c->l2_slices = variant & 1 ? 6 : 8;
	c->dram_channels = 2;
	c->lsu_queue = 4;
	c->l1_bytes = 2048 * (1 + variant);
	c->l1_ways = 4;
	c->l1_mshrs = 24;
	c->l1_mshr_merges = 2;
	c->icnt_input_queue = 8;
	c->icnt_output_queue = 8;
	c->l2_slice_bytes = 16 * 128 * 4;
	c->l2_ways = 4;
	c->l2_mshrs = 8;
	c->l2_mshr_merges = 2;
	c->l2_queue = 2;
	c->dram_queue = 8;
	c->icnt_mhz = variant % 3 == 1 ? 700 : variant % 3 == 2 ? 1700 : 1132;
	c->l2_mhz = variant % 4 == 3 ? 900 : variant % 4 == 2 ? 2000 : 1132;
	c->dram_mhz = variant % 2 ? 3500.5 : 850;
	c->l1_write = variant / 2 % 3;
	c->memory = mode;
}

static void share_small(struct traffic *traffic)
{
	traffic->make = mixed_grids;
	traffic->two_grids = true;
	for (uint32_t sm = 0; sm < rig.config.sm_count; sm++) {
		hd_lsu_prepare(rig.lsus[sm], 1, &rig.arena);
		hd_lsu_set_sharers(rig.lsus[sm], 2);
	}
}

START_TEST(skipping_cycles_changes_nothing)
{
	enum { TOKENS = 5 * 100 };
	static uint64_t done[TOKENS];
	struct hd_stats first = {0};
	for (uint32_t pass = 0; pass < 2; pass++) {
		rig_init(&rig, TOKENS);
		configure_small((uint32_t)_i % 12, _i / 12 == 1 ? HD_MEMORY_RESERVED : HD_MEMORY_EXACT);
		if (_i >= 24) /* L2 fetches what nobody waits for */
			rig.config.l2_fetch = 64;
		rig.every_cycle = pass;
		rig_build(&rig);
		struct traffic traffic = {
			.per_sm = 100, .window = 12, .gap = 1 + 7 * (uint32_t)(_i % 12), .random = 9, .make = mixed};
		if (_i >= 24)
			share_small(&traffic);
		run_traffic(&traffic);
		struct hd_stats total = rig_total(&rig);
		ck_assert_uint_eq(rig.outstanding, 0);
		ck_assert_uint_eq(total.counters.l1d_accesses, total.counters.l1d_hits +
								       total.counters.l1d_pending_hits +
								       total.counters.l1d_misses);
		if (pass == 0) {
			memcpy(done, rig.done, sizeof(done));
			first = total;
			rig_release(&rig);
		}
	}
	ck_assert_int_eq(memcmp(done, rig.done, sizeof(done)), 0);
	struct hd_stats second = rig_total(&rig);
	ck_assert_int_eq(memcmp(&first, &second, sizeof(first)), 0);
	ck_assert_uint_gt(first.counters.l1d_stall_cycles, 0);
}
END_TEST

/* The memory works at the same time as load/store units that are half its lead ahead: whichever is simulated first,
 * all comes out as if it were never behind. */
START_TEST(memory_can_work_beside_the_sms)
{
	enum { TOKENS = 5 * 100 };
	static uint64_t done[TOKENS];
	struct hd_stats first = {0};
	for (uint32_t pass = 0; pass < 3; pass++) {
		rig_init(&rig, TOKENS);
		configure_small((uint32_t)_i % 12, _i < 12 ? HD_MEMORY_EXACT : HD_MEMORY_RESERVED);
		if (_i % 12 >= 6)
			rig.config.icnt_inputs = HD_ICNT_INPUTS_BY_OUTPUT;
		rig.every_cycle = true;
		rig_build(&rig);
		ck_assert_uint_ge(hd_memory_lead(rig.memory), 2);
		uint32_t part = (uint32_t)hd_memory_lead(rig.memory) / 2;
		rig.beside = pass ? part : 0;
		rig.memory_first = pass == 2;
		rig.now = 100 * part;
		struct traffic traffic = {
			.per_sm = 100, .window = 12, .gap = 1 + 7 * (uint32_t)(_i % 12), .random = 9, .make = mixed};
		run_traffic(&traffic);
		struct hd_stats total = rig_total(&rig);
		ck_assert_uint_eq(rig.outstanding, 0);
		if (pass) {
			ck_assert_int_eq(memcmp(done, rig.done, sizeof(done)), 0);
			ck_assert_int_eq(memcmp(&first, &total, sizeof(first)), 0);
		}
		memcpy(done, rig.done, sizeof(done));
		first = total;
		if (pass < 2)
			rig_release(&rig);
	}
}
END_TEST

/* Four SMs take the same lines from a late one of many slices, faster than its replies find room on their way. */
START_TEST(a_slice_goes_on_when_its_replies_have_left)
{
	enum { LINES = 12, SLICE = 100 };
	uint64_t lines[LINES];
	rig.config.l2_slices = 128;
	rig.config.icnt_input_queue = 8;
	rig_build(&rig);
	for (uint64_t line = 0, found = 0; found < LINES; line += 128)
		if (hd_address_slice(&rig.memory->map, line) == SLICE)
			lines[found++] = line;
	for (uint32_t sm = 0; sm < 5; sm++) {
		for (uint32_t i = 0; i < LINES; i++) {
			struct hd_mem_request load = rig_load(sm * LINES + i, lines[i], 4, 4);
			rig_issue(&rig, sm, &load);
		}
		if (sm == 0)
			rig_run(&rig);
	}
	rig_run(&rig);
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(rig.outstanding, 0);
	ck_assert_uint_eq(total.counters.l2_accesses, 5 * LINES * 4);
	ck_assert_uint_eq(total.counters.l2_hits, 4 * LINES * 4);
	for (uint32_t sm = 1; sm < 5;
	     sm++) /* each takes its whole lines, of four flits and a head, one after the other */
		ck_assert_uint_ge(rig.done[sm * LINES + LINES - 1], rig.done[sm * LINES] + (LINES - 1) * 4);
}
END_TEST

/* 64 slices have their bits in one word. What lies behind it stays, and is not taken for slices. */
START_TEST(all_bits_of_a_word_are_slices)
{
	enum { SLICES = 64 };
	rig.config.l2_slices = SLICES;
	rig_build(&rig);
	struct hd_memory *memory = rig.memory;
	uint64_t worked[] = {~UINT64_C(0), 1};
	struct hd_l2_slice *slices = calloc(SLICES + 1, sizeof *slices);
	memcpy(slices, memory->slices, SLICES * sizeof *slices);
	slices[SLICES] = slices[0];
	memory->slices = slices;
	memory->worked = worked;
	ck_assert(hd_memory_idle(memory));
	ck_assert_uint_eq(worked[0], 0);
	ck_assert_uint_eq(worked[1], 1);
	free(slices);
}
END_TEST

START_TEST(dumps_show_what_is_under_way)
{
	char *text = NULL;
	size_t size = 0;
	rig_build(&rig);
	struct hd_mem_request request = rig_load(1, 0, 128, 4);
	rig_issue(&rig, 0, &request);
	for (uint32_t i = 1; i <= 60; i++) {
		uint64_t woken[2] = {0};
		hd_memory_tick(rig.memory, rig.now + i, woken);
		hd_lsu_tick(rig.lsus[0], rig.now + i);
	}
	ck_assert(!hd_memory_idle(rig.memory));
	FILE *out = open_memstream(&text, &size);
	hd_memory_dump(rig.memory, out);
	hd_lsu_dump(rig.lsus[0], out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "l2 slice"));
	ck_assert_ptr_nonnull(strstr(text, "dram channel"));
	ck_assert_ptr_nonnull(strstr(text, "waits for sectors"));
	free(text);
}
END_TEST

/* Whatever is in flight anywhere keeps the system from being idle, also what nobody has looked at yet. */
START_TEST(a_packet_on_its_way_up_is_work)
{
	rig_build(&rig);
	struct hd_packet packet = {.flits = 1};
	ck_assert(hd_memory_idle(rig.memory));
	hd_crossbar_push(&rig.memory->up, 0, &packet, rig.now);
	ck_assert(!hd_memory_idle(rig.memory));
}
END_TEST

/* A miss under way in any slice is work, also in the last of 65, the only one of the second word of 64. Slices are
 * looked at while they may have work, and no longer once all were found without. */
START_TEST(a_miss_of_any_slice_is_work)
{
	rig.config.l2_slices = rig.config.dram_channels = 65;
	rig_build(&rig);
	for (uint32_t slice = 0; slice < 65; slice += 32) {
		rig.memory->worked[slice / 64] = UINT64_C(1) << slice % 64;
		rig.memory->slices[slice].mshrs_used = 1;
		ck_assert(!hd_memory_idle(rig.memory));
		rig.memory->slices[slice].mshrs_used = 0;
		ck_assert(hd_memory_idle(rig.memory));
		ck_assert_uint_eq(rig.memory->worked[slice / 64], 0);
	}
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("memory");
	TCase *cases = tcase_create("cases");
	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_set_timeout(cases, 120);
	tcase_add_test(cases, l1_hits_take_the_l1_latency);
	tcase_add_test(cases, completions_come_on_their_cycle);
	tcase_add_test(cases, operands_are_waited_for);
	tcase_add_test(cases, address_units_hold_up_their_own);
	tcase_add_test(cases, l2_hits_cross_twice);
	tcase_add_test(cases, copies_stay_in_l2);
	tcase_add_test(cases, cycles_without_an_mshr_are_stalls);
	tcase_add_test(cases, headers_share_flits_with_data);
	tcase_add_test(cases, narrow_shared_memory_takes_more_cycles);
	tcase_add_test(cases, instructions_start_an_interval_apart);
	tcase_add_test(cases, atomics_take_longer_than_loads);
	tcase_add_test(cases, misses_go_to_dram);
	tcase_add_test(cases, uncoalesced_hits_take_a_cycle_for_each_access_of_a_bank);
	tcase_add_test(cases, whole_lines_take_the_data_path);
	tcase_add_test(cases, a_wider_data_path_takes_more_lines);
	tcase_add_test(cases, ports_widen_the_data_path);
	tcase_add_test(cases, copies_take_shared_memory_when_they_have_their_data);
	tcase_add_test(cases, a_miss_goes_on_when_copies_have_left_shared_memory);
	tcase_add_test(cases, a_miss_goes_on_when_another_grid_leaves_the_front);
	tcase_add_test(cases, a_load_goes_on_when_copies_have_ended);
	tcase_add_test(cases, all_that_others_take_of_shared_memory_counts);
	tcase_add_test(cases, what_has_the_unit_is_known);
	tcase_add_test(cases, what_else_has_the_unit_is_known);
	tcase_add_test(cases, shared_accesses_wait_for_conflicts);
	tcase_add_test(cases, empty_masks_complete);
	tcase_add_test(cases, stores_are_pending_until_acknowledged);
	tcase_add_test(cases, local_victims_come_back_from_l2);
	tcase_add_test(cases, shared_memory_takes_ways_of_a_unified_l1);
	tcase_add_test(cases, streams_stay_below_the_dram_peak_and_near_it);
	tcase_add_test(cases, l2_bandwidth_is_bounded_by_slices_and_crossbar);
	tcase_add_test(cases, latency_grows_with_load);
	tcase_add_loop_test(cases, skipping_cycles_changes_nothing, 0, 32);
	tcase_add_loop_test(cases, memory_can_work_beside_the_sms, 0, 24);
	tcase_add_test(cases, a_slice_goes_on_when_its_replies_have_left);
	tcase_add_test(cases, all_bits_of_a_word_are_slices);
	tcase_add_test(cases, dumps_show_what_is_under_way);
	tcase_add_test(cases, a_packet_on_its_way_up_is_work);
	tcase_add_test(cases, a_miss_of_any_slice_is_work);
	suite_add_tcase(suite, cases);
	return suite;
}
