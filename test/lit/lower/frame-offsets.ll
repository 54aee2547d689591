; An index into a stack object is added to the stack pointer; the object's place is in the accesses' displacements.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=frame-offsets>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-COUNT-2: LEA {{R[0-9]+}}, {{R[0-9]+(.reuse)?}}, R1{{(.reuse)?}}, 0x2
; CHECK:       STL [{{R[0-9]+}}+0x20], {{R[0-9]+}}
; WITHOUT:     IADD3 [[OBJECT:R[0-9]+]], R1, 0x20, RZ
; WITHOUT:     LEA {{R[0-9]+}}, {{R[0-9]+}}, [[OBJECT]], 0x2
; WITHOUT-NOT: +0x20

; A displacement of four megabytes is within reach, on either side of the object; beyond it the sum keeps the address.
; CHECK-LABEL: kernel reach
; CHECK:       LEA [[SUM:R[0-9]+]], {{R[0-9]+(.reuse)?}}, R1{{(.reuse)?}}, 0x2
; CHECK-DAG:   STL [[[SUM]]+0x400000]
; CHECK-DAG:   STL [[[SUM]]-0x400000]
; CHECK-LABEL: kernel above
; CHECK:       IADD3 [[OBJECT:R[0-9]+]], R1{{(.reuse)?}}, 0x0, RZ
; CHECK:       LEA [[SUM:R[0-9]+]], {{R[0-9]+(.reuse)?}}, [[OBJECT]]{{(.reuse)?}}, 0x2
; CHECK:       STL [[[SUM]]+0x400004]
; CHECK-LABEL: kernel below
; CHECK:       IADD3 [[OBJECT:R[0-9]+]], R1{{(.reuse)?}}, 0x0, RZ
; CHECK:       LEA [[SUM:R[0-9]+]], {{R[0-9]+(.reuse)?}}, [[OBJECT]]{{(.reuse)?}}, 0x2
; CHECK:       STL [[[SUM]]-0x400004]

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

define void @reach(ptr addrspace(1) %out, i32 %i, i32 %j) {
  %a = alloca [8 x i32]
  %p = getelementptr [8 x i32], ptr %a, i32 0, i32 %i
  %q = getelementptr i8, ptr %p, i32 4194304
  store volatile i32 %j, ptr %q
  %r = getelementptr i8, ptr %p, i32 -4194304
  store volatile i32 %j, ptr %r
  ret void
}

define void @above(ptr addrspace(1) %out, i32 %i, i32 %j) {
  %a = alloca [8 x i32]
  %p = getelementptr [8 x i32], ptr %a, i32 0, i32 %i
  %q = getelementptr i8, ptr %p, i32 4194308
  store volatile i32 %j, ptr %q
  ret void
}

define void @below(ptr addrspace(1) %out, i32 %i, i32 %j) {
  %a = alloca [8 x i32]
  %p = getelementptr [8 x i32], ptr %a, i32 0, i32 %i
  %q = getelementptr i8, ptr %p, i32 -4194308
  store volatile i32 %j, ptr %q
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @index, !"kernel", i32 1}
!1 = !{ptr @reach, !"kernel", i32 1}
!2 = !{ptr @above, !"kernel", i32 1}
!3 = !{ptr @below, !"kernel", i32 1}
