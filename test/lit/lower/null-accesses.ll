; clang aligns accesses through the null pointer by 2^32, which LLVM's C API says as 0: they are whole accesses all the
; same, scalars and vectors.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK-LABEL:   function null
; CHECK:         LD.VOLATILE R0, [RZ]
; CHECK:         ST.VOLATILE [RZ], R0
; CHECK:         ST.64.VOLATILE [RZ], R2
; CHECK:         LD.64.VOLATILE R2, [RZ]
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @null(<4 x i16> %four) {
  %word = load volatile i32, ptr null, align 4294967296
  store volatile i32 %word, ptr null, align 4294967296
  store volatile <4 x i16> %four, ptr null, align 4294967296
  %other = load volatile <4 x i16>, ptr null, align 4294967296
  store volatile <4 x i16> %other, ptr null, align 4294967296
  ret void
}
