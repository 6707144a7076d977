// Package account defines accounts, which manage shops: their plans, their API keys, and the authenticators
// for their one-time codes. It does not know the people of an account: see package member.
//
// A key never gives the keys that it creates more than it has itself, because otherwise a stolen key could exceed
// the rights that its owner gave it:
//
//   - only scopes that it allows, so "*" only if it has "*" (scopes.N);
//   - a key that is bound to projects binds to some of them (project_ids, project_ids.N);
//   - a key that ends gives keys that end no later (expires_at).
//
// It sees and revokes the keys with bindings that it could have given, whatever their scopes.
package account

import (
	"cmp"
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Plan decides an account's rate limits (features/MANAGEMENT.md#rates).
type Plan struct{ name string }

var (
	Starter    = Plan{"starter"}
	Growth     = Plan{"growth"}
	Enterprise = Plan{"enterprise"}
)

func (p Plan) String() string { return p.name }

// Rate returns the request limits of an account on the plan: per minute, and for a burst.
func (p Plan) Rate() (perMinute, burst int) {
	switch p {
	case Enterprise:
		return 10_000, 15_000
	case Growth:
		return 1_000, 1_500
	}
	return 100, 150
}

// ParsePlan reads the name of a plan.
func ParsePlan(name string) (Plan, error) {
	if p := (Plan{name}); p == Starter || p == Growth || p == Enterprise {
		return p, nil
	}
	return Plan{}, fault.Field("plan", "must be starter, growth or enterprise")
}

// Account owns projects and keys.
type Account struct {
	ID        id.Account
	Name      string
	Email     string // for alerts; empty: none
	Plan      Plan
	CreatedAt time.Time
	// ConsoleSessionMinutes is the number of idle minutes after which console sessions end; 0: the default.
	ConsoleSessionMinutes int
}

// The limits and the default of ConsoleSessionMinutes.
const (
	defaultConsoleSession  = 480
	shortestConsoleSession = 5
	longestConsoleSession  = 10_080 // a week
)

// ConsoleIdle returns the idle time after which console sessions end.
func (a *Account) ConsoleIdle() time.Duration {
	return time.Duration(cmp.Or(a.ConsoleSessionMinutes, defaultConsoleSession)) * time.Minute
}

// Change is a partial change of an account. A null name is refused like an empty one, because a name has no default. A
// null email removes it. Null minutes restore the default.
type Change struct {
	Name                  patch.Field[string]
	Email                 patch.Field[string]
	ConsoleSessionMinutes patch.Field[int]
}

// Change applies the given fields.
func (a *Account) Change(change Change) error {
	c, name, email, minutes := fault.NewCheck(), a.Name, a.Email, int(a.ConsoleIdle()/time.Minute)
	change.Name.Apply(&name, "")
	change.Email.Apply(&email, "")
	change.ConsoleSessionMinutes.Apply(&minutes, defaultConsoleSession)
	checkName(c, name)
	c.That(minutes >= shortestConsoleSession && minutes <= longestConsoleSession, "console_session_minutes", "must be between 5 and 10,080")
	c.That(email == "" || IsAddress(email), "email", "must be an e-mail address such as ada@example.com")
	if err := c.Err(); err != nil {
		return err
	}
	a.Name, a.Email, a.ConsoleSessionMinutes = name, email, minutes
	if minutes == defaultConsoleSession {
		a.ConsoleSessionMinutes = 0
	}
	return nil
}

// IsAddress reports whether text is a plain e-mail address such as ada@example.com, without a name or a comment.
func IsAddress(text string) bool {
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text && len(text) <= 254 && !strings.ContainsFunc(text, unicode.IsControl)
}

func checkName(c fault.Check, name string) {
	length := utf8.RuneCountInString(name)
	blank := strings.TrimSpace(name) == ""
	c.That(!blank && length <= 200 && !strings.ContainsFunc(name, unicode.IsControl), "name",
		"must be a line of 1 to 200 characters")
}

// Environment is sandbox or production. Keys of one are refused by the other.
type Environment struct{ name, mark, agentMark string }

var (
	Sandbox    = Environment{"sandbox", "hk_test_", "hak_test_"}
	Production = Environment{"production", "hk_live_", "hak_live_"}
)

func (e Environment) String() string { return e.name }

// ParseEnvironment reads the name of an environment.
func ParseEnvironment(name string) (Environment, error) {
	for _, e := range []Environment{Sandbox, Production} {
		if e.name == name {
			return e, nil
		}
	}
	return Environment{}, fault.Field("environment", "must be sandbox or production")
}

// KeyMark returns the prefix of the environment's keys.
func (e Environment) KeyMark() string { return e.mark }

// AgentKeyMark returns the prefix of the secrets of the environment's agent keys.
func (e Environment) AgentKeyMark() string { return e.agentMark }
