/*
 * A DRAM channel without a queue that is looked at in each clock: when a request comes, its row is opened and its
 * bursts get the first clocks in which its bank, its bank's group and the bus are free beside what is reserved.
 *
 * What first-ready, first-come scheduling does is kept as far as it does not change what is reserved: a request finds
 * the row that its bank has open at the end of what is reserved, or one of the rows before it that is not closed yet
 * when the request comes, and takes a gap on the bus that those before it have left. Activations keep t_rrd, and there
 * are at most four in each t_faw clocks, counted in pieces of that length. Writes wait as in dram.c; they are drained
 * row by row, and reads that come before a drain's last write have their row and bus behind it. While all banks are
 * refreshed there are no commands. Reads that were reserved before a drain began are not put off.
 *
 * Needs an address map and a clock. Cost: constant for a request, a few words of the bus's calendar included.
 */
#include "runtime/memory/dram_reserved.h"

#include "runtime/memory/slots.h"

enum {
	PAST = 4 /* rows of a bank before the last */,
	PIECES = 256,
	BACK = 512,
	AHEAD = 1024 /* clocks */,
	TURNAROUND = 2 /* as dram.c */
};

/* A row that a bank has open until clock `close`, from clock `column` on for column commands. */
struct open_row {
	uint64_t column, close;
	uint32_t row;
};

struct bank {
	uint64_t activate, precharge, column; /* first clocks for these commands */
	uint64_t refresh_at;		      /* clock of its next refresh, HD_NEVER */
	struct open_row past[PAST];	      /* a ring */
	uint32_t row;			      /* open, HD_NONE */
	uint8_t past_next;
	bool fresh; /* activated and not yet accessed */
};

/* Activations in a piece of time of t_faw clocks. */
struct piece {
	uint32_t number, count;
};

struct write {
	struct hd_dram_place place;
	uint8_t sectors, grid;
};

/* Core cycles in which requests leave a queue, in their order: a ring. */
struct queue {
	uint64_t *leaves;
	uint32_t mask, head, tail;
};

struct hd_dram_reserved {
	struct bank banks[HD_DRAM_MAX_BANKS];
	struct hd_slots bus, activations;
	struct hd_slots groups[HD_DRAM_MAX_GROUPS];
	struct piece pieces[PIECES];
	uint32_t spacing, near;	      /* clocks of a burst on the bus, and in its group */
	uint64_t refresh_seen;	      /* clock of the last refresh of all banks that the calendars know */
	uint64_t last[HD_DRAM_MODES]; /* clocks after the last column command of each kind */
	struct write *writes;	      /* that wait */
	uint32_t write_count;
	uint64_t drained; /* clock of the last write of a drain: reads come behind it; 0: there was none */
	struct queue queues[HD_DRAM_MODES];
};

/* ---- banks */

/* The number of the last refresh of a bank that is due in a clock or before it; 0: there was none. */
static uint64_t refresh_of(const struct hd_dram *dram, uint32_t bank, uint64_t clock)
{
	uint64_t number = clock / dram->refresh_interval, sets = dram->refresh_sets;
	uint64_t set = bank / (dram->bank_count / dram->refresh_sets), behind = (number + sets - set) % sets;
	return number >= behind ? number - behind : 0;
}

/* The first clock, from that of refresh `number` of its set on, in which one of a bank is due again. */
static uint64_t next_refresh(const struct hd_dram *dram, uint32_t bank, uint64_t number)
{
	uint64_t sets = dram->refresh_sets, set = bank / (dram->bank_count / dram->refresh_sets);
	uint64_t next = number ? number + sets : set ? set : sets;
	return next * dram->refresh_interval;
}

