/*
 * The machine that Heddle lowers to and simulates (docs/architecture.md, The machine): registers, instructions, their
 * 16-byte encoding and the accessors of the opcode table. Opcode names are in heddle/opcodes.h, so that a new row of
 * opcodes.def only recompiles sources that use names; heddle/machine.h includes both.
 *
 * Program counters within a function are instruction indices; the `pc` of users and metadata is the byte offset, index
 * * HD_INST_BYTES.
 */
#ifndef HEDDLE_INST_H
#define HEDDLE_INST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/api.h"

#define HD_WARP_LANES 32
#define HD_INST_BYTES 16
#define HD_RZ 255          /* reads as zero, writes are dropped */
#define HD_MAX_REGS 255    /* R0..R254 */
/* UR0..UR55, one value per warp; Turing and later have 63, here they share a scoreboard word with the predicates */
#define HD_MAX_UREGS 56
#define HD_PT 7            /* reads as true, writes are dropped */
#define HD_MAX_PREDS 7     /* P0..P6 */
#define HD_PRED_NOT 8      /* in guard, psrc, psrc2: the predicate is inverted */
#define HD_NO_PC 0xffffffu /* 24 bits: no reconvergence point (paths end separately) */

/* Constant bank 0, byte offsets (Volta's layout where known). */
enum {
	HD_CB_NTID_X = 0x0,
	HD_CB_NTID_Y = 0x4,
	HD_CB_NTID_Z = 0x8,
	HD_CB_NCTAID_X = 0xc,
	HD_CB_NCTAID_Y = 0x10,
	HD_CB_NCTAID_Z = 0x14,
	HD_CB_SHARED_WINDOW = 0x18, /* 64-bit generic address of shared offset 0 */
	HD_CB_LOCAL_WINDOW = 0x20,  /* 64-bit generic address of local offset 0 */
	HD_CB_STACK_TOP = 0x28,	    /* initial R1: bytes of local memory per thread */
	HD_CB_DYN_SHARED = 0x2c,    /* shared offset at which dynamic shared memory begins */
	HD_CB_DYN_BYTES = 0x30,	    /* dynamic shared memory of the launch */
	HD_CB_SHARED_BYTES = 0x34,  /* all shared memory of a block, in whole allocation units */
	HD_CB_PARAM_COPY = 0x38, /* 64-bit device address of a copy of this bank, of which the parameters are there */
	/* Blocks of a cluster, 1 in each dimension without one; clusters of the grid. */
	HD_CB_CLUSTER_X = 0x40,
	HD_CB_CLUSTER_Y = 0x44,
	HD_CB_CLUSTER_Z = 0x48,
	HD_CB_NCLUSTERID_X = 0x4c,
	HD_CB_NCLUSTERID_Y = 0x50,
	HD_CB_NCLUSTERID_Z = 0x54,
	HD_CB_CLUSTER_BLOCKS = 0x58,   /* of a cluster, in all */
	HD_CB_CLUSTER_EXPLICIT = 0x5c, /* 1: launched with clusters */
	HD_CB_PARAMS = 0x160,
	HD_CB_BYTES = 0x160 + 32764 /* CUDA 12.1's parameter limit, sm_70 and later */
};

/* Returns whether `bytes` (at most 16) at the offset are in constant bank 0; other constants cannot be operands. */
static inline bool hd_cb_holds(int64_t offset, uint32_t bytes)
{
	return offset >= 0 && offset <= (int64_t)HD_CB_BYTES - (int64_t)bytes;
}

/* Generic address windows. Global memory never reaches them. */
#define HD_SHARED_WINDOW UINT64_C(0x7f0000000000)
#define HD_SHARED_WINDOW_BYTES UINT64_C(0x12000000)
/*
 * Addresses of shared memory in clusters: the offset in a block's shared memory, and above it which block of the
 * cluster: 0 the own one, n the block of rank n, 16 that of rank 0. So variables need no rank in their addresses, and
 * an address that MAPA has made means the same in all blocks.
 */
enum { HD_RANK_SHIFT = 24, HD_RANK_FIRST = 16, HD_CLUSTER_MOST = 16 };
#define HD_RANK_OFFSET ((UINT32_C(1) << HD_RANK_SHIFT) - 1)
/* Ranks that no cluster has stay such ones. */
static inline uint32_t hd_rank_code(uint32_t rank)
{
	return rank >= HD_CLUSTER_MOST ? HD_RANK_FIRST + 1 : rank ? rank : HD_RANK_FIRST;
}
#define HD_LOCAL_WINDOW UINT64_C(0x7f1000000000)
#define HD_LOCAL_WINDOW_BYTES UINT64_C(0x100000000)
/* Addresses of functions as data: HD_CODE_WINDOW + HD_INST_BYTES * (index in the loaded program). */
#define HD_CODE_WINDOW UINT64_C(0x7f2000000000)

/* Opcodes are numbers below this limit, which the encoding's opcode bits allow; enum hd_op of heddle/opcodes.h
 * names them. */
