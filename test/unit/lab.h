/*
 * A warp in a laboratory: functions written as arrays of struct hd_inst are linked by the
 * real loader into a GPU that has no timing core, and executed instruction by instruction.
 */
#ifndef HD_TEST_UNIT_LAB_H
#define HD_TEST_UNIT_LAB_H

#include "heddle/config.h"
#include "runtime/exec/exec.h"

enum { LAB_REGISTERS = 64, LAB_LOCAL_BYTES = 512, LAB_SHARED_BYTES = 1024 };

struct lab {
	struct hd_gpu gpu;
	struct hd_config config; /* gpu.config */
	struct hd_diag diag;
	struct hd_module module;
	struct hd_kernel kernel;
	struct hd_grid grid;
	struct hd_cta cta;
	struct hd_warp warp;
	struct hd_exec exec;
	struct hd_effect effect;
	uint32_t regs[LAB_REGISTERS + 2][HD_WARP_LANES];
	uint8_t local[HD_WARP_LANES * LAB_LOCAL_BYTES];
	uint8_t shared[LAB_SHARED_BYTES];
	uint8_t constants[HD_CB_BYTES];
	uint32_t steps; /* executed since the start */
};

/* The object in lab->module.object is filled by the caller between these two; the first function is the kernel. */
struct lab *lab_new(void);
/* Before lab_start: facts are checked, as under --verify. */
void lab_verify(struct lab *lab);
/* Loads the object and starts a warp of `threads` threads; returns hd_program_load's status. */
int lab_start(struct lab *lab, uint32_t threads);
/* Both at once for a kernel of `count` instructions; `registers` LAB_REGISTERS. */
struct lab *lab_kernel(const struct hd_inst *insts, uint32_t count, uint32_t threads);
void lab_free(struct lab *lab);

/* Executes until the warp is done (0), a fault (its error) or `limit` steps (1). */
int lab_run(struct lab *lab, uint32_t limit);
/* Adds a function to the object. The instructions are copied. */
struct hd_function *lab_function(struct lab *lab, const char *name, const struct hd_inst *insts, uint32_t count);
/* Adds a call relocation. */
void lab_calls(struct lab *lab, struct hd_function *function, uint32_t index, const char *callee);

/* A lab with a kernel that only exits, for lab_execute. */
struct lab *lab_bare(void);
/* The pair at `reg` in every lane; the second register exists always. */
void lab_set(struct lab *lab, unsigned reg, uint64_t value);
/* Executes one instruction that is not control at a level (HD_LEVEL_*), for these lanes. */
void lab_execute(struct lab *lab, const struct hd_inst *inst, int level, uint32_t mask);

/* Instructions. */
struct hd_inst lab_imm(unsigned op, uint8_t dst, uint8_t a, uint32_t b);
struct hd_inst lab_bra(uint8_t guard, uint32_t target, uint32_t reconv);
struct hd_inst lab_op(unsigned op);
struct hd_inst lab_guarded(uint8_t guard, struct hd_inst inst);
struct hd_inst lab_isetp(uint8_t pdst, uint32_t cmp, uint8_t a, uint32_t b);
struct hd_inst lab_s2r(uint8_t dst, enum hd_sr sr);

#endif
