/*
 * Functional execution: ATOMG, ATOMS and ATOM. Lanes act one after the other in lane order, so
 * that a run has one result on every host. Floating-point addition rounds to nearest and keeps denormals, but for
 * single precision outside of shared memory.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/later.h"
#include "runtime/exec/past.h"
#include "runtime/exec/remote.h"

static uint64_t lane_operand(const struct hd_exec *exec, unsigned reg, uint32_t lane, bool wide)
{
	return wide ? hd_lane_pair(exec->warp, reg, lane) : hd_row(exec->warp, reg)[lane];
}

static uint32_t add_f32(uint32_t a, uint32_t b)
{
	float x, y;
	memcpy(&x, &a, 4);
	memcpy(&y, &b, 4);
	x += y;
	if (x != x)
		return 0x7fffffff;
	memcpy(&a, &x, 4);
	return a;
}

static uint32_t flushed(uint32_t bits)
{
	return bits & 0x7f800000u ? bits : bits & 0x80000000u;
}

/* In global memory denormals count as zeros, and none is written (PTX ISA, atom; so does an H100). */
static uint64_t add_f32_flushed(uint64_t a, uint64_t b)
{
	return flushed(add_f32(flushed((uint32_t)a), flushed((uint32_t)b)));
}

static uint64_t add_f64(uint64_t a, uint64_t b)
{
	double x, y, sum;
	memcpy(&x, &a, 8);
	memcpy(&y, &b, 8);
	sum = x + y;
	if (sum != sum)
		return (x != x ? a : y != y ? b : UINT64_C(0xfff8000000000000)) | UINT64_C(0x0008000000000000);
	memcpy(&a, &sum, 8);
	return a;
}

/* 16-bit sums are exact in double. */
static uint64_t add_half(enum hd_type type, uint64_t a, uint64_t b)
{
	struct hd_unpacked x = hd_fp_unpack(type, a), y = hd_fp_unpack(type, b);
	uint64_t sum = add_f64(hd_fp_pack(HD_F64, &x, HD_RN), hd_fp_pack(HD_F64, &y, HD_RN));
	struct hd_unpacked exact = hd_fp_unpack(HD_F64, sum);
	return hd_fp_pack(type, &exact, HD_RN);
}

static uint64_t add(unsigned type, uint64_t a, uint64_t b)
{
	switch (type) {
	case HD_F32: return add_f32((uint32_t)a, (uint32_t)b);
	case HD_F64: return add_f64(a, b);
	case HD_F16:
	case HD_BF16: return add_half((enum hd_type)type, a, b);
	default: return a + b;
	}
}

static uint64_t half_as_double(unsigned type, uint64_t half)
{
	struct hd_unpacked exact = hd_fp_unpack((enum hd_type)type, half);
	return hd_fp_pack(HD_F64, &exact, HD_RN);
}

/* Whether a < b in the type. A floating-point NaN is below nothing. */
static bool less(unsigned type, uint64_t a, uint64_t b)
{
	float x, y;
	double u, v;
	switch (type) {
	case HD_S32: return (int32_t)a < (int32_t)b;
	case HD_S64: return (int64_t)a < (int64_t)b;
	case HD_U64: return a < b;
	case HD_F32:
		memcpy(&x, &a, 4);
		memcpy(&y, &b, 4);
		return x < y;
	case HD_F64:
		memcpy(&u, &a, 8);
		memcpy(&v, &b, 8);
		return u < v;
	case HD_F16:
	case HD_BF16: return less(HD_F64, half_as_double(type, a), half_as_double(type, b));
	default: return (uint32_t)a < (uint32_t)b;
	}
}

static uint64_t combine(unsigned op, unsigned type, uint64_t old, uint64_t b, uint64_t c)
{
	switch (op) {
	case HD_ATOM_ADD: return add(type, old, b);
	case HD_ATOM_MIN: return less(type, b, old) ? b : old;
	case HD_ATOM_MAX: return less(type, old, b) ? b : old;
	case HD_ATOM_INC: return less(type, old, b) ? old + 1 : 0;
	case HD_ATOM_DEC: return old == 0 || less(type, b, old) ? b : old - 1;
	case HD_ATOM_AND: return old & b;
	case HD_ATOM_OR: return old | b;
	case HD_ATOM_XOR: return old ^ b;
	case HD_ATOM_EXCH: return b;
	default: return old == b ? c : old; /* CAS */
	}
}