enum { HD_OP_LIMIT = 1 << 7 };

/* Copy groups that a warp can have in flight, including the open one: the range of a six-bit counter on NVIDIA's
 * cards (heddle/control.h). */
enum { HD_COPY_GROUPS = 64 };

/* Execution pipelines, with configuration keys of their initiation intervals and units per SM, and counters of
 * their instructions. Each scheduler has a branch unit that takes one instruction per cycle. */
#define HD_PIPE_LIST(X)                           \
	X(INT, ii_int, units_int, int_instructions)    \
	X(FP32, ii_fp32, units_fp32, fp32_instructions) \
	X(FP64, ii_fp64, units_fp64, fp64_instructions) \
	X(SFU, ii_sfu, units_sfu, sfu_instructions)    \
	X(TENSOR, ii_tensor, units_tensor, tensor_instructions) \
	X(LSU, ii_lsu, schedulers, lsu_instructions)
enum hd_pipe {
#define X(name, interval, units, counter) HD_PIPE_##name,
	HD_PIPE_LIST(X)
#undef X
		HD_PIPE_BRU,
	HD_PIPE_RENAME, /* not for opcodes: work of the operand collector for a policy, without a unit */
	HD_PIPE_COUNT
};

/* Latency classes, with configuration keys of their cycles and the cycles that the compiler assumes (Volta's where
 * measured). Memory latencies vary; the compiler assumes a hit half hidden by other warps. */
#define HD_LAT_LIST(X)                                                                      \
	X(IADD, lat_iadd, 4) X(IMAX, lat_imax, 4) X(IMUL, lat_imul, 5) X(IMAD, lat_imad, 5)    \
	X(IDIV, lat_idiv, 20) X(SHFL, lat_shfl, 22) X(S2R, lat_s2r, 20)                        \
	X(FADD, lat_fadd, 4) X(FMAX, lat_fmax, 4) X(FMUL, lat_fmul, 4) X(FMAD, lat_fmad, 4)    \
	X(FDIV, lat_fdiv, 20) X(DADD, lat_dadd, 8) X(DMAX, lat_dmax, 8) X(DMUL, lat_dmul, 8)   \
	X(DMAD, lat_dmad, 8) X(DDIV, lat_ddiv, 40) X(SFU, lat_sfu, 20) X(LDC, lat_ldc, 10)     \
	X(CTRL, lat_ctrl, 4) X(IMADHI, lat_imad_hi, 6) X(EX2, lat_ex2, 20) X(RCP, lat_rcp, 20) \
	X(RSQ, lat_rsq, 20) X(HALF, lat_half, 6) X(HMMA, lat_hmma, 9) X(IMMA, lat_imma, 10)       \
	X(DMMA, lat_dmma, 20)
enum { HD_LAT_MEM_EXPECTED = 30 };
enum hd_lat {
#define X(name, key, expected) HD_LAT_##name,
	HD_LAT_LIST(X)
#undef X
		HD_LAT_MEM,
	HD_LAT_COUNT
};

enum {
	HD_FX_LOAD = 1 << 0,
	HD_FX_STORE = 1 << 1,
	HD_FX_ATOMIC = 1 << 2,
	HD_FX_BRANCH = 1 << 3,
	HD_FX_CALL = 1 << 4,
	HD_FX_RET = 1 << 5,
	HD_FX_EXIT = 1 << 6,
	HD_FX_BARRIER = 1 << 7,
	HD_FX_CONVERGENT = 1 << 8,
	HD_FX_SIDE = 1 << 9,
	HD_FX_FENCE = 1 << 10,
	HD_FX_READ_PREDS = 1 << 11,
	HD_FX_WRITE_PREDS = 1 << 12,
	HD_FX_ASYNC = 1 << 13 /* loads into shared memory without a register, and completes some time before a wait */
};

enum { HD_SM_NEG = 1, HD_SM_ABS = 2 };
enum hd_srcx { HD_XN, HD_XB, HD_XC, HD_XBC, HD_XM, HD_XT, HD_XS };
enum hd_width {
	HD_W__ = 0,
	HD_W_R = 1,
	HD_W_D = 2,
	HD_W_Q = 4,
	HD_W_M = 16,
	HD_W_T = 17,
	HD_W_S = 18,
	HD_W_H = 19,
	HD_W_X = 20,
	HD_W_V = 21,
	HD_W_K = 22,
	HD_W_G = 23,
	HD_W_E = 24,
	HD_W_U = 32
};
enum hd_number { HD_N__, HD_N_I, HD_N_F, HD_N_D, HD_N_S, HD_N_HALF /* only returned by hd_op_number */ };
enum hd_swap { HD_SWAP__, HD_SWAP_AB, HD_SWAP_ABC, HD_SWAP_LUT, HD_SWAP_CMP, HD_SWAP_SIGNS };
enum hd_memory_space { HD_AT__, HD_AT_GENERIC, HD_AT_GLOBAL, HD_AT_SHARED, HD_AT_LOCAL, HD_AT_CONST, HD_AT_TEXTURE };

