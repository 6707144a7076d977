package features

import "testing"

func TestCreateSynonym(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.asMerchant("POST /v1/catalog/synonyms", `{"words": ["Sofa", " couch ", "Chaise   longue"]}`)
		a.answers(201)
		a.shows(
			"id", `matches ^syn_`,
			"input", `null`,
			"words", `["Sofa", "couch", "Chaise longue"]`,
			"created_at", `matches Z$`,
			"updated_at", `matches Z$`,
		)
		a.must(a.search.synonymReadsTheSame())

		a.asMerchant("POST /v1/catalog/synonyms", `{"input": "Phone", "words": ["smartphone"]}`)
		a.answers(201)
		a.shows("input", `"Phone"`, "words", `["smartphone"]`)
		a.must(a.search.synonymReadsTheSame())

		for _, body := range []string{
			`{"input": null, "words": ["sofa", "couch"]}`,
			`{"words": ["電話", "スマホ"]}`,
			`{"words": ["7", "seven"]}`,
			`{"input": "tv", "words": ["a television that has a screen"]}`,
			`{"words": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20"]}`,
		} {
			a.asMerchant("POST /v1/catalog/synonyms", body)
			a.answers(201)
			a.must(a.search.synonymReadsTheSame())
		}
	})
}

func TestCreateSynonym_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.bodiesAreRefused("POST /v1/catalog/synonyms", "422 validation_error", [][2]string{
		{`{}`, "words"},
		{`{"input": "phone"}`, "words"},
		{`{"words": null}`, "words"},
		{`{"words": []}`, "words"},
		{`{"words": ["sofa"]}`, "words"},
		{`{"input": null, "words": ["sofa"]}`, "words"},
		{`{"input": "phone", "words": []}`, "words"},
		{`{"words": "sofa"}`, "words"},
		{`{"words": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21"]}`, "words"},
		{`{"words": ["sofa", ""]}`, "words.1"},
		{`{"words": ["sofa", "couch", " "]}`, "words.2"},
		{`{"words": ["sofa", "couch", "--"]}`, "words.2"},
		{`{"words": ["sofa", 7]}`, "words.1"},
		{`{"words": ["sofa", "a b c d e f g"]}`, "words.1"},
		{`{"words": ["sofa", "a\u0000b"]}`, "words.1"},
		{`{"words": ["sofa", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]}`, "words.1"},
		{`{"words": ["sofa", "couch", "SOFA"]}`, "words.2"},
		{`{"words": ["chaise longue", "Chaise  Longue"]}`, "words.1"},
		{`{"input": "phone", "words": ["mobile", "Phone"]}`, "words.1"},
		{`{"input": "", "words": ["sofa", "couch"]}`, "input"},
		{`{"input": "?!", "words": ["sofa", "couch"]}`, "input"},
		{`{"input": "a b c d e f g", "words": ["sofa"]}`, "input"},
		{`{"input": 7, "words": ["sofa"]}`, "input"},
		{`{"words": ["sofa", "couch"], "weight": 2}`, "weight"},
		{`{"words": ["sofa", "couch"], "id": "syn_mine"}`, "id"},
	})
	a.must(a.search.synonymCountIs(0))

	a.asMerchant("POST /v1/catalog/synonyms", `{"input": "!", "words": ["", "sofa", "Sofa", "a b c d e f g"]}`)
	a.refusedNaming("422 validation_error", "input", "words.0", "words.2", "words.3")
}

func TestListSynonyms(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.search.openShopWithSynonyms(45))
		for _, row := range []struct{ query, limit, shown string }{
			{"", `20`, `20`},
			{"?limit=100", `100`, `45`},
			{"?limit=30&offset=30", `30`, `15`},
			{"?offset=45", `20`, `0`},
		} {
			a.asMerchant("GET /v1/catalog/synonyms" + row.query)
			a.shows(
				"meta.total", `45`,
				"meta.limit", row.limit,
				"data.#", row.shown,
			)
		}

		// sorted by creation
		a.asMerchant("GET /v1/catalog/synonyms?limit=3&offset=10")
		a.shows("data.*.words.0", `["word 10", "word 11", "word 12"]`)
		a.must(a.search.createsSynonym(`{"input": "late", "words": ["last"]}`))
		a.asMerchant("GET /v1/catalog/synonyms?offset=44")
		a.shows("data.*.input", `[null, "late"]`)

		a.merchantIsRefused([]rejection{
			{"GET /v1/catalog/synonyms?limit=0", "400 invalid_request", "limit"},
			{"GET /v1/catalog/synonyms?limit=101", "400 invalid_request", "limit"},
			{"GET /v1/catalog/synonyms?offset=-1", "400 invalid_request", "offset"},
		})
	})
}

const phoneSynonym = `{"input": "phone", "words": ["smartphone", "mobile"]}`

