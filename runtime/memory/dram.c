/*
 * DRAM channel. In each clock at most one column command and one row command (row and column commands have a bus each,
 * as in HBM; with bursts of several clocks it makes no difference). First ready, first come: of the column commands
 * that can issue the oldest request's, and rows are opened for the oldest request of a bank without a request for its
 * open row. Reads go first; writes wait in a queue of their own, which is drained from 7/8 to 1/2 full, or when there
 * are no reads (the marks of the public configurations). Without dram_write_early they stay until the upper mark, and
 * go to the lower one while reads wait: as the public simulator's queue of writes, and as NVIDIA's patents have dirty
 * lines written in groups, when counts of them reach thresholds (US 8,060,700 and 8,949,541). With dram_writes = mixed
 * they wait among the reads, and those of a bank go in their order but for hits of its open row, so that the bus turns
 * round whenever a bank comes to one of the other kind: GPGPU-Sim 3.2.2's controller, of the machines in
 * gpu-multiprogramming-lin 3.3.1 and 4.3.1.
 *
 * Refreshes are due at the multiples of t_refi, of all banks or (dram_refresh = bank) of one after the other in that
 * time. The next one that is due goes before any command: its banks close their rows as soon as these may be, and are
 * busy for t_rfc. None is put off, as the standards would allow, and a channel's are at the same time as the others'.
 *
 * Timings are the configured ones. Data of a write may follow data of a read after two idle clocks (bus turnaround, as
 * public simulators have it).
 *
 * Needs an address map and a clock. Cost: nothing in clocks without commands: for each of the three commands a bound is
 * kept before which no bank can have it, and with the buses' times these give the next clock to look at. Refreshes of
 * idle clocks are made up for with the next command, at most one for each bank. A command costs a step for each bank
 * that needs the same one; an activation also a walk over the bank's requests.
 */
#include "runtime/memory/dram.h"

#include <string.h>

#include "heddle/config.h"
#include "runtime/memory/dram_reserved.h"

/* A request of low priority passes for so many requests younger. */
#define LATER (UINT32_C(1) << 30)

enum { TURNAROUND = 2, STARVED = 4096 /* clocks: a request older than this closes a row that others still hit */ };

static void init_timing(struct hd_dram_timing *t, const struct hd_config *config)
{
	*t = (struct hd_dram_timing){.ccd = (uint32_t)config->t_ccd, .ccdl = (uint32_t)config->t_ccdl};
	t->rrd = (uint32_t)config->t_rrd;
	t->rcd = (uint32_t)config->t_rcd;
	t->ras = (uint32_t)config->t_ras;
	t->rp = (uint32_t)config->t_rp;
	t->rc = (uint32_t)config->t_rc;
	t->cl = (uint32_t)config->t_cl;
	t->wl = (uint32_t)config->t_wl;
	t->cdlr = (uint32_t)config->t_cdlr;
	t->wr = (uint32_t)config->t_wr;
	t->rtpl = (uint32_t)config->t_rtpl;
	t->faw = (uint32_t)config->t_faw;
	t->rfc = (uint32_t)config->t_rfc;
	t->burst = (uint32_t)((config->dram_burst + config->dram_ratio - 1) / config->dram_ratio);
}

static void init_banks(struct hd_dram *dram, uint32_t count)
{
	uint32_t per_group = dram->map->row_first ? count / dram->groups : 1;
	assert(count <= HD_DRAM_MAX_BANKS && dram->groups <= HD_DRAM_MAX_GROUPS);
	dram->bank_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct hd_dram_bank *bank = &dram->banks[i];
		bank->row = HD_NONE;
		bank->group = (uint8_t)(i / per_group % dram->groups);
		for (uint32_t mode = 0; mode < HD_DRAM_MODES; mode++)
			bank->first[mode] = bank->last[mode] = bank->hit[mode] = HD_NONE;
	}
}

static void init_refresh(struct hd_dram *dram, const struct hd_config *config)
{
	dram->refresh_sets = config->dram_refresh == HD_DRAM_REFRESH_BANK ? (uint32_t)config->dram_banks : 1;
	dram->refresh_interval = hd_later(1, (uint64_t)config->t_refi / dram->refresh_sets);
	dram->refresh_at = config->t_refi ? dram->refresh_interval : HD_NEVER;
}

