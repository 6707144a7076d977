package delivery

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	first  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	second = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
)

func hook(url string, secrets ...string) ports.Webhook {
	return ports.Webhook{
		URL:   url,
		ID:    id.Stored[id.Event]("evt_1"),
		At:    time.Now(),
		Body:  []byte(`{"id":"evt_1"}`),
		Proof: ports.SharedSecrets(secrets),
	}
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func TestWebhooks_Post_signedByEachSecret(t *testing.T) {
	t.Parallel()
	var header http.Header
	var body []byte
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
	})
	sender := Webhooks{Client: SafeClient(true), UserAgent: "Haggle/1"}
	if r := sender.Post(ports.NewOutbound(t.Context()), hook(server.URL, first, second)); r.Error != "" || r.Code != http.StatusAccepted {
		t.Fatalf("%+v", r)
	}
	for _, secret := range []string{first, second} {
		key, err := standardwebhooks.NewWebhook(secret)
		if err == nil {
			err = key.Verify(body, header)
		}
		if err != nil {
			t.Error(err)
		}
	}
	other, err := standardwebhooks.NewWebhook("whsec_" + strings.Repeat("B", 32))
	if err != nil || other.Verify(body, header) == nil {
		t.Errorf("another secret verifies too (%v)", err)
	}
	if string(body) != `{"id":"evt_1"}` || header.Get("User-Agent") != "Haggle/1" || header.Get("Content-Type") != "application/json" ||
		len(strings.Fields(header.Get("webhook-signature"))) != 2 {
		t.Errorf("%s, %v", body, header)
	}
}

func TestWebhooks_Post_status(t *testing.T) {
	t.Parallel()
	var status atomic.Int64
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(int(status.Load()))
	})
	sender := Webhooks{Client: SafeClient(true)}
	for code, ok := range map[int]bool{200: true, 204: true, 299: true, 301: false, 307: false, 400: false, 410: false, 500: false, 503: false} {
		status.Store(int64(code))
		if r := sender.Post(ports.NewOutbound(t.Context()), hook(server.URL, first)); r.Code != code || (r.Error == "") != ok {
			t.Errorf("%d: %+v", code, r)
		}
	}
}

func TestWebhooks_Post_endlessAnswer(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	})
	if r := (Webhooks{Client: SafeClient(true)}).Post(ports.NewOutbound(t.Context()), hook(server.URL, first)); r.Code != 200 || r.Error != "" {
		t.Errorf("%+v", r)
	}
}

func TestWebhooks_Post_timeout(t *testing.T) {
	t.Parallel()
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client disconnects
		<-r.Context().Done()
	})
	client := SafeClient(true)
	if client.Timeout != Timeout {
		t.Errorf("the timeout is %s", client.Timeout)
	}
	client.Timeout = 50 * time.Millisecond
	if r := (Webhooks{Client: client}).Post(ports.NewOutbound(t.Context()), hook(server.URL, first)); r.Code != 0 || r.Error != "no answer in time" {
		t.Errorf("%+v", r)
	}
}

// privateAddresses are not on the public internet.
var privateAddresses = []string{
	"127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "240.0.0.1",
	"255.255.255.255", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "::", "::1", "fe80::1", "fc00::1", "ff02::1",
	"::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b::808:808", "64:ff9b:1::1", "2002:7f00:1::",
	"2002:808:808::1", "2001:db8::1", "::127.0.0.1", "2001::1",
}

