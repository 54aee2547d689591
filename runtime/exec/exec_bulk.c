/*
 * Functional execution: copies in bulk. What an instruction is to copy is found out when it issues: rows of memory, and
 * of a copy out of shared memory the bytes. A load reads global memory, and a store writes it, then, or in the order of
 * all SMs at the window's end (later.c). The bytes come to shared memory when the unit says so (runtime/sm/bulk.c),
 * with their barrier, so that who does not wait sees the old ones. Without time all is done at once.
 *
 * Cost: O(bytes) a copy.
 */
#include "runtime/exec/bulk.h"

#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "lib/swizzle.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/later.h"
#include "runtime/exec/past.h"
#include "runtime/exec/sync.h"

enum { CHUNK = 16, BOX_ALIGN = 128 };

/* ---- copies come and go */

static struct hd_bulks *bulks_of(struct hd_exec *exec)
{
	if (!exec->bulks)
		exec->bulks = hd_xcalloc(1, sizeof *exec->bulks);
	return exec->bulks;
}

static struct hd_bulk *take(struct hd_exec *exec)
{
	struct hd_bulks *bulks = bulks_of(exec);
	struct hd_bulk *bulk = bulks->free;
	if (bulk) {
		bulks->free = bulk->next;
	} else {
		bulk = hd_xcalloc(1, sizeof *bulk);
		bulk->number = bulks->all.len;
		hd_vec_push(&bulks->all, bulk);
	}
	hd_vec_clear(&bulk->data);
	hd_vec_clear(&bulk->runs);
	bulk->of = bulks;
	bulk->next = bulk->link = NULL;
	bulk->put_off = bulk->over = bulk->reduces = bulk->requested = false;
	bulk->run = bulk->sent = bulk->left = bulk->awaits = 0;
	bulk->barrier = bulk->shared = bulk->ranks = 0;
	bulk->map_address = 0;
	return bulk;
}

static void give(struct hd_bulk *bulk)
{
	bulk->next = bulk->of->free;
	bulk->of->free = bulk;
}

void hd_bulk_drop(struct hd_bulk *bulk)
{
	bulk->over = true;
	if (!bulk->put_off)
		give(bulk);
}

void hd_bulks_forget(struct hd_exec *exec)
{
	struct hd_bulks *bulks = exec->bulks;
	if (!bulks)
		return;
	bulks->free = NULL;
	for (uint32_t i = bulks->all.len; i-- > 0;)
		give(bulks->all.data[i]);
}

void hd_bulks_release(struct hd_exec *exec)
{
	struct hd_bulks *bulks = exec ? exec->bulks : NULL;
	if (!bulks)
		return;
	for (uint32_t i = 0; i < bulks->all.len; i++) {
		hd_vec_release(&bulks->all.data[i]->data);
		hd_vec_release(&bulks->all.data[i]->runs);
		free(bulks->all.data[i]);
	}
	hd_vec_release(&bulks->all);
	free(bulks->there);
	free(bulks);
	exec->bulks = NULL;
}

/* ---- what is to be copied */

static bool wrong(struct hd_exec *exec, uint32_t lane, const char *what, uint64_t value)
{
	HD_FAULT(exec, lane, HD_SIM_MISALIGNED, "%s: %s (0x%llx)", "copy in bulk", what, (unsigned long long)value);
	return false;
}