/*
 * Modifier kinds: HD_MOD(kind, shift, bits, names). Each kind has one fixed place in the
 * 16-bit `mods`, so that code can test it without knowing the opcode. `names` are the
 * printed spellings by value, separated by '|'; an empty one prints nothing. "#" prints the number.
 */
#define HD_MOD_LIST(X)                                                                         \
	X(CMP, 0, 4, "F|LT|EQ|LE|GT|NE|GE|NUM|NAN|LTU|EQU|LEU|GTU|NEU|GEU|T")                  \
	X(BOOL, 4, 2, "AND|OR|XOR")                                                            \
	X(SIGN, 6, 1, "U32|")                                                                  \
	X(SIGNB, 5, 1, "U8|S8")                                                                \
	X(EX, 7, 1, "|EX")                                                                     \
	X(RND, 8, 2, "|RM|RP|RZ")                                                              \
	X(FTZ, 10, 1, "|FTZ")                                                                  \
	X(SAT, 11, 1, "|SAT")                                                                  \
	X(NAN, 12, 1, "|NAN")                                                                  \
	X(MINMAX, 0, 1, "MIN|MAX")                                                             \
	X(LUT, 0, 8, "#")                                                                      \
	X(SHAMT, 0, 5, "#")                                                                    \
	X(WRAP, 0, 1, "|W")                                                                    \
	X(SHIFTED, 1, 2, "|U64|S64")                                                           \
	X(SH, 0, 1, "|SH")                                                                     \
	X(SR, 0, 8, "sr")                                                                      \
	X(MUFUFN, 0, 4, "RCP|RSQ|SQRT|SIN|COS|EX2|LG2|TANH|RCP64H|RSQ64H")                     \
	X(DTYPE, 0, 4, "U8|S8|U16|S16|U32|S32|U64|S64|F16|F32|F64|BF16|B128")                  \
	X(STYPE, 4, 4, "U8|S8|U16|S16|U32|S32|U64|S64|F16|F32|F64|BF16")                       \
	X(SIZE, 0, 3, "U8|S8|U16|S16||64|128")                                                 \
	X(CACHE, 3, 3, "|CA|CG|CS|LU|CV|WT|CI")                                                \
	X(SCOPE, 6, 2, "|CTA|GPU|SYS")                                                         \
	X(SCOPE8, 8, 2, "|CTA|GPU|SYS")                                                        \
	X(SEM, 13, 3, "|RELAXED|ACQUIRE|RELEASE|ACQ_REL|SC|VOLATILE")                          \
	X(ATOMOP, 4, 4,  "ADD|MIN|MAX|INC|DEC|AND|OR|XOR|EXCH|CAS")                            \
	X(BANK, 4, 5, "#")                                                                     \
	X(SHFLMODE, 0, 2, "IDX|UP|DOWN|BFLY")                                                  \
	X(BIMM, 2, 1, "|")                                                                     \
	X(CIMM, 3, 1, "|")                                                                     \
	X(VOTEMODE, 0, 2, "ALL|ANY|EQ")                                                        \
	X(BARMODE, 0, 3, "SYNC|ARV|RED_POPC|RED_AND|RED_OR")                                   \
	X(ACC, 0, 1, "F16|F32")                                                                \
	X(STEP, 1, 2, "STEP0|STEP1|STEP2|STEP3")                                               \
	X(COLA, 3, 1, "|ACOL")                                                                 \
	X(COLB, 4, 1, "|BCOL")                                                                 \
	X(FACTOR, 3, 1, "|BF16")                                                               \
	X(SIGNA, 6, 1, "U8|S8")                                                                \
	X(PARTS, 3, 2, "|NIBBLES|XOR|AND")                                                     \
	X(META, 1, 2, "META0|META1|META2|META3")                                               \
	X(TRANS, 7, 1, "M88|MT88")                                                             \
	X(TDIM, 3, 3, "1D|2D|3D|ARRAY_1D|ARRAY_2D")                                            \
	X(LEVEL, 6, 1, "LZ|LL")                                                                \
	X(CHANNEL, 3, 2, "R|G|B|A")                                                            \
	X(ZFILL, 6, 1, "|ZFILL")                                                               \
	X(MEMBERS, 8, 2, "|MASK|ACTIVE|HERE")                                                  \
	X(ASSUMED, 0, 1, "|UNREACHABLE")                                                       \
	X(SYNCSOP, 0, 4, "INIT|INVAL|ARRIVE|ARRIVE_NC|ARRIVE_TX|DROP|DROP_NC|DROP_TX|EXPECT_TX|COMPLETE_TX") \
	X(PATIENCE, 0, 1, "TEST|TRY")                                                          \
	X(PHASE, 1, 1, "PARITY|TOKEN")                                                         \
	X(TIMED, 2, 1, "|TIMED")                                                               \
	X(NOINC, 0, 1, "|NOINC")                                                               \
	X(BULK, 8, 2, "G2S|S2G|S2S|PF")                                                        \
	X(CAST, 11, 1, "|MULTICAST")                                                           \
	X(DIMS, 8, 3, "MAP|1D|2D|3D|4D|5D")                                                    \
	X(IM2COL, 12, 1, "|IM2COL")                                                            \
	X(READS, 0, 1, "|READ")                                                                 \
	X(WGN, 0, 5,                                                                           \
	  "64x8|64x16|64x24|64x32|64x40|64x48|64x56|64x64|64x72|64x80|64x88|64x96|64x104|64x112|64x120|64x128|"  \
	  "64x136|64x144|64x152|64x160|64x168|64x176|64x184|64x192|64x200|64x208|64x216|64x224|64x232|64x240|"  \
	  "64x248|64x256")                                                                     \
	X(WGTYPE, 5, 4, "F16|BF16|TF32|E4M3|E4M3_E5M2|E5M2_E4M3|E5M2|S8|S8_U8|U8_S8|U8")       \
	X(WGA, 10, 1, "|REG")                                                                  \
	X(WGTRANS, 12, 2, "|AT|BT|AT_BT")                                                      \
	X(WGACC, 14, 2, "F32|F16|S32")                                                         \
	X(WGMODE, 0, 2, "ARRIVE|COMMIT|WAIT|SERIALIZE")                                        \
	X(RESIZE, 0, 1, "DEC|INC")                                                             \
	X(UPPER, 0, 1, "|H1_H1")

