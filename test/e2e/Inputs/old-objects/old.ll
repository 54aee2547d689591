; Compiled by Heddle of commit 51e59824^, of version 10, the last whose MUFU.SIN takes radians, with opt-19
; -load-pass-plugin=HeddlePasses.so '-passes=heddle<o=version10>'; version10.base64 is that object.
; version11.base64 is what Heddle of commit 2145f629^, the last of version 11, made of it.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @scale(ptr %to) {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr %to, i32 %id
  %value = load float, ptr %at
  %scaled = fmul float %value, 3.0
  store float %scaled, ptr %at
  ret void
}

define void @wave(ptr %to) {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr %to, i32 %id
  %value = load float, ptr %at
  %sine = call float @llvm.nvvm.sin.approx.f(float %value)
  store float %sine, ptr %at
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.sin.approx.f(float)

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @scale, !"kernel", i32 1}
!1 = !{ptr @wave, !"kernel", i32 1}
