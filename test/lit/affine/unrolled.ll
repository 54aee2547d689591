; Rounds of a loop that LLVM has unrolled by four: the counter meets n - (n & 3), which is n & -4, and where a launch constant
; keeps all threads out of the loop there is nothing to be met. So the index below, whose sum has no flag, has a bound.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-affine;without=address-passes+loop-unrolling>' -disable-output %s 2>&1 | %FileCheck %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: linear values of inside
; CHECK: {and32(P1,-4), 0, 0, 0, 0, 0, 0} i32 signed ; %all = sub
; CHECK: {4*i0, 0, 0, 0, 0, 0, 0} i32 exact if#0 ; %i = phi
; CHECK: {4*P2*i0, 1, 0, 0, 0, 0, 0} i64 signed if#0 if#1 ; %wide = sext
; CHECK: condition #0: 0 <= {select64(ult32(P1,4),0,and32(P1,-4)-4), 0, 0, 0, 0, 0, 0}
; CHECK: condition #1: -2147483648 <= {4*P2*i0, 1, 0, 0, 0, 0, 0} <= 2147483647
define void @inside(ptr %p, i32 %n, i32 %pitch) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %rest = and i32 %n, 3
  %all = sub i32 %n, %rest
  %few = icmp ult i32 %n, 4
  br i1 %few, label %done, label %before
before:
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %next, %loop ]
  %row = mul i32 %i, %pitch
  %index = add i32 %row, %tid
  %wide = sext i32 %index to i64
  %at = getelementptr i32, ptr %p, i64 %wide
  store i32 %i, ptr %at
  %next = add i32 %i, 4
  %end = icmp eq i32 %next, %all
  br i1 %end, label %done, label %loop
done:
  ret void
}

; The other side of the branch is the loop.
; CHECK-LABEL: linear values of otherwise
; CHECK: condition #0: 0 <= {select64(ult32(3,P1),and32(P1,-4)-4,0), 0, 0, 0, 0, 0, 0}
define void @otherwise(ptr %p, i32 %n, i32 %pitch) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %rest = and i32 %n, 3
  %all = sub i32 %n, %rest
  %enough = icmp ugt i32 %n, 3
  br i1 %enough, label %loop, label %done
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %row = mul i32 %i, %pitch
  %index = add i32 %row, %tid
  %wide = sext i32 %index to i64
  %at = getelementptr i32, ptr %p, i64 %wide
  store i32 %i, ptr %at
  %next = add i32 %i, 4
  %end = icmp eq i32 %next, %all
  br i1 %end, label %done, label %loop
done:
  ret void
}

; A second way in, of which the branch says nothing.
; CHECK-LABEL: linear values of either
; CHECK: condition #0: 0 <= {and32(P1,-4)-4, 0, 0, 0, 0, 0, 0}
define void @either(ptr %p, i32 %n, i32 %pitch, i32 %which) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %rest = and i32 %n, 3
  %all = sub i32 %n, %rest
  %mine = icmp eq i32 %tid, 7
  br i1 %mine, label %before, label %test
test:
  %enough = icmp ugt i32 %n, 3
  br i1 %enough, label %before, label %done
before:
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %next, %loop ]
  %row = mul i32 %i, %pitch
  %index = add i32 %row, %tid
  %wide = sext i32 %index to i64
  %at = getelementptr i32, ptr %p, i64 %wide
  store i32 %i, ptr %at
  %next = add i32 %i, 4
  %end = icmp eq i32 %next, %all
  br i1 %end, label %done, label %loop
done:
  ret void
}

; What is taken off is another number's low bits.
; CHECK-LABEL: linear values of unlike
; CHECK: {P1-and32(P2,3), 0, 0, 0, 0, 0, 0} i32 ; %all = sub
define void @unlike(ptr %p, i32 %n, i32 %pitch) {
  %rest = and i32 %pitch, 3
  %all = sub i32 %n, %rest
  store i32 %all, ptr %p
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @inside, !"kernel", i32 1}
!1 = !{ptr @otherwise, !"kernel", i32 1}
!2 = !{ptr @either, !"kernel", i32 1}
!3 = !{ptr @unlike, !"kernel", i32 1}
