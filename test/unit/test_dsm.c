/*
 * The network between SMs: when what is sent is there.
 */
#include "harness.h"
#include "heddle/config.h"
#include "runtime/memory/dsm.h"

enum { SMS = 4, LATENCY = 75, ACCESS = 29 };

static struct hd_arena arena;
static struct hd_config config;
static struct hd_dsm *dsm;
static struct hd_dsm_port *ports[SMS];

static void set_up(void)
{
	hd_arena_init(&arena);
	hd_config_defaults(&config);
	config.sm_count = SMS;
	config.dsm_latency = LATENCY;
	config.shared_latency = ACCESS;
	config.dsm_bytes = 16; /* a slot takes two cycles */
	config.dsm_header = 0;
	config.dsm_store_latency = 0;
	dsm = hd_dsm_new(&config, &arena);
	for (uint32_t i = 0; i < SMS; i++)
		ports[i] = hd_dsm_port_new(&arena);
}

static void tear_down(void)
{
	hd_dsm_release(dsm);
	for (uint32_t i = 0; i < SMS; i++)
		hd_dsm_port_release(ports[i]);
	hd_arena_release(&arena);
}

/* Lanes access words of SM `to`, `apart` bytes from one another. */
static struct hd_dsm_access *sent(uint32_t from, uint32_t to, uint8_t kind, uint32_t lanes, uint32_t apart,
				  uint64_t cycle)
{
	struct hd_mem_request request = {.space = HD_MEM_REMOTE, .kind = kind, .bytes = 4};
	for (uint32_t lane = 0; lane < lanes; lane++) {
		request.mask |= UINT32_C(1) << lane;
		request.address[lane] = hd_remote_address(to, lane * apart);
	}
	uint32_t number = hd_dsm_add(ports[from], from, &request, cycle);
	struct hd_dsm_access *access = ports[from]->all.data[number];
	hd_dsm_leave(ports[from], access, cycle);
	return access;
}

static void take(void)
{
	for (uint32_t i = 0; i < SMS; i++)
		hd_dsm_take(dsm, ports[i]);
}

/* A word: its request takes a slot, 2 cycles, and so does the answer: 100 + 2 + 75 = 177, + 29 + 2 + 75 = 283. */
START_TEST(a_load_takes_two_ways)
{
	struct hd_dsm_access *access = sent(0, 1, HD_MEM_LOAD, 1, 4, 100);
	take();
	ck_assert_uint_eq(hd_dsm_due(dsm), 100);
	ck_assert_ptr_null(hd_dsm_next(dsm, 177)); /* it arrives in 177 */
	ck_assert_uint_eq(hd_dsm_due(dsm), 177);
	ck_assert_ptr_eq(hd_dsm_next(dsm, 178), access);
	ck_assert_uint_eq(access->done, 283);
	ck_assert_ptr_null(hd_dsm_next(dsm, 1000));
}
END_TEST

/* 32 words of a line are four sectors: the answer takes 8 cycles, 289; a store's data 8 the other way, 183, and its
 * acknowledgement none, 258. */
START_TEST(data_takes_a_slot_for_each_sector)
{
	struct hd_dsm_access *load = sent(0, 1, HD_MEM_LOAD, 32, 4, 100);
	struct hd_dsm_access *store = sent(2, 3, HD_MEM_STORE, 32, 4, 100);
	take();
	ck_assert_ptr_eq(hd_dsm_next(dsm, 1000), load);
	ck_assert_ptr_eq(hd_dsm_next(dsm, 1000), store);
	ck_assert_uint_eq(load->done, 289);
	ck_assert_uint_eq(store->done, 258);
}
END_TEST

/* A store takes 100 more: 100 + 2 + 75 + 100 = 277. A load of the same line by its SM, which has left in 104, is behind
 * it; one of another line, in 106, and one by another SM are not. */
