package features

import (
	"fmt"
	"strings"

	"github.com/cucumber/godog"
)

// invitesAs invites somebody to a role in all shops.
func (c *membersContext) invitesAs(name, role string) error {
	return c.invites(name, fmt.Sprintf(`{"role": %q}`, role))
}

// joinedAs makes somebody a member, of the current shop only unless where is "".
func (c *membersContext) joinedAs(name, role, where string) error {
	if where == "" {
		return c.becomesMember(name, fmt.Sprintf(`{"role": %q}`, role))
	}
	return c.becomesMember(name, fmt.Sprintf(`{"role": %q, "project_ids": ["$shop"]}`, role))
}

func (c *membersContext) revokesInvitation(name string) error {
	return c.keys.does("the merchant", "DELETE /v1/members/invitations/$invitation_"+name, 204)
}

func (c *membersContext) noInvitationIsOpen() error {
	if err := c.keys.mustDo("the merchant", "GET /v1/members/invitations", 200); err != nil {
		return err
	}
	return c.answerShows("meta.total", "0")
}

func (c *membersContext) onlyInvitationIs(name, role string) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/members/invitations", 200); err != nil {
		return err
	}
	return c.answerShows("data.0.id", `"$invitation_`+name+`"`, "data.0.role", `"`+role+`"`, "meta.total", "1")
}

// membersAre checks the names and roles of all members, the latest first.
func (c *membersContext) membersAre(table *godog.Table) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/members", 200); err != nil {
		return err
	}
	pairs := []string{"meta.total", fmt.Sprint(len(table.Rows))}
	for i, row := range table.Rows {
		at, name, role := fmt.Sprintf("data.%d.", i), row.Cells[0].Value, row.Cells[1].Value
		pairs = append(pairs, at+"id", `"$member_`+name+`"`, at+"name", `"`+name+`"`, at+"role", `"`+role+`"`)
	}
	return c.answerShows(pairs...)
}

func (c *membersContext) setsRole(who, name, role string) error {
	return c.keys.does(who, fmt.Sprintf(`PATCH /v1/members/$member_%s {"role": %q}`, name, role), 200)
}

func (c *membersContext) removesMember(who, name string) error {
	return c.keys.does(who, "DELETE /v1/members/$member_"+name, 204)
}

func (c *membersContext) requestsPasswordLink(name string) error {
	return c.keys.does("the merchant", "POST /v1/members/$member_"+name+"/password-link", 201)
}

// isNoMember checks that the merchant neither finds a member nor can end the member's session.
func (c *membersContext) isNoMember(name string) error {
	for _, refused := range [][2]string{
		{"GET /v1/members/$member_", "404 member_not_found"},
		{"DELETE /v1/members/$member_", "404 member_not_found"},
		{"DELETE /v1/console-sessions/$session_", "404 console_session_not_found"},
	} {
		if err := c.keys.does("the merchant", refused[0]+name, 200); err != nil {
			return err
		}
		if err := c.isRefusedAs(refused[1], ""); err != nil {
			return err
		}
	}
	return nil
}

// auditNames checks the actions of a member in the audit log, the latest first, and that the latest names the member.
func (c *membersContext) auditNames(name, actions string) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/audit-events?member_id=$member_"+name, 200); err != nil {
		return err
	}
	all := strings.Split(actions, ", ")
	return c.answerShows(
		"meta.total", fmt.Sprint(len(all)),
		"data.*.action", `["`+strings.Join(all, `", "`)+`"]`,
		"data.0.key_id", `""`,
		"data.0.member.id", `"$member_`+name+`"`,
		"data.0.member.name", `"`+name+`"`,
	)
}

// auditHasReset checks that the only second factor that was reset is a member's, and who did it.
func (c *membersContext) auditHasReset(by, of string) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/audit-events?action=reset-member-mfa", 200); err != nil {
		return err
	}
	return c.answerShows("data.*.target", `["$member_`+of+`"]`, "data.0.member.name", `"`+by+`"`)
}

// memberFactorIs checks whether a member has a second factor.
func (c *membersContext) memberFactorIs(name, state string) error {
	if err := c.keys.mustDo(`"`+name+`"`, "GET /v1/account", 200); err != nil {
		return err
	}
	return c.answerShows("mfa.enabled", fmt.Sprint(state == "on"))
}

// seesOwnSession checks that a member sees one session, the own and current one.
func (c *membersContext) seesOwnSession(name string) error {
	if err := c.keys.mustDo(`"`+name+`"`, "GET /v1/console-sessions", 200); err != nil {
		return err
	}
	return c.answerShows(
		"data.0.id", `"$session_`+name+`"`,
		"data.0.member_id", `"$member_`+name+`"`,
		"data.0.current", "true",
		"meta.total", "1",
	)
}

func (c *membersContext) endsSession(who, of string) error {
	return c.keys.does(who, "DELETE /v1/console-sessions/$session_"+of, 204)
}

func (c *membersContext) endsOtherSessions(name string) error {
	return c.keys.does(`"`+name+`"`, "DELETE /v1/console-sessions?member_id=$member_"+name, 204)
}

func (c *membersContext) sessionCountIs(name string, want int) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/console-sessions?member_id=$member_"+name, 200); err != nil {
		return err
	}
	return c.answerShows("meta.total", fmt.Sprint(want))
}

// onlySessionIs checks that the account's only session is the one that a member signed in with.
func (c *membersContext) onlySessionIs(name string) error {
	if err := c.keys.mustDo("the merchant", "GET /v1/console-sessions", 200); err != nil {
		return err
	}
	return c.answerShows("data.*.id", `["$session_`+name+`"]`, "meta.total", "1")
}
