; Parameters that are not there, or not in range, are errors that say what would be.
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<maxregcount=64>' -disable-output %s 2>&1 | %FileCheck --check-prefix=KEY %s
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<maxrregcount=1000>' -disable-output %s 2>&1 | %FileCheck --check-prefix=RANGE %s
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<abi=x>' -disable-output %s 2>&1 | %FileCheck --check-prefix=CHOICE %s
; RUN: %not %opt -load-pass-plugin=%plugin -passes='print<heddle-stackdept>' -disable-output %s 2>&1 | %FileCheck --check-prefix=NAME %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-metadata;maxrregcount=64;rdc;check=1>' -disable-output %s 2>&1 | %FileCheck %s

; KEY: heddle: error: unknown pass parameter 'maxregcount'; did you mean maxrregcount?
; RANGE: heddle: error: pass parameter 'maxrregcount=1000': out of range 16 to 255
; CHOICE: heddle: error: pass parameter 'abi=x': expected one of cars|observed
; NAME: heddle: error: unknown printer print<heddle-stackdept>; did you mean stackdepth?
; NAME: unknown pass name 'print<heddle-stackdept>'
; CHECK: "flags": "maxrregcount=64;rdc=1"
; CHECK: "mode": "relocatable"

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
