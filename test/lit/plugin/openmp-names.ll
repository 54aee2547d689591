; Names that begin as OpenMP's do, but are the program's own: the device library is linked once, for what it defines. What the
; program keeps in llvm.compiler.used stays, and so does a variable that has the name of ours.
; REQUIRES: openmp-device
; RUN: %opt -load-pass-plugin=%plugin -mcpu=sm_70 -passes='default<O2>,heddle<o=%t>' -S %s -o %t.out 2>&1 | \
; RUN:     %FileCheck --implicit-check-not=error: %s
; RUN: readelf -s -W %t.hdo | %FileCheck --check-prefix=SYMBOLS %s
; RUN: sed 's/^@llvm.compiler.used = .*/@llvm.compiler.used = external global [1 x ptr]/' %s > %t.ll
; RUN: %opt -load-pass-plugin=%plugin -mcpu=sm_70 -passes='default<O2>,heddle' -disable-output %t.ll 2>&1 | %FileCheck %s
; A number that no processor has is no reason to look for that many libraries. With the whole program, they are errors, of which
; those that the library would have say so.
; RUN: %opt -load-pass-plugin=%plugin -mcpu=sm_30 -passes='heddle' -disable-output %s 2>&1 | %FileCheck --check-prefix=NONE %s
; RUN: %not %opt -load-pass-plugin=%plugin -mcpu=sm_30 -passes='heddle<whole-program>' -disable-output %s 2>&1 | \
; RUN:     %FileCheck --check-prefix=WHOLE %s
; RUN: sed "s/%out) {/%out) \"target-cpu\"=\"sm_3000000000\" {/" %s > %t.far.ll
; RUN: %opt -load-pass-plugin=%plugin -passes=heddle -disable-output %t.far.ll 2>&1 | %FileCheck %s

; CHECK: note: undefined function 'omp_mine' and 1 more: the code is relocatable, and another module must define what this one lacks{{$}}
; SYMBOLS: omp_kept
; NONE: note: undefined function 'omp_get_team_num' and 2 more: the code is relocatable, and another module must define what this one lacks; functions of such names are in LLVM's device library for OpenMP, which is not installed for sm_30 (Debian: libomp-{{[0-9]+}}-dev)
; WHOLE-DAG: error: undefined function 'omp_mine'; functions of such names
; WHOLE-DAG: warning: variable 'omp_var' is declared extern, but defined nowhere; it is defined here as zero{{$}}
target triple = "nvptx64-nvidia-cuda"

@heddle.openmp = internal addrspace(1) global i32 7
@omp_kept = internal addrspace(1) global i32 0
@omp_var = external addrspace(1) global i32
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @omp_kept to ptr)], section "llvm.metadata"

declare i32 @omp_get_team_num()
declare i32 @omp_mine()

define void @team(ptr addrspace(1) %out) {
  %team = call i32 @omp_get_team_num()
  %mine = call i32 @omp_mine()
  %var = load i32, ptr addrspace(1) @omp_var
  %own = load volatile i32, ptr addrspace(1) @heddle.openmp
  %a = add i32 %team, %mine
  %b = add i32 %var, %own
  %c = add i32 %a, %b
  store i32 %c, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @team, !"kernel", i32 1}
