/* Boxes of tensors and the places of their bytes in shared memory, by hand. */
#include "harness.h"

#include "lib/swizzle.h"
#include "lib/tensormap.h"

/* Chunks of 16 bytes that lie side by side before the swizzle. */
static void expect_chunks(unsigned b, uint32_t first, const uint32_t *places, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(hd_swizzle(first + 16 * i, b), places[i]);
}

/* Bits 4 to 6 by bits 7 to 9: row 1 of rows of 128 bytes has each chunk at that of number ^ 1, and so on. */
START_TEST(chunks_change_places_by_their_address)
{
	expect_chunks(3, 0x80, (const uint32_t[]){0x90, 0x80, 0xb0, 0xa0, 0xd0, 0xc0, 0xf0, 0xe0}, 8);
	expect_chunks(2, 2 * 64, (const uint32_t[]){0x90, 0x80, 0xb0, 0xa0}, 4);
	expect_chunks(2, 4 * 64, (const uint32_t[]){0x120, 0x130, 0x100, 0x110}, 4);
	expect_chunks(1, 4 * 32, (const uint32_t[]){0x90, 0x80}, 2);
	/* halves, (row, column) */
	ck_assert_uint_eq(hd_swizzle(3 * 128 + 5 * 2, 3), 0x1ba);
	ck_assert_uint_eq(hd_swizzle(5 * 128 + 63 * 2, 3), 0x2ae);
	ck_assert_uint_eq(hd_swizzle(9 * 128 + 8 * 2, 3), 0x480);
	/* a base that is no multiple of the pattern */
	const uint32_t rows[] = {0x490, 0x520, 0x5b0, 0x640};
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(hd_swizzle(0x480 + 128 * i, 3), rows[i]);
	ck_assert_uint_eq(hd_swizzle(0x1234, 0), 0x1234);
}
END_TEST

/* Single precision, 5 by 3, rows 32 bytes apart, at address 1024; boxes of 4 by 2. */
static const struct hd_tensor_map five_by_three = {.magic = HD_TENSOR_MAGIC,
						   .type = HD_TENSOR_F32,
						   .rank = 2,
						   .address = 1024,
						   .stride = {32},
						   .size = {5, 3},
						   .box = {4, 2},
						   .step = {1, 1}};

static void expect_row(struct hd_tensor_walk *walk, uint32_t place, uint32_t skip, uint32_t bytes, uint64_t address)
{
	struct hd_tensor_row row;
	ck_assert(hd_tensor_next(walk, &row));
	ck_assert_uint_eq(row.place, place);
	ck_assert_uint_eq(row.bytes, bytes);
	if (!bytes)
		return;
	ck_assert_uint_eq(row.skip, skip);
	ck_assert_uint_eq(row.address, address);
}

static void expect_end(struct hd_tensor_walk *walk)
{
	struct hd_tensor_row row;
	ck_assert(!hd_tensor_next(walk, &row));
}

START_TEST(rows_end_at_the_tensor)
{
	struct hd_tensor_walk walk;
	ck_assert_uint_eq(hd_tensor_box_bytes(&five_by_three), 32);
	hd_tensor_walk(&walk, &five_by_three, (const int32_t[]){3, 2}, 0); /* two elements of row 2; row 3 is none */
	expect_row(&walk, 0, 0, 8, 1024 + 64 + 12);
	expect_row(&walk, 16, 0, 0, 0);
	expect_end(&walk);
	hd_tensor_walk(&walk, &five_by_three, (const int32_t[]){-1, -1}, 0);
	expect_row(&walk, 0, 0, 0, 0);
	expect_row(&walk, 16, 4, 12, 1024);
	expect_end(&walk);
	hd_tensor_walk(&walk, &five_by_three, (const int32_t[]){-4, 0}, 0); /* beside it */
	expect_row(&walk, 0, 0, 0, 0);
	expect_row(&walk, 16, 0, 0, 0);
	expect_end(&walk);
}
END_TEST

/* Steps leave rows out, those of the innermost dimension do not. */
START_TEST(steps_leave_rows_out)
{
	struct hd_tensor_map map = five_by_three;
	struct hd_tensor_walk walk;
	map.box[1] = 4;
	map.step[0] = map.step[1] = 2;
	ck_assert_uint_eq(hd_tensor_box_bytes(&map), 32);
	hd_tensor_walk(&walk, &map, (const int32_t[]){0, 0}, 0);
	expect_row(&walk, 0, 0, 16, 1024);
	expect_row(&walk, 16, 0, 16, 1024 + 64);
	expect_end(&walk);
}
END_TEST

/* A box of 4 by 1 by 2 in a tensor of 4 by 2 by 2: dimension 1 goes by 16 bytes, dimension 2 by 48. */
START_TEST(outer_dimensions_follow_inner_ones)
{
	struct hd_tensor_map map = {.magic = HD_TENSOR_MAGIC, .type = HD_TENSOR_S32, .rank = 3, .address = 16};
	struct hd_tensor_walk walk;
	for (uint32_t i = 0; i < 3; i++) {
		map.size[i] = i ? 2 : 4;
		map.box[i] = i == 1 ? 1 : map.size[i];
		map.step[i] = 1;
	}
	map.stride[0] = 16;
	map.stride[1] = 48;
	ck_assert_ptr_null(hd_tensor_map_check(&map));
	hd_tensor_walk(&walk, &map, (const int32_t[]){0, 1, 0}, 0);
	expect_row(&walk, 0, 0, 16, 16 + 16);
	expect_row(&walk, 16, 0, 16, 16 + 16 + 48);
	expect_end(&walk);
	map.size[0] = 0; /* 2^32: nothing of the row is outside */
	hd_tensor_walk(&walk, &map, (const int32_t[]){INT32_MAX, 0, 1}, 0);
	expect_row(&walk, 0, 0, 16, 16 + 48 + UINT64_C(0x7fffffff) * 4);
}
END_TEST