void hd_dram_init(struct hd_dram *dram, const struct hd_config *config, const struct hd_address_map *map,
		  struct hd_counters *counters, struct hd_arena *arena)
{
	memset(dram, 0, sizeof(*dram));
	dram->clock = hd_clock_of(config->core_mhz, config->dram_mhz);
	dram->map = map;
	dram->counters = counters;
	init_timing(&dram->t, config);
	dram->groups = (uint32_t)config->dram_groups;
	init_banks(dram, (uint32_t)config->dram_banks);
	init_refresh(dram, config);
	dram->burst_bytes = (uint32_t)(config->dram_bus * config->dram_burst);
	dram->sector_bytes = (uint32_t)config->sector;
	dram->fixed_latency = (uint32_t)config->dram_latency;
	dram->mixed = config->dram_writes == HD_DRAM_WRITES_MIXED;
	dram->early = config->dram_write_early;
	uint32_t reads = (uint32_t)config->dram_queue, writes = reads < 4 ? 2 : reads / 2;
	if (config->dram_write_queue)
		writes = config->dram_write_queue < 2 ? 2 : (uint32_t)config->dram_write_queue;
	if (dram->mixed && reads < 2)
		reads = 2;
	dram->limit[HD_DRAM_READ] = reads;
	dram->limit[HD_DRAM_WRITE] = writes;
	dram->drain_high = writes - writes / 8;
	dram->drain_low = writes / 2;
	dram->requests = HD_ARENA_NEW(arena, struct hd_dram_request, reads + writes);
	for (uint32_t i = 0; i < reads + writes; i++)
		dram->requests[i].next = i + 1 < reads + writes ? i + 1 : HD_NONE;
	/* The owner takes fills after each tick; one tick finishes at most the queue. */
	uint32_t fills = hd_power_above(reads + 1);
	dram->fills = HD_ARENA_NEW(arena, struct hd_dram_fill, fills);
	dram->fill_mask = fills - 1;
	dram->next = dram->due = dram->passed = HD_NEVER;
	for (uint32_t i = 0; i < HD_DRAM_COMMANDS; i++)
		dram->possible[i] = HD_NEVER;
	if (config->memory == HD_MEMORY_RESERVED)
		dram->reserved = hd_dram_reserved_new(dram, arena);
}

/* ---- queues */

/* Whether the bank's oldest request has waited so long for a row that newer ones keep hitting that they must wait. */
static bool starved(const struct hd_dram *dram, const struct hd_dram_bank *bank, enum hd_dram_mode mode)
{
	const struct hd_dram_request *oldest = &dram->requests[bank->first[mode]];
	return oldest->row != bank->row && oldest->arrival + STARVED < dram->cycle;
}

static void find_hit(struct hd_dram *dram, uint32_t bank_index, enum hd_dram_mode mode, uint32_t from)
{
	struct hd_dram_bank *bank = &dram->banks[bank_index];
	uint32_t index = bank->row == HD_NONE ? HD_NONE : from;
	while (index != HD_NONE && dram->requests[index].row != bank->row)
		index = dram->requests[index].next;
	if (index != HD_NONE && starved(dram, bank, mode))
		index = HD_NONE;
	/* Nor are rows kept open for low ones while others wait. */
	if (index != HD_NONE && dram->requests[index].low && !dram->requests[bank->first[mode]].low)
		index = HD_NONE;
	bank->hit[mode] = index;
	if (index != HD_NONE)
		dram->hit_sequence[mode][bank_index] = dram->requests[index].sequence;
	uint64_t bit = UINT64_C(1) << bank_index;
	dram->hits[mode] = index == HD_NONE ? dram->hits[mode] & ~bit : dram->hits[mode] | bit;
}

