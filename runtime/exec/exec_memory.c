/*
 * Functional execution: loads and stores of every space, and how addresses become host memory.
 *
 * A warp whose lanes all fall into one allocation (found through a small cache by pc) is checked
 * once: the least and the greatest address. Anything else (several allocations, generic accesses
 * that mix spaces, faults) goes lane by lane. Consecutive words are copied as one row.
 *
 * Needs hd_devmem. Fills the effect with addresses as the timing model wants them. Local memory
 * lies lane after lane on the host; its simulated addresses are interleaved (hd_local_address).
 */
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/later.h"
#include "runtime/exec/past.h"
#include "runtime/exec/remote.h"

#define NULL_BYTES UINT64_C(65536) /* from 0 on: a null pointer with an index in a small structure or array */

/* ---- faults */

static const char *access_name(const struct hd_dinst *inst)
{
	if (inst->effects & (HD_FX_ATOMIC | HD_FX_ASYNC))
		return inst->effects & HD_FX_ATOMIC ? "atomic" : "copy";
	if (inst->pipe == HD_PIPE_BRU)
		return "barrier";
	return inst->effects & HD_FX_STORE ? "store" : "load";
}

/* What an address is that no allocation has, in words; "": it is near one. */
static void describe_stray(const struct hd_exec *exec, uint64_t address, char *text, size_t size)
{
	uint64_t low, high;
	char mapping[128];
	*text = '\0';
	if (address < NULL_BYTES)
		snprintf(text, size, "a null pointer%s", address ? " and a little more" : "");
	else if (hd_devmem_was_freed(exec->gpu->devmem, address, &low, &high))
		snprintf(text, size, "freed memory: byte %llu of the %llu bytes that were allocated at 0x%llx",
			 (unsigned long long)(address - low), (unsigned long long)(high - low),
			 (unsigned long long)low);
	else if (!hd_devmem_spans(exec->gpu->devmem, address) && hd_host_mapping(address, mapping, sizeof mapping))
		snprintf(text, size, "host memory (%s), which the GPU cannot reach", mapping);
}

static void describe_near(const struct hd_exec *exec, uint64_t address, char *text, size_t size)
{
	uint64_t low, high;
	if (!hd_devmem_nearest(exec->gpu->devmem, address, &low, &high)) {
		snprintf(text, size, "and no memory is allocated");
		return;
	}
	bool before = address < low;
	snprintf(text, size, "outside every allocation; the nearest is 0x%llx, %llu bytes, and it %s %llu bytes %s",
		 (unsigned long long)low, (unsigned long long)(high - low), before ? "begins" : "ends",
		 (unsigned long long)(before		? low - address
				      : address >= high ? address - high
							: high - address),
		 before		   ? "after it"
		 : address >= high ? "before it"
				   : "after its first byte");
}

void hd_exec_describe_stray(const struct hd_exec *exec, uint64_t address, char *text, size_t size)
{
	char what[320];
	describe_stray(exec, address, what, sizeof what);
	bool near = !*what;
	if (near)
		describe_near(exec, address, what, sizeof what);
	snprintf(text, size, "%s%s", near ? " " : ", ", what);
}

/* A load beside an allocation passes on hardware. */
static uint8_t *beside(struct hd_exec *exec, const struct hd_dinst *inst, uint64_t address)
{
	bool load = !(inst->effects & (HD_FX_STORE | HD_FX_ATOMIC));
	return load ? hd_devmem_beside(exec->gpu->devmem, address, inst->access_bytes) : NULL;
}

static uint8_t *global_fault(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint64_t address)
{
	char text[320];
	uint8_t *host = beside(exec, inst, address);
	describe_stray(exec, address, text, sizeof text);
	bool near = !*text;
	if (near)
		describe_near(exec, address, text, sizeof text);
	if (near && host && exec->gpu->options.warn_outside) {
		hd_outside_note(exec->gpu, exec->warp, lane, inst->access_bytes, text, address);
		return host;
	}
	HD_FAULT(exec, lane, HD_SIM_BAD_ADDRESS, "%u-byte %s at address 0x%llx%s %s%s", inst->access_bytes,
		 access_name(inst), (unsigned long long)address, near ? "" : ",", text,
		 near && host ? " (hardware lets reads this close to one pass, and so does --out-of-bounds=warn)" : "");
	return NULL;
}

