/*
 * The generator of random kernels. It writes LLVM IR whose meaning is the same on the GPU and on the host: no undefined
 * behaviour, no result that depends on an undefined value, on the order of threads or on a NaN's bits. Warp and block
 * operations stand only where all threads of the block are, so that a host can run the threads as coroutines (see
 * ../host.c).
 *
 *   values.c  random numbers, the pool of values in scope, constants, text
 *   ops.c     arithmetic, compares, casts, vectors
 *   memory.c  loads, stores, local arrays, atomics, shared memory, warp operations
 *   shapes.c  aggregates by value, variable arguments, dynamic memory, the math library, groups of lanes
 *   params.c  aggregates by value that the kernel and device functions take, indexed in every way
 *   undefined.c  values that only some threads have, and what programs do with them
 *   readers.c  how these are read, where they are known
 *   tickets.c  counters that one lane of a warp adds to for all of them, and work queues
 *   flow.c    ifs, switches, loops, calls
 *   functions.c  device functions
 *   main.c    the kernel, the launch specification and the command line
 */
#ifndef HD_TEST_FUZZ_GEN_H
#define HD_TEST_FUZZ_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "lib/vec.h"

/* Types of values: X(enum, name in IR, bits of an element, lanes, class) */
#define GEN_TYPES(X)                          \
	X(I1, "i1", 1, 1, INT)                \
	X(I8, "i8", 8, 1, INT)                \
	X(I16, "i16", 16, 1, INT)             \
	X(I32, "i32", 32, 1, INT)             \
	X(I64, "i64", 64, 1, INT)             \
	X(I128, "i128", 128, 1, INT)          \
	X(I5, "i5", 5, 1, INT)                \
	X(I24, "i24", 24, 1, INT)             \
	X(I33, "i33", 33, 1, INT)             \
	X(I48, "i48", 48, 1, INT)             \
	X(I100, "i100", 100, 1, INT)          \
	X(F16, "half", 16, 1, FLOAT)          \
	X(F32, "float", 32, 1, FLOAT)         \
	X(F64, "double", 64, 1, FLOAT)        \
	X(V4I8, "<4 x i8>", 8, 4, INT)        \
	X(V2I16, "<2 x i16>", 16, 2, INT)     \
	X(V2I32, "<2 x i32>", 32, 2, INT)     \
	X(V4I32, "<4 x i32>", 32, 4, INT)     \
	X(V3I32, "<3 x i32>", 32, 3, INT)     \
	X(V2I64, "<2 x i64>", 64, 2, INT)     \
	X(V2F32, "<2 x float>", 32, 2, FLOAT) \
	X(V4F32, "<4 x float>", 32, 4, FLOAT) \
	X(V2F64, "<2 x double>", 64, 2, FLOAT)

enum gen_type {
#define X(id, name, bits, lanes, class) T_##id,
	GEN_TYPES(X)
#undef X
		T_COUNT,
	T_NONE = T_COUNT
};

enum gen_class { CLASS_INT, CLASS_FLOAT };

struct gen_type_info {
	const char *name;
	unsigned bits, lanes;
	enum gen_class class;
};
extern const struct gen_type_info gen_types[T_COUNT];

/* What a kernel may contain, each to be switched off: X(name, weight of its statements, help) */
#define GEN_FEATURES(X)                                                         \
	X(integer, 30, "add, sub, mul, and, or, xor of i8 to i64")              \
	X(shift, 10, "shifts and funnel shifts")                                \
	X(divide, 4, "integer division and remainder")                          \
	X(bits, 10, "ctpop, min, max, saturating and overflow arithmetic, ...") \
	X(compare, 12, "icmp, fcmp, select")                                    \
	X(cast, 12, "conversions")                                              \
	X(floats, 10, "float arithmetic")                                       \
	X(doubles, 5, "double arithmetic")                                      \
	X(halfs, 2, "half arithmetic")                                          \
	X(wide, 4, "i128")                                                      \
	X(odd, 3, "i5, i24, i33, i48, i100")                                    \
	X(vector, 8, "vectors")                                                 \
	X(branch, 7, "if and else, early returns")                              \
	X(switches, 2, "switch")                                                \
	X(loop, 4, "loops with breaks and continues")                           \
	X(irreducible, 1, "loops with two entries")                             \
	X(call, 4, "calls of device functions")                                 \
	X(indirect, 2, "calls through tables of functions")                     \
	X(recursion, 1, "recursive functions")                                  \
	X(memory, 12, "loads and stores")                                       \
	X(local, 4, "local arrays with dynamic indices")                        \
	X(unaligned, 2, "accesses that are not aligned")                        \
	X(copy, 2, "memcpy, memmove and memset")                                \
	X(table, 3, "tables in constant and global memory")                     \
	X(atomic, 3, "atomic operations")                                       \
	X(shared, 4, "shared memory with barriers")                             \
	X(warp, 5, "shuffles, votes, match")                                    \
	X(nvvm, 5, "integer intrinsics and special registers")                  \
	X(groups, 3, "shuffles, votes and matches of some lanes")               \
	X(byval, 2, "aggregates by value")                                      \
	X(varargs, 1, "functions of variable arguments")                        \
	X(dynamic, 1, "memory of dynamic size on the stack")                    \
	X(libm, 1, "remainders, ldexp and functions of the math library")       \
	X(leave, 3, "early returns, of the kernel and of device functions, nested in control flow") \
	X(params, 10, "parameters that are aggregates by value, with every kind of index")          \
	X(undefined, 24, "values that only some threads have, handed on by all: shuffles, votes, calls, freeze")