/* In the order of arrival, low ones behind the others. */
static void append(struct hd_dram *dram, enum hd_dram_mode mode, uint32_t index)
{
	struct hd_dram_request *request = &dram->requests[index];
	struct hd_dram_bank *bank = &dram->banks[request->bank];
	uint32_t before = bank->last[mode], behind = HD_NONE;
	for (; before != HD_NONE && dram->requests[before].low && !request->low; before = dram->requests[before].prev)
		behind = before;
	request->prev = before;
	request->next = behind;
	*(before == HD_NONE ? &bank->first[mode] : &dram->requests[before].next) = index;
	if (before == HD_NONE)
		dram->first_sequence[mode][request->bank] = request->sequence;
	*(behind == HD_NONE ? &bank->last[mode] : &dram->requests[behind].prev) = index;
	dram->pending[mode] |= UINT64_C(1) << request->bank;
	if (behind != HD_NONE)
		find_hit(dram, request->bank, mode, bank->first[mode]);
	else if (bank->hit[mode] == HD_NONE && request->row == bank->row)
		find_hit(dram, request->bank, mode, index);
}

static void remove_request(struct hd_dram *dram, enum hd_dram_mode mode, uint32_t index)
{
	struct hd_dram_request *request = &dram->requests[index];
	struct hd_dram_bank *bank = &dram->banks[request->bank];
	uint32_t after = request->next;
	if (request->prev != HD_NONE)
		dram->requests[request->prev].next = after;
	else if ((bank->first[mode] = after) != HD_NONE)
		dram->first_sequence[mode][request->bank] = dram->requests[after].sequence;
	if (after == HD_NONE)
		bank->last[mode] = request->prev;
	else
		dram->requests[after].prev = request->prev;
	if (bank->first[mode] == HD_NONE)
		dram->pending[mode] &= ~(UINT64_C(1) << request->bank);
	find_hit(dram, request->bank, mode, after);
	request->next = dram->free_request;
	dram->free_request = index;
	dram->count[mode]--;
	dram->freed = true;
}

/* ---- when to look at the queues */

/* Banks whose next command is for a row. */
static uint64_t row_banks(const struct hd_dram *dram)
{
	return dram->pending[dram->mode] & ~dram->hits[dram->mode];
}

/* When the bus takes the next column command. */
static uint64_t bus_ready(const struct hd_dram *dram)
{
	return dram->mixed ? hd_earlier(dram->bus_ready[HD_DRAM_READ], dram->bus_ready[HD_DRAM_WRITE])
			   : dram->bus_ready[dram->mode];
}

static uint64_t column_ready(const struct hd_dram *dram, uint32_t bank)
{
	return hd_later(dram->ready[HD_DRAM_COLUMN][bank], dram->group_ready[dram->banks[bank].group]);
}

/* The bank's next command may be another one, or its first. */
static void expect(struct hd_dram *dram, uint32_t bank)
{
	uint64_t bit = UINT64_C(1) << bank;
	enum hd_dram_command command = dram->open & bit ? HD_DRAM_PRECHARGE : HD_DRAM_ACTIVATE;
	if (!(dram->pending[dram->mode] & bit))
		return;
	if (dram->hits[dram->mode] & bit)
		command = HD_DRAM_COLUMN;
	uint64_t ready = command == HD_DRAM_COLUMN ? column_ready(dram, bank) : dram->ready[command][bank];
	dram->possible[command] = hd_earlier(dram->possible[command], ready);
}

/* Another queue is served, or banks have been refreshed. */
static void expect_any(struct hd_dram *dram)
{
	memset(dram->possible, 0, sizeof(dram->possible));
}

/* The first clock, `from` or later, in which a command may be possible. */
static uint64_t next_command(const struct hd_dram *dram, uint64_t from)
{
	uint64_t rows = row_banks(dram), when = HD_NEVER;
	if (dram->hits[dram->mode])
		when = hd_later(dram->possible[HD_DRAM_COLUMN], bus_ready(dram));
	if (rows & dram->open)
		when = hd_earlier(when, dram->possible[HD_DRAM_PRECHARGE]);
	if (rows & ~dram->open)
		when = hd_earlier(when, hd_later(dram->possible[HD_DRAM_ACTIVATE], dram->rrd_ready));
	return hd_later(when, from);
}

