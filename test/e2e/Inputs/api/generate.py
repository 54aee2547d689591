#!/usr/bin/python3
"""Writes the cases of the test of arguments (run.cu) from the prototypes of the API's headers.

    generate.py --clang CLANG --headers include/cuda >cases.inc
    generate.py --clang CLANG --headers include/cuda --cuda /usr/local/cuda/include >cases.inc

Every function that returns an error code and takes arguments is there: called with arguments that are right as far as
their types and names say, and then again and again with one of them wrong. What is right and wrong for a kind of
argument stands in the tables below; world.h makes the objects. With --cuda the cases are of functions that CUDA's own
headers have, too, so that the same program says on a card what is right (measured.txt).
"""

import argparse
import json
import os
import re
import subprocess
import tempfile

RETURNS = ('cudaError_t', 'CUresult')
# Entry points of compiled code, which no program calls.
INTERNAL = {'__cudaPopCallConfiguration'}

# Handles, by their types: what a right one is, and one that was destroyed.
HANDLES = {
    'stream': ('cudaStream_t', 'CUstream'),
    'event': ('cudaEvent_t', 'CUevent'),
    'graph': ('cudaGraph_t', 'CUgraph'),
    'exec': ('cudaGraphExec_t', 'CUgraphExec'),
    'node': ('cudaGraphNode_t', 'CUgraphNode'),
    'array': ('cudaArray_t', 'CUarray', 'cudaArray_const_t'),
    'mipmap': ('cudaMipmappedArray_t', 'CUmipmappedArray', 'cudaMipmappedArray_const_t'),
    'texture': ('cudaTextureObject_t', 'CUtexObject'),
    'surface': ('cudaSurfaceObject_t', 'CUsurfObject'),
    'pool': ('cudaMemPool_t', 'CUmemoryPool'),
    'library': ('cudaLibrary_t', 'CUlibrary'),
    'module': ('CUmodule',),
    'kernel': ('cudaKernel_t', 'CUkernel'),
    'function': ('CUfunction', 'cudaFunction_t'),
    'context': ('CUcontext',),
    'texref': ('CUtexref',),
    'object': ('cudaUserObject_t', 'CUuserObject'),
    'link': ('CUlinkState',),
    'physical': ('CUmemGenericAllocationHandle',),
}
KIND_OF_HANDLE = {name: kind for kind, names in HANDLES.items() for name in names}
# A destroyed one is cheap to make.
MORTAL = {'stream', 'event', 'graph', 'exec', 'node', 'array', 'mipmap', 'texture', 'surface', 'pool', 'library', 'module',
          'context', 'object', 'link', 'physical'}
# The node that a function is about, by the function's name; the first that fits.
NODES = [('KernelNode', 'kernel'), ('FromSymbol', 'from_symbol'), ('ToSymbol', 'to_symbol'), ('MemcpyNode', 'memcpy'),
         ('MemsetNode', 'memset'), ('HostNode', 'host'), ('ChildGraph', 'child'), ('EventRecord', 'record'),
         ('EventWait', 'wait'), ('MemAllocNode', 'alloc'), ('MemFreeNode', 'free'), ('NodeSetParams', 'host'),
         ('NodeSetEnabled', 'kernel'), ('NodeGetEnabled', 'kernel'), ('', 'empty')]