func TestUpdateSynonym(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		for _, row := range []struct{ change, input, words string }{
			{`{}`, `"phone"`, `["smartphone", "mobile"]`},
			{`{"words": ["handset"]}`, `"phone"`, `["handset"]`},
			{`{"input": "cell"}`, `"cell"`, `["smartphone", "mobile"]`},
			{`{"input": null}`, `null`, `["smartphone", "mobile"]`},
			{`{"input": "mobile", "words": ["phone"]}`, `"mobile"`, `["phone"]`},
			{`{"input": null, "words": ["tent", "yurt"]}`, `null`, `["tent", "yurt"]`},
		} {
			a.must(a.search.createsSynonym(phoneSynonym))
			a.asMerchant("PATCH /v1/catalog/synonyms/$synonym", row.change)
			a.answers(200)
			a.shows(
				"id", `"$synonym"`,
				"input", row.input,
				"words", row.words,
			)
			a.must(a.search.synonymReadsTheSame())
			a.must(a.search.synonymCountIs(1))
			a.asMerchant("DELETE /v1/catalog/synonyms/$synonym")
			a.answers(204)
		}
	})
}

func TestUpdateSynonym_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.must(a.search.createsSynonym(phoneSynonym))
	a.bodiesAreRefused("PATCH /v1/catalog/synonyms/$synonym", "422 validation_error", [][2]string{
		{`{"words": null}`, "words"},
		{`{"words": []}`, "words"},
		{`{"input": null, "words": ["tent"]}`, "words"},
		{`{"input": ""}`, "input"},
		{`{"input": "Mobile"}`, "words.1"},
		{`{"words": ["PHONE"]}`, "words.0"},
		{`{"id": "syn_mine"}`, "id"},
	})
	a.asMerchant("GET /v1/catalog/synonyms/$synonym")
	a.shows("input", `"phone"`, "words", `["smartphone", "mobile"]`)
}

func TestDeleteSynonym(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.search.createsSynonym(phoneSynonym))
		a.asMerchant("DELETE /v1/catalog/synonyms/$synonym")
		a.answers(204)
		a.must(a.search.synonymCountIs(0))
		a.merchantIsRefused([]rejection{
			{`GET /v1/catalog/synonyms/$synonym`, "404 synonym_not_found", ""},
			{`DELETE /v1/catalog/synonyms/$synonym`, "404 synonym_not_found", ""},
			{`PATCH /v1/catalog/synonyms/$synonym {"input": "cell"}`, "404 synonym_not_found", ""},
		})
	})
}

func TestReplaceSynonyms(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.search.createsSynonym(sofaSynonym))
		a.asMerchant("PUT /v1/catalog/synonyms", `{"synonyms": [{"words": ["zelt", "tent"]}, {"input": "phone", "words": ["mobile"]}, {"words": ["a", "b"]}]}`)
		a.answers(200)
		a.shows(
			"data.*.words.0", `["zelt", "mobile", "a"]`,
			"data.*.input", `[null, "phone", null]`,
			"data.0.id", `matches ^syn_`,
		)
		a.must(a.search.synonymCountIs(3))
		a.asMerchant("GET /v1/catalog/synonyms")
		a.shows("data.*.words.0", `["zelt", "mobile", "a"]`)
		a.asMerchant("GET /v1/catalog/synonyms/$synonym")
		a.refused("404 synonym_not_found")

		a.asMerchant("PUT /v1/catalog/synonyms", `{"synonyms": []}`)
		a.answers(200)
		a.shows("data", `[]`)
		a.must(a.search.synonymCountIs(0))
	})
}

func TestReplaceSynonyms_refusals(t *testing.T) {
	onEngines(t, func(a *apiTest) { // a refused list changes nothing
		a.opensShop()
		a.must(a.search.createsSynonym(sofaSynonym))
		a.bodiesAreRefused("PUT /v1/catalog/synonyms", "422 validation_error", [][2]string{
			{`{}`, "synonyms"},
			{`{"synonyms": null}`, "synonyms"},
			{`{"synonyms": [{}]}`, "synonyms.0.words"},
			{`{"synonyms": [{"words": ["a", "b"]}, {"words": ["a"]}]}`, "synonyms.1.words"},
			{`{"synonyms": [{"words": ["a", "b"]}, {"words": ["a", "b"]}, {"words": ["a", "b"]}, {"words": ["-", "b"]}]}`, "synonyms.3.words.0"},
			{`{"synonyms": [{"input": " ", "words": ["a", "b"]}]}`, "synonyms.0.input"},
			{`{"synonyms": [{"words": ["a", "b"], "id": "syn_mine"}]}`, "synonyms.0.id"},
		})
		a.must(a.search.synonymCountIs(1))
		a.asMerchant("GET /v1/catalog/synonyms/$synonym")
		a.shows("words", `["sofa", "couch"]`)
	})
}

