/*
 * While a launch takes longer than two seconds of the host's time, a line says how far it is: blocks that have ended,
 * simulated cycles, warp instructions a second, and the time left if the blocks that are left take as long as those
 * before. It is written over itself twice a second and gone when the launch has ended. Nothing of the simulation
 * depends on it.
 *
 * Cost: a countdown a visited cycle, a look at the clock in each 4096th.
 */
#include "runtime/gpu/progress.h"

#include <inttypes.h>
#include <time.h>

#include "runtime/exec/fault.h"
#include "runtime/gpu/gpu.h"

#define SILENT 2.0	  /* seconds */
#define EACH 0.5	  /* seconds */
#define LOOK_EVERY 4096 /* cycles, skipped ones apart */

static double host_clock(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void hd_progress_init(struct hd_progress *progress, FILE *out)
{
	*progress = (struct hd_progress){.out = out, .clock = host_clock};
}

void hd_progress_start(struct hd_progress *progress, const struct hd_gpu *gpu)
{
	if (!progress->out)
		return;
	progress->started = progress->printed = progress->clock();
	progress->cycle = gpu->now;
	progress->issued = hd_gpu_issued(gpu);
	progress->countdown = LOOK_EVERY;
	progress->shown = false;
}

/* "1.2 M": three digits and a unit. */
static const char *short_number(double value, char *text, size_t size)
{
	static const char *const units[] = {"", " k", " M", " G", " T"};
	unsigned unit = 0;
	for (; value >= 999.5 && unit < 4; unit++)
		value /= 1000;
	snprintf(text, size, "%.*f%s", unit && value < 9.95 ? 1 : 0, value, units[unit]);
	return text;
}

static void print_line(const struct hd_progress *progress, const struct hd_gpu *gpu, double seconds)
{
	uint64_t done = 0, total = 0;
	uint32_t others = 0;
	const char *kernel = "";
	char cycles[24], rate[24], left[48] = "";
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		const struct hd_grid *grid = gpu->grids.data[i];
		if (!grid->running)
			continue;
		if (!total)
			kernel = hd_kernel_title(grid->kernel);
		others += total > 0;
		done += grid->cta_done;
		total += grid->cta_total;
	}
	if (done)
		snprintf(left, sizeof left, ", %.0f s left", seconds * (double)(total - done) / (double)done);
	fprintf(progress->out, "\r\033[K%.48s", kernel);
	if (others)
		fprintf(progress->out, " and %" PRIu32 " more", others);
	fprintf(progress->out, ": %" PRIu64 " of %" PRIu64 " blocks, %s %s, %s instructions/s%s", done, total,
		short_number((double)(gpu->now - progress->cycle), cycles, sizeof cycles),
		gpu->functional ? "instructions" : "cycles",
		short_number((double)(hd_gpu_issued(gpu) - progress->issued) / seconds, rate, sizeof rate), left);
	fflush(progress->out);
}

void hd_progress_look(struct hd_progress *progress, const struct hd_gpu *gpu)
{
	double now = progress->clock();
	progress->countdown = LOOK_EVERY;
	if (now - progress->started < SILENT || now - progress->printed < EACH)
		return;
	print_line(progress, gpu, now - progress->started);
	progress->printed = now;
	progress->shown = true;
}

void hd_progress_end(struct hd_progress *progress)
{
	if (!progress->out || !progress->shown)
		return;
	fprintf(progress->out, "\r\033[K");
	fflush(progress->out);
}
