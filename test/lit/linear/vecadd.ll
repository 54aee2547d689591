; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-linear>' -disable-output %s 2>&1 | %FileCheck %s
;
; The linear version of a vector sum (R2D2, Figure 9): coefficients by one thread, 4 * tid.x by one block, one
; instruction a block-index part for both linear registers, and a main stream without index arithmetic.
;
; CHECK: linear version of add: registers {{[0-9]+}}, linear 2, thread-index 2, coefficient 5, conditions 1
; CHECK: %lr0 = %tr0 + %br0
; CHECK: %lr1 = %tr1 + %br1
; CHECK: coefficients{{$}}
; CHECK-NOT: MOV R1, c
; CHECK-NOT: R2CR RZ
; CHECK: R2CR
; CHECK: EXIT
; CHECK: thread-index parts{{$}}
; CHECK: S2R [[T:R[0-9]+]], SR_TID.X
; CHECK: IMAD.WIDE [[FOUR:R[0-9]+]], [[T]]{{(.reuse)?}}, 0x4, RZ
; CHECK: R2TR [[FOUR]], 0x0
; CHECK: EXIT
; CHECK: block-index parts{{$}}
; CHECK: S2R [[B:R[0-9]+]], SR_CTAID.X
; CHECK: IMAD.WIDE.U32 {{R[0-9]+}}, [[B]]{{(.reuse)?}}, %cr3.br, {{R[0-9]+}}
; CHECK: R2BR
; CHECK: EXIT
; CHECK: main{{$}}
; CHECK-NOT: S2R
; CHECK: ISETP.LT.AND P0, %lr1, c[0x0][0x170], PT
; CHECK: LDG {{R[0-9]+}}, [%lr0]
; CHECK: LDG {{R[0-9]+}}, [%lr0+%cr0]
; CHECK: STG [%lr0+%cr0], {{R[0-9]+}}
; CHECK: EXIT
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define void @add(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %m = mul i32 %c, %d
  %i = add i32 %m, %t
  %p = icmp slt i32 %i, %n
  br i1 %p, label %go, label %end
go:
  %w = sext i32 %i to i64
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %w
  %pb = getelementptr float, ptr addrspace(1) %b, i64 %w
  %x = load float, ptr addrspace(1) %pa
  %y = load float, ptr addrspace(1) %pb
  %z = fadd float %x, %y
  store float %z, ptr addrspace(1) %pb
  br label %end
end:
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @add, !"kernel", i32 1}
