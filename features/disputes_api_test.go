package features

import "testing"

func TestSubmitEvidence_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensTentShop()
	a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
	a.must(a.finance.opensSandboxDispute(""))
	for _, row := range [][2]string{
		{`{"product": "", "receipt": "", "note": " "}`, "note"},
		{`{"shipped_on": "yesterday"}`, "shipped_on"},
	} {
		a.asMerchant("POST /v1/disputes/$dispute/evidence", row[0])
		a.refusedNaming("422 validation_error", row[1])
	}
}

// The audit log has that a dispute was answered, and not the evidence, which may name the buyer.
func TestSubmitEvidence_audit(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensTentShop()
		a.must(a.checkouts.hasOrdered(1, "Trail Tent"))
		a.must(a.finance.opensSandboxDispute(""))
		a.must(a.finance.submitsNote("Mrs Lovelace signed for it.", ""))
		a.asMerchant("GET /v1/audit-events?project_id=$shop&action=submit-evidence")
		a.shows(
			"data.#", `1`,
			"data.0.target", `"$dispute"`,
			"data.0.after.response", `"under_review"`,
		)
		a.must(a.lastBodyContains("Lovelace", false))
	})
}