/* A shared address of this block or another one: its rank, and where it is there. */
static bool find_shared(struct hd_exec *exec, uint32_t lane, uint32_t address, uint32_t bytes, uint32_t *rank,
			uint32_t *offset)
{
	const struct hd_cta *cta = exec->warp->cta;
	uint32_t room = cta->grid->shared_bytes, blocks = cta->cluster ? cta->cluster->size : 1;
	*rank = hd_rank_of_code(cta->cluster, cta->rank, address >> HD_RANK_SHIFT);
	*offset = address & HD_RANK_OFFSET;
	if (*rank < blocks && *offset <= room && bytes <= room - *offset)
		return true;
	if (*rank >= blocks)
		HD_FAULT(exec, lane, HD_SIM_BAD_ADDRESS,
			 "copy in bulk at shared address 0x%x of a block that is not there; the cluster has %u block%s",
			 address, blocks, blocks == 1 ? "" : "s");
	else
		HD_FAULT(exec, lane, HD_SIM_BAD_ADDRESS,
			 "copy in bulk of %u bytes at shared address 0x%x; the block has %u bytes of shared memory",
			 bytes, *offset, room);
	return false;
}

static bool add_run(struct hd_exec *exec, struct hd_bulk *bulk, uint64_t address, uint32_t place, uint32_t bytes)
{
	uint8_t *host = hd_devmem_at(exec->gpu->devmem, address, bytes);
	if (host) {
		hd_vec_push(&bulk->runs, (struct hd_bulk_run){host, address, place, bytes});
		return true;
	}
	HD_FAULT(exec, bulk->lane, HD_SIM_BAD_ADDRESS,
		 "copy in bulk of %u bytes at global address 0x%llx, which are not in one allocation", bytes,
		 (unsigned long long)address);
	return false;
}

static bool read_map(struct hd_exec *exec, struct hd_bulk *bulk, uint32_t dimensions, bool im2col)
{
	const void *host = hd_devmem_at(exec->gpu->devmem, bulk->map_address, sizeof bulk->map);
	const char *why = bulk->map_address % 64 ? "a map is aligned to 64 bytes" : host ? NULL : "nothing is there";
	if (!why) {
		memcpy(&bulk->map, host, sizeof bulk->map);
		why = hd_tensor_map_check(&bulk->map);
	}
	if (why)
		HD_FAULT(exec, bulk->lane, HD_SIM_TRAP, "tensor map at 0x%llx: %s",
			 (unsigned long long)bulk->map_address, why);
	else if (dimensions && dimensions != bulk->map.rank)
		HD_FAULT(exec, bulk->lane, HD_SIM_TRAP,
			 "tensor map at 0x%llx: it has %u dimensions, and the copy %u coordinates",
			 (unsigned long long)bulk->map_address, bulk->map.rank, dimensions);
	else if (dimensions && im2col != bulk->map.im2col)
		HD_FAULT(exec, bulk->lane, HD_SIM_TRAP, "tensor map at 0x%llx: it is %sfor im2col, and the copy is %s",
			 (unsigned long long)bulk->map_address, im2col ? "not " : "", im2col ? "im2col" : "of a box");
	return !exec->fault;
}

/* A box may have 2^32 rows: those that no block has room for are refused before they are gone through. */
static bool is_too_large(struct hd_exec *exec, const struct hd_bulk *bulk)
{
	bool fetches = bulk->kind == HD_BULK_PF;
	uint32_t room = fetches ? (uint32_t)exec->gpu->config->shared_per_cta : exec->warp->cta->grid->shared_bytes;
	if (bulk->bytes <= room)
		return false;
	HD_FAULT(exec, bulk->lane, HD_SIM_BAD_ADDRESS,
		 "copy in bulk of a box of %u bytes; %s %u bytes of shared memory", bulk->bytes,
		 fetches ? "a block has at most" : "the block has", room);
	return true;
}

