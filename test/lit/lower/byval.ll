; By-value aggregates in calls: those that fit the argument registers lie there as in memory, without a frame or an access
; on either side; others go on the stack whole, stored once, where the callee reads them; what is read or written at a
; place known at run time only is stored by the callee, once. Where no address is needed, nothing is.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --implicit-check-not=LDL --implicit-check-not=STL %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%six = type { float, float, float, i32, i32, i32 }
%wide = type { double, float, i32 }
%odd = type { i8, i16, i8 }
%thirteen = type { [13 x i32] }

; Six words, from R4 on; what is behind them follows.
; CHECK-LABEL: function first:
; CHECK-SAME: frame 0
; CHECK: FADD R4, R4, R10
define float @first(ptr byval(%six) align 4 %s, float %by) noinline {
  %x = load float, ptr %s, align 4
  %r = fadd float %x, %by
  ret float %r
}

; The callee's copy is its own: changed and passed on, in place.
; CHECK-LABEL: function changed:
; CHECK-SAME: frame 0
; CHECK: FADD R4, R4, R6
; CHECK-NEXT: CALL {{.*}}first
define float @changed(ptr byval(%six) align 4 %s, float %by) noinline {
  %x = load float, ptr %s, align 4
  %p = getelementptr i8, ptr %s, i64 8
  %z = load float, ptr %p, align 4
  %y = fadd float %x, %z
  store float %y, ptr %s, align 4
  %r = tail call float @first(ptr byval(%six) align 4 %s, float %by)
  ret float %r
}

; Alignment: a pair from R6 on, behind a number in R4. The last scalar takes R10.
; CHECK-LABEL: function aligned:
; CHECK: DADD R4, R6, 
define double @aligned(i32 %n, ptr byval(%wide) align 8 %w, float %f) noinline {
  %d = load double, ptr %w, align 8
  %g = fpext float %f to double
  %r = fadd double %d, %g
  ret double %r
}

; Bytes and halves share their words: R4 and R5.
; CHECK-LABEL: function packed:
; CHECK-SAME: frame 0
define i32 @packed(ptr byval(%odd) align 2 %o, i32 %by) noinline {
  %p = getelementptr i8, ptr %o, i64 4
  %c = load i8, ptr %p, align 2
  %d = sext i8 %c to i32
  %r = mul i32 %d, %by
  ret i32 %r
}

; Halves and bytes of a word, each read for itself, and one that was stored: shifted out of R4, R5 and R6.
; CHECK-LABEL: function pieces:
; CHECK-SAME: frame 0
; CHECK-DAG: SHR.U32 {{R[0-9]+}}, R4, 0x10
; CHECK-DAG: PRMT {{R[0-9]+}}, R5{{(.reuse)?}}, 0x4441, RZ
; CHECK-DAG: SHR.U32 {{R[0-9]+}}, R5, 0x10
; CHECK-DAG: LOP3 {{R[0-9]+}}, R6, 0xff
define i32 @pieces(ptr byval(%six) align 4 %s, i32 %by) noinline {
  %b = trunc i32 %by to i8
  %p2 = getelementptr i8, ptr %s, i64 2
  %p5 = getelementptr i8, ptr %s, i64 5
  %p6 = getelementptr i8, ptr %s, i64 6
  %p9 = getelementptr i8, ptr %s, i64 9
  %h = load i16, ptr %p2, align 2
  %c = load i8, ptr %p5, align 1
  %g = load i16, ptr %p6, align 2
  store i8 %b, ptr %p9, align 1
  %p8 = getelementptr i8, ptr %s, i64 8
  %w = load i8, ptr %p8, align 4
  %v = load i8, ptr %p9, align 1
  %h1 = zext i16 %h to i32
  %c1 = zext i8 %c to i32
  %g1 = zext i16 %g to i32
  %w1 = zext i8 %w to i32
  %v1 = zext i8 %v to i32
  %r1 = mul i32 %h1, %c1
  %r2 = mul i32 %r1, %g1
  %r3 = mul i32 %r2, %w1
  %r4 = add i32 %r3, %v1
  ret i32 %r4
}

