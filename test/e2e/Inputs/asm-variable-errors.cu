/* Initial values that are refused, each at its place. */
#define TRY(name, text, ...)                               \
	__global__ void name(unsigned *p)                  \
	{                                                  \
		asm volatile(text __VA_ARGS__);            \
	}
TRY(longer, "{ .global .b32 g[2] = {1, 2, 3}; ld.global.b32 %0, [g]; }", : "=r"(*p))
TRY(deeper, "{ .global .b32 g[2] = {{1}, 2}; ld.global.b32 %0, [g]; }", : "=r"(*p))
TRY(shared, "{ .shared .b32 s = 1; ld.shared.b32 %0, [s]; }", : "=r"(*p))
TRY(narrow, "{ .global .b32 g = 1; .global .u32 a = g; ld.global.b32 %0, [a]; }", : "=r"(*p))
TRY(real, "{ .global .b32 g = 1; .global .f64 a = g; ld.global.b32 %0, [a]; }", : "=r"(*p))
TRY(deepest, "{ .global .b32 g[1][1][1][1][1]; ld.global.b32 %0, [g]; }", : "=r"(*p))
TRY(many, "{ .reg .b32 a; mov.b32 {%0, a, a, a, a, a, a, a, a}, a; }", : "=r"(*p))
TRY(arguments, "{ c: .callprototype (.param .b32 r) _ (.param .b32 a, .param .b32 b, .param .b32 c, .param .b32 d, .param .b32 e, .param .b32 f, .param .b32 g, .param .b32 h, .param .b32 i); mov.b32 %0, 0; }", : "=r"(*p))
TRY(operands, "{ add.u32 %0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17; }", : "=r"(*p))
TRY(wraps, "{ .shared .b8 g[6148914691236517206][3]; ld.shared.u8 %0, [g]; }", : "=r"(*p))
TRY(aligned, "{ .shared .align 4294967296 .b8 g[4]; ld.shared.u8 %0, [g]; }", : "=r"(*p))
TRY(number, "mov.u32 %0, 18446744073709551616;", : "=r"(*p))
TRY(mask, "{ .global .b32 g; .global .u8 a[2] = {0xfff(g)}; ld.global.u8 %0, [a]; }", : "=r"(*p))
TRY(filled, "{ .global .b8 f[9223372036854775807][3] = {{1}}; ld.global.u8 %0, [f]; }", : "=r"(*p))
TRY(filled_rows, "{ .global .b8 f[2][18446744073709551616] = {{1}, {2}}; ld.global.u8 %0, [f]; }", : "=r"(*p))
TRY(saturated, "{ .global .b8 f[18446744073709551616] = {1, 2}; ld.global.u8 %0, [f]; }", : "=r"(*p))
TRY(negative, "{ .global .b8 f[-1] = {1, 2}; ld.global.u8 %0, [f]; }", : "=r"(*p))
