/*
 * What policies hear and say of packets between an SM and L2: which grid's goes next, and what was answered. With them
 * a design throttles grids, counts what each takes of the crossbars and the DRAM, and sees latencies (ccbp: Lin,
 * chapter 4).
 *
 * Cost: nothing without the hooks; else a call a packet.
 */
#include "runtime/sm/traffic.h"
#include "runtime/memory/packet.h"
#include "runtime/sm/loads.h"
#include "runtime/sm/sm.h"

static uint32_t choose(void *context, const struct hd_packet *const *heads, uint32_t count, uint64_t now)
{
	struct hd_sm *sm = context;
	HD_HOOKED (sm->gpu, self, memory.send)
		return self->hooks->memory.send(self, sm, heads, count, now);
	return 0;
}

static void tell_reply(void *context, const struct hd_packet *packet, uint64_t now)
{
	struct hd_sm *sm = context;
	struct hd_reply reply = {.packet = packet, .grid = sm->grids[packet->grid].grid};
	reply.latency = hd_packet_age(packet, now);
	reply.missed = packet->flags & HD_PACKET_MISSED;
	if (!reply.grid) /* nobody waited for it */
		return;
	HD_HOOKED (sm->gpu, self, memory.reply)
		self->hooks->memory.reply(self, sm, &reply, now);
}

void hd_traffic_watch(struct hd_sm *sm)
{
	struct hd_lsu_watch watch = {.context = sm};
	if (sm->hooks & HD_HOOK(load_miss) || sm->two_level.leaves_on_miss)
		watch.miss = hd_loads_missed;
	if (sm->hooks & HD_HOOK(send))
		watch.send = choose;
	if (sm->hooks & HD_HOOK(reply))
		watch.reply = tell_reply;
	hd_lsu_set_watch(sm->lsu, &watch);
}