/* The queue to serve next. */
static enum hd_dram_mode next_mode(const struct hd_dram *dram)
{
	uint32_t reads = dram->count[HD_DRAM_READ], writes = dram->count[HD_DRAM_WRITE];
	if (dram->mode == HD_DRAM_READ)
		return writes && ((!reads && dram->early) || writes >= dram->drain_high) ? HD_DRAM_WRITE : HD_DRAM_READ;
	/* Never with all in one queue. */
	return !writes || ((reads || !dram->early) && writes <= dram->drain_low) ? HD_DRAM_READ : HD_DRAM_WRITE;
}

/* The queues have changed, which calls for a look at them in clock `look`. Where it would find nothing to do before a
 * later clock it is left out; the last one before there is nothing at all is not: it ends the channel's work. */
static inline __attribute__((always_inline)) void plan(struct hd_dram *dram, uint64_t look)
{
	uint64_t when = next_command(dram, look);
	bool needed = when == HD_NEVER || next_mode(dram) != dram->mode;
	dram->due = needed ? look : when;
	dram->passed = dram->due > look ? look : HD_NEVER;
}

/* ---- requests come */

static void push(struct hd_dram *dram, uint64_t now, enum hd_dram_mode kind, uint32_t slice, uint64_t in_slice,
		 uint8_t sectors, uint32_t tag, uint8_t grid, bool low)
{
	if (__builtin_expect(dram->reserved != NULL, 0)) {
		assert(kind == HD_DRAM_WRITE); /* who reads wants the cycle: hd_dram_reserved_read */
		hd_dram_reserved_write(dram, now, slice, in_slice, sectors, grid);
		return;
	}
	enum hd_dram_mode mode = dram->mixed ? HD_DRAM_READ : kind;
	assert(dram->count[mode] < dram->limit[mode] && sectors);
	uint32_t index = dram->free_request;
	struct hd_dram_request *request = &dram->requests[index];
	struct hd_dram_place place = hd_address_dram(dram->map, slice, in_slice);
	uint32_t bytes = hd_sector_count(sectors) * dram->sector_bytes;
	dram->free_request = request->next;
	*request =
		(struct hd_dram_request){.arrival = hd_clock_at(&dram->clock, now) + 1, .row = place.row, .tag = tag};
	if (dram->passed < request->arrival)
		dram->cycle = dram->passed;
	request->sequence = dram->sequence++ + (low ? LATER : 0);
	request->low = low;
	request->kind = (uint8_t)kind;
	request->slice = (uint16_t)slice;
	request->bank = (uint8_t)place.bank;
	request->sectors = sectors;
	request->grid = grid;
	request->bursts = (uint8_t)((bytes + dram->burst_bytes - 1) / dram->burst_bytes);
	dram->count[mode]++;
	append(dram, mode, index);
	if (mode == dram->mode)
		expect(dram, place.bank);
	if (dram->due < request->arrival)
		return; /* that look comes first */
	plan(dram, request->arrival);
	dram->next = hd_clock_edge(&dram->clock, dram->due);
}

void hd_dram_push(struct hd_dram *dram, uint64_t now, enum hd_dram_mode mode, uint32_t slice, uint64_t in_slice,
		  uint8_t sectors, uint32_t tag, uint8_t grid)
{
	push(dram, now, mode, slice, in_slice, sectors, tag, grid, false);
}

void hd_dram_push_low(struct hd_dram *dram, uint64_t now, enum hd_dram_mode mode, uint32_t slice, uint64_t in_slice,
		      uint8_t sectors, uint32_t tag, uint8_t grid)
{
	push(dram, now, mode, slice, in_slice, sectors, tag, grid, true);
}

/* ---- commands */

static void send_fill(struct hd_dram *dram, const struct hd_dram_request *request, uint64_t done)
{
	struct hd_dram_fill *fill = &dram->fills[dram->fill_tail++ & dram->fill_mask];
	fill->ready = hd_clock_edge(&dram->clock, done) + dram->fixed_latency;
	fill->tag = request->tag;
	fill->slice = request->slice;
	fill->sectors = request->sectors;
}

static void finish(struct hd_dram *dram, uint32_t index, uint64_t data_end)
{
	const struct hd_dram_request *request = &dram->requests[index];
	struct hd_dram_bank *bank = &dram->banks[request->bank];
	struct hd_counters *counters = &dram->counters[request->grid];
	uint32_t sectors = hd_sector_count(request->sectors);
	if (request->kind == HD_DRAM_READ) {
		counters->dram_reads += sectors;
		send_fill(dram, request, data_end);
	} else {
		counters->dram_writes += sectors;
	}
	/* The first sector after an activation is the one that the row was opened for. */
	counters->dram_row_hits += sectors - bank->fresh;
	bank->fresh = false;
	remove_request(dram, dram->mode, index);
}

