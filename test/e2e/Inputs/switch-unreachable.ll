; All threads meet after a switch whose default cannot be: the ballot has all of them.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr addrspace(1) %out) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %kind = and i32 %thread, 1
  switch i32 %kind, label %never [
    i32 0, label %even
    i32 1, label %odd
  ]

never:
  unreachable

even:
  br label %meet

odd:
  br label %meet

meet:
  %value = phi i32 [ 5, %even ], [ 7, %odd ]
  %all = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  %sum = add i32 %all, %value
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %thread
  store i32 %sum, ptr addrspace(1) %place, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) convergent

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
