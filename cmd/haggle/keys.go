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
	Create createKeyCmd `cmd:"" help:"Create an API key and print its secret, which is shown only once."`
	List   listKeysCmd  `cmd:"" help:"List all API keys."`
	Revoke revokeKeyCmd `cmd:"" help:"Revoke an API key. It stops working within a second."`

	RotateMaster rotateMasterCmd `cmd:"" help:"Re-encrypt all stored secrets with the first key of HAGGLE_MASTER_KEY."`
}

type createKeyCmd struct {
	database
	Name       string   `default:"default" placeholder:"NAME" help:"Name of the key, such as ci or warehouse."`
	Scopes     []string `default:"*" help:"Scopes of the key, such as catalog:write,projects:read. \"*\" grants all scopes."`
	Projects   []string `help:"Slugs or IDs of the projects that the key can access. Default: all projects of the account."`
	ExpiresIn  string   `default:"720h" aliases:"expires" placeholder:"WHEN" help:"Expiry of the key: a duration such as 720h (30 days, the default), a date such as 2030-01-31 (UTC), or never."`
	Plan       string   `enum:",starter,growth,enterprise" default:"" help:"Create the key for the oldest account on this plan: starter, growth or enterprise. If no account has this plan, create one. Default: the account of the projects, or the oldest account."`
	NewAccount string   `placeholder:"NAME" help:"Create the key for a new account with this name, on the plan of --plan or on enterprise."`
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
		fmt.Fprintf(os.Stderr, "Created the API key %q for the account %q (%s, %s). Expires: %s. The secret is shown only once:\n",
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
			fmt.Fprintln(os.Stderr, "There are no API keys. To create one, run `haggle keys create`.")
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
	ID string `arg:"" help:"ID of the key, from haggle keys list."`
}

func (r revokeKeyCmd) Run(ctx context.Context) error {
	return r.with(ctx, func(app *boot.App) error {
		line, err := app.RevokeKey(ctx, r.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "Revoked the API key %q (%s…) of the account %q.\n",
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
			fmt.Fprintf(os.Stderr, "Encrypted %d stored secrets with the first master key.\n", n)
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
