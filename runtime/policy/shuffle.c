/*
 * Shuffling: every N cycles an SM picks a warp or a block at random and has it leave what it has there, with all of its
 * state or parts, for a random time, or run again from its start where its kernel allows that (shuffle:N). What comes
 * back gets other slots, registers and shared memory than it had. No design does this: it is how the engine's movable
 * warps and blocks are tried on programs, whose results must not change; its times mean nothing.
 *
 * While anything is away an SM starts no other block, so that there is always room to come back, also where blocks
 * wait for each other. With the setting `across` blocks leave with everything and, when nothing of theirs is under way,
 * go to an SM at random, again and again until they find room there; meanwhile no SM starts a block.
 *
 * Cost: O(warps of an SM) each N cycles.
 */
#include <stdlib.h>

#include "runtime/sm/context.h"
#include "runtime/sm/policy_space.h"

struct shuffle_sm {
	uint64_t interval; /* cycles */
	uint64_t random;
	bool across;
	uint32_t away;			/* warps and blocks */
	bool set;			/* an alarm */
	uint64_t warps, ctas, restarts; /* that left; that began again */
	uint64_t arrived;		/* blocks, from other SMs */
};

/* Of a warp and of a block. */
struct shuffle_item {
	uint64_t until; /* cycle from which it may come back; 0: it is not away */
	bool arrived;	/* a block that has been to another SM since it left */
};

static const struct hd_policy_setting settings[] = {
	{"across", "1: blocks that leave move to other SMs (to test the engine)", 0, 0, 1},
	{0},
};

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	char *end;
	unsigned long interval = strtoul(parameter, &end, 10);
	(void)config;
	if (*parameter >= '0' && *parameter <= '9' && !*end && interval >= 1 && interval <= 1000000)
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy 'shuffle' needs %s, as in shuffle:100", policy->parameters);
}

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	gpu->kills = true;
	gpu->across |= hd_policy_setting(self, gpu, 0) != 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct shuffle_sm *mine = hd_policy_sm(self, gpu->sms[i]);
		mine->interval = strtoul(self->parameter, NULL, 10);
		mine->random = i + 1;
		mine->across = hd_policy_setting(self, gpu, 0) != 0;
	}
}

/* xorshift64 (Marsaglia 2003): the same on every machine. */
static uint32_t draw(struct shuffle_sm *mine, uint32_t below)
{
	mine->random ^= mine->random << 13;
	mine->random ^= mine->random >> 7;
	mine->random ^= mine->random << 17;
	return (uint32_t)((mine->random >> 16) % below);
}

static void set_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct shuffle_sm *mine = hd_policy_sm(self, sm);
	if (!mine->set)
		hd_policy_at(self, sm, now + mine->interval, 0);
	mine->set = true;
}

static void cta_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)cta;
	set_alarm(self, sm, sm->now);
}

/* A warp that came back with its block before its time is counted already. */
static void leave(struct shuffle_sm *mine, struct shuffle_item *item, uint64_t now)
{
	mine->away += !item->until;
	item->until = now + 1 + draw(mine, (uint32_t)(4 * mine->interval));
	item->arrived = false;
}

/* When nothing of it is under way any more. */
static void send_across(struct shuffle_sm *mine, struct hd_sm *sm, struct hd_cta *cta)
{
	if (mine->across && hd_cta_can_leave(sm, cta))
		hd_cta_send(sm, cta, draw(mine, (uint32_t)sm->gpu->sm_count));
}

static void come_back(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct shuffle_sm *mine = hd_policy_sm(self, sm);
	for (uint32_t i = 0; i < sm->cta_count; i++) {
		struct shuffle_item *item = hd_policy_cta(self, &sm->ctas[i]);
		if (!sm->ctas[i].used || !item->until || item->until > now)
			continue;
		if (!hd_cta_resume(sm, &sm->ctas[i], now)) {
			send_across(mine, sm, &sm->ctas[i]);
			continue;
		}
		item->until = 0;
		mine->away--;
	}
	for (uint32_t id = 0; id < sm->warp_count; id++) {
		struct hd_warp *warp = &sm->warps[id];
		struct shuffle_item *item = hd_policy_warp(self, warp);
		bool waits = warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER;
		if (!waits || !item->until || item->until > now)
			continue;
		if (hd_warp_is_away(warp) && !hd_warp_resume(sm, warp, now))
			continue;
		item->until = 0; /* it may have come with its block */
		mine->away--;
	}
}

/* The first of the SM's warps from a random one on that is there and has something to do. */
static struct hd_warp *pick_warp(struct shuffle_sm *mine, const struct hd_sm *sm)
{
	uint32_t first = draw(mine, sm->warp_count);
	for (uint32_t i = 0; i < sm->warp_count; i++) {
		struct hd_warp *warp = &sm->warps[(first + i) % sm->warp_count];
		if ((warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER) && !hd_warp_is_away(warp))
			return warp;
	}
	return NULL;
}

static void send_warp(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct shuffle_sm *mine = hd_policy_sm(self, sm);
	uint32_t parts = draw(mine, 4) ? HD_PART_REGISTERS | HD_PART_STACK : 0;
	hd_warp_suspend(sm, warp, parts, NULL);
	leave(mine, hd_policy_warp(self, warp), now);
	mine->warps++;
}

static void send_cta(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	struct shuffle_sm *mine = hd_policy_sm(self, sm);
	uint32_t all = HD_PART_SHARED | HD_PART_REGISTERS | HD_PART_STACK;
	hd_cta_suspend(sm, cta, mine->across ? all : draw(mine, 8) * HD_PART_REGISTERS);
	leave(mine, hd_policy_cta(self, cta), now);
	mine->ctas++;
}

