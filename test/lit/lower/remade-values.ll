; Addresses that are computed in front of a loop are made again in it where registers are short, from the index that they
; share: beside 20 sums in 40 registers nothing is spilled, and beside 128 sums without a limit an SM holds 384 threads in
; place of 256. Where registers are not short, the addresses stay in front. So they do where each would be made again so
; often that its spill costs less.
; RUN: %python %S/Inputs/sums.py 20 16 > %t.few.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=40>' -disable-output %t.few.ll 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=40;without=remade-values>' -disable-output %t.few.ll \
; RUN:     2>&1 | %FileCheck --check-prefix=WITHOUT %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %t.few.ll 2>&1 | %FileCheck --check-prefix=FREE %s
; RUN: %python %S/Inputs/sums.py 128 32 > %t.many.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %t.many.ll 2>&1 | %FileCheck --check-prefix=MANY %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=remade-values>' -disable-output %t.many.ll 2>&1 \
; RUN:     | %FileCheck --check-prefix=MANY-WITHOUT %s
; What is kept is what was tried: here as many as there are too many of.
; RUN: %python %S/Inputs/sums.py 16 8 > %t.tried.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=24>' -disable-output %t.tried.ll 2> %t.tried
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=24;without=remade-values>' -disable-output %t.tried.ll \
; RUN:     2> %t.tried.without
; RUN: grep -c spill %t.tried > %t.fewer; grep -c spill %t.tried.without > %t.more; test $(cat %t.fewer) -lt $(cat %t.more)
; RUN: %python %S/Inputs/sums.py 40 16 apart > %t.dear.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=40>' -disable-output %t.dear.ll 2> %t.dear
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=40;without=remade-values>' -disable-output %t.dear.ll \
; RUN:     2> %t.dear.without
; RUN: cmp %t.dear %t.dear.without
; RUN: %FileCheck --check-prefix=WITHOUT %s < %t.dear

; CHECK:     kernel sums: registers 40,
; CHECK-NOT: spill
; CHECK:     LDS
; CHECK:     LOP3
; CHECK:     LDS
; CHECK-NOT: spill
; CHECK:     EXIT
; WITHOUT:   spill-store
; FREE:      LDS
; FREE-NOT:  LOP3
; FREE:      EXIT
; MANY:      kernel sums: registers 165,
; MANY-WITHOUT: kernel sums: registers 198,
