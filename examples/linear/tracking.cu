/*
 * tracking: follows points of a moving picture, as of a heart's wall: a block has a point, keeps what its surroundings
 * looked like in shared memory, holds that against each place near by, and takes where they agree best.
 */
#include "../grids/grids.h"

#define BLOCK 128
#define SIDE 13	 /* pixels of a template along a side */
#define REACH 6	 /* a point moves in a frame, in pixels */
#define SPAN (2 * REACH + 1)
#define WINDOW (SIDE + SPAN - 1)
#define MARGIN ((WINDOW + 1) / 2 + 1)

/* How well a template fits: squared correlation of the two, over the energy of the place. */
BOTH float fit(const float *patch, const float *window, int x, int y)
{
	float both = 0, energy = 1e-6f;
	for (int j = 0; j < SIDE; j++)
		for (int i = 0; i < SIDE; i++) {
			float there = window[(y + j) * WINDOW + x + i];
			both = fmaf(patch[j * SIDE + i], there, both);
			energy = fmaf(there, there, energy);
		}
	return both > 0 ? both * both / energy : 0;
}

__global__ void track(const float *templates, const float *frame, int width, int2 *points)
{
	__shared__ float patch[SIDE * SIDE], window[WINDOW * WINDOW], best[BLOCK];
	__shared__ int where[BLOCK];
	int2 at = points[blockIdx.x];
	for (int i = threadIdx.x; i < SIDE * SIDE; i += BLOCK)
		patch[i] = templates[blockIdx.x * SIDE * SIDE + i];
	for (int i = threadIdx.x; i < WINDOW * WINDOW; i += BLOCK)
		window[i] = frame[(at.y - WINDOW / 2 + i / WINDOW) * width + at.x - WINDOW / 2 + i % WINDOW];
	__syncthreads();
	float most = -1;
	int place = 0;
	for (int i = threadIdx.x; i < SPAN * SPAN; i += BLOCK) {
		float own = fit(patch, window, i % SPAN, i / SPAN);
		if (own > most) {
			most = own;
			place = i;
		}
	}
	best[threadIdx.x] = most;
	where[threadIdx.x] = place;
	__syncthreads();
	for (int half = BLOCK / 2; half; half /= 2) {
		int other = threadIdx.x + half;
		if ((int)threadIdx.x < half &&
		    (best[other] > best[threadIdx.x] ||
		     (best[other] == best[threadIdx.x] && where[other] < where[threadIdx.x]))) {
			best[threadIdx.x] = best[other];
			where[threadIdx.x] = where[other];
		}
		__syncthreads();
	}
	if (threadIdx.x == 0)
		points[blockIdx.x] = {at.x + where[0] % SPAN - REACH, at.y + where[0] / SPAN - REACH};
}

static void cut(const float *frame, int width, int2 at, int side, float *to)
{
	for (int i = 0; i < side * side; i++)
		to[i] = frame[(at.y - side / 2 + i / side) * width + at.x - side / 2 + i % side];
}

static int2 track_on_host(const float *patch, const float *frame, int width, int2 at)
{
	float window[WINDOW * WINDOW], most = -1;
	int2 found = at;
	cut(frame, width, at, WINDOW, window);
	for (int i = 0; i < SPAN * SPAN; i++) {
		float own = fit(patch, window, i % SPAN, i / SPAN);
		if (own > most) {
			most = own;
			found = {at.x + i % SPAN - REACH, at.y + i / SPAN - REACH};
		}
	}
	return found;
}

/* Points stay where a window around them lies in the picture. */
static int kept_inside(int i, int n)
{
	return i < MARGIN ? MARGIN : i > n - 1 - MARGIN ? n - 1 - MARGIN : i;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "tracking [points [frames [width of the picture]]]   (default 256, 2, 256)"};
	int n = size_argument(arguments, 1, 256, 65535), frames = size_argument(arguments, 2, 2, 1000);
	int width = size_argument(arguments, 3, 256, 4096), room = width - 2 * MARGIN;
	if (room < 1) {
		fprintf(stderr, "tracking: a picture of %d pixels is narrower than %d\n", width, 2 * MARGIN + 1);
		return 2;
	}
	float *first = random_floats((size_t)width * width, 1), *frame = host_array<float>((size_t)width * width);
	float *templates = host_array<float>((size_t)n * SIDE * SIDE);
	int2 *points = host_array<int2>(n);
	unsigned seed = 59;
	for (int i = 0; i < n; i++) {
		int x = (int)(next_random(&seed) >> 8) % room, y = (int)(next_random(&seed) >> 8) % room;
		points[i] = {MARGIN + x, MARGIN + y};
		cut(first, width, points[i], SIDE, templates + (size_t)i * SIDE * SIDE);
	}
	float *dtemplates = device_copy(templates, (size_t)n * SIDE * SIDE),
	      *dframe = device_array<float>((size_t)width * width);
	int2 *dpoints = device_copy(points, n);

	Verdict verdict = {"tracking", 0};
	for (int f = 1; f <= frames; f++) { /* the picture moves and gets noise */
		for (int i = 0; i < width * width; i++)
			frame[i] = first[(i / width + 3 * width - 2 * f % width) % width * width +
					 (i % width + f) % width] +
				   0.2f * next_unit(&seed);
		CHECK(cudaMemcpy(dframe, frame, (size_t)width * width * sizeof *frame, cudaMemcpyHostToDevice));
		track<<<n, BLOCK>>>(dtemplates, dframe, width, dpoints);
		CHECK_LAUNCH();
		for (int i = 0; i < n; i++)
			points[i] = track_on_host(templates + (size_t)i * SIDE * SIDE, frame, width, points[i]);
		compare(&verdict, "point", (int *)dpoints, (int *)points, (size_t)2 * n);
		for (int i = 0; i < n; i++)
			points[i] = {kept_inside(points[i].x, width), kept_inside(points[i].y, width)};
		CHECK(cudaMemcpy(dpoints, points, n * sizeof *points, cudaMemcpyHostToDevice));
	}
	return conclude(verdict, "%d points, %d frames", n, frames);
}
