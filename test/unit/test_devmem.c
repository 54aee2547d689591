/* Device memory: exact bounds, red zones, reuse, zeroes, exhaustion. */
#include "harness.h"

#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/heap.h"

START_TEST(addresses_are_aligned_and_far_from_null)
{
	struct hd_devmem *memory = hd_devmem_new(1 << 20);
	uint64_t a, b, c;
	ck_assert_int_eq(hd_devmem_alloc(memory, 100, 256, &a), 0);
	ck_assert_int_eq(hd_devmem_alloc(memory, 1, 1, &b), 0);
	ck_assert_int_eq(hd_devmem_alloc(memory, 1, 4096, &c), 0);
	ck_assert(a >= UINT64_C(0x100000000));
	ck_assert_uint_eq(a % 256, 0);
	ck_assert_uint_eq(b % 256, 0);
	ck_assert_uint_eq(c % 4096, 0);
	ck_assert_ptr_null(hd_devmem_at(memory, 0, 1));
	ck_assert_ptr_null(hd_devmem_at(memory, 64, 1));
	hd_devmem_free(memory);
}
END_TEST

START_TEST(bounds_are_exact)
{
	struct hd_devmem *memory = hd_devmem_new(1 << 20);
	uint64_t a, b;
	ck_assert_int_eq(hd_devmem_alloc(memory, 100, 256, &a), 0);
	ck_assert_int_eq(hd_devmem_alloc(memory, 256, 256, &b), 0);
	ck_assert_ptr_nonnull(hd_devmem_at(memory, a, 100));
	ck_assert_ptr_nonnull(hd_devmem_at(memory, a + 96, 4));
	ck_assert_ptr_null(hd_devmem_at(memory, a + 97, 4));
	ck_assert_ptr_null(hd_devmem_at(memory, a + 100, 1));
	ck_assert_ptr_null(hd_devmem_at(memory, a - 1, 1));
	ck_assert_ptr_null(hd_devmem_at(memory, a + 99, UINT64_MAX));
	ck_assert_ptr_null(hd_devmem_at(memory, b + 256, 1));
	ck_assert(b >= a + 100 + 256); /* room between them that belongs to nobody */
	hd_devmem_free(memory);
}
END_TEST

START_TEST(released_memory_faults_and_comes_back_zero)
{
	struct hd_devmem *memory = hd_devmem_new(1 << 20);
	uint64_t a, again;
	uint32_t size = 3 * 4096 + 100;
	ck_assert_int_eq(hd_devmem_alloc(memory, size, 256, &a), 0);
	uint64_t left = hd_devmem_free_bytes(memory);
	memset(hd_devmem_at(memory, a, size), 0xab, size);
	ck_assert_int_eq(hd_devmem_release(memory, a + 256), HD_SIM_BAD_ADDRESS);
	ck_assert_int_eq(hd_devmem_release(memory, a), 0);
	ck_assert_int_eq(hd_devmem_release(memory, a), HD_SIM_BAD_ADDRESS);
	ck_assert_ptr_null(hd_devmem_at(memory, a, 1));
	ck_assert_uint_eq(hd_devmem_free_bytes(memory), 1 << 20);
	ck_assert_int_eq(hd_devmem_alloc(memory, size, 256, &again), 0);
	ck_assert_uint_eq(again, a);
	ck_assert_uint_eq(hd_devmem_free_bytes(memory), left);
	const uint8_t *bytes = hd_devmem_at(memory, a, size);
	uint32_t dirty = 0;
	for (uint32_t i = 0; i < size; i++)
		dirty += bytes[i] != 0;
	ck_assert_uint_eq(dirty, 0);
	hd_devmem_free(memory);
}
END_TEST

