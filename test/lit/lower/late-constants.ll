; A constant word is read when it is needed: not while the loads that the address waits with are still on their way.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=late-constants>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:       LDG.VOLATILE {{.*}}+0xc]
; CHECK:       MOV {{R[0-9]+}}, c[0x0][0x16c]
; WITHOUT:     MOV {{R[0-9]+}}, c[0x0][0x16c]
; WITHOUT:     LDG.VOLATILE {{.*}}+0xc]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @late(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %p1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %p2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %p3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a = load volatile i32, ptr addrspace(1) %in
  %b = load volatile i32, ptr addrspace(1) %p1
  %c = load volatile i32, ptr addrspace(1) %p2
  %d = load volatile i32, ptr addrspace(1) %p3
  %ab = mul i32 %a, %b
  %cd = mul i32 %c, %d
  %s = mul i32 %ab, %cd
  %bit = and i32 %s, 31
  %set = shl i32 77, %bit
  store i32 %set, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @late, !"kernel", i32 1}