struct hd_dram_reserved *hd_dram_reserved_new(const struct hd_dram *dram, struct hd_arena *arena)
{
	struct hd_dram_reserved *reserved = HD_ARENA_NEW(arena, struct hd_dram_reserved, 1);
	for (uint32_t i = 0; i < dram->bank_count; i++) {
		reserved->banks[i].row = HD_NONE;
		reserved->banks[i].refresh_at = dram->refresh_at == HD_NEVER ? HD_NEVER : next_refresh(dram, i, 0);
	}
	reserved->spacing = dram->t.ccd > dram->t.burst ? dram->t.ccd : dram->t.burst;
	reserved->near = dram->t.ccdl > reserved->spacing ? dram->t.ccdl : reserved->spacing;
	reserved->writes = HD_ARENA_NEW(arena, struct write, dram->limit[HD_DRAM_WRITE] + 1);
	for (uint32_t i = 0; i < HD_DRAM_MODES; i++) {
		uint32_t slots = hd_power_above(dram->limit[i] + 1);
		reserved->queues[i] = (struct queue){HD_ARENA_NEW(arena, uint64_t, slots), slots - 1, 0, 0};
	}
	return reserved;
}

static void forget_rows(struct bank *bank)
{
	for (uint32_t i = 0; i < PAST; i++)
		bank->past[i].close = 0;
	bank->row = HD_NONE;
}

/* The last refresh that is due in a clock or before it, if there was one since. */
static void catch_up(const struct hd_dram *dram, uint32_t index, uint64_t clock)
{
	struct bank *bank = &dram->reserved->banks[index];
	uint64_t number = refresh_of(dram, index, clock), due = number * dram->refresh_interval;
	uint64_t from =
		bank->row == HD_NONE ? hd_later(due, bank->activate) : hd_later(due, bank->precharge) + dram->t.rp;
	bank->refresh_at = next_refresh(dram, index, number);
	bank->activate = hd_later(bank->activate, from + dram->t.rfc);
	forget_rows(bank);
}

/* Slices reserve ahead, each as far as it is busy: a later call may be for an earlier clock. */
static uint64_t past_of(uint64_t clock)
{
	return clock > BACK ? clock - BACK : 0;
}

/* Activations in a piece of time. */
static struct piece *piece_of(struct hd_dram_reserved *reserved, uint64_t number)
{
	struct piece *piece = &reserved->pieces[number % PIECES];
	if (piece->number != (uint32_t)number)
		*piece = (struct piece){(uint32_t)number, 0};
	return piece;
}

static uint64_t find_activation(const struct hd_dram_reserved *reserved, uint32_t spacing, uint64_t from)
{
	const struct hd_slots *slots = &reserved->activations;
	uint64_t clock = hd_slots_near(slots, spacing, slots, 1, from);
	return clock == HD_NEVER ? hd_slots_find(slots, spacing, slots, 1, from) : clock;
}

/* The first clock, `from` or later, for an activation. */
static uint64_t take_activation(struct hd_dram *dram, uint64_t from)
{
	struct hd_dram_reserved *reserved = dram->reserved;
	const struct hd_dram_timing *t = &dram->t;
	uint64_t clock = from, number = t->faw ? from / t->faw : 0;
	while (t->faw) {
		uint64_t begin = number * t->faw;
		if (piece_of(reserved, number)->count == HD_DRAM_WINDOW) {
			number++;
			continue;
		}
		clock = find_activation(reserved, t->rrd, hd_later(from, begin));
		if (clock < begin + t->faw)
			break;
		number = clock / t->faw;
	}
	if (!t->faw)
		return hd_slots_reserve(&reserved->activations, t->rrd, &reserved->activations, 1, from);
	piece_of(reserved, number)->count++;
	hd_slots_take(&reserved->activations, clock, t->rrd);
	return clock;
}

