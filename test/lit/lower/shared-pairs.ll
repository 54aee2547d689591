; Accesses at constant distances from one pointer share its pair of registers.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=coalesced-equals>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=shared-pairs+coalesced-equals>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:       LDG.VOLATILE {{R[0-9]+}}, [[[AT:R[0-9]+]].64]
; CHECK:       LDG.VOLATILE {{R[0-9]+}}, [[[AT]].64+0x8]
; WITHOUT:     LDG.VOLATILE {{R[0-9]+}}, [[[AT:R[0-9]+]].64]
; WITHOUT-NOT: LDG.VOLATILE {{R[0-9]+}}, [[[AT]].64+0x8]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @both(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %p = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a = load volatile i32, ptr addrspace(1) %in
  %b = load volatile i32, ptr addrspace(1) %p
  %s = mul i32 %a, %b
  store i32 %s, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @both, !"kernel", i32 1}
