; What a turn of a loop leaves to the next one is taken to be read there at once: the slow root comes before the chain to
; the loop's branch, though nothing in the block waits for it. Without, the chain begins first.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=loop-unrolling>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=loop-unrolling+carried-latency>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL: kernel turns:
; CHECK:      MUFU.SQRT.FTZ [[S:R[0-9]+]], [[S]]
; CHECK-NEXT: IADD3 {{.*}}, 0x1,
; CHECK:      {{P[0-9]}} BRA
; WITHOUT-LABEL: kernel turns:
; WITHOUT:      IADD3 {{.*}}, 0x1,
; WITHOUT-NEXT: MUFU.SQRT
; WITHOUT:      {{P[0-9]}} BRA

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @turns(ptr addrspace(1) %out, float %x, i32 %n) {
entry:
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %s = phi float [ %x, %entry ], [ %root, %loop ]
  %k1 = add i32 %k, 1
  %k2 = xor i32 %k1, %n
  %more = icmp slt i32 %k2, 77
  %root = call float @llvm.nvvm.sqrt.approx.ftz.f(float %s)
  br i1 %more, label %loop, label %end

end:
  store float %root, ptr addrspace(1) %out
  ret void
}

declare float @llvm.nvvm.sqrt.approx.ftz.f(float)
