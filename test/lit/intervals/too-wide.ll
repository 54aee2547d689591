; One instruction that needs more registers than an interval may have is an error with its place: a store of 128 bits
; through a 64-bit address takes four and two.
; RUN: %not %opt -load-pass-plugin=%plugin -passes='print<heddle-intervals;interval-regs=5>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<interval-regs=5>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-intervals;interval-regs=6>' -disable-output %s 2>&1 | %FileCheck --check-prefix=SIX %s

; CHECK: k.cu:5:3: error: 'k': the instruction at pc 0x{{[0-9a-f]+}}, STG.128 {{.*}}, needs 6 registers; a register-interval may have 5 (interval-regs=)
; SIX: kernel k: up to 6 registers

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) !dbg !4 {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !5
  %p = getelementptr <4 x i32>, ptr addrspace(1) %in, i32 %i, !dbg !5
  %v = load <4 x i32>, ptr addrspace(1) %p, align 16, !dbg !5
  %q = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %i, !dbg !6
  store <4 x i32> %v, ptr addrspace(1) %q, align 16, !dbg !6
  ret void, !dbg !6
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!nvvm.annotations = !{!7}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "k.cu", directory: "")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", file: !2, line: 3, type: !3, scopeLine: 3, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 4, column: 7, scope: !4)
!6 = !DILocation(line: 5, column: 3, scope: !4)
!7 = !{ptr @k, !"kernel", i32 1}
