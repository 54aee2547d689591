/* Latencies by opcode: what reads a result issues as many cycles behind it as its own key of the configuration says. */
#include "harness.h"
#include "heddle/opcodes.h"

#include <stddef.h>
#include <string.h>

#include "simbench.h"

/* Keys have values that no other has. */
static void set_keys(struct hd_config *config)
{
	uint32_t next = 31;
#define X(name, key, expected) config->key = next++;
	HD_LAT_LIST(X)
#undef X
}

/* Cycles from the issue of the instruction that `emit` makes, whose result is in R20, to that of what reads it. */
static uint32_t distance(struct simbench *bench)
{
	simbench_ffma(bench, 60, 20, HD_RZ, HD_RZ);
	simbench_s2r(bench, 41, HD_SR_CLOCK_LO);
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, 1, 32);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	/* Read at issue: one cycle before the instruction, and one behind its reader. */
	uint32_t cycles = simbench_register(bench, 0, 41, 0) - simbench_register(bench, 0, 40, 0) - 2;
	simbench_release(bench);
	return cycles;
}

static void begin(struct simbench *bench)
{
	simbench_init(bench);
	set_keys(&bench->config);
	bench->meta.registers = 64;
	simbench_s2r(bench, 40, HD_SR_CLOCK_LO);
}

#define KEY(name) offsetof(struct hd_config, name)

static uint32_t value_at(const struct hd_config *config, size_t key)
{
	uint64_t value;
	memcpy(&value, (const char *)config + key, sizeof value);
	return (uint32_t)value;
}

static const struct {
	uint32_t op, mods;
	size_t key;
} rows[] = {
	{HD_OP_MOV, 0, KEY(lat_iadd)},
	{HD_OP_IADD3, 0, KEY(lat_iadd)},
	{HD_OP_LOP3, HD_MOD(LUT, 0xc0), KEY(lat_iadd)},
	{HD_OP_SHL, 0, KEY(lat_iadd)},
	{HD_OP_IMNMX, 0, KEY(lat_imax)},
	{HD_OP_IMAD, 0, KEY(lat_imad)},
	{HD_OP_IMAD_WIDE, 0, KEY(lat_imad)},
	{HD_OP_IMAD_HI, 0, KEY(lat_imad_hi)},
	{HD_OP_FADD, 0, KEY(lat_fadd)},
	{HD_OP_FMUL, 0, KEY(lat_fmul)},
	{HD_OP_FFMA, 0, KEY(lat_fmad)},
	{HD_OP_FMNMX, 0, KEY(lat_fmax)},
	{HD_OP_HADD2, 0, KEY(lat_half)},
	{HD_OP_HFMA2, 0, KEY(lat_half)},
	{HD_OP_HADD2_F32, 0, KEY(lat_half)},
	{HD_OP_F2FP, HD_MOD(DTYPE, HD_F16), KEY(lat_iadd)}, /* as ptxas waits */
	{HD_OP_DADD, 0, KEY(lat_dadd)},
	{HD_OP_DMUL, 0, KEY(lat_dmul)},
	{HD_OP_DFMA, 0, KEY(lat_dmad)},
	{HD_OP_S2R, HD_MOD(SR, HD_SR_TID_X), KEY(lat_s2r)},
	{HD_OP_LDC, HD_MOD(SIZE, HD_SIZE_32), KEY(lat_ldc)},
	{HD_OP_SHFL, HD_MOD(BIMM, 1) | HD_MOD(CIMM, 1), KEY(lat_shfl)},
	{HD_OP_POPC, 0, KEY(lat_sfu)},
	{HD_OP_REDUX, HD_MOD(DTYPE, HD_U32), KEY(lat_sfu)},
	{HD_OP_MUFU, HD_MOD(MUFUFN, HD_MUFU_SIN), KEY(lat_sfu)},
	{HD_OP_MUFU, HD_MOD(MUFUFN, HD_MUFU_LG2), KEY(lat_sfu)},
	{HD_OP_MUFU, HD_MOD(MUFUFN, HD_MUFU_EX2), KEY(lat_ex2)},
	{HD_OP_MUFU, HD_MOD(MUFUFN, HD_MUFU_RCP), KEY(lat_rcp)},
	{HD_OP_MUFU, HD_MOD(MUFUFN, HD_MUFU_RSQ), KEY(lat_rsq)},
	{HD_OP_MUFU, HD_MOD(MUFUFN, HD_MUFU_SQRT), KEY(lat_rsq)},
};

