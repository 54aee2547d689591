import triton
import triton.language as tl


@triton.jit
def softmax_kernel(to, source, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    x = tl.load(source + row * stride + columns, mask=inside, other=-float('inf'))
    top = tl.max(x, axis=0)
    e = tl.exp(x - top)
    total = tl.sum(e, axis=0)
    y = e / total
    tl.store(to + row * stride + columns, y, mask=inside)
