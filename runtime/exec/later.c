/*
 * What an SM does to global memory in a window of cycles in which SMs do not look at each other takes effect at the
 * window's end, of all SMs in the order of cycles, SMs and issue: stores, atomics with their results, and printf,
 * malloc and free. So every load in the window sees memory as it was at its beginning, whichever SM is simulated first.
 *
 * A load that may concern what its own SM has written in the window, and any load behind an atomic or another load that
 * was put off, is put off, too, and then sees exactly what was written before it. That is in time: windows are no
 * longer than the fastest load, so that nobody reads a result before the window's end (runtime/gpu/window.c).
 *
 * What is kept of an access: host addresses, checked, and operands; registers may be written again before the end.
 * Loads name their registers, which wait for them; copies a place in the block's shared memory, wherever that is then.
 *
 * Cost: a copy of what is stored; for loads a test, and a hash of their lines where the SM has stored in the window.
 */
#include "runtime/exec/later.h"

#include "runtime/exec/bulk.h"
#include "runtime/exec/remote.h"

#include <assert.h>

enum kind { LOAD, STORE, STORE_ROW, COPY, ATOMIC, BULK, SERVICE, TOLD };

struct entry {
	uint64_t cycle;
	const struct hd_dinst *inst;
	struct hd_warp *warp;
	uint32_t mask, bytes; /* of the entry with what follows */
	uint8_t kind;
};

/* What follows: host addresses of the lanes, then rows of data. */
struct lanes {
	struct entry entry;
	uint64_t host[HD_WARP_LANES];
};
struct stored {
	struct lanes lanes;
	uint32_t rows[4][HD_WARP_LANES];
};
struct stored_row {
	struct entry entry;
	uint8_t *host;
	uint32_t row[HD_WARP_LANES];
};
struct copy {
	struct entry entry;
	struct hd_copied copied[HD_WARP_LANES];
};
struct atomic {
	struct lanes lanes;
	struct hd_atomic_operands operands[HD_WARP_LANES];
};

struct in_bulk {
	struct entry entry;
	struct hd_bulk *first;
};

/* For a watcher, with what names the threads of a warp that may have made place for another one. */
struct told {
	struct entry entry;
	hd_later_fn *work;
	void *state;
	uint64_t age;
	struct hd_grid *grid;
	uint32_t block[3], warp;
	_Alignas(uint64_t) uint8_t record[];
};

struct hd_later *hd_later_new(uint64_t issues, bool told, struct hd_arena *arena)
{
	struct hd_later *later = HD_ARENA_NEW(arena, struct hd_later, 1);
	size_t largest = sizeof(struct atomic) > sizeof(struct stored) ? sizeof(struct atomic) : sizeof(struct stored);
	_Static_assert(sizeof(struct copy) <= sizeof(struct atomic), "an entry has room");
	size_t all = largest + (told ? HD_LATER_TOLD * (sizeof(struct told) + HD_LATER_RECORD) : 0);
	later->room = issues * all;
	later->bytes = hd_arena_alloc(arena, later->room);
	return later;
}

/* ---- lines */