; Thirteen words do not fit: on the stack. The number behind them is in R4 still.
; CHECK-LABEL: function last:
; CHECK-SAME: frame 0
; CHECK: LDL [[V:R[0-9]+]], [R1+0x30]
; CHECK: IADD3 R4, {{.*}}R4
define i32 @last(ptr byval(%thirteen) align 4 %t, i32 %by) noinline {
  %p = getelementptr i8, ptr %t, i64 48
  %x = load i32, ptr %p, align 4
  %r = add i32 %x, %by
  ret i32 %r
}

; A place known at run time only: 24 bytes of the callee's own, stored and read.
; CHECK-LABEL: function somewhere:
; CHECK-SAME: frame 24
; CHECK-COUNT-3: STL.64
; CHECK: LDL R4, [R0]
define i32 @somewhere(ptr byval(%six) align 4 %s, i32 %i) noinline {
  %k = sext i32 %i to i64
  %p = getelementptr [6 x i32], ptr %s, i64 0, i64 %k
  %r = load i32, ptr %p, align 4
  ret i32 %r
}

; A temporary becomes registers, in the caller, too.
; CHECK-LABEL: kernel small:
; CHECK-SAME: frame 0
; CHECK: CALL {{.*}}changed
define void @small(ptr addrspace(1) %out, float %x, i32 %i) {
  %s = alloca %six, align 4
  store float %x, ptr %s, align 4
  %p1 = getelementptr i8, ptr %s, i64 4
  store float 1.0, ptr %p1, align 4
  %p2 = getelementptr i8, ptr %s, i64 8
  store float 2.0, ptr %p2, align 4
  %p3 = getelementptr i8, ptr %s, i64 12
  store i32 %i, ptr %p3, align 4
  %p4 = getelementptr i8, ptr %s, i64 16
  store i64 5, ptr %p4, align 4
  %r = call float @changed(ptr byval(%six) align 4 %s, float %x)
  store float %r, ptr addrspace(1) %out
  ret void
}

; On the stack, it is stored where it is passed and nowhere else: 13 words in four stores.
; CHECK-LABEL: kernel large:
; CHECK-SAME: frame 64
; CHECK-COUNT-3: STL.128
; CHECK: STL [R1+0x30]
; CHECK: CALL {{.*}}last
define void @large(ptr addrspace(1) %out, i32 %x) {
  %t = alloca %thirteen, align 4
  call void @llvm.memset.p0.i64(ptr align 4 %t, i8 0, i64 52, i1 false)
  %p = getelementptr i8, ptr %t, i64 48
  store i32 %x, ptr %p, align 4
  %r = call i32 @last(ptr byval(%thirteen) align 4 %t, i32 %x)
  store i32 %r, ptr addrspace(1) %out
  ret void
}

; A kernel's own parameter, changed: words of the constant bank, and one that is computed.
; CHECK-LABEL: kernel given:
; CHECK-SAME: frame 0
; CHECK: CALL {{.*}}first
define void @given(ptr addrspace(1) %out, ptr byval(%six) align 4 %s, float %by) {
  %x = load float, ptr %s, align 4
  %y = fadd float %x, %by
  store float %y, ptr %s, align 4
  %r = call float @first(ptr byval(%six) align 4 %s, float %by)
  store float %r, ptr addrspace(1) %out
  ret void
}

; Through a pointer: the same convention.
; CHECK-LABEL: kernel indirect:
; CHECK-SAME: frame 0
; CHECK: CALLI
define void @indirect(ptr addrspace(1) %out, ptr byval(%six) align 4 %s, ptr %f) {
  %r = call float %f(ptr byval(%six) align 4 %s, float 3.0)
  store float %r, ptr addrspace(1) %out
  ret void
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @small, !"kernel", i32 1}
!1 = !{ptr @large, !"kernel", i32 1}
!2 = !{ptr @given, !"kernel", i32 1}
!3 = !{ptr @indirect, !"kernel", i32 1}