START_TEST(stores_are_seen_late)
{
	config.dsm_store_latency = 100;
	dsm = hd_dsm_new(&config, &arena);
	struct hd_dsm_access *store = sent(0, 1, HD_MEM_STORE, 1, 4, 100);
	struct hd_dsm_access *load = sent(0, 1, HD_MEM_LOAD, 1, 4, 100);
	struct hd_dsm_access *elsewhere = sent(0, 2, HD_MEM_LOAD, 1, 4, 100);
	struct hd_dsm_access *other = sent(3, 1, HD_MEM_LOAD, 1, 4, 100);
	take();
	ck_assert_ptr_eq(hd_dsm_next(dsm, 178), other);
	ck_assert_ptr_eq(hd_dsm_next(dsm, 182), elsewhere);
	ck_assert_ptr_null(hd_dsm_next(dsm, 277));
	ck_assert_ptr_eq(hd_dsm_next(dsm, 278), store);
	ck_assert_ptr_eq(hd_dsm_next(dsm, 278), load);
	ck_assert_uint_eq(store->done, 277 + LATENCY);
	ck_assert_uint_eq(load->done, 277 + ACCESS + 2 + LATENCY);
}
END_TEST

/*
 * Stores take 1000 more: two lines of cycle 200 are there in 1277 and 1279. A load of the first line by their SM waits
 * for the whole of the store, and one that leaves after two stores of its line for the second. After all, none waits.
 */
START_TEST(loads_wait_for_the_last_store_of_a_line)
{
	config.dsm_store_latency = 1000;
	dsm = hd_dsm_new(&config, &arena);
	struct hd_dsm_access *both = sent(0, 1, HD_MEM_STORE, 2, 128, 200), *early = sent(0, 1, HD_MEM_LOAD, 1, 4, 210);
	struct hd_dsm_access *second = sent(0, 1, HD_MEM_STORE, 2, 128, 300),
			     *late = sent(0, 1, HD_MEM_LOAD, 1, 4, 310);
	struct hd_dsm_access *third = sent(0, 2, HD_MEM_STORE, 1, 4, 400), *other = sent(0, 2, HD_MEM_LOAD, 1, 4, 410);
	take();
	struct hd_dsm_access *const order[] = {both, early, second, late, third, other};
	static const uint64_t cycles[] = {1279, 1279, 1379, 1379, 1477, 1477};
	for (uint32_t i = 0; i < 6; i++) {
		ck_assert_ptr_null(hd_dsm_next(dsm, cycles[i]));
		ck_assert_ptr_eq(hd_dsm_next(dsm, cycles[i] + 1), order[i]);
		ck_assert_uint_eq(order[i]->arrived, cycles[i]);
	}
	struct hd_dsm_access *after = sent(0, 1, HD_MEM_LOAD, 1, 4, 2000);
	take();
	ck_assert_ptr_eq(hd_dsm_next(dsm, 3000), after);
	ck_assert_uint_eq(after->arrived, 2000 + 2 + LATENCY);
}
END_TEST

/* Two lines: the second request leaves behind the first, in 104, and arrives in 179; its answer behind the other's. */
START_TEST(lines_leave_one_behind_the_other)
{
	struct hd_dsm_access *access = sent(0, 1, HD_MEM_LOAD, 2, 128, 100);
	take();
	ck_assert_ptr_null(hd_dsm_next(dsm, 179));
	ck_assert_ptr_eq(hd_dsm_next(dsm, 180), access);
	ck_assert_uint_eq(access->count, 2);
	ck_assert_uint_eq(access->done, 285);
}
END_TEST

/* An answer leaves with what its SM sends itself: a store of four sectors from 200 on holds it up from 206 to 208. */
START_TEST(answers_and_requests_share_an_sm)
{
	struct hd_dsm_access *load = sent(0, 1, HD_MEM_LOAD, 1, 4, 100);
	struct hd_dsm_access *store = sent(1, 2, HD_MEM_STORE, 32, 4, 150);
	struct hd_dsm_access *other = sent(3, 2, HD_MEM_STORE, 32, 4, 150);
	take();
	ck_assert_ptr_eq(hd_dsm_next(dsm, 1000), load);
	ck_assert_uint_eq(load->done, 283);		 /* the store has left by 158 */
	ck_assert_ptr_eq(hd_dsm_next(dsm, 1000), store); /* of one cycle the lower SM's */
	ck_assert_ptr_eq(hd_dsm_next(dsm, 1000), other);
	load = sent(0, 1, HD_MEM_LOAD, 1, 4, 300);
	struct hd_dsm_access *first = sent(1, 2, HD_MEM_STORE, 32, 4, 376);
	struct hd_dsm_access *second = sent(1, 2, HD_MEM_STORE, 32, 128, 376);
	take();
	ck_assert_ptr_eq(hd_dsm_next(dsm, 1000), load); /* arrives in 377: its answer is to leave in 406, but 36 slots
							   from 376 on take until 448 */
	ck_assert_uint_eq(load->done, 448 + 2 + LATENCY);
	ck_assert_ptr_eq(hd_dsm_next(dsm, 1000), first);
	ck_assert_ptr_eq(hd_dsm_next(dsm, 1000), second);
}
END_TEST

