/*
 * Alarms: cycles at which a policy wants to be called about an SM (hd_policy_at), apart from its ticks. A binary heap;
 * those of one cycle go off in the order in which they were set. The last grid's end forgets them.
 *
 * Cost: O(log alarms) to set one and when it goes off; nothing in between.
 */
#include <assert.h>

#include "runtime/sm/alarms.h"
#include "runtime/sm/sm.h"

static bool is_before(const struct hd_alarm *a, const struct hd_alarm *b)
{
	return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

static void swap(struct hd_alarm *a, struct hd_alarm *b)
{
	struct hd_alarm kept = *a;
	*a = *b;
	*b = kept;
}

static void sink(struct hd_alarms *alarms, uint32_t at)
{
	for (;;) {
		uint32_t first = at, child = 2 * at + 1;
		for (uint32_t i = child; i < child + 2 && i < alarms->count; i++)
			if (is_before(&alarms->heap[i], &alarms->heap[first]))
				first = i;
		if (first == at)
			return;
		swap(&alarms->heap[at], &alarms->heap[first]);
		at = first;
	}
}

static void note_next(struct hd_sm *sm)
{
	sm->due.alarm = sm->alarms.count ? sm->alarms.heap[0].cycle : HD_NEVER;
}

void hd_policy_at(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t cycle, uint64_t arg)
{
	struct hd_alarms *alarms = &sm->alarms;
	assert(alarms->count < HD_MAX_ALARMS && self->hooks->alarm);
	uint64_t soonest = (sm->now > sm->gpu->now ? sm->now : sm->gpu->now) + 1;
	uint32_t at = alarms->count++;
	alarms->heap[at] = (struct hd_alarm){cycle > soonest ? cycle : soonest, alarms->set++, arg, self};
	for (; at && is_before(&alarms->heap[at], &alarms->heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&alarms->heap[at], &alarms->heap[(at - 1) / 2]);
	note_next(sm);
}

void hd_sm_alarms(struct hd_sm *sm, uint64_t now)
{
	struct hd_alarms *alarms = &sm->alarms;
	while (alarms->count && alarms->heap[0].cycle <= now) {
		struct hd_alarm alarm = alarms->heap[0];
		alarms->heap[0] = alarms->heap[--alarms->count];
		sink(alarms, 0);
		alarm.policy->hooks->alarm(alarm.policy, sm, alarm.arg, now);
	}
	note_next(sm);
}

void hd_sm_forget_alarms(struct hd_sm *sm)
{
	sm->alarms.count = 0;
	note_next(sm);
}
