/*
 * sad: sums of absolute differences between the parts of an image and those of another one around the same place, as
 * video encoders look for motion. The first kernel has a block for each macroblock of 16 x 16 pixels and a thread for
 * each place: 16 sums of 4 x 4 pixels. The second and the third put these together to sums of 8 x 8 and of 16 x 16.
 */
#include "../grids/grids.h"

#define BLOCK 128
#define SIDE 16			/* pixels along a macroblock */
#define REACH 8			/* places to each side */
#define SPAN (2 * REACH)	/* places along a side */
#define PLACES (SPAN * SPAN)
#define WINDOW (SIDE + SPAN - 1)
#define BORDER (SPAN)		/* pixels around the second image */

typedef unsigned char pixel;
typedef unsigned short sum;

/* Sums lie as [macroblock][part][place]. */
__global__ void parts_of_4(const pixel *now, const pixel *before, sum *sums, int width, int across)
{
	__shared__ pixel own[SIDE][SIDE], window[WINDOW][WINDOW + 1];
	int left = blockIdx.x % across * SIDE, top = blockIdx.x / across * SIDE, stride = width + 2 * BORDER;
	for (int i = threadIdx.x; i < SIDE * SIDE; i += BLOCK)
		own[i / SIDE][i % SIDE] = now[(top + i / SIDE) * width + left + i % SIDE];
	for (int i = threadIdx.x; i < WINDOW * WINDOW; i += BLOCK)
		window[i / WINDOW][i % WINDOW] =
			before[(top + BORDER - REACH + i / WINDOW) * stride + left + BORDER - REACH + i % WINDOW];
	__syncthreads();
	for (int place = threadIdx.x; place < PLACES; place += BLOCK) {
		int dx = place % SPAN, dy = place / SPAN;
		for (int part = 0; part < 16; part++) {
			int px = part % 4 * 4, py = part / 4 * 4, total = 0;
			for (int i = 0; i < 16; i++)
				total += abs(own[py + i / 4][px + i % 4] - window[py + i / 4 + dy][px + i % 4 + dx]);
			sums[(blockIdx.x * 16 + part) * PLACES + place] = (sum)total;
		}
	}
}

/* Puts 2 x 2 of `across` x `across` parts together: two places at a time, as a word. */
__global__ void combine(const ushort2 *from, ushort2 *to, int across, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int half = across / 2, place = i % (PLACES / 2), part = i / (PLACES / 2) % (half * half),
	    block = i / (PLACES / 2) / (half * half);
	int corner = block * across * across + part / half * 2 * across + part % half * 2;
	ushort2 total = {0, 0};
	for (int k = 0; k < 4; k++) {
		ushort2 quarter = from[(corner + k / 2 * across + k % 2) * (PLACES / 2) + place];
		total.x += quarter.x;
		total.y += quarter.y;
	}
	to[i] = total;
}

/* Of a part of `size` pixels along a side. */
static sum on_host(const pixel *now, const pixel *before, int width, int left, int top, int size, int place)
{
	int total = 0, stride = width + 2 * BORDER;
	int shift_x = BORDER - REACH + place % SPAN, shift_y = BORDER - REACH + place / SPAN;
	for (int y = top; y < top + size; y++)
		for (int x = left; x < left + size; x++)
			total += abs(now[y * width + x] - before[(y + shift_y) * stride + x + shift_x]);
	return (sum)total;
}

static void check(Verdict *verdict, const char *what, const sum *device, const pixel *now, const pixel *before,
		  int width, int height, int size)
{
	int across = width / SIDE, parts = SIDE / size * (SIDE / size), n = across * (height / SIDE) * parts * PLACES;
	sum *expected = host_array<sum>(n);
	for (int i = 0; i < n; i++) {
		int block = i / PLACES / parts, part = i / PLACES % parts;
		int left = block % across * SIDE + part % (SIDE / size) * size,
		    top = block / across * SIDE + part / (SIDE / size) * size;
		expected[i] = on_host(now, before, width, left, top, size, i % PLACES);
	}
	compare(verdict, what, device, expected, n);
	free(expected);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "sad [width [height]]   (default 14 x 10 macroblocks of 16 x 16 pixels)"};
	int width = SIDE * size_argument(arguments, 1, 14, 256), height = SIDE * size_argument(arguments, 2, 10, 256);
	int stride = width + 2 * BORDER, second = stride * (height + 2 * BORDER), across = width / SIDE;
	int blocks = across * (height / SIDE), words = blocks * PLACES / 2;
	pixel *now = host_array<pixel>(width * height), *before = host_array<pixel>(second);
	unsigned seed = 11;
	for (int i = 0; i < second; i++)
		before[i] = (pixel)(next_random(&seed) >> 24);
	for (int i = 0; i < width * height; i++)
		now[i] = (pixel)(before[(i / width + BORDER - 3) * stride + i % width + BORDER + 2] +
				 (next_random(&seed) >> 29));
	sum *of_4 = device_array<sum>(blocks * PLACES * 16), *of_8 = device_array<sum>(blocks * PLACES * 4);
	sum *of_16 = device_array<sum>(blocks * PLACES);
	pixel *dnow = device_copy(now, width * height), *dbefore = device_copy(before, second);

	parts_of_4<<<blocks, BLOCK>>>(dnow, dbefore, of_4, width, across);
	combine<<<blocks_for(4 * words, BLOCK), BLOCK>>>((ushort2 *)of_4, (ushort2 *)of_8, 4, 4 * words);
	combine<<<blocks_for(words, BLOCK), BLOCK>>>((ushort2 *)of_8, (ushort2 *)of_16, 2, words);
	CHECK_LAUNCH();

	Verdict verdict = {"sad", 0};
	check(&verdict, "4 x 4", of_4, now, before, width, height, 4);
	check(&verdict, "8 x 8", of_8, now, before, width, height, 8);
	check(&verdict, "16 x 16", of_16, now, before, width, height, 16);
	return conclude(verdict, "%d x %d pixels", width, height);
}