enum hd_mod_kind {
#define X(kind, shift, bits, names) HD_MOD_##kind,
	HD_MOD_LIST(X)
#undef X
		HD_MOD_COUNT
};

/* Values of the modifiers, in the order of the names above. */
enum {
	HD_CMP_F,
	HD_CMP_LT,
	HD_CMP_EQ,
	HD_CMP_LE,
	HD_CMP_GT,
	HD_CMP_NE,
	HD_CMP_GE,
	HD_CMP_NUM,
	HD_CMP_NAN,
	HD_CMP_LTU,
	HD_CMP_EQU,
	HD_CMP_LEU,
	HD_CMP_GTU,
	HD_CMP_NEU,
	HD_CMP_GEU,
	HD_CMP_T
};
enum { HD_BOOL_AND, HD_BOOL_OR, HD_BOOL_XOR };
enum { HD_UNSIGNED, HD_SIGNED };
enum { HD_RN, HD_RM, HD_RP, HD_RND_RZ };
enum { HD_MIN, HD_MAX };
enum { HD_SHIFTED_32, HD_SHIFTED_U64, HD_SHIFTED_S64 };
enum hd_mufu {
	HD_MUFU_RCP,
	HD_MUFU_RSQ,
	HD_MUFU_SQRT,
	HD_MUFU_SIN,
	HD_MUFU_COS,
	HD_MUFU_EX2,
	HD_MUFU_LG2,
	HD_MUFU_TANH,
	HD_MUFU_RCP64H,
	HD_MUFU_RSQ64H
};
/* HD_B128: of atomic operations alone. */
enum hd_type { HD_U8, HD_S8, HD_U16, HD_S16, HD_U32, HD_S32, HD_U64, HD_S64, HD_F16, HD_F32, HD_F64, HD_BF16, HD_B128 };
/* Registers of a value. */
static inline unsigned hd_type_registers(unsigned type)
{
	return type == HD_B128 ? 4 : type == HD_U64 || type == HD_S64 || type == HD_F64 ? 2 : 1;
}
enum hd_size { HD_SIZE_U8, HD_SIZE_S8, HD_SIZE_U16, HD_SIZE_S16, HD_SIZE_32, HD_SIZE_64, HD_SIZE_128 };
enum hd_cache {
	HD_CACHE_DEFAULT,
	HD_CACHE_CA,
	HD_CACHE_CG,
	HD_CACHE_CS,
	HD_CACHE_LU,
	HD_CACHE_CV,
	HD_CACHE_WT,
	HD_CACHE_CI /* read-only data: ldg, constant */
};
enum hd_scope { HD_SCOPE_NONE, HD_SCOPE_CTA, HD_SCOPE_GPU, HD_SCOPE_SYS };
enum hd_sem { HD_SEM_WEAK, HD_SEM_RELAXED, HD_SEM_ACQUIRE, HD_SEM_RELEASE, HD_SEM_ACQ_REL, HD_SEM_SC, HD_SEM_VOLATILE };
enum hd_atomop {
	HD_ATOM_ADD,
	HD_ATOM_MIN,
	HD_ATOM_MAX,
	HD_ATOM_INC,
	HD_ATOM_DEC,
	HD_ATOM_AND,
	HD_ATOM_OR,
	HD_ATOM_XOR,
	HD_ATOM_EXCH,
	HD_ATOM_CAS
};
enum { HD_SHFL_IDX, HD_SHFL_UP, HD_SHFL_DOWN, HD_SHFL_BFLY };
enum { HD_VOTE_ALL, HD_VOTE_ANY, HD_VOTE_EQ };
/* Lanes that take part in a warp operation: all that have not exited; those of a mask, which each lane has in a
 * register operand; the active ones, without waiting, but paths that ran ahead are joined first (runtime/exec/yield.c);
 * those that execute it together, whoever is elsewhere. */
