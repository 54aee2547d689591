/*
 * The memory system: ties crossbars, L2 slices and DRAM channels together and visits, in each cycle with work, those
 * that have some. The order within a cycle is fixed (channels, requests' crossbar, slices, replies' crossbar) and shows
 * nowhere, because what one unit hands to another is seen a cycle later, except that a DRAM command that frees a place
 * in its queue lets a slice use it in the same cycle.
 *
 * Needs a configuration that hd_config_check accepts, with equal lines in L1 and L2. Cost: a few loads in a cycle
 * without work; else the units with work, found through agendas.
 */
#include <string.h>

#include "heddle/config.h"
#include "runtime/memory/l2_lines.h"
#include "runtime/memory/reserved.h"
#include "runtime/memory/system.h"

enum { WORTH_FETCHING = 8 }; /* slices */
#define LARGE_L2 (UINT64_C(16) << 20) /* bytes: its tags have 30 for each line of 128, more than a host core's cache */

/* ---- construction */

struct hd_flits hd_flits_of(const struct hd_config *config)
{
	uint32_t size = (uint32_t)config->icnt_flit;
	return (struct hd_flits){config->icnt_header ? (uint32_t)config->icnt_header : size, size};
}

/* The largest packet must fit. */
static uint32_t queue_flits(uint64_t configured, const struct hd_config *config)
{
	uint32_t largest = hd_packet_flits((uint32_t)config->l1_line, hd_flits_of(config));
	return configured < largest ? largest : (uint32_t)configured;
}

static void init_crossbars(struct hd_memory *memory, const struct hd_config *config, struct hd_arena *arena)
{
	struct hd_crossbar_shape shape = {.name = "up", .inputs = memory->sm_count, .outputs = memory->slice_count};
	shape.fetches = memory->large;
	shape.by_slice = shape.senders_apart = true;
	shape.latency = (uint32_t)config->icnt_latency;
	shape.in_flits = queue_flits(config->icnt_input_queue, config);
	shape.out_flits = queue_flits(config->icnt_output_queue, config);
	shape.by_output = config->icnt_inputs == HD_ICNT_INPUTS_BY_OUTPUT && config->memory != HD_MEMORY_RESERVED;
	shape.clock = hd_clock_of(config->core_mhz, config->icnt_mhz);
	shape.flits = &memory->counters->icnt_flits_up;
	hd_crossbar_init(&memory->up, &shape, arena);
	shape.name = "down";
	shape.inputs = memory->slice_count;
	shape.outputs = memory->sm_count;
	shape.by_slice = shape.senders_apart = false;
	shape.receivers_apart = true;
	shape.flits = &memory->counters->icnt_flits_down;
	hd_crossbar_init(&memory->down, &shape, arena);
}

struct hd_memory *hd_memory_new(const struct hd_config *config, struct hd_arena *arena)
{
	struct hd_memory *memory = HD_ARENA_NEW(arena, struct hd_memory, 1);
	assert(config->l1_line == config->l2_line);
	hd_address_map_init(&memory->map, config);
	memory->line_bytes = (uint32_t)config->l2_line;
	memory->sm_count = (uint32_t)config->sm_count;
	memory->slice_count = (uint32_t)config->l2_slices;
	memory->channel_count = (uint32_t)config->dram_channels;
	memory->large = config->l2_slices * config->l2_slice_bytes >= LARGE_L2;
	init_crossbars(memory, config, arena);
	memory->slices = HD_ARENA_NEW(arena, struct hd_l2_slice, memory->slice_count);
	memory->slice_next = HD_ARENA_NEW(arena, uint64_t, memory->slice_count);
	memory->visited = HD_ARENA_NEW(arena, uint16_t, memory->slice_count);
	memory->worked = HD_ARENA_NEW(arena, uint64_t, (memory->slice_count + 63) / 64);
	hd_agenda_init(&memory->slice_agenda, memory->slice_count, arena);
	/* All lines of transfers that may be under way: they must not hold others in the crossbar. */
	hd_packet_pool_init(&memory->low, (uint32_t)(config->transfer_lines * config->sm_count), arena);
	for (uint32_t i = 0; i < memory->slice_count; i++) {
		hd_l2_init(&memory->slices[i], i, config, &memory->map, &memory->low, memory->counters, arena);
		memory->slices[i].launches = memory->launches;
		memory->slice_next[i] = HD_NEVER;
	}
	memory->channels = HD_ARENA_NEW(arena, struct hd_dram, memory->channel_count);
	hd_agenda_init(&memory->channel_agenda, memory->channel_count, arena);
	for (uint32_t i = 0; i < memory->channel_count; i++)
		hd_dram_init(&memory->channels[i], config, &memory->map, memory->counters, arena);
	memory->next = HD_NEVER;
	if (config->memory == HD_MEMORY_RESERVED)
		memory->reserved = hd_reserved_new(memory, config, arena);
	return memory;
}

