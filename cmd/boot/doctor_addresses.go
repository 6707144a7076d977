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
	const remedy = "create a key with `openssl rand -base64 32`, put it before the old one, separated by a comma, and run `haggle keys rotate-master`"
	switch {
	case d.MasterKey == "":
		r.ok("master key", "not set; the sandbox encrypts with a public key")
	case d.weakMasterKey() != "" && d.env == account.Production:
		r.fail("master key", d.weakMasterKey(), remedy)
	case d.weakMasterKey() != "":
		r.warn("master key", d.weakMasterKey()+"; the server does not start with it in production", remedy)
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
		r.ok("API address", "%s: the server is running", d.Addr)
		return
	}
	r.warn("API address", d.Addr+" is in use by another program", "stop that program, or set HAGGLE_ADDR to another address")
}

// opsAddress checks whether the address is free or a server there is ready.
func (d *doctor) opsAddress(ctx context.Context, r *report) {
	if !loopback(d.OpsAddr) {
		r.warn("operations address", d.OpsAddr+" accepts connections from other machines; /metrics must not be public",
			"set HAGGLE_OPS_ADDR to an address that only your monitoring can reach")
	}
	if d.canListen(d.OpsAddr) {
		r.ok("operations address", "%s", d.OpsAddr)
		return
	}
	switch status, err := ask(ctx, "http://"+reachable(d.OpsAddr)+"/readyz", nil); {
	case err == nil && status == http.StatusOK:
		r.ok("operations address", "%s: the server is ready", d.OpsAddr)
	case err == nil && status == http.StatusServiceUnavailable:
		r.fail("operations address", d.OpsAddr+": the server is not ready", "open http://"+reachable(d.OpsAddr)+"/readyz to see the reason")
	default:
		r.warn("operations address", d.OpsAddr+" is in use by another program", "stop that program, or set HAGGLE_OPS_ADDR to another address")
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
			r.warn("public URL", "HAGGLE_PUBLIC_URL is not set; the server gives buyers the address "+d.Addr, "set HAGGLE_PUBLIC_URL to the URL that buyers can reach")
		}
		return
	}
	if live && u.Scheme != "https" {
		r.warn("public URL", d.PublicURL+" is not https; API keys would be sent unencrypted", "put a TLS proxy in front of the server")
	}
	if d.TrustedProxies == "" && loopback(d.Addr) {
		r.warn("proxies", "HAGGLE_TRUSTED_PROXIES is not set, but the server seems to be behind a proxy; rate limits would count all clients as one",
			"set HAGGLE_TRUSTED_PROXIES to the proxy's address")
	}
	status, err := ask(ctx, strings.TrimSuffix(d.PublicURL, "/")+"/docs", nil)
	var name *net.DNSError
	switch {
	case untrusted(err):
		r.fail("public URL", d.PublicURL+": "+reason(err), "renew the certificate, or configure the proxy to send the complete certificate chain")
	case errors.As(err, &name):
		r.fail("public URL", d.PublicURL+" does not resolve: "+reason(err), "create a DNS record for the host")
	case err != nil:
		r.warn("public URL", d.PublicURL+": "+reason(err), "start the server and the proxy, and run the check again")
	case status != http.StatusOK:
		r.warn("public URL", fmt.Sprintf("%s/docs responds with status %d; it does not seem to be this server", strings.TrimSuffix(d.PublicURL, "/"), status),
			"start the server, and check the target of the proxy")
	default:
		r.ok("public URL", "%s responds", d.PublicURL)
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
	seen := fmt.Sprintf("%.1f GB free in %s", float64(free)/1e9, folder)
	switch {
	case err != nil:
		r.warn("disk", fmt.Sprintf("cannot read the free space in %s: %v", folder, err), "check the free space with df")
	case free < criticalDiskSpace:
		r.fail("disk", seen, "free some space; the server cannot accept orders if the disk is full")
	case free < lowDiskSpace:
		r.warn("disk", seen, "free some space; the server cannot accept orders if the disk is full")
	default:
		r.ok("disk", "%s", seen)
	}
}