enum { HD_MEMBERS_WARP, HD_MEMBERS_MASK, HD_MEMBERS_ACTIVE, HD_MEMBERS_HERE };
enum hd_tdim { HD_TEX_1D, HD_TEX_2D, HD_TEX_3D, HD_TEX_ARRAY_1D, HD_TEX_ARRAY_2D };
enum { HD_LEVEL_ZERO, HD_LEVEL_GIVEN };
enum { HD_ACC_F16, HD_ACC_F32 };
enum { HD_FACTOR_F16, HD_FACTOR_BF16 };
/* What IMMA multiplies: the bytes of a word, its halves of bytes, or bits, whose product is a xor or an and. */
enum { HD_PARTS_BYTES, HD_PARTS_NIBBLES, HD_PARTS_XOR, HD_PARTS_AND };
enum hd_syncsop { /* NC: which does not complete the phase; TX: which also expects bytes */
		  HD_SYNCS_INIT,
		  HD_SYNCS_INVAL,
		  HD_SYNCS_ARRIVE,
		  HD_SYNCS_ARRIVE_NC,
		  HD_SYNCS_ARRIVE_TX,
		  HD_SYNCS_DROP,
		  HD_SYNCS_DROP_NC,
		  HD_SYNCS_DROP_TX,
		  HD_SYNCS_EXPECT_TX,
		  HD_SYNCS_COMPLETE_TX
};
enum { HD_PATIENCE_TEST, HD_PATIENCE_TRY };
/* Where a copy in bulk goes: from global to shared memory, back, to another block's shared memory, or into L2. */
enum { HD_BULK_G2S, HD_BULK_S2G, HD_BULK_S2S, HD_BULK_PF };
/* Products of a warpgroup: the factors' types, which also say how many columns of a there are; where a is; which factor
 * lies along its other dimension; the accumulator's type. */
enum hd_wgtype {
	HD_WG_F16,
	HD_WG_BF16,
	HD_WG_TF32,
	HD_WG_E4M3,
	HD_WG_E4M3_E5M2,
	HD_WG_E5M2_E4M3,
	HD_WG_E5M2,
	HD_WG_S8,
	HD_WG_S8_U8,
	HD_WG_U8_S8,
	HD_WG_U8,
	HD_WG_TYPES
};
enum { HD_WG_SHARED, HD_WG_REGISTERS };
enum { HD_WG_TRANS_A = 1, HD_WG_TRANS_B = 2 };
enum { HD_WG_ACC_F32, HD_WG_ACC_F16, HD_WG_ACC_S32 };
enum { HD_WG_ARRIVE, HD_WG_COMMIT, HD_WG_WAIT, HD_WG_SERIALIZE /* a wait for all, which the program has not */ };
/* Warps of a group, rows that each has of its product, bytes of a row of a, and groups of products under way at most.
 */
enum { HD_WG_WARPS = 4, HD_WG_ROWS = 16, HD_WG_ROW_BYTES = 32, HD_WG_MOST_LEFT = 7 };
/* USETMAXREG: which way; registers that a thread may be given, in steps of eight. */
enum { HD_RESIZE_DEC, HD_RESIZE_INC };
enum { HD_RESIZE_LEAST = 24, HD_RESIZE_MOST = 256, HD_RESIZE_STEP = 8 };
/* Bits of a factor. */
static inline unsigned hd_wg_bits(enum hd_wgtype type)
{
	return type <= HD_WG_BF16 ? 16 : type == HD_WG_TF32 ? 32 : 8;
}
enum { HD_PHASE_PARITY, HD_PHASE_TOKEN };
enum { HD_BAR_SYNC, HD_BAR_ARV, HD_BAR_RED_POPC, HD_BAR_RED_AND, HD_BAR_RED_OR };

#define HD_SR_LIST(X)                                                                          \
	X(LANEID) X(WARPID) X(NWARPID) X(SMID) X(NSMID) X(GRIDID)                              \
	X(TID_X) X(TID_Y) X(TID_Z) X(CTAID_X) X(CTAID_Y) X(CTAID_Z)                            \
	X(CLUSTERID_X) X(CLUSTERID_Y) X(CLUSTERID_Z)                                           \
	X(CLUSTER_CTAID_X) X(CLUSTER_CTAID_Y) X(CLUSTER_CTAID_Z) X(CLUSTER_CTARANK)            \
	X(LANEMASK_EQ) X(LANEMASK_LT) X(LANEMASK_LE) X(LANEMASK_GT) X(LANEMASK_GE)             \
	X(CLOCK_LO) X(CLOCK_HI) X(CLOCK64) X(GLOBALTIMER_LO) X(GLOBALTIMER_HI) X(GLOBALTIMER64)
