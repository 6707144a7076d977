package integration

import (
	"errors"
	"strings"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Credentials open an account with a provider. They are kept sealed, and never shown again.
type Credentials struct {
	Key     string // Stripe's secret key, PayPal's client id
	Secret  string // PayPal's client secret
	Signing string // what the provider signs its webhooks with; empty: none are believed
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
	return seal([]byte(strings.Join([]string{c.Key, c.Secret, c.Signing}, separator)), purpose(i))
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
	parts := strings.Split(string(text), separator)
	if len(parts) != 3 {
		return Credentials{}, errors.New("integration: sealed credentials are malformed")
	}
	return Credentials{parts[0], parts[1], parts[2]}, nil
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
