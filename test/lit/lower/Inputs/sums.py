"""A kernel with many sums in a loop, beside addresses that are computed in front of it: SUMS ADDRESSES [apart].
apart: a load for each sum, in their order, in place of one for each address."""
import sys

sums, addresses = int(sys.argv[1]), int(sys.argv[2])
print('target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"\ntarget triple = "nvptx64-nvidia-cuda"')
print('@tile = internal addrspace(3) global [4096 x float] undef, align 16\n')
print('define ptx_kernel void @sums(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {\nentry:')
print('  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %row = and i32 %tid, 31')
for i in range(addresses):
    print(f'  %i{i} = xor i32 %row, {32 * i + 7}')
    print(f'  %a{i} = getelementptr float, ptr addrspace(3) @tile, i32 %i{i}')
print('  br label %loop\nloop:\n  %k = phi i32 [ 0, %entry ], [ %next, %loop ]')
for i in range(sums):
    print(f'  %s{i} = phi float [ 0.0, %entry ], [ %t{i}, %loop ]')
apart = len(sys.argv) > 3
for i in range(sums if apart else addresses):
    print(f'  %v{i} = load volatile float, ptr addrspace(3) %a{i % addresses}')
for i in range(sums):
    a, b = (i, i) if apart else (i % addresses, (i // addresses + i) % addresses)
    print(f'  %t{i} = call float @llvm.fma.f32(float %v{a}, float %v{b}, float %s{i})')
print('  %next = add i32 %k, 1\n  %again = icmp slt i32 %next, %n\n  br i1 %again, label %loop, label %done\ndone:')
for i in range(sums):
    print(f'  %p{i} = getelementptr float, ptr addrspace(1) %out, i32 {i}\n  store float %t{i}, ptr addrspace(1) %p{i}')
print('  ret void\n}\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare float @llvm.fma.f32(float, float, float)')
print('attributes #0 = { "target-cpu"="sm_80" }')
