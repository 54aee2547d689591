; Names of improvements to leave out and of steps to print: several joined, all, and one that there is not. The
; improvements left out stand in the metadata.
; RUN: %opt -load-pass-plugin=%plugin '-passes=print<heddle-metadata;without=operand-rest+coalesced-tails+register-banks>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=FLAGS %s
; FLAGS: "flags": "without=coalesced-tails+register-banks+operand-rest"
; RUN: %opt -load-pass-plugin=%plugin '-passes=heddle<without=all>' -disable-output %s
; RUN: not %opt -load-pass-plugin=%plugin '-passes=heddle<without=register-banks+paired-zero>' -disable-output %s 2>&1 | %FileCheck %s
; CHECK: pass parameter 'without': unknown switch 'paired-zero'; did you mean paired-zeros? There are loop-unrolling, address-passes,
; RUN: not %opt -load-pass-plugin=%plugin '-passes=heddle<without=late>' -disable-output %s 2>&1 | %FileCheck --check-prefix=OLD %s
; OLD: unknown switch 'late'; did you mean late-updates, late-constants, late-addresses? There are loop-unrolling,
; RUN: not %opt -load-pass-plugin=%plugin '-passes=heddle<dump=prune+optimise>' -disable-output %s 2>&1 | %FileCheck --check-prefix=STEP %s
; STEP: pass parameter 'dump': unknown step 'optimise'; there are prune, simplify, {{.*}}, if-conversion, layout{{$}}
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() {
  ret void
}
