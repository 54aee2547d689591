; With ipra, values live across calls in scratch registers that the callee leaves alone: they stay live through it, and
; what a callee's callers keep there is live in the callee, where a preemption point would have to save it.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-liveness;check=1;ipra;without=register-banks+operand-rest>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK-LABEL: function leaf:
; CHECK:         0000 live R0-R5; dead a
; CHECK:         0010 live R0-R5
; CHECK-LABEL: function middle:
; CHECK:         0000 live R0-R5
; CHECK:         0010 live R0-R5; dead a b
; CHECK:         0020 live R0-R4
; CHECK-LABEL: kernel top:
; CHECK:         0060 live R0-R5
; CHECK:         0070 live R0 R2-R4; dead a b
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @leaf(i32 %a) noinline {
  %b = mul i32 %a, 77
  ret i32 %b
}

define i32 @middle(i32 %a, i32 %b) noinline {
  %c = call i32 @leaf(i32 %a)
  %d = add i32 %b, %c
  ret i32 %d
}

define void @top(ptr addrspace(1) %p) {
  %a = load i32, ptr addrspace(1) %p
  %c = call i32 @middle(i32 %a, i32 5)
  %d = add i32 %a, %c
  store i32 %d, ptr addrspace(1) %p
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @top, !"kernel", i32 1}
