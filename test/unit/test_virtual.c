/* Memory without an address that a program shares: found by its file, in whatever order that is made and given back.
 * LINK: cudart */
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "runtime/cudart/context.h"
#include "runtime/cudart/driver.h"

enum { COUNT = 6, MIB2 = 2 << 20 };

static const CUmemAllocationProp shared = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
					   .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
					   .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};

static uint32_t known(void)
{
	HD_CUDART(cudart);
	return cudart->virtual.shareable.len;
}

static CUmemGenericAllocationHandle handle_of(int file)
{
	CUmemGenericAllocationHandle handle;
	ck_assert_int_eq(cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)file,
							CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
			 CUDA_SUCCESS);
	return handle;
}

/* Each file is the memory that has it, which is held once more and given back. */
static void check(const int files[COUNT], const CUmemGenericAllocationHandle handles[COUNT])
{
	uint32_t live = 0;
	for (uint32_t i = 0; i < COUNT; i++) {
		if (!handles[i])
			continue;
		ck_assert_uint_eq(handle_of(files[i]), handles[i]);
		ck_assert_int_eq(cuMemRelease(handles[i]), CUDA_SUCCESS);
		live++;
	}
	ck_assert_uint_eq(known(), live);
}

/* Files are numbered as they are made. Memory whose handle was given back is made anew from its file, at its place
 * among the others: in front, in the middle and at the end. Memory that is not shared has no place. */
START_TEST(shared_memory_is_found_by_its_file)
{
	static const uint32_t gone[] = {3, 0, 5, 1}, back[] = {1, 5, 0, 3};
	CUmemGenericAllocationHandle handles[COUNT] = {0}, other;
	CUmemAllocationProp alone = shared;
	int files[COUNT];
	setenv("HEDDLE_DATA", "runtime", 1); /* runtime/gpus: tests run in the project's root */
	alone.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
	ck_assert_int_eq(cudaFree(NULL), cudaSuccess); /* which makes the context */
	for (uint32_t i = 0; i < COUNT; i++) {
		ck_assert_int_eq(cuMemCreate(&handles[i], MIB2, &shared, 0), CUDA_SUCCESS);
		ck_assert_int_eq(cuMemExportToShareableHandle(&files[i], handles[i],
							      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
				 CUDA_SUCCESS);
		check(files, handles);
	}
	for (uint32_t i = 0; i < sizeof gone / sizeof *gone; i++) {
		ck_assert_int_eq(cuMemRelease(handles[gone[i]]), CUDA_SUCCESS);
		handles[gone[i]] = 0;
		check(files, handles);
	}
	ck_assert_int_eq(cuMemCreate(&other, MIB2, &alone, 0), CUDA_SUCCESS);
	for (uint32_t i = 0; i < sizeof back / sizeof *back; i++) {
		handles[back[i]] = handle_of(files[back[i]]);
		check(files, handles);
	}
	ck_assert_int_eq(cuMemRelease(other), CUDA_SUCCESS);
	check(files, handles);
	for (uint32_t i = 0; i < COUNT; i++) {
		ck_assert_int_eq(cuMemRelease(handles[i]), CUDA_SUCCESS);
		close(files[i]);
	}
	ck_assert_uint_eq(known(), 0);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("virtual", (const TTest *const[]){shared_memory_is_found_by_its_file, NULL});
}
