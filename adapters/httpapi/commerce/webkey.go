package commerce

import "github.com/haggle-commerce/haggle/domain/signing"

// WebKey is a public signing key as a JSON Web Key (RFC 7517).
type WebKey struct {
	Kid string `json:"kid" doc:"The thumbprint of the key, by RFC 7638." example:"oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U"`
	Kty string `json:"kty" enum:"EC"`
	Crv string `json:"crv" enum:"P-256"`
	X   string `json:"x"`
	Y   string `json:"y"`
	Use string `json:"use" enum:"sig"`
	Alg string `json:"alg" enum:"ES256"`
}

// ToWebKey converts a key of a shop.
func ToWebKey(k signing.Key) WebKey {
	x, y := k.Public.Coordinates()
	return WebKey{
		Kid: k.ID,
		Kty: "EC",
		Crv: "P-256",
		X:   x,
		Y:   y,
		Use: "sig",
		Alg: signing.Algorithm,
	}
}
