; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-affine;without=address-passes>' -disable-output %s 2>&1 | %FileCheck %s

; The kernel of r2d2-isca23 Figures 3 and 7, register for register, and its coefficient vectors symbol for symbol.

; CHECK:      linear values of bp_adjust_weights
; CHECK-DAG:  {P0, 0, 0, 0, 0, 0, 0} i64 {{.*}}; %rd4 =
; CHECK-DAG:  {P2, 0, 0, 0, 0, 0, 0} i64 {{.*}}; %rd5 =
; CHECK-DAG:  {0, 0, 0, 0, 0, 1, 0} i32 exact ; %r1 =
; CHECK-DAG:  {0, 0, 0, 0, 0, 16, 0} i32 exact ; %r5 =
; CHECK-DAG:  {0, 0, 1, 0, 0, 0, 0} i32 exact ; %r2 =
; CHECK-DAG:  {0, 0, 1, 0, 0, 16, 0} i32 exact ; %r6 =
; CHECK-DAG:  {P1+1, 0, 0, 0, 0, 0, 0} i32 signed ; %r7 =
; CHECK-DAG:  {P1, 1, P1+1, 0, 0, 16*(P1+1), 0} i32 signed ; %r9 =
; CHECK-DAG:  {4*P1, 4, 4*(P1+1), 0, 0, 64*(P1+1), 0} i64 signed ; %rd13 =
; CHECK-DAG:  {P5+4*P1, 4, 4*(P1+1), 0, 0, 64*(P1+1), 0} i64 ; %rd14 =
; CHECK-NOT:  %f3 =
; CHECK-NOT:  condition

; Figure 9: the thread-index part, the block-index part with the base in it, and the load that reads them.
; CHECK:      %tr0: 4, 4*(P1+1), 0
; CHECK:      %lr0: %tr0 + {P5+4*P1+8, 0, 64*(P1+1), 0} i64, 1 uses
; CHECK-NEXT: use %lr0 i64 as operand 0 ; %f3 = load

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()

define void @bp_adjust_weights(ptr addrspace(1) %P0, i32 %P1, ptr addrspace(1) %P2, i32 %P3, ptr addrspace(1) %P4,
                               ptr addrspace(1) %P5) {
  %rd4 = ptrtoint ptr addrspace(1) %P0 to i64
  %rd5 = ptrtoint ptr addrspace(1) %P2 to i64
  %r1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %r5 = shl nuw nsw i32 %r1, 4
  %r2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %r6 = add nuw nsw i32 %r5, %r2
  %r7 = add nsw i32 %P1, 1
  %r3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r8 = add nsw i32 %P1, %r3
  %m = mul nsw i32 %r6, %r7
  %r9 = add nsw i32 %m, %r8
  %wide = sext i32 %r9 to i64
  %rd13 = mul nsw i64 %wide, 4
  %rd3 = ptrtoint ptr addrspace(1) %P5 to i64
  %rd14 = add i64 %rd3, %rd13
  %address = add i64 %rd14, 8
  %pointer = inttoptr i64 %address to ptr addrspace(1)
  %f3 = load float, ptr addrspace(1) %pointer
  %fd4 = fpext float %f3 to double
  %fd5 = fmul double %fd4, 0x3FD3333333333333
  store double %fd5, ptr addrspace(1) %P4
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @bp_adjust_weights, !"kernel", i32 1}
