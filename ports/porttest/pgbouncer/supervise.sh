# Keeps one private PgBouncer for the process at the other end of stdin.
# Arguments: PgBouncer's folder, the folder of PostgreSQL's socket.
#
# Says "ready" once the socket is there, then waits for the end of stdin, which means that the process is gone, however it
# died: PgBouncer and its folder go with it. PgBouncer refuses to run as root, who hands over to PostgreSQL's user.
dir=$1 server=$2 as=
PATH=$PATH:/usr/sbin
trap '' PIPE

if [ "$(id -u)" = 0 ]; then
	owner=$(stat -c %U "$server")
	chown -R "$owner" "$dir"
	as="-u $owner"
fi
# shellcheck disable=SC2086
pgbouncer -q $as "$dir/pgbouncer.ini" >>"$dir/log" 2>&1 </dev/null &
bouncer=$!

until [ -S "$dir/.s.PGSQL.5432" ]; do
	if ! kill -0 "$bouncer" 2>/dev/null; then
		cat "$dir/log"
		rm -rf "$dir"
		exit 1
	fi
	sleep 0.01
done
echo ready
read -r word
kill -9 "$bouncer"
wait "$bouncer" 2>/dev/null
rm -rf "$dir"
