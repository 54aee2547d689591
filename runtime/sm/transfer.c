/*
 * Transfers of contexts (transfer.h). In each cycle the first of those that have something left to send, of ordinary
 * priority before low, moves a register or a line: registers are read from their banks into a line, or shared memory
 * gives one; the line goes to the load/store unit's port. What comes in is written when it is there. A transfer of low
 * priority leaves a bank, and shared memory, to the program where that wants them in the same cycle.
 *
 * Cost: O(1) a line and register; nothing while lines are under way or there is no transfer.
 */
#include "runtime/sm/transfer.h"

#include <assert.h>

#include "heddle/config.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/sm.h"

enum { ORDINARY, LOW, PRIORITIES };
#define NONE UINT16_MAX

struct moving {
	struct hd_transfer what;
	uint64_t first_line, end; /* line; sector behind the last */
	uint64_t written;	  /* IN: cycle at which its registers will be */
	uint32_t lines, sent, finished;
	uint32_t rows, moved; /* registers */
	uint16_t next;
	uint8_t grid;
};

struct hd_transfer_lists {
	uint32_t begun; /* entries of the pool that have been in use */
	uint16_t free;
	uint16_t first[PRIORITIES], last[PRIORITIES]; /* with lines to send */
	uint16_t ending;			      /* all is there, and being written */
	uint64_t ready[PRIORITIES];		      /* of the last line sent: they stay in order */
	struct moving pool[HD_MAX_TRANSFERS];
};

void hd_transfers_init(struct hd_sm *sm, struct hd_arena *arena)
{
	sm->transfers.lists = HD_ARENA_NEW_SPARSE(arena, struct hd_transfer_lists, 1);
	hd_transfers_clear(sm);
}

void hd_transfers_clear(struct hd_sm *sm)
{
	struct hd_transfer_lists *all = sm->transfers.lists;
	all->begun = 0;
	all->free = all->ending = NONE;
	for (uint32_t i = 0; i < PRIORITIES; i++)
		all->first[i] = all->last[i] = NONE;
	for (uint32_t i = 0; i < HD_MAX_GRIDS; i++)
		sm->grids[i].transfers = 0;
	sm->transfers.count = 0;
	sm->due.transfer = HD_NEVER;
}

/* ---- they come */

static void append(struct hd_transfer_lists *all, uint32_t priority, uint16_t index)
{
	all->pool[index].next = NONE;
	if (all->first[priority] == NONE)
		all->first[priority] = index;
	else
		all->pool[all->last[priority]].next = index;
	all->last[priority] = index;
}

bool hd_sm_transfer(struct hd_sm *sm, const struct hd_transfer *transfer)
{
	struct hd_transfer_lists *all = sm->transfers.lists;
	const struct hd_config *config = sm->gpu->config;
	if (all->free == NONE && all->begun == HD_MAX_TRANSFERS)
		return false;
	assert((transfer->bytes || transfer->warp) && transfer->grid->running);
	assert(transfer->address % config->sector == 0);
	uint16_t index = all->free == NONE ? (uint16_t)all->begun++ : all->free;
	struct moving *moving = &all->pool[index];
	all->free = index == all->free ? moving->next : all->free;
	*moving = (struct moving){.what = *transfer, .grid = transfer->grid->slot};
	moving->first_line = transfer->address / config->l1_line;
	moving->end = (transfer->address + transfer->bytes + config->sector - 1) / config->sector;
	if (transfer->bytes)
		moving->lines =
			(uint32_t)((moving->end * config->sector - 1) / config->l1_line - moving->first_line + 1);
	for (uint32_t i = 0; transfer->warp && i < 4; i++)
		moving->rows += (uint32_t)__builtin_popcountll(transfer->registers[i]);
	append(all, transfer->low ? LOW : ORDINARY, index);
	HD_TELL(sm->gpu, noted, sm, transfer->direction == HD_TRANSFER_OUT ? HD_NOTE_CONTEXT_OUT : HD_NOTE_CONTEXT_IN,
		transfer->grid, NULL, transfer->warp, transfer->bytes, sm->now > sm->gpu->now ? sm->now : sm->gpu->now);
	sm->transfers.count++;
	sm->grids[moving->grid].transfers++;
	uint64_t soonest = (sm->now > sm->gpu->now ? sm->now : sm->gpu->now) + 1;
	sm->due.transfer = soonest < sm->due.transfer ? soonest : sm->due.transfer;
	return true;
}