static bool take_box(struct hd_exec *exec, const struct hd_dinst *inst, struct hd_bulk *bulk)
{
	struct hd_tensor_walk walk;
	struct hd_tensor_row row;
	int32_t at[HD_TENSOR_MOST];
	if (!read_map(exec, bulk, HD_MODIFIER(DIMS), HD_MODIFIER(IM2COL)))
		return false;
	for (unsigned i = 0; i < HD_TENSOR_MOST; i++)
		at[i] = (int32_t)hd_row(exec->warp, i < 4 ? hd_next_reg(inst->inst.b, i) : inst->inst.c)[bulk->lane];
	bulk->bytes = hd_tensor_box_bytes(&bulk->map);
	if (!HD_MODIFIER(DIMS)) {
		bulk->bytes = 0;
		return true;
	}
	if (is_too_large(exec, bulk))
		return false;
	if (!hd_tensor_has_place(&bulk->map, at)) {
		char place[HD_TENSOR_MOST * 16];
		for (unsigned i = 1, used = 0; i + 1 < bulk->map.rank; i++) /* between the channels and the image */
			used += (unsigned)snprintf(place + used, sizeof place - used, i > 1 ? ", %d" : "%d", at[i]);
		HD_FAULT(exec, bulk->lane, HD_SIM_TRAP,
			 "copy in bulk for im2col: the filter's place (%s) is outside the map's box", place);
		return false;
	}
	hd_tensor_walk(&walk, &bulk->map, at, hd_row(exec->warp, hd_next_reg(inst->inst.c, 1))[bulk->lane] >> 16);
	while (hd_tensor_next(&walk, &row))
		if (row.bytes && !add_run(exec, bulk, row.address, row.place + row.skip, row.bytes))
			return false;
	return true;
}

static bool take_bytes(struct hd_exec *exec, const struct hd_dinst *inst, struct hd_bulk *bulk)
{
	uint64_t address = hd_lane_pair(exec->warp, inst->inst.a, bulk->lane);
	bulk->bytes = hd_row(exec->warp, inst->inst.c)[bulk->lane];
	if (bulk->bytes % CHUNK)
		return wrong(exec, bulk->lane, "its size is no multiple of 16", bulk->bytes);
	if (bulk->kind == HD_BULK_S2S)
		return true;
	if (address % CHUNK)
		return wrong(exec, bulk->lane, "its global address is no multiple of 16", address);
	return !bulk->bytes || add_run(exec, bulk, address, 0, bulk->bytes);
}

static bool is_tensor(const struct hd_dinst *inst)
{
	return inst->inst.op >= HD_OP_UTMALDG && inst->inst.op <= HD_OP_UTMAPF;
}

static uint8_t kind_of(const struct hd_dinst *inst)
{
	switch (inst->inst.op) {
	case HD_OP_UTMALDG: return HD_BULK_G2S;
	case HD_OP_UTMASTG:
	case HD_OP_UTMAREDG: return HD_BULK_S2G;
	case HD_OP_UTMAPF: return HD_BULK_PF;
	default: return (uint8_t)HD_MODIFIER(BULK);
	}
}

/* Which blocks get the bytes, and where: with MULTICAST all that the mask names, else the destination's. */
static bool find_target(struct hd_exec *exec, const struct hd_dinst *inst, struct hd_bulk *bulk)
{
	const struct hd_cta *cta = exec->warp->cta;
	const unsigned a = inst->inst.a;
	bool sends = bulk->kind == HD_BULK_S2S;
	uint32_t lane = bulk->lane, blocks = cta->cluster ? cta->cluster->size : 1, rank, other;
	uint32_t to = hd_row(exec->warp, sends ? a : hd_next_reg(a, 2))[lane];
	uint32_t barrier = hd_row(exec->warp, hd_next_reg(a, 3))[lane];
	if (!find_shared(exec, lane, to, bulk->bytes, &rank, &bulk->shared) ||
	    !find_shared(exec, lane, barrier, 8, &other, &bulk->barrier))
		return false;
	if (bulk->shared % (is_tensor(inst) ? BOX_ALIGN : CHUNK))
		return wrong(exec, lane, "its shared address is no multiple of what it has to be", bulk->shared);
	if (bulk->barrier % 8)
		return wrong(exec, lane, "its barrier's address is no multiple of 8", bulk->barrier);
	if (rank != other) {
		HD_FAULT(exec, lane, HD_SIM_TRAP, "copy in bulk to the block of rank %u with a barrier of that of %u",
			 rank, other);
		return false;
	}
	bulk->ranks = (uint16_t)(1u << rank);
	if (!sends && HD_MODIFIER(CAST)) {
		uint32_t ranks = hd_row(exec->warp, hd_next_reg(inst->inst.c, 1))[lane] & 0xffff;
		if (!ranks || ranks >> blocks) {
			HD_FAULT(exec, lane, HD_SIM_TRAP, "copy in bulk for blocks 0x%x of a cluster of %u", ranks,
				 blocks);
			return false;
		}
		bulk->ranks = (uint16_t)ranks;
	}
	return true;
}

