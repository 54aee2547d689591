/* Addresses as initial values, and parameters of the kernel, that are refused, each at its place. */
#define TRY(name, text, ...)                               \
	__global__ void name(unsigned *p)                  \
	{                                                  \
		asm volatile(text __VA_ARGS__);            \
	}
TRY(space, "{ .shared .b32 g; .global .u64 a = g; ld.global.b32 %0, [a]; }", : "=r"(*p))
TRY(unknown, "{ .global .u64 a = nowhere; ld.global.b32 %0, [a]; }", : "=r"(*p))
TRY(later, "{ .global .u64 a = g; .global .b32 g = 1; ld.global.b32 %0, [a]; }", : "=r"(*p))
TRY(parts, "{ .global .b32 g; .global .u8 a[2] = {0xff(g), 0xff00(g)}; ld.global.u8 %0, [a]; }", : "=r"(*p))
TRY(taken, "{ .reg .u64 q; mov.u64 q, _Z5takenPj_param_0; }", ::)
TRY(written, "st.param.u64 [_Z7writtenPj_param_0], 1;", ::)
TRY(other, "{ .reg .u64 q; ld.param.u64 q, [_Z5otherPj_param_1]; }", ::)
TRY(beyond, "{ .reg .u64 q; ld.param.u64 q, [_Z6beyondPj_param_0+4]; }", ::)
