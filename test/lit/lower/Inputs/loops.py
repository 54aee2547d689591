#!/usr/bin/python3
"""loops.py LOOPS INSTRUCTIONS: a kernel of so many rolled loops, one behind the other, each with one load, and about as
many instructions, most of which nobody needs."""

import sys

loops, count = int(sys.argv[1]), int(sys.argv[2])
print('''target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @many(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:''')
each = 8  # instructions of a loop
for i in range(count - each * loops):
    print(f'  %u{i} = add i32 %n, {i}')
print('  br label %l0')
for i in range(loops):
    before, last = (f'l{i - 1}', f'%t{i - 1}') if i else ('entry', '0.0')
    print(f'''l{i}:
  %i{i} = phi i32 [ 0, %{before} ], [ %x{i}, %l{i} ]
  %s{i} = phi float [ {last}, %{before} ], [ %t{i}, %l{i} ]
  %p{i} = getelementptr float, ptr addrspace(1) %in, i32 %i{i}
  %v{i} = load float, ptr addrspace(1) %p{i}
  %t{i} = fadd float %s{i}, %v{i}
  %x{i} = add nuw nsw i32 %i{i}, 1
  %m{i} = icmp slt i32 %x{i}, %n
  br i1 %m{i}, label %l{i}, label %{f"l{i + 1}" if i + 1 < loops else "done"}''')
print(f'''done:
  store float %t{loops - 1}, ptr addrspace(1) %out
  ret void
}}
!nvvm.annotations = !{{!0}}
!0 = !{{ptr @many, !"kernel", i32 1}}''')