# Structures that are read: the member of the world that has a right one, by the type's name.
READ = {
    'cudaMemcpy3DParms': 'copy3d', 'CUDA_MEMCPY3D': 'cu_copy3d', 'CUDA_MEMCPY2D': 'cu_copy2d',
    'cudaMemcpy3DPeerParms': 'copy_peer', 'cudaChannelFormatDesc': 'channel', 'cudaKernelNodeParams': 'kernel_params',
    'CUDA_KERNEL_NODE_PARAMS': 'cu_kernel_params', 'cudaMemsetParams': 'memset_params',
    'CUDA_MEMSET_NODE_PARAMS': 'cu_memset_params', 'cudaHostNodeParams': 'host_params',
    'CUDA_HOST_NODE_PARAMS': 'cu_host_params', 'cudaLaunchConfig_t': 'launch', 'CUDA_ARRAY_DESCRIPTOR': 'cu_array_desc',
    'CUDA_ARRAY3D_DESCRIPTOR': 'cu_array3d_desc', 'CUDA_RESOURCE_DESC': 'cu_resource', 'CUDA_TEXTURE_DESC': 'cu_texture_desc',
    'cudaResourceDesc': 'resource', 'cudaTextureDesc': 'texture_desc', 'cudaMemPoolProps': 'pool_props',
    'cudaMemAccessDesc': 'access', 'cudaStreamAttrValue': 'stream_attr', 'CUstreamAttrValue': 'stream_attr',
    'CUmemPoolProps': 'pool_props', 'CUmemAccessDesc': 'access', 'CUDA_MEMCPY3D_PEER': 'cu_copy3d', 'CUlaunchConfig': 'cu_launch',
    'cudaKernelNodeAttrValue': 'stream_attr', 'CUkernelNodeAttrValue': 'stream_attr',
    'CUmemAllocationProp': 'virtual_prop', 'cudaDeviceProp': 'prop', 'cudaUUID_t': 'uuid', 'CUuuid': 'uuid',
}
# Structures that are read though they are not const.
READ_WRITTEN = {'cudaGraphNodeParams': 'node_params', 'cudaMemAllocNodeParams': 'alloc_params',
                'cudaGraphInstantiateParams': 'instantiate_params', 'cudaMemLocation': 'location',
                'CUmemLocation': 'location', 'CUDA_MEM_ALLOC_NODE_PARAMS': 'alloc_params',
                'CUDA_GRAPH_INSTANTIATE_PARAMS': 'instantiate_params', 'cudaMemcpyAttributes': 'batch_attributes',
                'CUmemcpyAttributes': 'batch_attributes', 'cudaMemcpy3DBatchOp': 'batch_op',
                'CUDA_MEMCPY3D_BATCH_OP': 'batch_op'}
# Functions that ask about what such a structure says.
ASKING = re.compile(r'^cu(da)?(MemPoolGetAccess|MemGet(Default)?MemPool|MemGetAccess)$')
# Functions of addresses and memory that a program joins itself.
VIRTUAL = re.compile(r'^cuMem(Address\w+|Map|Unmap|SetAccess|GetAccess|Release|Retain\w+|ExportTo\w+|ImportFrom\w+|GetAllocationProp\w+)$')
# Lists of batches, by their names.
LISTS = {'dsts': 'batch_to', 'srcs': 'batch_from', 'sizes': 'batch_sizes', 'attrsIdxs': 'batch_starts',
         'dptrs': 'batch_managed', 'prefetchLocIdxs': 'batch_starts', 'operations': 'batch_operations'}
# Pointers that may be absent, and are.
ABSENT = {'pDependencies', 'dependencies', 'jitOptions', 'jitOptionsValues', 'libraryOptions', 'libraryOptionValues',
          'options', 'optionValues', 'extra', 'pResViewDesc', 'userData', 'nodes', 'rootNodes', 'pRootNodes',
          'dependentNodes', 'pDependentNodes', 'edges', 'dependencyData', 'edgeData', 'edgeData_out'}
