; A function with a call keeps to the registers that it need not save, though addresses could be made ahead of their loads.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;rdc;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;rdc;check=1;without=unsaved-registers>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:       function gather
; CHECK-NOT:   STL {{.*}}, R19
; CHECK:       CALL
; WITHOUT:     function gather
; WITHOUT:     STL {{.*}}, R19
; WITHOUT:     CALL

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @away(ptr, i64)

define float @gather(ptr %p, i64 %n) {
  %a = alloca [12 x float]
  %v0 = load float, ptr %p
  %s0 = getelementptr float, ptr %a, i64 0
  store float %v0, ptr %s0
  %p0 = getelementptr float, ptr %p, i64 %n
  %v1 = load float, ptr %p0
  %s1 = getelementptr float, ptr %a, i64 1
  store float %v1, ptr %s1
  %p1 = getelementptr float, ptr %p0, i64 %n
  %v2 = load float, ptr %p1
  %s2 = getelementptr float, ptr %a, i64 2
  store float %v2, ptr %s2
  %p2 = getelementptr float, ptr %p1, i64 %n
  %v3 = load float, ptr %p2
  %s3 = getelementptr float, ptr %a, i64 3
  store float %v3, ptr %s3
  %p3 = getelementptr float, ptr %p2, i64 %n
  %v4 = load float, ptr %p3
  %s4 = getelementptr float, ptr %a, i64 4
  store float %v4, ptr %s4
  %p4 = getelementptr float, ptr %p3, i64 %n
  %v5 = load float, ptr %p4
  %s5 = getelementptr float, ptr %a, i64 5
  store float %v5, ptr %s5
  %p5 = getelementptr float, ptr %p4, i64 %n
  %v6 = load float, ptr %p5
  %s6 = getelementptr float, ptr %a, i64 6
  store float %v6, ptr %s6
  %p6 = getelementptr float, ptr %p5, i64 %n
  %v7 = load float, ptr %p6
  %s7 = getelementptr float, ptr %a, i64 7
  store float %v7, ptr %s7
  %p7 = getelementptr float, ptr %p6, i64 %n
  %v8 = load float, ptr %p7
  %s8 = getelementptr float, ptr %a, i64 8
  store float %v8, ptr %s8
  %p8 = getelementptr float, ptr %p7, i64 %n
  %v9 = load float, ptr %p8
  %s9 = getelementptr float, ptr %a, i64 9
  store float %v9, ptr %s9
  %p9 = getelementptr float, ptr %p8, i64 %n
  %v10 = load float, ptr %p9
  %s10 = getelementptr float, ptr %a, i64 10
  store float %v10, ptr %s10
  %p10 = getelementptr float, ptr %p9, i64 %n
  %v11 = load float, ptr %p10
  %s11 = getelementptr float, ptr %a, i64 11
  store float %v11, ptr %s11
  call void @away(ptr %a, i64 %n)
  %r = load float, ptr %a
  ret float %r
}
