package features

import (
	"fmt"
	"testing"
)

// SIG-006: The key determines the algorithm, not the request.
func TestUCPSignature_algorithm(t *testing.T) {
	a := newUCPTest(t)
	a.startsPlatform()
	for _, row := range []struct {
		algorithm string
		status    int
	}{
		{"ecdsa-p256-sha256", 201},
		{"hmac-sha256", 400},
		{"none", 400},
	} {
		a.asPlatform(`signed, saying alg="`+row.algorithm+`"`, "POST /ucp/carts", `"line_items": []`)
		a.answers(row.status)

		a.asPlatform("signed", "POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"))
		a.remembers("id")
		a.asPlatform("signed", "POST /ucp/checkout-sessions/$remembered_id/complete", `"payment": {"instruments": []}`)
		a.must(a.ucp.answerIsSigned())
	}
}

// SIG-040: A profile URL that cannot be read, or is not https, is refused.
func TestUCPSignature_unreadableProfileURL(t *testing.T) {
	a := newUCPTest(t)
	a.startsPlatform()
	for _, agent := range []string{
		"profile=https://agent.example/profile",
		`profile="http://agent.example/profile"`,
		`profile="ftp://agent.example/profile"`,
		"profile=?1",
		`"https://agent.example/profile"`,
		"https://agent.example/profile",
		`agent="https://agent.example/profile"`,
	} {
		a.wirePlatform.agent = agent
		a.asPlatform("", "POST /ucp/carts", `"line_items": []`)
		a.answers(400)
		a.shows("code", `"invalid_profile_url"`, "content", "present")
	}
}

// SIG-040: A tool call refuses a profile URL that is not https.
func TestUCPSignature_toolProfileNotHTTPS(t *testing.T) {
	a := newUCPTest(t)
	a.startsPlatform()
	a.callsTool("", "get_cart", `"id": "x"`, `"meta": {"ucp-agent": {"profile": "http://agent.example/profile"}}`)
	a.answers(400)
	a.shows("error.code", "-32001", "error.data.code", `"invalid_profile_url"`)
}

// SIG-014, SIG-015, SIG-016, SIG-017, SIG-018: A signature must cover every component of the request.
func TestUCPSignature_missingComponent(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		for i, component := range []string{
			"@method", "@authority", "@path", "@query", "ucp-agent", "idempotency-key", "content-digest", "content-type",
		} {
			keyed := fmt.Sprintf(`signed, keyed "key-of-a-platform-%08d"`, i)
			a.asPlatform(keyed+", without "+component, "POST /ucp/carts?from=mail", `"line_items": []`)
			a.answers(401)
			a.shows("code", `"signature_invalid"`, "content", `contains "`+component+`"`)

			a.asPlatform(keyed, "POST /ucp/carts?from=mail", `"line_items": []`)
			a.answers(201)
		}
	})
}

// SIG-014, SIG-015, SIG-018: The shop signs its webhooks by the same rules.
func TestUCPSignature_webhook(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.must(a.wirePlatform.registersWebhook())
		a.asPlatform("signed", "POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"), ucpNamedBuyer)
		a.remembers("id")
		a.asPlatform("signed", "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.must(a.wirePlatform.receivesWebhooks(1))
	})
}

// SIG-010, SIG-019, SIG-031, SIG-032, SIG-033, SIG-034, SIG-036, SIG-038: A wrong signature is refused with a code that says what is wrong.
func TestUCPSignature_errorCodes(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		for _, row := range []struct {
			how, code string
			status    int
		}{
			{", then without Signature", "signature_missing", 401},
			{", then without Signature-Input", "signature_missing", 401},
			{", by another's key", "signature_invalid", 401},
			{", in DER", "signature_invalid", 401},
			{", then another Idempotency-Key", "signature_invalid", 401},
			{", naming nobodys-key", "key_not_found", 401},
			{", with the digest of other bytes", "digest_mismatch", 400},
			{", with a digest by SHA-512", "digest_mismatch", 400},
			{", then more body", "digest_mismatch", 400},
		} {
			a.asPlatform(`signed, keyed "key-of-a-platform-00000002"`+row.how, "POST /ucp/carts", `"line_items": []`)
			a.answers(row.status)
			a.shows("code", `"`+row.code+`"`, "content", "present")
		}
	})
}

// A wrong signature of a tool call is refused with the same codes.
func TestUCPSignature_toolErrorCodes(t *testing.T) {
	a := newUCPTest(t)
	a.startsPlatform()
	for _, row := range []struct {
		how, number, code string
		status            int
	}{
		{", then without Signature", "-32000", "signature_missing", 401},
		{", by another's key", "-32000", "signature_invalid", 401},
		{", naming nobodys-key", "-32000", "key_not_found", 401},
		{", with the digest of other bytes", "-32600", "digest_mismatch", 400},
		{", then more body", "-32600", "digest_mismatch", 400},
	} {
		a.callsTool("signed"+row.how, "create_cart", `"cart": {"line_items": []}`)
		a.answers(row.status)
		a.shows(
			"error.code", row.number,
			"error.data.code", `"`+row.code+`"`,
			"error.data.content", "present",
		)
	}
}