static void window_fault(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, unsigned space,
			 uint32_t offset)
{
	const struct hd_grid *grid = exec->warp->cta->grid;
	if (space == HD_MEM_SHARED)
		HD_FAULT(exec, lane, HD_SIM_BAD_ADDRESS,
			 "%u-byte %s at shared address 0x%x; the block has %u bytes of shared memory",
			 inst->access_bytes, access_name(inst), offset, grid->shared_bytes);
	else if (offset >= 0x80000000u)
		HD_FAULT(exec, lane, HD_SIM_STACK_OVERFLOW,
			 "stack overflow: %u-byte %s %u bytes below the thread's %u bytes of local memory",
			 inst->access_bytes, access_name(inst), 0u - offset, grid->local_bytes);
	else
		HD_FAULT(exec, lane, HD_SIM_BAD_ADDRESS,
			 "%u-byte %s at local address 0x%x; the thread has %u bytes of local memory",
			 inst->access_bytes, access_name(inst), offset, grid->local_bytes);
}

static void alignment_fault(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, unsigned space,
			    uint64_t address)
{
	uint64_t low, high;
	char text[320] = "";
	if (space == HD_MEM_GLOBAL && hd_devmem_find(exec->gpu->devmem, address, &low, &high))
		snprintf(text, sizeof text, ", byte %llu of the %llu bytes that are allocated at 0x%llx",
			 (unsigned long long)(address - low), (unsigned long long)(high - low),
			 (unsigned long long)low);
	else if (space == HD_MEM_GLOBAL)
		hd_exec_describe_stray(exec, address, text, sizeof text);
	HD_FAULT(exec, lane, HD_SIM_MISALIGNED, "%u-byte %s at misaligned %saddress 0x%llx%s", inst->access_bytes,
		 access_name(inst),
		 space == HD_MEM_SHARED	 ? "shared "
		 : space == HD_MEM_LOCAL ? "local "
					 : "",
		 (unsigned long long)address, text);
}

/* ---- one lane */

uint8_t *hd_exec_lane_access(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint64_t address,
			     unsigned space, uint64_t *timing)
{
	const struct hd_warp *warp = exec->warp;
	uint32_t bytes = inst->access_bytes;
	if (address & (bytes - 1)) {
		alignment_fault(exec, inst, lane, space, address);
		return NULL;
	}
	if (space == HD_MEM_GLOBAL) {
		uint8_t *host = hd_devmem_at(exec->gpu->devmem, address, bytes);
		*timing = address;
		return host ? host : global_fault(exec, inst, lane, address);
	}
	uint32_t offset = (uint32_t)address;
	if (space == HD_MEM_SHARED && __builtin_expect(offset >> HD_RANK_SHIFT, 0) &&
	    hd_rank_of_code(warp->cta->cluster, warp->cta->rank, offset >> HD_RANK_SHIFT) == warp->cta->rank)
		offset &= HD_RANK_OFFSET;
	uint32_t room = space == HD_MEM_SHARED ? warp->cta->grid->shared_bytes : warp->cta->grid->local_bytes;
	if (offset >= room || bytes > room - offset) {
		window_fault(exec, inst, lane, space, offset);
		return NULL;
	}
	if (space == HD_MEM_SHARED) {
		*timing = warp->cta->shared_offset + offset;
		return warp->cta->shared + offset;
	}
	*timing = hd_local_address(warp->local_base, lane, offset);
	return warp->local + (size_t)lane * room + offset;
}

/* Which window a generic address is in; *address becomes the offset there. */
static unsigned resolve_generic(uint64_t *address)
{
	if (*address - HD_SHARED_WINDOW < HD_SHARED_WINDOW_BYTES) {
		*address -= HD_SHARED_WINDOW;
		return HD_MEM_SHARED;
	}
	/* The last bytes of the window below are a stack that has run over. */
	if (*address - HD_LOCAL_WINDOW < HD_LOCAL_WINDOW_BYTES) {
		*address -= HD_LOCAL_WINDOW;
		return HD_MEM_LOCAL;
	}
	return HD_MEM_GLOBAL;
}

