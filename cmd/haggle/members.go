package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

type membersCmd struct {
	Invite inviteMemberCmd `cmd:"" help:"Invite a person to an account. The link is shown only once, and works once within seven days."`
	List   listMembersCmd  `cmd:"" help:"List all members and open invitations."`
	Revoke revokeMemberCmd `cmd:"" help:"Revoke an invitation, or remove a member and end the member's sessions."`
	Reset  resetMFACmd     `cmd:"" name:"reset-mfa" help:"Remove the authenticator of a member who lost it, and end the member's sessions."`
}

type inviteMemberCmd struct {
	database
	Email      string   `arg:"" help:"E-mail address that the member will sign in with."`
	Role       string   `enum:"owner,manager,support,analyst" default:"owner" help:"Role of the member: owner, manager, support or analyst."`
	Projects   []string `help:"Slugs or IDs of the projects that the member can access. Default: all projects of the account."`
	Plan       string   `enum:",starter,growth,enterprise" default:"" help:"Invite to the oldest account on this plan: starter, growth or enterprise. If no account has this plan, create one. Default: the account of the projects, or the oldest account."`
	NewAccount string   `placeholder:"NAME" help:"Invite to a new account with this name, on the plan of --plan or on enterprise."`
}

func (i inviteMemberCmd) Run(ctx context.Context) error {
	with := i.withNew
	if len(i.Projects) > 0 {
		with = i.with // a new database has no projects
	}
	return with(ctx, func(app *boot.App) error {
		made, err := app.InviteMember(ctx, boot.MemberRequest{
			Email:      i.Email,
			Role:       i.Role,
			Projects:   i.Projects,
			Plan:       i.Plan,
			NewAccount: i.NewAccount,
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "Invited %s to the account %q (%s) as %s. The invitation expires at %s. The link is shown only once:\n",
			made.Email, oneLine(made.Account.Name), made.Account.ID, made.Grant.Role, moment(&made.ExpiresAt))
		fmt.Println(made.Address)
		return nil
	})
}

type listMembersCmd struct{ database }

func (l listMembersCmd) Run(ctx context.Context) error {
	return l.with(ctx, func(app *boot.App) error {
		lines, err := app.ListMembers(ctx)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			fmt.Fprintln(os.Stderr, "There are no members. To invite one, run `haggle members invite EMAIL`.")
			return nil
		}
		return printMembers(os.Stdout, lines)
	})
}

func printMembers(to io.Writer, lines []boot.MemberLine) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tE-MAIL\tNAME\tROLE\tPROJECTS\tACCOUNT\tSTATUS")
	for _, l := range lines {
		projects, status := "all", "member"
		if len(l.Grant.Projects) > 0 {
			projects = strings.Trim(fmt.Sprint(l.Grant.Projects), "[]")
		}
		if l.Invited != nil {
			status = "invited until " + moment(&l.Invited.ExpiresAt)
		}
		fmt.Fprintln(table, strings.Join([]string{
			l.ID, oneLine(l.Email), oneLine(l.Name), l.Grant.Role.String(), strings.ReplaceAll(projects, " ", ","), oneLine(l.Account.Name), status,
		}, "\t"))
	}
	return table.Flush()
}

type revokeMemberCmd struct {
	database
	ID string `arg:"" help:"ID of the member or invitation, from haggle members list."`
}

func (r revokeMemberCmd) Run(ctx context.Context) error {
	return r.with(ctx, func(app *boot.App) error {
		line, err := app.RevokeMember(ctx, r.ID)
		if err != nil {
			return err
		}
		what := "is no longer a member"
		if line.Invited != nil {
			what = "is no longer invited"
		}
		fmt.Fprintf(os.Stderr, "%s of the account %q %s.\n", oneLine(line.Email), oneLine(line.Account.Name), what)
		return nil
	})
}

type resetMFACmd struct {
	database
	ID string `arg:"" help:"ID of the member, from haggle members list."`
}

func (r resetMFACmd) Run(ctx context.Context) error {
	return r.with(ctx, func(app *boot.App) error {
		line, err := app.ResetMemberMFA(ctx, r.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "Removed the authenticator of %s in the account %q and ended all sessions.\n", oneLine(line.Email), oneLine(line.Account.Name))
		return nil
	})
}
