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

// A URL may name several hosts. The first one with the target_session_attrs is used, as in libpq (PostgreSQL 15,
// 34.1.1.3 "Specifying Multiple Hosts"). lib/pq 1.12.3 tries them in order for each connection, but takes their ports
// from the query alone, as net/url refuses "host1:5432,host2:5432".

// hostTime is how long each of several hosts is tried, unless the URL has a connect_timeout, so that an unreachable one
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

// noSuitableHost is the failure of a connection if none of several hosts has the target_session_attrs: no leader is
// elected yet.
type noSuitableHost struct{ error }

func (e noSuitableHost) Unwrap() error { return e.error }

// refusedByAll marks the error of a connection to several hosts as one that may pass, unless ctx has ended.
func refusedByAll(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || Lost(err) {
		return err
	}
	return noSuitableHost{err}
}