/* Of device addresses: those of the host are others in each run. */
static uint64_t line_bit(uint64_t address)
{
	return UINT64_C(1) << ((address >> 7) * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

/* Accesses are aligned: that of a lane is in one line. */
static uint64_t lines_of(const struct hd_exec *exec)
{
	const uint64_t *address = exec->effect->address;
	uint64_t bits = 0, last = 0;
	HD_FOR_LANES (lane, exec->mask) {
		if (address[lane] >> 7 != last >> 7)
			bits |= line_bit(address[lane]);
		last = address[lane];
	}
	return bits;
}

bool hd_later_holds(const struct hd_exec *exec)
{
	const struct hd_later *later = exec->later;
	return later->in_order || (later->lines && later->lines & lines_of(exec));
}

void hd_later_stores(const struct hd_exec *exec)
{
	exec->later->lines |= lines_of(exec);
}

/* ---- putting off */

static void *add(struct hd_exec *exec, const struct hd_dinst *inst, enum kind kind, size_t bytes)
{
	struct hd_later *later = exec->later;
	struct entry *entry = (struct entry *)(void *)(later->bytes + later->used);
	assert(later->used + bytes <= later->room);
	later->last = later->used;
	later->used += bytes;
	*entry = (struct entry){exec->now, inst, exec->warp, exec->mask, (uint32_t)bytes, (uint8_t)kind};
	return entry;
}

static void fill_lanes(struct lanes *lanes, uintptr_t base, const uint64_t *offset)
{
	HD_FOR_LANES (lane, lanes->entry.mask)
		lanes->host[lane] = base + offset[lane];
}

void hd_later_load(struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset)
{
	fill_lanes(add(exec, inst, LOAD, sizeof(struct lanes)), base, offset);
	exec->later->in_order = true;
}

void hd_later_store(struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset)
{
	unsigned words = (inst->access_bytes + 3u) / 4;
	struct stored *stored = add(exec, inst, STORE, sizeof(struct lanes) + words * sizeof(stored->rows[0]));
	fill_lanes(&stored->lanes, base, offset);
	for (unsigned word = 0; word < words; word++)
		memcpy(stored->rows[word], hd_row(exec->warp, hd_next_reg(inst->inst.c, word)),
		       sizeof(stored->rows[0]));
	hd_later_stores(exec);
}

void hd_later_store_row(struct hd_exec *exec, const struct hd_dinst *inst, uint8_t *host)
{
	struct stored_row *stored = add(exec, inst, STORE_ROW, sizeof(*stored));
	stored->host = host;
	memcpy(stored->row, hd_row(exec->warp, inst->inst.c), sizeof(stored->row));
	uint64_t first = exec->effect->address[0];
	exec->later->lines |= line_bit(first) | line_bit(first + sizeof(stored->row) - 4);
}

void hd_later_copy(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_copied copied[HD_WARP_LANES])
{
	struct copy *copy = add(exec, inst, COPY, sizeof(*copy));
	memcpy(copy->copied, copied, sizeof(copy->copied));
	exec->later->in_order = true;
}

void hd_later_atomic(struct hd_exec *exec, const struct hd_dinst *inst, uint8_t *const *host)
{
	struct atomic *atomic = add(exec, inst, ATOMIC, sizeof(*atomic));
	HD_FOR_LANES (lane, exec->mask) {
		atomic->lanes.host[lane] = (uintptr_t)host[lane];
		atomic->operands[lane] = hd_exec_atomic_operands(exec, inst, lane);
	}
	exec->later->in_order = true;
}

void hd_later_bulk(struct hd_exec *exec, const struct hd_dinst *inst, struct hd_bulk *first)
{
	struct in_bulk *entry = add(exec, inst, BULK, sizeof(*entry));
	entry->first = first;
	for (; first; first = first->next)
		first->put_off = true;
}

void hd_later_service(struct hd_exec *exec, const struct hd_dinst *inst)
{
	add(exec, inst, SERVICE, sizeof(struct entry));
}

/* ---- for watchers */

void hd_later_tell(struct hd_exec *exec, hd_later_fn *work, void *state, const void *record, size_t bytes)
{
	const struct hd_warp *warp = exec->warp;
	const struct hd_dinst *inst = &exec->gpu->program.code.data[warp->pc];
	assert(bytes <= HD_LATER_RECORD);
	if (!hd_puts_off(exec)) {
		work(state, exec, record);
		return;
	}
	size_t whole = (sizeof(struct told) + bytes + 7) / 8 * 8;
	struct told *told = add(exec, inst, TOLD, whole);
	told->work = work;
	told->state = state;
	told->age = warp->age;
	told->grid = warp->cta->grid;
	told->warp = warp->index;
	memcpy(told->block, warp->cta->index, sizeof(told->block));
	memcpy(told->record, record, bytes);
}

static bool brings(const struct entry *entry)
{
	return entry->kind == LOAD || entry->kind == ATOMIC || entry->kind == SERVICE;
}

void hd_later_results(const struct hd_exec *exec, const struct hd_warp *warp, struct hd_hazard *results)
{
	const struct hd_later *later = exec->later;
	*results = (struct hd_hazard){{0}};
	for (size_t at = later ? later->next : 0; later && at < later->used;) {
		const struct entry *entry = (const struct entry *)(const void *)(later->bytes + at);
		if (entry->warp == warp && brings(entry))
			hd_hazard_add(results, &entry->inst->writes);
		at += entry->bytes;
	}
	const struct hd_remote *remote = exec->remotes ? exec->remotes->all : NULL;
	for (; remote; remote = remote->other)
		if (remote->under_way && remote->warp == warp)
			hd_hazard_add(results, &remote->inst->writes);
}

bool hd_later_has_put_off(const struct hd_exec *exec, const struct hd_warp *warp, const struct hd_dinst *inst)
{
	const struct hd_later *later = exec->later;
	if (!later || later->last >= later->used)
		return false;
	const struct entry *entry = (const struct entry *)(const void *)(later->bytes + later->last);
	return entry->warp == warp && entry->inst == inst && entry->cycle == exec->now && brings(entry);
}

/* ---- doing */

/* The warp is behind it already, and a fault is told with its place. */
static void do_service(struct hd_exec *exec, const struct entry *entry)
{
	struct hd_warp *warp = entry->warp;
	uint32_t pc = warp->pc;
	warp->pc = (uint32_t)(entry->inst - exec->gpu->program.code.data);
	hd_exec_syscall(exec, entry->inst);
	exec->fault = false; /* hd_gpu.error says so */
	warp->pc = pc;
}

/* Neither the warp nor its block has made place for another one. */
static bool is_there(const struct hd_warp *warp, const struct told *told)
{
	const struct hd_cta *cta = warp->cta;
	return warp->age == told->age && cta && cta->grid == told->grid &&
	       !memcmp(cta->index, told->block, sizeof(told->block));
}

static void do_told(struct hd_exec *exec, const struct told *told)
{
	struct hd_warp *warp = told->entry.warp;
	uint32_t pc = (uint32_t)(told->entry.inst - exec->gpu->program.code.data);
	if (is_there(warp, told)) {
		uint32_t before = warp->pc;
		warp->pc = pc;
		told->work(told->state, exec, told->record);
		warp->pc = before;
		return;
	}
	struct hd_cta cta = {.grid = told->grid, .index = {told->block[0], told->block[1], told->block[2]}};
	struct hd_warp gone = {.cta = &cta, .pc = pc, .index = told->warp, .age = told->age};
	hd_warp_name_threads(&gone, told->grid, told->warp); /* for a message */
	exec->warp = &gone;
	told->work(told->state, exec, told->record);
	exec->warp = NULL;
}

/* One that is moved may be forgotten then. */
static void do_bulk(struct hd_exec *exec, struct hd_bulk *first)
{
	struct hd_bulk *next;
	for (; first; first = next) {
		next = first->next;
		hd_bulk_move(exec, first);
	}
}

static void do_store(const struct stored *stored)
{
	unsigned bytes = stored->lanes.entry.inst->access_bytes;
	HD_FOR_LANES (lane, stored->lanes.entry.mask) {
		uint8_t *to = (uint8_t *)(uintptr_t)stored->lanes.host[lane];
		if (bytes < 4) {
			memcpy(to, &stored->rows[0][lane], bytes); /* little-endian host */
			continue;
		}
		for (unsigned word = 0; word < bytes / 4; word++)
			memcpy(to + 4 * word, &stored->rows[word][lane], 4);
	}
}

static void do_entry(struct hd_exec *exec, const struct entry *entry)
{
	const void *whole = entry;
	const struct lanes *lanes = whole;
	const struct atomic *atomic = whole;
	const struct stored_row *row = whole;
	const struct copy *copy = whole;
	const struct told *told = whole;
	const struct in_bulk *in_bulk = whole;
	exec->warp = entry->warp;
	exec->mask = entry->mask;
	switch (entry->kind) {
	case LOAD: hd_exec_load_lanes(exec, entry->inst, 0, lanes->host); break;
	case STORE: do_store(whole); break;
	case COPY:
		HD_FOR_LANES (lane, entry->mask)
			hd_exec_copy_lane(exec, entry->inst, &copy->copied[lane]);
		break;
	case STORE_ROW: memcpy(row->host, row->row, sizeof(row->row)); break;
	case BULK: do_bulk(exec, in_bulk->first); break;
	case SERVICE: do_service(exec, entry); break;
	case TOLD:
		do_told(exec, told);
		exec->fault = false; /* hd_gpu.error says so */
		break;
	default:
		HD_FOR_LANES (lane, entry->mask)
			hd_exec_atomic_do(exec, entry->inst, lane, (uint8_t *)(uintptr_t)lanes->host[lane],
					  &atomic->operands[lane]);
		break;
	}
}

uint64_t hd_later_next(const struct hd_later *later)
{
	const struct entry *entry = (const struct entry *)(const void *)(later->bytes + later->next);
	return later->next < later->used ? entry->cycle : UINT64_MAX;
}

void hd_later_do(struct hd_later *later, struct hd_exec *exec, uint64_t now)
{
	while (hd_later_next(later) == now && !exec->gpu->error) {
		const struct entry *entry = (const struct entry *)(const void *)(later->bytes + later->next);
		do_entry(exec, entry);
		later->next += entry->bytes;
	}
}
