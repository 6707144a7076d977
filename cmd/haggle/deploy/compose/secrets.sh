#!/usr/bin/env bash
# Makes the secrets of compose.yaml in a folder, .secrets unless one is named. It changes none that is there:
#
#   cmd/haggle/deploy/compose/secrets.sh [FOLDER]
#
# Keep a copy of master_key elsewhere: what a database holds encrypted cannot be read without it.
set -euo pipefail

folder=${1:-$(dirname "$0")/../../../../.secrets}
mkdir -p "$folder"
chmod 700 "$folder"
umask 022 # containers have users of their own, who read the files; on this machine the folder keeps others out

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

# secret writes a file unless it is there, and says so.
secret() {
	[[ -e $folder/$1 ]] && { echo "$folder/$1 is there, and stays as it is."; return; }
	printf '%s\n' "$2" >"$folder/$1.new"
	mv "$folder/$1.new" "$folder/$1"
	echo "$folder/$1 is new."
}

# of prints the password of a file, or a new one where the file does not exist.
of() { if [[ -e $folder/$1 ]]; then cat "$folder/$1"; else random; fi; }

secret master_key "$(random)"
secret postgres_password "$(random)"
secret database_password "$(random)"
secret database_url "postgres://haggle:$(of database_password)@postgres:5432/haggle?sslmode=disable"

if [[ ! -e $folder/redis.conf || ! -e $folder/redis_url ]]; then
	password=$(random)
	rm -f "$folder/redis.conf" "$folder/redis_url"
	secret redis.conf "bind * -::*
requirepass $password
maxmemory 128mb
maxmemory-policy allkeys-lru
save ''"
	secret redis_url "redis://default:$password@redis:6379/0"
fi
if [[ ! -e $folder/nats.conf || ! -e $folder/nats_url ]]; then
	password=$(random)
	rm -f "$folder/nats.conf" "$folder/nats_url"
	secret nats.conf "listen: 0.0.0.0:4222
http: 127.0.0.1:8222
jetstream { store_dir: /data, max_file_store: 4GB }
authorization { user: haggle, password: \"$password\" }"
	secret nats_url "nats://haggle:$password@nats:4222"
fi
