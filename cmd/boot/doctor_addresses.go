package boot

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/haggle-commerce/haggle/domain/account"
)

func (d *doctor) masterKey(_ context.Context, r *report) {
	const remedy = "put a new key, as from `openssl rand -base64 32`, and a comma before it, and run `haggle keys rotate-master`"
	switch {
	case d.MasterKey == "":
		r.ok("master key", "none: the sandbox seals with a public one")
	case d.weakMasterKey() != "" && d.env == account.Production:
		r.fail("master key", d.weakMasterKey(), remedy)
	case d.weakMasterKey() != "":
		r.warn("master key", d.weakMasterKey()+"; production refuses it", remedy)
	default:
		r.ok("master key", "set")
	}
}

func (d *doctor) apiAddress(ctx context.Context, r *report) {
	if d.canListen(d.Addr) {
		r.ok("API address", "%s", d.Addr)
		return
	}
	if status, err := ask(ctx, "http://"+reachable(d.Addr)+"/docs", nil); err == nil && status == http.StatusOK {
		r.ok("API address", "%s: the server answers there", d.Addr)
		return
	}
	r.warn("API address", d.Addr+" is not free", "stop what listens there, or set HAGGLE_ADDR")
}

// opsAddress checks whether the address is free or a server there is ready.
func (d *doctor) opsAddress(ctx context.Context, r *report) {
	if !loopback(d.OpsAddr) {
		r.warn("operations address", d.OpsAddr+" can be reached from other machines: /metrics is for yours alone",
			"set HAGGLE_OPS_ADDR to an address that only your monitoring reaches")
	}
	if d.canListen(d.OpsAddr) {
		r.ok("operations address", "%s", d.OpsAddr)
		return
	}
	switch status, err := ask(ctx, "http://"+reachable(d.OpsAddr)+"/readyz", nil); {
	case err == nil && status == http.StatusOK:
		r.ok("operations address", "%s: the server is ready", d.OpsAddr)
	case err == nil && status == http.StatusServiceUnavailable:
		r.fail("operations address", d.OpsAddr+": the server is not ready", "ask http://"+reachable(d.OpsAddr)+"/readyz for the reason")
	default:
		r.warn("operations address", d.OpsAddr+" is not free", "stop what listens there, or set HAGGLE_OPS_ADDR")
	}
}

func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// reachable returns an address at which this machine reaches a server that listens on the given one.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return address
}

func (d *doctor) canListen(address string) bool {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	_ = l.Close() // nobody has connected
	return true
}

// publicURL checks whether the public URL resolves, answers, and has a trusted certificate.
func (d *doctor) publicURL(ctx context.Context, r *report) {
	live := d.env == account.Production
	u, _ := url.Parse(d.PublicURL)
	if d.PublicURL == "" {
		if live {
			r.warn("public URL", "HAGGLE_PUBLIC_URL is not set: buyers are told to come to "+d.Addr, "set HAGGLE_PUBLIC_URL")
		}
		return
	}
	if live && u.Scheme != "https" {
		r.warn("public URL", d.PublicURL+" is not https: API keys would travel in the open", "put a proxy with TLS in front")
	}
	if d.TrustedProxies == "" && loopback(d.Addr) {
		r.warn("proxies", "a proxy seems to be in front, but HAGGLE_TRUSTED_PROXIES is empty: every client counts as the proxy",
			"set HAGGLE_TRUSTED_PROXIES to the proxy's address")
	}
	status, err := ask(ctx, strings.TrimSuffix(d.PublicURL, "/")+"/docs", nil)
	var name *net.DNSError
	switch {
	case untrusted(err):
		r.fail("public URL", d.PublicURL+": "+reason(err), "renew the certificate, or serve its whole chain")
	case errors.As(err, &name):
		r.fail("public URL", d.PublicURL+" does not resolve: "+reason(err), "make a DNS record of it")
	case err != nil:
		r.warn("public URL", d.PublicURL+": "+reason(err), "start the server and the proxy, and try again")
	case status != http.StatusOK:
		r.warn("public URL", fmt.Sprintf("%s/docs answers %d: the server does not seem to be there", strings.TrimSuffix(d.PublicURL, "/"), status),
			"start the server, and look where the proxy leads")
	default:
		r.ok("public URL", "%s answers", d.PublicURL)
	}
}

func untrusted(err error) bool {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// ask sends a GET request and returns the status.
func ask(ctx context.Context, address string, header http.Header) (status int, err error) {
	return askBy(ctx, askClient, http.MethodGet, address, header)
}

// askClient keeps no connections and follows no redirects.
var askClient = &http.Client{
	Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func askBy(ctx context.Context, client *http.Client, method, address string, header http.Header) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return 0, err
	}
	if header != nil {
		request.Header = header
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)) // only the status matters
	return answer.StatusCode, nil
}

// Thresholds of free disk space, in bytes.
const (
	lowDiskSpace      = 1 << 30
	criticalDiskSpace = 100 << 20
)

// disk checks the free space on the disk of the SQLite file. It cannot see PostgreSQL's disk. Search indexes are in memory.
func (d *doctor) disk(_ context.Context, r *report) {
	path, ok := strings.CutPrefix(d.DatabaseURL, "sqlite://")
	if !ok {
		return
	}
	folder := filepath.Dir(path)
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder) // the server creates missing folders
	}
	free, err := freeSpace(folder)
	seen := fmt.Sprintf("%.1f GB are free at %s", float64(free)/1e9, folder)
	switch {
	case err != nil:
		r.warn("disk", fmt.Sprintf("how much is free at %s is not known: %v", folder, err), "see with df")
	case free < criticalDiskSpace:
		r.fail("disk", seen, "free some space: a full disk refuses orders")
	case free < lowDiskSpace:
		r.warn("disk", seen, "free some space before the disk is full, which refuses orders")
	default:
		r.ok("disk", "%s", seen)
	}
}