/* What is sent with data beside it: 8 bytes are half a cycle, of each line. 100 + 2.5 + 75 is 178. */
START_TEST(headers_take_time)
{
	config.dsm_header = 8;
	dsm = hd_dsm_new(&config, &arena);
	struct hd_dsm_access *store = sent(0, 1, HD_MEM_STORE, 1, 4, 100);
	take();
	ck_assert_ptr_null(hd_dsm_next(dsm, 178));
	ck_assert_ptr_eq(hd_dsm_next(dsm, 179), store);
	ck_assert_uint_eq(store->done, 178 + LATENCY);
}
END_TEST

/*
 * Time is kept in 256ths of a cycle, to the nearest: of 18 bytes a cycle a sector takes 455.1 and a header of 8 bytes
 * 113.8, 569 together. Nine stores of cycle 100 take 5121, which is 20 cycles and one tick: the last one is there in
 * 100 + 21 + 75 = 196, the eighth, 4552 ticks, in 100 + 18 + 75.
 */
START_TEST(parts_of_a_cycle_add_up)
{
	config.dsm_bytes = 18;
	config.dsm_header = 8;
	dsm = hd_dsm_new(&config, &arena);
	for (uint32_t i = 0; i < 9; i++)
		sent(0, 1, HD_MEM_STORE, 1, 4, 100);
	take();
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_ptr_nonnull(hd_dsm_next(dsm, 194));
	ck_assert_ptr_null(hd_dsm_next(dsm, 196));
	ck_assert_ptr_nonnull(hd_dsm_next(dsm, 197));
}
END_TEST

/* What copies in bulk send takes a slot of 2 cycles for each 32 bytes begun, one behind the other: 1 + 2 + 1 slots. */
START_TEST(bulk_data_takes_slots)
{
	ck_assert_uint_eq(hd_dsm_send(dsm, 0, 100, 32), 100 + 2 + LATENCY);
	ck_assert_uint_eq(hd_dsm_send(dsm, 0, 100, 33), 102 + 4 + LATENCY);
	ck_assert_uint_eq(hd_dsm_send(dsm, 0, 200, 1), 200 + 2 + LATENCY);
	ck_assert_uint_eq(hd_dsm_send(dsm, 1, 100, 64), 100 + 4 + LATENCY); /* another SM's is not held up */
}
END_TEST

/*
 * An arrival at a barrier takes 86 more: 100 + 2 + 75 + 86 = 263. Behind a store of the same SM it is there after that,
 * which tells a barrier itself: 8 cycles for its sectors, 269, and the arrival, which has left in 110, with it. That of
 * another SM does not wait.
 */
START_TEST(arrivals_come_after_stores)
{
	config.dsm_arrive_latency = 86;
	dsm = hd_dsm_new(&config, &arena);
	struct hd_mem_request request = {.space = HD_MEM_REMOTE, .kind = HD_MEM_REDUCTION, .bytes = 8, .mask = 1};
	request.address[0] = hd_remote_address(1, 0);
	hd_dsm_sync(ports[2], 2, &request, 100);
	take();
	ck_assert_ptr_null(hd_dsm_next(dsm, 263));
	struct hd_dsm_access *access = hd_dsm_next(dsm, 264);
	ck_assert_uint_eq(access->arrived, 263);
	ck_assert_uint_eq(access->form, HD_DSM_SYNC);
	hd_dsm_forget(ports[2], access);
	struct hd_dsm_access *told = sent(0, 1, HD_MEM_STORE, 32, 4, 100);
	told->form = HD_DSM_TELLS;
	hd_dsm_sync(ports[0], 0, &request, 100);
	hd_dsm_sync(ports[2], 2, &request, 104);
	take();
	ck_assert_ptr_eq(hd_dsm_next(dsm, 268)->what, NULL);
	ck_assert_ptr_eq(hd_dsm_next(dsm, 270), told);
	ck_assert_uint_eq(told->arrived, 269);
	ck_assert_uint_eq(told->done, 269 + LATENCY);
	access = hd_dsm_next(dsm, 1000);
	ck_assert_uint_eq(access->sm, 0);
	ck_assert_uint_eq(access->arrived, 271);
}
END_TEST