static uint32_t swizzle_of(const struct hd_bulk *bulk)
{
	return bulk->map_address ? bulk->map.swizzle : 0;
}

/* What lies at the place before the swizzle; the swizzle is of addresses in the block's shared memory. */
static void read_shared(struct hd_bulk *bulk, const uint8_t *shared, uint32_t from)
{
	uint32_t swizzle = swizzle_of(bulk);
	if (!swizzle && bulk->bytes)
		memcpy(bulk->data.data, shared + from, bulk->bytes);
	for (uint32_t at = 0; swizzle && at < bulk->bytes; at += CHUNK)
		memcpy(bulk->data.data + at, shared + hd_swizzle(from + at, swizzle), CHUNK);
}

static uint32_t pattern_room(const struct hd_bulk *bulk)
{
	return swizzle_of(bulk) ? (128u << swizzle_of(bulk)) - 1 : 0;
}

static bool find_source(struct hd_exec *exec, const struct hd_dinst *inst, struct hd_bulk *bulk)
{
	const struct hd_cta *cta = exec->warp->cta;
	uint32_t rank, from, address = hd_row(exec->warp, hd_next_reg(inst->inst.a, 2))[bulk->lane];
	if (!find_shared(exec, bulk->lane, address, bulk->bytes, &rank, &from))
		return false;
	if (rank != cta->rank)
		return wrong(exec, bulk->lane, "its source is another block's shared memory", address);
	if (from % (is_tensor(inst) ? BOX_ALIGN : CHUNK))
		return wrong(exec, bulk->lane, "its shared address is no multiple of what it has to be", from);
	uint32_t end = (from + bulk->bytes + pattern_room(bulk)) & ~pattern_room(bulk);
	if (end > cta->grid->shared_bytes)
		return wrong(exec, bulk->lane, "its swizzle leaves the block's shared memory", from);
	hd_vec_reserve(&bulk->data, bulk->bytes);
	bulk->data.len = bulk->bytes;
	if (bulk->kind == HD_BULK_S2G)
		bulk->shared = from;
	read_shared(bulk, cta->shared, from);
	return true;
}

/* What no run brings, as a box has it that is not all inside of its tensor. */
static void fill(struct hd_bulk *bulk)
{
	uint32_t brought = 0;
	hd_vec_reserve(&bulk->data, bulk->bytes);
	bulk->data.len = bulk->bytes;
	for (uint32_t i = 0; i < bulk->runs.len; i++)
		brought += bulk->runs.data[i].bytes;
	if (brought < bulk->bytes)
		memset(bulk->data.data, bulk->map_address && bulk->map.fill ? 0xff : 0, bulk->bytes);
}

static uint8_t reduced_type(const struct hd_bulk *bulk, const struct hd_dinst *inst)
{
	static const uint8_t types[HD_TENSOR_TYPES] = {HD_U8,  HD_U16, HD_U32,	HD_S32, HD_U64, HD_S64, HD_F16,
						       HD_F32, HD_F64, HD_BF16, HD_F32, HD_F32, HD_F32};
	return is_tensor(inst) ? types[bulk->map.type] : (uint8_t)HD_MODIFIER(DTYPE);
}

