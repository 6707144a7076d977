package shipstation

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// signer signs the webhooks of API V2 (docs.shipstation.com/apis/docs/guides/webhooks-validation, read in November 2026):
// RSA-SHA256 over "{timestamp}.{body}", base64, with the id of a key in a JWKS. The format of the timestamp is not
// documented; it is an RFC 3339 time here.
type signer struct {
	key *rsa.PrivateKey
	id  string
}

// signing is the key of all accounts, as at ShipStation.
var signing = sync.OnceValue(func() *signer {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // no randomness is available
	}
	return &signer{key: key, id: host.DeliveryID()}
})

func (s *signer) jwks() map[string]any {
	encode := base64.RawURLEncoding.EncodeToString
	return map[string]any{"keys": []any{
		map[string]any{"kty": "EC", "kid": "other", "use": "sig", "crv": "P-256", "x": "AA", "y": "AA"},
		map[string]any{
			"kty": "RSA", "kid": s.id, "use": "sig", "alg": "RS256", "n": encode(s.key.N.Bytes()), "e": encode(big.NewInt(int64(s.key.E)).Bytes()),
		},
	}}
}

// sign signs the webhooks that were registered by API V2. V1 has no signatures.
func (s *Platform) sign(h host.Hook, d host.Delivery) (http.Header, error) {
	header := http.Header{}
	if h.Secret != v2 {
		return header, nil
	}
	signer := signing()
	at := s.Host.Config.Now().UTC().Format(time.RFC3339)
	sum := sha256.Sum256(append([]byte(at+"."), d.Signed...))
	signature, err := rsa.SignPKCS1v15(rand.Reader, signer.key, crypto.SHA256, sum[:])
	header.Set("X-ShipEngine-RSA-SHA256-Key-ID", signer.id)
	header.Set("X-ShipEngine-RSA-SHA256-Signature", base64.StdEncoding.EncodeToString(signature))
	header.Set("X-ShipEngine-Timestamp", at)
	return header, err
}

func newsV2(h host.Hook, batch string) any {
	return map[string]any{"resource_url": h.Base + "/v2/labels?batch_id=" + url.QueryEscape(batch), "resource_type": "LABEL_CREATED_V2"}
}
