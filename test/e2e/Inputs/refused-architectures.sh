# refused-architectures.sh HEDDLE-CC SOURCE: options that nvcc refuses, each alone.
while read -r options; do
	if "$1" -dryrun -c $options "$2"; then echo "$options: taken"; fi
done << 'EOF'
-arch=sm_80,sm_90
-arch=80
-code sm_80
-arch=sm_80 -code=sm_80
-arch=compute_80 -code=sm_75
-arch=compute_80 -code=sm_80,compute_86
-arch=native -code=sm_80
-gencode arch=compute_80
-gencode code=sm_80
-gencode arch=compute_80,code=sm_80,sm_86
-gencode arch=compute_80,arch=compute_86,code=sm_90
-gencode arch=compute_90a,code=sm_90
-gencode arch=compute_80,code=
EOF