static void issue_column(struct hd_dram *dram, uint32_t bank_index, uint64_t cycle)
{
	const struct hd_dram_timing *t = &dram->t;
	struct hd_dram_bank *bank = &dram->banks[bank_index];
	uint32_t index = bank->hit[dram->mode];
	struct hd_dram_request *request = &dram->requests[index];
	bool read = request->kind == HD_DRAM_READ;
	uint64_t end = cycle + (read ? t->cl : t->wl) + t->burst;
	dram->group_ready[bank->group] = cycle + t->ccdl;
	uint64_t any = cycle + t->ccd, reads = any, writes = any;
	if (read)
		writes = hd_later(any, end + TURNAROUND > t->wl ? end + TURNAROUND - t->wl : 0);
	else
		reads = hd_later(any, end + t->cdlr);
	/* Data of consecutive bursts may not overlap on the bus. */
	dram->bus_ready[HD_DRAM_READ] = hd_later(reads, end > t->cl ? end - t->cl : 0);
	dram->bus_ready[HD_DRAM_WRITE] = hd_later(writes, end > t->wl ? end - t->wl : 0);
	uint64_t *precharge = &dram->ready[HD_DRAM_PRECHARGE][bank_index];
	*precharge = hd_later(*precharge, read ? cycle + t->rtpl : end + t->wr);
	if (!--request->bursts)
		finish(dram, index, end);
	expect(dram, bank_index);
}

/* Banks that may have a command in a clock: the one whose request is the oldest, HD_NONE; the others' first clock. */
struct choice {
	const uint32_t *sequence;
	uint32_t bank;
	uint64_t others;
};

static inline void consider(struct choice *choice, uint32_t bank, uint64_t ready, uint64_t cycle)
{
	if (ready > cycle) {
		choice->others = hd_earlier(choice->others, ready);
		return;
	}
	if (choice->bank != HD_NONE)
		choice->others = cycle + 1;
	if (choice->bank == HD_NONE || (int32_t)(choice->sequence[bank] - choice->sequence[choice->bank]) < 0)
		choice->bank = bank;
}

/* The oldest request that hits its open row and can issue in `cycle`. */
static uint32_t choose_column(struct hd_dram *dram, uint64_t cycle)
{
	struct choice choice = {dram->hit_sequence[dram->mode], HD_NONE, HD_NEVER};
	if (dram->possible[HD_DRAM_COLUMN] > cycle || bus_ready(dram) > cycle)
		return HD_NONE;
	for (uint64_t left = dram->hits[dram->mode]; left; left &= left - 1) {
		uint32_t bank = (uint32_t)__builtin_ctzll(left);
		uint64_t ready = column_ready(dram, bank);
		if (dram->mixed)
			ready = hd_later(ready,
					 dram->bus_ready[dram->requests[dram->banks[bank].hit[dram->mode]].kind]);
		consider(&choice, bank, ready, cycle);
	}
	dram->possible[HD_DRAM_COLUMN] = choice.others;
	return choice.bank;
}

/* Of these banks that with the oldest request that can have the command for its row in `cycle`. */
static uint32_t choose_bank(struct hd_dram *dram, enum hd_dram_command command, uint64_t banks, uint64_t cycle)
{
	struct choice choice = {dram->first_sequence[dram->mode], HD_NONE, HD_NEVER};
	const uint64_t *ready = dram->ready[command];
	if (dram->possible[command] > cycle)
		return HD_NONE;
	for (; banks; banks &= banks - 1) {
		uint32_t bank = (uint32_t)__builtin_ctzll(banks);
		consider(&choice, bank, ready[bank], cycle);
	}
	dram->possible[command] = choice.others;
	return choice.bank;
}

