"""A kernel that adds up numbers from many places, whose loads can all be under way at once: LOADS PROCESSOR
[KEPT]. KEPT: so many other numbers live from its beginning to its end."""
import sys

loads, processor, kept = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0
print('target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"\ntarget triple = "nvptx64-nvidia-cuda"')
print('declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndefine ptx_kernel void @chain(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {')
print('  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %p = getelementptr float, ptr addrspace(1) %in, i32 %i')
for k in range(kept):
    print(f'  %b{k} = getelementptr float, ptr addrspace(1) %in, i32 {k}\n  %k{k} = load volatile float, ptr addrspace(1) %b{k}')
print('  %s0 = load float, ptr addrspace(1) %p')
for k in range(1, loads):
    print(f'  %a{k} = getelementptr float, ptr addrspace(1) %p, i32 {1024 * k}\n  %v{k} = load float, ptr addrspace(1) %a{k}')
    print(f'  %s{k} = fadd float %s{k - 1}, %v{k}')
print(f'  %q = getelementptr float, ptr addrspace(1) %out, i32 %i\n  store float %s{loads - 1}, ptr addrspace(1) %q')
for k in range(kept):
    print(f'  store volatile float %k{k}, ptr addrspace(1) %q')
print('  ret void')
print(f'}}\nattributes #0 = {{ "target-cpu"="{processor}" }}')