# Integers: what is right, and what is not.
NUMBERS = {
    'tensorRank': ('1', ['0', '6']), 'channelsPerPixel': ('1', ['0', '257']), 'pixelsPerColumn': ('1', ['0', '1025']), 'numDependencies': ('0', ['1', '~(size_t)0']), 'paramIndex': ('0', ['99']), 'count': ('64', ['0', '~(size_t)0']),
    'offset': ('0', ['~(size_t)0']), 'wOffset': ('0', ['~(size_t)0']), 'hOffset': ('0', ['~(size_t)0']),
    'wOffsetDst': ('0', ['~(size_t)0']), 'hOffsetDst': ('0', ['~(size_t)0']), 'wOffsetSrc': ('0', ['~(size_t)0']),
    'hOffsetSrc': ('0', ['~(size_t)0']), 'dstOffset': ('0', ['~(size_t)0']), 'srcOffset': ('0', ['~(size_t)0']),
    'spitch': ('256', ['0', '4', '~(size_t)0']), 'dpitch': ('256', ['0', '4', '~(size_t)0']),
    'pitch': ('256', ['0', '4', '~(size_t)0']), 'dstPitch': ('256', ['0', '4', '~(size_t)0']),
    'Pitch': ('256', ['0', '4', '~(size_t)0']),
    'width': ('16', ['0', '~(size_t)0']), 'height': ('4', ['0', '~(size_t)0']), 'Width': ('16', ['0', '~(size_t)0']),
    'Height': ('4', ['0', '~(size_t)0']), 'WidthInBytes': ('64', ['0', '~(size_t)0']), 'size': ('64', ['0', '~(size_t)0']),
    'bytesize': ('64', ['0', '~(size_t)0']), 'ByteCount': ('64', ['0', '~(size_t)0']), 'N': ('16', ['0', '~(size_t)0']),
    'length': ('64', ['0', '-1']), 'bytes': ('64', ['0', '~(size_t)0']), 'dataSize': ('4', ['0', '3', '~(size_t)0']),
    'numAttributes': ('1', ['0']), 'minBytesToKeep': ('0', ['~(size_t)0']), 'sharedMem': ('0', ['49153', '~(size_t)0']),
    'sharedMemBytes': ('0', ['49153', '~0u']), 'dynamicSMemSize': ('0', ['1048576', '~(size_t)0']),
    'flags': ('0', ['~0u', '0x40000000']), 'Flags': ('0', ['~0u', '0x40000000']), 'deviceFlags': ('0', ['~0u']),
    'isEnabled': ('1', ['2']), 'cudaVersion': ('12000', ['0']), 'numJitOptions': ('0', ['1']),
    'numLibraryOptions': ('0', ['1']), 'numOptions': ('0', ['1']), 'numKernels': ('1', ['0']), 'numFunctions': ('1', ['0']),
    'numLevels': ('2', ['0', '99']), 'numMipmapLevels': ('2', ['0', '99']), 'level': ('0', ['99']),
    'gridDimX': ('1', ['0', '0x80000000u']), 'gridDimY': ('1', ['0', '65536']), 'gridDimZ': ('1', ['0', '65536']),
    'blockDimX': ('1', ['0', '1025']), 'blockDimY': ('1', ['0', '1025']), 'blockDimZ': ('1', ['0', '65']),
    'ElementSizeBytes': ('4', ['0', '3', '32']), 'maxAniso': ('1', []), 'ui': ('0', []), 'uc': ('0', []), 'us': ('0', []),
    'device': ('0', ['-1', '99']), 'peerDevice': ('0', ['-1', '99']), 'srcDevice': ('0', ['-1', '99']),
    'dstDevice': ('0', ['-1', '99']), 'dev': ('0', ['-1', '99']), 'peerDev': ('0', ['-1', '99']),
    'ordinal': ('0', ['-1', '99']), 'len': ('64', ['0', '-1']), 'blockSize': ('32', ['0', '-1', '1025', '0x7fffffff']),
    'numBlocks': ('1', ['0', '-1', '0x7fffffff']), 'priority': ('0', ['99']), 'blockSizeLimit': ('0', ['-1']),
    'initialRefcount': ('1', ['0', '~0u']), 'numAttrs': ('1', ['0', '2', '~(size_t)0']),
    'numOps': ('1', ['0', '~(size_t)0']), 'numPrefetchLocs': ('1', ['0', '2', '~(size_t)0']), 'type': ('0', ['1', '-1']),
    'numChannels': ('1', ['0', '3', '~0u']), 'alignment': ('0', ['3', '~(size_t)0']),
    'NumPackedComponents': ('1', ['0', '3', '99']), 'dim': ('0', ['-1', '99']), 'value': ('0', []), 'val': ('0', []),
}
# The same where a function means another thing by the name.
NUMBERS_OF = {
    ('cudaSetValidDevices', 'count'): ('1', ['-1', '99']),
    ('cudaDeviceGetPCIBusId', 'length'): ('64', ['0', '-1', '4']),
    ('cudaStreamAttachMemAsync', 'length'): ('0', ['3', '~(size_t)0']),
    ('cuStreamAttachMemAsync', 'length'): ('0', ['3', '~(size_t)0']),
    ('cudaMemPoolSetAccess', 'count'): ('1', ['0', '~(size_t)0']),
    ('cuMemPoolSetAccess', 'count'): ('1', ['0', '~(size_t)0']),
    ('cuMemSetAccess', 'count'): ('1', ['0', '~(size_t)0']),
    ('cudaMallocArray', 'width'): ('16', ['0', '~(size_t)0', '1 << 20']),
    ('cudaMallocArray', 'height'): ('4', ['~(size_t)0', '1 << 20']),
    ('cudaStreamAttachMemAsync', 'flags'): ('4', ['0', '3', '~0u']),
    ('cuStreamAttachMemAsync', 'flags'): ('4', ['0', '3', '~0u']),
    ('cudaMallocManaged', 'flags'): ('1', ['0', '3', '~0u']),
    ('cuMemAllocManaged', 'flags'): ('1', ['0', '3', '~0u']),
}
for _name in ('cudaGraphAddDependencies', 'cudaGraphRemoveDependencies', 'cudaGraphAddDependencies_v2',
              'cudaGraphRemoveDependencies_v2', 'cuGraphAddDependencies',
              'cuGraphRemoveDependencies'):
    NUMBERS_OF[_name, 'numDependencies'] = ('1', ['0', '~(size_t)0'])