const uint8_t *hd_exec_readable(struct hd_exec *exec, uint32_t lane, uint64_t address, uint64_t *room)
{
	const struct hd_warp *warp = exec->warp;
	const struct hd_grid *grid = warp->cta->grid;
	uint64_t low, high;
	switch (resolve_generic(&address)) {
	case HD_MEM_SHARED:
		*room = address < grid->shared_bytes ? grid->shared_bytes - address : 0;
		return *room ? warp->cta->shared + address : NULL;
	case HD_MEM_LOCAL:
		*room = address < grid->local_bytes ? grid->local_bytes - address : 0;
		return *room ? warp->local + (size_t)lane * grid->local_bytes + address : NULL;
	default:
		if (!hd_devmem_find(exec->gpu->devmem, address, &low, &high))
			return NULL;
		*room = high - address;
		return hd_devmem_at(exec->gpu->devmem, address, 1);
	}
}

/* ---- moving data: `base` + offset[lane] is a host address, checked */

static void load_narrow(const struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset)
{
	uint32_t *to = hd_dst_row(exec->warp, inst->inst.dst);
	unsigned size = HD_MODIFIER(SIZE);
	HD_FOR_LANES (lane, exec->mask) {
		const uint8_t *from = (const uint8_t *)(base + offset[lane]);
		int16_t half;
		memcpy(&half, from, inst->access_bytes);
		switch (size) {
		case HD_SIZE_U8: to[lane] = *from; break;
		case HD_SIZE_S8: to[lane] = (uint32_t)(int32_t)(int8_t)*from; break;
		case HD_SIZE_U16: to[lane] = (uint16_t)half; break;
		default: to[lane] = (uint32_t)(int32_t)half; break;
		}
	}
}

/* Four words for each of four lanes: their columns become rows. */
static inline void load_quads(uint32_t *to[4], uint32_t lane, uintptr_t base, const uint64_t offset[4])
{
	typedef uint32_t quad __attribute__((ext_vector_type(4)));
	quad from[4];
	for (uint32_t i = 0; i < 4; i++)
		memcpy(&from[i], (const uint8_t *)(base + offset[i]), sizeof(from[i]));
	quad low01 = __builtin_shufflevector(from[0], from[1], 0, 4, 1, 5);
	quad high01 = __builtin_shufflevector(from[0], from[1], 2, 6, 3, 7);
	quad low23 = __builtin_shufflevector(from[2], from[3], 0, 4, 1, 5);
	quad high23 = __builtin_shufflevector(from[2], from[3], 2, 6, 3, 7);
	quad rows[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
			__builtin_shufflevector(low01, low23, 2, 3, 6, 7),
			__builtin_shufflevector(high01, high23, 0, 1, 4, 5),
			__builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
	for (uint32_t word = 0; word < 4; word++)
		memcpy(&to[word][lane], &rows[word], sizeof(rows[word]));
}

void hd_exec_load_lanes(const struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset)
{
	if (inst->access_bytes < 4) {
		load_narrow(exec, inst, base, offset);
		return;
	}
	unsigned dst = inst->inst.dst, words = inst->access_bytes / 4;
	uint32_t *to[4];
	for (unsigned word = 0; word < 4; word++)
		to[word] = hd_dst_row(exec->warp, hd_next_reg(dst, word < words ? word : 0));
	if (words == 1 && exec->mask == HD_FULL) {
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
			memcpy(&to[0][lane], (const uint8_t *)(base + offset[lane]), 4);
		return;
	}
	if (words == 4 && exec->mask == HD_FULL) {
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane += 4)
			load_quads(to, lane, base, offset + lane);
		return;
	}
	HD_FOR_LANES (lane, exec->mask) {
		const uint8_t *from = (const uint8_t *)(base + offset[lane]);
		for (unsigned word = 0; word < words; word++)
			memcpy(&to[word][lane], from + 4 * word, 4);
	}
}

