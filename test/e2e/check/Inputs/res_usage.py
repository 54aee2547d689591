#!/usr/bin/python3
"""res_usage.py PTXAS HEDDLE: compares `heddle info` with what NVIDIA's tools say of the same cubins.

Compiles a module for each architecture that ptxas knows of these, and compares registers, stack, shared memory, constant
bank 0 and barriers with `cuobjdump -res-usage`, or where there is none with what `ptxas -v` prints.
"""

import json
import os
import re
import shutil
import subprocess
import sys

MODULE = """.version 6.3
.target sm_%d
.address_size 64
.visible .entry plain(.param .u64 p, .param .u32 n) {
  .reg .b64 %%rd<4>; .reg .b32 %%r<4>;
  ld.param.u64 %%rd1, [p]; ld.param.u32 %%r1, [n]; cvta.to.global.u64 %%rd1, %%rd1; st.global.u32 [%%rd1], %%r1; ret;
}
.visible .entry shares(.param .u64 p) .maxntid 128, 1, 1 {
  .shared .align 4 .b8 room[1536]; .reg .b64 %%rd<4>; .reg .b32 %%r<6>;
  ld.param.u64 %%rd1, [p]; cvta.to.global.u64 %%rd1, %%rd1; mov.u32 %%r1, %%tid.x; shl.b32 %%r2, %%r1, 2; mov.u32 %%r3, room;
  add.s32 %%r3, %%r3, %%r2; st.shared.u32 [%%r3], %%r1; bar.sync 0; ld.shared.u32 %%r4, [room+64]; bar.sync 1;
  st.global.u32 [%%rd1], %%r4; ret;
}
.visible .entry frame(.param .u64 p, .param .u32 n) {
  .local .align 8 .b8 place[200]; .reg .b64 %%rd<6>; .reg .b32 %%r<4>;
  ld.param.u64 %%rd1, [p]; ld.param.u32 %%r1, [n]; cvta.to.global.u64 %%rd1, %%rd1; mov.u64 %%rd2, place;
  mul.wide.s32 %%rd3, %%r1, 4; add.s64 %%rd4, %%rd2, %%rd3; st.local.u32 [%%rd4], %%r1; st.local.u32 [%%rd2+8], %%r1;
  ld.local.u32 %%r2, [%%rd4+4]; st.global.u32 [%%rd1], %%r2; ret;
}
"""

INDIRECT = """.version 6.3
.target sm_75
.address_size 64
.visible .func (.reg .b32 r) one(.reg .b32 a) { add.s32 r, a, 1; ret; }
.visible .func (.reg .b32 r) two(.reg .b32 a) { add.s32 r, a, 2; ret; }
.global .align 8 .u64 table[2] = { one, two };
.visible .entry direct(.param .u64 p, .param .u32 i) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [i]; cvta.to.global.u64 %rd1, %rd1;
  { .reg .b32 a; mov.u32 a, %r1; call (%r2), one, (a); }
  st.global.u32 [%rd1], %r2; ret;
}
.visible .entry indirect(.param .u64 p, .param .u32 i) {
  .reg .b64 %rd<6>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [i]; cvta.to.global.u64 %rd1, %rd1;
  mul.wide.u32 %rd2, %r1, 8; mov.u64 %rd3, table; add.s64 %rd3, %rd3, %rd2; ld.global.u64 %rd4, [%rd3];
  P: .callprototype (.reg .b32 _) _ (.reg .b32 _);
  { .reg .b32 a; mov.u32 a, %r1; call (%r2), %rd4, (a), P; }
  st.global.u32 [%rd1], %r2; ret;
}
"""


def check_calls(ptxas, heddle, arch):
    """A call through a table is one through a register; a call by name is none."""
    with open('indirect.ptx', 'w', encoding='utf-8') as file:
        file.write(INDIRECT)
    subprocess.run([ptxas, f'-arch=sm_{arch}', '-o', 'indirect.cubin', 'indirect.ptx'], check=True)
    kernels = json.loads(subprocess.check_output([heddle, 'info', '--json', 'indirect.cubin']))['objects'][0]['kernels']
    assert {k['name']: k['cubin']['indirect_calls'] for k in kernels} == {'direct': 0, 'indirect': 1}, (arch, kernels)


SPILLS = """.version 6.3
.target sm_75
.address_size 64
.visible .entry spills(.param .u64 p, .param .u32 n) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<200>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; cvta.to.global.u64 %rd1, %rd1;
""" + '\n'.join(f'  ld.volatile.global.f32 %f{i}, [%rd1+{4 * i * i}];' for i in range(180)) + '\nL:\n' + '\n'.join(
    f'  fma.rn.f32 %f{i}, %f{i}, %f{(i + 7) % 180}, %f{(i + 31) % 180};' for i in range(180)) + """
  sub.s32 %r1, %r1, 1; setp.gt.s32 %p1, %r1, 0; @%p1 bra L;
""" + '\n'.join(f'  st.global.f32 [%rd1+{4 * i}], %f{i};' for i in range(180)) + '\n  ret;\n}\n'


