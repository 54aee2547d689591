; Nothing passes a read of the clock: the chain between two of them is what they measure, and arithmetic that stands
; before or behind them, which no register or memory ties to them, keeps its place.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK:         FMUL
; CHECK-NEXT:    CS2R {{R[0-9]+}}, SR_CLOCK64
; CHECK-NOT:     FMUL
; CHECK-COUNT-4: FADD
; CHECK-NEXT:    CS2R {{R[0-9]+}}, SR_CLOCK64
; CHECK-NOT:     FADD
; CHECK:         FMUL

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i64 @llvm.nvvm.read.ptx.sreg.clock64()

define void @chain(float %seed, float %step, ptr %sum, ptr %time) {
  %before = fmul float %seed, %step
  %start = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %s0 = fadd float %seed, %step
  %s1 = fadd float %s0, %step
  %s2 = fadd float %s1, %step
  %s3 = fadd float %s2, %step
  %stop = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %behind = fmul float %step, %step
  %took = sub i64 %stop, %start
  %one = fadd float %before, %s3
  %all = fadd float %one, %behind
  store i64 %took, ptr %time
  store float %all, ptr %sum
  ret void
}