static void store_lanes(const struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset)
{
	unsigned source = inst->inst.c, bytes = inst->access_bytes;
	const uint32_t *from[4];
	for (unsigned word = 0; word < 4; word++)
		from[word] = hd_row(exec->warp, hd_next_reg(source, word < (bytes + 3) / 4 ? word : 0));
	if (bytes == 4 && exec->mask == HD_FULL) {
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
			memcpy((uint8_t *)(base + offset[lane]), &from[0][lane], 4);
		return;
	}
	HD_FOR_LANES (lane, exec->mask) {
		uint8_t *to = (uint8_t *)(base + offset[lane]);
		if (bytes < 4) {
			memcpy(to, &from[0][lane], bytes); /* little-endian host */
			continue;
		}
		for (unsigned word = 0; word < bytes / 4; word++)
			memcpy(to + 4 * word, &from[word][lane], 4);
	}
}

static void store_watched(struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset)
{
	HD_TELL(exec->gpu, store_before, exec, base, offset, inst->access_bytes);
	store_lanes(exec, inst, base, offset);
	HD_TELL(exec->gpu, store_after, exec, base, offset, inst->access_bytes);
}

HD_INLINE void load_broadcast(const struct hd_exec *exec, const struct hd_dinst *inst, const uint8_t *from)
{
	for (unsigned word = 0; word < inst->access_bytes / 4; word++) {
		uint32_t value;
		memcpy(&value, from + 4 * word, 4);
		HD_STORE_ROW(hd_dst_row(exec->warp, hd_next_reg(inst->inst.dst, word)), HD_SPLAT(value));
	}
}

HD_INLINE void move_data(struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset,
			 enum hd_mem_pattern pattern)
{
	bool whole = pattern == HD_MEM_CONSECUTIVE && exec->mask == HD_FULL && inst->access_bytes == 4;
	if (inst->effects & HD_FX_STORE) {
		if (HD_WATCHED(exec->gpu, store_before))
			store_watched(exec, inst, base, offset);
		else if (whole)
			memcpy((uint8_t *)(base + offset[0]), hd_row(exec->warp, inst->inst.c), 4 * HD_WARP_LANES);
		else
			store_lanes(exec, inst, base, offset);
	} else {
		if (whole)
			memcpy(hd_dst_row(exec->warp, inst->inst.dst), (const uint8_t *)(base + offset[0]),
			       4 * HD_WARP_LANES);
		else if (pattern == HD_MEM_UNIFORM && inst->access_bytes >= 4)
			load_broadcast(exec, inst, (const uint8_t *)(base + offset[__builtin_ctz(exec->mask)]));
		else
			hd_exec_load_lanes(exec, inst, base, offset);
	}
}

/* The same where the window is watched: true when it was a load of what was there. */
static bool look_back(struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset)
{
	struct hd_later *later = exec->later;
	if (inst->effects & HD_FX_STORE) {
		hd_past_keep(later->past, exec, base, offset, inst->access_bytes);
		hd_later_stores(exec);
		return false;
	}
	if (hd_later_holds(exec)) {
		later->in_order = true;
		return false;
	}
	hd_past_load(later->past, exec, inst, base, offset);
	return true;
}

/* An access to global memory in a window (later.c): true when nothing is left to do now. */
static bool put_off(struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset,
		    enum hd_mem_pattern pattern)
{
	if (__builtin_expect(exec->later->past != NULL, 0))
		return look_back(exec, inst, base, offset);
	if (!(inst->effects & HD_FX_STORE)) {
		bool holds = hd_later_holds(exec);
		if (holds)
			hd_later_load(exec, inst, base, offset);
		return holds;
	}
	if (pattern == HD_MEM_CONSECUTIVE && exec->mask == HD_FULL && inst->access_bytes == 4)
		hd_later_store_row(exec, inst, (uint8_t *)(base + offset[0]));
	else
		hd_later_store(exec, inst, base, offset);
	return true;
}