START_TEST(first_fit_and_coalescing)
{
	struct hd_devmem *memory = hd_devmem_new(1 << 20);
	uint64_t a[4], big;
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(hd_devmem_alloc(memory, 256 * 1024 - 512, 256, &a[i]), 0);
	ck_assert_int_eq(hd_devmem_alloc(memory, 400 * 1024, 256, &big), HD_SIM_NO_MEMORY);
	ck_assert_int_eq(hd_devmem_release(memory, a[2]), 0);
	ck_assert_int_eq(hd_devmem_alloc(memory, 400 * 1024, 256, &big), HD_SIM_NO_MEMORY);
	ck_assert_int_eq(hd_devmem_release(memory, a[1]), 0);
	ck_assert_int_eq(hd_devmem_alloc(memory, 400 * 1024, 256, &big), 0);
	ck_assert_uint_eq(big, a[1]);
	ck_assert_int_eq(hd_devmem_alloc(memory, UINT64_MAX, 256, &big), HD_SIM_NO_MEMORY);
	hd_devmem_free(memory);
}
END_TEST

/* Against a byte map: random allocations and releases never overlap, and look-up agrees. */
START_TEST(random_operations_agree_with_a_byte_map)
{
	enum { BYTES = 1 << 16, SLOTS = 24 };
	struct hd_devmem *memory = hd_devmem_new(BYTES);
	static uint8_t owner[BYTES];
	uint64_t at[SLOTS] = {0}, base, size[SLOTS] = {0};
	uint32_t seed = 7;
	ck_assert_int_eq(hd_devmem_alloc(memory, 1, 256, &base), 0);
	ck_assert_int_eq(hd_devmem_release(memory, base), 0);
	for (int round = 0; round < 4000; round++) {
		seed = seed * 1664525 + 1013904223;
		uint32_t slot = seed >> 8 & 15, want = seed >> 16 & 0xfff;
		if (at[slot]) {
			memset(owner + (at[slot] - base), 0, size[slot]);
			ck_assert_int_eq(hd_devmem_release(memory, at[slot]), 0);
			at[slot] = 0;
		} else if (hd_devmem_alloc(memory, want + 1, 256, &at[slot]) == 0) {
			size[slot] = want + 1;
			uint32_t taken = 0;
			for (uint32_t i = 0; i < size[slot]; i++)
				taken += owner[at[slot] - base + i] != 0;
			ck_assert_uint_eq(taken, 0);
			memset(owner + (at[slot] - base), (int)slot + 1, size[slot]);
		} else {
			at[slot] = 0;
		}
		uint64_t low, high, probe = base + (seed >> 4) % BYTES;
		bool found = hd_devmem_find(memory, probe, &low, &high);
		ck_assert_int_eq(found, owner[probe - base] != 0);
	}
	hd_devmem_free(memory);
}
END_TEST

/* As a recording wants it: where it was, in a window of addresses of its own, or not at all. */
START_TEST(allocations_at_given_addresses)
{
	enum { BYTES = 1 << 16 };
	uint64_t base = HD_DEVICE_BASE + (UINT64_C(3) << 36), low, high, other;
	struct hd_devmem *memory = hd_devmem_new_at(base, BYTES);
	bool adopted;
	ck_assert_int_eq(hd_devmem_place(memory, base + 4096, 1000), 0);
	memset(hd_devmem_at(memory, base + 4096, 1000), 1, 1000);
	ck_assert(hd_devmem_find(memory, base + 5095, &low, &high));
	ck_assert_uint_eq(low, base + 4096);
	ck_assert_uint_eq(high, base + 5096);
	ck_assert(!hd_devmem_at(memory, base + 4096, 1001));
	/* into it, onto its red zone, across it, unaligned, and outside */
	ck_assert_int_ne(hd_devmem_place(memory, base + 4352, 8), 0);
	ck_assert_int_ne(hd_devmem_place(memory, base + 4096 + 1024, 8), 0);
	ck_assert_int_ne(hd_devmem_place(memory, base + 1024, 4096), 0);
	ck_assert_int_ne(hd_devmem_place(memory, base + 100, 8), 0);
	ck_assert_int_ne(hd_devmem_place(memory, base + BYTES, 8), 0);
	ck_assert_int_ne(hd_devmem_place(memory, base - 4096, 8), 0);
	ck_assert_int_ne(hd_devmem_place(memory, base, UINT64_MAX - 512), 0);
	/* What is allocated anywhere stays out of it. */
	ck_assert_int_eq(hd_devmem_alloc(memory, 8192, 256, &other), 0);
	ck_assert_uint_ge(other, base + 5096 + 256);
	ck_assert(hd_devmem_range(memory, 0, &low, &high, &adopted) && low == base + 4096 && !adopted);
	ck_assert(hd_devmem_range(memory, 1, &low, &high, &adopted) && low == other);
	ck_assert(!hd_devmem_range(memory, 2, &low, &high, &adopted));
	/* Released, it is zero at its next coming. */
	ck_assert_int_eq(hd_devmem_release(memory, base + 4096), 0);
	ck_assert_int_eq(hd_devmem_place(memory, base + 4096, 1000), 0);
	ck_assert_int_eq(((uint8_t *)hd_devmem_at(memory, base + 4096, 1000))[999], 0);
	hd_devmem_free(memory);
}
END_TEST

