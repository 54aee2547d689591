/*
 * The watchers of a GPU: who is there, who is awake, which events somebody wants.
 */
#include "runtime/core/watch.h"

#include <assert.h>

#include "runtime/core/gpu.h"

static uint64_t events_of(const struct hd_watcher *watcher)
{
	uint64_t events = 0;
#define HD_WATCH(event, parameters) events |= watcher->event ? HD_WATCH_BIT(event) : 0;
#include "runtime/core/watch.def"
#undef HD_WATCH
	return events;
}

static void look_who_is_awake(struct hd_gpu *gpu)
{
	uint64_t watched = 0;
	gpu->watched_alone = false;
	for (uint32_t i = 0; i < gpu->watcher_count; i++) {
		const struct hd_watcher_handle *handle = &gpu->watchers[i];
		if (handle->asleep)
			continue;
		watched |= events_of(handle->watcher);
		gpu->watched_alone |= handle->watcher->alone;
	}
	gpu->watched = watched;
}

bool hd_watcher_has(const struct hd_gpu *gpu, uint64_t events)
{
	return gpu->watchable & events;
}

static uint32_t set_aside(uint32_t *bytes, uint32_t more)
{
	uint32_t at = *bytes;
	*bytes += (more + 7) / 8 * 8;
	return at;
}

struct hd_watcher_handle *hd_watcher_add(struct hd_gpu *gpu, const struct hd_watcher *watcher, void *state)
{
	assert(gpu->watcher_count < HD_MAX_WATCHERS);
	struct hd_watcher_handle *handle = &gpu->watchers[gpu->watcher_count++];
	*handle = (struct hd_watcher_handle){
		.watcher = watcher,
		.state = state,
		.warp_at = set_aside(&gpu->watch_bytes.warp, watcher->warp_bytes),
		.cta_at = set_aside(&gpu->watch_bytes.cta, watcher->cta_bytes),
		.grid_at = set_aside(&gpu->watch_bytes.grid, watcher->grid_bytes),
		.due = HD_NEVER,
	};
	gpu->watchable |= events_of(watcher);
	gpu->stepwise |= watcher->stepwise;
	gpu->in_order |= watcher->in_order;
	gpu->shows_code |= watcher->all_code;
	gpu->wants_facts |= watcher->facts;
	gpu->one_grid |= watcher->one_grid;
	look_who_is_awake(gpu);
	return handle;
}

static void find_due(struct hd_gpu *gpu)
{
	gpu->due = (struct hd_watch_due){HD_NEVER, HD_NEVER, HD_NEVER};
	for (uint32_t i = 0; i < gpu->watcher_count; i++) {
		const struct hd_watcher_handle *handle = &gpu->watchers[i];
		if (handle->watcher->look)
			gpu->due.look = hd_earlier(gpu->due.look, handle->due);
		if (handle->watcher->check)
			gpu->due.check = hd_earlier(gpu->due.check, handle->due);
		if (handle->watcher->pause)
			gpu->due.pause = hd_earlier(gpu->due.pause, handle->due);
	}
}

void hd_watcher_wants(struct hd_gpu *gpu, struct hd_watcher_handle *handle, uint64_t due)
{
	handle->due = due;
	find_due(gpu);
}

#define TELL_DUE(event)                                                                   \
	for (uint32_t i = 0; i < gpu->watcher_count; i++) {                               \
		struct hd_watcher_handle *handle = &gpu->watchers[i];                     \
		if (!handle->watcher->event || handle->due > now)                         \
			continue;                                                         \
		hd_watcher_wants(gpu, handle, HD_NEVER);                                  \
		handle->watcher->event(handle, gpu, now);                                 \
	}

void hd_watch_look(struct hd_gpu *gpu, uint64_t now)
{
	TELL_DUE(look)
}

void hd_watch_check(struct hd_gpu *gpu, uint64_t now)
{
	TELL_DUE(check)
}

void hd_watch_pause(struct hd_gpu *gpu, uint64_t now)
{
	TELL_DUE(pause)
}

/* watcher_count: it does not watch this GPU. */
static uint32_t index_of(const struct hd_gpu *gpu, const struct hd_watcher *watcher)
{
	uint32_t i = 0;
	while (i < gpu->watcher_count && gpu->watchers[i].watcher != watcher)
		i++;
	return i;
}

struct hd_watcher_handle *hd_watcher_find(struct hd_gpu *gpu, const struct hd_watcher *watcher)
{
	uint32_t i = index_of(gpu, watcher);
	return i < gpu->watcher_count ? &gpu->watchers[i] : NULL;
}

void *hd_watcher_state(const struct hd_gpu *gpu, const struct hd_watcher *watcher)
{
	uint32_t i = index_of(gpu, watcher);
	return i < gpu->watcher_count ? gpu->watchers[i].state : NULL;
}

void hd_watcher_sleep(struct hd_gpu *gpu, struct hd_watcher_handle *handle, bool asleep)
{
	if (handle->asleep == asleep)
		return;
	handle->asleep = asleep;
	look_who_is_awake(gpu);
}