/* The oldest request's bank that can be precharged or activated in `cycle`. */
static uint32_t choose_row(struct hd_dram *dram, uint64_t cycle)
{
	const uint32_t *sequence = dram->first_sequence[dram->mode];
	uint64_t banks = row_banks(dram);
	uint32_t precharge = choose_bank(dram, HD_DRAM_PRECHARGE, banks & dram->open, cycle), activate = HD_NONE;
	if (dram->rrd_ready <= cycle)
		activate = choose_bank(dram, HD_DRAM_ACTIVATE, banks & ~dram->open, cycle);
	if (activate == HD_NONE || precharge == HD_NONE)
		return activate == HD_NONE ? precharge : activate;
	bool first = (int32_t)(sequence[precharge] - sequence[activate]) < 0;
	dram->possible[first ? HD_DRAM_ACTIVATE : HD_DRAM_PRECHARGE] = cycle + 1;
	return first ? precharge : activate;
}

static void open_row(struct hd_dram *dram, uint32_t bank_index, uint32_t row)
{
	struct hd_dram_bank *bank = &dram->banks[bank_index];
	uint64_t bit = UINT64_C(1) << bank_index;
	bank->row = row;
	dram->open = row == HD_NONE ? dram->open & ~bit : dram->open | bit;
	for (uint32_t mode = 0; mode < HD_DRAM_MODES; mode++) {
		/* Requests of a closed row hit nothing, and where there are none there is none that hits. */
		if (row == HD_NONE) {
			bank->hit[mode] = HD_NONE;
			dram->hits[mode] &= ~bit;
		} else if (dram->pending[mode] & bit) {
			find_hit(dram, bank_index, (enum hd_dram_mode)mode, bank->first[mode]);
		}
	}
}

/* Precharge if a row is open, else activate for the oldest request. */
static void issue_row(struct hd_dram *dram, uint32_t bank_index, uint64_t cycle)
{
	const struct hd_dram_timing *t = &dram->t;
	struct hd_dram_bank *bank = &dram->banks[bank_index];
	const struct hd_dram_request *request = &dram->requests[bank->first[dram->mode]];
	uint64_t *activate = &dram->ready[HD_DRAM_ACTIVATE][bank_index];
	if (bank->row != HD_NONE) {
		*activate = hd_later(*activate, cycle + t->rp);
		open_row(dram, bank_index, HD_NONE);
	} else {
		dram->counters[request->grid].dram_activations++;
		*activate = cycle + t->rc;
		dram->ready[HD_DRAM_PRECHARGE][bank_index] = cycle + t->ras;
		dram->ready[HD_DRAM_COLUMN][bank_index] = cycle + t->rcd;
		bank->fresh = true;
		/* Of four activations in a row the last is the window's end after the first at the earliest. */
		dram->window[dram->activations++ % HD_DRAM_WINDOW] = cycle + t->faw;
		dram->rrd_ready = hd_later(cycle + t->rrd, dram->window[dram->activations % HD_DRAM_WINDOW]);
		open_row(dram, bank_index, request->row);
	}
	expect(dram, bank_index);
}

/* ---- refresh */

/* Closes the rows of banks `first` to `end` - 1 in clock `due`, or as soon as they may be, and keeps the banks busy. */
static void refresh(struct hd_dram *dram, uint32_t first, uint32_t end, uint64_t due)
{
	uint64_t from = due;
	for (uint32_t i = first; i < end; i++) {
		bool closed = dram->banks[i].row == HD_NONE;
		from = hd_later(from, closed ? dram->ready[HD_DRAM_ACTIVATE][i]
					     : hd_later(due, dram->ready[HD_DRAM_PRECHARGE][i]) + dram->t.rp);
	}
	for (uint32_t i = first; i < end; i++) {
		if (dram->banks[i].row != HD_NONE)
			open_row(dram, i, HD_NONE);
		dram->ready[HD_DRAM_ACTIVATE][i] = from + dram->t.rfc;
	}
}

/* The refreshes that were due until `cycle`; of those of the same banks the last says when they are ready again. */
static void catch_up(struct hd_dram *dram, uint64_t cycle)
{
	uint32_t banks = (uint32_t)dram->bank_count / dram->refresh_sets;
	uint64_t last = cycle / dram->refresh_interval, number = dram->refresh_at / dram->refresh_interval;
	if (last - number >= dram->refresh_sets)
		number = last - dram->refresh_sets + 1;
	for (; number <= last; number++) {
		uint32_t first = (uint32_t)(number % dram->refresh_sets) * banks;
		refresh(dram, first, first + banks, number * dram->refresh_interval);
	}
	dram->refresh_at = (last + 1) * dram->refresh_interval;
	expect_any(dram);
}

