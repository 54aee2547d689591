; Calls, one of them through a pointer, recursion, local memory, a switch, and arithmetic without an instruction.
target triple = "nvptx64-nvidia-cuda"
define internal i64 @fall(i64 %n) noinline {
  %small = icmp ult i64 %n, 3
  br i1 %small, label %end, label %more
more:
  %less = sub i64 %n, 2
  %below = call i64 @fall(i64 %less)
  %sum = add i64 %below, %n
  ret i64 %sum
end:
  ret i64 %n
}
define internal i64 @half(i64 %n) noinline {
  %room = alloca [4 x i64], align 8, addrspace(5)
  %which = and i64 %n, 3
  %at = getelementptr [4 x i64], ptr addrspace(5) %room, i64 0, i64 %which
  store volatile i64 %n, ptr addrspace(5) %at, align 8
  %back = load volatile i64, ptr addrspace(5) %at, align 8
  %r = udiv i64 %back, 7
  ret i64 %r
}
define void @k(ptr addrspace(1) %out, i64 %n, double %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %is = icmp ne i32 %odd, 0
  %f = select i1 %is, ptr @fall, ptr @half
  %low = and i64 %n, 15
  %v = call i64 %f(i64 %low)
  %kind = and i32 %t, 7
  switch i32 %kind, label %other [ i32 0, label %zero
                                  i32 1, label %one
                                  i32 3, label %zero
                                  i32 6, label %one ]
zero:
  %q = fdiv double %x, 3.0
  %qi = fptosi double %q to i64
  br label %join
one:
  %m = urem i64 %v, 10
  br label %join
other:
  br label %join
join:
  %r = phi i64 [ %qi, %zero ], [ %m, %one ], [ %v, %other ]
  %w = zext i32 %t to i64
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %w
  %old = atomicrmw add ptr addrspace(1) %to, i64 %r monotonic
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