// Saving a URL and connecting to it use the same list.
func TestAddresses_Private(t *testing.T) {
	t.Parallel()
	private := append([]string{
		"localhost", "LOCALHOST.", "a.localhost", "printer.local", "db.internal", "DB.Internal.", "home.arpa", "nas.home.arpa", "router",
		"①②⑦.⓪.⓪.①", "１０.０.０.１", "127。0。0。1", "fe80::1%eth0", "127.0.0.1.", "",
		"127.1", "0177.0.0.1", "0x7f.1", "0X7F.0.0.0X1", "2130706433", "0x7f000001.", "1.1", "256.256.256.256", "1.2.3.4.5", "1.0x",
	}, privateAddresses...)
	for _, host := range private {
		if !(Addresses{}).Private(host) {
			t.Errorf("%q is taken for public", host)
		}
	}
	for _, host := range []string{"93.184.216.34", "2606:2800:220:1::1", "example.com", "EXAMPLE.com.", "name.invalid", "bücher.example", "my-internal.example", "1.example", "0x7f.example", "127.0.0.1.example"} {
		if (Addresses{}).Private(host) {
			t.Errorf("%q is taken for private", host)
		}
	}
	for host, private := range map[string]bool{"127.0.0.1": false, "::1": false, "localhost": false, "①②⑦.⓪.⓪.①": false, "10.0.0.1": true, "router": true} {
		if (Addresses{AllowLoopback: true}).Private(host) != private {
			t.Errorf("with loopback, %q is not taken for private=%v", host, private)
		}
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	guarded := guard(false)
	for _, address := range privateAddresses {
		network := map[bool]string{true: "tcp6", false: "tcp4"}[strings.Contains(address, ":")]
		if err := guarded(network, net.JoinHostPort(address, "443"), nil); !errors.Is(err, ErrPrivate) {
			t.Errorf("%s %s: %v", network, address, err)
		}
	}
	for network, address := range map[string]string{"tcp4": "93.184.216.34:443", "tcp6": "[2606:2800:220:1::1]:8443"} {
		if err := guarded(network, address, nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	loopback := guard(true)
	for network, addresses := range map[string][2]string{"tcp4": {"127.0.0.1:80", "10.0.0.1:80"}, "tcp6": {"[::1]:80", "[fe80::1]:80"}} {
		if allowed, refused := loopback(network, addresses[0], nil), loopback(network, addresses[1], nil); allowed != nil || refused == nil {
			t.Errorf("with loopback: %v, %v", allowed, refused)
		}
	}
}

// A name that was public when it was saved resolves to a private address when it is called.
func TestSafeClient_nameBecomesPrivate(t *testing.T) {
	t.Parallel()
	reached := false
	server := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64 // concurrently, once for each address family
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		asked.Add(1)
		return answering([4]byte{127, 0, 0, 1}), nil
	}}
	client := safeClient(false, resolver)
	r := Webhooks{Client: client}.Post(ports.NewOutbound(t.Context()), hook("http://rebound.example:"+port, first))
	if r.Error == "" || reached || asked.Load() == 0 {
		t.Errorf("%+v, reached %v, asked %d times", r, reached, asked.Load())
	}
	// A name that does not resolve gets the same error. Another one would reveal names of the internal network.
	nowhere := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no name server") }}
	if unknown := (Webhooks{Client: safeClient(false, nowhere)}).Post(ports.NewOutbound(t.Context()), hook("http://unknown.example:"+port, first)); unknown != r {
		t.Errorf("unknown: %+v, private: %+v", unknown, r)
	}
	// With loopback allowed the same name is reached, so it was the guard that refused.
	if r := (Webhooks{Client: safeClient(true, resolver)}).Post(ports.NewOutbound(t.Context()), hook("http://rebound.example:"+port, first)); r.Error != "" || !reached {
		t.Errorf("%+v, reached %v", r, reached)
	}
}

// answering returns a connection to a DNS server that answers every query with one address.
func answering(address [4]byte) net.Conn {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		size := make([]byte, 2)
		for {
			if _, err := io.ReadFull(server, size); err != nil {
				return
			}
			packet := make([]byte, int(size[0])<<8|int(size[1]))
			if _, err := io.ReadFull(server, packet); err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(packet) != nil {
				return
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{
						Name:  q.Name,
						Type:  q.Type,
						Class: q.Class,
					},
					Body: &dnsmessage.AResource{A: address},
				}}
			}
			out, err := m.Pack()
			if err != nil {
				return
			}
			if _, err := server.Write(append([]byte{byte(len(out) >> 8), byte(len(out))}, out...)); err != nil {
				return
			}
		}
	}()
	return client
}

func TestSafeClient_redirect(t *testing.T) {
	t.Parallel()
	followed := false
	inner := serve(t, func(http.ResponseWriter, *http.Request) { followed = true })
	outer := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inner.URL, http.StatusTemporaryRedirect)
	})
	if r := (Webhooks{Client: SafeClient(true)}).Post(ports.NewOutbound(t.Context()), hook(outer.URL, first)); r.Code != 307 || r.Error == "" || followed {
		t.Errorf("%+v, followed %v", r, followed)
	}
}

func TestSafeClient_proxy(t *testing.T) {
	transport := SafeClient(false).Transport.(*http.Transport)
	if transport.Proxy != nil {
		t.Error("the client uses a proxy")
	}
}
