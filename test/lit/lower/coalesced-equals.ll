; The sum that is an address and the next sum's operand stays in the address's registers: its value is the same in both.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=coalesced-equals>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:       IADD3.EX
; CHECK-NOT:   MOV {{R[0-9]+}}, R
; CHECK:       LDG.VOLATILE
; CHECK-NOT:   MOV {{R[0-9]+}}, R
; CHECK:       LDG.VOLATILE
; WITHOUT:     IADD3.EX
; WITHOUT:     MOV {{R[0-9]+}}, R
; WITHOUT:     LDG.VOLATILE

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @steps(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %n
  %a = load volatile i32, ptr addrspace(1) %p
  %q = getelementptr i8, ptr addrspace(1) %p, i64 %n
  %b = load volatile i32, ptr addrspace(1) %q
  %s = mul i32 %a, %b
  store i32 %s, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @steps, !"kernel", i32 1}
