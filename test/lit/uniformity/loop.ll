; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-uniformity>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK:      uniformity of k
; CHECK:      uniform {{.*}} %n
; CHECK:      divergent {{.*}}%t = call
; CHECK:      uniform {{.*}}%i = phi
; CHECK:      uniform {{.*}}%next = add
; CHECK:      divergent {{.*}}br i1 %c
; CHECK:      divergent {{.*}}store i32 %next

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; %next is the same for all lanes of an iteration, but they leave in different ones.
define void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, %n
  %c = icmp ult i32 %next, %t
  br i1 %c, label %loop, label %end
end:
  store i32 %next, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