static void open_row(struct hd_dram *dram, struct bank *bank, uint32_t row, uint64_t clock, uint8_t grid)
{
	const struct hd_dram_timing *t = &dram->t;
	uint64_t activate = hd_later(clock, bank->activate);
	if (bank->row != HD_NONE) {
		uint64_t close = hd_later(clock, bank->precharge);
		bank->past[bank->past_next++ % PAST] = (struct open_row){bank->column, close, bank->row};
		activate = hd_later(bank->activate, close + t->rp);
	}
	activate = take_activation(dram, activate);
	dram->counters[grid].dram_activations++;
	bank->row = row;
	bank->activate = activate + t->rc;
	bank->precharge = activate + t->ras;
	bank->column = activate + t->rcd;
	bank->fresh = true;
}

/* The clock from which on column commands may go to the row, which is opened where it is not. */
static uint64_t row_ready(struct hd_dram *dram, struct hd_dram_place place, uint64_t clock, uint8_t grid, bool *newest)
{
	struct bank *bank = &dram->reserved->banks[place.bank];
	*newest = true;
	if (clock >= bank->refresh_at)
		catch_up(dram, place.bank, clock);
	if (bank->row == place.row)
		return bank->column;
	for (uint32_t i = 0; i < PAST; i++)
		if (bank->past[i].row == place.row && bank->past[i].close > clock) {
			*newest = false;
			return bank->past[i].column;
		}
	/* The next refresh goes before what would be opened after it is due. */
	if (hd_later(clock, bank->activate) >= bank->refresh_at)
		catch_up(dram, place.bank, hd_later(clock, bank->activate));
	open_row(dram, bank, place.row, clock, grid);
	return bank->column;
}

/* ---- accesses */

/* While all banks are refreshed there are no commands. What is reserved past a refresh before that is known stays. */
static void see_refreshes(struct hd_dram *dram, uint64_t clock)
{
	struct hd_dram_reserved *reserved = dram->reserved;
	uint64_t past = past_of(clock);
	if (dram->refresh_at == HD_NEVER || dram->refresh_sets > 1)
		return;
	if (reserved->refresh_seen + dram->refresh_interval < past)
		reserved->refresh_seen = past - past % dram->refresh_interval;
	while (reserved->refresh_seen + dram->refresh_interval <= clock + AHEAD) {
		uint64_t due = reserved->refresh_seen += dram->refresh_interval, end = due + dram->t.rp + dram->t.rfc;
		hd_slots_close(&reserved->bus, due, end);
		hd_slots_close(&reserved->activations, due, end);
	}
}

static uint32_t bursts_of(const struct hd_dram *dram, uint8_t sectors)
{
	return (hd_sector_count(sectors) * dram->sector_bytes + dram->burst_bytes - 1) / dram->burst_bytes;
}

/* Clocks that lie between column commands of different kinds. */
static uint64_t after_reads(const struct hd_dram *dram)
{
	return dram->t.cl + dram->t.burst + TURNAROUND - dram->t.wl;
}

static uint64_t after_writes(const struct hd_dram *dram)
{
	return dram->t.wl + dram->t.burst + dram->t.cdlr;
}

/* Reserves the column commands of an access, from a clock on. Returns the clock of the last. */
static inline __attribute__((always_inline)) uint64_t take_columns(struct hd_dram *dram, enum hd_dram_mode kind,
								   struct hd_dram_place place, uint64_t clock,
								   uint8_t sectors, uint8_t grid)
{
	struct hd_dram_reserved *reserved = dram->reserved;
	const struct hd_dram_timing *t = &dram->t;
	struct bank *bank = &reserved->banks[place.bank];
	struct hd_slots *group = &reserved->groups[dram->banks[place.bank].group];
	uint64_t from = 0;
	bool newest;
	hd_slots_move(&reserved->bus, past_of(clock));
	hd_slots_move(group, past_of(clock));
	hd_slots_move(&reserved->activations, past_of(clock));
	see_refreshes(dram, clock);
	/* Rows are opened for reads when the writes are done. */
	if (kind == HD_DRAM_READ && !dram->mixed && reserved->drained &&
	    clock < reserved->drained + after_writes(dram)) {
		from = reserved->drained + after_writes(dram);
		clock = hd_later(clock, reserved->drained + 1);
	}
	from = hd_later(from, hd_later(clock, row_ready(dram, place, clock, grid, &newest)));
	uint64_t column = from;
	for (uint32_t left = bursts_of(dram, sectors); left; left--) {
		column = hd_slots_reserve(&reserved->bus, reserved->spacing, group, reserved->near, from);
		from = column + 1;
	}
	uint64_t precharge = kind == HD_DRAM_READ ? column + t->rtpl : column + t->wl + t->burst + t->wr;
	dram->counters[grid].dram_row_hits += hd_sector_count(sectors) - (newest && bank->fresh);
	if (newest) {
		bank->precharge = hd_later(bank->precharge, precharge);
		bank->fresh = false;
	}
	reserved->last[kind] = hd_later(reserved->last[kind], column + 1);
	return column;
}

