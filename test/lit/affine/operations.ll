; What LLVM makes of Figure 6's operations (r2d2-isca23 3.1.1), one value a line with its vector, width and whether it is an
; exact number of that width; conditions of the launch where a widened value might have wrapped around.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-affine;without=address-passes>' -disable-output %s 2>&1 | %FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
define void @use(i32 %x) {
  ret void
}

define void @use64(i64 %x) {
  ret void
}

; CHECK-LABEL: linear values of shifts_and_masks
; CHECK-DAG: {0, 16, 0, 0, 0, 0, 0} i32 exact ; %shifted =
; CHECK-DAG: {3, 16, 0, 0, 0, 0, 0} i32 exact ; %disjoint =
; CHECK-DAG: {5, 16, 0, 0, 0, 0, 0} i32 exact ; %flagged =
; CHECK-DAG: {0, 8, 0, 0, 0, 0, 0} i32 exact ; %halved =
; CHECK-DAG: {0, 1, 0, 0, 0, 0, 0} i32 exact ; %low =
; CHECK-DAG: {0, 16, 0, 0, 0, 0, 0} i32 exact ; %high =
; CHECK-DAG: {0, power32(P0), 0, 0, 0, 0, 0} i32 ; %by =
; CHECK-NOT: } i32 {{.*}}; %overlap =
; CHECK-NOT: } i32 {{.*}}; %lost =
define void @shifts_and_masks(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %shifted = shl i32 %t, 4
  %disjoint = or i32 %shifted, 3
  %flagged = or disjoint i32 %shifted, 5
  %overlap = or i32 %t, 3
  %halved = lshr i32 %shifted, 1
  %lost = lshr i32 %t, 1
  %low = and i32 %t, 1023
  %high = and i32 %shifted, -16
  %by = shl i32 %t, %n
  call void @use(i32 %disjoint)
  call void @use(i32 %flagged)
  call void @use(i32 %overlap)
  call void @use(i32 %halved)
  call void @use(i32 %lost)
  call void @use(i32 %low)
  call void @use(i32 %high)
  call void @use(i32 %by)
  ret void
}

; Bits that truncation drops and extension cannot bring back; a byte of tid is no byte where tid goes beyond it.
; CHECK-LABEL: linear values of widths
; CHECK-DAG: {0, 1, 0, 0, 0, 0, 0} i64 exact ; %wide =
; CHECK-DAG: {4294967296, 1, 0, 0, 0, 0, 0} i64 exact ; %beyond =
; CHECK-DAG: {0, 1, 0, 0, 0, 0, 0} i32 exact ; %back =
; CHECK-DAG: {0, 1, 0, 0, 0, 0, 0} i8 ; %byte =
; CHECK-DAG: {0, 1, 0, 0, 0, 0, 0} i16 exact ; %short =
; CHECK-DAG: {0, 1, 0, 0, 0, 0, 0} i32 exact if#[[#B:]] ; %b =
; CHECK-DAG: {0, 1, 0, 0, 0, 0, 0} i32 exact ; %s =
; CHECK-DAG: {P0, 1, 0, 0, 0, 0, 0} i32 ; %wraps =
; CHECK-DAG: {P0, 1, 0, 0, 0, 0, 0} i64 signed if#[[#S:]] ; %signed =
; CHECK-DAG: {P0, 1, 0, 0, 0, 0, 0} i64 exact if#[[#U:]] ; %unsigned =
; CHECK-DAG: {P0, 1, 0, 0, 0, 0, 0} i64 signed ; %proven =
; CHECK-DAG: condition #[[#S]]: -2147483648 <= {P0, 1, 0, 0, 0, 0, 0} <= 2147483647
; CHECK-DAG: condition #[[#B]]: 0 <= {0, 1, 0, 0, 0, 0, 0} <= 255
; CHECK-DAG: condition #[[#U]]: 0 <= {P0, 1, 0, 0, 0, 0, 0} <= 4294967295
define void @widths(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %beyond = add i64 %wide, 4294967296
  %back = trunc i64 %beyond to i32
  %byte = trunc i32 %t to i8
  %short = trunc i32 %t to i16
  %wraps = add i32 %t, %n
  %signed = sext i32 %wraps to i64
  %unsigned = zext i32 %wraps to i64
  %stays = add nsw i32 %t, %n
  %proven = sext i32 %stays to i64
  %b = zext i8 %byte to i32
  %s = zext i16 %short to i32
  call void @use(i32 %back)
  call void @use(i32 %b)
  call void @use(i32 %s)
  call void @use64(i64 %beyond)
  call void @use64(i64 %signed)
  call void @use64(i64 %unsigned)
  call void @use64(i64 %proven)
  ret void
}

; What is computed from launch constants alone is one; a select on one takes the parts apart.
; CHECK-LABEL: linear values of uniform
; CHECK-DAG: {smin32(P0,64), 0, 0, 0, 0, 0, 0} i32 {{.*}}; %least =
; CHECK-DAG: {umax32(P0,P1), 0, 0, 0, 0, 0, 0} i32 {{.*}}; %most =
; CHECK-DAG: {smin32(P0,64), 1, 0, 0, 0, 0, 0} i32 {{.*}}; %moved =
; CHECK-DAG: {slt32(P0,P1), 0, 0, 0, 0, 0, 0} i1 {{.*}}; %less =
; CHECK-DAG: {P0, select64(slt32(P0,P1),1,2), 0, 0, 0, 0, 0} i32 ; %either =
; CHECK-DAG: {P0, 1, 0, 0, 0, 0, 0} i32 ; %same =
; CHECK-NOT: } i32 {{.*}}; %clamped =
; CHECK-NOT: } i32 {{.*}}; %mixed =
define void @uniform(i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %least = call i32 @llvm.smin.i32(i32 %n, i32 64)
  %most = call i32 @llvm.umax.i32(i32 %n, i32 %m)
  %moved = add nsw i32 %least, %t
  %less = icmp slt i32 %n, %m
  %one = add i32 %n, %t
  %double = shl i32 %t, 1
  %two = add i32 %n, %double
  %either = select i1 %less, i32 %one, i32 %two
  %divergent = icmp slt i32 %t, 7
  %same = select i1 %divergent, i32 %one, i32 %one
  %mixed = select i1 %divergent, i32 %one, i32 %two
  %clamped = call i32 @llvm.smin.i32(i32 %t, i32 64)
  call void @use(i32 %most)
  call void @use(i32 %moved)
  call void @use(i32 %either)
  call void @use(i32 %same)
  call void @use(i32 %mixed)
  call void @use(i32 %clamped)
  ret void
}

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @shifts_and_masks, !"kernel", i32 1}
!1 = !{ptr @widths, !"kernel", i32 1}
!2 = !{ptr @uniform, !"kernel", i32 1}