enum hd_sr {
#define X(name) HD_SR_##name,
	HD_SR_LIST(X)
#undef X
		HD_SR_COUNT
};

/*
 * SYSCALL services: symbol called by programs, registers of each argument (2: an aligned pair), registers of the
 * result. Their places are the same in every calling convention (lib/machine/abi.h).
 */
#define HD_SYS_LIST(X)                                                                         \
	X(VPRINTF, "vprintf", "22", 1)           /* format, arguments as CUDA packs them */    \
	X(ASSERTFAIL, "__assertfail", "22122", 0) /* message, file, line, function, bytes of a character */ \
	X(MALLOC, "malloc", "2", 2)                                                            \
	X(FREE, "free", "2", 0)
enum hd_syscall {
#define X(name, ...) HD_SYS_##name,
	HD_SYS_LIST(X)
#undef X
		HD_SYS_COUNT
};

/* Purpose of an instruction. Saves and restores are CARS's pushes and pops (cars-hpca24, III-A). */
enum hd_role {
	HD_ROLE_PLAIN,
	HD_ROLE_CALLEE_SAVE,
	HD_ROLE_CALLEE_RESTORE,
	HD_ROLE_SPILL_STORE,
	HD_ROLE_SPILL_LOAD,
	HD_ROLE_WARP_ATOMIC, /* by one lane for those of the last vote .HERE; REDUX, SHFL: these bring operands */
	HD_ROLE_COUNT
};

/* Of what the first of so many registers in a row is a multiple: of their number, where that is 1, 2 or 4. */
static inline unsigned hd_register_alignment(unsigned count)
{
	unsigned power = count & -count;
	return power > 8 ? 8 : power ? power : 1;
}

/* Meaning of x. UNIFORM: the number of a uniform register. */
enum hd_xkind {
	HD_X_NONE,
	HD_X_IMM_B,
	HD_X_CONST_B,
	HD_X_UNIFORM_B,
	HD_X_IMM_C,
	HD_X_CONST_C,
	HD_X_UNIFORM_C,
	HD_X_OTHER /* displacement, branch target or number: see the opcode's srcx */
};
static inline bool hd_x_in_b(unsigned xkind)
{
	return xkind - HD_X_IMM_B <= HD_X_UNIFORM_B - HD_X_IMM_B;
}
static inline bool hd_x_in_c(unsigned xkind)
{
	return xkind - HD_X_IMM_C <= HD_X_UNIFORM_C - HD_X_IMM_C;
}
static inline bool hd_x_is_immediate(unsigned xkind)
{
	return xkind == HD_X_IMM_B || xkind == HD_X_IMM_C;
}
static inline bool hd_x_is_constant(unsigned xkind)
{
	return xkind == HD_X_CONST_B || xkind == HD_X_CONST_C;
}
static inline bool hd_x_is_uniform(unsigned xkind)
{
	return xkind == HD_X_UNIFORM_B || xkind == HD_X_UNIFORM_C;
}

/* Source modifiers, one bit each. ABS applies before NEG. */
enum { HD_NEG_A = 1, HD_NEG_B = 2, HD_NEG_C = 4, HD_ABS_A = 8, HD_ABS_B = 16 };
/* Exchanges the modifiers of a and b. */
static inline uint8_t hd_srcmods_swap(uint8_t mods)
{
	return (uint8_t)((mods & HD_NEG_C) | (mods & (HD_NEG_A | HD_ABS_A)) << 1 | (mods & (HD_NEG_B | HD_ABS_B)) >> 1);
}

/*
 * Linear operands (r2d2-isca23, 3.2, 3.3, 4.3). One source of an instruction of a kernel's linear version may be a
 * linear register (its thread-index part plus its block-index part), a coefficient register or both; they are 64 bits
 * wide, and a slot of one register takes the low word of the sum, or the high one. They are 0 where no stream writes
 * them.
 *
 *   OFFSET       %lr + the slot's register: the address of a memory instruction
 *   SUM          %lr + %cr; the slot's field is the number of the coefficient register, HD_RZ none
 *   COEFFICIENT  %cr alone; in the stream of block-index parts, `reg` 1 is %cr + n for lane n
 */
enum hd_lr_kind { HD_LR_NONE, HD_LR_OFFSET, HD_LR_SUM, HD_LR_COEFFICIENT };
enum { HD_LR_COUNT = 16, HD_LR_MAX_REGS = 252 /* in a linear version, because the sum needs a pair */ };
#define HD_LR(kind, slot, reg, high)                                                                \
	((uint16_t)((uint32_t)(kind) | (uint32_t)((slot) - HD_SLOT_A) << 2 | (uint32_t)(reg) << 4 | \
		    (uint32_t)(high) << 8))
