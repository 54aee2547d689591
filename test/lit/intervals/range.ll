; N is from 8 to 64, and no instruction of today's needs more than 8 registers (a 64-bit compare-and-swap: two each for
; the address, both values and the result).
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<interval-regs=7>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<interval-regs=65>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-intervals;interval-regs=8>' -disable-output %s 2>&1 | %FileCheck --check-prefix=EIGHT %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-intervals;interval-regs=64>' -disable-output %s 2>&1 | %FileCheck --check-prefix=MOST %s

; CHECK: heddle: error: pass parameter 'interval-regs={{7|65}}': out of range 8 to 64
; EIGHT: kernel k: up to 8 registers
; EIGHT: registers 8:
; MOST: kernel k: up to 64 registers, intervals 1,

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %new) {
  %old = load i64, ptr addrspace(1) %q
  %pair = cmpxchg ptr addrspace(1) %p, i64 %old, i64 %new seq_cst seq_cst
  %value = extractvalue { i64, i1 } %pair, 0
  store i64 %value, ptr addrspace(1) %q
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
