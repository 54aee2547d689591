; Approximations without .ftz take denormal operands and give denormal results, which MUFU does not: operand and result are
; scaled under a predicate, three instructions more. With .ftz, and without the step, MUFU stands alone. An operand that is
; read again is copied first. Sine and cosine of one angle share its turns. Quotients have one limit, two in the
; full range, none where the divisor is known to be in it.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=scaled-specials>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:     function power:
; CHECK:           FSETP.GEU.AND [[P:P[0-9]]], [[X:R[0-9]+]].reuse, -126
; CHECK:           @![[P]] FMUL [[X]], [[X]], 0.5
; CHECK:           MUFU.EX2.FTZ [[Y:R[0-9]+]], [[X]]
; CHECK:           @![[P]] FMUL [[Y]], [[Y]]{{.*}}, [[Y]]
; CHECK-NOT:       MOV
; CHECK:           RET
; CHECK-LABEL:     function logarithm:
; CHECK:           FSETP.GEU.AND [[P:P[0-9]]], |[[X:R[0-9]+]].reuse|, 1.17549
; CHECK:           @![[P]] FMUL [[X]], [[X]], 16777216
; CHECK:           MUFU.LG2.FTZ [[Y:R[0-9]+]], [[X]]
; CHECK:           @![[P]] FADD [[Y]], [[Y]], -24
; CHECK-LABEL:     function inverse_root:
; CHECK:           @![[P:P[0-9]]] FMUL
; CHECK:           MUFU.RSQ.FTZ [[Y:R[0-9]+]]
; CHECK:           @![[P]] FMUL [[Y]], [[Y]], 4096
; CHECK-LABEL:     function root_and_itself:
; CHECK:           @![[P:P[0-9]]] FMUL [[X:R[0-9]+]], [[X]], 16777216
; CHECK:           MUFU.SQRT.FTZ [[Y:R[0-9]+]], [[X]]
; CHECK:           @![[P]] FMUL [[Y]], [[Y]], 0.00024414062
; CHECK-LABEL:     function flushed:
; CHECK-NOT:       FSETP
; CHECK:           MUFU.EX2.FTZ
; CHECK-LABEL:     function both:
; CHECK:           FMUL.RZ [[T:R[0-9]+]], R{{[0-9]+}}, 0.159154
; CHECK-NOT:       FMUL.RZ
; CHECK-DAG:       MUFU.SIN {{R[0-9]+}}, [[T]]
; CHECK-DAG:       MUFU.COS {{R[0-9]+}}, [[T]]
; CHECK-LABEL:     function quotient:
; CHECK:           FSETP.GEU.AND [[P:P[0-9]]], |[[X:R[0-9]+]]
; CHECK-NEXT:      @![[P]] FMUL [[X]], [[X]], 16777216
; CHECK-NEXT:      MUFU.RCP.FTZ [[Y:R[0-9]+]], [[X]]
; CHECK-NEXT:      FMUL [[Z:R[0-9]+]], {{.*}}[[Y]]
; CHECK-NEXT:      @![[P]] FMUL [[Z]], [[Z]], 16777216
; CHECK-LABEL:     function full_quotient:
; CHECK-COUNT-2:   FSETP
; CHECK:           MUFU.RCP.FTZ
; CHECK-LABEL:     function marked_twice:
; CHECK:           FSETP.GEU.AND [[P:P[0-9]]]
; CHECK:           MUFU.RCP.FTZ
; CHECK:           @![[P]] FMUL [[Z:R[0-9]+]], [[Z]], 16777216
; CHECK-LABEL:     function full_in_range:
; CHECK-NOT:       FSETP
; CHECK:           MUFU.RCP.FTZ
; CHECK-NOT:       FSETP
; CHECK:           RET
; CHECK-LABEL:     function known:
; CHECK-NOT:       {{MUFU|FMUL|F2I}}
; CHECK:           IMAD R4, R4, 0x8, R4
; CHECK-NOT:       {{MUFU|FMUL|F2I}}
; CHECK:           RET
; WITHOUT-LABEL:   function power:
; WITHOUT-NOT:     {{FSETP|FMUL}}
; WITHOUT:         MUFU.EX2 R

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare float @llvm.nvvm.lg2.approx.f(float)
declare float @llvm.nvvm.rsqrt.approx.f(float)
declare float @llvm.nvvm.sqrt.approx.f(float)
declare float @llvm.nvvm.sin.approx.f(float)
declare float @llvm.nvvm.cos.approx.f(float)
declare float @llvm.nvvm.div.approx.f(float, float)
declare float @llvm.nvvm.div.full(float, float)

define float @power(float %x) {
  %y = call float @llvm.nvvm.ex2.approx.f(float %x)
  ret float %y
}

define float @logarithm(float %x) {
  %y = call float @llvm.nvvm.lg2.approx.f(float %x)
  ret float %y
}

define float @inverse_root(float %x) {
  %y = call float @llvm.nvvm.rsqrt.approx.f(float %x)
  ret float %y
}

define float @root_and_itself(float %x) {
  %y = call float @llvm.nvvm.sqrt.approx.f(float %x)
  %sum = fadd float %x, %y
  ret float %sum
}

define float @flushed(float %x) {
  %y = call float @llvm.nvvm.ex2.approx.ftz.f(float %x)
  ret float %y
}

define float @both(float %x) {
  %sine = call float @llvm.nvvm.sin.approx.f(float %x)
  %cosine = call float @llvm.nvvm.cos.approx.f(float %x)
  %sum = fadd float %sine, %cosine
  ret float %sum
}

define float @quotient(float %x, float %y) {
  %z = call float @llvm.nvvm.div.approx.f(float %x, float %y)
  ret float %z
}

define float @full_quotient(float %x, float %y) {
  %z = call float @llvm.nvvm.div.full(float %x, float %y)
  ret float %z
}
; As -prec-div=false with -ffast-math makes them: an approximation, with one limit.
define float @marked_twice(float %x, float %y) {
  %z = fdiv afn float %x, %y, !fpmath !0
  ret float %z
}
define float @full_in_range(float %x) {
  %z = fdiv float %x, 3.0, !fpmath !0
  ret float %z
}

; 8 = 2^(3 log2 2), times x, and x.
define i32 @known(i32 %x) {
  %one = call float @llvm.nvvm.lg2.approx.f(float 2.0)
  %three = fmul float %one, 3.0
  %eight = call float @llvm.nvvm.ex2.approx.f(float %three)
  %n = fptosi float %eight to i32
  %product = mul i32 %x, %n
  %sum = add i32 %product, %x
  ret i32 %sum
}

!0 = !{float 2.0}
