import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    start = block * BLOCK
    at = start + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(x + at, mask=inside)
    b = tl.load(y + at, mask=inside)
    total = a + b
    tl.store(out + at, total, mask=inside)
