; A callee whose loop begins with an undefined value, in a register that the caller has read for the last time: what is
; read there chooses nothing, and --verify does not hold it against the caller.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define internal i32 @pick(i32 %n) noinline {
entry:
  br label %head
head:
  %value = phi i32 [ undef, %entry ], [ %next, %body ]
  %left = phi i32 [ %n, %entry ], [ %less, %body ]
  %seen = phi i1 [ false, %entry ], [ true, %body ]
  %end = icmp eq i32 %left, 0
  br i1 %end, label %done, label %body
body:
  %next = mul i32 %left, 10
  %less = add i32 %left, -1
  br label %head
done:
  %result = select i1 %seen, i32 %value, i32 7
  ret i32 %result
}

define void @k(ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = and i32 %tid, 3
  %picked = call i32 @pick(i32 %n)
  %tid2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %tid2
  store i32 %picked, ptr addrspace(1) %at
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