static inline enum hd_lr_kind hd_lr_kind(uint16_t linear)
{
	return (enum hd_lr_kind)(linear & 3);
}
static inline unsigned hd_lr_slot(uint16_t linear)
{
	return 1u + (linear >> 2 & 3);
} /* enum hd_slot */
static inline unsigned hd_lr_reg(uint16_t linear)
{
	return linear >> 4 & 15;
}
static inline bool hd_lr_high(uint16_t linear)
{
	return linear >> 8 & 1;
}
/* Returns whether the slot's field is the number of a coefficient register. */
static inline bool hd_lr_takes(uint16_t linear, unsigned slot)
{
	return hd_lr_kind(linear) >= HD_LR_SUM && hd_lr_slot(linear) == slot;
}

/* Constant operand in x: bank << 16 | byte offset. */
#define HD_CONST_X(bank, offset) ((uint32_t)(bank) << 16 | (uint32_t)(offset))

/* Returns whether operands of the opcode can come from the reuse cache, because it reads in a fixed window of
 * cycles (docs/architecture.md, The operand stage). */
HD_API bool hd_op_is_fixed(unsigned op);

/* One decoded instruction. Unused register slots hold HD_RZ, unused predicates HD_PT. */
struct hd_inst {
	uint16_t op;   /* enum hd_op */
	uint16_t mods; /* HD_MOD_LIST */
	uint8_t guard; /* predicate number, | HD_PRED_NOT */
	uint8_t dst, a, b, c;
	uint8_t pdst, psrc, psrc2;
	uint8_t xkind;	 /* enum hd_xkind */
	uint8_t srcmods; /* HD_NEG_*, HD_ABS_* */
	uint8_t role;	 /* enum hd_role */
	uint16_t linear; /* HD_LR, 0: no linear operand */
	uint8_t reuse; /* bit 0..2: a, b, c stays in the reuse cache, where its slot's next read of the bank finds it */
	uint8_t dead;  /* bit 0..2: this is the last read of a, b, c on every path (LTRF+); 0 is always correct */
	uint32_t x;    /* immediate, constant, displacement, target index, table or service number */
	uint32_t reconv; /* BRA, BRX: index of the reconvergence point, or HD_NO_PC */
};

/* Arithmetic pipelines; results take longer from one to another. */
enum hd_pipeline { HD_NO_PIPELINE, HD_PIPELINE_ALU, HD_PIPELINE_FMA, HD_PIPELINE_HALF, HD_PIPELINES };
/* Returns the pipeline of an opcode. Since Volta, the single-precision pipeline does integer multiply-adds. */
HD_API enum hd_pipeline hd_op_pipeline(unsigned op);

struct hd_opinfo {
	const char *name;
	uint8_t dst, a, b, c; /* enum hd_width */
	uint8_t pdst, psrc;
	uint8_t srcx;	 /* enum hd_srcx */
	uint8_t srcmods; /* HD_SM_* */
	uint8_t number;	 /* enum hd_number */
	uint8_t swap;	 /* enum hd_swap */
	uint8_t pipe, lat;
	uint8_t space; /* enum hd_memory_space */
	uint16_t effects;
	uint64_t mods;	      /* bit per enum hd_mod_kind; printed in ascending order of the list in the table row */
	uint8_t mod_order[6]; /* kinds in print order, ended by HD_MOD_COUNT */
};

extern HD_API const struct hd_opinfo hd_opinfo[]; /* by enum hd_op */

static inline uint32_t hd_mod_get(uint16_t mods, enum hd_mod_kind kind)
{
	static const uint8_t shift[] =
		{
#define X(kind, shift, bits, names) shift,
			HD_MOD_LIST(X)
#undef X
		},
			     bits[] = {
#define X(kind, shift, bits, names) bits,
				     HD_MOD_LIST(X)
#undef X
			     };
	return mods >> shift[kind] & ((1u << bits[kind]) - 1);
}
/* HD_MOD(CMP, HD_CMP_LT): a modifier in its place in `mods`; combine several with |. */
#define HD_MOD(kind, value) ((uint16_t)((uint32_t)(value) << HD_MOD_SHIFT_##kind))
enum {
#define X(kind, shift, bits, names) HD_MOD_SHIFT_##kind = shift,
	HD_MOD_LIST(X)
#undef X
};

/* Operand slots. */
enum hd_slot { HD_SLOT_DST, HD_SLOT_A, HD_SLOT_B, HD_SLOT_C };

/* Returns the registers (0, 1, 2 or 4; of a warpgroup's accumulator any even number to 128) of the slot for this opcode
 * and these modifiers, also if it holds RZ. Uniform registers do not count. */