/* ---- a cycle */

static void wake_slice(struct hd_memory *memory, uint64_t now, uint32_t slice, uint64_t cycle)
{
	if (cycle >= memory->slice_next[slice])
		return;
	memory->slice_next[slice] = cycle;
	hd_agenda_add(&memory->slice_agenda, now, slice, cycle);
}

static void channel_cycle(struct hd_memory *memory, uint32_t index, uint64_t now)
{
	struct hd_dram *dram = &memory->channels[index];
	struct hd_dram_fill fill;
	hd_dram_tick(dram, now);
	while (hd_dram_fill(dram, &fill)) {
		hd_l2_fill(&memory->slices[fill.slice], &fill);
		wake_slice(memory, now, fill.slice, fill.ready);
	}
	if (!dram->freed)
		return;
	dram->freed = false;
	if (!dram->awaited)
		return;
	dram->awaited = false;
	uint32_t first = index * memory->map.slices_per_channel;
	for (uint32_t slice = first; slice < first + memory->map.slices_per_channel; slice++)
		if (memory->slices[slice].stalled || memory->slices[slice].low_stalled) {
			memory->slices[slice].stalled = memory->slices[slice].low_stalled = false;
			wake_slice(memory, now, slice, now);
		}
}

static void channels_cycle(struct hd_memory *memory, uint64_t now)
{
	if (!hd_agenda_has(&memory->channel_agenda, now))
		return;
	for (uint32_t word = 0; word < memory->channel_agenda.words; word++)
		for (uint64_t left = hd_agenda_take(&memory->channel_agenda, now, word); left; left &= left - 1) {
			uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(left);
			if (memory->channels[index].next <= now)
				channel_cycle(memory, index, now);
			if (memory->channels[index].next != HD_NEVER)
				hd_agenda_add(&memory->channel_agenda, now, index, memory->channels[index].next);
		}
}

/* Requests arrive at slices. */
static void up_cycle(struct hd_memory *memory, uint64_t now)
{
	struct hd_crossbar *up = &memory->up;
	if (up->next > now)
		return;
	hd_crossbar_tick(up, now);
	for (uint32_t word = 0; word < up->out_words; word++) {
		for (uint64_t left = up->arrived[word]; left; left &= left - 1) {
			uint32_t slice = word * 64 + (uint32_t)__builtin_ctzll(left);
			if (!memory->large)
				hd_l2_prefetch(&memory->slices[slice], up);
			wake_slice(memory, now, slice, hd_crossbar_front(up, slice, now)->ready);
		}
		up->arrived[word] = 0;
	}
}

static void slice_cycle(struct hd_memory *memory, uint32_t index, uint64_t now)
{
	uint32_t channel = memory->slices[index].channel;
	struct hd_dram *dram = &memory->channels[channel];
	uint64_t before = dram->next;
	memory->worked[index / 64] |= UINT64_C(1) << index % 64;
	memory->slice_next[index] = hd_l2_tick(&memory->slices[index], now, &memory->up, &memory->down, dram);
	if (dram->next < before)
		hd_agenda_add(&memory->channel_agenda, now, channel, dram->next);
}

/* Between two visits of a slice the others and the SMs turn the host's caches over. What the slices of a cycle look at
 * first is fetched for all of them together, what each step finds in the next one, so that they wait for none alone. */
static void fetch_slices(const struct hd_memory *memory, const uint16_t *slices, uint32_t count, uint64_t now)
{
	for (uint32_t i = 0; i < count; i++)
		hd_l2_fetch_queues(&memory->slices[slices[i]], &memory->up);
	for (uint32_t i = 0; i < count; i++)
		hd_l2_fetch_set(&memory->slices[slices[i]], &memory->up, now);
	for (uint32_t i = 0; i < count; i++)
		hd_l2_fetch_tag(&memory->slices[slices[i]], &memory->up, now);
}

