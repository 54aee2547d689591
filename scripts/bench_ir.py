"""Kernels of any size as LLVM IR, for the benchmarks of compile time. Always the same ones."""

HEAD = ['target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"', 'target triple = "nvptx64-nvidia-cuda"']
TAIL = ['!nvvm.annotations = !{!0}', '!0 = !{ptr @k, !"kernel", i32 1}']


def generated_kernel(size):
    """IR of about `size` instructions: blocks of arithmetic on loaded values, joined by branches and loops."""
    lines = HEAD + ['define void @k(ptr %p, i32 %n) {', 'entry:', '  br label %b0']
    state = 1
    blocks = max(1, size // 40)
    for b in range(blocks):
        lines += [f'b{b}:', f'  %a{b}.0 = phi i32 [ %n, %entry ]' if b == 0 else
                  f'  %a{b}.0 = phi i32 [ %a{b - 1}.33, %b{b - 1} ], [ %a{b - 1}.36, %t{b - 1} ]']
        lines.append(f'  %q{b} = getelementptr i32, ptr %p, i32 {b}')
        lines.append(f'  %a{b}.1 = load i32, ptr %q{b}')
        for i in range(2, 34):
            state = (state * 1103515245 + 12345) % 2**31
            operation = ['add', 'mul', 'xor', 'sub', 'and', 'or'][state % 6]
            lines.append(f'  %a{b}.{i} = {operation} i32 %a{b}.{i - 1}, %a{b}.{max(0, i - 1 - state // 8 % 12)}')
        lines += [f'  %c{b} = icmp sgt i32 %a{b}.33, {b}', f'  br i1 %c{b}, label %t{b}, label %b{b + 1}', f't{b}:',
                  f'  store i32 %a{b}.33, ptr %q{b}', f'  %a{b}.36 = add i32 %a{b}.33, 7', f'  br label %b{b + 1}']
    last = blocks - 1
    lines += [f'b{blocks}:', f'  %r = phi i32 [ %a{last}.33, %b{last} ], [ %a{last}.36, %t{last} ]',
              '  store i32 %r, ptr %p', '  ret void', '}'] + TAIL
    return '\n'.join(lines) + '\n'


def generated_nests(size):
    """IR of about `size` instructions: nests of three loops with barriers in some and thread-dependent bounds in others,
    24 values live through all of them."""
    lines = HEAD + ['declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()', 'declare void @llvm.nvvm.barrier0()',
                    'define void @k(ptr addrspace(1) %p, i32 %n) {', 'entry:', '  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()']
    live = []
    for i in range(24):
        lines += [f'  %lp{i} = getelementptr i32, ptr addrspace(1) %p, i32 {i}', f'  %l{i} = load i32, ptr addrspace(1) %lp{i}']
        live.append(f'%l{i}')
    nests = max(1, size // 90)
    lines.append('  br label %n0')
    for k in range(nests):
        before = 'entry' if not k else f'n{k - 1}.end'
        bound = '%t' if k % 3 == 0 else '%n'
        lines += [f'n{k}:', f'  %s{k} = phi i32 [ ' + ('0' if not k else f'%r{k - 1}') + f', %{before} ]', f'  br label %n{k}.a']
        for depth, outer, inner in (('a', f'n{k}', 'b'), ('b', f'n{k}.a', 'c'), ('c', f'n{k}.b', None)):
            latch = f'n{k}.{depth}' if not inner else f'n{k}.{depth}.end'
            start = f'%s{k}' if depth == 'a' else f'%{"a" if depth == "b" else "b"}{k}.x'
            lines += [f'n{k}.{depth}:', f'  %{depth}{k}.i = phi i32 [ 0, %{outer} ], [ %{depth}{k}.j, %{latch} ]',
                      f'  %{depth}{k}.x = phi i32 [ {start}, %{outer} ], [ %{depth}{k}.y, %{latch} ]']
            value = f'%{depth}{k}.x'
            for i in range(18):
                operation = ('add', 'xor', 'mul', 'sub')[(i + k) % 4]
                lines.append(f'  %{depth}{k}.v{i} = {operation} i32 {value}, {live[(7 * i + k) % 24]}')
                value = f'%{depth}{k}.v{i}'
            if depth == 'c' and k % 4 == 1:
                lines.append('  call void @llvm.nvvm.barrier0()')
            if inner:
                lines += [f'  br label %n{k}.{inner}', f'n{k}.{depth}.end:']
                value = f'%{inner}{k}.y'
            lines += [f'  %{depth}{k}.y = add i32 {value}, {k}', f'  %{depth}{k}.j = add i32 %{depth}{k}.i, 1',
                      f'  %{depth}{k}.m = icmp slt i32 %{depth}{k}.j, {bound}',
                      f'  br i1 %{depth}{k}.m, label %n{k}.{depth}, label %' +
                      (f'n{k}.end' if depth == 'a' else f'n{k}.{"a" if depth == "b" else "b"}.end')]
        lines += [f'n{k}.end:', f'  %r{k} = xor i32 %a{k}.y, %s{k}', f'  br label %' + (f'n{k + 1}' if k + 1 < nests else 'end')]
    lines += ['end:', f'  store i32 %r{nests - 1}, ptr addrspace(1) %p', '  ret void', '}'] + TAIL
    return '\n'.join(lines) + '\n'


def generated_loops(count):
    """IR of `count` loops one after another, each over a row of its own, in steps of four behind a test as unrollers leave
    them."""
    lines = HEAD + ['declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()', 'define void @k(ptr addrspace(1) %p, i32 %n, i32 %pitch) {',
                    'entry:', '  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()', '  %low = and i32 %n, 3', '  %all = sub i32 %n, %low',
                    '  %few = icmp ult i32 %n, 4', '  br label %l0']
    for k in range(count):
        lines += [f'l{k}:', f'  %r{k} = mul i32 %pitch, {k + 1}', f'  br i1 %few, label %l{k + 1}, label %l{k}.b', f'l{k}.b:',
                  f'  %i{k} = phi i32 [ 0, %l{k} ], [ %j{k}, %l{k}.b ]', f'  %m{k} = mul i32 %i{k}, %r{k}',
                  f'  %x{k} = add i32 %m{k}, %t', f'  %w{k} = sext i32 %x{k} to i64',
                  f'  %a{k} = getelementptr i32, ptr addrspace(1) %p, i64 %w{k}', f'  store i32 %i{k}, ptr addrspace(1) %a{k}',
                  f'  %j{k} = add i32 %i{k}, 4', f'  %e{k} = icmp eq i32 %j{k}, %all',
                  f'  br i1 %e{k}, label %l{k + 1}, label %l{k}.b']
    return '\n'.join(lines + [f'l{count}:', '  ret void', '}'] + TAIL) + '\n'


def arithmetic(lines, prefix, values, count, state):
    """Appends `count` operations, each on one of the newest `values` and an older one; returns the last."""
    values = list(values)
    for i in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        operation = ('add', 'mul', 'xor', 'sub', 'and', 'or')[state % 6]
        lines.append(f'  %{prefix}.{i} = {operation} i32 {values[-1]}, {values[state // 8 % len(values)]}')
        values = values[-11:] + [f'%{prefix}.{i}']
    return values[-1]


def generated_line(size):
    """IR of about `size` instructions in one block, with a load and a store for each sixteen."""
    lines = HEAD + ['define void @k(ptr %p, i32 %n) {', 'entry:']
    value = '%n'
    for k in range(max(1, size // 20)):
        lines += [f'  %q{k} = getelementptr i32, ptr %p, i32 {k}', f'  %l{k} = load i32, ptr %q{k}']
        value = arithmetic(lines, f'v{k}', (value, f'%l{k}'), 16, k + 1)
        lines.append(f'  store i32 {value}, ptr %q{k}')
    return '\n'.join(lines + ['  ret void', '}'] + TAIL) + '\n'


def generated_calls(size):
    """IR of about `size` instructions in functions of 200 that call the two before them, under a kernel that calls all."""
    lines = HEAD + []
    count = max(2, size // 200)
    for f in range(count):
        lines += [f'define i32 @f{f}(ptr %p, i32 %n) noinline {{', 'entry:']
        value = '%n'
        for k in range(9):
            value = arithmetic(lines, f'v{k}', (value, '%n'), 20, f * 9 + k + 1)
            if f > 1 and k in (3, 6):
                lines.append(f'  %c{k} = call i32 @f{f - 1 - k % 2}(ptr %p, i32 {value})')
                value = f'%c{k}'
        lines += [f'  ret i32 {value}', '}']
    lines += ['define void @k(ptr %p, i32 %n) {', 'entry:']
    for f in range(count):
        lines += [f'  %r{f} = call i32 @f{f}(ptr %p, i32 {f"%r{f - 1}" if f else "%n"})']
    return '\n'.join(lines + [f'  store i32 %r{count - 1}, ptr %p', '  ret void', '}'] + TAIL) + '\n'
