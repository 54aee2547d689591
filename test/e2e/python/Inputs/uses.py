"""The package without NumPy: results worked out by hand, and every error an exception with the simulator's words."""
import array
import os
import pathlib
import signal
import struct
import sys
import tempfile
import threading
import warnings

import heddle

SOURCE = '''
#include <cstdio>
#include <cuda_fp16.h>
struct Pair { int a; double b; };
__device__ float factor = 2; __device__ char five[5];
__global__ void mix(Pair pair, double *out, short s, unsigned long long u, float f) {
    out[threadIdx.x] = pair.a * pair.b + s + f + (double)(u >> 63) + threadIdx.x;
}
__global__ void scale(const __half *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = factor * __half2float(from[i]);
    if (i == 0) printf("%d\\n", n);
}
__global__ void outside(int *p) { p[1 << 20] = 1; }
__global__ void unwritten(const int *from, int *to) { if (from[threadIdx.x] > 3) to[0] = 1; }
__global__ void forever(volatile int *p) { while (!*p) p[1]++; }
__global__ void wide(double d) {}
__global__ void plus(const int *a, int *o, int n) { o[threadIdx.x] = a[threadIdx.x] + n; }
__global__ void word(unsigned long long address) { *(long long *)address = 6; }
template <typename T> __global__ void put(T *p, T v) { *p = v; }
template __global__ void put(int *, int);
template __global__ void put(char *, char);
'''


def fails(words, call):
    try:
        call()
    except heddle.HeddleError as error:
        assert words in str(error), (words, str(error))
    else:
        raise AssertionError(f'no error: {words}')


assert 'v100' in heddle.gpus() and 'cars' in heddle.policies()
data = heddle.compile(source=SOURCE)
gpu = heddle.GPU('rtx2060-third')
module = gpu.load(data)
out = array.array('d', [-1] * 4)
# 3 * 1.5 - 2 + 0.25 + 1 + i
launch = module['mix'](1, 4, struct.pack('<iid', 3, 0, 1.5), out, -2, 2 ** 64 - 1, 0.25)
assert out.tolist() == [3.75, 4.75, 5.75, 6.75], out
assert (launch.grid, launch.block, launch['warp_instructions']) == ((1, 1, 1), (4, 1, 1), launch.warp_instructions)
# Every issue slot has one reason.
config = gpu.statistics.config
assert sum(launch.stalls.values()) == launch.cycles * config['schedulers'] * config['sm_count']
halves = gpu.zeros((2, 3), 'f16')
words = array.array('H', struct.unpack('<6H', struct.pack('<6e', 0.5, 1, -2, 3, 4, 65504)))
results = array.array('f', [7] * 7)
assert module['scale']((1, 1), [8], heddle.In(words), heddle.Out(results), 6).kernel.startswith('scale(')
assert results.tolist() == [1, 2, -4, 6, 8, 131008, 0], results
assert gpu.output() == b'6\n' and gpu.output() == b''
assert module.variable('factor', 'float32').tolist() == [2]
module.variable('factor', 'f32').copy_from(array.array('f', [-1]))
module['scale'](1, 8, words, results, 6)
assert results[1] == -1 and results[6] == 0
assert halves.tolist() == [[0, 0, 0], [0, 0, 0]] and halves.nbytes == 12
fails("no kernel 'put'; there are", lambda: module['put'])
byte = gpu.zeros(1, 'i8')
module['put<char>'](1, 1, byte, -7)
assert byte.tolist() == [-7]

# Streams: two grids that ran beside each other.
cells = gpu.zeros(2, 'i32')
for stream in (1, 2):
    module['put<int>'].submit(1, 1, cells.address + 4 * (stream - 1), stream, stream=stream)
assert cells.tolist() == [0, 0]
assert [done.stream for done in gpu.wait()] == [1, 2] and cells.tolist() == [1, 2]
# What is freed stays until launches that were submitted have run.
for free in (lambda array: None, heddle.DeviceArray.free):
    freed = gpu.zeros(32, 'i32')
    place = freed.address
    module['put<int>'].submit(1, 1, freed, 5)
    free(freed)
    del freed
    other = gpu.zeros(32, 'i32')
    assert other.address != place
    fails('launches are submitted that have not run', lambda: module['put<int>'](1, 1, other, 3))
    assert len(gpu.wait()) == 1 and other.tolist() == [0] * 32
    again = gpu.zeros(32, 'i32')
    assert again.address == place, 'it was not freed'
    del again, other