for _name in ('MemcpyBatchAsync', 'MemPrefetchBatchAsync', 'MemDiscardBatchAsync', 'MemDiscardAndPrefetchBatchAsync'):
    NUMBERS_OF['cuda' + _name, 'count'] = NUMBERS_OF['cu' + _name, 'count'] = ('1', ['0', '~(size_t)0'])
for _name in ('UserObjectRetain', 'UserObjectRelease', 'GraphRetainUserObject', 'GraphReleaseUserObject'):
    NUMBERS_OF['cuda' + _name, 'count'] = NUMBERS_OF['cu' + _name, 'count'] = ('1', ['0', '~0u'])
for _name in ('DeviceGetHostAtomicCapabilities', 'DeviceGetP2PAtomicCapabilities'):
    NUMBERS_OF['cuda' + _name, 'count'] = NUMBERS_OF['cu' + _name, 'count'] = ('1', ['0'])
for _name in ('cudaUserObjectCreate', 'cuUserObjectCreate'):
    NUMBERS_OF[_name, 'flags'] = ('1', ['0', '2', '~0u'])
for _name in ('cudaDeviceSetLimit', 'cudaThreadSetLimit', 'cuCtxSetLimit'):
    NUMBERS_OF[_name, 'value'] = ('2048', ['~(size_t)0'])
for _name in ('cudaFuncSetAttribute', 'cuFuncSetAttribute', 'cudaKernelSetAttributeForDevice', 'cuKernelSetAttribute'):
    NUMBERS_OF[_name, 'value'] = NUMBERS_OF[_name, 'val'] = ('1024', ['-5', '0x7fffffff'])
for _name in ('cudaHostRegister', 'cuMemHostRegister'):
    NUMBERS_OF[_name, 'size'] = NUMBERS_OF[_name, 'bytesize'] = ('4096', ['0', '~(size_t)0'])
for _name in ('AddressReserve', 'AddressFree', 'Create', 'Map', 'Unmap', 'SetAccess'):
    NUMBERS_OF['cuMem' + _name, 'size'] = ('GRANULE', ['0', '4097', '~(size_t)0'])
# Enumerations: a right value where zero is none, by type or by function and name.
ENUMERATIONS = {
    'enum cudaMemcpyKind': 'cudaMemcpyDefault', 'enum cudaFuncAttribute': 'cudaFuncAttributeMaxDynamicSharedMemorySize',
    'CUfunction_attribute': 'CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES',
    'enum cudaMemPoolAttr': 'cudaMemPoolAttrReleaseThreshold', 'CUmemPool_attribute': 'CU_MEMPOOL_ATTR_RELEASE_THRESHOLD',
    'cudaStreamAttrID': '(cudaStreamAttrID)8', 'CUstreamAttrID': '(CUstreamAttrID)8',
    'enum cudaDeviceAttr': 'cudaDevAttrWarpSize', 'CUdevice_attribute': 'CU_DEVICE_ATTRIBUTE_WARP_SIZE',
    'enum cudaDeviceP2PAttr': 'cudaDevP2PAttrAccessSupported', 'enum cudaMemoryAdvise': 'cudaMemAdviseSetReadMostly',
    'CUmem_advise': 'CU_MEM_ADVISE_SET_READ_MOSTLY',
    'enum cudaMemRangeAttribute': 'cudaMemRangeAttributeReadMostly',
    'CUpointer_attribute': 'CU_POINTER_ATTRIBUTE_MEMORY_TYPE', 'CUarray_format': 'CU_AD_FORMAT_FLOAT',
    'enum cudaFlushGPUDirectRDMAWritesTarget': 'cudaFlushGPUDirectRDMAWritesTargetCurrentDevice',
    'enum cudaFlushGPUDirectRDMAWritesScope': 'cudaFlushGPUDirectRDMAWritesToOwner',
    'enum cudaMemAllocationType': 'cudaMemAllocationTypePinned', 'CUmemAllocationType': 'CU_MEM_ALLOCATION_TYPE_PINNED',
    'cudaKernelNodeAttrID': '(cudaKernelNodeAttrID)8', 'CUkernelNodeAttrID': '(CUkernelNodeAttrID)8',
    'enum cudaGraphMemAttributeType': 'cudaGraphMemAttrUsedMemHigh', 'CUgraphMem_attribute': 'CU_GRAPH_MEM_ATTR_USED_MEM_HIGH',
    'CUmem_range_attribute': 'CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY',
    'CUdevice_P2PAttribute': 'CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED',
    'CUmemAllocationHandleType': 'CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR',
    'enum cudaStreamCaptureMode': 'cudaStreamCaptureModeRelaxed', 'CUstreamCaptureMode': 'CU_STREAM_CAPTURE_MODE_RELAXED',
}
FUNCTIONS = {'cudaHostFn_t': 'w->host_fn', 'CUhostFn': 'w->host_fn', 'cudaStreamCallback_t': 'w->callback',
             'CUstreamCallback': 'w->cu_callback', 'CUoccupancyB2DSize': '0'}