START_TEST(the_nearest_allocation)
{
	struct hd_devmem *memory = hd_devmem_new(1 << 20);
	uint64_t a, b, low, high;
	ck_assert(!hd_devmem_nearest(memory, 5, &low, &high));
	ck_assert_int_eq(hd_devmem_alloc(memory, 256, 256, &a), 0);
	ck_assert_int_eq(hd_devmem_alloc(memory, 256, 256, &b), 0);
	ck_assert(hd_devmem_nearest(memory, a + 260, &low, &high));
	ck_assert_uint_eq(low, a);
	ck_assert(hd_devmem_nearest(memory, b - 4, &low, &high));
	ck_assert_uint_eq(low, b);
	ck_assert(hd_devmem_nearest(memory, 0, &low, &high));
	ck_assert_uint_eq(low, a);
	hd_devmem_free(memory);
}
END_TEST

/* What the host may touch under the device's addresses, when they are free. */
START_TEST(shared_pages_and_freed_ranges)
{
	struct hd_devmem *memory = hd_devmem_new(1 << 20);
	uint64_t a, b, c, low, high;
	ck_assert_int_eq(hd_devmem_alloc(memory, 100, 256, &a), 0);
	ck_assert_int_eq(hd_devmem_alloc(memory, 6000, 256, &b), 0);
	ck_assert_int_eq(hd_devmem_alloc(memory, 100, 256, &c), 0);
	ck_assert(!hd_devmem_is_shared(memory, a));
	ck_assert_ptr_null(hd_devmem_share(memory, a, 101));
	ck_assert_ptr_eq(hd_devmem_share(memory, a, 100), (void *)a);
	ck_assert_ptr_eq(hd_devmem_share(memory, b, 6000), (void *)b);
	ck_assert(hd_devmem_is_shared(memory, b + 5999));
	ck_assert(!hd_devmem_is_shared(memory, c));
	*(volatile uint32_t *)(b + 5996) = 7;
	ck_assert_uint_eq(*(uint32_t *)hd_devmem_at(memory, b + 5996, 4), 7);
	ck_assert(!hd_devmem_was_freed(memory, b, &low, &high));
	hd_devmem_release(memory, b);
	ck_assert(hd_devmem_was_freed(memory, b + 5999, &low, &high));
	ck_assert_uint_eq(low, b);
	ck_assert_uint_eq(high, b + 6000);
	ck_assert(!hd_devmem_was_freed(memory, b + 6000, &low, &high));
	*(volatile uint32_t *)a = 9; /* on a page that b had a part of */
	ck_assert_uint_eq(*(uint32_t *)hd_devmem_at(memory, a, 4), 9);
	ck_assert_int_eq(hd_devmem_alloc(memory, 6000, 256, &high), 0);
	ck_assert_uint_eq(high, b);
	ck_assert(!hd_devmem_is_shared(memory, b));
	ck_assert_uint_eq(*(uint32_t *)hd_devmem_at(memory, b + 5996, 4), 0);
	hd_devmem_free(memory);
}
END_TEST