/* Operations that a type has: floating point is added, and in 16 bits compared. */
static bool can_reduce(struct hd_exec *exec, const struct hd_bulk *bulk)
{
	bool half = bulk->type == HD_F16 || bulk->type == HD_BF16,
	     single = bulk->type == HD_F32 || bulk->type == HD_F64;
	bool narrow = bulk->type == HD_U8 || bulk->type == HD_U16;
	if (!narrow && !(half && bulk->op > HD_ATOM_MAX) && !(single && bulk->op != HD_ATOM_ADD))
		return true;
	HD_FAULT(exec, bulk->lane, HD_SIM_TRAP, "copy in bulk with an operation that its elements' type does not have");
	return false;
}

static struct hd_bulk *begin(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane)
{
	struct hd_bulk *bulk = take(exec);
	bulk->inst = inst;
	bulk->warp = exec->warp;
	bulk->cta = exec->warp->cta;
	bulk->lane = lane;
	bulk->pc = exec->warp->pc;
	bulk->kind = kind_of(inst);
	bulk->reduces = inst->inst.op == HD_OP_UBLKRED || inst->inst.op == HD_OP_UTMAREDG;
	if (is_tensor(inst))
		bulk->map_address = hd_lane_pair(exec->warp, inst->inst.a, lane);
	bool fine = is_tensor(inst) ? take_box(exec, inst, bulk) : take_bytes(exec, inst, bulk);
	if (fine && bulk->reduces) {
		bulk->op = (uint8_t)HD_MODIFIER(ATOMOP);
		bulk->type = reduced_type(bulk, inst);
		fine = can_reduce(exec, bulk);
	}
	if (fine && (bulk->kind == HD_BULK_G2S || bulk->kind == HD_BULK_S2S))
		fine = find_target(exec, inst, bulk);
	if (fine && (bulk->kind == HD_BULK_S2G || bulk->kind == HD_BULK_S2S))
		fine = find_source(exec, inst, bulk);
	else if (fine && bulk->kind == HD_BULK_G2S)
		fill(bulk);
	if (fine)
		return bulk;
	give(bulk);
	return NULL;
}

/* ---- moving */

static uint32_t type_bytes(unsigned type)
{
	return type == HD_F16 || type == HD_BF16 ? 2 : hd_type_registers(type) * 4;
}

static void reduce(const struct hd_bulk *bulk, uint8_t *to, const uint8_t *from, uint32_t count, bool flushes)
{
	uint32_t bytes = type_bytes(bulk->type);
	for (uint32_t at = 0; at + bytes <= count; at += bytes) {
		uint64_t old = 0, value = 0;
		memcpy(&old, to + at, bytes);
		memcpy(&value, from + at, bytes);
		value = hd_exec_combine(bulk->op, bulk->type, old, value, flushes);
		memcpy(to + at, &value, bytes);
	}
}

static void convert(struct hd_bulk *bulk)
{
	for (uint32_t i = 0; i < bulk->runs.len; i++) {
		const struct hd_bulk_run *run = &bulk->runs.data[i];
		for (uint32_t at = run->place; at < run->place + run->bytes; at += 4) {
			uint32_t bits;
			memcpy(&bits, bulk->data.data + at, sizeof bits);
			bits = hd_tensor_convert(&bulk->map, bits);
			memcpy(bulk->data.data + at, &bits, sizeof bits);
		}
	}
}

/* Who looks on is told of all that changes, in pieces. */
static void tell(struct hd_exec *exec, const uint8_t *host, const uint8_t *old, uint32_t bytes)
{
	for (uint32_t at = 0; at < bytes; at += CHUNK)
		HD_TELL(exec->gpu, changed, exec, host + at, old + at, bytes - at < CHUNK ? bytes - at : CHUNK);
}

