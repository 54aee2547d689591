; y[i] = a * x[i] + y[i] + offset, and the number of elements counted in @count
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@offset = addrspace(4) global float 0.0, align 4
@count = addrspace(1) global i32 0, align 4

define void @saxpy(i32 %n, float %a, ptr addrspace(1) %x, ptr addrspace(1) %y) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %before = mul i32 %block, %width
  %i = add i32 %before, %thread
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %work, label %end

work:
  %wide = sext i32 %i to i64
  %px = getelementptr float, ptr addrspace(1) %x, i64 %wide
  %py = getelementptr float, ptr addrspace(1) %y, i64 %wide
  %vx = load float, ptr addrspace(1) %px, align 4
  %vy = load float, ptr addrspace(1) %py, align 4
  %product = fmul float %a, %vx
  %sum = fadd float %product, %vy
  %o = load float, ptr addrspace(4) @offset, align 4
  %result = fadd float %sum, %o
  store float %result, ptr addrspace(1) %py, align 4
  %old = atomicrmw add ptr addrspace(1) @count, i32 1 monotonic
  br label %end

end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @saxpy, !"kernel", i32 1}