/* Data of lanes whose host addresses are in exec->offset. */
static void move_scattered(struct hd_exec *exec, const struct hd_dinst *inst)
{
	if (!(inst->effects & HD_FX_STORE))
		hd_exec_load_lanes(exec, inst, 0, exec->offset);
	else if (HD_WATCHED(exec->gpu, store_before))
		store_watched(exec, inst, 0, exec->offset);
	else
		store_lanes(exec, inst, 0, exec->offset);
}

/* `global`: those of the lanes that access global memory. */
static void move_mixed(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t global)
{
	uint32_t lanes = exec->mask;
	exec->mask = global;
	bool later = exec->later && global && put_off(exec, inst, 0, exec->offset, HD_MEM_SCATTERED);
	exec->mask = later ? lanes & ~global : lanes;
	move_scattered(exec, inst);
	exec->mask = lanes;
}

/* Some lanes access other blocks of the cluster. */
static void move_remote(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t remote, uint32_t global)
{
	uint32_t lanes = exec->mask;
	bool waits = hd_remote_waits(exec);
	if (waits)
		hd_remote_put_off(exec, inst, remote, exec->offset);
	exec->mask = waits ? lanes & ~remote : lanes;
	if (exec->mask)
		move_mixed(exec, inst, global);
	exec->mask = lanes;
}

/* Lane by lane through pointers, each checked; used when the warp's addresses do not lie together. */
static void access_scattered(struct hd_exec *exec, const struct hd_dinst *inst, const uint64_t *address, unsigned space)
{
	struct hd_effect *effect = exec->effect;
	uint32_t in_space[HD_MEM_SPACES] = {0};
	for (uint32_t left = exec->mask; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t where = address[lane];
		unsigned actual = space == HD_MEM_GENERIC ? resolve_generic(&where) : space;
		bool remote = false;
		uint8_t *host =
			actual == HD_MEM_SHARED && __builtin_expect(where >> HD_RANK_SHIFT, 0)
				? hd_remote_find(exec, inst, lane, (uint32_t)where, &effect->address[lane], &remote)
				: hd_exec_lane_access(exec, inst, lane, where, actual, &effect->address[lane]);
		if (!host)
			return;
		exec->offset[lane] = (uint64_t)(uintptr_t)host;
		in_space[remote ? HD_MEM_REMOTE : actual] |= 1u << lane;
	}
	if (in_space[HD_MEM_REMOTE])
		move_remote(exec, inst, in_space[HD_MEM_REMOTE], in_space[HD_MEM_GLOBAL]);
	else
		move_mixed(exec, inst, in_space[HD_MEM_GLOBAL]);
	effect->event = HD_EVENT_MEMORY;
	effect->space = in_space[HD_MEM_SHARED] == exec->mask  ? HD_MEM_SHARED
			: in_space[HD_MEM_LOCAL] == exec->mask ? HD_MEM_LOCAL
			: in_space[HD_MEM_REMOTE]	       ? HD_MEM_REMOTE
							       : HD_MEM_GLOBAL;
	effect->mask = in_space[effect->space];
	effect->elsewhere = exec->mask & ~effect->mask;
}

/* ---- whole warps */

static bool find_range(struct hd_exec *exec, struct hd_devrange *range, uint64_t low, uint64_t high)
{
	const struct hd_devmem *memory = exec->gpu->devmem;
	if (!hd_devmem_find(memory, low, &range->low, &range->high)) {
		range->epoch = 0;
		return false;
	}
	range->epoch = hd_devmem_epoch(memory);
	range->host = hd_devmem_host(memory, low);
	return high <= range->high && high > low;
}

/* The allocation that this instruction last was in. */
HD_INLINE struct hd_devrange *range_of(struct hd_exec *exec)
{
	return &exec->ranges[exec->warp->pc % (sizeof(exec->ranges) / sizeof(exec->ranges[0]))];
}

/* Whether [low, high) lies in one allocation, which is range_of then. */
HD_INLINE bool in_one_allocation(struct hd_exec *exec, uint64_t low, uint64_t high)
{
	struct hd_devrange *range = range_of(exec);
	if (low >= range->low && high <= range->high && high > low &&
	    range->epoch == hd_devmem_epoch(exec->gpu->devmem))
		return true;
	return find_range(exec, range, low, high);
}

