package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// A URL may name several hosts, of which the first is used that has the target_session_attrs, as in libpq (PostgreSQL 15, 34.1.1.3
// "Specifying Multiple Hosts"). lib/pq 1.12.3 tries them in order for each connection, but takes their ports from the query
// alone, as net/url refuses "host1:5432,host2:5432".

// hostTime is how long one of several hosts is tried, unless the URL has a connect_timeout: one that is cut off or stopped
// does not keep the next one from being tried.
const hostTime = 2 * time.Second

// hostsInQuery returns a URL of several hosts with hosts and ports as parameters, and any other one as it is.
func hostsInQuery(address string) (string, error) {
	scheme, rest, ok := strings.Cut(address, "://")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	user := strings.LastIndexByte(rest[:end], '@') + 1
	list := rest[user:end]
	if !ok || !strings.Contains(list, ",") {
		return address, nil
	}
	u, err := url.Parse(scheme + "://" + rest[:user] + rest[end:])
	if err != nil {
		return "", errors.New("the database URL is no URL") // it may hold a password
	}
	query := u.Query()
	var hosts, ports []string
	for _, entry := range strings.Split(list, ",") {
		host, port, err := net.SplitHostPort(entry)
		if err != nil {
			host, port = strings.Trim(entry, "[]"), ""
		}
		if host == "" {
			return "", fmt.Errorf("database URL: %q has an empty host", list)
		}
		hosts, ports = append(hosts, host), append(ports, cmp.Or(port, "5432"))
	}
	if query.Has("host") || query.Has("port") && strings.Contains(list, ":") {
		return "", fmt.Errorf("database URL: hosts and ports are in %q and in its parameters", list)
	}
	query.Set("host", strings.Join(hosts, ","))
	if !query.Has("port") {
		query.Set("port", strings.Join(ports, ","))
	}
	if !query.Has("connect_timeout") {
		query.Set("connect_timeout", fmt.Sprint(int(hostTime.Seconds())))
	}
	if u.Path == "" {
		u.Path = "/" // so that lib/pq takes it for a URL
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// noHost is the failure of a connection of which none of several hosts is what the URL asks for: no leader is elected yet.
type noHost struct{ error }

func (e noHost) Unwrap() error { return e.error }

// refusedByAll returns the error of a connection to several hosts as one that is worth another try, if it is not the end of ctx.
func refusedByAll(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || Lost(err) {
		return err
	}
	return noHost{err}
}
