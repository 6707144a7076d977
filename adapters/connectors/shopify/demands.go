package shopify

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/haggle-commerce/haggle/app/privacy"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// signedByApp reports whether given is a signature of text with one of the app's secrets. While a secret is rotated, Shopify
// continues to sign with the old one until that is revoked (https://shopify.dev/docs/apps/build/authentication-authorization/client-secrets/rotate-revoke-client-credentials,
// read 2026-11-28).
func (c *Connector) signedByApp(text, given []byte) bool {
	for _, secret := range []string{c.ClientSecret, c.PreviousSecret} {
		if secret == "" {
			continue
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(text)
		if hmac.Equal(given, mac.Sum(nil)) {
			return true
		}
	}
	return false
}

// kinds has the kinds of demands by topic (https://shopify.dev/docs/apps/build/compliance/privacy-law-compliance, read 2026-11-28: an app
// answers 401 to a wrong HMAC, and with a status of the 200 series to the others).
var kinds = map[string]privacy.Kind{
	"customers/data_request": privacy.ReportData,
	"customers/redact":       privacy.Redact,
	"shop/redact":            privacy.RedactShop,
	"app/uninstalled":        privacy.Uninstalled,
}

// demandPayload is the payload of all topics. Only app/uninstalled has MyshopifyDomain.
type demandPayload struct {
	ShopDomain      string `json:"shop_domain"`
	MyshopifyDomain string `json:"myshopify_domain"`
	Customer        *struct {
		ID    gid    `json:"id"`
		Email string `json:"email"`
	} `json:"customer"`
	OrdersToRedact  []gid     `json:"orders_to_redact"`
	OrdersRequested []gid     `json:"orders_requested"`
	DataRequest     *struct{} `json:"data_request"`
}

// matches reports whether a payload is of a kind, because the header with the topic is not signed.
func (p demandPayload) matches(kind privacy.Kind) bool {
	switch kind {
	case privacy.ReportData:
		return p.Customer != nil && p.DataRequest != nil
	case privacy.Redact:
		return p.Customer != nil && p.DataRequest == nil
	case privacy.Uninstalled:
		return p.Customer == nil && p.MyshopifyDomain != ""
	}
	return p.Customer == nil && p.ShopDomain != ""
}

// Demand reads a call of Shopify to the app itself, which is signed like a webhook: with the app's secret, over the body. The
// error for a wrong signature is Unauthenticated invalid_signature.
func (c *Connector) Demand(call ports.Call) (d privacy.Demand, err error) {
	given, err := base64.StdEncoding.DecodeString(call.Header("X-Shopify-Hmac-Sha256"))
	if err != nil || !c.signedByApp(call.Payload, given) {
		return d, fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing or wrong.")
	}
	var p demandPayload
	kind, known := kinds[call.Header("X-Shopify-Topic")]
	err = json.Unmarshal(call.Payload, &p)
	store := strings.ToLower(cmp.Or(p.ShopDomain, p.MyshopifyDomain))
	if err != nil || !known || !p.matches(kind) || !storeForm.MatchString(store) {
		return d, fault.New(fault.Malformed, "invalid_request", "The topic or the payload is none that this address takes.").Because(err)
	}
	sum := sha256.Sum256(call.Payload)
	d = privacy.Demand{
		Kind:    kind,
		Type:    integration.Shopify,
		Store:   store,
		Request: hex.EncodeToString(sum[:16]),
	}
	if kind == privacy.Uninstalled || kind == privacy.RedactShop { // their payloads are always the same
		d.Request = cmp.Or(call.Header("X-Shopify-Event-Id"), call.Header("X-Shopify-Webhook-Id"), d.Request)
	}
	if len(d.Request) > 100 {
		d.Request = d.Request[:100]
	}
	if p.Customer != nil {
		d.Email = strings.TrimSpace(p.Customer.Email)
		if p.Customer.ID != "" {
			d.Customers = []string{string(p.Customer.ID)}
		}
	}
	for _, order := range append(p.OrdersToRedact, p.OrdersRequested...) {
		d.Orders = append(d.Orders, string(order))
	}
	return d, nil
}