/* Fills effect->address. False: not all lanes are aligned and in one allocation. */
HD_INLINE bool prepare_global(struct hd_exec *exec, const struct hd_dinst *inst, enum hd_mem_pattern *pattern)
{
	hd_u64s address = HD_LOAD64(inst->inst.a) + (uint64_t)(int64_t)(int32_t)inst->inst.x;
	*(hd_u64row *)exec->effect->address = address;
	const hd_u64s steps = {0,  4,  8,  12, 16, 20, 24, 28, 32, 36,	40,  44,  48,  52,  56,	 60,
			       64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124};
	uint64_t first = exec->effect->address[__builtin_ctz(exec->mask)];
	HD_MASK_OF(different, address != first + steps);
	HD_MASK_OF(unlike, address != first);
	uint64_t bytes = inst->access_bytes;
	*pattern = HD_MEM_SCATTERED;
	if (!(unlike & exec->mask)) {
		*pattern = HD_MEM_UNIFORM;
		return !(first & (bytes - 1)) && in_one_allocation(exec, first, first + bytes);
	}
	if (exec->mask == HD_FULL && !different && bytes == 4) {
		*pattern = HD_MEM_CONSECUTIVE;
		return !(first & 3) && in_one_allocation(exec, first, first + 4 * HD_WARP_LANES);
	}
	if (exec->mask != HD_FULL) {
		HD_MASK_VECTOR(active, exec->mask);
		address = __builtin_convertvector(active, hd_s64s) ? address : (hd_u64s)first;
	}
	uint64_t low = __builtin_reduce_min(address), high = __builtin_reduce_max(address);
	uint64_t bits = __builtin_reduce_or(address);
	return !(bits & (bytes - 1)) && in_one_allocation(exec, low, high + bytes) && high + bytes > high;
}

HD_INLINE void access_global(struct hd_exec *exec, const struct hd_dinst *inst, unsigned space)
{
	enum hd_mem_pattern pattern;
	if (!prepare_global(exec, inst, &pattern)) {
		uint64_t address[HD_WARP_LANES];
		memcpy(address, exec->effect->address, sizeof(address));
		access_scattered(exec, inst, address, space);
		return;
	}
	uintptr_t host = range_of(exec)->host;
	if (!exec->later || !put_off(exec, inst, host, exec->effect->address, pattern))
		move_data(exec, inst, host, exec->effect->address, pattern);
	exec->effect->event = HD_EVENT_MEMORY;
	exec->effect->space = HD_MEM_GLOBAL;
	exec->effect->pattern = (uint8_t)pattern;
}

HD_EXEC(op_global)
{
	access_global(exec, inst, HD_MEM_GLOBAL);
}

/* Windows never lie inside an allocation, so a warp that does not leave one needs no further look. */
HD_EXEC(op_generic)
{
	access_global(exec, inst, HD_MEM_GENERIC);
}

