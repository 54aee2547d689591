/*
 * latency: cycles from an instruction to one that reads its result, for each class of arithmetic and for pairs of
 * classes, in one warp. A row of a pair is the mean of both ways. Instructions alternate where a compiler could make
 * one of two (a sum of three terms, a minimum of three).
 */
#include "micro.h"

#define SHORT 64 /* steps */
#define LONG 192

#define ALU "xor.b32 %0, %0, %1;"
MICRO_STEP(AddXor, unsigned, "r", "add.u32 %0, %0, %2;" ALU)
MICRO_STEP(ShiftXor, unsigned, "r", "shf.l.wrap.b32 %0, %0, %2, %1;" ALU)
MICRO_STEP(PermuteXor, unsigned, "r", "prmt.b32 %0, %0, %2, %1;" ALU)
MICRO_STEP(MinMax, int, "r", "min.s32 %0, %0, %1; max.s32 %0, %0, %2;")
MICRO_STEP(Mad, unsigned, "r", "mad.lo.u32 %0, %0, %1, %2;")
MICRO_STEP(MadHigh, unsigned, "r", "mad.hi.u32 %0, %0, %1, %2;")
MICRO_STEP(MadXor, unsigned, "r", "mad.lo.u32 %0, %0, %1, %2;" ALU)

MICRO_STEP(FloatAdd, float, "f", "add.rn.f32 %0, %0, %1;")
MICRO_STEP(FloatMul, float, "f", "mul.rn.f32 %0, %0, %1;")
MICRO_STEP(FloatFma, float, "f", "fma.rn.f32 %0, %0, %1, %2;")
MICRO_STEP(FloatMinMax, float, "f", "min.f32 %0, %0, %1; max.f32 %0, %0, %2;")
MICRO_STEP(FloatXor, unsigned, "r", "add.rn.f32 %0, %0, %2;" ALU)

MICRO_STEP(HalfAdd, unsigned, "r", "add.rn.f16x2 %0, %0, %1;")
MICRO_STEP(HalfFma, unsigned, "r", "fma.rn.f16x2 %0, %0, %1, %2;")
MICRO_STEP(HalfXor, unsigned, "r", "fma.rn.f16x2 %0, %0, %1, %2;" ALU)

MICRO_STEP(DoubleAdd, double, "d", "add.rn.f64 %0, %0, %1;")
MICRO_STEP(DoubleMul, double, "d", "mul.rn.f64 %0, %0, %1;")
MICRO_STEP(DoubleFma, double, "d", "fma.rn.f64 %0, %0, %1, %2;")

MICRO_STEP(Exp2, float, "f", "ex2.approx.ftz.f32 %0, %0;")
MICRO_STEP(Reciprocal, float, "f", "rcp.approx.ftz.f32 %0, %0;")
MICRO_STEP(InverseRoot, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")

MICRO_STEP(CompareSelect, int, "r", "{ .reg .pred p; setp.lt.s32 p, %0, %1; selp.s32 %0, %1, %2, p; }")
MICRO_STEP(Shuffle, unsigned, "r", "shfl.sync.down.b32 %0, %0, 1, 31, 0xffffffff;")

/* What it measures is stored at once, so that nothing of it is under way when the next measurement begins. */
template <typename Op, int STEPS>
__device__ __forceinline__ void time_of(volatile long long *cycles, typename Op::Value &x, typename Op::Value y,
					typename Op::Value z)
{
	long long start = clock64();
#pragma unroll
	for (int i = 0; i < STEPS; i++)
		Op::step(x, y, z);
	*cycles = clock64() - start;
}

template <typename Op>
__global__ void chain(long long *cycles, typename Op::Value *values)
{
	typename Op::Value x = values[0], y = values[1], z = values[2];
#pragma unroll 1
	for (int warm = 0; warm < 2; warm++) {
		time_of<Op, SHORT>(cycles, x, y, z); /* what comes behind a branch may wait for its fetch */
		time_of<Op, SHORT>(cycles, x, y, z);
		time_of<Op, LONG>(cycles + 1, x, y, z);
	}
	values[0] = x;
}

template <typename Op>
static void measure(const char *name, int instructions, typename Op::Value x, typename Op::Value y,
		    typename Op::Value z)
{
	typename Op::Value host[3] = {x, y, z};
	if (!micro_wanted(name))
		return;
	long long *cycles = micro_device_array<long long>(2), host_cycles[2];
	typename Op::Value *values = micro_device_array<typename Op::Value>(3);
	CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
	chain<Op><<<1, 32>>>(cycles, values);
	CHECK(cudaMemcpy(host_cycles, cycles, sizeof host_cycles, cudaMemcpyDeviceToHost));
	micro_row(name, (double)(host_cycles[1] - host_cycles[0]) / ((LONG - SHORT) * instructions), "cycles");
	CHECK(cudaFree(cycles));
	CHECK(cudaFree(values));
}

int main(int argc, char **argv)
{
	micro_begin(argc, argv, "usage: latency [--list] [PREFIX]...   rows whose names begin so (default: all)");
	measure<AddXor>("alu.add-xor", 2, 1, 2, 3);
	measure<ShiftXor>("alu.shift-xor", 2, 1, 2, 3);
	measure<PermuteXor>("alu.permute-xor", 2, 1, 0x3210, 3);
	measure<MinMax>("alu.min-max", 2, 5, 9, 3);
	measure<Mad>("fma.imad", 1, 1, 3, 5);
	measure<MadHigh>("fma.imad-high", 1, 1, 3, 5);
	measure<FloatAdd>("fma.fadd", 1, 1, 2, 3);
	measure<FloatMul>("fma.fmul", 1, 1, 0.5f, 3);
	measure<FloatFma>("fma.ffma", 1, 1, 0.5f, 3);
	measure<FloatMinMax>("alu.fmin-fmax", 2, 5, 9, 3);
	measure<MadXor>("cross.imad-xor", 2, 1, 3, 5);
	measure<FloatXor>("cross.fadd-xor", 2, 1, 3, 5);
	measure<HalfAdd>("half.hadd2", 1, 1, 2, 3);
	measure<HalfFma>("half.hfma2", 1, 1, 2, 3);
	measure<HalfXor>("cross.hfma2-xor", 2, 1, 2, 3);
	measure<DoubleAdd>("double.dadd", 1, 1, 2, 3);
	measure<DoubleMul>("double.dmul", 1, 1, 0.5, 3);
	measure<DoubleFma>("double.dfma", 1, 1, 0.5, 3);
	measure<Exp2>("sfu.exp2", 1, 0.5f, 0, 0);
	measure<Reciprocal>("sfu.reciprocal", 1, 1.5f, 0, 0);
	measure<InverseRoot>("sfu.inverse-root", 1, 1.5f, 0, 0);
	measure<CompareSelect>("predicate.select", 2, 1, 5, 3);
	measure<Shuffle>("shuffle", 1, 1, 0, 0);
	return 0;
}