# Loading a module runs them; GPU.wait() still returns them.
module['put<int>'].submit(1, 1, cells, 7)
gpu.load(data)
assert cells.tolist() == [7, 2] and module['put<int>'](1, 1, cells, 8).kernel.startswith('void put<int>')
module['put<int>'].submit(1, 1, cells, 9, stream=3)
gpu.load(data)
assert [done.stream for done in gpu.wait()] == [3] and gpu.wait() == []
fails('takes arrays of the device', lambda: module['put<int>'].submit(1, 1, array.array('i', [1]), 1))

# What is wrong, in the words of the simulator; the session goes on.
fails("unknown GPU 'v10'; did you mean v100", lambda: heddle.GPU('v10'))
fails("unknown policy 'carz'; did you mean cars?", lambda: heddle.GPU(policy='carz'))
fails("unknown configuration key 'sm_cout'", lambda: heddle.GPU(settings={'sm_cout': 3}))
fails('sm_count: expected 1 to 1024, not 0', lambda: heddle.GPU(settings={'sm_count': 0}))
fails("unknown option 'verfy'; did you mean verify?", lambda: heddle.GPU(verfy=True))
fails("max_cycles: expected a number, not '-1'", lambda: heddle.GPU(max_cycles=-1))
fails("verify: expected yes or no, not '3'", lambda: heddle.GPU(verify=3))
fails('needs a run before the one that counts', lambda: heddle.GPU(policy='malekeh:exact'))
fails("policy 'cars' needs timing", lambda: heddle.GPU(policy='cars', functional=True))
fails('functional has no timing', lambda: heddle.GPU(slots=True, functional=True))
fails('unknown check', lambda: heddle.GPU(check='races'))
fails('cannot read /nonexistent: No such file', lambda: gpu.load('/nonexistent'))
fails('not a kernel object', lambda: gpu.load(b'abc'))
fails('', lambda: gpu.load(data[:len(data) // 2]))
fails("no kernel 'mixed'; there are", lambda: module['mixed'])
fails('takes 3 arguments, not 1', lambda: module['scale'](1, 1, words))
# One array for two parameters is one on the device, too.
same = array.array('i', [1, 2, 3, 4])
module['plus'](1, 4, same, same, 10)
assert same.tolist() == [11, 12, 13, 14]
module['plus'](1, 4, heddle.In(same), same, 10)
assert same.tolist() == [21, 22, 23, 24]
fails('it overlaps the array of an earlier argument', lambda: module['plus'](1, 2, same, memoryview(same)[1:], 1))
fails('an array that is Out can be one argument only', lambda: module['plus'](1, 4, same, heddle.Out(same), 1))
# Addresses of sessions are alike, and an address is no number.
with heddle.GPU('rtx2060-third') as another:
    fails('the array is on another GPU', lambda: module['put<int>'](1, 1, another.zeros(1, 'i32'), 1))
fails('argument 4 (f of type float): an array on the device is an address',
      lambda: module['mix'](1, 1, bytes(16), out, 1, 1, cells))
fails('an array on the device is an address', lambda: module['wide'](1, 1, cells))
module['word'](1, 1, cells)
assert cells.tolist() == [6, 0]
fails('block (2048,1,1): x must be 1 to 1024', lambda: module['scale'](1, 2048, words, results, 1))
fails('a grid has one to three positive numbers, not 0', lambda: module['scale'](0, 1, words, results, 1))
fails('a block has one to three positive numbers', lambda: module['scale'](1, (1, 1, 1, 1), words, results, 1))
fails('argument 2 (n of type int): 2.5 is no integer', lambda: module['scale'](1, 1, words, results, 2.5))
fails('4294967296 does not fit 4 bytes', lambda: module['scale'](1, 1, words, results, 2 ** 32))
fails('list is no array', lambda: module['scale'](1, 1, [1, 2], results, 1))
fails('15 bytes were given, and the structure has 16', lambda: module['mix'](1, 1, bytes(15), out, 1, 1, 1))
fails('Out needs an array that can be written', lambda: module['scale'](1, 1, words, heddle.Out(b'abcd'), 1))
fails('the array is empty', lambda: gpu.array(b''))
fails('the array is not contiguous', lambda: gpu.array(memoryview(b'abcd')[::2]))
fails('no element type', lambda: gpu.zeros(1, 'f128'))
fails('a shape has positive numbers', lambda: gpu.zeros((2, 0)))
fails('no device memory for', lambda: gpu.empty(2 ** 40))
fails('8 bytes of i32 do not fit 12 of f16', lambda: halves.copy_from(array.array('i', [1, 2])))
fails("no device variable 'factory'", lambda: module.variable('factory'))
fails('<stdin>:14:46: kernel outside(int*), <stdin>:14, block (0,0,0), thread (0,0,0): 4-byte store',
      lambda: module['outside'](1, 1, cells))
fails('of shared memory per block', lambda: module['scale'](1, 1, words, results, 1, shared=2 ** 31))
# Whatever is refused is a HeddleError, and what has an index or a path is taken.
class Three:  # as numpy.int64
    def __index__(self):
        return 3


assert gpu.zeros(Three()).shape == (3,) and gpu.zeros((Three(), True), 'u8').nbytes == 3
fails('a shape has positive numbers, not 2.5', lambda: gpu.zeros(2.5))
fails("a shape has positive numbers, not 'xy'", lambda: gpu.zeros('xy'))
fails('a size in bytes is a number', lambda: gpu.zeros((2 ** 62, 4)))
for refusal, keys in (('stream is a number from 0', {'stream': 'x'}), ('stream is a number from 0', {'stream': -1}),
                    ('priority is a number', {'priority': 2 ** 31}), ("shared is a number from 0 to 4294967295, not 'x'",
                                                                      {'shared': 'x'})):
    fails(refusal, lambda: module['put<int>'].submit(1, 1, cells, 1, **keys))
fails('a grid has one to three positive numbers, not 1.5', lambda: module['put<int>'](1.5, 1, cells, 1))
module['put<int>'](Three(), (Three(), 1), cells, Three())
assert cells.tolist() == [3, 0] and gpu.wait() == []
fails('a variable of 5 bytes is no array of f32', lambda: module.variable('five', 'f32'))
assert module.variable('five').shape == (5,)
fails('an array of f64 was given, and the kernel takes int', lambda: module['outside'](1, 1, array.array('d', [1])))
fails('an array of i32 was given, and the kernel takes float', lambda: module['scale'](1, 1, words, cells, 1))
fails('an array of f32 was given, and the kernel takes double', lambda: module['mix'](1, 1, bytes(16), results, 1, 1, 1))
fails('a kernel is a text, not 3', lambda: module[3])
fails('a path is a text, not None', lambda: gpu.load(None))
fails('settings is a dictionary', lambda: heddle.GPU(settings=['sm_count']))
fails('a text, not', lambda: heddle.GPU('v100\0'))
fails('source is a text', lambda: heddle.compile(source=b''))
fails('an option of heddle-cc', lambda: heddle.compile('x.cu', options=[3]))
halves.free()
fails('the array was freed', halves.tolist)
results[1] = 0
module['scale'](1, 8, words, results, 6)
assert results[1] == -1
try:
    heddle.compile(source='__global__ void k() { x; }')
    raise AssertionError('it was compiled')
except heddle.CompileError as error:
    assert "<stdin>:1:23: error: use of undeclared identifier 'x'" in str(error)

# Timelines are written at the end, and the way there is tried at the start.
fails('timeline: cannot write /nonexistent/t.json: No such file', lambda: heddle.GPU(timeline='/nonexistent/t.json'))
fails('kanata: cannot write /: Is a directory', lambda: heddle.GPU(kanata='/'))
fails('timeline_name needs timeline', lambda: heddle.GPU(timeline_name='x'))
fails('timeline_only needs timeline or kanata', lambda: heddle.GPU(timeline_only='sm0'))
with tempfile.TemporaryDirectory() as folder:
    def recorded(end):
        file = os.path.join(folder, 'there', 't.json')
        os.makedirs(os.path.dirname(file), exist_ok=True)
        device = heddle.GPU('rtx2060-third', timeline=file, timeline_name='first run')
        device.load(data)['put<int>'](1, 1, device.zeros(1, 'i32'), 1)
        end(device)
        with open(file, 'rb') as text:
            return text.read()

    def lost(end):
        def spoil(device):
            os.rename(os.path.join(folder, 'there'), os.path.join(folder, 'gone'))
            end(device)
        return lambda: recorded(spoil)
    assert b'first run' in recorded(heddle.GPU.close)
    fails('there/t.json: No such file', lost(heddle.GPU.close))
    os.rename(os.path.join(folder, 'gone'), os.path.join(folder, 'earlier'))

    def leave(device):
        with device:
            raise ZeroDivisionError
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            lost(leave)()
        except ZeroDivisionError:
            pass
    assert ['there/t.json: No such file' in str(one.message) for one in caught] == [True]

# Findings are warnings.
with heddle.GPU('rtx2060-third', check='init') as checked, warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    checked.load(data)['unwritten'](1, 1, checked.empty(1, 'i32'), checked.zeros(1, 'i32'))
    assert checked.findings() == 1
assert any('uninitialised value' in str(one.message) for one in caught), [str(one.message) for one in caught]
fails('the GPU was closed', lambda: checked.launches)

# Ctrl-C ends a launch. Its figures stay, and the session takes no further one.
signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests' runner ignores it, and so would this process
with heddle.GPU('rtx2060-third', watchdog=10 ** 15, max_cycles=10 ** 8) as slow:
    kernel, flag = slow.load(data)['forever'], slow.zeros(2, 'i32')
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        kernel(1, 1, flag)
        raise AssertionError('it ended')
    except KeyboardInterrupt:
        pass
    fails('was interrupted: use a new session', lambda: kernel(1, 1, flag))
    assert slow.launches[0].figures['partial']

# Sweeps, one after the other and at the same time.
def once(device):
    device.load(data)['scale'](2, 64, words, heddle.Out(results), 6)
    return results[1]


rows = [heddle.sweep(once, gpu='rtx2060-third', policy=['baseline', 'swl:4'], settings=[{}, {'l1_latency': 90}], jobs=jobs)
        for jobs in (1, 2)]
assert rows[0].rows == rows[1].rows and len(rows[0]) == 4
first, slower = rows[0].speedups().rows[:2]
assert first['cycles'] < slower['cycles'] and first['result'] == 2 and slower['l1_latency'] == 90 and first['speedup'] == 1
assert str(rows[0].column('stalls.fetch')).splitlines()[0].split()[:4] == ['gpu', 'policy', 'l1_latency', 'cycles']
assert str(heddle.sweep(once, settings=[])).split() == ['gpu', 'policy']
fails('x.ini: No such file or directory', lambda: heddle.sweep(once, gpu=pathlib.Path('x.ini')))
fails('jobs is a number from 1', lambda: heddle.sweep(once, jobs='2'))
fails('3 is neither one to compare nor a list', lambda: heddle.sweep(once, policy=3))


# Ctrl-C, and a run that fails, end the others.
def endless(device):
    begun.release()
    if device.policy == 'swl:4':
        begun.acquire(), begun.acquire()
        stop()
    device.load(data)['forever'](1, 1, device.zeros(2, 'i32'))


def fault():
    raise ZeroDivisionError


for stop, error in ((lambda: os.kill(os.getpid(), signal.SIGINT), KeyboardInterrupt), (fault, ZeroDivisionError)):
    begun = threading.Semaphore(0)
    try:
        heddle.sweep(endless, gpu='rtx2060-third', policy=['swl:4', 'baseline'], jobs=2, watchdog=10 ** 15, max_cycles=10 ** 8)
        raise AssertionError('it ended')
    except error:
        pass
fails("no run under policy 'rfc'", lambda: rows[0].speedups('rfc'))
print('done')
sys.stdout.flush()
