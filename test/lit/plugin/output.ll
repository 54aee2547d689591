; o= writes the object and the JSON beside it, the same bytes each time; a failure leaves nothing.
; RUN: rm -rf %t && mkdir %t
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<o=%t/a>' -disable-output %s
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<o=%t/b>' -disable-output < %s
; RUN: cmp %t/a.heddle.json %t/b.heddle.json
; RUN: readelf -h -S %t/a.hdo | %FileCheck --check-prefix=ELF %s
; RUN: %FileCheck %s < %t/a.heddle.json
; RUN: cp %t/a.hdo %t/first.hdo
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<o=%t/a>' -disable-output %s
; RUN: cmp %t/a.hdo %t/first.hdo

; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<o=%t/none/a>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=ERROR %s
; RUN: ls %t | %FileCheck --check-prefix=FILES %s

; ELF: Type: REL
; ELF: .text.k
; ELF: .heddle.meta
; ELF: .heddle.ir

; CHECK: "producer": "heddle {{[0-9.]+}}, LLVM {{[0-9]+}}
; CHECK: "module": "app.cu"
; CHECK: "target": "sm_70"
; CHECK: "flags": ""
; CHECK: "mode": "whole-program"
; CHECK: "name": "k"
; CHECK: "max_threads": 128
; CHECK: "min_ctas": 2
; CHECK: "name": "out"
; CHECK: "name": "x"

; ERROR: error:
; ERROR: error: heddle stopped, nothing was written
; FILES-NOT: none
; FILES: a.hdo
; FILES-NEXT: a.heddle.json
; FILES-NEXT: b.hdo
; FILES-NEXT: b.heddle.json
; FILES-NEXT: first.hdo
; FILES-NOT: {{.}}

source_filename = "/home/somebody/app.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr addrspace(1) %out, i32 %x) #0 {
  store i32 %x, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "target-cpu"="sm_70" }
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1, !"maxntidx", i32 128, !"minctasm", i32 2}
