package features

import "testing"

// fieldsAreRefused sends a request for each row: a field, its value as in withField, and the field that the refusal names.
func (a *apiTest) fieldsAreRefused(send func(field, value string) error, with string, rows [][3]string) {
	a.Helper()
	for _, row := range rows {
		err := send(row[0], row[1])
		if err == nil {
			err = a.isRefusedAs(with, row[2])
		}
		a.refusal = nil
		if err != nil {
			a.Errorf("%s %s: %v", row[0], row[1], err)
		}
	}
}

func TestCreateAPIKey_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.keys.createKey(`{"name": "Warehouse", "scopes": ["catalog:write", "projects:read"]}`))
		a.answers(201)
		a.shows(
			"id", `matches ^key_`,
			"name", `"Warehouse"`,
			"key", `matches ^hk_test_[0-9A-Za-z]{32,}$`,
			"prefix", `matches ^hk_test_`,
			"scopes", `["catalog:write", "projects:read"]`,
			"project_ids", `[]`,
			"created_at", `matches Z$`,
			"expires_at", `null`,
		)
		a.must(a.keys.keyHasPrefix())
		a.must(a.keys.keyWorks(""))
	})
}

func TestGetAPIKey_neverUsed(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.keys.hasKeyFor("Warehouse", "catalog:write", ""))
		a.asMerchant("GET /v1/api-keys/$key_Warehouse")
		a.shows(
			"id", `"$key_Warehouse"`,
			"name", `"Warehouse"`,
			"key", `absent`,
			"prefix", `matches ^hk_test_`,
			"status", `"active"`,
			"scopes", `["catalog:write"]`,
			"project_ids", `[]`,
			"expires_at", `null`,
			"last_used_at", `null`,
		)
		a.must(a.keys.keyShownOnce("Warehouse"))
	})
}

func TestListAPIKeys_pages(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.keys.hasKeyFor("One", "catalog:read", ""))
		a.asMerchant("GET /v1/api-keys")
		a.shows(
			"data.*.name", `["One", "Owner"]`,
			"data.0.key", `absent`,
			"meta.total", `2`,
			"meta.limit", `20`,
			"meta.offset", `0`,
		)
		a.must(a.keys.keyShownOnce("One"))

		a.must(a.keys.hasKeyFor("Two", "catalog:read", ""))
		a.asMerchant("GET /v1/api-keys?limit=1&offset=1")
		a.shows(
			"data.*.name", `["One"]`,
			"meta.total", `3`,
			"meta.limit", `1`,
			"meta.offset", `1`,
		)
	})
}

func TestListAPIKeys_refusals(t *testing.T) {
	a := newAPITest(t)
	a.must(a.keys.createsAccount())
	a.merchantIsRefused([]rejection{
		{"GET /v1/api-keys?limit=0", "400 invalid_request", "limit"},
		{"GET /v1/api-keys?limit=101", "400 invalid_request", "limit"},
		{"GET /v1/api-keys?offset=-1", "400 invalid_request", "offset"},
	})
}

func TestGetAPIKey_unknown(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.merchantIsRefused([]rejection{
			{"GET /v1/api-keys/key_unknown", "404 api_key_not_found", ""},
			{"GET /v1/api-keys/key_00000000000000000000000000", "404 api_key_not_found", ""},
			{"GET /v1/api-keys/proj_00000000000000000000000000", "404 api_key_not_found", ""},
			{"DELETE /v1/api-keys/key_unknown", "404 api_key_not_found", ""},
			{"DELETE /v1/api-keys/%20", "404 api_key_not_found", ""},
		})
	})
}

func TestCreateAPIKey_limitsOfFields(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		for _, field := range [][2]string{
			{"name", `1 character long`},
			{"name", `200 characters long`},
			{"scopes", `["*"]`},
			{"scopes", `["projects:read", "agents:write", "integrations:read"]`},
			{"scopes", `["finance:write", "analytics:read", "events:read", "keys:read"]`},
			{"project_ids", `[]`},
			{"expires_at", `null`},
			{"expires_at", `"2999-12-31T23:59:59+01:00"`},
		} {
			a.must(a.keys.createKeyWith(field[0], field[1]))
			a.answers(201)
		}
	})
}