/* Offsets in a window of `room` bytes: whether all lanes are inside and aligned. */
#define WINDOW_OFFSETS(offset, inside, pattern, room)                                                             \
	const uint32_t *offset##_row = hd_row(exec->warp, inst->inst.a);                                          \
	hd_u32s offset = HD_LOAD(offset##_row) + inst->inst.x;                                                    \
	uint32_t offset##_first = offset##_row[__builtin_ctz(exec->mask)] + inst->inst.x;                         \
	bool inside;                                                                                              \
	enum hd_mem_pattern pattern;                                                                              \
	do {                                                                                                      \
		uint32_t bytes_ = inst->access_bytes, room_ = (room);                                             \
		uint32_t most_ = room_ >= bytes_ ? room_ - bytes_ : 0;                                            \
		HD_MASK_OF(outside_, ((hd_s32s)(offset > most_) | (hd_s32s)((offset & (bytes_ - 1)) != 0)) != 0); \
		const hd_u32s steps_ = {0,  4,	8,  12, 16, 20, 24, 28, 32, 36,	 40,  44,  48,	52,  56,  60,     \
					64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124};   \
		HD_MASK_OF(different_, offset != offset##_first + steps_);                                        \
		HD_MASK_OF(unlike_, offset != offset##_first);                                                    \
		inside = !(outside_ & exec->mask) && room_ >= bytes_;                                             \
		pattern = !different_ ? HD_MEM_CONSECUTIVE : HD_MEM_UNIFORM;                                      \
		if (different_ && unlike_ & exec->mask)                                                           \
			pattern = HD_MEM_SCATTERED;                                                               \
	} while (0)

#define FALL_BACK(offset, space)                                                   \
	do {                                                                       \
		uint64_t address_[HD_WARP_LANES];                                  \
		*(hd_u64row *)address_ = __builtin_convertvector(offset, hd_u64s); \
		access_scattered(exec, inst, address_, (space));                   \
	} while (0)

HD_EXEC(op_shared)
{
	const struct hd_cta *cta = exec->warp->cta;
	WINDOW_OFFSETS(offset, inside, pattern, cta->grid->shared_bytes);
	if (!inside) {
		FALL_BACK(offset, HD_MEM_SHARED);
		return;
	}
	/* The host base is moved back by the CTA's place in the SM, which the timing addresses contain. */
	*(hd_u64row *)exec->effect->address = __builtin_convertvector(offset, hd_u64s) + cta->shared_offset;
	move_data(exec, inst, (uintptr_t)cta->shared - cta->shared_offset, exec->effect->address, pattern);
	exec->effect->event = HD_EVENT_MEMORY;
	exec->effect->space = HD_MEM_SHARED;
}

HD_EXEC(op_local)
{
	const struct hd_warp *warp = exec->warp;
	uint32_t room = warp->cta->grid->local_bytes;
	WINDOW_OFFSETS(offset, inside, pattern, room);
	if (!inside) {
		FALL_BACK(offset, HD_MEM_LOCAL);
		return;
	}
	if (pattern == HD_MEM_UNIFORM) /* the words of a row */
		exec->effect->pattern = HD_MEM_CONSECUTIVE;
	const hd_u64s lanes = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
			       16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
	hd_u64s wide = __builtin_convertvector(offset, hd_u64s);
	*(hd_u64row *)exec->effect->address = (wide >> 2 << 7) + (wide & 3) + lanes * 4 + warp->local_base;
	*(hd_u64row *)exec->offset = wide + lanes * room;
	move_data(exec, inst, (uintptr_t)warp->local, exec->offset, HD_MEM_SCATTERED);
	exec->effect->event = HD_EVENT_MEMORY;
	exec->effect->space = HD_MEM_LOCAL;
}

/* Constant bank 0: fixed latency, so no memory event. */
HD_EXEC(op_ldc)
{
	WINDOW_OFFSETS(offset, inside, pattern, HD_CB_BYTES);
	if (!inside || HD_MODIFIER(BANK) != 0) {
		HD_FAULT(exec, (uint32_t)__builtin_ctz(exec->mask), HD_SIM_BAD_ADDRESS,
			 "%u-byte load outside constant bank %u or misaligned", inst->access_bytes, HD_MODIFIER(BANK));
		return;
	}
	*(hd_u64row *)exec->offset = __builtin_convertvector(offset, hd_u64s);
	move_data(exec, inst, (uintptr_t)exec->warp->cta->grid->constants, exec->offset, pattern);
}

const struct hd_exec_clones *hd_exec_memory_find(const struct hd_inst *inst)
{
	static const struct hd_exec_clones *const by_space[] = {
		[HD_AT_GENERIC] = &op_generic, [HD_AT_GLOBAL] = &op_global, [HD_AT_SHARED] = &op_shared,
		[HD_AT_LOCAL] = &op_local,     [HD_AT_CONST] = &op_ldc,
	};
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	/* LDSM is exec_mma.c's, LDGSTS exec_copy.c's, STAS remote.c's */
	bool plain = !(info->effects & (HD_FX_ATOMIC | HD_FX_CONVERGENT | HD_FX_ASYNC | HD_FX_SIDE));
	return info->space && info->space != HD_AT_TEXTURE && plain ? by_space[info->space] : NULL;
}
