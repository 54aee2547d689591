/* Device memory as the simulator's interface has it: allocations, what lies where, copies, and what is refused. */
#include "harness.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/sim/sim_private.h"
#include "simbench.h"

static struct simbench bench;

static void set_up(void)
{
	simbench_init(&bench);
	bench.options.device_bytes = 1 << 20;
	simbench_chain(&bench, 2);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
}

static void tear_down(void)
{
	simbench_release(&bench);
}

static void expect_text(const char *part)
{
	ck_assert_msg(strstr(hd_sim_error_text(bench.sim), part) != NULL, "%s", hd_sim_error_text(bench.sim));
}

START_TEST(allocations_are_found)
{
	uint64_t address, low, high, before = hd_sim_free_bytes(bench.sim);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 1000, &address), 0);
	ck_assert_uint_eq(address % 256, 0);
	ck_assert_uint_le(hd_sim_free_bytes(bench.sim), before - 1000);
	ck_assert(hd_sim_allocation(bench.sim, address + 999, &low, &high));
	ck_assert_uint_eq(low, address);
	ck_assert_uint_eq(high, address + 1000);
	ck_assert(hd_sim_owns(bench.sim, address) && hd_sim_owns(bench.sim, address + 999));
	ck_assert(!hd_sim_owns(bench.sim, address + 1000));
	ck_assert_int_eq(hd_sim_free_memory(bench.sim, address + 256), HD_SIM_BAD_ADDRESS);
	expect_text("is not the address of an allocation");
	ck_assert_int_eq(hd_sim_free_memory(bench.sim, 0), HD_SIM_BAD_ADDRESS);
	ck_assert_int_eq(hd_sim_free_memory(bench.sim, address), 0);
	ck_assert(!hd_sim_owns(bench.sim, address));
	ck_assert_uint_eq(hd_sim_free_bytes(bench.sim), before);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 1 << 21, &address), HD_SIM_NO_MEMORY);
	expect_text("no room for 2097152 bytes of device memory");
}
END_TEST

START_TEST(addresses_are_described)
{
	uint64_t address, base = bench.sim->gpu.options.device_base;
	char text[200];
	ck_assert(hd_sim_is_device(bench.sim, base) && hd_sim_is_device(bench.sim, base + (1 << 20) - 1));
	ck_assert(!hd_sim_is_device(bench.sim, base - 1) && !hd_sim_is_device(bench.sim, base + (1 << 20)));
	ck_assert(!hd_sim_describe_address(bench.sim, base - 1, text, sizeof text));
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 4096, &address), 0);
	ck_assert(hd_sim_describe_address(bench.sim, address + 5, text, sizeof text));
	char expected[200];
	snprintf(expected, sizeof expected, "byte 5 of the 4096 bytes of device memory allocated at 0x%llx",
		 (unsigned long long)address);
	ck_assert_str_eq(text, expected);
	ck_assert_int_eq(hd_sim_free_memory(bench.sim, address), 0);
	ck_assert(hd_sim_describe_address(bench.sim, address + 5, text, sizeof text));
	snprintf(expected, sizeof expected, "device memory that was freed (4096 bytes at 0x%llx)",
		 (unsigned long long)address);
	ck_assert_str_eq(text, expected);
	ck_assert(hd_sim_describe_address(bench.sim, base + (1 << 20) - 1, text, sizeof text));
	ck_assert_str_eq(text, "device memory that is not allocated");
}
END_TEST

