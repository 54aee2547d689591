; LLVM's intrinsics for surfaces, and for what textures and surfaces say of themselves, are the PTX of those names.
; RUN: %opt -load-pass-plugin=%plugin '-passes=heddle<o=%t>' -disable-output %s && %heddle dis %t.hdo | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel one
; CHECK: LDG.U8
; CHECK: STG.U16
define void @one(i64 %from, i64 %to, i32 %x) {
  %a = call i16 @llvm.nvvm.suld.1d.i8.clamp(i64 %from, i32 %x)
  call void @llvm.nvvm.sust.b.1d.i16.zero(i64 %to, i32 %x, i16 %a)
  ret void
}

; CHECK-LABEL: kernel layers
; CHECK: LDG.64
; CHECK: STG.128
define void @layers(i64 %from, i64 %to, i32 %layer, i32 %x, i32 %y) {
  %a = call { i32, i32 } @llvm.nvvm.suld.2d.array.v2i32.trap(i64 %from, i32 %layer, i32 %x, i32 %y)
  %p = extractvalue { i32, i32 } %a, 0
  %q = extractvalue { i32, i32 } %a, 1
  call void @llvm.nvvm.sust.b.3d.v4i32.trap(i64 %to, i32 %x, i32 %y, i32 %layer, i32 %p, i32 %q, i32 %p, i32 %q)
  ret void
}

; CHECK-LABEL: kernel formatted
define void @formatted(i64 %to, i32 %x, i32 %y, i32 %a) {
  call void @llvm.nvvm.sust.p.2d.i32.trap(i64 %to, i32 %x, i32 %y, i32 %a)
  ret void
}

; CHECK-LABEL: kernel questions
; CHECK-COUNT-3: LDG R
define void @questions(i64 %texture, i64 %surface, ptr %to) {
  %w = call i32 @llvm.nvvm.txq.width(i64 %texture)
  %h = call i32 @llvm.nvvm.suq.height(i64 %surface)
  %n = call i32 @llvm.nvvm.txq.num.mipmap.levels(i64 %texture)
  %s = add i32 %w, %h
  %t = add i32 %s, %n
  store i32 %t, ptr %to
  ret void
}

declare i16 @llvm.nvvm.suld.1d.i8.clamp(i64, i32)
declare void @llvm.nvvm.sust.b.1d.i16.zero(i64, i32, i16)
declare { i32, i32 } @llvm.nvvm.suld.2d.array.v2i32.trap(i64, i32, i32, i32)
declare void @llvm.nvvm.sust.b.3d.v4i32.trap(i64, i32, i32, i32, i32, i32, i32, i32)
declare void @llvm.nvvm.sust.p.2d.i32.trap(i64, i32, i32, i32)
declare i32 @llvm.nvvm.txq.width(i64)
declare i32 @llvm.nvvm.suq.height(i64)
declare i32 @llvm.nvvm.txq.num.mipmap.levels(i64)

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @one, !"kernel", i32 1}
!1 = !{ptr @layers, !"kernel", i32 1}
!2 = !{ptr @formatted, !"kernel", i32 1}
!3 = !{ptr @questions, !"kernel", i32 1}
