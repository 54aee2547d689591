; A remark at the call with which the deepest chain begins and one for each kernel, for people and for tools.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<remarks=all>' -disable-output -pass-remarks-analysis=heddle-stackdepth \
; RUN:     -pass-remarks-output=%t.yaml -pass-remarks-filter=heddle-stackdepth %s 2>&1 | %FileCheck %s
; RUN: %FileCheck --check-prefix=YAML %s < %t.yaml

; CHECK: remark: k.cu:3:0: kernel k: registers {{[0-9]+}}, FRU [[#K:]], MaxStackDepth [[#]], watermarks Low [[#]] High [[#]], chain k -> f
; CHECK: remark: k.cu:4:7: deepest chain of calls, [[#]] registers: k FRU [[#]] -> f (k.cu:4) FRU 1
; CHECK-NOT: remark

; YAML:      DebugLoc: { File: k.cu, Line: 3, Column: 0 }
; YAML-NEXT: Function: k
; YAML:      Chain: 'k -> f'
; YAML:      Name: DeepestChain
; YAML-NEXT: DebugLoc: { File: k.cu, Line: 4, Column: 7 }
; YAML-NEXT: Function: k
; YAML:      Callee: f

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @f(i32 %x) {
  ret i32 %x
}

define void @k(ptr addrspace(1) %out, i32 %x) !dbg !4 {
  %a = call i32 @f(i32 %x), !dbg !5
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
!4 = distinct !DISubprogram(name: "k", file: !2, line: 3, type: !3, scopeLine: 3, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 4, column: 7, scope: !4)
!6 = !{ptr @k, !"kernel", i32 1}
