-- Once, as the superuser at the leader: psql -f roles.sql. The role is no superuser and does not bypass row-level security.
-- It needs CREATEROLE for the first `haggle migrate`, which makes the group role haggle_app.
CREATE ROLE haggle LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS PASSWORD '{{.Passwords.Haggle}}';
CREATE DATABASE haggle OWNER haggle;