HD_API unsigned hd_op_width(unsigned op, uint16_t mods, enum hd_slot slot);
/* Returns whether participating lanes wait at the operation until all are at one of its kind, at any place. */
HD_API bool hd_op_meets(unsigned op, uint16_t mods);
/* Returns whether it is of the lanes that happen to execute it together, and makes none wait or part. */
bool hd_op_is_here(unsigned op, uint16_t mods);
/* Returns the number kind of the sources, never HD_N_S. A double immediate is the high word. */
HD_API enum hd_number hd_op_number(unsigned op, uint16_t mods);
/*
 * Returns whether source a can be exchanged with b or c (`with`), together with their source modifiers. Sets *mods for
 * the exchanged form. A double-precision operation on two NaNs may then return the other one.
 */
bool hd_op_swap(unsigned op, enum hd_slot with, uint16_t *mods);
/* Returns whether a source of one or two registers can be a linear operand. False for operations where lanes meet,
 * and in the branch unit. */
HD_API bool hd_op_takes_linear(unsigned op);
/* Returns the bytes per thread of a memory access; 0 for other opcodes. */
HD_API unsigned hd_op_access_bytes(unsigned op, uint16_t mods);
/* Returns the lanes whose address an access uses: all; for LDSM the first eight per matrix. */
HD_API uint32_t hd_op_address_lanes(unsigned op, uint16_t mods);
/* Returns the coordinates of a texture fetch, including layer and level: one register each, at most two in a, the
 * others in c. */
HD_API unsigned hd_op_coordinates(unsigned op, uint16_t mods);
/* Returns whether an instruction reads device memory, as a load that may miss or as a texture fetch. */
HD_API bool hd_op_loads_device(unsigned op);
/* Returns the multiply-adds of a tensor instruction for the whole warp; 0 for other opcodes. */
HD_API unsigned hd_op_products(unsigned op, uint16_t mods);
/* Returns whether the lanes only exchange operands, so that only reads and writes order the instruction. */
HD_API bool hd_op_is_exchange(unsigned op);

/* Returns the latency class: the opcode's, except for special functions, which differ in latency. */
HD_API enum hd_lat hd_inst_lat(const struct hd_inst *inst);

/* Returns an empty instruction: registers RZ, predicates PT, no reconvergence point. */
struct hd_inst hd_inst_new(unsigned op);

/* Returns whether control can continue to the next instruction: false after an unguarded branch, RET, EXIT or TRAP. */
HD_API bool hd_inst_falls_through(const struct hd_inst *inst);

/* Whether the instruction is the last of a basic block wherever it stands, guarded or not. */
bool hd_inst_ends_block(const struct hd_inst *inst);

/* Sets of registers read and written by an instruction, guard included. `regs` is a 256-bit mask, `preds` 8 bits
 * (PT and RZ never set). Calls: the ABI's argument registers are not listed here (see struct hd_abi). */
struct hd_regset {
	uint64_t regs[4];
	uint8_t preds;
};
HD_API void hd_inst_reads(const struct hd_inst *inst, struct hd_regset *set);
HD_API void hd_inst_writes(const struct hd_inst *inst, struct hd_regset *set);
/* Of a product of a warpgroup the accumulator, which a unit of four warps reads and writes by itself: it passes
 * collectors and register caches by. Else empty. */
HD_API void hd_inst_accumulator(const struct hd_inst *inst, struct hd_regset *set);
/* Return the uniform registers read or written, one bit each. They are not part of the register file. */
HD_API uint64_t hd_inst_uniform_reads(const struct hd_inst *inst);
HD_API uint64_t hd_inst_uniform_writes(const struct hd_inst *inst);

/* Encoding. hd_inst_decode returns -1 for invalid bytes (unknown opcode). Only BRA and BRX store a reconvergence
 * point, in place of c and the modifiers, which they do not have; other instructions decode with HD_NO_PC. */
void hd_inst_encode(const struct hd_inst *inst, uint8_t bytes[HD_INST_BYTES]);
int hd_inst_decode(const uint8_t bytes[HD_INST_BYTES], struct hd_inst *inst);

/*
 * Checks one instruction against the table: operand kinds, alignment of pairs and quads, modifiers of the opcode,
 * ranges of immediates. Returns NULL, or a static text that describes the error.
 */
const char *hd_inst_check(const struct hd_inst *inst);

/* Writes the assembly text, without guard padding or newline. Branch targets print as the byte offset. */
HD_API int hd_inst_format(const struct hd_inst *inst, char *text, size_t size);

/* Names of a modifier kind ("CMP") and of its value ("LT"; empty if not printed, a hexadecimal number for number
 * kinds such as LUT). hd_mod_name returns -1 for an invalid value. */
#define HD_MOD_NAME_BYTES 24
const char *hd_mod_kind_name(enum hd_mod_kind kind);
bool hd_mod_is_number(enum hd_mod_kind kind);
int hd_mod_name(enum hd_mod_kind kind, uint32_t value, char name[HD_MOD_NAME_BYTES]);

const char *hd_syscall_name(enum hd_syscall service); /* "vprintf", ... */
const char *hd_role_name(enum hd_role role);	      /* "plain", "callee-save", ..., "warp-atomic" */
const char *hd_sr_name(enum hd_sr sr);		      /* "SR_TID.X", ... */

#endif