BY_VALUE = {'struct cudaExtent': 'extent', 'struct cudaPitchedPtr': 'pitched', 'dim3': 'one',
            'struct cudaMemLocation': 'location', 'CUmemLocation': 'cu_location', 'cudaIpcMemHandle_t': 'ipc_mem', 'cudaIpcEventHandle_t': 'ipc_event'}
TEXTS = {'name': ('w->kernel_name', ['""', '"no_such_name"']), 'path': ('"/dev/null"', ['"/no/such/folder/file"']),
         'fileName': ('w->image_file', ['""', '"/no/such/file"']), 'fname': ('w->image_file', ['""', '"/no/such/file"']),
         'symbol': ('"cuInit"', ['""', '"cuNoSuchFunction"']), 'pciBusId': ('w->bus_id', ['""', '"zz"', '"7f:1f.0"'])}
# What a function ends or changes, so that what comes after it needs a process of its own.
ENDS = re.compile(r'^(cudaDeviceReset|cudaThreadExit|cuDevicePrimaryCtx(Reset|Release)|cuCtx(Create|Destroy|Push|Pop|SetCurrent)\w*|'
                  r'cudaSetValidDevices|cudaDeviceSetMemPool|cuDeviceSetMemPool)$')
# Versions of CUDA 12's functions of the driver under which CUDA 13's library still has them.
DRIVER_12 = {'cuCtxCreate': 'cuCtxCreate_v2', 'cuMemAdvise': 'cuMemAdvise', 'cuMemPrefetchAsync': 'cuMemPrefetchAsync',
             'cuStreamGetCaptureInfo': 'cuStreamGetCaptureInfo_v2', 'cuGraphAddDependencies': 'cuGraphAddDependencies',
             'cuStreamUpdateCaptureDependencies': 'cuStreamUpdateCaptureDependencies',
             'cuGraphRemoveDependencies': 'cuGraphRemoveDependencies', 'cuGraphGetEdges': 'cuGraphGetEdges',
             'cuGraphNodeGetDependencies': 'cuGraphNodeGetDependencies',
             'cuGraphNodeGetDependentNodes': 'cuGraphNodeGetDependentNodes'}
# Functions of the runtime that CUDA 13 has with one argument more; cuda13.h has them as they were.
RUNTIME_12 = {'cudaGraphAddNode', 'cudaGraphAddDependencies', 'cudaGraphRemoveDependencies', 'cudaGraphGetEdges',
              'cudaGraphNodeGetDependencies', 'cudaGraphNodeGetDependentNodes', 'cudaStreamGetCaptureInfo',
              'cudaStreamUpdateCaptureDependencies', 'cudaMemPrefetchAsync', 'cudaMemAdvise'}


def prototypes(clang, headers):
    """{function: (what it returns, [(name, type, type without typedefs)])}, and the macros of the headers."""
    with tempfile.NamedTemporaryFile('w', suffix='.c') as source:
        for header in ('cuda_runtime_api.h', 'cuda.h', 'cuda_profiler_api.h', 'cudaProfiler.h'):
            source.write(f'#include <{header}>\n')
        source.flush()
        common = [clang, '-I', headers, '-x', 'c', source.name]
        tree = json.loads(subprocess.check_output(common + ['-fsyntax-only', '-Xclang', '-ast-dump=json']))
        macros = subprocess.check_output(common + ['-E', '-dM'], text=True)
    found = {}
    for node in tree['inner']:
        returned = node.get('type', {}).get('qualType', '').split('(')[0].strip()
        if node['kind'] != 'FunctionDecl' or returned not in RETURNS or node['name'] in INTERNAL:
            continue
        found[node['name']] = (returned, [(c.get('name', '').removeprefix('_'), c['type']['qualType'],
                                           c['type'].get('desugaredQualType', c['type']['qualType']))
                                          for c in node.get('inner', []) if c['kind'] == 'ParmVarDecl'])
    return found, dict(re.findall(r'^#define (cuda\w+|cu\w+) (cuda\w+|cu\w+)$', macros, re.M))


