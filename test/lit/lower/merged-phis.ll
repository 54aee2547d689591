; As loop unrolling leaves them: of one value, a PHI for the next loop and one for what comes after, undefined where the
; first loop did not run. They are one register, and no copy leaves the loop; nor does the sum that goes around
; (without=coalesced-tails) need a copy because it also leaves.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=merged-phis+coalesced-tails>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:      FFMA [[S:R[0-9]+]], [[S]],
; CHECK-NOT:  MOV
; CHECK:      BRA
; CHECK:      FADD {{R[0-9]+}}, [[T:R[0-9]+]], [[T]]
; WITHOUT:      FFMA [[S:R[0-9]+]], [[T:R[0-9]+]],
; WITHOUT:      MOV [[T]], [[S]]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @sums(ptr addrspace(1) %out, i32 %n, float %x) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %after
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi float [ 1.0, %entry ], [ %s.next, %loop ]
  %s.next = call float @llvm.fma.f32(float %s, float %x, float 2.0)
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %after
after:
  %a = phi float [ poison, %entry ], [ %s.next, %loop ]
  %b = phi float [ 1.0, %entry ], [ %s.next, %loop ]
  %r = fadd float %a, %b
  store float %r, ptr addrspace(1) %out
  ret void
}
declare float @llvm.fma.f32(float, float, float)

!nvvm.annotations = !{!0}
!0 = !{ptr @sums, !"kernel", i32 1}
