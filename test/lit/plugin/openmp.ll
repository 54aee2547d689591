; Functions of OpenMP come from LLVM's device library, of the newest architecture that is not beyond the target's, and nothing
; else of that library stays. Without a library for the target, a note names the function and the package.
; REQUIRES: openmp-device
; RUN: %opt -load-pass-plugin=%plugin -mcpu=sm_88 -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | \
; RUN:     %FileCheck --implicit-check-not=note: --implicit-check-not=__kmpc_parallel %s
; RUN: %opt -load-pass-plugin=%plugin -mcpu=sm_70 -passes='default<O2>' -S %s | %FileCheck --check-prefix=EARLY %s
; RUN: %opt -load-pass-plugin=%plugin -mcpu=sm_30 -passes='print<heddle-metadata>' -disable-output %s 2>&1 | \
; RUN:     %FileCheck --check-prefix=NONE %s

; CHECK: team
; CHECK: S2R {{.*}}CTAID.X
; EARLY-NOT: @omp_get_team_num
; EARLY: call {{.*}}@llvm.nvvm.read.ptx.sreg.ctaid.x()
; NONE: note: undefined function 'omp_get_team_num': the code is relocatable, and another module must define what this one lacks; functions of such names are in LLVM's device library for OpenMP, which is not installed for sm_30 (Debian: libomp-{{[0-9]+}}-dev)
target triple = "nvptx64-nvidia-cuda"

declare i32 @omp_get_team_num()

define void @team(ptr addrspace(1) %out) {
  %team = call i32 @omp_get_team_num()
  store i32 %team, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @team, !"kernel", i32 1}