enum gen_feature {
#define X(name, weight, help) FEATURE_##name,
	GEN_FEATURES(X)
#undef X
		FEATURE_COUNT
};

struct gen_value {
	enum gen_type type;
	uint32_t id; /* %v<id> */
};

/* Memory that may be accessed: `bytes` (a power of two) and 16 more, so that any access at a masked offset is inside.
 */
struct gen_region {
	char pointer[16]; /* "%v12", "@table" */
	const char *type; /* "ptr", "ptr addrspace(1)" */
	uint32_t bytes;
	bool writable;
};

/* A device function that may be called. */
struct gen_function {
	char name[16];
	enum gen_type params[16];
	uint32_t param_count;
	enum gen_type results[6]; /* several: a struct */
	uint32_t result_count;
	uint32_t region_bytes; /* other than 0: the last parameter is a pointer to so much memory */
	bool cross;	       /* has warp or block operations: only where all threads are */
	bool depth;	       /* the first parameter bounds the recursion */
	uint64_t cost;	       /* instructions that a call executes at most, roughly */
};

struct gen_shape; /* params.c */

/* Memory of a shape (%T<shape>) that may be read, and what else may happen to it. */
struct gen_aggregate {
	uint32_t shape;
	char pointer[16];
	unsigned align;
	bool writable, passed; /* passed: its address may go anywhere */
};

/* A device function that takes an aggregate (its address, or by value), an i32 and an i64, and returns an i64. */
struct gen_taker {
	char name[16];
	uint32_t shape;
	unsigned align;
	bool by_value, writes;
	uint64_t cost;
};

struct gen {
	uint64_t random;
	unsigned weights[FEATURE_COUNT];
	struct hd_strbuf globals, declarations, functions;

	/* The function that is being written */
	struct hd_strbuf body, entry; /* entry: allocas and what fills them */
	HD_VEC(struct gen_value) pool;
	HD_VEC(struct gen_region) regions;
	HD_VEC(struct gen_aggregate) aggregates;
	uint32_t next_id, next_label, label; /* label: of the current block */
	uint32_t next_global;
	const struct gen_function *function; /* NULL: the kernel */
	bool uniform;			     /* all threads of the block are here */
	bool returns;			     /* early returns may stand here: no place is uniform any more */
	unsigned depth;			     /* of nested control flow */
	uint64_t scale, cost;		     /* executions of this place; executed so far */
	unsigned loops;

	HD_VEC(struct gen_function) callable;
	HD_VEC(struct gen_shape) shapes;
	HD_VEC(struct gen_aggregate) params; /* of the kernel */
	HD_VEC(struct gen_taker) takers;
	uint32_t threads, width; /* of a block, and of a row of it */
	uint32_t blocks;
	bool whole_warps;
	char text[64][160]; /* ring of operand texts */
	unsigned next_text;
};

/* One of the texts. */
#define PICK(g, ...)            \
	((const char *const[]){ \
		__VA_ARGS__}[gen_below((g), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))])

