package notify

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/haggle-commerce/haggle/ports"
)

// fakeServer is a mail server that records the mail it receives.
type fakeServer struct {
	mu       sync.Mutex
	received []receivedMail
	refuse   bool
}

type receivedMail struct{ from, to, text string }

type session struct {
	fake *fakeServer
	receivedMail
}

func (b *fakeServer) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{fake: b}, nil }

func (v *session) Mail(from string, _ *smtp.MailOptions) error { v.from = from; return nil }
func (v *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if v.fake.refuse {
		return &smtp.SMTPError{Code: 550, Message: "nobody"}
	}
	v.to = to
	return nil
}
func (v *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	v.text = string(text)
	v.fake.mu.Lock()
	defer v.fake.mu.Unlock()
	v.fake.received = append(v.fake.received, v.receivedMail)
	return err
}
func (v *session) Reset()        {}
func (v *session) Logout() error { return nil }

func startServer(t *testing.T) (*fakeServer, string) {
	t.Helper()
	fake := &fakeServer{}
	server := smtp.NewServer(fake)
	server.Domain = "localhost"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(l) }() // until Close
	t.Cleanup(func() { server.Close() })
	return fake, l.Addr().String()
}

func TestMailer_Send(t *testing.T) {
	t.Parallel()
	fake, address := startServer(t)
	m, err := NewMailer("smtp://" + address + "?from=shop@example.com&to=ops@example.com")
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"ada@example.com", ""} {
		if err := m.Send(ports.NewOutbound(t.Context()), ports.Mail{
			To:      to,
			Subject: "[Zoë's]\r\nBcc: eve@example.com",
			Text:    "sku: T-1\nquantity: 3",
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(fake.received) != 2 || fake.received[0].to != "ada@example.com" || fake.received[1].to != "ops@example.com" || fake.received[0].from != "shop@example.com" {
		t.Fatalf("%+v", fake.received)
	}
	read, err := mail.ReadMessage(strings.NewReader(fake.received[0].text))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(read.Body)
	if err != nil || !strings.Contains(string(text), "quantity: 3") || read.Header.Get("Bcc") != "" {
		t.Errorf("%s, %v (%v)", text, read.Header, err)
	}
}

func TestMailer_Send_refused(t *testing.T) {
	t.Parallel()
	fake, address := startServer(t)
	fake.refuse = true
	m, err := NewMailer("smtp://" + address + "?from=shop@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Send(ports.NewOutbound(t.Context()), ports.Mail{
		To:      "ada@example.com",
		Subject: "S",
		Text:    "T",
	}); err == nil || strings.Contains(err.Error(), "nobody") {
		t.Errorf("%v", err)
	}
	if err := m.Send(ports.NewOutbound(t.Context()), ports.Mail{Subject: "S", Text: "T"}); err == nil {
		t.Error("mail to nobody was sent")
	}
}

func TestNewMailer_badAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "smtp://", "http://localhost?from=a@example.com", "smtp://localhost", "smtp://localhost?from=a", "smtp://localhost:99999?from=a@example.com",
		"smtp://localhost?from=a@example.com&to=b",
	} {
		if _, err := NewMailer(address); err == nil {
			t.Errorf("%q was taken", address)
		}
	}
	if _, err := NewMailer("smtps://ada:pw@mail.example.com?from=a@example.com"); err != nil {
		t.Error(err)
	}
}

func TestChats_Say_escapes(t *testing.T) {
	t.Parallel()
	var got map[string]string
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&got)
		w.WriteHeader(status)
	}))
	defer server.Close()
	chats := Chats{Client: server.Client()}
	if r := chats.Say(ports.NewOutbound(t.Context()), server.URL, "sku: <!channel> & co"); r.Error != "" || got["text"] != "sku: &lt;!channel&gt; &amp; co" {
		t.Errorf("%+v, %v", r, got)
	}
	status = http.StatusNotFound
	if r := chats.Say(ports.NewOutbound(t.Context()), server.URL, "x"); r.Code != 404 || r.Error == "" {
		t.Errorf("%+v", r)
	}
}

// Try authenticates and sends nothing.
func TestMailer_Try(t *testing.T) {
	t.Parallel()
	fake, address := startServer(t)
	m, err := NewMailer("smtp://" + address + "?from=shop@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Try(t.Context()); err != nil || len(fake.received) != 0 {
		t.Errorf("%v, %d received", err, len(fake.received))
	}
	if m, err = NewMailer("smtp://ada:secret@" + address + "?from=shop@example.com"); err != nil {
		t.Fatal(err)
	}
	if err := m.Try(t.Context()); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a server without sign-in: %v", err)
	}
}
