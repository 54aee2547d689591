; Barriers under the names that LLVM has for them from version 21 on: with a number, a thread count, and truth values.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK:     BAR.SYNC RZ
; CHECK:     BAR.SYNC 0x1, [[N:R[0-9]+]]
; CHECK:     BAR.ARV 0x2, [[N]]
; CHECK:     BAR.SYNC 0x3
; CHECK:     BAR.RED_POPC R{{[0-9]+}}, RZ, P{{[0-9]}}
; CHECK:     BAR.RED_AND P{{[0-9]}}, 0x1, [[N]], P{{[0-9]}}
; CHECK:     BAR.RED_OR P{{[0-9]}}, 0x2, !P{{[0-9]}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32) convergent
declare void @llvm.nvvm.barrier.cta.sync.all(i32) convergent
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32) convergent
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1) convergent
declare i1 @llvm.nvvm.barrier.cta.red.and.aligned.count(i32, i32, i1) convergent
declare i1 @llvm.nvvm.barrier.cta.red.or.all(i32, i1) convergent

define i32 @meet(i32 %n, i32 %x) {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 %n)
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 2, i32 %n)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 3)
  %is = icmp slt i32 %x, 5
  %count = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %is)
  %all = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.count(i32 1, i32 %n, i1 %is)
  %not = xor i1 %is, true
  %any = call i1 @llvm.nvvm.barrier.cta.red.or.all(i32 2, i1 %not)
  %both = and i1 %all, %any
  %more = zext i1 %both to i32
  %r = add i32 %count, %more
  ret i32 %r
}
