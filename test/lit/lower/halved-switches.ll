; A switch of six cases is halved by a compare; three cases each have a table, whose last entry is for all other values.
; Without, one table has them all.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=halved-switches>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:     ISETP.LT.U32.AND [[P:P[0-9]]], [[V:R[0-9]+]], 0x8, PT
; CHECK:     @!P0 BRA
; CHECK-NEXT: .B1:
; CHECK-NEXT: IADD3 [[I:R[0-9]+]], [[V]], -0x5, RZ
; CHECK-NEXT: IMNMX.MIN.U32 [[I]], [[I]], 0x3
; CHECK-NEXT: BRX [[I]]
; CHECK:     IADD3 [[I:R[0-9]+]], [[V]], -0x8, RZ
; CHECK-NEXT: IMNMX.MIN.U32 [[I]], [[I]], 0x4
; CHECK-NEXT: BRX [[I]]
; CHECK-NOT: BRX
; WITHOUT:     IMNMX.MIN.U32 {{R[0-9]+}}, {{R[0-9]+}}, 0x7
; WITHOUT-NEXT: BRX
; WITHOUT-NOT: BRX

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr addrspace(1) %p, i32 %v) {
entry:
  %x = load i32, ptr addrspace(1) %p
  switch i32 %x, label %none [
    i32 5, label %a
    i32 6, label %b
    i32 7, label %c
    i32 8, label %d
    i32 9, label %e
    i32 11, label %f
  ]
a:
  store volatile i32 1, ptr addrspace(1) %p
  br label %none
b:
  store volatile i32 2, ptr addrspace(1) %p
  br label %none
c:
  store volatile i32 3, ptr addrspace(1) %p
  br label %none
d:
  store volatile i32 4, ptr addrspace(1) %p
  br label %none
e:
  store volatile i32 5, ptr addrspace(1) %p
  br label %none
f:
  store volatile i32 6, ptr addrspace(1) %p
  br label %none
none:
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
