package features

import "testing"

func TestCreateInvitation_answer(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.members.invitesAs("Ada", "support"))
		a.answers(201)
		a.shows(
			"id", `matches ^link_`,
			"email", `matches ^ada@`,
			"role", `"support"`,
			"project_ids", `[]`,
			"invited_by", `matches ^key_`,
			"link", `matches ^http://.*/console/join/[0-9a-z]{32}$`,
			"mailed", `false`,
		)
		a.asMerchant("GET /v1/members/invitations")
		a.shows("data.0.id", `"$invitation_Ada"`, "meta.total", `1`)
	})
}

func TestCreateInvitation_refusals(t *testing.T) {
	a := newAPITest(t)
	a.must(a.keys.createsAccount())
	a.bodiesAreRefused("POST /v1/members/invitations", "422 validation_error", [][2]string{
		{`{"role": "support"}`, "email"},
		{`{"email": "ada", "role": "support"}`, "email"},
		{`{"email": "a@example.com, b@example.com", "role": "support"}`, "email"},
		{`{"email": "ada@example.com"}`, "role"},
		{`{"email": "ada@example.com", "role": "admin"}`, "role"},
		{`{"email": "ada@example.com", "role": "support", "project_ids": ["proj_00000000000000000000000000"]}`, "project_ids.0"},
		{`{"email": "ada@example.com", "role": "owner", "project_ids": ["proj_00000000000000000000000000"]}`, "project_ids"},
		{`{"email": "ada@example.com", "role": "support", "password": "x"}`, "password"},
	})
	a.must(a.members.noInvitationIsOpen())
}

func TestRevokeInvitation_twice(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.members.invitesAs("Ada", "support"))
		a.asMerchant("DELETE /v1/members/invitations/$invitation_Ada")
		a.answers(204)
		a.asMerchant("DELETE /v1/members/invitations/$invitation_Ada")
		a.refused("404 invitation_not_found")
	})
}

func TestUpdateMember_roleAndName(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.members.joinedAs("Ada", "analyst", ""))
		a.asMerchant(`PATCH /v1/members/$member_Ada {"role": "manager", "name": "Ada L."}`)
		a.shows("role", `"manager"`, "name", `"Ada L."`)
	})
}

func TestUpdateMember_refusals(t *testing.T) {
	a := newAPITest(t)
	a.must(a.keys.createsAccount())
	a.must(a.members.joinedAs("Ada", "support", ""))
	a.bodiesAreRefused("PATCH /v1/members/$member_Ada", "422 validation_error", [][2]string{
		{`{"name": ""}`, "name"},
		{`{"role": "admin"}`, "role"},
		{`{"role": null}`, "role"},
		{`{"project_ids": ["proj_00000000000000000000000000"]}`, "project_ids.0"},
		{`{"email": "eve@example.com"}`, "email"},
	})
}

func TestGetMember_unknown(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.merchantIsRefused([]rejection{
			{"GET /v1/members/mem_unknown", "404 member_not_found", ""},
			{"PATCH /v1/members/mem_00000000000000000000000000 {}", "404 member_not_found", ""},
			{"DELETE /v1/members/mem_00000000000000000000000000", "404 member_not_found", ""},
			{"POST /v1/members/mem_00000000000000000000000000/password-link", "404 member_not_found", ""},
			{"POST /v1/members/mem_00000000000000000000000000/reset-mfa", "404 member_not_found", ""},
			{"DELETE /v1/members/invitations/link_unknown", "404 invitation_not_found", ""},
			{"DELETE /v1/console-sessions/csess_unknown", "404 console_session_not_found", ""},
			{"DELETE /v1/console-sessions?member_id=mem_unknown", "404 member_not_found", ""},
		})
	})
}

func TestListAuditEvents_signIn(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		a.must(a.members.joinedAs("Ada", "support", ""))
		a.must(a.members.signsInWith("Ada", memberPassword))
		a.must(a.members.signsInAs("Ada", "wrong horse battery")) // leaves no event
		a.asMerchant("GET /v1/audit-events?member_id=$member_Ada")
		a.shows(
			"data.*.action", `["sign-in", "join-account"]`,
			"data.*.after.by", `["password", "invitation"]`,
			"data.0.target", `"$member_Ada"`,
			"data.0.project_id", `null`,
		)
	})
}

func TestUpdateAccount_sessionMinutes(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.keys.createsAccount())
		for _, minutes := range [][2]string{{"5", "5"}, {"10080", "10080"}, {"null", "480"}} {
			a.asMerchant(`PATCH /v1/account {"console_session_minutes": ` + minutes[0] + `}`)
			a.shows("console_session_minutes", minutes[1])
		}
		a.bodiesAreRefused("PATCH /v1/account", "422 validation_error", [][2]string{
			{`{"console_session_minutes": 4}`, "console_session_minutes"},
			{`{"console_session_minutes": 10081}`, "console_session_minutes"},
			{`{"console_session_minutes": "60"}`, "console_session_minutes"},
		})
	})
}
