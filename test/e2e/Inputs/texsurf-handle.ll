; The two forms in which a texture or surface by reference becomes an object: what its variable holds.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@texture = addrspace(1) global i64 12345678901, align 8
@surface = addrspace(1) global i64 77, align 8

define void @handles(ptr %to) {
  %t = call i64 @llvm.nvvm.texsurf.handle.p1(metadata ptr addrspace(1) @texture, ptr addrspace(1) @texture)
  store i64 %t, ptr %to
  %s = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @surface)
  %next = getelementptr i64, ptr %to, i32 1
  store i64 %s, ptr %next
  ret void
}

declare i64 @llvm.nvvm.texsurf.handle.p1(metadata, ptr addrspace(1))
declare i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1))

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @handles, !"kernel", i32 1}
!1 = !{ptr addrspace(1) @texture, !"texture", i32 1}
!2 = !{ptr addrspace(1) @surface, !"surface", i32 1}
