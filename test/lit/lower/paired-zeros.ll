; Two registers of a pair are set to zero together, where neither is used in between; also the words of a wide zero.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=paired-zeros>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:   function wide
; CHECK-NEXT:    .B0:
; CHECK-NEXT:    IMAD.WIDE.U32 R4, RZ, RZ, RZ
; CHECK-NEXT:    RET
; CHECK-LABEL:   function sums
; CHECK-COUNT-1: IMAD.WIDE.U32 R{{[0-9]+}}, RZ, RZ, RZ
; CHECK:         LDG
; CHECK-LABEL:   function between
; CHECK:         CALL
; CHECK-NOT:     IMAD.WIDE
; WITHOUT-LABEL: function wide
; WITHOUT-NEXT:  .B0:
; WITHOUT-NEXT:  MOV R4, RZ
; WITHOUT-NEXT:  MOV R5, RZ

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i64 @wide() {
  ret i64 0
}

define float @sums(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [%n, %entry], [%j, %loop]
  %a = phi float [0.0, %entry], [%a1, %loop]
  %b = phi float [0.0, %entry], [%b1, %loop]
  %c = phi float [0.0, %entry], [%c1, %loop]
  %d = phi float [0.0, %entry], [%d1, %loop]
  %x = load volatile float, ptr addrspace(1) %p
  %a1 = fadd float %a, %x
  %b1 = fmul float %a, %b
  %c1 = fmul float %b, %c
  %d1 = fmul float %c, %d
  %j = add i32 %i, -1
  %more = icmp ne i32 %j, 0
  br i1 %more, label %loop, label %done
done:
  %e = fadd float %a, %b
  %f = fadd float %c, %d
  %r = fadd float %e, %f
  ret float %r
}

define internal i32 @one(i32 %x) noinline {
  %r = xor i32 %x, 255
  ret i32 %r
}

define i32 @between() {
  %a = call i32 @one(i32 0)
  %b = call i32 @one(i32 0)
  %r = sub i32 %a, %b
  ret i32 %r
}