/* Bytes come where they should, no others change, and a range that leaves its allocation is refused as a whole. */
START_TEST(bytes_are_copied)
{
	uint64_t a, b;
	uint8_t bytes[64], got[64];
	for (uint32_t i = 0; i < 64; i++)
		bytes[i] = (uint8_t)(i + 1);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 64, &a), 0);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 64, &b), 0);
	ck_assert_int_eq(hd_sim_write(bench.sim, a, bytes, 64), 0);
	ck_assert_int_eq(hd_sim_set(bench.sim, b, 0xee, 64), 0);
	ck_assert_int_eq(hd_sim_copy(bench.sim, b + 8, a + 16, 4), 0);
	ck_assert_int_eq(hd_sim_read(bench.sim, b, got, 64), 0);
	for (uint32_t i = 0; i < 64; i++)
		ck_assert_uint_eq(got[i], i >= 8 && i < 12 ? i + 9 : 0xee);
	ck_assert_int_eq(hd_sim_copy(bench.sim, a + 1, a, 63), 0); /* they overlap */
	ck_assert_int_eq(hd_sim_read(bench.sim, a, got, 64), 0);
	ck_assert_uint_eq(got[0], 1);
	for (uint32_t i = 1; i < 64; i++)
		ck_assert_uint_eq(got[i], i);
	/* Nothing is no error anywhere. */
	ck_assert_int_eq(hd_sim_write(bench.sim, 1, bytes, 0), 0);
	ck_assert_int_eq(hd_sim_read(bench.sim, 1, got, 0), 0);
	ck_assert_int_eq(hd_sim_set(bench.sim, 1, 7, 0), 0);
	ck_assert_int_eq(hd_sim_copy(bench.sim, 1, 2, 0), 0);
	ck_assert_int_eq(hd_sim_write(bench.sim, a, bytes, 65), HD_SIM_BAD_ADDRESS);
	expect_text("copy to device of 65 bytes at");
	ck_assert_int_eq(hd_sim_read(bench.sim, a + 1, got, 64), HD_SIM_BAD_ADDRESS);
	expect_text("copy from device of 64 bytes at");
	ck_assert_int_eq(hd_sim_set(bench.sim, a, 7, 65), HD_SIM_BAD_ADDRESS);
	expect_text("memset of 65 bytes at");
	ck_assert_int_eq(hd_sim_copy(bench.sim, a, b + 1, 64), HD_SIM_BAD_ADDRESS);
	expect_text("copy from device of 64 bytes at");
	ck_assert_int_eq(hd_sim_copy(bench.sim, a + 1, b, 64), HD_SIM_BAD_ADDRESS);
	expect_text("copy to device of 64 bytes at");
	ck_assert_int_eq(hd_sim_read(bench.sim, a, got, 64), 0);
	ck_assert_uint_eq(got[0], 1);
	ck_assert_uint_eq(got[63], 63);
}
END_TEST

/* Memory of the host that the device may reach, until it is given up. */
START_TEST(memory_of_the_host_is_adopted)
{
	static uint8_t host[4096];
	uint64_t address = (uintptr_t)host;
	uint8_t byte = 0;
	ck_assert(!hd_sim_owns(bench.sim, address));
	ck_assert_int_eq(hd_sim_adopt(bench.sim, host, sizeof host), 0);
	ck_assert(hd_sim_owns(bench.sim, address + sizeof host - 1) && !hd_sim_owns(bench.sim, address + sizeof host));
	host[7] = 9;
	ck_assert_int_eq(hd_sim_read(bench.sim, address + 7, &byte, 1), 0);
	ck_assert_uint_eq(byte, 9);
	ck_assert_int_eq(hd_sim_drop(bench.sim, host), 0);
	ck_assert(!hd_sim_owns(bench.sim, address));
	ck_assert_int_ne(hd_sim_drop(bench.sim, host), 0);
}
END_TEST

/* And memory of the device that the host may reach. */
START_TEST(memory_of_the_device_is_shared)
{
	uint64_t address;
	uint8_t bytes[3] = {1, 2, 3};
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 8192, &address), 0);
	ck_assert_int_eq(hd_sim_write(bench.sim, address + 10, bytes, 3), 0);
	ck_assert(!hd_sim_is_host_visible(bench.sim, address));
	uint8_t *host = hd_sim_host_pointer(bench.sim, address, 8192);
	ck_assert_ptr_nonnull(host);
	ck_assert(hd_sim_is_host_visible(bench.sim, address));
	ck_assert_int_eq(memcmp(host + 10, bytes, 3), 0);
	host[11] = 77;
	ck_assert_int_eq(hd_sim_read(bench.sim, address + 10, bytes, 3), 0);
	ck_assert_uint_eq(bytes[1], 77);
	ck_assert_ptr_null(hd_sim_host_pointer(bench.sim, address + 1, 8192));
}
END_TEST

