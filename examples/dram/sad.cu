/*
 * sad: sums of absolute differences between the parts of an image and those of another one around the same place, as
 * video encoders look for motion. The first kernel has a block for each macroblock of 16 x 16 pixels and a thread for
 * each place: 16 sums of 4 x 4 pixels. The second and the third put these together to sums of 8 x 8 and of 16 x 16.
 * With a sampling of 2, sums are of every second pixel of every second row only, as encoders that have little time do it; a thread
 * has two places, and sums of halves, 8 x 4, 4 x 8, 16 x 8 and 8 x 16, are kept, too, so that moving sums is what takes time.
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

/* As parts_of_4, of every second pixel in both directions: a place in each half of a word. */
__global__ void sampled_parts_of_4(const pixel *now, const pixel *before, ushort2 *sums, int width, int across)
{
	__shared__ pixel own[SIDE][SIDE], window[WINDOW][WINDOW + 1];
	int left = blockIdx.x % across * SIDE, top = blockIdx.x / across * SIDE, stride = width + 2 * BORDER;
	for (int i = threadIdx.x; i < SIDE * SIDE; i += BLOCK)
		own[i / SIDE][i % SIDE] = now[(top + i / SIDE) * width + left + i % SIDE];
	for (int i = threadIdx.x; i < WINDOW * WINDOW; i += BLOCK)
		window[i / WINDOW][i % WINDOW] =
			before[(top + BORDER - REACH + i / WINDOW) * stride + left + BORDER - REACH + i % WINDOW];
	__syncthreads();
	int dx = 2 * threadIdx.x % SPAN, dy = 2 * threadIdx.x / SPAN;
	for (int part = 0; part < 16; part++) {
		int px = part % 4 * 4, py = part / 4 * 4;
		ushort2 total = {0, 0};
		for (int i = 0; i < 4; i++) {
			int x = px + i % 2 * 2, y = py + i / 2 * 2;
			total.x += abs(own[y][x] - window[y + dy][x + dx]);
			total.y += abs(own[y][x] - window[y + dy][x + dx + 1]);
		}
		sums[(blockIdx.x * 16 + part) * (PLACES / 2) + threadIdx.x] = total;
	}
}

__device__ ushort2 plus(ushort2 a, ushort2 b)
{
	a.x += b.x;
	a.y += b.y;
	return a;
}

/* As combine, with the halves: upper, lower, left and right, as [macroblock][part][half][place]. */
__global__ void combine_with_halves(const ushort2 *from, ushort2 *to, ushort2 *halves, int across, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int half = across / 2, words = PLACES / 2, place = i % words, part = i / words % (half * half),
	    block = i / words / (half * half);
	int corner = (block * across * across + part / half * 2 * across + part % half * 2) * words + place;
	ushort2 a = from[corner], b = from[corner + words], c = from[corner + across * words],
		d = from[corner + (across + 1) * words];
	halves += 4 * (i / words) * words + place;
	halves[0] = plus(a, b);
	halves[words] = plus(c, d);
	halves[2 * words] = plus(a, c);
	halves[3 * words] = plus(b, d);
	to[i] = plus(plus(a, b), plus(c, d));
}

/* Of a part, of every `step`-th pixel. */
static sum on_host(const pixel *now, const pixel *before, int width, int left, int top, int wide, int high, int step, int place)
{
	int total = 0, stride = width + 2 * BORDER;
	int shift_x = BORDER - REACH + place % SPAN, shift_y = BORDER - REACH + place / SPAN;
	for (int y = top; y < top + high; y += step)
		for (int x = left; x < left + wide; x += step)
			total += abs(now[y * width + x] - before[(y + shift_y) * stride + x + shift_x]);
	return (sum)total;
}

static void check(Verdict *verdict, const char *what, const sum *device, const pixel *now, const pixel *before,
		  int width, int height, int size, int step)
{
	int across = width / SIDE, parts = SIDE / size * (SIDE / size), n = across * (height / SIDE) * parts * PLACES;
	sum *expected = host_array<sum>(n);
	for (int i = 0; i < n; i++) {
		int block = i / PLACES / parts, part = i / PLACES % parts;
		int left = block % across * SIDE + part % (SIDE / size) * size,
		    top = block / across * SIDE + part / (SIDE / size) * size;
		expected[i] = on_host(now, before, width, left, top, size, size, step, i % PLACES);
	}
	compare(verdict, what, device, expected, n);
	free(expected);
}

/* Halves of the parts of `size` pixels along a side. */
static void check_halves(Verdict *verdict, const char *what, const sum *device, const pixel *now, const pixel *before,
			 int width, int height, int size, int step)
{
	int across = width / SIDE, parts = SIDE / size * (SIDE / size), n = across * (height / SIDE) * parts * 4 * PLACES;
	sum *expected = host_array<sum>(n);
	for (int i = 0; i < n; i++) {
		int half = i / PLACES % 4, part = i / PLACES / 4 % parts, block = i / PLACES / 4 / parts;
		int left = block % across * SIDE + part % (SIDE / size) * size,
		    top = block / across * SIDE + part / (SIDE / size) * size;
		bool lies = half < 2;
		expected[i] = on_host(now, before, width, left + (half == 3 ? size / 2 : 0), top + (half == 1 ? size / 2 : 0),
				      lies ? size : size / 2, lies ? size / 2 : size, step, i % PLACES);
	}
	compare(verdict, what, device, expected, n);
	free(expected);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "sad [width [height [sampling]]]   (default 14 x 10 macroblocks of 16 x 16, sampling 1)"};
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

	sum *halves_of_8 = device_array<sum>(blocks * PLACES * 16), *halves_of_16 = device_array<sum>(blocks * PLACES * 4);
	int step = size_argument(arguments, 3, 1, 2);
	int grid_of_8 = blocks_for(4 * words, BLOCK), grid_of_16 = blocks_for(words, BLOCK);
	if (step == 1) {
		parts_of_4<<<blocks, BLOCK>>>(dnow, dbefore, of_4, width, across);
		combine<<<grid_of_8, BLOCK>>>((ushort2 *)of_4, (ushort2 *)of_8, 4, 4 * words);
		combine<<<grid_of_16, BLOCK>>>((ushort2 *)of_8, (ushort2 *)of_16, 2, words);
	} else {
		sampled_parts_of_4<<<blocks, BLOCK>>>(dnow, dbefore, (ushort2 *)of_4, width, across);
		combine_with_halves<<<grid_of_8, BLOCK>>>((ushort2 *)of_4, (ushort2 *)of_8, (ushort2 *)halves_of_8, 4, 4 * words);
		combine_with_halves<<<grid_of_16, BLOCK>>>((ushort2 *)of_8, (ushort2 *)of_16, (ushort2 *)halves_of_16, 2, words);
	}
	CHECK_LAUNCH();

	Verdict verdict = {"sad", 0};
	check(&verdict, "4 x 4", of_4, now, before, width, height, 4, step);
	check(&verdict, "8 x 8", of_8, now, before, width, height, 8, step);
	check(&verdict, "16 x 16", of_16, now, before, width, height, 16, step);
	if (step > 1) {
		check_halves(&verdict, "halves of 8 x 8", halves_of_8, now, before, width, height, 8, step);
		check_halves(&verdict, "halves of 16 x 16", halves_of_16, now, before, width, height, 16, step);
	}
	return conclude(verdict, "%d x %d pixels", width, height);
}
