; Undefined functions and variables make the code relocatable, with one note: another module may define them. A device link
; then makes a program of the two. With `whole-program`, as heddle-cc says it of a source without -rdc, they are errors.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<o=%t.use>' -disable-output %s 2>&1 | %FileCheck --implicit-check-not=note: %s
; RUN: %FileCheck --check-prefix=META %s < %t.use.heddle.json
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<o=%t.rdc;rdc>' -disable-output %s 2>&1 | count 0
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<whole-program>' -disable-output %s 2>&1 | %FileCheck --check-prefix=WHOLE %s
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<rdc=0>' -disable-output %s 2>&1 | %FileCheck --check-prefix=WHOLE %s
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<rdc;whole-program>' -disable-output %s 2>&1 | %FileCheck --check-prefix=BOTH %s
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<o=%t.define>' -disable-output %S/Inputs/defines.ll 2>&1 | count 0
; RUN: %heddle-cc -dlink -cubin -o %t.all.hdo %t.use.hdo %t.define.hdo
; RUN: %heddle info %t.all.hdo | %FileCheck --check-prefix=ALL %s

; CHECK: note: undefined function 'twice' and 1 more: the code is relocatable, and another module must define what this one lacks
; META: "mode": "relocatable"
; WHOLE: error: undefined function 'twice'
; WHOLE: warning: variable 'offset' is declared extern, but defined nowhere
; BOTH: error: pass parameters 'rdc' and 'whole-program' (or 'rdc=0') contradict each other
; ALL: whole program

target triple = "nvptx64-nvidia-cuda"

@offset = external addrspace(1) global i32
@unused = external addrspace(1) global i32

declare i32 @twice(i32)
declare void @nobody()

define void @kernel(ptr addrspace(1) %out, i32 %x) {
  %more = load i32, ptr addrspace(1) @offset
  %sum = add i32 %x, %more
  %result = call i32 @twice(i32 %sum)
  store i32 %result, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