uint64_t hd_exec_combine(unsigned op, unsigned type, uint64_t old, uint64_t value, bool flushes)
{
	bool adds = op == HD_ATOM_ADD && type == HD_F32;
	return adds && flushes ? add_f32_flushed(old, value) : combine(op, type, old, value, 0);
}

struct hd_atomic_operands hd_exec_atomic_operands(const struct hd_exec *exec, const struct hd_dinst *inst,
						  uint32_t lane)
{
	unsigned type = HD_MODIFIER(DTYPE), b = inst->inst.b, c = inst->inst.c;
	bool wide = hd_type_registers(type) > 1, swaps = HD_MODIFIER(ATOMOP) == HD_ATOM_CAS;
	struct hd_atomic_operands out = {.b = lane_operand(exec, b, lane, wide)};
	if (swaps)
		out.c = lane_operand(exec, c, lane, wide);
	if (type == HD_B128) {
		out.b_high = hd_lane_pair(exec->warp, hd_next_reg(b, 2), lane);
		out.c_high = swaps ? hd_lane_pair(exec->warp, hd_next_reg(c, 2), lane) : 0;
	}
	return out;
}

/* EXCH, and CAS. */
static void do_128(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint8_t *host,
		   const struct hd_atomic_operands *operands)
{
	uint64_t old[2], b[2] = {operands->b, operands->b_high}, c[2] = {operands->c, operands->c_high};
	memcpy(old, host, sizeof old);
	if (HD_MODIFIER(ATOMOP) == HD_ATOM_EXCH)
		memcpy(host, b, sizeof b);
	else if (!memcmp(old, b, sizeof b))
		memcpy(host, c, sizeof c);
	HD_TELL(exec->gpu, changed, exec, host, old, sizeof old);
	hd_set_pair(exec->warp, inst->inst.dst, lane, old[0]);
	hd_set_pair(exec->warp, hd_next_reg(inst->inst.dst, 2), lane, old[1]);
}

void hd_exec_atomic_do(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint8_t *host,
		       const struct hd_atomic_operands *operands)
{
	if (HD_MODIFIER(DTYPE) == HD_B128) {
		do_128(exec, inst, lane, host, operands);
		return;
	}
	unsigned op = HD_MODIFIER(ATOMOP), type = HD_MODIFIER(DTYPE), bytes = inst->access_bytes;
	uint64_t keep = ~UINT64_C(0) >> (64 - 8 * bytes), old = 0;
	memcpy(&old, host, bytes);
	bool flushes = op == HD_ATOM_ADD && type == HD_F32 && inst->inst.op != HD_OP_ATOMS;
	uint64_t stored = flushes ? add_f32_flushed(old, operands->b)
				  : combine(op, type, old, operands->b & keep, operands->c & keep);
	memcpy(host, &stored, bytes);
	HD_TELL(exec->gpu, changed, exec, host, &old, bytes);
	if (hd_type_registers(type) > 1)
		hd_set_pair(exec->warp, inst->inst.dst, lane, old);
	else
		hd_dst_row(exec->warp, inst->inst.dst)[lane] = (uint32_t)old;
}

void hd_exec_lane_atomic(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint8_t *host)
{
	struct hd_atomic_operands operands = hd_exec_atomic_operands(exec, inst, lane);
	hd_exec_atomic_do(exec, inst, lane, host, &operands);
}

