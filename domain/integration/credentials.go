package integration

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Credentials give access to an account with a provider. They are stored encrypted and never shown again.
type Credentials struct {
	Key     string    // a secret key, PayPal's client id, or OAuth's access token
	Secret  string    // of the key, if it has one
	Signing string    // the signing secret of the account's webhooks; empty: all are rejected
	Refresh string    // OAuth's refresh token; empty: the access token is not refreshed
	Expires time.Time // of the access token; zero: never
}

// Given returns the credentials of a type from api_key and api_secret of the API.
func (t Type) Given(key, secret string) Credentials {
	if t == Stripe {
		return Credentials{Key: key, Signing: secret}
	}
	return Credentials{Key: key, Secret: secret}
}

// String keeps credentials out of logs and other output.
func (Credentials) String() string { return "(credentials)" }

// GoString does the same for %#v.
func (Credentials) GoString() string { return "(credentials)" }

// separator is not part of any credential, because credentials are printable.
const separator = "\n"

// Seal encrypts credentials and binds them to the integration.
func Seal(i id.Integration, c Credentials, seal func(plain []byte, purpose string) []byte) []byte {
	expires := ""
	if !c.Expires.IsZero() {
		expires = strconv.FormatInt(c.Expires.UnixMilli(), 10)
	}
	return seal([]byte(strings.Join([]string{c.Key, c.Secret, c.Signing, c.Refresh, expires}, separator)), purpose(i))
}

// Open decrypts the integration's credentials. A disconnected integration has none.
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

// read parses the parts written by Seal. The last two were added later.
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

// Stale reports whether the access token must be refreshed before use, because it expires within left.
func (c Credentials) Stale(left time.Duration, now time.Time) bool {
	return c.Refresh != "" && !c.Expires.IsZero() && c.Expires.Sub(now) < left
}

// Reseal encrypts the same credentials again. Nothing else changes.
func (i *Integration) Reseal(open func([]byte, string) ([]byte, error), seal func([]byte, string) []byte) error {
	c, err := i.Open(open)
	if err != nil {
		return err
	}
	i.Sealed = Seal(i.ID, c, seal)
	return nil
}

// purpose binds encrypted credentials to their integration.
func purpose(i id.Integration) string { return "credentials of " + i.String() }