/* Requests leave their queue with their last column command. */
static void note_leaving(struct queue *queue, uint64_t cycle)
{
	uint32_t at = queue->tail++;
	for (; at != queue->head && queue->leaves[(at - 1) & queue->mask] > cycle; at--)
		queue->leaves[at & queue->mask] = queue->leaves[(at - 1) & queue->mask];
	queue->leaves[at & queue->mask] = cycle;
	assert(queue->tail - queue->head <= queue->mask + 1);
}

static uint32_t forget_left(struct queue *queue, uint64_t now)
{
	while (queue->head != queue->tail && queue->leaves[queue->head & queue->mask] <= now)
		queue->head++;
	return queue->tail - queue->head;
}

uint64_t hd_dram_reserved_room(struct hd_dram *dram, enum hd_dram_mode mode, uint64_t now)
{
	struct queue *queue = &dram->reserved->queues[mode];
	dram->count[mode] = queue->tail - queue->head + (mode == HD_DRAM_WRITE ? dram->reserved->write_count : 0);
	if (hd_dram_room(dram, mode))
		return now;
	dram->count[mode] = forget_left(queue, now) + (mode == HD_DRAM_WRITE ? dram->reserved->write_count : 0);
	return hd_dram_room(dram, mode) || queue->head == queue->tail ? now : queue->leaves[queue->head & queue->mask];
}

static uint64_t first_clock(const struct hd_dram *dram, uint64_t now)
{
	return hd_clock_at(&dram->clock, now) + 1;
}

uint64_t hd_dram_reserved_read(struct hd_dram *dram, uint64_t now, uint32_t slice, uint64_t in_slice, uint8_t sectors,
			       uint8_t grid)
{
	uint64_t clock = first_clock(dram, now);
	uint64_t column =
		take_columns(dram, HD_DRAM_READ, hd_address_dram(dram->map, slice, in_slice), clock, sectors, grid);
	dram->counters[grid].dram_reads += hd_sector_count(sectors);
	note_leaving(&dram->reserved->queues[HD_DRAM_READ], hd_clock_edge(&dram->clock, column));
	return hd_clock_edge(&dram->clock, column + dram->t.cl + dram->t.burst) + dram->fixed_latency;
}

/* ---- writes */

static uint64_t write_one(struct hd_dram *dram, uint64_t clock, const struct write *write)
{
	uint64_t column = take_columns(dram, HD_DRAM_WRITE, write->place, clock, write->sectors, write->grid);
	dram->counters[write->grid].dram_writes += hd_sector_count(write->sectors);
	note_leaving(&dram->reserved->queues[dram->mixed ? HD_DRAM_READ : HD_DRAM_WRITE],
		     hd_clock_edge(&dram->clock, column));
	return column;
}

/* A write that waits and all others of its row, the oldest first, until so many are left. Returns the last command's
 * clock. */
