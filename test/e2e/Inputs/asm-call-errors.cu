/* Calls that are refused, each at its place. */
#define TRY(name, text, ...)                               \
	__global__ void name(unsigned *p)                  \
	{                                                  \
		asm volatile(text __VA_ARGS__);            \
	}
TRY(unknown, "call (%0), nix, (%1);", : "=r"(p[0]) : "r"(p[1]))
TRY(count, "{ .func (.param .b32 r) nix (.param .b32 a, .param .b32 b); call (%0), nix, (%1); }", : "=r"(p[0]) : "r"(p[1]))
TRY(beyond, "{ .param .b32 a; ld.param.b64 %0, [a]; }", : "=l"(*(unsigned long long *)p))
TRY(other, "{ .param .b32 a; ld.param.b32 %0, [%1]; }", : "=r"(*p) : "l"(p))
TRY(through, "call (%0), %1, (%2);", : "=r"(*p) : "l"(p), "r"(1))
TRY(nowhere, "mov.u64 %0, nowhere;", : "=l"(*(unsigned long long *)p))
