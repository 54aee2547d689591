; A build without an improvement is another build: a baseline is compared with it, and what of the flags changed is said.
; RUN: rm -rf %t && mkdir %t && cd %t
; RUN: %opt -load-pass-plugin=%plugin '-passes=heddle<o=all>' -disable-output %s
; RUN: %opt -load-pass-plugin=%plugin '-passes=heddle<o=fewer;without=if-conversion>' -disable-output %s
; RUN: %heddle check --gpu v100 --baseline lock.json --update all.heddle.json
; RUN: %heddle check --gpu v100 --baseline lock.json all.heddle.json 2>&1 | %FileCheck --check-prefix=SAME %s
; SAME: heddle check: 1 kernel and 0 functions on v100: {{[1-9][0-9]*}} comparisons, 0 findings
; RUN: %heddle check --gpu v100 --baseline lock.json fewer.heddle.json 2>&1 | %FileCheck --check-prefix=OTHER %s
; OTHER: lock.json: 1 entry compared across builds: flags sm_70 whole-program -> sm_70 whole-program without=if-conversion
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %p, i32 %x) {
  %c = icmp sgt i32 %x, 3
  br i1 %c, label %then, label %end
then:
  store i32 %x, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