static void visit_slice(struct hd_memory *memory, uint32_t index, uint64_t now)
{
	if (memory->slice_next[index] <= now)
		slice_cycle(memory, index, now);
	if (memory->slice_next[index] != HD_NEVER)
		hd_agenda_add(&memory->slice_agenda, now, index, memory->slice_next[index]);
}

static void fetch_and_visit(struct hd_memory *memory, uint64_t now)
{
	uint16_t *slices = memory->visited;
	uint32_t count = 0;
	for (uint32_t word = 0; word < memory->slice_agenda.words; word++)
		for (uint64_t left = hd_agenda_take(&memory->slice_agenda, now, word); left; left &= left - 1)
			slices[count++] = (uint16_t)(word * 64 + (uint32_t)__builtin_ctzll(left));
	if (count >= WORTH_FETCHING)
		fetch_slices(memory, slices, count, now);
	for (uint32_t i = 0; i < count; i++)
		visit_slice(memory, slices[i], now);
}

static void slices_cycle(struct hd_memory *memory, uint64_t now)
{
	if (!hd_agenda_has(&memory->slice_agenda, now))
		return;
	if (memory->large) {
		fetch_and_visit(memory, now);
		return;
	}
	for (uint32_t word = 0; word < memory->slice_agenda.words; word++)
		for (uint64_t left = hd_agenda_take(&memory->slice_agenda, now, word); left; left &= left - 1)
			visit_slice(memory, word * 64 + (uint32_t)__builtin_ctzll(left), now);
}

/* Slices that found no room will have some. */
static void down_cycle(struct hd_memory *memory, uint64_t now)
{
	struct hd_crossbar *down = &memory->down;
	if (down->next > now)
		return;
	hd_crossbar_tick(down, now);
	for (uint32_t word = 0; word < down->in_words; word++)
		for (uint64_t left = hd_crossbar_freed(down, word); left; left &= left - 1) {
			uint32_t slice = word * 64 + (uint32_t)__builtin_ctzll(left);
			wake_slice(memory, now, slice, hd_crossbar_room_at(down, slice));
		}
}

static void step(struct hd_memory *memory, uint64_t now)
{
	memory->last = now;
	if (memory->reserved) {
		hd_reserved_step(memory, now);
		return;
	}
	channels_cycle(memory, now);
	up_cycle(memory, now);
	slices_cycle(memory, now);
	down_cycle(memory, now);
	memory->next =
		hd_earlier(hd_agenda_next(&memory->slice_agenda, now), hd_agenda_next(&memory->channel_agenda, now));
	memory->next = hd_earlier(memory->next, hd_earlier(memory->up.next, memory->down.next));
}

uint64_t hd_memory_take(struct hd_memory *memory)
{
	hd_crossbar_take(&memory->up);
	hd_crossbar_take(&memory->down);
	memory->next = hd_earlier(memory->next, hd_earlier(memory->up.next, memory->down.next));
	return memory->next;
}

uint64_t hd_memory_take_one(struct hd_memory *memory, uint32_t sm)
{
	hd_crossbar_take_input(&memory->up, sm);
	hd_crossbar_take_output(&memory->down, sm);
	memory->next = hd_earlier(memory->next, hd_earlier(memory->up.next, memory->down.next));
	return memory->next;
}

void hd_memory_advance(struct hd_memory *memory, uint64_t now)
{
	while (memory->next <= now)
		step(memory, memory->next);
}

uint64_t hd_memory_give(struct hd_memory *memory, uint64_t *woken)
{
	struct hd_crossbar *up = &memory->up, *down = &memory->down;
	hd_crossbar_give(up);
	hd_crossbar_give(down);
	for (uint32_t word = 0; word < up->in_words; word++) {
		woken[word] |= hd_crossbar_freed(up, word) | down->arrived[word];
		down->arrived[word] = 0;
	}
	return memory->next;
}

uint64_t hd_memory_tick(struct hd_memory *memory, uint64_t now, uint64_t *woken)
{
	hd_memory_take(memory);
	hd_memory_advance(memory, now);
	return hd_memory_give(memory, woken);
}

/* ---- state */

void hd_memory_forget(struct hd_memory *memory)
{
	for (uint32_t i = 0; i < memory->slice_count; i++)
		hd_l2_forget(&memory->slices[i]);
}