START_TEST(places_are_chosen_by_the_caller)
{
	uint64_t address, low, high;
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 4096, &address), 0);
	ck_assert_int_eq(hd_sim_malloc_at(bench.sim, address, 4096), HD_SIM_NO_MEMORY);
	expect_text("4096 bytes of device memory at");
	ck_assert_int_eq(hd_sim_free_memory(bench.sim, address), 0);
	ck_assert_int_eq(hd_sim_malloc_at(bench.sim, address, 2048), 0);
	ck_assert(hd_sim_allocation(bench.sim, address, &low, &high));
	ck_assert_uint_eq(high - low, 2048);
}
END_TEST

/* Pages without an address count as taken until they are given back. */
START_TEST(pages_are_taken)
{
	int file;
	uint64_t before = hd_sim_free_bytes(bench.sim);
	ck_assert_int_eq(hd_sim_malloc_pages(bench.sim, 65536, &file), 0);
	ck_assert_uint_eq(hd_sim_free_bytes(bench.sim), before - 65536);
	hd_sim_free_pages(bench.sim, 65536, file);
	ck_assert_uint_eq(hd_sim_free_bytes(bench.sim), before);
	ck_assert_int_eq(hd_sim_malloc_pages(bench.sim, 1 << 21, &file), HD_SIM_NO_MEMORY);
	expect_text("no room for 2097152 bytes");
}
END_TEST

/* Where the host has no file for them, none are taken, and the text says why. */
START_TEST(pages_need_a_file)
{
	int file;
	uint64_t before = hd_sim_free_bytes(bench.sim);
	struct rlimit limit, none;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){.rlim_max = limit.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	int status = hd_sim_malloc_pages(bench.sim, 65536, &file), why = errno;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(status, HD_SIM_NO_MEMORY);
	ck_assert_int_eq(why, EMFILE);
	expect_text("the host has no file for 65536 bytes of device memory: Too many open files");
	ck_assert_uint_eq(hd_sim_free_bytes(bench.sim), before);
}
END_TEST

START_TEST(modules_come_and_go)
{
	uint64_t address, size;
	ck_assert_str_eq(hd_sim_target(bench.module), "sm_70");
	ck_assert_str_eq(hd_kernel_target(bench.kernel), "sm_70");
	ck_assert_ptr_eq(hd_sim_kernel_at(bench.module, 0), bench.kernel);
	ck_assert_ptr_null(hd_sim_kernel_at(bench.module, 1));
	ck_assert_int_ne(hd_sim_symbol(bench.module, "nothing", &address, &size), 0);
	expect_text("bench: no device variable nothing");
	struct hd_module *none = NULL;
	ck_assert_int_eq(hd_sim_load(bench.sim, (const uint8_t *)"abc", 3, "three", &none), HD_SIM_BAD_OBJECT);
	expect_text("three: not a kernel object that can be loaded");
	ck_assert_ptr_eq(bench.sim->gpu.modules, bench.module);
	hd_sim_unload(bench.sim, NULL);
	hd_sim_unload(bench.sim, bench.module);
	ck_assert_ptr_null(bench.sim->gpu.modules);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("api_memory",
			     (const TTest *const[]){
				     allocations_are_found,
				     addresses_are_described,
				     bytes_are_copied,
				     memory_of_the_host_is_adopted,
				     memory_of_the_device_is_shared,
				     places_are_chosen_by_the_caller,
				     pages_are_taken,
				     pages_need_a_file,
				     modules_come_and_go,
				     NULL,
			     },
			     set_up, tear_down);
}
