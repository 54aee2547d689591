"""Heddle's simulated GPUs in Python: compile CUDA kernels, launch them on arrays, read the figures.

    import heddle
    gpu = heddle.GPU('v100', policy='cars')
    saxpy = gpu.compile('saxpy.cu')['saxpy']
    launch = saxpy(4, 256, 1000, 2.0, x, y)       # grid, block, arguments
    print(launch.cycles, launch.ipc, launch.stalls['data_memory'])

The package needs no compiler and no other package: arrays are whatever has Python's buffer protocol (numpy.ndarray,
array.array, bytearray, memoryview). It calls libheddle-sim.so, and heddle-cc where sources are compiled.
"""
from ._library import HeddleError, gpus, policies
from .arrays import DeviceArray, In, Out
from .compiling import CompileError, compile
from .gpu import GPU, Kernel, Module, Parameter
from .statistics import Launch, Statistics
from .sweeps import Sweep, sweep

__version__ = '0.2.0'
__all__ = ['CompileError', 'DeviceArray', 'GPU', 'HeddleError', 'In', 'Kernel', 'Launch', 'Module', 'Out', 'Parameter',
           'Statistics', 'Sweep', 'compile', 'gpus', 'policies', 'sweep']
