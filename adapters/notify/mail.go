// Package notify sends notifications to people by mail and chat. It decides neither what to send nor when.
package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/haggle-commerce/haggle/ports"
)

// Mailer sends mail through one server.
type Mailer struct {
	client   *gomail.Client
	from, to string
}

var _ ports.Mailer = (*Mailer)(nil)

// sendingTime is the timeout of the whole SMTP session.
const sendingTime = 10 * time.Second

// NewMailer parses smtp://user:password@host:port?from=…&to=… (STARTTLS if the server offers it, and always before a
// password is sent to another machine) or smtps://…. to is the default recipient.
func NewMailer(address string) (*Mailer, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errors.New("it must be smtp://user:password@host:port?from=…&to=… or smtps://…")
	}
	m := &Mailer{from: u.Query().Get("from"), to: u.Query().Get("to")}
	if _, err := mail.ParseAddress(m.from); err != nil {
		return nil, errors.New("from must be an e-mail address")
	}
	if _, err := mail.ParseAddress(m.to); m.to != "" && err != nil {
		return nil, errors.New("to must be an e-mail address")
	}
	options, err := options(u)
	if err != nil {
		return nil, err
	}
	m.client, err = gomail.NewClient(u.Hostname(), options...)
	return m, err
}

func options(u *url.URL) ([]gomail.Option, error) {
	policy, port := gomail.TLSOpportunistic, 587
	list := []gomail.Option{gomail.WithTimeout(sendingTime)}
	if u.User != nil {
		password, _ := u.User.Password()
		list = append(list, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
		if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && !ip.IsLoopback() {
			policy = gomail.TLSMandatory
		}
	}
	if u.Scheme == "smtps" {
		list, port = append(list, gomail.WithSSL()), 465
	}
	if text := u.Port(); text != "" {
		var err error
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return nil, fmt.Errorf("port %s is none", text)
		}
	}
	return append(list, gomail.WithTLSPolicy(policy), gomail.WithPort(port)), nil
}

// Try connects to the server, encrypts like Send, authenticates and disconnects. It sends no mail.
func (m *Mailer) Try(ctx context.Context) error {
	if err := m.client.DialWithContext(ctx); err != nil {
		return err
	}
	return m.client.Close()
}

// Send returns errors that do not quote the server.
func (m *Mailer) Send(ctx ports.Outbound, message ports.Mail) error {
	to := message.To
	if to == "" {
		to = m.to
	}
	if to == "" {
		return errors.New("there is no address to send to: set the account's email")
	}
	out := gomail.NewMsg()
	if err := out.From(m.from); err != nil {
		return errors.New("the sender's address cannot be read")
	}
	if err := out.To(to); err != nil {
		return errors.New("the address cannot be read")
	}
	out.Subject(message.Subject)
	out.SetBodyString(gomail.TypeTextPlain, message.Text)
	if err := m.client.DialAndSendWithContext(ctx, out); err != nil {
		return errors.New("the mail server did not take it")
	}
	return nil
}
