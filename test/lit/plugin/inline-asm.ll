; RUN: rm -f %t.hdo %t.heddle.json
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<o=%t>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %not ls %t.hdo %t.heddle.json
; CHECK: k.cu:4:7: error: {{.*inline assembly}}
; CHECK: error: heddle stopped, nothing was written

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr addrspace(1) %out, i32 %x) !dbg !4 {
  %a = call i32 asm "vshl.u32.u32.u32.clamp $0, $1, $1, $1;", "=r,r"(i32 %x), !dbg !5
  store i32 %a, ptr addrspace(1) %out, !dbg !5
  ret void, !dbg !5
}

!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!nvvm.annotations = !{!6}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "k.cu", directory: "")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", file: !2, line: 3, type: !3, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 4, column: 7, scope: !4)
!6 = !{ptr @k, !"kernel", i32 1}
