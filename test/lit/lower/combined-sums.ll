; An addend that is a shift or the upper word of a product is part of the sum's instruction: LEA, LEA.HI, IMAD.HI. A shift
; in two sums is part of both. Divisions by constants are made of these: with the smallest multiplier and shift.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=combined-sums>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:   function left
; CHECK-NOT:     SHL
; CHECK:         LEA {{.*}}, 0x5
; CHECK:         LEA {{.*}}, 0x5
; CHECK-NOT:     SHL
; CHECK-LABEL:   function right
; CHECK-NOT:     SHR
; CHECK:         LEA.HI R4, R4, R5, RZ, 0x19
; CHECK-LABEL:   function product
; CHECK:         IMAD.HI.U32 R4, R4, R5, R6
; CHECK-NEXT:    RET
; CHECK-LABEL:   function third
; CHECK:         IMAD.HI R0, R4.reuse, 0x55555556, RZ
; CHECK-NEXT:    LEA.HI R4, R4, R0, RZ, 0x1
; CHECK-NEXT:    RET
; CHECK-LABEL:   function seventh
; CHECK:         IMAD.HI R0, R4, 0x92492493, R4
; CHECK-NEXT:    SHR R0, R0, 0x2
; CHECK-NEXT:    LEA.HI R4, R4, R0, RZ, 0x1
; CHECK-NEXT:    RET
; WITHOUT-LABEL: function left
; WITHOUT:       SHL
; WITHOUT-LABEL: function right
; WITHOUT:       SHR.U32
; WITHOUT-LABEL: function product
; WITHOUT:       IADD3
; WITHOUT-LABEL: function third
; WITHOUT:       SHR.U32

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.mulhi.ui(i32, i32)

define i32 @left(i32 %x, i32 %y, i32 %z) {
  %shifted = shl i32 %x, 5
  %a = add i32 %shifted, %y
  %b = add i32 %shifted, %z
  %r = mul i32 %a, %b
  ret i32 %r
}

define i32 @right(i32 %x, i32 %y) {
  %shifted = lshr i32 %x, 7
  %r = add i32 %shifted, %y
  ret i32 %r
}

define i32 @product(i32 %x, i32 %y, i32 %z) {
  %high = call i32 @llvm.nvvm.mulhi.ui(i32 %x, i32 %y)
  %r = add i32 %high, %z
  ret i32 %r
}

define i32 @third(i32 %x) {
  %r = sdiv i32 %x, 3
  ret i32 %r
}

define i32 @seventh(i32 %x) {
  %r = sdiv i32 %x, 7
  ret i32 %r
}
