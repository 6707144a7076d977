// Command haggle is the merchant's program: the server and its tools. Simulated buyers, platforms and providers are in a second
// program, haggle-sim, which haggle simulate runs.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/haggle/licenses"
)

type cli struct {
	Serve      serveCmd         `cmd:"" help:"Run the server: APIs, console, documentation and background work."`
	Simulate   simulateCmd      `cmd:"" passthrough:"" help:"Send simulated buyers to a server, or run simulators of platforms and providers (runs haggle-sim)."`
	Import     importCmd        `cmd:"" help:"Import products into a project from a CSV or NDJSON file."`
	Agents     agentsCmd        `cmd:"" help:"List, tune and audit the agents of a project."`
	Payments   paymentsCmd      `cmd:"" help:"List and resolve payments with an unknown outcome."`
	Refunds    refundsCmd       `cmd:"" help:"List and resolve refunds with an unknown outcome."`
	API        apiCmd           `cmd:"" name:"api" help:"Send a request to the Management API and print the response."`
	Listen     listenCmd        `cmd:"" help:"Print the events of a project as they occur, and forward them to a local program."`
	Keys       keysCmd          `cmd:"" help:"Manage API keys."`
	Members    membersCmd       `cmd:"" help:"Manage members of accounts and invitations."`
	Doctor     doctorCmd        `cmd:"" help:"Check the configuration and the services that it refers to."`
	Health     healthCmd        `cmd:"" help:"Check whether the server on this machine is ready, for container health checks."`
	Verify     verifyCmd        `cmd:"" help:"Check the database for inconsistencies in orders, payments, stock, events and the ledger."`
	Migrate    migrateCmd       `cmd:"" help:"Migrate the database schema and exit."`
	Backup     backupCmd        `cmd:"" help:"Write the whole database to a file. Servers can keep running."`
	Restore    restoreCmd       `cmd:"" help:"Restore a backup into an empty database and verify it."`
	SearchEval searchEvalCmd    `cmd:"" passthrough:"" help:"Measure the relevance of search results against judgements by people (runs haggle-sim)."`
	Licenses   licensesCmd      `cmd:"" help:"Print the licenses of haggle, haggle-sim and their dependencies."`
	Completion completionCmd    `cmd:"" help:"Print a shell completion script."`
	Help       helpCmd          `cmd:"" help:"Show the help of a command."`
	Version    versionCmd       `cmd:"" help:"Print the version, the commit and the schema version."`
	ShowIt     kong.VersionFlag `name:"version" help:"Print the version."`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "haggle:", err)
		os.Exit(exitCode(err))
	}
}

// errUsage marks an error in the command line. Its message is empty.
var errUsage = errors.New("")

// exitCode returns 2 for an invalid command line, and 1 for any other error.
func exitCode(err error) int {
	if errors.Is(err, errUsage) {
		return 2
	}
	return 1
}

func run(args []string) error {
	about, err := boot.About()
	if err != nil {
		return err
	}
	if err := boot.ReadVariableFiles(os.Environ(), os.Setenv); err != nil {
		return err
	}
	var c cli
	parser, err := newParser(&c, about)
	if err != nil {
		return err
	}
	if len(args) > 0 && args[0] == completing {
		for _, candidate := range candidates(parser.Model.Node, args[1:]) {
			fmt.Println(candidate)
		}
		return nil
	}
	command, err := parser.Parse(withHelpFlag(args))
	if err != nil {
		return fmt.Errorf("%w (see %s --help)%w", nameVariable(err), commandOf(err), errUsage)
	}
	ctx, stop := untilSignal()
	defer stop()
	command.BindTo(ctx, (*context.Context)(nil))
	return rewordForOperator(command, command.Run())
}

// newParser returns a parser of command lines into c.
func newParser(c *cli, about string) (*kong.Kong, error) {
	parser, err := kong.New(c, kong.Name("haggle"), kong.UsageOnError(),
		kong.Description("A merchant's server for agentic commerce: AI shopping agents search, negotiate and pay."),
		kong.Vars{"version": about}, kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.ExplicitGroups(flagGroups))
	if err != nil {
		return nil, err
	}
	addExamples(parser.Model.Node, "")
	return parser, nil
}

// flagGroups are the flags' groups in the order of the help.
var flagGroups = []kong.Group{
	{Key: "server", Title: "Server:"},
	{Key: "database", Title: "Database:"},
	{Key: "shops", Title: "Shops and buyers' agents:"},
	{Key: "limits", Title: "Limits:"},
	{Key: "payments", Title: "Payments:"},
	{Key: "integrations", Title: "Integrations:"},
	{Key: "models", Title: "Language models:"},
	{Key: "messages", Title: "Events and mail:"},
	{Key: "sign-in", Title: "Sign-in by OpenID Connect:"},
	{Key: "client", Title: "Running server:"},
}