def unsupported(headers):
    with open(os.path.join(headers, 'heddle_unsupported.def'), encoding='utf-8') as table:
        return set(re.findall(r'^HD_UNSUPPORTED_\w+\((\w+),', table.read(), re.M))


def pointee(type_):
    """What a type of a pointer points to, without qualifiers; None."""
    match = re.fullmatch(r'(const )?(?:struct |enum )?(\w[\w ]*?) ?\*', type_)
    return (match.group(2), bool(match.group(1))) if match else None


def memory(function, name):
    """A right pointer to memory for a function and an argument's name."""
    if name in ('host', 'pHost') or function in ('cudaFreeHost', 'cuMemFreeHost', 'cuMemHostGetFlags',
                                                 'cuMemHostGetDevicePointer'):
        return 'w->pinned'
    if function in ('cudaHostUnregister', 'cuMemHostUnregister'):
        return 'w->registered'
    if function in ('cudaHostRegister', 'cuMemHostRegister'):
        return 'w->page'
    if VIRTUAL.search(function):
        return {'cuMemAddressReserve': '(char *)0', 'cuMemAddressFree': 'w->spare',
                'cuMemMap': 'w->mapped + GRANULE'}.get(function, 'w->mapped')
    if function in ('cudaFreeAsync', 'cuMemFreeAsync'):
        return 'w->ordered'
    if re.search(r'(MemAdvise(_v2)?|MemPrefetchAsync(_v2)?|MemRangeGet\w*|AttachMemAsync)$', function):
        return 'w->managed'
    if name in ('srcHost', 'dstHost') or name == 'dst' and re.search(r'From(Array|Symbol)', function) \
            or name == 'src' and re.search(r'To(Array|Symbol)', function):
        return 'w->host'
    return 'w->memory + 4096' if name.startswith('src') else 'w->memory'


MEMORY_NAMES = {'dst', 'devPtr', 'ptr', 'host', 'pHost', 'p', 'dstHost', 'src', 'srcHost', 'dptr', 'srcDevice', 'dstDevice', 'addr'}


def wrong_pointers(right):
    return [('null', '0', 0), ('wild', '0x1234', 1), ('freed', 'w->dead_memory', 1)] + \
        ([('not_device', 'w->host', 1)] if right not in ('w->host', 'w->page') else []) + \
        ([('device', 'w->memory', 1)] if right in ('w->pinned', 'w->registered') else [])


