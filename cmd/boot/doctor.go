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
	OK   Verdict = "ok"
	Warn Verdict = "warn" // it works, but is probably not intended
	Fail Verdict = "fail" // the server would not start or serve, or a service that it needs does not work
)

// Finding is the result of one check.
type Finding struct {
	Verdict Verdict `json:"state"`
	About   string  `json:"check"`
	Says    string  `json:"seen"`
	Remedy  string  `json:"remedy,omitempty"`
}

// checkTimeout is how long a check may take. Checks run concurrently.
const checkTimeout = 2 * time.Second

// examineGrace is how much longer examine waits for checks after their context has expired.
const examineGrace = 200 * time.Millisecond

// Diagnose checks a configuration and the services that it names. It changes nothing: it does not migrate the schema, send
// mail or refresh tokens. It takes at most two seconds for the checks without the database, and two for those with it.
func Diagnose(ctx context.Context, c Config) []Finding {
	if err := CheckEnvironment(os.Environ()); err != nil {
		return []Finding{{Fail, "environment", err.Error(), "unset the variable or correct its name"}}
	}
	if err := c.Check(); err != nil {
		return []Finding{{Fail, "configuration", err.Error(), "run `haggle serve --help` to see the valid values"}}
	}
	d := &doctor{
		Config:   c,
		database: make(chan *sqlstore.Store, 1),
		skew:     make(chan time.Duration, 1),
	}
	d.env, _ = account.ParseEnvironment(c.Env)
	found := examine(ctx, d.externalChecks())
	select {
	case store := <-d.database:
		defer store.Close()
		found = append(found, examine(ctx, d.databaseChecks(ctx, store))...)
	default: // the database does not answer, or has no current schema
	}
	return found
}

// doctor runs the checks of a valid configuration.
type doctor struct {
	Config
	env      account.Environment
	database chan *sqlstore.Store // receives the store if its schema can be read
	skew     chan time.Duration   // how far the database's clock is ahead; closed after the database check
}

// check is a named check.
type check struct {
	about string
	run   func(ctx context.Context, r *report)
}

// report collects the findings of a check.
type report struct{ findings []Finding }

func (r *report) ok(about, format string, args ...any) {
	r.findings = append(r.findings, Finding{OK, about, fmt.Sprintf(format, args...), ""})
}

func (r *report) warn(about, seen, remedy string) {
	r.findings = append(r.findings, Finding{Warn, about, seen, remedy})
}

func (r *report) fail(about, seen, remedy string) {
	r.findings = append(r.findings, Finding{Fail, about, seen, remedy})
}

// examine runs checks concurrently and returns their findings in the order of the checks. A check that does not end in time
// is reported as a failure and left running.
func examine(ctx context.Context, checks []check) (all []Finding) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	late := time.After(checkTimeout + examineGrace)
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
			all = append(all, Finding{Fail, c.about, noAnswer, "check whether the service is running and whether a firewall blocks the connection"})
		}
	}
	return all
}

var noAnswer = fmt.Sprintf("no response within %.0f s", checkTimeout.Seconds())

// externalChecks returns the checks that need no database.
func (d *doctor) externalChecks() []check {
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

// reason describes a network error without the request's details.
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

// cause returns the error of the database or the network below a fault.
func cause(err error) error {
	var known *fault.Error
	if errors.As(err, &known) && errors.Unwrap(known) != nil {
		return errors.Unwrap(known)
	}
	return err
}