/* ---- clocks */

static void choose_mode(struct hd_dram *dram)
{
	enum hd_dram_mode mode = next_mode(dram);
	if (mode == dram->mode)
		return;
	dram->mode = (uint8_t)mode;
	expect_any(dram);
}

/* The commands of one clock; sets `due`. */
static void clock_cycle(struct hd_dram *dram, uint64_t cycle)
{
	if (cycle >= dram->refresh_at)
		catch_up(dram, cycle);
	choose_mode(dram);
	uint32_t row = row_banks(dram) ? choose_row(dram, cycle) : HD_NONE;
	uint32_t column = dram->hits[dram->mode] ? choose_column(dram, cycle) : HD_NONE;
	if (row != HD_NONE)
		issue_row(dram, row, cycle);
	if (column != HD_NONE)
		issue_column(dram, column, cycle);
	if (row == HD_NONE && column == HD_NONE)
		dram->due = next_command(dram, cycle + 1);
	else if (!dram->pending[HD_DRAM_READ] && !dram->pending[HD_DRAM_WRITE])
		dram->due = HD_NEVER;
	else
		plan(dram, row_banks(dram) || row != HD_NONE || !dram->hits[dram->mode]
				   ? cycle + 1
				   : hd_later(cycle + 1, bus_ready(dram)));
}

void hd_dram_tick(struct hd_dram *dram, uint64_t now)
{
	while (dram->next <= now) {
		dram->cycle = dram->due;
		dram->passed = HD_NEVER;
		clock_cycle(dram, dram->cycle);
		dram->next = dram->due == HD_NEVER ? HD_NEVER : hd_clock_edge(&dram->clock, dram->due);
	}
}

bool hd_dram_idle(const struct hd_dram *dram)
{
	bool rests = !dram->early && dram->mode == HD_DRAM_READ && dram->count[HD_DRAM_WRITE] < dram->drain_high;
	return !dram->count[HD_DRAM_READ] && (rests || !dram->count[HD_DRAM_WRITE]);
}

void hd_dram_disown(struct hd_dram *dram, uint32_t grid)
{
	if (dram->reserved)
		hd_dram_reserved_disown(dram, grid);
	for (uint64_t left = dram->pending[HD_DRAM_WRITE]; left; left &= left - 1) {
		uint32_t index = dram->banks[__builtin_ctzll(left)].first[HD_DRAM_WRITE];
		for (; index != HD_NONE; index = dram->requests[index].next)
			if (dram->requests[index].grid == grid)
				dram->requests[index].grid = HD_MEM_NOBODY;
	}
}

void hd_dram_dump(const struct hd_dram *dram, uint32_t channel, FILE *out)
{
	if (hd_dram_idle(dram))
		return;
	fprintf(out, "dram channel %u: clock %llu, next at core cycle %llu, %s, %u of %u reads, %u of %u writes\n",
		channel, (unsigned long long)dram->cycle, (unsigned long long)dram->next,
		dram->mode == HD_DRAM_READ ? "reading" : "draining writes", dram->count[HD_DRAM_READ],
		dram->limit[HD_DRAM_READ], dram->count[HD_DRAM_WRITE], dram->limit[HD_DRAM_WRITE]);
	for (uint64_t left = dram->pending[0] | dram->pending[1]; left; left &= left - 1) {
		uint32_t bank = (uint32_t)__builtin_ctzll(left), row = dram->banks[bank].row;
		fprintf(out, "  bank %u: row %d open, column from %llu, activate from %llu, precharge from %llu\n",
			bank, row == HD_NONE ? -1 : (int)row, (unsigned long long)dram->ready[HD_DRAM_COLUMN][bank],
			(unsigned long long)dram->ready[HD_DRAM_ACTIVATE][bank],
			(unsigned long long)dram->ready[HD_DRAM_PRECHARGE][bank]);
	}
}