/* values.c */
uint32_t gen_below(struct gen *g, uint32_t limit);
bool gen_chance(struct gen *g, unsigned percent);
bool gen_has(const struct gen *g, enum gen_feature feature);
char *gen_format(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_line(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Defines a value of the type, to be used from here on; returns its name. */
const char *gen_define(struct gen *g, enum gen_type type, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for what has another type: not in the pool. */
const char *gen_temp(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_push(struct gen *g, enum gen_type type, uint32_t id);
void gen_declare(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The i32 in a special register: "tid.x", "laneid". Not in the pool. */
const char *gen_special(struct gen *g, const char *name);
/* An operand: a value in scope or a constant. gen_variable: a value in scope, made from others if there is none. */
const char *gen_operand(struct gen *g, enum gen_type type);
const char *gen_variable(struct gen *g, enum gen_type type);
const char *gen_constant(struct gen *g, enum gen_type type);
enum gen_type gen_pick_int(struct gen *g);    /* a scalar integer type of at least 5 bits */
enum gen_type gen_pick_float(struct gen *g);  /* T_NONE: none is wanted */
enum gen_type gen_pick_any(struct gen *g);    /* what may be a parameter, a phi or a member */
enum gen_type gen_pick_stored(struct gen *g); /* what may be in memory */
enum gen_type gen_int_of(unsigned bits);      /* T_NONE: there is none */
enum gen_type gen_element(enum gen_type vector);
static inline const char *gen_name(enum gen_type type)
{
	return gen_types[type].name;
}
static inline bool gen_is_float(enum gen_type type)
{
	return gen_types[type].class == CLASS_FLOAT;
}
static inline unsigned gen_width(enum gen_type type)
{
	return gen_types[type].bits * gen_types[type].lanes;
}

/* ops.c: each writes a statement */
void gen_op_integer(struct gen *g);
void gen_op_shift(struct gen *g);
void gen_op_divide(struct gen *g);
void gen_op_bits(struct gen *g);
void gen_op_compare(struct gen *g);
void gen_op_cast(struct gen *g);
void gen_op_float(struct gen *g, enum gen_type type);
void gen_op_vector(struct gen *g);
void gen_op_nvvm(struct gen *g);
/* The value's bits as an integer type of the same width (three lanes: of four), NaNs made one. */
const char *gen_observe(struct gen *g, enum gen_type type, const char *value);
/* A scalar integer value of another width. */
const char *gen_resize(struct gen *g, enum gen_type from, const char *value, enum gen_type to, bool is_signed);
/* An i64 that depends on all of the value. */
const char *gen_fold(struct gen *g, enum gen_type type, const char *value);

/* memory.c */
void gen_op_memory(struct gen *g, bool unaligned);
void gen_op_local(struct gen *g);
void gen_op_copy(struct gen *g);
void gen_op_table(struct gen *g);
void gen_op_atomic(struct gen *g);
void gen_op_shared(struct gen *g);
void gen_op_warp(struct gen *g);
void gen_barrier(struct gen *g);
/* The thread's number in its block. */
const char *gen_linear_thread(struct gen *g);
/* A new array in shared memory without contents; returns its name. */
const char *gen_shared_array(struct gen *g, const char *element, unsigned count);
/* A load of the type from the region at a random place. */
const char *gen_load(struct gen *g, const struct gen_region *region, enum gen_type type, bool unaligned);

/* Bits from memory may be a signalling NaN: defines a quiet one. */
const char *gen_quiet(struct gen *g, enum gen_type type, const char *loaded);

/* params.c */
/* Chooses the kernel's parameters of this kind, and writes functions that take such. */
void gen_make_params(struct gen *g);
/* In the kernel: they are there from now on. */
void gen_use_params(struct gen *g);
void gen_op_params(struct gen *g);
/* What they add to the kernel's parameter list and to the launch. */
void gen_param_texts(const struct gen *g, struct hd_strbuf *header, struct hd_strbuf *launch);

/* shapes.c */
void gen_op_byval(struct gen *g);
void gen_op_varargs(struct gen *g);
void gen_op_dynamic(struct gen *g);
void gen_op_libm(struct gen *g);
void gen_op_groups(struct gen *g);

/* undefined.c */
void gen_op_undefined(struct gen *g);

/* flow.c */
void gen_block(struct gen *g, unsigned statements);
void gen_label(struct gen *g, uint32_t label);
void gen_jump_if(struct gen *g, const char *condition, uint32_t yes, uint32_t no);
/* Returns values of the function's types; of the kernel, often with something stored before. */
void gen_return(struct gen *g);
/* A call of `callee` with the function's signature. depth: the first argument where it bounds the recursion. */
void gen_call(struct gen *g, const struct gen_function *f, const char *callee, const char *depth);
/* "i32", "{i32, float}" */
const char *gen_result_type(const struct gen_function *f, char *text, size_t size);

/* functions.c */
void gen_make_functions(struct gen *g);
void gen_begin_function(struct gen *g);

/* A kernel stops growing where its threads would execute more instructions than this. */
enum { GEN_MAX_COST = 6000 };
enum { GEN_PRIVATE_BYTES = 128, GEN_SLOT_BYTES = 256, GEN_SLOTS = 12, GEN_IN_BYTES = 4096 };

#endif
