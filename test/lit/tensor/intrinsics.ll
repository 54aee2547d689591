; Products of matrices and their loads as LLVM's intrinsics.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;dump=prune>' -disable-output %s 2>&1 | %FileCheck %s
; CHECK: v[[M:[0-9]+]]:4 = LDSM.MT88.128
; CHECK: HMMA_16816.F32 v{{[0-9]+}}:4, v{{[0-9]+}}:2, v{{[0-9]+}}:4
; CHECK: v{{[0-9]+}}:2 = HMMA_1688.F16 v{{[0-9]+}}:2, v{{[0-9]+}}, v{{[0-9]+}}:2
; CHECK: IMMA_8816.U8.S8.SAT v{{[0-9]+}}, v[[M]].3, v{{[0-9]+}}:2
; CHECK: HMMA_1688_TF32 v{{[0-9]+}}:4, v{{[0-9]+}}:2, v{{[0-9]+}}:4

; An older processor has none of the first of them.
; RUN: sed -e s/sm_80/sm_75/ %s > %t.ll && %not %opt -load-pass-plugin=%plugin -passes=heddle -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=OLD %s
; OLD: intrinsic llvm.nvvm.mma.m16n8k16.row.col.f32.f32: this shape and type is sm_80's
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare {float,float,float,float} @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>,<2 x half>,<2 x half>,<2 x half>,<2 x half>,<2 x half>,float,float,float,float)
declare {<2 x half>,<2 x half>} @llvm.nvvm.mma.m16n8k8.row.col.f16.f16(<2 x half>,<2 x half>,<2 x half>,<2 x half>,<2 x half>)
declare {i32,i32} @llvm.nvvm.mma.m8n8k16.row.col.satfinite.u8.s8(i32,i32,i32,i32)
declare {float,float,float,float} @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32,i32,i32,i32,i32,i32,float,float,float,float)
declare {i32,i32,i32,i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3))
define void @k(ptr addrspace(1) %o, ptr addrspace(3) %s, <2 x half> %h, float %f, i32 %i) #0 {
  %m = call {i32,i32,i32,i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %s)
  %w = extractvalue {i32,i32,i32,i32} %m, 3
  %v = bitcast i32 %w to <2 x half>
  %a = call {float,float,float,float} @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %v,<2 x half> %h,<2 x half> %h,<2 x half> %h,<2 x half> %h,<2 x half> %h,float %f,float %f,float %f,float %f)
  %x = extractvalue {float,float,float,float} %a, 2
  %b = call {<2 x half>,<2 x half>} @llvm.nvvm.mma.m16n8k8.row.col.f16.f16(<2 x half> %v,<2 x half> %h,<2 x half> %h,<2 x half> %h,<2 x half> %h)
  %y = extractvalue {<2 x half>,<2 x half>} %b, 1
  %c = call {i32,i32} @llvm.nvvm.mma.m8n8k16.row.col.satfinite.u8.s8(i32 %i,i32 %w,i32 %i,i32 %i)
  %z = extractvalue {i32,i32} %c, 0
  %d = call {float,float,float,float} @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %i,i32 %i,i32 %w,i32 %i,i32 %i,i32 %i,float %x,float %f,float %f,float %f)
  %t = extractvalue {float,float,float,float} %d, 3
  store float %t, ptr addrspace(1) %o
  %p = getelementptr i32, ptr addrspace(1) %o, i32 1
  store i32 %z, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %o, i32 2
  store <2 x half> %y, ptr addrspace(1) %q
  ret void
}
attributes #0 = { "target-cpu"="sm_80" }
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