/* The space of a generic address; *address becomes the offset there. */
static unsigned space_of(unsigned in, uint64_t *address)
{
	if (in == HD_AT_SHARED)
		return HD_MEM_SHARED;
	if (in == HD_AT_GENERIC && *address - HD_SHARED_WINDOW < HD_SHARED_WINDOW_BYTES) {
		*address -= HD_SHARED_WINDOW;
		return HD_MEM_SHARED;
	}
	if (in == HD_AT_GENERIC && *address - HD_LOCAL_WINDOW < HD_LOCAL_WINDOW_BYTES) {
		*address -= HD_LOCAL_WINDOW;
		return HD_MEM_LOCAL;
	}
	return HD_MEM_GLOBAL;
}

/* Where the window is watched it is done at once, and known to be later than what others load. */
static void look_back(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lanes, uint8_t *const *host)
{
	uint32_t all = exec->mask;
	uint64_t place[HD_WARP_LANES];
	HD_FOR_LANES (lane, lanes)
		place[lane] = (uintptr_t)host[lane];
	exec->mask = lanes;
	hd_past_keep(exec->later->past, exec, 0, place, inst->access_bytes);
	exec->mask = all;
	exec->later->in_order = true;
}

static void put_off_remote(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lanes, uint8_t *const *host)
{
	uint64_t place[HD_WARP_LANES] = {0};
	HD_FOR_LANES (lane, lanes)
		place[lane] = (uintptr_t)host[lane];
	hd_remote_put_off(exec, inst, lanes, place);
}

HD_EXEC_PLAIN(op_atomic)
{
	const struct hd_inst *in = &inst->inst;
	struct hd_effect *effect = exec->effect;
	unsigned memory = hd_opinfo[in->op].space;
	uint32_t in_space[HD_MEM_SPACES] = {0};
	uint8_t *host[HD_WARP_LANES];
	HD_FOR_LANES (lane, exec->mask) {
		uint64_t address = memory == HD_AT_SHARED
					   ? hd_row(exec->warp, in->a)[lane] + in->x
					   : hd_lane_pair(exec->warp, in->a, lane) + (uint64_t)(int64_t)(int32_t)in->x;
		if (memory == HD_AT_SHARED)
			address = (uint32_t)address;
		unsigned space = space_of(memory, &address);
		bool remote = false;
		host[lane] =
			space == HD_MEM_SHARED && __builtin_expect(address >> HD_RANK_SHIFT, 0)
				? hd_remote_find(exec, inst, lane, (uint32_t)address, &effect->address[lane], &remote)
				: hd_exec_lane_access(exec, inst, lane, address, space, &effect->address[lane]);
		if (!host[lane])
			return;
		in_space[remote ? HD_MEM_REMOTE : space] |= 1u << lane;
	}
	uint32_t all = exec->mask, put_off = exec->later ? in_space[HD_MEM_GLOBAL] : 0;
	uint32_t remote = hd_remote_waits(exec) ? in_space[HD_MEM_REMOTE] : 0;
	if (__builtin_expect(remote != 0, 0))
		put_off_remote(exec, inst, remote, host);
	if (put_off && exec->later->past) {
		look_back(exec, inst, put_off, host);
		put_off = 0;
	}
	HD_FOR_LANES (lane, all & ~put_off & ~remote)
		hd_exec_lane_atomic(exec, inst, lane, host[lane]);
	if (put_off) {
		exec->mask = put_off;
		hd_later_atomic(exec, inst, host);
		exec->mask = all;
	}
	effect->event = HD_EVENT_MEMORY;
	effect->space = in_space[HD_MEM_SHARED] == exec->mask  ? HD_MEM_SHARED
			: in_space[HD_MEM_LOCAL] == exec->mask ? HD_MEM_LOCAL
			: in_space[HD_MEM_REMOTE]	       ? HD_MEM_REMOTE
							       : HD_MEM_GLOBAL;
	effect->mask = in_space[effect->space];
	effect->elsewhere = exec->mask & ~effect->mask;
}

const struct hd_exec_clones *hd_exec_atomic_find(const struct hd_inst *inst)
{
	unsigned effects = hd_opinfo[inst->op].effects;
	return effects & HD_FX_ATOMIC && !(effects & HD_FX_SIDE) ? &op_atomic : NULL; /* REDAS is remote.c's */
}