def argument(function, name, type_, bare, index, enumerations):
    """(right value, [(label, wrong value, risk)]): a risk says that it may end a process on a card, and how likely."""
    room = f'w->room[{index}]'
    plain = type_.removeprefix('const ')
    kind = KIND_OF_HANDLE.get(plain)
    if kind:
        right = f'w->{kind}'
        if kind == 'node':
            right = 'w->nodes.' + next(node for part, node in NODES if part in function)
            right = 'w->nodes.empty' if 'original' in name.lower() else right
            other = [('other', 'w->nodes.tail', 0)] if right != 'w->nodes.empty' else []
        elif kind == 'context' and re.search('Destroy|Push', function):
            right = 'w->own_context'
        elif kind == 'graph':
            right = 'w->memory_graph' if 'AddMemFreeNode' in function else 'w->child' if name == 'childGraph' else 'w->clone' if 'cloned' in name.lower() else 'w->graph'
        elif kind == 'event' and name in ('end', 'hEnd'):
            right = 'w->event2'
        elif kind == 'exec' and function.endswith('ExecUpdate'):
            right = 'w->exec'
        elif kind == 'array' and name == 'src' or name == 'srcArray':
            right = 'w->array2'
        wrong = [('null', '0', 0 if kind in ('stream', 'texture', 'surface') else 1), ('never', 'w->never', 1),
                 ('small', '0x999', 2)]
        if kind == 'node':
            wrong = other + wrong
        if kind in MORTAL:
            wrong.append(('destroyed', f'w->dead.{kind}', 1))
        return right, wrong
    if plain in FUNCTIONS:
        return FUNCTIONS[plain], [('null', '0', 0)] if FUNCTIONS[plain] != '0' else []
    if plain in BY_VALUE:
        return f'w->{BY_VALUE[plain]}', [('zeros', f'w->zero_{BY_VALUE[plain]}', 0),
                                         ('ones', f'w->ones_{BY_VALUE[plain]}', 0)]
    if plain == 'CUdeviceptr' and 'AddMemFreeNode' in function:
        return '(uintptr_t)w->graph_memory', [('null', '0', 0), ('other', '(uintptr_t)w->memory', 1), ('wild', '0x1234', 1)]
    if plain == 'CUdeviceptr':
        right = memory(function, name)
        return f'(uintptr_t)({right})', [(label, f'(uintptr_t)({value})', risk)
                                         for label, value, risk in wrong_pointers(right)]
    if type_ in ('const char *',):
        right, wrong = TEXTS[name]
        if function == 'cuLinkAddFile':
            return 'w->image_file', [('null', '0', 0), ('/no/such/file', '"/no/such/file"', 0)]
        if name == 'name' and re.search('Get(Global|Managed)$', function):
            right = '"managed_variable"' if 'Managed' in function else '"variable"'
        return right, [('null', '0', 0)] + [(text.strip('"') or 'empty', text, 0) for text in wrong]
    if type_ in ('void *', 'const void *'):
        if 'AddMemFreeNode' in function:
            return 'w->graph_memory', [('null', '0', 0), ('other', 'w->memory', 1), ('wild', '0x1234', 1)]
        if name == 'osHandle':
            return 'w->exported', [('minus', '-1', 0), ('other', '0x7ffe', 0)]
        if name in ABSENT:
            return '0', []
        if name in ('symbol', 'func', 'entryFuncAddr', 'symbolPtr'):
            variable = name == 'symbol'
            return ('w->symbol' if variable else 'w->func'), \
                [('null', '0', 0), ('other', 'w->func' if variable else 'w->symbol', 0), ('never', 'w->never', 1)]
        if name in ('code', 'image', 'fatCubin') or function == 'cuLinkAddData' and name == 'data':
            return 'w->image', [('null', '0', 0), ('zeros', 'w->zeros', 1)]
        if name in MEMORY_NAMES and 'out' not in name:
            right = memory(function, name)
            return right, wrong_pointers(right)
        return room, [('null', '0', 0)]
    if name in LISTS:
        return 'w->' + LISTS[name], [('null', '0', 0)]
    if type_ == 'void **' and name in ('args', 'kernelParams'):
        return 'w->args', [('null', '0', 0)]
    if type_ == 'void **' and name == 'data':
        return 'w->datas', [('null', '0', 0)]
    target = pointee(type_)
    if target:
        base, const = target
        if base in ('cudaGraphNode_t', 'CUgraphNode') and const and name in ABSENT:
            one = f'; a{index + (2 if function.endswith("AddNode_v2") else 1)} = 1'
            return '0', [('of_null', ('w->zeros', one), 1), ('of_never', ('w->nevers', one), 1),
                         ('of_destroyed', ('&w->dead.node', one), 1)]
        if name in ABSENT or 'GetEdges' in function and name in ('from', 'to'):
            return '0', []
        if base in ('cudaGraphNode_t', 'CUgraphNode') and const:
            first = 'host' if 'Remove' in function else 'kernel'
            return f'&w->nodes.{first if name == "from" else "tail"}', \
                [('null', '0', 0), ('of_null', '(const cudaGraphNode_t *)w->zeros', 1),
                 ('of_destroyed', '&w->dead.node', 1)]
        if const and base in READ or base in READ_WRITTEN and ('Get' not in function or ASKING.match(function)):
            return '&w->' + (READ.get(base) or READ_WRITTEN[base]), \
                [('null', '0', 0), ('zeros', 'w->zeros', 0), ('ones', 'w->ones', 1)]
        if name == 'dataSizes' or base == 'cudaMemRangeAttribute' or name == 'attributes' and base != 'cudaPointerAttributes':
            return f'w->{name}', [('null', '0', 0)]
        return room, [('null', '0', 0)]
    if '*' in type_:
        return ('0' if name in ABSENT else room), ([] if name in ABSENT else [('null', '0', 0)])
    if bare.startswith('enum ') or plain in enumerations or plain in ENUMERATIONS or plain == 'CUresult':
        return ENUMERATIONS.get(plain, '0'), [('none', '0x7ffe', 0), ('minus', '-1', 0)]
    if (function, name) in NUMBERS_OF or name in NUMBERS:
        right, wrong = NUMBERS_OF.get((function, name)) or NUMBERS[name]
        return right, [(value.replace('(size_t)', '').replace(' ', ''), value, 0) for value in wrong]
    if plain == 'float':
        return '0', []
    raise SystemExit(f'generate.py: no right value for the argument {name} ({type_}) of {function}')


