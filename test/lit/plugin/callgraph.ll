; ^ kernel, & address taken, as nvlink prints it; calls with a machine pc.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-callgraph;rdc>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK:      {{^}}&taken{{$}}
; CHECK:      {{^}}^k{{$}}
; CHECK-NEXT: direct -> elsewhere unknown{{$}}
; CHECK-NEXT: indirect -> taken unknown{{$}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare ptr @elsewhere(ptr)

define void @taken() {
  ret void
}

define void @k() {
  %f = call ptr @elsewhere(ptr @taken)
  call void %f()
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
