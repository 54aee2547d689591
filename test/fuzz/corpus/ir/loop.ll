; A guarded loop over a vector with a reduction in shared memory.
target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [64 x float] undef, align 16
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %c, 6
  %i = add i32 %base, %t
  br label %loop
loop:
  %j = phi i32 [ %i, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %wide = zext i32 %j to i64
  %at = getelementptr float, ptr addrspace(1) %in, i64 %wide
  %x = load float, ptr addrspace(1) %at, align 4
  %more = call float @llvm.fma.f32(float %x, float %x, float %sum)
  %next = add i32 %j, 256
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %tile.write
tile.write:
  %slot = getelementptr [64 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  store float %more, ptr addrspace(3) %slot, align 4
  call void @llvm.nvvm.barrier0()
  %other.t = xor i32 %t, 1
  %other = getelementptr [64 x float], ptr addrspace(3) @tile, i32 0, i32 %other.t
  %y = load float, ptr addrspace(3) %other, align 4
  %even = icmp eq i32 %t, 0
  br i1 %even, label %write, label %done
write:
  %where = zext i32 %c to i64
  %to = getelementptr float, ptr addrspace(1) %out, i64 %where
  store float %y, ptr addrspace(1) %to, align 4
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.fma.f32(float, float, float)
declare void @llvm.nvvm.barrier0()
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
