package boot

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// Verdict of a finding.
type Verdict string

const (
	Fine    Verdict = "ok"
	Doubt   Verdict = "warn" // it works, but is probably not what is wanted
	Trouble Verdict = "fail" // the server would not start, or not serve, or what it needs does not work
)

// Finding is what the doctor found out about one thing.
type Finding struct {
	Verdict Verdict `json:"state"`
	About   string  `json:"check"`
	Says    string  `json:"seen"`
	Remedy  string  `json:"remedy,omitempty"`
}

// patience is how long a check may take. Checks run at the same time.
const patience = 2 * time.Second

// grace is how much longer the doctor waits for a check that was told to end.
const grace = 200 * time.Millisecond

// Diagnose tries a configuration and what it names, and changes nothing: the schema is not migrated, no mail is sent, no
// token refreshed. It takes two seconds at most before the database has answered, and two after.
func Diagnose(ctx context.Context, c Config) []Finding {
	if err := CheckEnvironment(os.Environ()); err != nil {
		return []Finding{{Trouble, "environment", err.Error(), "unset the variable, or correct its name"}}
	}
	if err := c.Check(); err != nil {
		return []Finding{{Trouble, "configuration", err.Error(), "see `haggle serve --help`"}}
	}
	d := &doctor{
		Config:   c,
		database: make(chan *sqlstore.Store, 1),
		skew:     make(chan time.Duration, 1),
	}
	d.env, _ = account.ParseEnvironment(c.Env)
	found := examine(ctx, d.outside())
	select {
	case store := <-d.database:
		defer store.Close()
		found = append(found, examine(ctx, d.stored(ctx, store))...)
	default: // it does not answer, or lacks tables
	}
	return found
}

// doctor examines a configuration that was checked.
type doctor struct {
	Config
	env      account.Environment
	database chan *sqlstore.Store // once it answered with a schema that can be read
	skew     chan time.Duration   // of the database's clock against this machine's, once it is known
}

// check is one thing to try.
type check struct {
	about string
	run   func(ctx context.Context, r *report)
}

// report gathers what a check finds out.
type report struct{ findings []Finding }

func (r *report) ok(about, format string, args ...any) {
	r.findings = append(r.findings, Finding{Fine, about, fmt.Sprintf(format, args...), ""})
}

func (r *report) warn(about, seen, remedy string) {
	r.findings = append(r.findings, Finding{Doubt, about, seen, remedy})
}

func (r *report) fail(about, seen, remedy string) {
	r.findings = append(r.findings, Finding{Trouble, about, seen, remedy})
}

// examine runs checks at the same time, and returns what they found out in their order. One that does not end in time is
// left behind.
func examine(ctx context.Context, checks []check) (all []Finding) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	late := time.After(patience + grace)
	results := make([]chan []Finding, len(checks))
	for i, c := range checks {
		results[i] = make(chan []Finding, 1)
		go func() {
			var r report
			c.run(ctx, &r)
			results[i] <- r.findings
		}()
	}
	expired := false
	for i, c := range checks {
		if !expired {
			select {
			case found := <-results[i]:
				all = append(all, found...)
				continue
			case <-late:
				expired = true
			}
		}
		select {
		case found := <-results[i]:
			all = append(all, found...)
		default:
			all = append(all, Finding{Trouble, c.about, noAnswer, "see whether it hangs, and whether a firewall is between"})
		}
	}
	return all
}

var noAnswer = fmt.Sprintf("does not answer within %.0f s", patience.Seconds())

// outside are the checks that need no database.
func (d *doctor) outside() []check {
	return slices.Concat([]check{
		{"configuration", func(_ context.Context, r *report) { r.ok("configuration", "%s environment", d.env) }},
		{"master key", d.masterKey},
		{"API address", d.apiAddress},
		{"operations address", d.opsAddress},
		{"public URL", d.publicURL},
		{"database", d.openDatabase},
		{"disk", d.disk},
		{"Redis", d.redis},
		{"NATS", d.nats},
		{"SMTP", d.smtp},
	}, d.providerAddresses(), d.platformAddresses(), d.models(), []check{
		{"agents' profiles", d.agentProfiles},
		{"OpenID Connect", d.openIDProvider},
	})
}

// reason is why something does not answer, in the words of the machine.
func reason(err error) string {
	var number syscall.Errno
	var name *net.DNSError
	var timeout net.Error
	var request *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return noAnswer
	case errors.As(err, &number):
		return number.Error()
	case errors.As(err, &name):
		return name.Name + ": " + name.Err
	case errors.As(err, &request):
		return request.Err.Error()
	}
	return err.Error()
}

// cause is what the database or the network said.
func cause(err error) error {
	var known *fault.Error
	if errors.As(err, &known) && errors.Unwrap(known) != nil {
		return errors.Unwrap(known)
	}
	return err
}