/* A plain store has nothing to tell, and an arrival waits for it all the same: 100 stores of 8 cycles are there by
 * 100 + 800 + 75. */
START_TEST(arrivals_wait_for_plain_stores)
{
	config.dsm_arrive_latency = 10;
	dsm = hd_dsm_new(&config, &arena);
	struct hd_mem_request request = {.space = HD_MEM_REMOTE, .kind = HD_MEM_REDUCTION, .bytes = 8, .mask = 1};
	for (unsigned i = 0; i < 100; i++)
		sent(0, 1, HD_MEM_STORE, 32, 4, 100);
	hd_dsm_sync(ports[0], 0, &request, 100);
	take();
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(hd_dsm_next(dsm, 10000)->form, HD_DSM_ACCESS);
	ck_assert_uint_eq(hd_dsm_next(dsm, 10000)->arrived, 100 + 800 + 2 + LATENCY + 10);
}
END_TEST

/* Two stores wait in the load/store unit when a block arrives: the arrival leaves behind the second, in 400, and takes
 * its 2 cycles behind the store's: 404 + 75 + 10. It does not wait for what was issued later, or by another grid. */
START_TEST(arrivals_leave_behind_what_is_queued)
{
	config.dsm_arrive_latency = 10;
	dsm = hd_dsm_new(&config, &arena);
	struct hd_mem_request store = {.space = HD_MEM_REMOTE, .kind = HD_MEM_STORE, .bytes = 4, .mask = 1},
			      request = {.space = HD_MEM_REMOTE, .kind = HD_MEM_REDUCTION, .bytes = 8, .mask = 1};
	store.address[0] = request.address[0] = hd_remote_address(1, 0);
	struct hd_dsm_access *queued[4];
	for (unsigned i = 0; i < 4; i++) {
		if (i == 2)
			hd_dsm_sync(ports[0], 0, &request, 100);
		store.grid = i == 0 ? 1 : 0;
		uint32_t number = hd_dsm_add(ports[0], 0, &store, 100);
		queued[i] = ports[0]->all.data[number];
	}
	store.grid = 0;
	hd_dsm_leave(ports[0], queued[3], 300); /* issued later */
	take();
	ck_assert_ptr_eq(hd_dsm_next(dsm, 400), queued[3]);
	ck_assert_ptr_null(hd_dsm_next(dsm, 400));
	hd_dsm_leave(ports[0], queued[1], 400);
	take();
	ck_assert_ptr_eq(hd_dsm_next(dsm, 10000), queued[1]);
	struct hd_dsm_access *access = hd_dsm_next(dsm, 10000);
	ck_assert_uint_eq(access->form, HD_DSM_SYNC);
	ck_assert_uint_eq(access->arrived, 404 + LATENCY + 10);
	ck_assert_uint_eq(ports[0]->held.len, 0);
	hd_dsm_sync(ports[0], 0, &request, 500); /* behind queued[2] */
	take();
	ck_assert_ptr_null(hd_dsm_next(dsm, 10000));
	hd_dsm_leave(ports[0], queued[2], 600);
	hd_dsm_leave(ports[0], queued[0], 600);
	take();
	ck_assert_ptr_eq(hd_dsm_next(dsm, 10000), queued[2]);
	ck_assert_ptr_eq(hd_dsm_next(dsm, 10000), queued[0]);
	ck_assert_ptr_nonnull(hd_dsm_next(dsm, 10000));
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("dsm",
			     (const TTest *const[]){
				     a_load_takes_two_ways,
				     data_takes_a_slot_for_each_sector,
				     stores_are_seen_late,
				     loads_wait_for_the_last_store_of_a_line,
				     lines_leave_one_behind_the_other,
				     answers_and_requests_share_an_sm,
				     headers_take_time,
				     parts_of_a_cycle_add_up,
				     bulk_data_takes_slots,
				     arrivals_come_after_stores,
				     arrivals_wait_for_plain_stores,
				     arrivals_leave_behind_what_is_queued,
				     NULL,
			     },
			     set_up, tear_down);
}
