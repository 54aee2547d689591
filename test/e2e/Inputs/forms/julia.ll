target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; A kernel of CUDA.jl: its state first, an array as a struct (pointer, bytes, size, length), indices from one, an error that ends
; the thread.
@exception = private unnamed_addr constant [12 x i8] c"BoundsError\00"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define internal fastcc void @julia_throw_boundserror_123() noinline noreturn {
  tail call void asm sideeffect "exit;", ""()
  unreachable
}

define ptx_kernel void @"_Z6square13CuDeviceArrayI7Float32Ll1ELl1EE"({ i64, i32 } %state, { ptr addrspace(1), i64, [1 x i64], i64 } %0) {
entry:
  %base = extractvalue { ptr addrspace(1), i64, [1 x i64], i64 } %0, 0
  %length = extractvalue { ptr addrspace(1), i64, [1 x i64], i64 } %0, 3
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !range !0
  %wide = zext i32 %tid to i64
  %index = add nuw nsw i64 %wide, 1
  %inside = icmp ule i64 %index, %length
  br i1 %inside, label %good, label %bad

bad:
  call fastcc void @julia_throw_boundserror_123()
  unreachable

good:
  %shifted = add nsw i64 %index, -1
  %at = getelementptr inbounds float, ptr addrspace(1) %base, i64 %shifted
  %value = load float, ptr addrspace(1) %at, align 4
  %product = fmul float %value, %value
  store float %product, ptr addrspace(1) %at, align 4
  ret void
}

!0 = !{i32 0, i32 1024}
