; A byte that was loaded has eight bits and its low five fewer: no mask takes the others away again.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=redundant-masks>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:       LOP3 {{R[0-9]+}}, {{R[0-9]+}}, 0x1f
; CHECK-NOT:   LOP3
; WITHOUT:     LOP3 {{R[0-9]+}}, {{R[0-9]+}}, 0x1f
; WITHOUT:     LOP3 {{R[0-9]+}}, {{R[0-9]+}}, 0xff

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @bits(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %v = load i8, ptr addrspace(1) %in
  %low = and i8 %v, 31
  %wide = zext i8 %low to i32
  %m = mul i32 %wide, %wide
  store i32 %m, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @bits, !"kernel", i32 1}
