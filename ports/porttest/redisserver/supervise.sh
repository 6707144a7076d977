# Keeps one private Redis server for the process at the other end of stdin.
# Argument: the server's folder.
#
# Says "ready" once the server answers, then waits for a line on stdin, which is a crash: the server is
# killed. End of file means that the process is gone, however it died: the folder goes with the server.
dir=$1 socket=$1/redis.sock
trap '' PIPE

redis-server --port 0 --unixsocket "$socket" --dir "$dir" --save '' --appendonly no >>"$dir/log" 2>&1 </dev/null &
server=$!

until [ "$(redis-cli -s "$socket" ping 2>/dev/null </dev/null)" = PONG ]; do
	if ! kill -0 "$server" 2>/dev/null; then
		cat "$dir/log"
		rm -rf "$dir"
		exit 1
	fi
	sleep 0.02
done
echo ready
read -r crash
kill -9 "$server"
wait "$server" 2>/dev/null
rm -f "$socket"
[ -n "$crash" ] || rm -rf "$dir"