def needs(function, types):
    """The objects of the world without which a function cannot be tried."""
    text = ' '.join(types) + ' ' + function
    return '|'.join(['0'] + [bit for bit, words in (
        ('NEEDS_GRAPH', 'raph|UserObject|UuserObject'), ('NEEDS_ARRAY', 'rray|emcpy3D|MEMCPY|ARRAY|emcpy2D|esourceDesc|RESOURCE|exture|urf|Tex|AtoA'),
        ('NEEDS_POOL', r'Pool|pool|FreeAsync'), ('NEEDS_LIBRARY', 'cuLink|ibrary|CUmodule|cudaKernel_t|CUkernel|Module'),
        ('NEEDS_CONTEXT', 'CUcontext'), ('NEEDS_LINK', 'CUlinkState'), ('ENDS_CAPTURE', 'BeginCapture'), ('NEEDS_CAPTURE', 'EndCapture|CaptureInfo|UpdateCapture'),
        ('NEEDS_REGISTERED', 'HostUnregister'), ('NEEDS_MANAGED', 'Advise|Prefetch|Discard|MemRange|AttachMem'))
        if re.search(words, text)] + ['NEEDS_VIRTUAL'] * bool(VIRTUAL.match(function)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--clang', default='clang')
    parser.add_argument('--headers', required=True)
    parser.add_argument('--cuda')
    options = parser.parse_args()
    ours, _ = prototypes(options.clang, options.headers)
    skipped = unsupported(options.headers)
    theirs, names = prototypes(options.clang, options.cuda) if options.cuda else (None, {})
    table = []
    for function, (returned, arguments) in ours.items():
        if not arguments:
            continue
        call = function
        if theirs is not None:
            real = theirs.get(names.get(function, function))
            if function in skipped:
                continue
            if function in DRIVER_12:
                call = 'was_' + function
                print(f'extern "C" CUresult {call}({", ".join(t for _, t, _ in arguments)}) '
                      f'__asm__("{DRIVER_12[function]}");')
            elif function in RUNTIME_12:
                call = 'was_' + function
            elif not real or len(real[1]) != len(arguments):
                continue
        wrongs, lines, supported = [], [], function not in skipped
        for i, (name, type_, bare) in enumerate(arguments):
            local = re.sub(r'\bconst (?=\w+$)', '', type_)
            if supported:
                right, wrong = argument(function, name, type_, bare, i, set())
            else: # refused whatever comes
                right, wrong = None, [('never', 'w->never', 0)] if '*' in type_ or type_ in KIND_OF_HANDLE else []
            lines.append(f'{local} a{i} = {{}};' if right is None else f'{local} a{i} = {right};'
                         if type_ in BY_VALUE else f'{local} a{i} = ({local})({right});')
            wrongs += [(i, local, f'{name or i}={label}', value, risk) for label, value, risk in wrong]
        cases = []
        for n, (i, local, _, value, _) in enumerate(wrongs, 1):
            value, also = value if isinstance(value, tuple) else (value, '')
            cases.append(f'case {n}: a{i} = ' + (value if local in BY_VALUE else f'({local})({value})') + f'{also}; break;')
        print(f'static int call_{function}(struct world *w, int wrong)\n{{\n\t(void)w;\n\t' + '\n\t'.join(lines) +
              '\n\tswitch (wrong) {\n\tdefault: break;\n\t' + '\n\t'.join(cases) + '\n\t}\n\treturn (int)' + call + '(' +
              ', '.join(f'a{i}' for i in range(len(arguments))) + ');\n}')
        labels = ', '.join(f'{{"{label}", {risk}}}' for _, _, label, _, risk in wrongs)
        print(f'static const struct wrong wrong_{function}[] = {{{{"valid", 0}}' + (', ' + labels if labels else '') + '};')
        table.append(f'{{"{function}", call_{function}, wrong_{function}, {len(wrongs) + 1}, {int(returned == "CUresult")}, '
                     f'{needs(function, [t for _, t, _ in arguments])}, {int(bool(ENDS.match(function)))}}},')
    print('static const struct api api[] = {\n\t' + '\n\t'.join(table) + '\n};')


main()
