; Distances in a loop: what goes round is near, what is needed behind it lies ten iterations off.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-reuse;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-reuse;check=1;rthld=1000>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=HIGH %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-reuse;check=1;rthld=1>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=NONE %s

; CHECK:      kernel k: rthld 16, near [[#]], far [[#]], dead [[#]], distances
; CHECK:      IMAD_WIDE dst R[[ADDRESS:[0-9]+]] {{[3-9][1-9] far}}
; CHECK:      IMAD dst R[[SUM:[0-9]+]] 1 near
; CHECK-NEXT: ISETP a R[[SUM]] {{[1-3] near}}
; CHECK:      BRA
; CHECK-NEXT: STG a R[[ADDRESS]] dead c R[[SUM]] dead
; CHECK-NEXT: EXIT

; HIGH: kernel k: rthld 1000,
; HIGH: IMAD_WIDE dst R{{[0-9]+ [3-9][1-9] near}}
; NONE: kernel k: rthld 1, near 0, far

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr noalias %out, i32 %n, i32 %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  br label %loop
loop:
  %sum = phi i32 [ %x, %entry ], [ %next, %loop ]
  %square = mul i32 %sum, %sum
  %next = add i32 %square, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store i32 %next, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
