/*
 * Code that warps run before their bodies: streams, as R2D2's coefficient, thread-index and block-index parts
 * (r2d2-isca23, 3.2 and 4.1). A policy has a warp run one when the warp starts or when its last one has ended; it is
 * fetched, issued and executed like all code. When everything that it started is there the warp begins the body fresh:
 * registers and predicates zero, its own threads, the age that it had.
 *
 * Cost: nothing for warps without streams but a test at their start and end.
 */
#include <assert.h>

#include "runtime/sm/issue.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/stream.h"

void hd_warp_run(struct hd_warp *warp, uint32_t pc, uint32_t lanes, uint32_t cycles)
{
	assert(warp->fresh && lanes);
	warp->stream = true;
	warp->cta->sm->streams.of[warp->id] = (struct hd_warp_stream){.pc = pc, .lanes = lanes, .cycles = cycles};
}

static void enter_stream(struct hd_warp *warp, const struct hd_warp_stream *stream)
{
	hd_vec_clear(&warp->stack);
	hd_vec_push(&warp->stack, (struct hd_simt){.pc = stream->pc,
						   .reconv = HD_PC_NONE,
						   .mask = stream->lanes,
						   .call_return = HD_PC_NONE});
	warp->pc = stream->pc;
	warp->active = warp->live = stream->lanes;
}

void hd_warp_begin(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t at, uint8_t reason)
{
	if (warp->held) {
		hd_warp_set_wait(sm, warp, warp->held == HD_HELD_PAUSED ? HD_STALL_policy : HD_STALL_suspended);
		return;
	}
	warp->fresh = false;
	if (__builtin_expect(warp->stream, 0)) {
		enter_stream(warp, &sm->streams.of[warp->id]);
		at += sm->streams.of[warp->id].cycles;
	}
	hd_warp_continue(sm, warp, now, at, reason);
}

/* The policy still sees the registers that the stream has left; what it decides holds when it has returned. */
void hd_stream_end(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	uint64_t at = warp->last_issue + sm->issue.branch_latency;
	warp->stream = false;
	warp->fresh = true;
	HD_HOOKED (sm->gpu, self, issue.stream_end)
		self->hooks->issue.stream_end(self, warp, now);
	warp->state = HD_WARP_RUNNING;
	hd_warp_start(warp, warp->cta, warp->index);
	hd_warp_begin(sm, warp, now, at > now ? at : now, HD_STALL_control);
}
