; An index into a stack object is added to the stack pointer; the object's place is in the accesses' displacements.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=frame-offsets>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-COUNT-2: LEA {{R[0-9]+}}, {{R[0-9]+}}, R1, 0x2
; CHECK:       STL [{{R[0-9]+}}+0x20], {{R[0-9]+}}
; WITHOUT:     IADD3 [[OBJECT:R[0-9]+]], R1, 0x20, RZ
; WITHOUT:     LEA {{R[0-9]+}}, {{R[0-9]+}}, [[OBJECT]], 0x2
; WITHOUT-NOT: +0x20

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @index(ptr addrspace(1) %out, i32 %i, i32 %j) {
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %p = getelementptr [8 x i32], ptr %a, i32 0, i32 %i
  store volatile i32 %j, ptr %p
  %q = getelementptr [8 x i32], ptr %b, i32 0, i32 %i
  store volatile i32 %i, ptr %q
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @index, !"kernel", i32 1}
