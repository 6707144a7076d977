package features

import "testing"

func TestGetAccount_new(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.asMerchant("GET /v1/account")
		a.shows(
			"id", `matches ^acct_`,
			"name", `"$scenario"`,
			"plan", `"enterprise"`,
			"limits.requests_per_minute", `1000000`,
			"limits.burst", `1000000`,
			"mfa.enabled", `false`,
			"mfa.recovery_codes_left", `0`,
			"created_at", `matches Z$`,
		)
	})
}

func TestUpdateAccount_name(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.asMerchant("PATCH /v1/account {}")
		a.shows("name", `"$scenario"`)

		a.asMerchant(`PATCH /v1/account {"name": "Zoë's Outdoor"}`)
		a.shows("name", `"Zoë's Outdoor"`, "plan", `"enterprise"`)
		a.asMerchant("GET /v1/account")
		a.shows("name", `"Zoë's Outdoor"`)

		for _, name := range []string{"1 character long", "200 characters long"} {
			a.must(a.account.renameAccount(name))
			a.answers(200)
		}
	})
}

func TestUpdateAccount_refusals(t *testing.T) {
	a := newAPITest(t)
	a.must(a.keys.createsAccount())
	a.bodiesAreRefused("PATCH /v1/account", "422 validation_error", [][2]string{
		{`{"name": ""}`, "name"},
		{`{"name": null}`, "name"},
		{`{"name": 7}`, "name"},
		{`{"plan": "enterprise"}`, "plan"},
		{`{"mfa": null}`, "mfa"},
		{`{"limits": {}}`, "limits"},
		{`{"name": "` + randomLetters(201) + `"}`, ""},
	})
}

func TestEnrolMFA_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.account.enrol("no code"))
		a.answers(201)
		a.shows(
			"secret", `matches ^[A-Z2-7]{32,}$`,
			"otpauth_url", `matches ^otpauth://totp/Haggle:.*issuer=Haggle`,
			"recovery_codes.#", `10`,
		)
		a.must(a.account.secondFactorIs("off"))
		a.must(a.account.confirm("a fresh code"))
		a.answers(200)
		a.shows("enabled", `true`, "recovery_codes_left", `10`)
	})
}

func TestConfirmMFA_refusals(t *testing.T) {
	a := newAPITest(t)
	a.must(a.keys.createsAccount())
	a.must(a.account.enrol("no code"))
	a.bodiesAreRefused("POST /v1/account/mfa/confirm", "422 validation_error", [][2]string{
		{`{}`, "code"},
		{`{"code": 123456}`, "code"},
		{`{"code": null}`, "code"},
		{`{"code": "000000", "secret": "ABCDEF"}`, "secret"},
	})
}

// Operations that a second factor guards answer with their own status once the code is valid.
func TestDisableMFA_guardedOperations(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.account.hasAuthenticator())
		a.opensShop()
		a.must(a.account.doesWithCode("no code", "", "requires it"))
		a.answers(200)
		for _, guarded := range []struct {
			code, action string
			status       int
		}{
			{"a recovery code", "creates a key for the shop", 201},
			{"a recovery code", "no longer requires it", 200},
			{"no code", "requires it", 200},
			{"a recovery code", "enrols another authenticator", 201},
		} {
			a.must(a.account.doesWithCode(guarded.code, "", guarded.action))
			a.answers(guarded.status)
		}
		a.must(a.account.confirm("a fresh code"))
		a.answers(200)
		a.must(a.account.doesWithCode("a recovery code", "", "closes the shop"))
		a.answers(204)
		a.must(a.account.doesWithCode("a recovery code", "", "removes the authenticator"))
		a.answers(204)
	})
}