static void store_run(struct hd_exec *exec, struct hd_bulk *bulk, const struct hd_bulk_run *run)
{
	const uint8_t *from = bulk->data.data + run->place;
	uint8_t *old = NULL;
	if (exec->later && exec->later->past) {
		uint32_t all = exec->mask;
		uint64_t offset[HD_WARP_LANES] = {0};
		exec->mask = 1;
		hd_past_keep(exec->later->past, exec, (uintptr_t)run->host, offset, run->bytes);
		exec->mask = all;
	}
	if (exec->gpu->watched & HD_WATCH_BIT(changed)) {
		old = hd_xmalloc(run->bytes);
		memcpy(old, run->host, run->bytes);
	}
	if (bulk->reduces)
		reduce(bulk, run->host, from, run->bytes, true);
	else
		memcpy(run->host, from, run->bytes);
	if (old)
		tell(exec, run->host, old, run->bytes);
	free(old);
}

void hd_bulk_move(struct hd_exec *exec, struct hd_bulk *bulk)
{
	bulk->put_off = false;
	for (uint32_t i = 0; i < bulk->runs.len; i++) {
		struct hd_bulk_run *run = &bulk->runs.data[i];
		if (bulk->kind == HD_BULK_S2G)
			store_run(exec, bulk, run);
		else if (bulk->kind == HD_BULK_G2S)
			memcpy(bulk->data.data + run->place, run->host, run->bytes);
	}
	if (bulk->kind == HD_BULK_G2S && bulk->map_address && hd_tensor_converts(&bulk->map))
		convert(bulk);
	if (bulk->over)
		give(bulk);
}

/* ---- landing */

struct hd_cta *hd_bulk_target(const struct hd_bulk *bulk, uint32_t rank)
{
	return bulk->cta->cluster ? bulk->cta->cluster->ctas[rank] : bulk->cta;
}

static void land_chunk(struct hd_exec *exec, const struct hd_bulk *bulk, uint8_t *to, const uint8_t *from)
{
	uint8_t old[CHUNK];
	memcpy(old, to, CHUNK);
	if (bulk->reduces)
		reduce(bulk, to, from, CHUNK, false);
	else
		memcpy(to, from, CHUNK);
	HD_TELL(exec->gpu, changed, exec, to, old, CHUNK);
}

static void land_chunks(struct hd_exec *exec, const struct hd_bulk *bulk, const struct hd_cta *cta)
{
	uint32_t room = cta->grid->shared_bytes, swizzle = swizzle_of(bulk);
	for (uint32_t at = 0; at < bulk->bytes && !exec->fault; at += CHUNK) {
		uint32_t to = hd_swizzle(bulk->shared + at, swizzle);
		if (to + CHUNK > room)
			HD_FAULT(exec, bulk->lane, HD_SIM_BAD_ADDRESS,
				 "copy in bulk whose swizzle leaves the block's shared memory (0x%x)", to);
		else
			land_chunk(exec, bulk, cta->shared + to, bulk->data.data + at);
	}
}

/* All at once, where they are side by side and nobody looks on. */
static void land_bytes(struct hd_exec *exec, const struct hd_bulk *bulk, const struct hd_cta *cta)
{
	if (swizzle_of(bulk) || bulk->reduces || HD_WATCHED(exec->gpu, changed))
		land_chunks(exec, bulk, cta);
	else if (bulk->bytes)
		memcpy(cta->shared + bulk->shared, bulk->data.data, bulk->bytes);
}

/* The thread that began it may be another SM's, and be elsewhere by now: its place is kept. */
static struct hd_warp *stand_in(struct hd_exec *exec, const struct hd_bulk *bulk, struct hd_cta *cta)
{
	struct hd_bulks *bulks = bulks_of(exec);
	const struct hd_grid *grid = cta->grid;
	const uint32_t named[4] = {grid->block[0], grid->block[1], grid->block[2], bulk->warp->index};
	if (!bulks->there)
		bulks->there = hd_xcalloc(1, sizeof *bulks->there);
	struct hd_warp *there = bulks->there;
	if (memcmp(named, bulks->named, sizeof named) != 0)
		hd_warp_name_threads(there, grid, bulk->warp->index);
	memcpy(bulks->named, named, sizeof named);
	there->cta = cta;
	there->pc = bulk->pc;
	there->index = bulk->warp->index;
	there->age = bulk->warp->age;
	return there;
}

