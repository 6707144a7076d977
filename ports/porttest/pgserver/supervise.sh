# Keeps one private PostgreSQL cluster for the process at the other end of stdin.
# Arguments: the cluster's folder, the folder of PostgreSQL's programs, server options.
#
# Says "ready" once the server takes connections, then waits for a shutdown mode on stdin. End of
# file means that the process is gone, however it died: the cluster and its folder go with it.
dir=$1 bin=$2 options=$3
trap '' PIPE

start() {
	[ -s data/PG_VERSION ] ||
		"$bin/initdb" -D data -U postgres -A trust --no-sync --no-instructions -E UTF8 --locale=C.UTF-8 || return
	"$bin/pg_ctl" -D data -w -s -l "$dir/log" -o "$options" start
}

if ! start >>log 2>&1 </dev/null; then
	cat log
	rm -rf "$dir"
	exit 1
fi
echo ready
read -r mode
"$bin/pg_ctl" -D data -w -s -m "${mode:-immediate}" stop >>log 2>&1
[ -n "$mode" ] || rm -rf "$dir"