START_TEST(each_opcode_has_its_latency)
{
	struct simbench bench;
	enum hd_op op = rows[_i].op;
	begin(&bench);
	struct hd_inst *inst = simbench_emit(&bench, op);
	inst->dst = 20;
	inst->mods = (uint16_t)rows[_i].mods;
	if (hd_opinfo[op].pipe == HD_PIPE_LSU)
		inst->xkind = HD_X_OTHER, inst->x = op == HD_OP_SHFL ? 0x1f00 : 0;
	if (op != HD_OP_S2R && op != HD_OP_MUFU && op != HD_OP_POPC && op != HD_OP_MOV && op != HD_OP_HADD2_F32)
		inst->a = 8;
	if (op != HD_OP_S2R && op != HD_OP_REDUX && hd_opinfo[op].pipe != HD_PIPE_LSU)
		inst->b = 12;
	ck_assert_uint_eq(distance(&bench), value_at(&bench.config, rows[_i].key));
}
END_TEST

/*
 * A product of matrices is there `beyond` cycles behind its interval: that of its multiply-adds, 16 x 8 x 16 of half
 * precision and so on, at the unit's rate, rounded up, or ii_tensor if that is more. The next one of the unit begins an
 * interval behind it.
 */
static const struct {
	uint32_t op, mods, products;
	size_t rate, beyond;
} matrices[] = {
	{HD_OP_HMMA_16816, HD_MOD(ACC, HD_ACC_F16), 2048, KEY(tensor_half), KEY(lat_hmma_half)},
	{HD_OP_HMMA_16816, HD_MOD(ACC, HD_ACC_F32), 2048, KEY(tensor_single), KEY(lat_hmma)},
	{HD_OP_HMMA_1688, HD_MOD(ACC, HD_ACC_F32), 1024, KEY(tensor_single), KEY(lat_hmma)},
	{HD_OP_HMMA_1688_TF32, 0, 1024, KEY(tensor_tf32), KEY(lat_hmma)},
	{HD_OP_HMMA_1684_TF32, 0, 512, KEY(tensor_tf32), KEY(lat_hmma)},
	{HD_OP_IMMA_16832, 0, 4096, KEY(tensor_int8), KEY(lat_imma)},
	{HD_OP_IMMA_16816, 0, 2048, KEY(tensor_int8), KEY(lat_imma)},
	{HD_OP_HMMA_SP_16816, HD_MOD(ACC, HD_ACC_F32), 1024, KEY(tensor_single), KEY(lat_hmma)},
	{HD_OP_HMMA_SP_16816, HD_MOD(ACC, HD_ACC_F16), 1024, KEY(tensor_half), KEY(lat_hmma_half)},
	{HD_OP_HMMA_SP_1688_TF32, 0, 512, KEY(tensor_tf32), KEY(lat_hmma)},
	{HD_OP_IMMA_SP_16832, 0, 2048, KEY(tensor_int8), KEY(lat_imma)},
	{HD_OP_DMMA_884, 0, 256, KEY(tensor_double), KEY(lat_dmma)},
};

START_TEST(products_of_matrices_take_their_rate)
{
	for (uint32_t least = 1; least <= 100; least += 99)
		for (uint32_t count = 1; count <= 2; count++) {
			struct simbench bench;
			begin(&bench);
			bench.config.units_tensor = 1;
			bench.config.ii_tensor = least;
			bench.config.tensor_half = 300;
			bench.config.tensor_single = 150;
			bench.config.tensor_tf32 = 70;
			bench.config.tensor_int8 = 600;
			bench.config.tensor_double = 20;
			bench.config.lat_hmma_half = 9;
			for (uint32_t i = 0; i < count; i++) {
				struct hd_inst *inst = simbench_emit(&bench, matrices[_i].op);
				inst->dst = i + 1 == count ? 20 : 44; /* the last one's is read */
				inst->a = 24;
				inst->b = 28;
				inst->c = 32;
				inst->mods = (uint16_t)matrices[_i].mods;
			}
			uint32_t rate = value_at(&bench.config, matrices[_i].rate);
			uint32_t interval = (matrices[_i].products + rate - 1) / rate;
			interval = interval < least ? least : interval;
			ck_assert_uint_eq(distance(&bench),
					  count * interval + value_at(&bench.config, matrices[_i].beyond));
		}
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("latencies");
	TCase *cases = tcase_create("cases");
	tcase_add_loop_test(cases, each_opcode_has_its_latency, 0, sizeof rows / sizeof *rows);
	tcase_add_loop_test(cases, products_of_matrices_take_their_rate, 0, sizeof matrices / sizeof *matrices);
	suite_add_tcase(suite, cases);
	return suite;
}
