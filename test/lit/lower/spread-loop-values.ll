; Values of loops that could rest in further registers, or lie in the bank that they like, keep near those that are needed
; anyway: of sixteen that are loaded, not all lie in the even bank. Without, all do, and the registers between stay free.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=spread-loop-values>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK: kernel sum: registers 23,
; WITHOUT: kernel sum: registers 31,

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @sum(ptr addrspace(1) %in, ptr addrspace(1) %out, float %n) {
entry:
  br label %loop

loop:
  %s0 = phi float [ 0.0, %entry ], [ %s16, %loop ]
  %p0 = getelementptr float, ptr addrspace(1) %in, i32 0
  %v0 = load volatile float, ptr addrspace(1) %p0
  %p1 = getelementptr float, ptr addrspace(1) %in, i32 1
  %v1 = load volatile float, ptr addrspace(1) %p1
  %p2 = getelementptr float, ptr addrspace(1) %in, i32 2
  %v2 = load volatile float, ptr addrspace(1) %p2
  %p3 = getelementptr float, ptr addrspace(1) %in, i32 3
  %v3 = load volatile float, ptr addrspace(1) %p3
  %p4 = getelementptr float, ptr addrspace(1) %in, i32 4
  %v4 = load volatile float, ptr addrspace(1) %p4
  %p5 = getelementptr float, ptr addrspace(1) %in, i32 5
  %v5 = load volatile float, ptr addrspace(1) %p5
  %p6 = getelementptr float, ptr addrspace(1) %in, i32 6
  %v6 = load volatile float, ptr addrspace(1) %p6
  %p7 = getelementptr float, ptr addrspace(1) %in, i32 7
  %v7 = load volatile float, ptr addrspace(1) %p7
  %p8 = getelementptr float, ptr addrspace(1) %in, i32 8
  %v8 = load volatile float, ptr addrspace(1) %p8
  %p9 = getelementptr float, ptr addrspace(1) %in, i32 9
  %v9 = load volatile float, ptr addrspace(1) %p9
  %p10 = getelementptr float, ptr addrspace(1) %in, i32 10
  %v10 = load volatile float, ptr addrspace(1) %p10
  %p11 = getelementptr float, ptr addrspace(1) %in, i32 11
  %v11 = load volatile float, ptr addrspace(1) %p11
  %p12 = getelementptr float, ptr addrspace(1) %in, i32 12
  %v12 = load volatile float, ptr addrspace(1) %p12
  %p13 = getelementptr float, ptr addrspace(1) %in, i32 13
  %v13 = load volatile float, ptr addrspace(1) %p13
  %p14 = getelementptr float, ptr addrspace(1) %in, i32 14
  %v14 = load volatile float, ptr addrspace(1) %p14
  %p15 = getelementptr float, ptr addrspace(1) %in, i32 15
  %v15 = load volatile float, ptr addrspace(1) %p15
  %s1 = fadd float %s0, %v0
  %s2 = fadd float %s1, %v1
  %s3 = fadd float %s2, %v2
  %s4 = fadd float %s3, %v3
  %s5 = fadd float %s4, %v4
  %s6 = fadd float %s5, %v5
  %s7 = fadd float %s6, %v6
  %s8 = fadd float %s7, %v7
  %s9 = fadd float %s8, %v8
  %s10 = fadd float %s9, %v9
  %s11 = fadd float %s10, %v10
  %s12 = fadd float %s11, %v11
  %s13 = fadd float %s12, %v12
  %s14 = fadd float %s13, %v13
  %s15 = fadd float %s14, %v14
  %s16 = fadd float %s15, %v15
  %more = fcmp olt float %s16, %n
  br i1 %more, label %loop, label %done

done:
  store float %s16, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @sum, !"kernel", i32 1}