func TestCreateAPIKey_refusals(t *testing.T) {
	a := newAPITest(t)
	a.must(a.keys.createsAccount())
	a.fieldsAreRefused(a.keys.createKeyWith, "422 validation_error", [][3]string{
		{"name", `missing`, "name"},
		{"name", `""`, "name"},
		{"name", `null`, "name"},
		{"name", `7`, "name"},
		{"name", `201 characters long`, "name"},
		{"scopes", `missing`, "scopes"},
		{"scopes", `[]`, "scopes"},
		{"scopes", `"catalog:read"`, "scopes"},
		{"scopes", `["catalog:read", "dogs:read"]`, "scopes.1"},
		{"scopes", `["catalog"]`, "scopes.0"},
		{"scopes", `["catalog:delete"]`, "scopes.0"},
		{"scopes", `["*:read"]`, "scopes.0"},
		{"scopes", `["CATALOG:read"]`, "scopes.0"},
		{"scopes", `["catalog:read", "catalog:read"]`, "scopes.1"},
		{"project_ids", `["proj_unknown"]`, "project_ids.0"},
		{"project_ids", `["proj_00000000000000000000000000"]`, "project_ids.0"},
		{"expires_at", `"2000-01-01T00:00:00Z"`, "expires_at"},
		{"expires_at", `"tomorrow"`, "expires_at"},
		{"expires_at", `7`, "expires_at"},
		{"colour", `"red"`, "colour"},
	})

	a.asMerchant("POST /v1/api-keys " +
		`{"name": "", "scopes": ["catalog:read", "dogs:read", "cats"], "project_ids": ["x"], "expires_at": "2000-01-01T00:00:00Z"}`)
	a.refusedNaming("422 validation_error", "name", "scopes.1", "scopes.2", "project_ids.0", "expires_at")
}

func TestCreateAPIKey_otherAccountsShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.must(a.keys.createsAccount())
		a.fieldsAreRefused(a.keys.createKeyWith, "422 validation_error", [][3]string{{"project_ids", `["$shop"]`, "project_ids.0"}})
	})
}

// A key creates no key with more scopes, more shops or a later end than its own.
func TestCreateAPIKey_moreThanTheCaller(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.keys.hasKeyFor("Scopes", "keys:write and catalog:read", ""))
		a.keyCannotCreate("Scopes", [][2]string{
			{`"scopes": ["*"]`, "scopes.0"},
			{`"scopes": ["catalog:write"]`, "scopes.0"},
			{`"scopes": ["catalog:read", "events:read"]`, "scopes.1"},
		})
		a.must(a.keys.holderCreatesKeyFor("Scopes", "catalog:read, keys:read and keys:write"))
		a.answers(201)

		a.opensShop()
		a.must(a.shops.openOtherShops(1))
		a.must(a.keys.hasKeyFor("Shops", "keys:write", ", in this shop only"))
		a.keyCannotCreate("Shops", [][2]string{
			{`"scopes": ["keys:read"]`, "project_ids"},
			{`"scopes": ["keys:read"], "project_ids": []`, "project_ids"},
			{`"scopes": ["keys:read"], "project_ids": ["$other"]`, "project_ids.0"},
			{`"scopes": ["keys:read"], "project_ids": ["$shop", "$other"]`, "project_ids.1"},
		})

		a.must(a.keys.hasKey("Brief", `{"scopes": ["keys:write"], "expires_at": "2100-01-01T00:00:00Z"}`))
		a.keyCannotCreate("Brief", [][2]string{
			{`"scopes": ["keys:read"]`, "expires_at"},
			{`"scopes": ["keys:read"], "expires_at": null`, "expires_at"},
			{`"scopes": ["keys:read"], "expires_at": "2100-01-01T00:00:01Z"`, "expires_at"},
		})
	})
}

// keyCannotCreate checks that a key's holder cannot create keys. Rows are pairs of JSON fields and the field that the refusal names.
func (a *apiTest) keyCannotCreate(holder string, rows [][2]string) {
	a.Helper()
	var all []rejection
	for _, row := range rows {
		all = append(all, rejection{`POST /v1/api-keys {"name": "Offspring", ` + row[0] + `}`, "422 validation_error", row[1]})
	}
	a.eachIsRefused(`holder of "`+holder+`"`, all)
}

func TestRevokeAPIKey_twice(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.keys.hasKeyFor("Lost", "projects:read", ""))
		a.asMerchant("DELETE /v1/api-keys/$key_Lost")
		a.answers(204)
		a.asMerchant("DELETE /v1/api-keys/$key_Lost")
		a.refused("404 api_key_not_found")
	})
}
