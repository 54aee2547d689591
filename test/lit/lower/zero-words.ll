; The low word of the second operand is zero: no carry comes of it, and the high words are added alone. The high words of
; what is compared are zero: the low ones decide.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=zero-words>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL: kernel add:
; CHECK-NOT: IADD3{{.*}} P
; CHECK:     IADD3 R{{[0-9]+}}, R{{[0-9]+}}, c[0x0][0x170], RZ
; CHECK-NOT: IADD3
; CHECK-LABEL: kernel compare:
; CHECK:     ISETP.EQ.U32.AND
; CHECK-NOT: ISETP.EQ.U32.EX
; CHECK:     EXIT
; WITHOUT-LABEL: kernel add:
; WITHOUT:     IADD3{{.*}}, P0,
; WITHOUT:     IADD3.EX
; WITHOUT-LABEL: kernel compare:
; WITHOUT:     ISETP.EQ.U32.EX.AND P0, RZ, RZ, PT, P0

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @add(ptr addrspace(1) %p, i64 %x, i32 %y) {
  %wide = zext i32 %y to i64
  %high = shl i64 %wide, 32
  %masked = and i64 %high, -4294967296
  %value = load i64, ptr addrspace(1) %p
  %sum = add i64 %masked, %value
  store i64 %sum, ptr addrspace(1) %p
  ret void
}

define void @compare(ptr addrspace(1) %p, i64 %x) {
  %low = and i64 %x, 1023
  %is = icmp eq i64 %low, 7
  %bit = zext i1 %is to i32
  store i32 %bit, ptr addrspace(1) %p
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @add, !"kernel", i32 1}
!1 = !{ptr @compare, !"kernel", i32 1}
