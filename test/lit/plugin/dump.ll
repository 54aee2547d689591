; dump= prints the function behind each step that is named, in the order in which they run; all is each of them.
; RUN: %opt -load-pass-plugin=%plugin '-passes=heddle<dump=layout+simplify>' -disable-output %s 2>&1 | %FileCheck %s
; CHECK:     {{^}}; after simplify
; CHECK:     kernel k:
; CHECK-NOT: ; after
; CHECK:     {{^}}; after layout
; CHECK:     kernel k:
; CHECK-NOT: ; after
; RUN: %opt -load-pass-plugin=%plugin '-passes=heddle<check=1;dump=all>' -disable-output %s 2>&1 | grep '^; after' | %FileCheck --check-prefix=ALL %s
; ALL:      prune
; ALL-NEXT: simplify
; ALL-NEXT: joined-counters
; ALL-NEXT: fuse
; ALL-NEXT: dead-code
; ALL-NEXT: combine
; ALL-NEXT: late-updates
; ALL-NEXT: out-of-ssa
; ALL-NEXT: warp-atomics
; ALL-NEXT: products-in-flight
; ALL-NEXT: register-budgets
; ALL-NEXT: predicated-constants
; ALL-NEXT: scaled-specials
; ALL-NEXT: remade-values
; ALL-NEXT: schedule
; ALL-NEXT: parked-uniforms
; ALL-NEXT: regalloc
; ALL-NEXT: shared-slots
; ALL-NEXT: spills-in-shared
; ALL-NEXT: frame
; ALL-NEXT: redundant-moves
; ALL-NEXT: paired-zeros
; ALL-NEXT: if-conversion
; ALL-NEXT: layout
; ALL-NOT:  after
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() {
  ret void
}