/* ---- they go */

static void end(struct hd_sm *sm, uint16_t index, uint64_t now)
{
	struct hd_transfer_lists *all = sm->transfers.lists;
	struct hd_transfer what = all->pool[index].what;
	sm->grids[all->pool[index].grid].transfers--;
	sm->transfers.count--;
	all->pool[index].next = all->free;
	all->free = index;
	if (what.done)
		what.done(what.self, sm, what.arg, now);
}

static uint32_t next_register(struct moving *moving)
{
	uint32_t word = 0;
	while (!moving->what.registers[word])
		word++;
	uint32_t bit = (uint32_t)__builtin_ctzll(moving->what.registers[word]);
	moving->what.registers[word] &= moving->what.registers[word] - 1;
	moving->moved++;
	return word * 64 + bit;
}

/* Registers that have moved when so many lines have. */
static uint32_t rows_of(const struct moving *moving, uint32_t lines)
{
	if (!moving->lines)
		return moving->rows;
	return (uint32_t)(((uint64_t)lines * moving->rows + moving->lines - 1) / moving->lines);
}

/* What has come in is written, a register a cycle. */
static void write_rows(struct hd_sm *sm, struct moving *moving, uint64_t now)
{
	uint32_t due = rows_of(moving, moving->finished);
	if (moving->written < now)
		moving->written = now;
	if (moving->what.shared)
		moving->written = hd_lsu_use_shared(sm->lsu, now, moving->grid);
	for (; moving->moved < due; moving->written++) {
		uint32_t reg = next_register(moving);
		uint64_t at = hd_bank_write(sm, moving->what.warp, reg, moving->written * HD_TICKS);
		moving->written = at / HD_TICKS > moving->written ? at / HD_TICKS : moving->written;
		sm->counted[moving->grid].transfer_register_writes++;
	}
}

/* All of its lines are there; what came in may still be written. */
static void finish(struct hd_sm *sm, uint16_t index, uint64_t now)
{
	struct hd_transfer_lists *all = sm->transfers.lists;
	struct moving *moving = &all->pool[index];
	if (moving->written <= now) {
		end(sm, index, now);
		return;
	}
	moving->next = all->ending;
	all->ending = index;
}

static void finish_line(struct hd_sm *sm, uint16_t index, uint64_t now)
{
	struct moving *moving = &sm->transfers.lists->pool[index];
	moving->finished++;
	if (moving->what.direction == HD_TRANSFER_IN)
		write_rows(sm, moving, now);
	if (moving->finished == moving->lines)
		finish(sm, index, now);
}

static void take_lines(struct hd_sm *sm, uint64_t now)
{
	uint32_t tag;
	while (hd_lsu_line_done(sm->lsu, &tag))
		finish_line(sm, (uint16_t)tag, now);
}

/* Those whose last register is written; the cycle of the next. */
static uint64_t end_written(struct hd_sm *sm, uint64_t now)
{
	struct hd_transfer_lists *all = sm->transfers.lists;
	uint64_t next = HD_NEVER;
	uint16_t index = all->ending;
	all->ending = NONE;
	while (index != NONE) {
		struct moving *moving = &all->pool[index];
		uint16_t after = moving->next;
		if (moving->written <= now) {
			end(sm, index, now);
		} else {
			next = moving->written < next ? moving->written : next;
			moving->next = all->ending;
			all->ending = index;
		}
		index = after;
	}
	return next;
}

/* ---- what goes out */

/* The sectors that lie in line `number` of the transfer. */
static uint8_t sectors_of(const struct hd_sm *sm, const struct moving *moving, uint32_t number)
{
	const struct hd_config *config = sm->gpu->config;
	uint64_t sectors = config->l1_line / config->sector, line = (moving->first_line + number) * sectors;
	uint64_t first = moving->what.address / config->sector, mask = 0;
	for (uint64_t i = 0; i < sectors; i++)
		if (line + i >= first && line + i < moving->end)
			mask |= UINT64_C(1) << i;
	return (uint8_t)mask;
}

