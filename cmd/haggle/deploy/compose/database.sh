#!/usr/bin/env bash
# Creates the database, and the role that Haggle logs in as: no superuser and without BYPASSRLS, so that row-level security
# holds it. The image of PostgreSQL runs this once, when it has made a new cluster. HAGGLE_PASSWORD_FILE has the password.
set -euo pipefail

password=$(<"$HAGGLE_PASSWORD_FILE")
[[ -n $password ]] || { echo "$0: $HAGGLE_PASSWORD_FILE is empty" >&2; exit 1; }

# The first migration creates haggle_app where it is missing. Here it exists, so that the role needs no CREATEROLE.
psql --set ON_ERROR_STOP=1 --no-psqlrc --username "${POSTGRES_USER:-postgres}" --dbname postgres --set password="$password" <<'SQL'
CREATE ROLE haggle_app NOLOGIN;
CREATE ROLE haggle LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB PASSWORD :'password';
GRANT haggle_app TO haggle;
CREATE DATABASE haggle OWNER haggle;
REVOKE CONNECT ON DATABASE haggle FROM PUBLIC;
SQL
