; A load from global memory ends a strand, one from shared memory does not; neither ends a register-interval.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-strands>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-intervals>' -disable-output %s 2>&1 | %FileCheck --check-prefix=INTERVALS %s

; CHECK:      kernel global: up to 16 registers, strands 2
; CHECK:      kernel shared: up to 16 registers, strands 1
; INTERVALS:  kernel global: up to 16 registers, intervals 1,
; INTERVALS:  kernel shared: up to 16 registers, intervals 1,

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @global(ptr addrspace(1) %p) {
  %v = load i32, ptr addrspace(1) %p
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p
  ret void
}

define void @shared(ptr addrspace(3) %p) {
  %v = load i32, ptr addrspace(3) %p
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(3) %p
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @global, !"kernel", i32 1}
!1 = !{ptr @shared, !"kernel", i32 1}