/* Blocks that have been away are not killed: it would be for ever. */
static void shuffle(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct shuffle_sm *mine = hd_policy_sm(self, sm);
	struct hd_warp *warp = pick_warp(mine, sm);
	uint32_t what = draw(mine, 8);
	if (!warp)
		return;
	if (what == 0 && hd_grid_restarts(warp->cta->grid) && now - warp->cta->start_cycle < 20 * mine->interval) {
		mine->restarts++;
		hd_cta_requeue(sm, warp->cta, now);
	} else if (what < 3) {
		send_cta(self, sm, warp->cta, now);
	} else {
		send_warp(self, sm, warp, now);
	}
}

/* Blocks that are away set out for other SMs; `until` is for when they are there. */
static void send_all(const struct hd_policy_handle *self, struct hd_sm *sm)
{
	struct shuffle_sm *mine = hd_policy_sm(self, sm);
	for (uint32_t i = 0; i < sm->cta_count && mine->across; i++) {
		struct shuffle_item *item = hd_policy_cta(self, &sm->ctas[i]);
		if (sm->ctas[i].used && item->until && !item->arrived)
			send_across(mine, sm, &sm->ctas[i]);
	}
}

static void cta_arrive(const struct hd_policy_handle *self, struct hd_sm *from, struct hd_sm *sm, struct hd_cta *cta,
		       uint64_t now)
{
	struct shuffle_sm *mine = hd_policy_sm(self, sm);
	uint32_t away = 1; /* and warps that had left before it did */
	for (uint32_t i = 0; i < cta->warp_count; i++)
		if (hd_cta_warp(cta, i))
			away += ((struct shuffle_item *)hd_policy_warp(self, cta->warps[i]))->until != 0;
	((struct shuffle_item *)hd_policy_cta(self, cta))->arrived = true;
	((struct shuffle_sm *)hd_policy_sm(self, from))->away -= away;
	mine->away += away;
	mine->arrived += from != sm;
	set_alarm(self, sm, now);
}

static void on_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	struct shuffle_sm *mine = hd_policy_sm(self, sm);
	(void)arg;
	mine->set = false;
	shuffle(self, sm, now); /* what comes back stays for an interval */
	come_back(self, sm, now);
	send_all(self, sm);
	if (sm->resident_warps)
		set_alarm(self, sm, now);
	if (!mine->away)
		hd_sm_request_dispatch(sm);
}

static uint32_t quota(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct shuffle_sm *mine = hd_policy_sm(self, sm);
	(void)grid;
	if (mine->away)
		return 0;
	for (uint32_t i = 0; i < sm->gpu->sm_count && mine->across; i++)
		if (((const struct shuffle_sm *)hd_policy_sm(self, sm->gpu->sms[i]))->away)
			return 0;
	return UINT32_MAX;
}

static void forget(const struct hd_policy_handle *self, struct hd_sm *sm, struct shuffle_item *item)
{
	((struct shuffle_sm *)hd_policy_sm(self, sm))->away -= item->until != 0;
	item->until = 0;
}

static void cta_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	forget(self, sm, hd_policy_cta(self, cta));
}

static void cta_kill(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	forget(self, sm, hd_policy_cta(self, cta));
	for (uint32_t i = 0; i < cta->warp_count; i++)
		if (hd_cta_warp(cta, i))
			forget(self, sm, hd_policy_warp(self, cta->warps[i]));
}

static void warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	forget(self, warp->cta->sm, hd_policy_warp(self, warp));
}

static void grid_end(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	(void)grid;
	for (uint32_t i = 0; i < gpu->sm_count && !gpu->running; i++) {
		struct shuffle_sm *mine = hd_policy_sm(self, gpu->sms[i]);
		mine->set = false;
		mine->away = 0;
	}
}

static const struct hd_policy_count reported[] = {
	{"warps_moved", "warps", "warps that went to another slot"},
	{"ctas_moved", "CTAs", "blocks whose warps all went to other slots"},
	{"ctas_to_other_sms", "CTAs", "blocks that arrived on another SM"},
	{"ctas_restarted", "CTAs", "blocks that were stopped and started again"},
	{0},
};

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	uint64_t warps = 0, ctas = 0, restarts = 0, arrived = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		const struct shuffle_sm *mine = hd_policy_sm(self, gpu->sms[i]);
		warps += mine->warps;
		ctas += mine->ctas;
		restarts += mine->restarts;
		arrived += mine->arrived;
	}
	add(context, "warps_moved", (double)warps, "warps");
	add(context, "ctas_moved", (double)ctas, "CTAs");
	add(context, "ctas_to_other_sms", (double)arrived, "CTAs");
	add(context, "ctas_restarted", (double)restarts, "CTAs");
}

const struct hd_policy_hooks hd_hooks_shuffle = {
	.moves = true,
	.own_quota = true,
	.spare_warps = 64,
	.spare_ctas = 16,
	.settings = settings,
	.several_grids = true,
	.sm_bytes = sizeof(struct shuffle_sm),
	.cta_bytes = sizeof(struct shuffle_item),
	.warp_bytes = sizeof(struct shuffle_item),
	.configure = configure,
	.start = start,
	.allocation.quota = quota,
	.allocation.cta_launch = cta_launch,
	.allocation.cta_retire = cta_retire,
	.contexts.cta_kill = cta_kill,
	.contexts.cta_arrive = cta_arrive,
	.allocation.warp_done = warp_done,
	.alarm = on_alarm,
	.grid_end = grid_end,
	.observation.report = report,
	.observation.reported = reported,
};
