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

; CHECK-LABEL: kernel kinds
; CHECK: LDG.64
define void @kinds(i64 %object, ptr %to) {
  %t = call i1 @llvm.nvvm.istypep.texture(i64 %object)
  %s = call i1 @llvm.nvvm.istypep.surface(i64 %object)
  %p = call i1 @llvm.nvvm.istypep.sampler(i64 %object)
  %a = select i1 %t, i32 1, i32 2
  %b = select i1 %s, i32 4, i32 %a
  %c = select i1 %p, i32 8, i32 %b
  store i32 %c, ptr %to
  ret void
}

; The variable holds the handle, whose first field is its width.
; CHECK-LABEL: kernel handles
; CHECK: lo(texture)
; CHECK: LDG.64
; CHECK: IADD3 R{{.*}}, 0x20,
; CHECK: LDG R
; CHECK: STG.VOLATILE
; CHECK: LDG.64 R[[#HANDLE:]],
; CHECK: STG.64.VOLATILE [{{.*}}], R[[#HANDLE]]
define void @handles(ptr %to) {
  %h = call i64 @llvm.nvvm.texsurf.handle.p1(metadata ptr addrspace(1) @texture, ptr addrspace(1) @texture)
  %w = call i32 @llvm.nvvm.txq.width(i64 %h)
  store volatile i32 %w, ptr %to
  %i = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @texture)
  store volatile i64 %i, ptr %to
  ret void
}

@texture = addrspace(1) global i64 0, align 8
declare i1 @llvm.nvvm.istypep.texture(i64)
declare i1 @llvm.nvvm.istypep.surface(i64)
declare i1 @llvm.nvvm.istypep.sampler(i64)
declare i64 @llvm.nvvm.texsurf.handle.p1(metadata, ptr addrspace(1))
declare i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1))
declare i16 @llvm.nvvm.suld.1d.i8.clamp(i64, i32)
declare void @llvm.nvvm.sust.b.1d.i16.zero(i64, i32, i16)
declare { i32, i32 } @llvm.nvvm.suld.2d.array.v2i32.trap(i64, i32, i32, i32)
declare void @llvm.nvvm.sust.b.3d.v4i32.trap(i64, i32, i32, i32, i32, i32, i32, i32)
declare void @llvm.nvvm.sust.p.2d.i32.trap(i64, i32, i32, i32)
declare i32 @llvm.nvvm.txq.width(i64)
declare i32 @llvm.nvvm.suq.height(i64)
declare i32 @llvm.nvvm.txq.num.mipmap.levels(i64)

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6}
!0 = !{ptr @one, !"kernel", i32 1}
!1 = !{ptr @layers, !"kernel", i32 1}
!2 = !{ptr @formatted, !"kernel", i32 1}
!3 = !{ptr @questions, !"kernel", i32 1}
!4 = !{ptr @kinds, !"kernel", i32 1}
!5 = !{ptr @handles, !"kernel", i32 1}
!6 = !{ptr addrspace(1) @texture, !"texture", i32 1}
