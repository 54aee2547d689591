/*
 * Shared by the files of the functional executor: rows of 32 lanes as vectors, operands,
 * masked results, and the three builds of every operation.
 *
 * A register of a warp is a row of 32 words, so an operation is one expression over vectors
 * of 32 elements. HD_EXEC(name) { body } compiles the body for the baseline of the
 * architecture and, on x86-64, for its levels v3 (AVX2, FMA) and v4 (AVX-512); the loader
 * takes the best that the host has. All three give the same bits: no contraction, no
 * approximate host instruction, and NaN results are chosen explicitly.
 */
#ifndef HD_RUNTIME_EXEC_EXEC_H
#define HD_RUNTIME_EXEC_EXEC_H

#include <string.h>

#include "runtime/core/gpu.h"
#include "runtime/exec/execute.h"
#include "runtime/exec/fault.h"

typedef uint32_t hd_u32s __attribute__((ext_vector_type(32)));
typedef int32_t hd_s32s __attribute__((ext_vector_type(32)));
typedef uint64_t hd_u64s __attribute__((ext_vector_type(32)));
typedef int64_t hd_s64s __attribute__((ext_vector_type(32)));
typedef float hd_f32s __attribute__((ext_vector_type(32)));
typedef double hd_f64s __attribute__((ext_vector_type(32)));
typedef bool hd_bits __attribute__((ext_vector_type(32)));
/* As they lie in a register row or in hd_effect.address: no more than word-aligned. */
typedef hd_u32s hd_u32row __attribute__((aligned(4)));
typedef hd_u64s hd_u64row __attribute__((aligned(8)));

#define HD_INLINE static inline __attribute__((always_inline))
#define HD_FULL 0xffffffffu

typedef void (*hd_exec_fn)(struct hd_exec *exec, const struct hd_dinst *inst);
enum { HD_LEVEL_BASE, HD_LEVEL_V3, HD_LEVEL_V4, HD_LEVEL_COUNT };
struct hd_exec_clones {
	hd_exec_fn fn[HD_LEVEL_COUNT];
};

#define HD_CLONE(name, suffix, attribute)                                                     \
	attribute static void name##suffix(struct hd_exec *exec, const struct hd_dinst *inst) \
	{                                                                                     \
		name##_body(exec, inst);                                                      \
	}
