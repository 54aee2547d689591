/* Timelines keep so many events and no more, and say how many are left out. */
#include "harness.h"
#include "runtime/watch/timeline.h"
#include "simbench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16777216 }; /* docs/limits.md */

/* The message at the end of a timeline of so many copies by the host. */
static void record(struct simbench *bench, uint32_t copies)
{
	char path[256];
	snprintf(path, sizeof path, "%s/timeline-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
	simbench_init(bench);
	ck_assert_int_eq(simbench_start(bench), 0);
	hd_timeline_start(&bench->sim->gpu, &(struct hd_timeline_options){.kanata = path}, &bench->diag);
	for (uint32_t i = 0; i < copies; i++)
		hd_timeline_copied(&bench->sim->gpu, HD_COPY_TO_DEVICE, 4);
	ck_assert_int_eq(hd_timeline_end(&bench->sim->gpu), 0);
	unlink(path);
}

START_TEST(so_many_events_are_kept_and_no_more)
{
	static struct simbench bench;
	record(&bench, MOST);
	ck_assert_str_eq(bench.message, "");
	simbench_release(&bench);
	record(&bench, MOST + 3);
	const char *told = "3 events are left out: an SM keeps 16777216 (use --timeline-only)";
	ck_assert_msg(strstr(bench.message, told) != NULL, "%s", bench.message);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("timeline", (const TTest *const[]){so_many_events_are_kept_and_no_more, NULL});
}