/* Of a copy that is larger than L2 the last lines stay, so that those before need no look. */
void hd_memory_copied(struct hd_memory *memory, uint64_t address, uint64_t bytes)
{
	uint8_t sectors = (uint8_t)((1u << memory->line_bytes / memory->slices[0].sector_bytes) - 1);
	uint64_t line = memory->line_bytes, first = address / line, end = (address + bytes + line - 1) / line;
	uint64_t most =
		4 * memory->slice_count * (uint64_t)memory->slices[0].tags.set_count * memory->slices[0].tags.ways;
	if (end - first > most)
		first = end - most;
	for (; bytes && first < end; first++)
		hd_l2_keep(&memory->slices[hd_address_slice(&memory->map, first)],
			   hd_address_in_slice(&memory->map, first), sectors);
}

static void touch_line(struct hd_memory *memory, uint64_t line, uint8_t sectors, bool written)
{
	struct hd_l2_slice *slice = &memory->slices[hd_address_slice(&memory->map, line)];
	(written ? hd_l2_keep_dirty : hd_l2_keep)(slice, hd_address_in_slice(&memory->map, line), sectors);
}

void hd_memory_touch(struct hd_memory *memory, const uint64_t *address, uint32_t lanes, bool written)
{
	uint64_t line_bytes = memory->line_bytes, sector_bytes = memory->slices[0].sector_bytes, line = HD_NEVER;
	uint8_t sectors = 0;
	for (; lanes; lanes &= lanes - 1) {
		uint64_t at = address[__builtin_ctz(lanes)];
		if (at / line_bytes != line && sectors) {
			touch_line(memory, line, sectors, written);
			sectors = 0;
		}
		line = at / line_bytes;
		sectors |= (uint8_t)(1u << at % line_bytes / sector_bytes);
	}
	if (sectors)
		touch_line(memory, line, sectors, written);
}

bool hd_memory_idle(struct hd_memory *memory)
{
	if (memory->next != HD_NEVER || !hd_crossbar_idle(&memory->up) || !hd_crossbar_idle(&memory->down))
		return false;
	for (uint32_t word = 0; word < (memory->slice_count + 63) / 64; word++) {
		for (uint64_t left = memory->worked[word]; left; left &= left - 1) {
			const struct hd_l2_slice *slice = &memory->slices[word * 64 + (uint32_t)__builtin_ctzll(left)];
			if (!hd_l2_idle(slice) || !hd_dram_idle(&memory->channels[slice->channel]))
				return false;
		}
		memory->worked[word] = 0;
	}
	return true;
}

/* A packet takes at least a traversal less the cycle of its grant, and room comes back in a whole one. */
uint64_t hd_memory_lead(const struct hd_memory *memory)
{
	const struct hd_clock *clock = &memory->up.clock;
	uint64_t most = HD_CROSSBAR_AHEAD * clock->core / clock->domain;
	uint64_t lead = 1 + (memory->up.latency - 1) * clock->core / clock->domain;
	lead = hd_earlier(lead, hd_earlier(most, HD_CROSSBAR_AHEAD));
	return lead ? lead : 1;
}

uint64_t hd_memory_last(const struct hd_memory *memory)
{
	return memory->last;
}

void hd_memory_begin_grid(struct hd_memory *memory, uint32_t grid)
{
	memory->launches[grid]++;
	for (uint32_t i = 0; i < memory->channel_count; i++)
		if (memory->reserved || memory->channels[i].pending[HD_DRAM_WRITE])
			hd_dram_disown(&memory->channels[i], grid);
}

const struct hd_counters *hd_memory_counters(const struct hd_memory *memory, uint32_t grid)
{
	return &memory->counters[grid];
}

void hd_memory_dump(const struct hd_memory *memory, FILE *out)
{
	fprintf(out, "memory: next cycle with work %lld\n", (long long)memory->next);
	hd_crossbar_dump(&memory->up, out);
	if (memory->reserved)
		hd_reserved_dump(memory, out);
	for (uint32_t i = 0; !memory->reserved && i < memory->slice_count; i++)
		hd_l2_dump(&memory->slices[i], out);
	for (uint32_t i = 0; !memory->reserved && i < memory->channel_count; i++)
		hd_dram_dump(&memory->channels[i], i, out);
	hd_crossbar_dump(&memory->down, out);
}
