; Registers that a thread may have: launch bounds come before the user's limit, and blocks that the SM's threads do not
; suffice for are not asked for: an SM of Turing holds 1024, of Ampere 2048.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<dump=prune;maxrregcount=40>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK: kernel turing: registers {{[0-9]+}} of 64,
; CHECK: kernel ampere: registers {{[0-9]+}} of 32,
; CHECK: kernel small: registers {{[0-9]+}} of 128,
; CHECK: kernel free: registers {{[0-9]+}} of 40,

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @turing() "target-cpu"="sm_75" {
  ret void
}

define void @ampere() "target-cpu"="sm_80" {
  ret void
}

define void @small() "target-cpu"="sm_75" {
  ret void
}

define void @free() {
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @turing, !"kernel", i32 1, !"maxntidx", i32 1024, !"minctasm", i32 2}
!1 = !{ptr @ampere, !"kernel", i32 1, !"maxntidx", i32 1024, !"minctasm", i32 2}
!2 = !{ptr @small, !"kernel", i32 1, !"maxntidx", i32 256, !"minctasm", i32 2}
!3 = !{ptr @free, !"kernel", i32 1}