/* Of a second simulator in the process. */
START_TEST(addresses_that_are_taken)
{
	struct hd_devmem *first = hd_devmem_new(1 << 20), *second = hd_devmem_new(1 << 20);
	uint64_t a, b;
	ck_assert_int_eq(hd_devmem_alloc(first, 100, 256, &a), 0);
	ck_assert_int_eq(hd_devmem_alloc(second, 100, 256, &b), 0);
	ck_assert_uint_eq(a, b);
	memset(hd_devmem_at(first, a, 100), 1, 100);
	memset(hd_devmem_at(second, b, 100), 2, 100);
	ck_assert_uint_eq(*(uint8_t *)hd_devmem_share(first, a, 100), 1);
	ck_assert_uint_eq(*(uint8_t *)hd_devmem_share(second, b, 100), 2);
	ck_assert(hd_devmem_share(second, b, 100) != (void *)b);
	hd_devmem_free(first);
	hd_devmem_free(second);
}
END_TEST

/* Beside an allocation is on its pages of 2 MiB. */
START_TEST(what_lies_beside_an_allocation)
{
	struct hd_devmem *memory = hd_devmem_new(16 << 20);
	uint64_t a;
	ck_assert_ptr_null(hd_devmem_beside(memory, HD_DEVICE_BASE, 4));
	ck_assert_int_eq(hd_devmem_alloc(memory, 3 << 20, 256, &a), 0);
	uint8_t *host = hd_devmem_at(memory, a, 4);
	ck_assert_ptr_eq(hd_devmem_beside(memory, a + (3 << 20), 4), host + (3 << 20));
	ck_assert_ptr_nonnull(hd_devmem_beside(memory, a + (4 << 20) - 4, 4));
	ck_assert_ptr_null(hd_devmem_beside(memory, a + (4 << 20) - 3, 4));
	ck_assert_ptr_null(hd_devmem_beside(memory, a - 4, 4));
	hd_devmem_free(memory);
}
END_TEST

/* The heap of device malloc. */
START_TEST(heap_blocks_are_apart_and_reused)
{
	struct hd_gpu gpu = {.devmem = hd_devmem_new(1 << 20)};
	gpu.options.heap_bytes = 64 << 10;
	uint64_t a = hd_heap_malloc(&gpu, 24), b = hd_heap_malloc(&gpu, 24);
	ck_assert(a && b && (a + 24 <= b || b + 24 <= a));
	ck_assert_uint_eq(a % 16, 0);
	ck_assert(hd_heap_free(&gpu, a));
	ck_assert(!hd_heap_free(&gpu, a));
	ck_assert(!hd_heap_free(&gpu, b + 16));
	ck_assert(hd_heap_free(&gpu, 0));
	ck_assert_uint_eq(hd_heap_malloc(&gpu, 20), a);
	ck_assert_uint_eq(hd_heap_malloc(&gpu, 1 << 20), 0);
	uint32_t count = 0;
	while (hd_heap_malloc(&gpu, 1000))
		count++;
	ck_assert(count > 50 && count < 64);
	hd_devmem_free(gpu.devmem);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("devmem", (const TTest *const[]){
					     addresses_are_aligned_and_far_from_null,
					     bounds_are_exact,
					     released_memory_faults_and_comes_back_zero,
					     first_fit_and_coalescing,
					     random_operations_agree_with_a_byte_map,
					     allocations_at_given_addresses,
					     the_nearest_allocation,
					     shared_pages_and_freed_ranges,
					     addresses_that_are_taken,
					     what_lies_beside_an_allocation,
					     heap_blocks_are_apart_and_reused,
					     NULL,
				     });
}