func TestGetSynonym_otherShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.shops.openOtherShops(1))
		a.must(a.search.createsSynonym(sofaSynonym))
		for _, request := range []string{
			`GET /v1/catalog/synonyms/$synonym`,
			`PATCH /v1/catalog/synonyms/$synonym {"words": ["tent", "yurt"]}`,
			`DELETE /v1/catalog/synonyms/$synonym`,
			`GET /v1/catalog/synonyms/syn_unknown`,
			`GET /v1/catalog/synonyms/syn_0000000000000000000000000a`,
		} {
			a.with("X-Project-Id", a.otherShops[0].ID).asMerchant(request)
			a.refused("404 synonym_not_found")
			a.asMerchant("GET /v1/catalog/synonyms/$synonym")
			a.shows("words", `["sofa", "couch"]`)
		}

		a.with("X-Project-Id", a.otherShops[0].ID).asMerchant("PUT /v1/catalog/synonyms", `{"synonyms": []}`)
		a.answers(200)
		a.must(a.search.synonymCountIs(1))
	})
}

func TestListSynonyms_withoutShop(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.catalog.selectsShop("")
	a.merchantIsRefused([]rejection{
		{`GET /v1/catalog/synonyms`, "400 project_required", ""},
		{`POST /v1/catalog/synonyms {"words": ["sofa", "couch"]}`, "400 project_required", ""},
		{`PUT /v1/catalog/synonyms {"synonyms": []}`, "400 project_required", ""},
	})
}

func TestCreateSynonym_scopes(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.must(a.search.createsSynonym(sofaSynonym))
		a.must(a.keys.hasKey("Clerk", `{"scopes": ["catalog:read", "projects:write"], "project_ids": ["$shop"]}`))
		a.eachIsRefused(`holder of "Clerk"`, []rejection{
			{`POST /v1/catalog/synonyms {"words": ["tent", "yurt"]}`, "403 insufficient_scope", ""},
			{`PATCH /v1/catalog/synonyms/$synonym {"words": ["tent", "yurt"]}`, "403 insufficient_scope", ""},
			{`DELETE /v1/catalog/synonyms/$synonym`, "403 insufficient_scope", ""},
			{`PUT /v1/catalog/synonyms {"synonyms": []}`, "403 insufficient_scope", ""},
		})
		a.must(a.search.synonymCountIs(1))

		a.must(a.keys.hasKey("Reader", `{"scopes": ["catalog:read"], "project_ids": ["$shop"]}`))
		a.asHolder("Reader", "GET /v1/catalog/synonyms/$synonym")
		a.answers(200)
		a.asHolder("Reader", "GET /v1/catalog/synonyms")
		a.answers(200)
	})
}

func TestCreateSynonym_idempotencyKey(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		for _, row := range []struct {
			requestTwice
			count int // of synonyms afterwards
		}{
			{requestTwice{`POST /v1/catalog/synonyms {"words": ["tent", "yurt"]}`, 201}, 2},
			{requestTwice{`PATCH /v1/catalog/synonyms/$synonym {"words": ["tent", "yurt"]}`, 200}, 1},
			{requestTwice{`DELETE /v1/catalog/synonyms/$synonym`, 204}, 0},
			{requestTwice{`PUT /v1/catalog/synonyms {"synonyms": [{"input": "a", "words": ["b"]}]}`, 200}, 1},
		} {
			a.opensShop()
			a.must(a.search.createsSynonym(sofaSynonym))
			row.replays(a, "a")
			a.must(a.search.synonymCountIs(row.count))
		}
	})
}

func TestListAuditEvents_synonyms(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.opensShop()
		a.must(a.search.createsSynonym(`{"input": "phone", "words": ["mobile"]}`))
		a.asMerchant("PATCH /v1/catalog/synonyms/$synonym", `{"words": ["handset"]}`)
		a.asMerchant("DELETE /v1/catalog/synonyms/$synonym")
		a.asMerchant("PUT /v1/catalog/synonyms", `{"synonyms": [{"words": ["sofa", "couch"]}]}`)
		a.asMerchant("GET /v1/audit-events")
		a.shows(
			"data.0.action", `"replace-synonyms"`,
			"data.0.target", `"$shop"`,
			"data.0.after.synonyms.0.words", `["sofa", "couch"]`,
			"data.1.action", `"delete-synonym"`,
			"data.1.target", `"$synonym"`,
			"data.1.before.words", `["handset"]`,
			"data.1.after", `null`,
			"data.2.action", `"update-synonym"`,
			"data.2.target", `"$synonym"`,
			"data.2.before.words", `["mobile"]`,
			"data.2.after.words", `["handset"]`,
			"data.2.after.input", `absent`,
			"data.3.action", `"create-synonym"`,
			"data.3.target", `"$synonym"`,
			"data.3.after.input", `"phone"`,
		)
	})
}
