; A memory instruction reads its address late, so that the pair is not written again at once: each of the two loads gets
; one of its own. Without, the second takes the first one's place. A kernel that calls does the same where registers
; are allocated across calls, and keeps to what it needs where the calling convention holds.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=operand-rest>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;ipra>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=IPRA %s

; CHECK:     LDG [[A:R[0-9]+]], [[[P:R[0-9]+]].64]
; CHECK-NOT: IMAD.WIDE [[P]],
; CHECK:     IMAD.WIDE [[Q:R[0-9]+]],
; CHECK-NEXT: LDG {{R[0-9]+}}, [[[Q]].64]
; CHECK-LABEL: kernel calls
; CHECK:       LDG R4, [[[P:R[0-9]+]].64]
; CHECK-NEXT:  CALL
; CHECK-NEXT:  MOV [[P]],
; WITHOUT:     IMAD.WIDE [[P:R[0-9]+]],
; WITHOUT:     LDG {{R[0-9]+}}, [[[P]].64]
; WITHOUT:     IMAD.WIDE [[P]],
; WITHOUT:     LDG {{R[0-9]+}}, [[[P]].64]
; IPRA-LABEL:  kernel calls
; IPRA:        LDG R4, [[[P:R[0-9]+]].64]
; IPRA-NEXT:   CALL
; IPRA-NOT:    MOV [[P]],
; IPRA:        EXIT

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @gather(ptr addrspace(1) %index, ptr addrspace(1) %out, i32 %i) {
  %p = getelementptr i32, ptr addrspace(1) %index, i32 %i
  %a = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %index, i32 %a
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %out
  ret void
}

define void @calls(ptr addrspace(1) %index, ptr addrspace(1) %out, i32 %i) {
  %p = getelementptr i32, ptr addrspace(1) %index, i32 %i
  %a = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %index, i32 %a
  %b = load i32, ptr addrspace(1) %q
  %c = call i32 @twice(i32 %b)
  store i32 %c, ptr addrspace(1) %out
  ret void
}

define internal i32 @twice(i32 %x) noinline {
  %y = mul i32 %x, 2
  ret i32 %y
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @gather, !"kernel", i32 1}
!1 = !{ptr @calls, !"kernel", i32 1}
