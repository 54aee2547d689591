; A load from shared memory waits while the chain of sums that ends in it is long yet: registers for eight or so are
; enough to keep the chain going. Without, as many are loaded at once as there are registers.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=late-shared-loads>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:         {{registers (1[0-9]|2[0-3]),}}
; CHECK:         FADD
; CHECK:         LDS
; CHECK-COUNT-6: FADD
; CHECK:         LDS
; WITHOUT:       {{registers (2[4-9]|3[0-9]),}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define float @sum(ptr addrspace(3) %at) {
  %p0 = getelementptr float, ptr addrspace(3) %at, i32 0
  %v0 = load float, ptr addrspace(3) %p0, align 4
  %p1 = getelementptr float, ptr addrspace(3) %at, i32 33
  %v1 = load float, ptr addrspace(3) %p1, align 4
  %p2 = getelementptr float, ptr addrspace(3) %at, i32 66
  %v2 = load float, ptr addrspace(3) %p2, align 4
  %p3 = getelementptr float, ptr addrspace(3) %at, i32 99
  %v3 = load float, ptr addrspace(3) %p3, align 4
  %p4 = getelementptr float, ptr addrspace(3) %at, i32 132
  %v4 = load float, ptr addrspace(3) %p4, align 4
  %p5 = getelementptr float, ptr addrspace(3) %at, i32 165
  %v5 = load float, ptr addrspace(3) %p5, align 4
  %p6 = getelementptr float, ptr addrspace(3) %at, i32 198
  %v6 = load float, ptr addrspace(3) %p6, align 4
  %p7 = getelementptr float, ptr addrspace(3) %at, i32 231
  %v7 = load float, ptr addrspace(3) %p7, align 4
  %p8 = getelementptr float, ptr addrspace(3) %at, i32 264
  %v8 = load float, ptr addrspace(3) %p8, align 4
  %p9 = getelementptr float, ptr addrspace(3) %at, i32 297
  %v9 = load float, ptr addrspace(3) %p9, align 4
  %p10 = getelementptr float, ptr addrspace(3) %at, i32 330
  %v10 = load float, ptr addrspace(3) %p10, align 4
  %p11 = getelementptr float, ptr addrspace(3) %at, i32 363
  %v11 = load float, ptr addrspace(3) %p11, align 4
  %p12 = getelementptr float, ptr addrspace(3) %at, i32 396
  %v12 = load float, ptr addrspace(3) %p12, align 4
  %p13 = getelementptr float, ptr addrspace(3) %at, i32 429
  %v13 = load float, ptr addrspace(3) %p13, align 4
  %p14 = getelementptr float, ptr addrspace(3) %at, i32 462
  %v14 = load float, ptr addrspace(3) %p14, align 4
  %p15 = getelementptr float, ptr addrspace(3) %at, i32 495
  %v15 = load float, ptr addrspace(3) %p15, align 4
  %p16 = getelementptr float, ptr addrspace(3) %at, i32 528
  %v16 = load float, ptr addrspace(3) %p16, align 4
  %p17 = getelementptr float, ptr addrspace(3) %at, i32 561
  %v17 = load float, ptr addrspace(3) %p17, align 4
  %p18 = getelementptr float, ptr addrspace(3) %at, i32 594
  %v18 = load float, ptr addrspace(3) %p18, align 4
  %p19 = getelementptr float, ptr addrspace(3) %at, i32 627
  %v19 = load float, ptr addrspace(3) %p19, align 4
  %p20 = getelementptr float, ptr addrspace(3) %at, i32 660
  %v20 = load float, ptr addrspace(3) %p20, align 4
  %p21 = getelementptr float, ptr addrspace(3) %at, i32 693
  %v21 = load float, ptr addrspace(3) %p21, align 4
  %p22 = getelementptr float, ptr addrspace(3) %at, i32 726
  %v22 = load float, ptr addrspace(3) %p22, align 4
  %p23 = getelementptr float, ptr addrspace(3) %at, i32 759
  %v23 = load float, ptr addrspace(3) %p23, align 4
  %s1 = fadd float %v0, %v1
  %s2 = fadd float %s1, %v2
  %s3 = fadd float %s2, %v3
  %s4 = fadd float %s3, %v4
  %s5 = fadd float %s4, %v5
  %s6 = fadd float %s5, %v6
  %s7 = fadd float %s6, %v7
  %s8 = fadd float %s7, %v8
  %s9 = fadd float %s8, %v9
  %s10 = fadd float %s9, %v10
  %s11 = fadd float %s10, %v11
  %s12 = fadd float %s11, %v12
  %s13 = fadd float %s12, %v13
  %s14 = fadd float %s13, %v14
  %s15 = fadd float %s14, %v15
  %s16 = fadd float %s15, %v16
  %s17 = fadd float %s16, %v17
  %s18 = fadd float %s17, %v18
  %s19 = fadd float %s18, %v19
  %s20 = fadd float %s19, %v20
  %s21 = fadd float %s20, %v21
  %s22 = fadd float %s21, %v22
  %s23 = fadd float %s22, %v23
  ret float %s23
}
