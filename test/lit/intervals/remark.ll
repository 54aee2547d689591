; One remark for each kernel, for people and for tools.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<remarks=all>' -disable-output -pass-remarks-analysis=heddle-intervals \
; RUN:     -pass-remarks-output=%t.yaml %s 2>&1 | %FileCheck %s
; RUN: %FileCheck --check-prefix=YAML %s < %t.yaml

; CHECK: remark: {{.*}}kernel k: register-intervals 1 of up to 16 registers, PREFETCHes 1, code growth {{[0-9.]+}} % by vectors, {{[0-9.]+}} % by instructions, strands 1
; CHECK-NOT: remark

; YAML:      Pass: heddle-intervals
; YAML-NEXT: Name: Intervals
; YAML:      Intervals: '1'
; YAML:      IntervalRegisters: '16'

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr addrspace(1) %out, i32 %x) {
  store i32 %x, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
