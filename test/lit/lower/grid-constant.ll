; NVVM IR's annotation of parameters that are grid constants, counted from 1: their addresses are addresses of the bank's
; copy in memory. Any other one whose address is taken is copied to local memory.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code>' -disable-output %s 2>&1 | %FileCheck %s
; CHECK-LABEL: marked
; CHECK-NOT: STL
; CHECK: c[0x0][0x38]
; CHECK-NOT: STL
; CHECK-LABEL: unmarked
; CHECK: STL
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @marked(ptr byval([4 x i32]) align 4 %table, ptr %out) #0 {
  %kept = ptrtoint ptr %table to i64
  store i64 %kept, ptr %out
  ret void
}

define void @unmarked(ptr byval([4 x i32]) align 4 %table, ptr %out) #0 {
  %kept = ptrtoint ptr %table to i64
  store i64 %kept, ptr %out
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @marked, !"kernel", i32 1}
!1 = !{ptr @unmarked, !"kernel", i32 1}
!2 = !{ptr @marked, !"grid_constant", !3}
!3 = !{i32 1}
