package openid

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/haggle-commerce/haggle/domain/member"
)

// claims are the claims of an ID token that go-oidc does not read.
type claims struct {
	Email    string  `json:"email"`
	Verified boolish `json:"email_verified"`
	Name     string  `json:"name"`
	Party    string  `json:"azp"`
}

// boolish is a JSON boolean that also accepts "true", because some providers send a string.
type boolish bool

func (b *boolish) UnmarshalJSON(text []byte) error {
	*b = string(text) == "true" || string(text) == `"true"`
	return nil
}

// watchedKeys records that keys could not be fetched, which go-oidc does not distinguish from a wrong signature.
type watchedKeys struct {
	oidc.KeySet
	err error
}

func (w *watchedKeys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := w.KeySet.VerifySignature(ctx, token)
	if err != nil && errors.Unwrap(err) != nil {
		w.err = err
	}
	return payload, err
}

// verify verifies an ID token (OpenID Connect Core 1.0, section 3.1.3.7).
func (p *Provider) verify(ctx context.Context, known *metadata, raw, nonce string) (member.Vouched, error) {
	if raw == "" {
		return member.Vouched{}, errors.New("the answer has no ID token")
	}
	keys := &watchedKeys{KeySet: known.keys}
	verifier := oidc.NewVerifier(p.Config.Issuer, keys, &oidc.Config{
		ClientID:             p.ClientID,
		SupportedSigningAlgs: known.algorithms(),
		Now:                  p.Clock.Now,
	})
	token, err := verifier.Verify(ctx, raw)
	if keys.err != nil {
		return member.Vouched{}, fmt.Errorf("%w: %w", errUnreachable, keys.err)
	}
	if err != nil {
		return member.Vouched{}, err
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return member.Vouched{}, err
	}
	switch {
	case !same(token.Nonce, nonce): // step 11
		return member.Vouched{}, errors.New("the ID token has another nonce")
	case c.Party != "" && c.Party != p.ClientID, len(token.Audience) > 1 && c.Party == "": // steps 4 and 5
		return member.Vouched{}, errors.New("the ID token was issued to another party")
	case token.IssuedAt.IsZero():
		return member.Vouched{}, errors.New("the ID token does not say when it was issued")
	}
	return member.Vouched{
		Identity:      member.Identity{Issuer: p.Config.Issuer, Subject: token.Subject},
		Email:         c.Email,
		EmailVerified: bool(c.Verified),
		Name:          c.Name,
	}, nil
}

// asymmetric are the accepted signature algorithms. HMAC is refused: anyone with the client secret could sign.
var asymmetric = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// algorithms returns the accepted algorithms that the provider announces, RS256 if there are none.
func (m *metadata) algorithms() (known []string) {
	for _, a := range m.said.Algorithms {
		if slices.Contains(asymmetric, a) {
			known = append(known, a)
		}
	}
	if len(known) == 0 {
		return []string{oidc.RS256}
	}
	return known
}

// complete gets the e-mail address from the UserInfo endpoint if the ID token has none, as providers may omit it there
// (OpenID Connect Core 1.0, section 5.4). The response must have the same subject (section 5.3.2).
func complete(ctx context.Context, known *metadata, tokens *oauth2.Token, person *member.Vouched) error {
	info, err := known.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return fmt.Errorf("%w: its UserInfo endpoint: %w", errUnreachable, err)
	}
	if info.Subject != person.Subject {
		return errors.New("the UserInfo endpoint answers about another subject")
	}
	var c claims
	if err := info.Claims(&c); err != nil {
		return err
	}
	person.Email, person.EmailVerified = info.Email, info.EmailVerified
	if person.Name == "" {
		person.Name = c.Name
	}
	return nil
}