// A wrong signature is refused even where no agent is needed.
func TestUCPSignature_toolList(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		for _, row := range []struct {
			how, code string
			status    int
		}{
			{", then without Signature", "signature_missing", 401},
			{", then without Signature-Input", "signature_missing", 401},
			{", by another's key", "signature_invalid", 401},
			{", with the digest of other bytes", "digest_mismatch", 400},
		} {
			a.sendsMessage("signed"+row.how, `{"jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {}}`)
			a.answers(row.status)
			a.shows("id", `"list"`, "error.data.code", `"`+row.code+`"`)

			a.sendsMessage("signed", `{"jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {}}`)
			a.answers(200)

			a.sendsMessage("", `{"jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {}}`)
			a.answers(200)
		}
	})
}

// A wrong signature is refused even for the profile of the shop.
func TestUCPSignature_profile(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.asPlatform("signed, by another's key", "GET /.well-known/ucp")
		a.answers(401)
		a.shows("code", `"signature_invalid"`)

		a.asPlatform("signed", "GET /.well-known/ucp")
		a.answers(200)
	})
}

// SIG-035: A key of a curve that the shop cannot verify is refused.
func TestUCPSignature_unsupportedCurve(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.wirePlatform.publishesCurve("P-521")
		a.asPlatform("signed", "POST /ucp/carts", `"line_items": []`)
		a.answers(400)
		a.shows("code", `"algorithm_unsupported"`, "content", "present")
	})
}

// SIG-037: The shop reads a profile again for a new key, and refuses the former one.
func TestUCPSignature_rotatedKey(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.asPlatform("signed", "POST /ucp/carts", `"line_items": []`)
		a.wirePlatform.rotatesKey()
		a.must(a.wirePlatform.sendsUntilKnown("signed", "POST", a.prefix+"/ucp/carts", `{"line_items": []}`))
		a.answers(201)

		a.asPlatform("signed, by its former key", "POST /ucp/carts", `"line_items": []`)
		a.answers(401)
		a.shows("code", `"key_not_found"`)
		a.must(a.wirePlatform.profileWasRead(2))
	})
}

// SIG-012, SIG-013, SIG-020, SIG-021: The shop signs the answer to complete.
func TestUCPSignature_completionIsSigned(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.startsPlatform()
		a.asPlatform("", "POST /ucp/checkout-sessions", ucpLines("1 Trail Tent"), ucpNamedBuyer)
		a.remembers("id")
		a.asPlatform(`keyed "key-of-a-platform-00000003"`, "POST /ucp/checkout-sessions/$remembered_id/complete",
			ucpPaymentBy("spt_sandbox_decline_insufficient_funds"),
		)
		a.shows("status", `"ready_for_complete"`, "messages.0.code", `"payment_failed"`)
		a.must(a.ucp.answerIsSigned())

		a.asPlatform(`keyed "key-of-a-platform-00000004"`, "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.shows("status", `"completed"`)
		a.must(a.ucp.answerIsSigned())

		a.asPlatform(`keyed "key-of-a-platform-00000004"`, "POST /ucp/checkout-sessions/$remembered_id/complete", ucpPayment)
		a.showsHeaders("Idempotent-Replayed", "true")
		a.must(a.ucp.answerIsSigned())

		a.asPlatform("", "GET /ucp/checkout-sessions/$remembered_id")
		a.must(a.ucp.answerIsUnsigned())
	})
}

// SIG-007, SIG-008: The public keys of the shop are in its profile.
func TestUCPSignature_publicKeys(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensShop()
		keys, other := a.keysField()
		a.asAgent("GET /.well-known/ucp")
		a.shows(
			keys+".#", "2",
			keys+".0.kid", "matches ^[A-Za-z0-9_-]+$",
			keys+".0.kty", `"EC"`,
			keys+".0.crv", `"P-256"`,
			keys+".0.x", "matches ^[A-Za-z0-9_-]+$",
			keys+".0.y", "matches ^[A-Za-z0-9_-]+$",
			keys+".0.d", "absent",
			other, "absent",
		)
	})
}

// SIG-009: A retired key is published for a week.
func TestUCPSignature_retiredKey(t *testing.T) {
	eachUCPVersion(t, func(a *ucpTest) {
		a.opensShop()
		keys, _ := a.keysField()
		a.asAgent("GET /.well-known/ucp")
		a.must(a.orderHooks.agesSigningKeys("10m"))
		a.asMerchant("POST /v1/signing-keys/rotate")
		a.must(a.ucp.agesRetirement("167h"))
		a.asAgent("GET /.well-known/ucp")
		a.shows(keys+".#", "3")

		a.must(a.ucp.agesRetirement("1h"))
		a.asAgent("GET /.well-known/ucp")
		a.shows(keys+".#", "2")
	})
}
