; Four neighbours of one array: one address, and one access of 16 bytes where the alignment is known.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=address-passes>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:     LDG.128
; CHECK-NOT: LDG
; CHECK:     EXIT
; WITHOUT-COUNT-4: LDG R

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @four(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %i) {
  %p = getelementptr inbounds { float, float, float, float }, ptr addrspace(1) %in, i32 %i
  %a = load float, ptr addrspace(1) %p, align 16
  %p1 = getelementptr inbounds float, ptr addrspace(1) %p, i32 1
  %b = load float, ptr addrspace(1) %p1, align 4
  %p2 = getelementptr inbounds float, ptr addrspace(1) %p, i32 2
  %c = load float, ptr addrspace(1) %p2, align 8
  %p3 = getelementptr inbounds float, ptr addrspace(1) %p, i32 3
  %d = load float, ptr addrspace(1) %p3, align 4
  %ab = fadd float %a, %b
  %cd = fadd float %c, %d
  %r = fmul float %ab, %cd
  store float %r, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @four, !"kernel", i32 1}
