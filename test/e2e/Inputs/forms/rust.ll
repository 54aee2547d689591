source_filename = "kernels.0123456789abcdef-cgu.0"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; #[no_mangle] pub unsafe extern "ptx-kernel" fn shift(a: *mut f32, by: f32, more: Pair), where a Pair is two f32
define ptx_kernel void @shift(ptr noundef captures(none) %a, float noundef %by, [2 x i32] %0) unnamed_addr #0 {
start:
  %tid = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr inbounds nuw float, ptr %a, i32 %tid
  %x = extractvalue [2 x i32] %0, 0
  %more.x = bitcast i32 %x to float
  %y = extractvalue [2 x i32] %0, 1
  %more.y = bitcast i32 %y to float
  %old = load float, ptr %at, align 4, !noundef !1
  %one = fadd float %old, %by
  %two = fadd float %one, %more.x
  %sum = fadd float %two, %more.y
  store float %sum, ptr %at, align 4
  ret void
}

declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() unnamed_addr #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "target-cpu"="sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{}