static void send_line(struct hd_sm *sm, struct moving *moving, uint64_t ready)
{
	struct hd_transfer_lists *all = sm->transfers.lists;
	bool out = moving->what.direction == HD_TRANSFER_OUT;
	uint32_t priority = moving->what.low ? LOW : ORDINARY;
	struct hd_line line = {.line = moving->first_line + moving->sent, .grid = moving->grid};
	line.tag = (uint32_t)(moving - all->pool);
	line.sectors = sectors_of(sm, moving, moving->sent);
	line.write = out;
	line.low = moving->what.low;
	all->ready[priority] = ready > all->ready[priority] ? ready : all->ready[priority];
	hd_lsu_send_line(sm->lsu, all->ready[priority], &line);
	sm->due.lsu = all->ready[priority] < sm->due.lsu ? all->ready[priority] : sm->due.lsu;
	uint64_t bytes = (uint64_t)__builtin_popcount(line.sectors) * sm->gpu->config->sector;
	*(out ? &sm->counted[moving->grid].transfer_bytes_out : &sm->counted[moving->grid].transfer_bytes_in) += bytes;
	moving->sent++;
}

/* Reads a register for the next line; false: the program has its bank. *ready: when it is read. */
static bool read_row(struct hd_sm *sm, struct moving *moving, uint64_t now, uint64_t *ready)
{
	struct hd_transfer *what = &moving->what;
	struct moving peek = *moving;
	if (what->low && !hd_bank_is_free(sm, what->warp, next_register(&peek), now * HD_TICKS))
		return false;
	uint64_t at = hd_bank_read(sm, what->warp, next_register(moving), now * HD_TICKS);
	sm->counted[moving->grid].transfer_register_reads++;
	*ready = (at + HD_TICKS - 1) / HD_TICKS;
	return true;
}

/* Gets the next line together and sends it, if there is one. Returns whether anything moved. */
static bool advance_out(struct hd_sm *sm, struct moving *moving, uint64_t now)
{
	uint64_t ready = now + 1;
	uint32_t due = rows_of(moving, moving->sent + 1);
	if (moving->moved < due && !read_row(sm, moving, now, &ready))
		return false;
	if (moving->moved < due || !moving->lines)
		return true;
	if (moving->what.shared && !hd_lsu_take_shared(sm->lsu, now, moving->grid))
		return false;
	send_line(sm, moving, ready); /* not in this cycle: a bank takes one at least */
	return true;
}

static bool advance(struct hd_sm *sm, uint32_t priority, uint64_t now)
{
	struct hd_transfer_lists *all = sm->transfers.lists;
	if (all->first[priority] == NONE)
		return false;
	struct moving *moving = &all->pool[all->first[priority]];
	bool moved = true, out = moving->what.direction == HD_TRANSFER_OUT;
	if (out)
		moved = advance_out(sm, moving, now);
	else if (moving->lines)
		send_line(sm, moving, now + 1);
	else
		write_rows(sm, moving, now);
	if (moving->sent < moving->lines || (out && moving->moved < moving->rows))
		return moved;
	struct hd_transfer what = moving->what;
	uint16_t index = all->first[priority];
	all->first[priority] = moving->next;
	if (what.moved && out)
		what.moved(what.self, sm, what.arg, now);
	if (!all->pool[index].lines)
		finish(sm, index, now);
	return true;
}

void hd_transfers_cycle(struct hd_sm *sm, uint64_t now)
{
	struct hd_transfer_lists *all = sm->transfers.lists;
	take_lines(sm, now);
	uint64_t written = end_written(sm, now);
	if (hd_lsu_line_room(sm->lsu) && !advance(sm, ORDINARY, now))
		advance(sm, LOW, now);
	bool more = all->first[ORDINARY] != NONE || all->first[LOW] != NONE;
	/* Without room the next line that is done makes some. */
	sm->due.transfer = more && hd_lsu_line_room(sm->lsu) ? now + 1 : written;
}
