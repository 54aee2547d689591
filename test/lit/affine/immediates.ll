; A constant that a memory operand adds is its immediate; in other operands it would be an addition and is in the coefficient.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-affine;without=address-passes+loop-unrolling>' -disable-output %s 2>&1 | %FileCheck %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: linear values of inside
; CHECK-DAG: %[[LESS:cr[0-9]+]]: P1-1
; CHECK-DAG: use %[[LESS]] i32 as operand 1 ; %below = icmp
; CHECK-DAG: use %lr0+8 i64 as operand 0 ; %v = load
define void @inside(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %w
  %b = getelementptr i32, ptr addrspace(1) %a, i64 2
  %last = add i32 %n, -1
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  %below = icmp slt i32 %u, %last
  br i1 %below, label %yes, label %no
yes:
  store volatile i32 %v, ptr addrspace(1) %a
  br label %no
no:
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @inside, !"kernel", i32 1}
