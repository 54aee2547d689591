; One byte of a word is one PRMT; of bits that are no byte, the shift and the mask stay, and so does a shift that is read
; elsewhere.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=byte-extracts>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:   function byte
; CHECK:         PRMT R4, R4, 0x4442, RZ
; CHECK-NEXT:    RET
; CHECK-LABEL:   function bits
; CHECK:         SHR.U32
; CHECK-NEXT:    LOP3
; CHECK-LABEL:   function shared
; CHECK:         SHR.U32
; CHECK:         LOP3
; WITHOUT-LABEL: function byte
; WITHOUT:       SHR.U32
; WITHOUT-NEXT:  LOP3

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @byte(i32 %x) {
  %s = lshr i32 %x, 16
  %r = and i32 %s, 255
  ret i32 %r
}

define i32 @bits(i32 %x) {
  %s = lshr i32 %x, 12
  %r = and i32 %s, 255
  ret i32 %r
}

define i32 @shared(i32 %x) {
  %s = lshr i32 %x, 8
  %low = and i32 %s, 255
  %r = mul i32 %s, %low
  ret i32 %r
}
