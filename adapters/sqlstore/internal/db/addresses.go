package db

import (
	"encoding/base64"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// The URLs of subscriptions and chat webhooks often carry a token, so they are stored encrypted: SealedMark followed by
// the encrypted text in base64. No URL begins like that.
const SealedMark = "sealed:"

// SealAddress seals a URL. One that could not be opened is left as it is.
func (d Dialect) SealAddress(url, purpose string) string {
	if d.Vault == nil || url == "" || strings.HasPrefix(url, SealedMark) {
		return url
	}
	return SealedMark + base64.StdEncoding.EncodeToString(d.Vault.Seal([]byte(url), purpose))
}

// OpenAddress returns the URL. An address that no key opens is returned as stored, so that it is not lost if the key
// comes back. Nothing can be sent there until then.
func (d Dialect) OpenAddress(stored, purpose string) string {
	text, sealed := strings.CutPrefix(stored, SealedMark)
	if d.Vault == nil || !sealed {
		return stored
	}
	if sealed, err := base64.StdEncoding.DecodeString(text); err == nil {
		if plain, err := d.Vault.Open(sealed, purpose); err == nil {
			return string(plain)
		}
	}
	return stored
}

// ResealAddress seals a URL under the vault's first key.
func (d Dialect) ResealAddress(stored, purpose string) (string, error) {
	plain := d.OpenAddress(stored, purpose)
	if strings.HasPrefix(plain, SealedMark) {
		return "", fault.New(fault.Internal, "internal_error", "sqlstore: an address can't be opened with these master keys")
	}
	return d.SealAddress(plain, purpose), nil
}

func SubscriptionAddress(of string) string { return "address of " + of }

func ChatAddress(project string) string { return "chat webhook of " + project }
