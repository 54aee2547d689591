; clang lists what host code names in an order that differs from run to run: here it is that of the names.
; RUN: %opt -load-pass-plugin=%plugin -passes='default<O1>' -S -o - %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"
; CHECK: @__clang_gpu_used_external = internal global [3 x ptr] [ptr @a, ptr addrspacecast (ptr addrspace(1) @b to ptr), ptr @c]
@b = addrspace(1) externally_initialized global i32 0
@__clang_gpu_used_external = internal global [3 x ptr] [ptr @c, ptr @a, ptr addrspacecast (ptr addrspace(1) @b to ptr)]
@llvm.compiler.used = appending global [1 x ptr] [ptr @__clang_gpu_used_external], section "llvm.metadata"
define void @c() {
  ret void
}
define void @a() {
  ret void
}
