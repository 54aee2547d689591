; What is stored lies in the odd bank, beside the even low word of its address, while there are registers; the sources
; of a sum lie in different banks. Comparisons of integers wish nothing.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=register-banks>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:     STG [{{R[0-9]*[02468]}}.64{{.*}}], {{R[0-9]*[13579]$}}
; CHECK:     STG [{{R[0-9]*[02468]}}.64{{.*}}], {{R[0-9]*[13579]$}}
; CHECK-LABEL: kernel compared
; CHECK:     ISETP{{.*}}, {{R[0-9]*[02468]}}, {{R[0-9]*[02468]}}, PT
; WITHOUT:   STG [{{R[0-9]*[02468]}}.64{{.*}}], {{R[0-9]*[02468]$}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @two(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %far = getelementptr float, ptr addrspace(1) %out, i32 9
  %a = load float, ptr addrspace(1) %in
  %b = fadd float %a, 1.0
  %c = fmul float %a, 3.0
  store float %b, ptr addrspace(1) %out
  store float %c, ptr addrspace(1) %far
  ret void
}

define void @compared(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %i) {
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %q = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %a = load i32, ptr addrspace(1) %p
  %far = getelementptr i32, ptr addrspace(1) %out, i32 9
  %b = load volatile i32, ptr addrspace(1) %far
  %less = icmp slt i32 %a, %b
  %r = select i1 %less, i32 3, i32 4
  store i32 %r, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @two, !"kernel", i32 1}
!1 = !{ptr @compared, !"kernel", i32 1}
