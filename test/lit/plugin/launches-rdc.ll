; A relocatable module keeps what libclang saw, with the names of static kernels resolved; a linked module has it back.
; RUN: echo '{"kernels": [], "launches": [{"kernel": "_ZL1kPi", "file": "a.cu", "line": 9, "block": [64, 2, 1], "shared": 0},' > %t.json
; RUN: echo '{"kernel": "elsewhere", "file": "a.cu", "line": 10, "block": null, "shared": 0}]}' >> %t.json
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<rdc;launches=%t.json>' -S -o %t.ll %s
; RUN: %FileCheck --check-prefix=KEPT %s < %t.ll
; KEPT: !heddle.launches = !{![[NODE:[0-9]+]]}
; KEPT: ![[NODE]] = !{!"{{.*}}_ZL1kPi__intern__1234{{.*}}elsewhere{{.*}}"}
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-metadata>' -disable-output %t.ll 2>&1 | %FileCheck %s
; CHECK: "name": "_ZL1kPi__intern__1234"
; CHECK: "demangled": "k(int*)"
; CHECK: "launches": [
; CHECK: "file": "a.cu"
; CHECK-NEXT: "line": 9
; CHECK: 64,
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @_ZL1kPi__intern__1234(ptr %x) {
  store i32 1, ptr %x
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @_ZL1kPi__intern__1234, !"kernel", i32 1}
