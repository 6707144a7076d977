// Package buyers identifies buyers by tokens, and exports and erases their personal data (GDPR). A merchant's server requests a
// token for a customer that it knows, and the buyer's agent presents it. The customer's tier and purchases come from the
// connected CRM and shop platforms, never from the agent. Package privacy handles the demands of shop platforms.
package buyers

import (
	"context"
	"encoding/base64"
	"errors"
	"net/mail"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Service issues and verifies buyer tokens, and exports and erases the stored data of a buyer.
type Service struct {
	*ports.Stores

	Names ports.Pseudonyms
	Vault ports.Vault // seals tokens
	Clock ports.Clock
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Limits of a token's lifetime.
const (
	MinLife     = time.Minute
	MaxLife     = 24 * time.Hour
	DefaultLife = time.Hour

	mark         = "bt_"
	longestToken = 1_000
)

// Token identifies a buyer until it expires.
type Token struct {
	Text    string
	Email   string
	Member  session.Member
	Expires time.Time
}

// Vouch issues a token for a buyer whom the merchant knows by an e-mail address. A life of zero means DefaultLife.
func (s *Service) Vouch(ctx context.Context, project id.Project, email string, life time.Duration) (Token, error) {
	c := fault.NewCheck()
	address, err := mail.ParseAddress(email)
	c.That(err == nil && address.Address == email && len(email) <= 254, "email", "must be an e-mail address")
	c.That(life == 0 || life >= MinLife && life <= MaxLife, "expires_in", "must be between 60 and 86,400 seconds")
	if err := c.Err(); err != nil {
		return Token{}, err
	}
	if life == 0 {
		life = DefaultLife
	}
	t := Token{Email: strings.ToLower(email), Expires: s.Clock.Now().Add(life)}
	if t.Member, err = s.member(ctx, project, t.Email); err != nil {
		return Token{}, err
	}
	plain := strconv.FormatInt(t.Expires.UnixMilli(), 10) + " " + t.Email
	t.Text = mark + base64.RawURLEncoding.EncodeToString(s.Vault.Seal([]byte(plain), purpose(project)))
	return t, nil
}

// ErrToken returns the error for a token that is not valid in the project or has expired.
func ErrToken(cause error) *fault.Error {
	return fault.Field("buyer_context.buyer_token", "is not valid, or has expired").Because(cause)
}

// Recognize returns the tier and purchases of the buyer that a token identifies.
func (s *Service) Recognize(ctx context.Context, project id.Project, token string) (session.Member, error) {
	email, err := s.open(project, token)
	if err != nil {
		return session.Member{}, ErrToken(err)
	}
	return s.member(ctx, project, email)
}

func (s *Service) open(project id.Project, token string) (email string, err error) {
	text, marked := strings.CutPrefix(token, mark)
	if !marked || len(token) > longestToken {
		return "", errors.New("buyers: no token")
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	plain, err := s.Vault.Open(sealed, purpose(project))
	if err != nil {
		return "", err
	}
	expires, email, _ := strings.Cut(string(plain), " ")
	millis, err := strconv.ParseInt(expires, 10, 64)
	if err == nil && !s.Clock.Now().Before(time.UnixMilli(millis)) {
		err = errors.New("buyers: the token has expired")
	}
	return email, err
}

func (s *Service) member(ctx context.Context, project id.Project, email string) (session.Member, error) {
	customer, err := s.ExternalRecords.Customer(ctx, project, email)
	if err != nil || customer == nil {
		return session.Member{}, err
	}
	return session.Member{Tier: customer.Tier, Purchases: customer.Purchases}, nil
}

// purpose binds a token to its project.
func purpose(project id.Project) string { return "buyer token of " + project.String() }