// withHelpFlag turns haggle help backup into haggle backup --help, and haggle alone into haggle --help.
func withHelpFlag(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// commandOf returns the command that a parse error is about, such as "haggle keys create".
func commandOf(err error) string {
	names := []string{"haggle"}
	if failed, ok := errors.AsType[*kong.ParseError](err); ok && failed.Context != nil {
		for _, at := range failed.Context.Path {
			if at.Command != nil {
				names = append(names, at.Command.Name)
			}
		}
	}
	return strings.Join(names, " ")
}

// helpCmd is listed in the help. withHelpFlag replaces it before the command line is parsed.
type helpCmd struct {
	Of []string `arg:"" optional:"" name:"command" help:"Command to show the help of."`
}

func (helpCmd) Run() error { return nil }

// untilSignal returns a context that the first SIGINT or SIGTERM cancels. The second one ends the program at once.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop()
	}()
	return ctx, stop
}

// database has the flags of commands that work on the database without a server.
type database struct {
	DatabaseURL string `env:"HAGGLE_DATABASE_URL" default:"sqlite://.data/haggle.db" group:"database" help:"Database: sqlite://PATH or postgres://…."`
	Pooler      string `env:"HAGGLE_DATABASE_POOLER" name:"database-pooler" default:"none" enum:"none,transaction" group:"database" help:"Connection pooler in front of PostgreSQL: none or transaction."`
	AllowNewer  bool   `env:"HAGGLE_ALLOW_NEWER_SCHEMA" name:"allow-newer-schema" group:"database" help:"Use the database even if a newer release has migrated it."`
	Env         string `env:"HAGGLE_ENV" default:"sandbox" enum:"sandbox,production" group:"server" help:"Environment: sandbox or production."`
	MasterKey   string `env:"HAGGLE_MASTER_KEY" group:"server" help:"Key that encrypts stored credentials. Required in production. Separate several keys with commas."`

	migrated func(done, of int)
}

// open opens the database and migrates it. It does not create one.
func (d database) open(ctx context.Context) (*boot.App, error) {
	if err := boot.CheckEnvironment(os.Environ()); err != nil {
		return nil, err
	}
	if err := boot.ExistingFile(d.DatabaseURL); err != nil {
		return nil, err
	}
	return boot.NewTools(ctx, d.config(), telemetry.NewLogger(os.Stderr, "warn", "text"))
}

// openNew is open, but creates a missing SQLite database and says so.
func (d database) openNew(ctx context.Context) (*boot.App, error) {
	if err := boot.CheckEnvironment(os.Environ()); err != nil {
		return nil, err
	}
	missing := boot.ExistingFile(d.DatabaseURL)
	app, err := boot.NewTools(ctx, d.config(), telemetry.NewLogger(os.Stderr, "warn", "text"))
	if err == nil && missing != nil {
		fmt.Fprintf(os.Stderr, "Created a new database at %s.\n", strings.TrimPrefix(d.DatabaseURL, "sqlite://"))
	}
	return app, err
}

func (d database) config() boot.Config {
	return boot.Config{
		DatabaseURL: d.DatabaseURL,
		Pooler:      d.Pooler,
		AllowNewer:  d.AllowNewer,
		Env:         d.Env,
		MasterKey:   d.MasterKey,
		Migrated:    d.migrated,
	}
}

type versionCmd struct{}

func (versionCmd) Run() error {
	about, err := boot.About()
	if err == nil {
		fmt.Println(about)
	}
	return err
}

type licensesCmd struct{}

func (licensesCmd) Run() error { return licenses.Print(os.Stdout) }

type migrateCmd struct {
	database
	PrintDistribution bool `help:"Only print the SQL statements that distribute the PostgreSQL tables by project with Citus."`
}

func (m migrateCmd) Run(ctx context.Context) error {
	if m.PrintDistribution {
		if err := boot.CheckEnvironment(os.Environ()); err != nil {
			return err
		}
		return boot.PrintDistribution(ctx, m.config(), os.Stdout)
	}
	applied, done := showSteps("migrating", "migrations")
	m.migrated = applied
	app, err := m.openNew(ctx)
	done()
	if err != nil {
		return err
	}
	fmt.Println("The database schema is up to date.")
	return app.Close()
}
