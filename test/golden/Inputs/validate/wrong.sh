# wrong.sh HEDDLE: what is said of profiles and statistics that are changed in one place each.
heddle=$1

try() {
	"$heddle" validate "$@"
	echo "status $?"
}

# change SCRIPT [PROFILE]: as sed changes it
change() {
	sed "$1" "${2:-raw.csv}" >changed.csv
	try changed.csv run.json
}

change '7s/"5,120"/"5,12"/'
change '7s/"5,120"/"5.120.000"/'
change '7s/"5,120"/"5,120,00"/'
change '7s/"5,120"/"5,20,120"/'
change '7s/"5,120"/"-5"/'
change '6s/"Kbyte"/"Kfoo"/'
change '6s/"cycle"/"msecond"/'
change '8s/"1.8"/"1.8/'
change '8s/"1.8",//'
change '8s/$/,"more"/'
change '$s/"5,120".*/"5/'
change '9s/(32, 1, 1)/32/'
change '9s/(32, 1, 1)/(32, 1, 1) /'
change '7s/<unnamed>[^"]*/_ZN12_GLOBAL__N_14fillEPfi/'
change '7,$d'
change '5,$d'
change '5s/gpc__cycles[^"]*/"x/'
change 's/"Metric Value",//' details.csv
change '4s/1,500/1,500/;5s/Duration/Elapsed Cycles/;5s/usecond/cycle/' details.csv
change '9,$s/"2","4242"/"0","4242"/' details.csv
change '4s/,32,1,1,/,32,,1,/' times.csv
change '5,$d' times.csv
sed 's/elapsed.max/elapsed.min/' counter-gpc.csv >changed.csv
try changed.csv counters.json
sed 's/elapsed_cycles_sm/elapsed_cycles_pm/' counter-nvprof.csv >changed.csv
try changed.csv counters.json
sed 's/Elapsed_Cycles/Elapsed_Cycles_GPC/' counter-means.csv >changed.csv
try changed.csv counters.json
change '3s/2400.0/2.4e3/' counter-means.csv
change '2s/_ZN12_GLO/_ZN99_GLO/' counter-means.csv
change '2s/_Z.*fillEPfi/_Z/' counter-means.csv
change '4s/,1.0//' counter-means.csv
try summary.csv run.json
try absent.csv run.json
try raw.csv absent.json
try raw.csv raw.csv
try raw.csv runs.json
try --policy bow raw.csv runs.json
try --policy bow raw.csv run.json
sed 's/"grid"/"form"/' run.json >changed.json
try raw.csv changed.json
sed 's/"total": {}/"partial": true/' run.json >changed.json
try raw.csv changed.json
sed 's/"total": {}/"functional": true/' run.json >changed.json
try raw.csv changed.json
sed 's/scale/other/; s/fill/other/; s/nothing/other/' run.json >changed.json
try raw.csv changed.json
try raw.csv
try raw.csv run.json --gpu v100
try raw.csv run.json --csv --json
try raw.csv run.json --clock 0
try raw.csv -- ./absent
