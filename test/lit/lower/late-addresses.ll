; Addresses wait until their access can be made: between stores that may overlap the loads, each is computed behind the
; store before. Without, all are computed first, and a pair for each of the ten is live at once.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=late-addresses>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:       STG
; CHECK:       IMAD.WIDE
; CHECK:       STG
; CHECK:       IMAD.WIDE
; CHECK:       STG
; WITHOUT:     IMAD.WIDE
; WITHOUT:     STG
; WITHOUT-NOT: IMAD.WIDE

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @chain(ptr addrspace(1) %p0, ptr addrspace(1) %p1, ptr addrspace(1) %p2, ptr addrspace(1) %p3, ptr addrspace(1) %p4, ptr addrspace(1) %p5, ptr addrspace(1) %p6, ptr addrspace(1) %p7, ptr addrspace(1) %p8, ptr addrspace(1) %p9, i32 %n) {
  %a0 = getelementptr float, ptr addrspace(1) %p0, i32 %n
  %a1 = getelementptr float, ptr addrspace(1) %p1, i32 %n
  %a2 = getelementptr float, ptr addrspace(1) %p2, i32 %n
  %a3 = getelementptr float, ptr addrspace(1) %p3, i32 %n
  %a4 = getelementptr float, ptr addrspace(1) %p4, i32 %n
  %a5 = getelementptr float, ptr addrspace(1) %p5, i32 %n
  %a6 = getelementptr float, ptr addrspace(1) %p6, i32 %n
  %a7 = getelementptr float, ptr addrspace(1) %p7, i32 %n
  %a8 = getelementptr float, ptr addrspace(1) %p8, i32 %n
  %a9 = getelementptr float, ptr addrspace(1) %p9, i32 %n
  %v0 = load float, ptr addrspace(1) %a0
  %w0 = load float, ptr addrspace(1) %a1
  %s0 = fadd float %v0, %w0
  store float %s0, ptr addrspace(1) %a0
  %v1 = load float, ptr addrspace(1) %a1
  %w1 = load float, ptr addrspace(1) %a2
  %s1 = fadd float %v1, %w1
  store float %s1, ptr addrspace(1) %a1
  %v2 = load float, ptr addrspace(1) %a2
  %w2 = load float, ptr addrspace(1) %a3
  %s2 = fadd float %v2, %w2
  store float %s2, ptr addrspace(1) %a2
  %v3 = load float, ptr addrspace(1) %a3
  %w3 = load float, ptr addrspace(1) %a4
  %s3 = fadd float %v3, %w3
  store float %s3, ptr addrspace(1) %a3
  %v4 = load float, ptr addrspace(1) %a4
  %w4 = load float, ptr addrspace(1) %a5
  %s4 = fadd float %v4, %w4
  store float %s4, ptr addrspace(1) %a4
  %v5 = load float, ptr addrspace(1) %a5
  %w5 = load float, ptr addrspace(1) %a6
  %s5 = fadd float %v5, %w5
  store float %s5, ptr addrspace(1) %a5
  %v6 = load float, ptr addrspace(1) %a6
  %w6 = load float, ptr addrspace(1) %a7
  %s6 = fadd float %v6, %w6
  store float %s6, ptr addrspace(1) %a6
  %v7 = load float, ptr addrspace(1) %a7
  %w7 = load float, ptr addrspace(1) %a8
  %s7 = fadd float %v7, %w7
  store float %s7, ptr addrspace(1) %a7
  %v8 = load float, ptr addrspace(1) %a8
  %w8 = load float, ptr addrspace(1) %a9
  %s8 = fadd float %v8, %w8
  store float %s8, ptr addrspace(1) %a8
  %v9 = load float, ptr addrspace(1) %a9
  %w9 = load float, ptr addrspace(1) %a0
  %s9 = fadd float %v9, %w9
  store float %s9, ptr addrspace(1) %a9
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @chain, !"kernel", i32 1}