static uint64_t write_row(struct hd_dram *dram, uint64_t clock, uint32_t first, uint32_t *left, uint32_t least)
{
	struct hd_dram_reserved *reserved = dram->reserved;
	struct hd_dram_place row = reserved->writes[first].place;
	uint64_t last = clock;
	for (uint32_t i = first; i < reserved->write_count && *left > least; i++) {
		struct write *write = &reserved->writes[i];
		if (!write->sectors || write->place.bank != row.bank || write->place.row != row.row)
			continue;
		last = hd_later(last, write_one(dram, clock, write));
		write->sectors = 0; /* done */
		--*left;
	}
	return last;
}

/* Writes row by row, until so many are left; no read goes before the last of them. */
static void drain(struct hd_dram *dram, uint64_t clock, uint32_t least)
{
	struct hd_dram_reserved *reserved = dram->reserved;
	uint64_t last = clock, from = clock;
	uint32_t left = reserved->write_count, kept = 0;
	/* One that goes on has no read before it. */
	if (clock > reserved->drained && reserved->last[HD_DRAM_READ] + after_reads(dram) > clock &&
	    reserved->last[HD_DRAM_READ])
		from = hd_earlier(reserved->last[HD_DRAM_READ], clock) + after_reads(dram);
	for (uint32_t i = 0; left > least; i++)
		if (reserved->writes[i].sectors)
			last = hd_later(last, write_row(dram, from, i, &left, least));
	reserved->drained = hd_later(reserved->drained, last);
	for (uint32_t i = 0; i < reserved->write_count; i++)
		if (reserved->writes[i].sectors)
			reserved->writes[kept++] = reserved->writes[i];
	reserved->write_count = kept;
}

/* No read is under way that would have to wait. */
static bool is_quiet(const struct hd_dram *dram, uint64_t clock)
{
	return dram->reserved->last[HD_DRAM_READ] <= clock;
}

void hd_dram_reserved_write(struct hd_dram *dram, uint64_t now, uint32_t slice, uint64_t in_slice, uint8_t sectors,
			    uint8_t grid)
{
	struct hd_dram_reserved *reserved = dram->reserved;
	struct write write = {hd_address_dram(dram->map, slice, in_slice), sectors, grid};
	uint64_t clock = first_clock(dram, now);
	if (dram->mixed) {
		write_one(dram, clock, &write);
		return;
	}
	reserved->writes[reserved->write_count++] = write;
	if (dram->early && is_quiet(dram, clock))
		drain(dram, clock, 0);
	else if (reserved->write_count >= dram->drain_high)
		drain(dram, clock, dram->drain_low);
}

uint64_t hd_dram_reserved_due(const struct hd_dram *dram)
{
	const struct hd_dram_reserved *reserved = dram->reserved;
	return dram->early && reserved->write_count ? hd_clock_edge(&dram->clock, reserved->last[HD_DRAM_READ])
						    : HD_NEVER;
}

void hd_dram_reserved_tick(struct hd_dram *dram, uint64_t now)
{
	uint64_t clock = hd_clock_at(&dram->clock, now);
	if (dram->reserved->write_count && is_quiet(dram, clock))
		drain(dram, clock, 0);
}

void hd_dram_reserved_disown(struct hd_dram *dram, uint32_t grid)
{
	for (uint32_t i = 0; i < dram->reserved->write_count; i++)
		if (dram->reserved->writes[i].grid == grid)
			dram->reserved->writes[i].grid = HD_MEM_NOBODY;
}

void hd_dram_reserved_dump(const struct hd_dram *dram, uint32_t channel, FILE *out)
{
	const struct hd_dram_reserved *reserved = dram->reserved;
	const struct queue *reads = &reserved->queues[HD_DRAM_READ];
	if (reads->head == reads->tail && !reserved->write_count)
		return;
	fprintf(out, "dram channel %u: %u reads to come, bus reserved to clock %llu, %u writes wait\n", channel,
		reads->tail - reads->head,
		(unsigned long long)hd_later(reserved->last[HD_DRAM_READ], reserved->last[HD_DRAM_WRITE]),
		reserved->write_count);
}