def check_spills(ptxas, heddle, arch):
    with open('spills.ptx', 'w', encoding='utf-8') as file:
        file.write(SPILLS)
    done = subprocess.run([ptxas, '-v', '--maxrregcount=32', f'-arch=sm_{arch}', '-o', 'spills.cubin', 'spills.ptx'], stderr=subprocess.PIPE, check=True, text=True)
    theirs = [int(number) for number in re.search(r'(\d+) bytes spill stores, (\d+) bytes spill loads', done.stderr).groups()]
    kernel, = json.loads(subprocess.check_output([heddle, 'info', '--json', 'spills.cubin']))['objects'][0]['kernels']
    assert theirs[0] > 0 and [kernel['spill_store_bytes'], kernel['spill_load_bytes']] == theirs, (arch, theirs, kernel)


# A variable whose address a function gets, which ptxas puts into the kernel's own section up to sm_89: no spill.
ESCAPES = """.version 6.3
.target sm_75
.address_size 64
.func inc(.param .b64 at) {
  .reg .b64 %rd<2>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [at]; ld.u32 %r1, [%rd1]; add.s32 %r2, %r1, 1; st.u32 [%rd1], %r2; ret;
}
.visible .entry escapes(.param .u64 p) {
  .local .align 4 .b8 place[4]; .reg .b64 %rd<4>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; mov.u64 %rd2, place; cvta.local.u64 %rd3, %rd2;
  ld.global.u32 %r1, [%rd1]; st.local.u32 [%rd2], %r1;
  { .param .b64 a; st.param.b64 [a], %rd3; call inc, (a); }
  ld.local.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r2; ret;
}
"""


def check_escapes(ptxas, heddle, arch):
    with open('escapes.ptx', 'w', encoding='utf-8') as file:
        file.write(ESCAPES)
    subprocess.run([ptxas, f'-arch=sm_{arch}', '-o', 'escapes.cubin', 'escapes.ptx'], check=True)
    kernel, = json.loads(subprocess.check_output([heddle, 'info', '--json', 'escapes.cubin']))['objects'][0]['kernels']
    assert kernel['mix']['local_accesses'] and 'spill_bytes' not in kernel, (arch, kernel)


def by_ptxas(log):
    """Figures of each kernel from `ptxas -v`."""
    for name, text in re.findall(r"entry function '(\w+)'(.*?)(?=Compiling entry|\Z)", log, re.S):
        def number(pattern, text=text):
            found = re.search(pattern, text)
            return int(found.group(1)) if found else 0
        yield name, {'registers': number(r'Used (\d+) registers'), 'stack': number(r'(\d+) bytes stack frame'),
                     'shared': number(r'(\d+) bytes smem'), 'barriers': number(r'used (\d+) barriers'),
                     'constant': number(r'(\d+) bytes cmem\[0\]')}


def by_cuobjdump(tool, path, arch):
    text = subprocess.check_output([tool, '-res-usage', path], stderr=subprocess.STDOUT, text=True)
    for name, line in re.findall(r'Function (\w+):\s*\n\s*(.*)', text):
        values = dict(re.findall(r'(\S+?):(\d+)', line))
        shared = int(values['SHARED']) - (1024 if arch >= 90 else 0)
        yield name, {'registers': int(values['REG']), 'stack': int(values['STACK']), 'shared': shared,
                     'constant': int(values['CONSTANT[0]'])}


def by_heddle(heddle, path):
    document = json.loads(subprocess.check_output([heddle, 'info', '--json', path]))
    for kernel in document['objects'][0]['kernels']:
        # None of these spills, which is certain where nothing accesses local memory.
        assert (kernel.get('spill_bytes') == 0) == (not kernel['mix']['local_accesses']), kernel
        yield kernel['name'], {'registers': kernel['registers'], 'stack': kernel['max_stack_bytes'], 'shared': kernel['shared_bytes'],
                               'barriers': kernel['cubin']['barriers'], 'constant': kernel['cubin']['constant_bytes']}


def main():
    ptxas, heddle = sys.argv[1:3]
    beside = os.path.join(os.path.dirname(ptxas), 'cuobjdump')
    cuobjdump = beside if os.path.exists(beside) else shutil.which('cuobjdump')
    compared = 0
    for arch in (75, 80, 90, 100):
        path = f'{arch}.cubin'
        with open('module.ptx', 'w', encoding='utf-8') as file:
            file.write(MODULE % 75)
        done = subprocess.run([ptxas, '-v', f'-arch=sm_{arch}', '-o', path, 'module.ptx'], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            continue
        theirs = dict(by_cuobjdump(cuobjdump, path, arch) if cuobjdump else by_ptxas(done.stderr))
        ours = dict(by_heddle(heddle, path))
        check_calls(ptxas, heddle, arch)
        check_spills(ptxas, heddle, arch)
        check_escapes(ptxas, heddle, arch)
        assert set(theirs) == set(ours) == {'plain', 'shares', 'frame'}, (arch, theirs, ours)
        for name, figures in theirs.items():
            for key, value in figures.items():
                # From sm_90 on, ptxas does not print the constant bank.
                if key != 'constant' or value:
                    assert ours[name][key] == value, (arch, name, key, value, ours[name][key])
                    compared += 1
    assert compared >= 15, compared
    print(compared, 'figures are alike')


if __name__ == '__main__':
    main()
