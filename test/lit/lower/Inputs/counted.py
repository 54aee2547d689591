"""A kernel whose loop adds up numbers from an address that counts up: LOADS PROCESSOR. LOADS: of a turn."""
import sys

loads, processor = int(sys.argv[1]), sys.argv[2]
print('target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"\ntarget triple = "nvptx64-nvidia-cuda"')
print('define ptx_kernel void @counted(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {\nentry:\n  br label %loop\nloop:')
print('  %p = phi ptr addrspace(1) [ %in, %entry ], [ %q, %loop ]\n  %k = phi i32 [ 0, %entry ], [ %next, %loop ]')
print(f'  %s0 = phi float [ 0.0, %entry ], [ %s{loads}, %loop ]')
for k in range(loads):
    print(f'  %a{k} = getelementptr float, ptr addrspace(1) %p, i32 {1024 * k}\n  %v{k} = load float, ptr addrspace(1) %a{k}')
    print(f'  %s{k + 1} = fadd float %s{k}, %v{k}')
print(f'  %q = getelementptr float, ptr addrspace(1) %p, i32 {1024 * loads}\n  %next = add i32 %k, 1')
print('  %again = icmp slt i32 %next, %n\n  br i1 %again, label %loop, label %done\ndone:')
print(f'  store float %s{loads}, ptr addrspace(1) %out\n  ret void\n}}\nattributes #0 = {{ "target-cpu"="{processor}" }}')
