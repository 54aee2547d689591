"""The package with NumPy's arrays."""
import numpy
import heddle

gpu = heddle.GPU('rtx2060-third')
module = gpu.compile(source='''
#include <cuda_fp16.h>
__global__ void row(const __half *from, float *to, const bool *on, unsigned char *bytes, long long shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = on[i] ? __half2float(from[i]) * 2 : -1;
    bytes[i] = i >> shift;
}''')
halves = numpy.arange(12, dtype=numpy.float16).reshape(3, 4) / 2
singles, on, small = numpy.empty((3, 4), numpy.float32), numpy.arange(12) % 3 == 0, numpy.zeros(12, 'u1')
device = gpu.zeros((3, 4), numpy.float32)
launch = module['row'](numpy.int32(3), (numpy.int64(4),), halves, singles, on, small, numpy.uint8(1))
module['row'](3, 4, halves, device, on, small, 1)
expected = numpy.where(on.reshape(3, 4), numpy.arange(12.).reshape(3, 4), -1)
assert (singles == expected).all() and (device.numpy() == expected).all() and device.numpy().dtype == numpy.float32
assert small.tolist() == [i // 2 for i in range(12)]
device.numpy()[0, 0] = 3  # a copy of its own
assert device.tolist()[0][0] == 0
frozen = halves.copy()
frozen.flags.writeable = False
assert gpu.array(frozen).numpy().tolist() == halves.tolist()
assert [gpu.zeros(1, kind).type for kind in (numpy.dtype('i8'), 'int16', numpy.bool_, 'float64')] == ['i64', 'i16', 'u8', 'f64']
for wrong in (numpy.zeros((4, 4))[::2, ::2], numpy.zeros(3, complex), numpy.array(['a'])):
    try:
        gpu.array(wrong)
    except heddle.HeddleError:
        continue
    raise AssertionError(wrong)
print('done')
