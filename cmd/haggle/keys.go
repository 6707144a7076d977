package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

type keysCmd struct {
	Create createKeyCmd `cmd:"" help:"Create an API key. Its secret is shown once."`
	List   listKeysCmd  `cmd:"" help:"List all API keys."`
	Revoke revokeKeyCmd `cmd:"" help:"Revoke an API key. It stops working within a second."`

	RotateMaster rotateMasterCmd `cmd:"" help:"Encrypt what is stored under the first of several master keys."`
}

type createKeyCmd struct {
	database
	Name       string   `default:"default" placeholder:"NAME" help:"What the key is for, such as ci or warehouse: haggle keys list shows it."`
	Scopes     []string `default:"*" help:"Such as catalog:write,projects:read. \"*\" is all of them."`
	Projects   []string `help:"Slugs or ids of the projects to bind the key to. Default: all of the account's."`
	ExpiresIn  string   `default:"720h" aliases:"expires" placeholder:"WHEN" help:"When the key ends: after a duration such as 720h (30 days, the default), on a date such as 2030-01-31 (UTC), or never."`
	Plan       string   `enum:",starter,growth,enterprise" default:"" help:"For the oldest account on this plan, opened if there is none. Default: the account of the projects, or the oldest."`
	NewAccount string   `placeholder:"NAME" help:"For a new account with this name, on the plan, or on enterprise."`
}

func (k createKeyCmd) Run(ctx context.Context) error {
	expires, err := ending(k.ExpiresIn, time.Now())
	if err != nil {
		return err
	}
	with := k.withNew
	if len(k.Projects) > 0 {
		with = k.with // a new database has no projects
	}
	return with(ctx, func(app *boot.App) error {
		made, err := app.IssueKey(ctx, boot.KeyRequest{
			Name:       k.Name,
			Scopes:     k.Scopes,
			Projects:   k.Projects,
			Expires:    expires,
			Plan:       k.Plan,
			NewAccount: k.NewAccount,
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "The key %q for the account %q (%s, %s) ends: %s. This is the only time it is shown:\n",
			oneLine(k.Name), oneLine(made.Account.Name), made.Account.Plan, made.Account.ID, moment(expires))
		fmt.Println(made.Secret)
		return nil
	})
}

// ending parses --expires-in.
func ending(text string, now time.Time) (*time.Time, error) {
	if text == "never" {
		return nil, nil
	}
	var at time.Time
	if after, err := time.ParseDuration(text); err == nil {
		at = now.Add(after)
	} else if at, err = time.Parse(time.DateOnly, text); err != nil {
		if at, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, fmt.Errorf("--expires-in is %q: it must be a duration such as 720h, a date such as 2030-01-31, or never", text)
		}
	}
	at = at.UTC().Truncate(time.Millisecond)
	return &at, nil
}

type listKeysCmd struct{ database }

func (l listKeysCmd) Run(ctx context.Context) error {
	return l.with(ctx, func(app *boot.App) error {
		lines, err := app.ListKeys(ctx)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			fmt.Fprintln(os.Stderr, "There are no keys yet: see `haggle keys create --help`.")
			return nil
		}
		return printKeys(os.Stdout, lines)
	})
}

func printKeys(to io.Writer, lines []boot.KeyLine) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tPREFIX\tNAME\tACCOUNT\tPLAN\tSCOPES\tPROJECTS\tLAST USE\tEXPIRES\tSTATUS")
	for _, l := range lines {
		projects := "all"
		if len(l.Key.Projects) > 0 {
			projects = strings.Trim(fmt.Sprint(l.Key.Projects), "[]")
		}
		fmt.Fprintln(table, strings.Join([]string{
			l.Key.ID.String(), l.Key.Prefix + "…", oneLine(l.Key.Name), oneLine(l.Account.Name), l.Account.Plan.String(),
			strings.Join(l.Key.Scopes, ","), strings.ReplaceAll(projects, " ", ","),
			moment(l.Key.LastUsedAt), moment(l.Key.ExpiresAt), l.Status,
		}, "\t"))
	}
	return table.Flush()
}

// oneLine removes characters that would break the table or the terminal.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}

func moment(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format("2006-01-02T15:04Z")
}

type revokeKeyCmd struct {
	database
	ID string `arg:"" help:"The key's id, as haggle keys list shows it."`
}

func (r revokeKeyCmd) Run(ctx context.Context) error {
	return r.with(ctx, func(app *boot.App) error {
		line, err := app.RevokeKey(ctx, r.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "The key %q (%s…) of the account %q no longer works.\n",
			oneLine(line.Key.Name), line.Key.Prefix, oneLine(line.Account.Name))
		return nil
	})
}

// rotateMasterCmd is the second of three steps: put the new key before the old one and restart; run this command; remove the
// old key.
type rotateMasterCmd struct{ database }

func (r rotateMasterCmd) Run(ctx context.Context) error {
	return r.with(ctx, func(app *boot.App) error {
		n, err := app.RotateMaster(ctx)
		if err == nil {
			fmt.Fprintf(os.Stderr, "%d stored secrets are sealed under the first master key.\n", n)
		}
		return err
	})
}

// with opens the database and runs work. If work is refused, the error is one line.
func (d database) with(ctx context.Context, work func(*boot.App) error) error {
	app, err := d.open(ctx)
	return finish(app, err, work)
}

// withNew is with for commands that may create the database.
func (d database) withNew(ctx context.Context, work func(*boot.App) error) error {
	app, err := d.openNew(ctx)
	return finish(app, err, work)
}

func finish(app *boot.App, err error, work func(*boot.App) error) error {
	if err != nil {
		return err
	}
	return errors.Join(work(app), app.Close())
}
