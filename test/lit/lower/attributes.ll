; Launch bounds as LLVM 20 and later write them: attributes of the function. They limit registers as annotations do, stand in
; the metadata, and one that nobody knows or that is no number is an error.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<dump=prune>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-metadata>' -disable-output %s 2>&1 | %FileCheck --check-prefix=META %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code>' -disable-output %s 2>&1 | %FileCheck --check-prefix=CODE %s
; RUN: sed 's/"nvvm.minctasm"/"nvvm.minctas"/' %s > %t.ll && not %opt -load-pass-plugin=%plugin -passes=heddle -disable-output %t.ll 2>&1 | \
; RUN:     %FileCheck --check-prefix=UNKNOWN %s
; RUN: sed 's/"nvvm.maxntid"="512,2"/"nvvm.maxntid"="512,2,1,1"/' %s > %t.ll && not %opt -load-pass-plugin=%plugin -passes=heddle \
; RUN:     -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=WRONG %s

; CHECK: kernel bounded: registers {{[0-9]+}} of 32,
; CHECK: kernel exact: registers {{[0-9]+}} of 64,
; CHECK: kernel wide: registers {{[0-9]+}} of 24,
; CHECK: kernel fixed: registers {{[0-9]+}} of 24,
; UNKNOWN: error: unsupported attribute "nvvm.minctas"="2", in 'bounded'
; WRONG: error: unsupported attribute "nvvm.maxntid"="512,2,1,1", in 'bounded'

; META:      "name": "bounded",
; META:      "launch_bounds": {
; META-NEXT:     "max_threads": 1024,
; META-NEXT:     "min_ctas": 2,
; META-NEXT:     "max_cluster": 8,
; META:      "name": "exact",
; META:      "launch_bounds": {
; META-NEXT:     "max_threads": 1024,
; META-NEXT:     "min_ctas": 0,
; META-NEXT:     "max_cluster": 0,
; META-NEXT:     "reqntid": [
; META-NEXT:       64,
; META-NEXT:       16,
; META-NEXT:       1
; META:      "name": "fixed",

; A grid constant's address is one of the constant bank.
; CODE-LABEL: marked
; CODE-NOT: STL
; CODE: c[0x0][0x38]
; CODE-NOT: STL
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @bounded() "target-cpu"="sm_80" "nvvm.maxntid"="512,2" "nvvm.minctasm"="2" "nvvm.maxclusterrank"="8" {
  ret void
}

define ptx_kernel void @exact() "target-cpu"="sm_80" "nvvm.reqntid"="64,16,1" {
  ret void
}

; Bounds beyond every block, whose product is beyond 32 bits.
define ptx_kernel void @wide() "target-cpu"="sm_80" "nvvm.maxntid"="65536,65536" "nvvm.maxnreg"="24" {
  ret void
}

define ptx_kernel void @fixed() "target-cpu"="sm_80" "nvvm.maxnreg"="24" {
  ret void
}

define ptx_kernel void @marked(ptr byval([4 x i32]) align 4 "nvvm.grid_constant" %table, ptr %out) "target-cpu"="sm_90" {
  %kept = ptrtoint ptr %table to i64
  store i64 %kept, ptr %out
  ret void
}