/* As in PTX's third example of im2col: images of 8 by 14 pixels, the filter moves by two. Its places are -1, 1, 3, 5 in
 * a row of pixels (7 is behind the upper corner) and -1, 1, ..., 11; offsets (1, 1), 64 channels of a byte. */
START_TEST(pixels_follow_the_filter)
{
	struct hd_tensor_map map = {.magic = HD_TENSOR_MAGIC,
				    .type = HD_TENSOR_U8,
				    .rank = 4,
				    .im2col = 1,
				    .address = 16,
				    .stride = {64, 8 * 64, 14 * 8 * 64},
				    .size = {64, 8, 14, 2},
				    .box = {16, 6},
				    .step = {1, 2, 2, 1},
				    .lower = {-1, -1},
				    .upper = {-1, -1}};
	struct hd_tensor_walk walk;
	const int32_t at[] = {48, 5, 11, 0};
	ck_assert_ptr_null(hd_tensor_map_check(&map));
	ck_assert_uint_eq(hd_tensor_box_bytes(&map), 6 * 16);
	ck_assert(hd_tensor_has_place(&map, at));
	ck_assert(!hd_tensor_has_place(&map, (const int32_t[]){48, 7, 11, 0}));
	ck_assert(!hd_tensor_has_place(&map, (const int32_t[]){48, 5, -2, 0}));
	hd_tensor_walk(&walk, &map, at, 1 | 1 << 8);
	uint64_t image = 14 * 8 * 64, row = 8 * 64;
	expect_row(&walk, 0, 0, 16, 16 + 12 * row + 6 * 64 + 48); /* (6, 12) of image 0, then h = 13 is the end */
	expect_row(&walk, 16, 0, 16, 16 + image + 48);		  /* (0, 0) of image 1 */
	expect_row(&walk, 32, 0, 16, 16 + image + 2 * 64 + 48);
	expect_row(&walk, 48, 0, 16, 16 + image + 4 * 64 + 48);
	expect_row(&walk, 64, 0, 16, 16 + image + 6 * 64 + 48);
	expect_row(&walk, 80, 0, 16, 16 + image + 2 * row + 48); /* the next row but one */
	expect_end(&walk);
	hd_tensor_walk(&walk, &map, (const int32_t[]){56, -1, -1, 1}, 0); /* outside, but for half of the channels */
	expect_row(&walk, 0, 0, 0, 0);
	hd_tensor_walk(&walk, &map, (const int32_t[]){56, -1, -1, 1}, 1 | 1 << 8);
	expect_row(&walk, 0, 0, 8, 16 + image + 56);
	map.upper[0] = -9;
	ck_assert_str_eq(hd_tensor_map_check(&map), "im2col's box is empty");
	map.upper[0] = 128;
	ck_assert_str_eq(hd_tensor_map_check(&map), "a corner of im2col's box is too far away for so many dimensions");
}
END_TEST

START_TEST(wrong_maps_say_why)
{
	struct hd_tensor_map map = five_by_three;
	ck_assert_ptr_null(hd_tensor_map_check(&map));
	map.box[0] = 3;
	ck_assert_str_eq(hd_tensor_map_check(&map), "a box's rows are no multiples of 16 bytes");
	map.box[0] = 12;
	map.swizzle = 1;
	ck_assert_str_eq(hd_tensor_map_check(&map), "a box's rows are longer than the swizzle's");
	map.box[0] = 8;
	ck_assert_ptr_null(hd_tensor_map_check(&map));
	map.type = HD_TENSOR_S32;
	map.fill = 1;
	ck_assert_str_eq(hd_tensor_map_check(&map), "NaN is for types of floating point");
	map.fill = 0;
	map.stride[0] = 24;
	ck_assert_str_eq(hd_tensor_map_check(&map), "strides are multiples of 16 below 2^40");
	map.magic++;
	ck_assert_str_eq(hd_tensor_map_check(&map),
			 "it was not made by cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col");
}
END_TEST

/* 1 + 2^-10 + 2^-11 loses its last bit in tf32; 2^-127 is no normal number. */
START_TEST(elements_are_converted)
{
	struct hd_tensor_map map = five_by_three;
	ck_assert(!hd_tensor_converts(&map));
	map.type = HD_TENSOR_TF32;
	ck_assert_uint_eq(hd_tensor_convert(&map, 0x3f803000), 0x3f802000);
	ck_assert_uint_eq(hd_tensor_convert(&map, 0x80400000), 0x80400000);
	map.type = HD_TENSOR_TF32_FTZ;
	ck_assert_uint_eq(hd_tensor_convert(&map, 0x80400000), 0x80000000);
	map.type = HD_TENSOR_F32_FTZ;
	ck_assert_uint_eq(hd_tensor_convert(&map, 0x3f803001), 0x3f803001);
	ck_assert_uint_eq(hd_tensor_convert(&map, 0x00400000), 0);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("tensormap");
	TCase *test = tcase_create("boxes");
	tcase_add_test(test, chunks_change_places_by_their_address);
	tcase_add_test(test, rows_end_at_the_tensor);
	tcase_add_test(test, steps_leave_rows_out);
	tcase_add_test(test, outer_dimensions_follow_inner_ones);
	tcase_add_test(test, pixels_follow_the_filter);
	tcase_add_test(test, wrong_maps_say_why);
	tcase_add_test(test, elements_are_converted);
	suite_add_tcase(suite, test);
	return suite;
}
