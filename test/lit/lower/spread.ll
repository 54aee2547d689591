; Values of loops that could rest in further registers keep near those that are needed anyway: the pairs of six gathers, one
; after the other, share three. Without, each takes the next.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=spread>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK: kernel walk: registers 10,
; WITHOUT: kernel walk: registers 14,

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @walk(ptr addrspace(1) %index, ptr addrspace(1) %out, i32 %first, i32 %n) {
entry:
  br label %loop

loop:
  %i0 = phi i32 [ %first, %entry ], [ %i6, %loop ]
  %p0 = getelementptr i32, ptr addrspace(1) %index, i32 %i0
  %i1 = load i32, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %index, i32 %i1
  %i2 = load i32, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %index, i32 %i2
  %i3 = load i32, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %index, i32 %i3
  %i4 = load i32, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %index, i32 %i4
  %i5 = load i32, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %index, i32 %i5
  %i6 = load i32, ptr addrspace(1) %p5
  %again = icmp slt i32 %i6, %n
  br i1 %again, label %loop, label %end

end:
  store i32 %i6, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @walk, !"kernel", i32 1}
