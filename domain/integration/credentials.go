package integration

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Credentials open an account with a provider. They are kept sealed, and never shown again.
type Credentials struct {
	Key     string    // a secret key, PayPal's client id, or OAuth's access token
	Secret  string    // of the key, where it has one
	Signing string    // what the account's webhooks are signed with; empty: none are believed
	Refresh string    // OAuth's refresh token; empty: the access token is not refreshed
	Expires time.Time // of the access token; zero: it does not
}

// Given makes the credentials of a type from the contract's api_key and api_secret.
func (t Type) Given(key, secret string) Credentials {
	if t == Stripe {
		return Credentials{Key: key, Signing: secret}
	}
	return Credentials{Key: key, Secret: secret}
}

// String keeps credentials out of whatever prints them.
func (Credentials) String() string { return "(credentials)" }

// GoString does, too.
func (Credentials) GoString() string { return "(credentials)" }

// separator is in no credential: they are printable.
const separator = "\n"

// Seal seals credentials so that they can be opened for this integration alone.
func Seal(i id.Integration, c Credentials, seal func(plain []byte, purpose string) []byte) []byte {
	expires := ""
	if !c.Expires.IsZero() {
		expires = strconv.FormatInt(c.Expires.UnixMilli(), 10)
	}
	return seal([]byte(strings.Join([]string{c.Key, c.Secret, c.Signing, c.Refresh, expires}, separator)), purpose(i))
}

// Open opens the integration's credentials. Disconnected, it has none.
func (i *Integration) Open(open func(sealed []byte, purpose string) ([]byte, error)) (Credentials, error) {
	if i.Status == Disconnected {
		return Credentials{}, ErrDisconnected()
	}
	text, err := open(i.Sealed, purpose(i.ID))
	if err != nil {
		return Credentials{}, err
	}
	return read(strings.Split(string(text), separator))
}

// read knows the parts of Seal. The last two came later.
func read(parts []string) (Credentials, error) {
	malformed := errors.New("integration: sealed credentials are malformed")
	switch len(parts) {
	case 3:
		return Credentials{
			Key:     parts[0],
			Secret:  parts[1],
			Signing: parts[2],
		}, nil
	case 5:
		c := Credentials{
			Key:     parts[0],
			Secret:  parts[1],
			Signing: parts[2],
			Refresh: parts[3],
		}
		if parts[4] != "" {
			millis, err := strconv.ParseInt(parts[4], 10, 64)
			if err != nil {
				return Credentials{}, malformed
			}
			c.Expires = time.UnixMilli(millis).UTC()
		}
		return c, nil
	}
	return Credentials{}, malformed
}

// Stale reports whether an access token is to be refreshed before it is used: it has less than that left.
func (c Credentials) Stale(left time.Duration, now time.Time) bool {
	return c.Refresh != "" && !c.Expires.IsZero() && c.Expires.Sub(now) < left
}

// Reseal seals the same credentials anew. They are no others, so nothing else changes.
func (i *Integration) Reseal(open func([]byte, string) ([]byte, error), seal func([]byte, string) []byte) error {
	c, err := i.Open(open)
	if err != nil {
		return err
	}
	i.Sealed = Seal(i.ID, c, seal)
	return nil
}

// purpose binds sealed credentials to their integration.
func purpose(i id.Integration) string { return "credentials of " + i.String() }