#if defined(__x86_64__)
#define HD_CLONES(name)                                                \
	HD_CLONE(name, _base, )                                        \
	HD_CLONE(name, _v3, __attribute__((target("arch=x86-64-v3")))) \
	HD_CLONE(name, _v4, __attribute__((target("arch=x86-64-v4")))) \
	static const struct hd_exec_clones name = {{name##_base, name##_v3, name##_v4}};
#else
#define HD_CLONES(name)         \
	HD_CLONE(name, _base, ) \
	static const struct hd_exec_clones name = {{name##_base, name##_base, name##_base}};
#endif
/* Defines the operation `name`; its body follows and sees `exec` and `inst`. */
#define HD_EXEC(name)                                                                  \
	HD_INLINE void name##_body(struct hd_exec *exec, const struct hd_dinst *inst); \
	HD_CLONES(name)                                                                \
	HD_INLINE void name##_body(struct hd_exec *exec, const struct hd_dinst *inst)
/* An operation without vector work. */
#define HD_EXEC_PLAIN(name)                                                                  \
	static void name##_only(struct hd_exec *exec, const struct hd_dinst *inst);          \
	static const struct hd_exec_clones name = {{name##_only, name##_only, name##_only}}; \
	static void name##_only(struct hd_exec *exec, const struct hd_dinst *inst)

/* Rows. RZ is the row below row 0 for reading and the one below that for writing. */
HD_INLINE const uint32_t *hd_row(const struct hd_warp *warp, unsigned reg)
{
	return warp->regs[(int)(uint8_t)(reg + 1) - 1];
}
HD_INLINE uint32_t *hd_dst_row(const struct hd_warp *warp, unsigned reg)
{
	return warp->regs[reg == HD_RZ ? -2 : (int)reg];
}
/* High words of pairs and upper words of quads: RZ stays RZ. */
HD_INLINE unsigned hd_next_reg(unsigned reg, unsigned by)
{
	return reg == HD_RZ ? HD_RZ : reg + by;
}

HD_INLINE uint32_t hd_constant(const struct hd_warp *warp, uint32_t offset)
{
	uint32_t value;
	memcpy(&value, warp->cta->grid->constants + offset, sizeof(value));
	return value;
}
/* The immediate, constant or uniform operand. Constants are bank 0, checked at load. */
HD_INLINE uint32_t hd_x_value(const struct hd_warp *warp, const struct hd_inst *inst)
{
	if (hd_x_is_constant(inst->xkind))
		return hd_constant(warp, inst->x & 0xffff);
	return hd_x_is_uniform(inst->xkind) ? warp->uregs[inst->x] : inst->x;
}
/* ... as a 64-bit value: an immediate is the high word, a constant names a pair. */
HD_INLINE uint64_t hd_x_value64(const struct hd_warp *warp, const struct hd_inst *inst)
{
	if (hd_x_is_constant(inst->xkind))
		return hd_constant(warp, inst->x & 0xffff) | (uint64_t)hd_constant(warp, (inst->x & 0xffff) + 4) << 32;
	return (uint64_t)inst->x << 32;
}

/*
 * Vector expressions are macros: a function that takes or returns such a vector would have
 * a calling convention that depends on the instruction set.
 */
#define HD_LOAD(row) (*(const hd_u32row *)(row))
#define HD_SPLAT(value) ((hd_u32s)(uint32_t)(value))
#define HD_DEFINE_A(v) hd_u32s v = HD_LOAD(hd_row(exec->warp, inst->inst.a))
#define HD_DEFINE_B(v)                                             \
	hd_u32s v;                                                 \
	if (hd_x_in_b(inst->inst.xkind))                                \
		v = HD_SPLAT(hd_x_value(exec->warp, &inst->inst)); \
	else                                                       \
		v = HD_LOAD(hd_row(exec->warp, inst->inst.b))
#define HD_DEFINE_C(v)                                             \
	hd_u32s v;                                                 \
	if (hd_x_in_c(inst->inst.xkind))                                \
		v = HD_SPLAT(hd_x_value(exec->warp, &inst->inst)); \
	else                                                       \
		v = HD_LOAD(hd_row(exec->warp, inst->inst.c))

/* 64-bit operands. */
#define HD_JOIN(low, high) (__builtin_convertvector((low), hd_u64s) | __builtin_convertvector((high), hd_u64s) << 32)
#define HD_LOAD64(reg) HD_JOIN(HD_LOAD(hd_row(exec->warp, (reg))), HD_LOAD(hd_row(exec->warp, hd_next_reg((reg), 1))))
#define HD_DEFINE_A64(v) hd_u64s v = HD_LOAD64(inst->inst.a)
#define HD_DEFINE_B64(v)                                            \
	hd_u64s v;                                                  \
	if (hd_x_in_b(inst->inst.xkind))                                 \
		v = (hd_u64s)hd_x_value64(exec->warp, &inst->inst); \
	else                                                        \
		v = HD_LOAD64(inst->inst.b)
#define HD_DEFINE_C64(v)                                            \
	hd_u64s v;                                                  \
	if (hd_x_in_c(inst->inst.xkind))                                 \
		v = (hd_u64s)hd_x_value64(exec->warp, &inst->inst); \
	else                                                        \
		v = HD_LOAD64(inst->inst.c)

/* Lane mask as a vector of all-ones and zeros, and back from a comparison. */
#define HD_MASK_VECTOR(name, lanes)                                 \
	hd_s32s name;                                               \
	do {                                                        \
		uint32_t hd_lanes_ = (lanes);                       \
		hd_bits hd_bits_;                                   \
		memcpy(&hd_bits_, &hd_lanes_, sizeof(hd_lanes_));   \
		name = -__builtin_convertvector(hd_bits_, hd_s32s); \
	} while (0)
#define HD_MASK_OF(lanes, comparison)                                              \
	uint32_t lanes;                                                            \
	do {                                                                       \
		hd_bits hd_bits_ = __builtin_convertvector((comparison), hd_bits); \
		memcpy(&lanes, &hd_bits_, sizeof(lanes));                          \
	} while (0)

#define HD_STORE_ROW(row, value)                                      \
	do {                                                          \
		hd_u32row *hd_to_ = (hd_u32row *)(row);               \
		hd_u32s hd_value_ = (value);                          \
		if (__builtin_expect(exec->mask != HD_FULL, 0)) {     \
			HD_MASK_VECTOR(hd_select_, exec->mask);       \
			hd_value_ = hd_select_ ? hd_value_ : *hd_to_; \
		}                                                     \
		*hd_to_ = hd_value_;                                  \
	} while (0)
#define HD_STORE(value) HD_STORE_ROW(hd_dst_row(exec->warp, inst->inst.dst), (value))
#define HD_STORE64(value)                                                                                         \
	do {                                                                                                      \
		hd_u64s hd_wide_ = (value);                                                                       \
		HD_STORE_ROW(hd_dst_row(exec->warp, inst->inst.dst), __builtin_convertvector(hd_wide_, hd_u32s)); \
		HD_STORE_ROW(hd_dst_row(exec->warp, hd_next_reg(inst->inst.dst, 1)),                              \
			     __builtin_convertvector(hd_wide_ >> 32, hd_u32s));                                   \
	} while (0)

/* Predicates as lane masks. */
HD_INLINE uint32_t hd_pred(const struct hd_warp *warp, unsigned predicate)
{
	return warp->preds[predicate & 7] ^ (0u - (predicate >> 3 & 1));
}
HD_INLINE void hd_set_pred(struct hd_exec *exec, unsigned predicate, uint32_t lanes)
{
	if (predicate == HD_PT)
		return;
	uint32_t *to = &exec->warp->preds[predicate];
	*to = (*to & ~exec->mask) | (lanes & exec->mask);
}
HD_INLINE uint32_t hd_bool(unsigned operation, uint32_t a, uint32_t b)
{
	return operation == HD_BOOL_AND ? a & b : operation == HD_BOOL_OR ? a | b : a ^ b;
}

#define HD_MODIFIER(kind) hd_mod_get(inst->inst.mods, HD_MOD_##kind)
#define HD_FOR_LANES(lane, lanes)                                                                            \
	for (uint32_t hd_left_ = (lanes), lane = hd_left_ ? (uint32_t)__builtin_ctz(hd_left_) : 0; hd_left_; \
	     hd_left_ &= hd_left_ - 1, lane = hd_left_ ? (uint32_t)__builtin_ctz(hd_left_) : 0)

/* One word of an operand, for the slow paths. */
HD_INLINE uint32_t hd_lane_b(const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane)
{
	if (hd_x_in_b(inst->inst.xkind))
		return hd_x_value(exec->warp, &inst->inst);
	return hd_row(exec->warp, inst->inst.b)[lane];
}
HD_INLINE uint32_t hd_lane_c(const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane)
{
	if (hd_x_in_c(inst->inst.xkind))
		return hd_x_value(exec->warp, &inst->inst);
	return hd_row(exec->warp, inst->inst.c)[lane];
}
HD_INLINE uint64_t hd_lane_pair(const struct hd_warp *warp, unsigned reg, uint32_t lane)
{
	return hd_row(warp, reg)[lane] | (uint64_t)hd_row(warp, hd_next_reg(reg, 1))[lane] << 32;
}
HD_INLINE void hd_set_pair(const struct hd_warp *warp, unsigned reg, uint32_t lane, uint64_t value)
{
	hd_dst_row(warp, reg)[lane] = (uint32_t)value;
	hd_dst_row(warp, hd_next_reg(reg, 1))[lane] = (uint32_t)(value >> 32);
}

/* The operations of each file: NULL when the opcode is another file's. */
const struct hd_exec_clones *hd_exec_int_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_fp_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_half_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_mufu_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_convert_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_memory_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_atomic_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_warp_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_mma_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_sparse_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_texture_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_copy_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_cluster_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_sync_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_bulk_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_wgmma_find(const struct hd_inst *inst);
const struct hd_exec_clones *hd_exec_linear_find(const struct hd_inst *inst);
/* The best build that this host can run, and the operation of an instruction at a level; NULL for control. */
int hd_exec_level(void);
hd_exec_fn hd_exec_resolve(const struct hd_inst *inst, int level);

/* exec_control.c: branches, calls, exits, traps and services. Moves the pc itself. */
void hd_exec_control(struct hd_exec *exec, const struct hd_dinst *inst);
/* exec_syscall.c. Returns 0, or an error that was reported. */
int hd_exec_syscall(struct hd_exec *exec, const struct hd_dinst *inst);
/* exec_mma.c: whether all lanes execute the instruction; else a fault. */
bool hd_exec_whole_warp(struct hd_exec *exec, const struct hd_dinst *inst);
/* A fault of `lane` at the current instruction. */
#define HD_FAULT(exec, lane, error, ...)                                                                 \
	do {                                                                                             \
		hd_gpu_fault((exec)->gpu, (exec)->warp, (exec)->warp->pc, (lane), (error), __VA_ARGS__); \
		(exec)->fault = true;                                                                    \
	} while (0)

/* simt.c. Gives the lanes the threads of the block's warp `index`. */
void hd_warp_name_threads(struct hd_warp *warp, const struct hd_grid *grid, uint32_t index);

/* simt.c: the SIMT stack. `mask` are the lanes that the instruction at warp->pc moves. */
enum { HD_SIMT_DEPTH = 32768 };
struct hd_simt_group {
	uint32_t pc, mask;
};
/* Splits the active lanes among targets (disjoint, together all active lanes); the last group runs first. False: the
 * stack is full. */
bool hd_simt_split(struct hd_warp *warp, const struct hd_simt_group *groups, uint32_t count, uint32_t reconv);
bool hd_simt_call(struct hd_warp *warp, uint32_t mask, uint32_t target, uint32_t callee);
/* The lanes return; true when the call entry was popped with its last lane. Not for the kernel itself. */
bool hd_simt_return(struct hd_warp *warp, uint32_t mask);
bool hd_simt_in_call(const struct hd_warp *warp);
/* The instruction that a lane waits at, or is to execute next. */
uint32_t hd_simt_pc_of(const struct hd_warp *warp, uint32_t lane);
/* The lanes end; true when no lane of the warp is left. */
bool hd_simt_exit(struct hd_warp *warp, uint32_t mask, bool *call_ended);
/* yield.c: forward progress. */
/* After a branch back of a loop that may spin: runs another path of the warp if it does. */
void hd_simt_spin(struct hd_exec *exec, const struct hd_dinst *inst);
/* Behind a NANOSLEEP in a loop that may be a wait. The lanes that run sleep for so many cycles; other paths of the warp
 * that are awake, or wake before, run meanwhile: the effect says `yielded` then. */
void hd_simt_sleep(struct hd_exec *exec, uint64_t cycles);
/* The whole warp has slept, in a function perhaps that such a loop calls: the loop makes way at its next turn. */
void hd_simt_slept(struct hd_warp *warp);
/* NANOSLEEP: the time that its lanes asked for, at most a millisecond, in core cycles. */
uint64_t hd_sleep_cycles(const struct hd_gpu *gpu, const struct hd_warp *warp, const struct hd_inst *inst,
			 uint32_t mask);
/* The path on top has become the one that runs: it goes on when its lanes have slept enough. */
HD_INLINE void hd_simt_wake(struct hd_warp *warp)
{
	uint64_t wakes = hd_vec_last(&warp->stack).wakes;
	if (wakes > warp->stall_until)
		warp->stall_until = wakes;
}
/* Would a path that spins make way for another one of the warp? */
bool hd_simt_may_yield(const struct hd_gpu *gpu, const struct hd_warp *warp);
/* Before a convergent instruction of a warp that was reordered. True: another path runs first, or lanes joined this
 * one. */
bool hd_simt_gather(struct hd_exec *exec, const struct hd_dinst *inst);
/* Of a path at an operation among lanes: another one that waits at the same instruction joins it; `lanes` of it go on
 * by themselves; another path runs. False: there is none; the stack is full; there is none. */
bool hd_simt_join(struct hd_exec *exec);
bool hd_simt_part(struct hd_exec *exec, uint32_t lanes);
bool hd_simt_leave(struct hd_exec *exec);
/* Goes on at `pc`, reconverging. */
void hd_simt_jump(struct hd_warp *warp, uint32_t pc);

/* meet.c: operations among the lanes of a warp. What one is called in messages; the mask that a lane brings to it. */
const char *hd_meeting_name(unsigned op);
uint32_t hd_meeting_mask(const struct hd_warp *warp, const struct hd_inst *inst, uint32_t lane);
/* Before the lanes in exec->mask execute one. True: they do not, since some of their masks are elsewhere; another path
 * is on top, or exec->fault is set. */
bool hd_warp_meet(struct hd_exec *exec, const struct hd_dinst *inst);
/* The same from the operation itself, where not all lanes of the warp are here. True: there is nothing more to do. */
bool hd_warp_meet_apart(struct hd_exec *exec, const struct hd_dinst *inst);
/* exec_warp.c: the lane that one reads in a shuffle, and whether that is in range (if not, it is its own); what it
 * brings to a match. */
uint32_t hd_exec_shuffle_source(const struct hd_warp *warp, const struct hd_inst *inst, uint32_t lane, bool *inside);
uint64_t hd_exec_match_value(const struct hd_warp *warp, const struct hd_inst *inst, uint32_t lane);

/* exec_memory.c, for services: reads through any address space as a thread sees it. NULL when it may not. `bytes` that
 * can be read from there on are stored in `room`. */
const uint8_t *hd_exec_readable(struct hd_exec *exec, uint32_t lane, uint64_t address, uint64_t *room);
/* Host pointer and timing address of one lane's access in the given space, or NULL with the fault reported. */
uint8_t *hd_exec_lane_access(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint64_t address,
			     unsigned space, uint64_t *timing);
/* What a global address is that no allocation has, in words that follow it in a sentence. */
void hd_exec_describe_stray(const struct hd_exec *exec, uint64_t address, char *text, size_t size);
#define HD_MEM_GENERIC HD_MEM_SPACES /* beside enum hd_mem_space: to be resolved by window */

/* exec_linear.c: puts the linear operand's value into the pair from hd_linear_scratch on, in the lanes of exec->mask.
 * The same instruction on that pair; NULL: a fault. */
const struct hd_dinst *hd_exec_linear_sum(struct hd_exec *exec, const struct hd_dinst *inst);

/* softfp.c: floating-point formats in integers, for conversions and what the host cannot round. */
struct hd_unpacked {
	uint8_t kind; /* enum below */
	bool sign;
	int exponent; /* value = significand * 2^exponent */
	uint64_t significand;
};
enum { HD_FP_ZERO, HD_FP_FINITE, HD_FP_INF, HD_FP_NAN };
struct hd_unpacked hd_fp_unpack(enum hd_type type, uint64_t bits);
/* Rounds to the format; `rounding` is HD_RN, HD_RM, HD_RP or HD_RND_RZ. NaN gives the canonical one. */
uint64_t hd_fp_pack(enum hd_type type, const struct hd_unpacked *value, unsigned rounding);
/* Rounds the magnitude to an integer; saturates at UINT64_MAX. */
uint64_t hd_fp_magnitude(const struct hd_unpacked *value, unsigned rounding);

/* decode.c: an instruction of function number `function`, whose first one is at `first`. */
struct hd_dinst hd_dinst_decode(const struct hd_gpu *gpu, const struct hd_inst *inst, uint32_t first, uint32_t function,
				int level);

/* exec_copy.c: an asynchronous copy of a lane: bytes that are read, zeros behind them up to its size; an offset in the
 * block's shared memory. */
struct hd_copied {
	const uint8_t *from;
	uint32_t to, bytes;
};
void hd_exec_copy_lane(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_copied *copied);
/* The device address that it reads, and how many bytes there. */
void hd_exec_copy_source(const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint64_t *address,
			 uint32_t *bytes);
/* exec_atomic.c: one lane's atomic operation on the memory at `host`; its result register is written. */
void hd_exec_lane_atomic(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint8_t *host);
/* Its operands, and the operation with them. Upper halves are those of 128 bits. */
struct hd_atomic_operands {
	uint64_t b, c, b_high, c_high;
};
struct hd_atomic_operands hd_exec_atomic_operands(const struct hd_exec *exec, const struct hd_dinst *inst,
						  uint32_t lane);
void hd_exec_atomic_do(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint8_t *host,
		       const struct hd_atomic_operands *operands);
/* What the operation makes of two values of the type; single precision without subnormals where it `flushes`, as sums
 * in global memory are. */
uint64_t hd_exec_combine(unsigned op, unsigned type, uint64_t old, uint64_t value, bool flushes);
/* exec_memory.c: what the lanes in exec->mask load from base + offset[lane], on the host and checked. */
void hd_exec_load_lanes(const struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base,
			const uint64_t *offset);

#endif
