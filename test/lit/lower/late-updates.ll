; A counter whose present value is read behind the computation of the next one has one register, and no copy on a round: the
; next value is computed behind that read. Without the step, it takes a copy. A present value that is read behind the loop
; stays apart.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=loop-unrolling>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=loop-unrolling+late-updates>' -disable-output %s \
; RUN:     2>&1 | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:     kernel halves
; CHECK:           ISETP.LT.U32.AND P0, [[STEP:R[0-9]+]]{{.*}}, 0x2, PT
; CHECK-NOT:       MOV
; CHECK:           SHR.U32 [[STEP]], [[STEP]], 0x1
; CHECK-NOT:       MOV
; CHECK:           BRA
; CHECK-LABEL:     kernel read_behind
; CHECK:           MOV
; CHECK:           BRA
; WITHOUT-LABEL:   kernel halves
; WITHOUT:         SHR.U32 [[NEXT:R[0-9]+]]
; WITHOUT:         MOV [[STEP:R[0-9]+]], [[NEXT]]
; WITHOUT:         BRA

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @halves(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %step = phi i32 [ %n, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %step
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = lshr i32 %step, 1
  %last = icmp ult i32 %step, 2
  br i1 %last, label %done, label %loop
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @read_behind(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %step = phi i32 [ %n, %entry ], [ %next, %loop ]
  %next = lshr i32 %step, 1
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %next
  %v = load i32, ptr addrspace(1) %p
  %last = icmp eq i32 %v, 0
  br i1 %last, label %done, label %loop
done:
  store i32 %step, ptr addrspace(1) %out
  ret void
}