bool hd_bulk_land(struct hd_exec *exec, struct hd_bulk *bulk, uint32_t rank)
{
	struct hd_cta *cta = hd_bulk_target(bulk, rank);
	struct hd_warp *before = exec->warp;
	exec->warp = stand_in(exec, bulk, cta);
	HD_TELL(exec->gpu, bulk_lands, exec, bulk, rank);
	if (bulk->cta->cluster && bulk->cta->cluster->ended >> rank & 1)
		HD_FAULT(exec, bulk->lane, HD_SIM_BAD_ADDRESS, "copy in bulk to the block of rank %u, which has ended",
			 rank);
	if (!exec->fault)
		land_bytes(exec, bulk, cta);
	if (!exec->fault)
		hd_sync_do(exec, bulk->lane, cta, cta->shared + bulk->barrier, HD_SYNCS_COMPLETE_TX, bulk->bytes);
	bool fine = !exec->fault;
	exec->fault = false; /* hd_gpu.error says so */
	exec->warp = before;
	return fine;
}

/* ---- instructions */

static bool do_at_once(struct hd_exec *exec, struct hd_bulk *bulk)
{
	bool fine = true;
	hd_bulk_move(exec, bulk);
	for (uint32_t left = bulk->ranks; left && fine; left &= left - 1)
		fine = hd_bulk_land(exec, bulk, (uint32_t)__builtin_ctz(left));
	hd_bulk_drop(bulk);
	return fine;
}

static void begin_all(struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_effect *effect = exec->effect;
	struct hd_bulk **link = &effect->bulk;
	uint32_t all = exec->mask;
	effect->event = HD_EVENT_BULK;
	effect->bulk = NULL;
	HD_FOR_LANES (lane, all) {
		struct hd_bulk *bulk = begin(exec, inst, lane);
		if (!bulk)
			break;
		HD_TELL(exec->gpu, bulk_begins, exec, bulk);
		if (exec->fault) {
			give(bulk);
			break;
		}
		if (exec->gpu->functional) {
			if (!do_at_once(exec, bulk)) {
				exec->fault = true;
				return;
			}
			continue;
		}
		*link = bulk;
		link = &bulk->next;
	}
	struct hd_bulk *next;
	for (struct hd_bulk *bulk = effect->bulk; exec->fault && bulk; bulk = next) {
		next = bulk->next;
		give(bulk);
	}
	if (exec->fault)
		return;
	if (hd_puts_off(exec))
		hd_later_bulk(exec, inst, effect->bulk);
	else
		for (struct hd_bulk *bulk = effect->bulk; bulk; bulk = bulk->next)
			hd_bulk_move(exec, bulk);
	if (exec->later)
		exec->later->in_order = true;
}

HD_EXEC_PLAIN(op_bulk)
{
	begin_all(exec, inst);
}

HD_EXEC_PLAIN(op_group)
{
	(void)inst;
	exec->effect->event = HD_EVENT_BULK;
	exec->effect->bulk = NULL;
}

HD_EXEC_PLAIN(op_fence)
{
	(void)exec;
	(void)inst;
}

const struct hd_exec_clones *hd_exec_bulk_find(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_UBLKCP:
	case HD_OP_UBLKRED:
	case HD_OP_UTMALDG:
	case HD_OP_UTMASTG:
	case HD_OP_UTMAREDG:
	case HD_OP_UTMAPF: return &op_bulk;
	case HD_OP_UTMACMDFLUSH:
	case HD_OP_UTMAWAIT: return &op_group;
	case HD_OP_FENCE_VIEW_ASYNC: return &op_fence;
	default: return NULL;
	}
}
