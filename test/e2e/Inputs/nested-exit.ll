; Threads that return inside a nested branch leave; the others meet again behind the outer one: the ballot has all that
; are left.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %out) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %thread
  %bit = and i32 %thread, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %outer, label %meet

outer:
  store volatile i32 9, ptr addrspace(1) %place, align 4
  %next = and i32 %thread, 2
  %leave = icmp ne i32 %next, 0
  br i1 %leave, label %gone, label %stay

gone:
  ret void

stay:
  %other = load volatile i32, ptr addrspace(1) %place, align 4
  br label %meet

meet:
  %value = phi i32 [ 5, %entry ], [ %other, %stay ]
  %all = call i32 @llvm.nvvm.vote.ballot.sync(i32 2004318071, i1 true)
  %sum = sub i32 %all, %value
  store i32 %sum, ptr addrspace(1) %place, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
