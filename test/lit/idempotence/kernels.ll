; Kernels that can be restarted and one for each cause that they cannot, with the place in the source.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-idempotence;check=1>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK:      kernel apart: idempotent{{$}}
; CHECK-NEXT: kernel together: not idempotent: store at [[#%.4x,]] (k.cu:21) may overwrite what is read at [[#%.4x,]] (k.cu:20){{$}}
; CHECK-NEXT: kernel in_place: not idempotent: store at {{[0-9a-f]+}} may overwrite what is read at {{[0-9a-f]+}}{{$}}
; CHECK-NEXT: kernel counts: not idempotent: atomic operation at {{[0-9a-f]+}}{{$}}
; CHECK-NEXT: kernel shared_only: idempotent{{$}}
; CHECK-NEXT: function put: idempotent{{$}}
; CHECK-NEXT: kernel by_call: not idempotent: store at put+{{[0-9a-f]+}} may overwrite what is read at {{[0-9a-f]+}}{{$}}
; CHECK-NEXT: kernel says: not idempotent: output or allocation at {{[0-9a-f]+}}{{$}}
; CHECK-NEXT: kernel looks_at_the_clock: not idempotent: clock or place read at {{[0-9a-f]+}}{{$}}
; CHECK-NEXT: kernel waits: not idempotent: volatile load at {{[0-9a-f]+}}{{$}}
; CHECK-NEXT: function thrice: idempotent{{$}}
; CHECK-NEXT: kernel by_pure_call: idempotent{{$}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = addrspace(3) global [32 x i32] undef
@format = addrspace(1) constant [3 x i8] c"hi\00"

define void @apart(ptr noalias readonly %in, ptr noalias %out) {
  %v = load i32, ptr %in
  store i32 %v, ptr %out
  ret void
}

define void @together(ptr %in, ptr %out) !dbg !4 {
  %v = load i32, ptr %in, !dbg !5
  store i32 %v, ptr %out, !dbg !6
  ret void, !dbg !6
}

define void @in_place(ptr noalias %p) {
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret void
}

define void @counts(ptr %p) {
  %o = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}

; Every run begins with shared memory that is not there yet.
define void @shared_only(ptr noalias %in, ptr noalias %out, i32 %i) {
  %t = getelementptr [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %i
  %v = load i32, ptr %in
  store i32 %v, ptr addrspace(3) %t
  %o = atomicrmw add ptr addrspace(3) %t, i32 1 monotonic
  %w = load i32, ptr addrspace(3) %t
  store i32 %w, ptr %out
  ret void
}

define void @put(ptr %p) noinline {
  store i32 1, ptr %p
  ret void
}

define void @by_call(ptr noalias %in, ptr noalias %out) {
  %v = load i32, ptr %in
  %q = getelementptr i32, ptr %out, i32 %v
  call void @put(ptr %q)
  ret void
}

declare i32 @vprintf(ptr, ptr)
define void @says() {
  %n = call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @format to ptr), ptr null)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.clock()
define void @looks_at_the_clock(ptr %out) {
  %c = call i32 @llvm.nvvm.read.ptx.sreg.clock()
  store i32 %c, ptr %out
  ret void
}

define void @waits(ptr noalias %flag) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %flag
  %e = icmp eq i32 %v, 0
  br i1 %e, label %loop, label %end
end:
  ret void
}

define i32 @thrice(i32 %x) noinline {
  %y = mul i32 %x, 3
  ret i32 %y
}

define void @by_pure_call(ptr noalias readonly %in, ptr noalias %out) {
  %v = load i32, ptr %in
  %w = call i32 @thrice(i32 %v)
  store i32 %w, ptr %out
  ret void
}

!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!nvvm.annotations = !{!10, !11, !12, !13, !14, !15, !16, !17, !18, !19}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "k.cu", directory: "")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "together", file: !2, line: 19, type: !3, scopeLine: 19, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 20, column: 7, scope: !4)
!6 = !DILocation(line: 21, column: 7, scope: !4)
!10 = !{ptr @apart, !"kernel", i32 1}
!11 = !{ptr @together, !"kernel", i32 1}
!12 = !{ptr @in_place, !"kernel", i32 1}
!13 = !{ptr @counts, !"kernel", i32 1}
!14 = !{ptr @shared_only, !"kernel", i32 1}
!15 = !{ptr @by_call, !"kernel", i32 1}
!16 = !{ptr @says, !"kernel", i32 1}
!17 = !{ptr @looks_at_the_clock, !"kernel", i32 1}
!18 = !{ptr @waits, !"kernel", i32 1}
!19 = !{ptr @by_pure_call, !"kernel", i32 1}
