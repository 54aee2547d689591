; Products of halves of bytes and of bits as LLVM's intrinsics: each name is one instruction of its shape, with the
; signs, the saturation and the operation that the name has. What these compute: e2e/tensor.test.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;dump=prune>' -disable-output %s 2>&1 | %FileCheck %s
; CHECK: IMMA_8816.U8.U8.NIBBLES v{{[0-9]+}}, v{{[0-9]+}}, v{{[0-9]+}}:2
; CHECK: IMMA_8816.S8.U8.SAT.NIBBLES v{{[0-9.]+}}, v{{[0-9]+}}, v{{[0-9]+}}:2
; CHECK: IMMA_16816.U8.S8.NIBBLES v{{[0-9]+}}:2, v{{[0-9]+}}, v{{[0-9]+}}:4
; CHECK: IMMA_16832.S8.S8.SAT.NIBBLES v{{[0-9]+}}:4, v{{[0-9]+}}:2, v{{[0-9]+}}:4
; CHECK: IMMA_8816.{{.*}}XOR v{{[0-9.]+}}, v{{[0-9]+}}, v{{[0-9]+}}:2
; CHECK: IMMA_16816.{{.*}}AND v{{[0-9]+}}:2, v{{[0-9]+}}, v{{[0-9]+}}:4
; CHECK: IMMA_16832.{{.*}}XOR v{{[0-9]+}}:4, v{{[0-9]+}}:2, v{{[0-9]+}}:4

; An older processor has the small shapes, but .and.popc.
; RUN: sed -e s/sm_80/sm_75/ %s > %t.ll && %not %opt -load-pass-plugin=%plugin -passes=heddle -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=OLD %s
; OLD-NOT: m8n8k32
; OLD: intrinsic llvm.nvvm.mma.m16n8k32.row.col.u4.s4: this shape and type is sm_80's
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare {i32,i32} @llvm.nvvm.mma.m8n8k32.row.col.u4(i32,i32,i32,i32)
declare {i32,i32} @llvm.nvvm.mma.m8n8k32.row.col.satfinite.s4.u4(i32,i32,i32,i32)
declare {i32,i32,i32,i32} @llvm.nvvm.mma.m16n8k32.row.col.u4.s4(i32,i32,i32,i32,i32,i32,i32)
declare {i32,i32,i32,i32} @llvm.nvvm.mma.m16n8k64.row.col.satfinite.s4(i32,i32,i32,i32,i32,i32,i32,i32,i32,i32)
declare {i32,i32} @llvm.nvvm.mma.xor.popc.m8n8k128.row.col.b1(i32,i32,i32,i32)
declare {i32,i32,i32,i32} @llvm.nvvm.mma.and.popc.m16n8k128.row.col.b1(i32,i32,i32,i32,i32,i32,i32)
declare {i32,i32,i32,i32} @llvm.nvvm.mma.xor.popc.m16n8k256.row.col.b1(i32,i32,i32,i32,i32,i32,i32,i32,i32,i32)
define void @k(ptr addrspace(1) %o, i32 %i) #0 {
  %a = call {i32,i32} @llvm.nvvm.mma.m8n8k32.row.col.u4(i32 %i,i32 %i,i32 %i,i32 %i)
  %x = extractvalue {i32,i32} %a, 1
  %b = call {i32,i32} @llvm.nvvm.mma.m8n8k32.row.col.satfinite.s4.u4(i32 %x,i32 %i,i32 %i,i32 %i)
  %y = extractvalue {i32,i32} %b, 0
  %c = call {i32,i32,i32,i32} @llvm.nvvm.mma.m16n8k32.row.col.u4.s4(i32 %y,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i)
  %z = extractvalue {i32,i32,i32,i32} %c, 3
  %d = call {i32,i32,i32,i32} @llvm.nvvm.mma.m16n8k64.row.col.satfinite.s4(i32 %z,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i)
  %u = extractvalue {i32,i32,i32,i32} %d, 2
  %e = call {i32,i32} @llvm.nvvm.mma.xor.popc.m8n8k128.row.col.b1(i32 %u,i32 %i,i32 %i,i32 %i)
  %v = extractvalue {i32,i32} %e, 1
  %f = call {i32,i32,i32,i32} @llvm.nvvm.mma.and.popc.m16n8k128.row.col.b1(i32 %v,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i)
  %w = extractvalue {i32,i32,i32,i32} %f, 0
  %g = call {i32,i32,i32,i32} @llvm.nvvm.mma.xor.popc.m16n8k256.row.col.b1(i32 %w,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i,i32 %i)
  %t = extractvalue {i32,i32,i32,i32} %g, 3
  store i32 %t, ptr addrspace(1) %o
  ret void
}
attributes #0 = { "target-cpu"="sm_80" }
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
