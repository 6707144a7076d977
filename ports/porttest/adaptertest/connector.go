// Package adaptertest has the contract suites of ports whose adapters are no stores: connectors to platforms, payment
// gateways, search indexes, embedding models and rate limiters. Every adapter runs the suite of its port.
package adaptertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// ConnectorWorld is a platform without records, and an account with it.
type ConnectorWorld struct {
	ports.Connector
	Connection ports.Connection
	// Platform is the server that the connector calls with its Client. The suite makes it fail.
	Platform  *Platform
	Resources []syncrun.Resource
	// Fill stores n records of a resource at the platform, changed a second apart since a time, and returns their ids
	// there in that order.
	Fill func(t *testing.T, r syncrun.Resource, n int, since time.Time) []string
	// Circle makes each page of the resource lead to one that was read. nil: the platform does not name the next page.
	Circle func(r syncrun.Resource)
	// Secrets must not occur in the text of errors, and neither must the connection's credentials.
	Secrets []string
}

// Connector is the contract of ports.Connector.
func Connector(t *testing.T, open func(t *testing.T) ConnectorWorld) {
	for name, test := range map[string]func(*reading){
		"an account has a name":                              (*reading).account,
		"every record comes once, page by page":              (*reading).everything,
		"a full reading has every record too":                (*reading).full,
		"what changed since a time is not missed":            (*reading).since,
		"a platform without records has one page":            (*reading).nothing,
		"a page that is asked for again has the same":        (*reading).again,
		"refused credentials are told from trouble":          (*reading).refused,
		"the time that a throttling platform asks for":       (*reading).throttled,
		"a throttling platform that names no time":           (*reading).throttledVaguely,
		"an error of the platform's own is a failure":        (*reading).failing,
		"an answer that cannot be read is a failure":         (*reading).babbling,
		"an endless answer is a failure, and not read":       (*reading).flooding,
		"a platform that hangs is a failure":                 (*reading).hanging,
		"a platform that cannot be reached is a failure":     (*reading).gone,
		"who gives up waiting is told that and nothing else": (*reading).canceled,
		"pages that lead in a circle can be noticed":         (*reading).circle,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(&reading{
				t:              t,
				ctx:            t.Context(),
				ConnectorWorld: open(t),
			})
		})
	}
}

// reading is one account's data.
type reading struct {
	ConnectorWorld
	t   *testing.T
	ctx context.Context
}

// filledSince is long over, as far as any clock is concerned.
var filledSince = time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.UTC)

// manyRecords are more than two pages of any platform.
const manyRecords = 537

func (s *reading) read(r ports.PageRequest) (ports.RecordPage, error) {
	return s.Read(ports.NewOutbound(s.ctx), s.Connection, r)
}

// pages reads all of them.
func (s *reading) pages(r ports.PageRequest) (list []ports.RecordPage) {
	s.t.Helper()
	for range 2 * manyRecords {
		page, err := s.read(r)
		if err != nil {
			s.t.Fatalf("page %d of %s: %v", len(list)+1, r.Resource, err)
		}
		if list, r.Cursor = append(list, page), page.Next; page.Next == "" {
			return list
		}
	}
	s.t.Fatalf("the pages of %s do not end", r.Resource)
	return nil
}

// records returns the records of all pages by id, each of which must come once.
func (s *reading) records(r ports.PageRequest) map[string]syncrun.Record {
	s.t.Helper()
	found := map[string]syncrun.Record{}
	for _, page := range s.pages(r) {
		for _, record := range page.Records {
			if _, twice := found[record.Remote]; twice {
				s.t.Errorf("%s %s came twice", r.Resource, record.Remote)
			}
			found[record.Remote] = record
			s.check(r.Resource, record)
		}
	}
	return found
}

func (s *reading) check(of syncrun.Resource, r syncrun.Record) {
	s.t.Helper()
	set := 0
	for _, there := range []bool{r.Product != nil, r.Level != nil, r.Order != nil, r.Customer != nil} {
		if there {
			set++
		}
	}
	if r.Resource != of || r.Remote == "" || r.Problem != "" || r.Deleted || set != 1 {
		s.t.Errorf("a record of %s: %+v", of, r)
	}
	if r.At.Location() != time.UTC || !r.At.Equal(r.At.Truncate(time.Millisecond)) {
		s.t.Errorf("%s %s was changed at %s, want UTC and whole milliseconds", of, r.Remote, r.At)
	}
}

// wantRecords compares records with those that were stored at the platform.
func (s *reading) wantRecords(of syncrun.Resource, found map[string]syncrun.Record, names []string, since time.Time) {
	s.t.Helper()
	for i, name := range names {
		r, there := found[name]
		at := since.Add(time.Duration(i) * time.Second)
		if !there || !r.At.IsZero() && !r.At.Equal(at) {
			s.t.Errorf("%s %s: there is %v, changed at %s, want %s", of, name, there, r.At, at)
		}
	}
}

func (s *reading) account() {
	first, err := s.Inspect(ports.NewOutbound(s.ctx), s.Connection)
	if err != nil || first.Account == "" {
		s.t.Fatalf("%+v, %v", first, err)
	}
	if again, err := s.Inspect(ports.NewOutbound(s.ctx), s.Connection); err != nil || again != first {
		s.t.Errorf("%+v, then %+v, %v", first, again, err)
	}
}

func (s *reading) everything() {
	for _, r := range s.Resources {
		names := s.Fill(s.t, r, manyRecords, filledSince)
		found := s.records(ports.PageRequest{Resource: r})
		s.wantRecords(r, found, names, filledSince)
		if len(found) != len(names) {
			s.t.Errorf("%d of %s, want %d", len(found), r, len(names))
		}
	}
}

func (s *reading) full() {
	for _, r := range s.Resources {
		names := s.Fill(s.t, r, manyRecords, filledSince)
		found := s.records(ports.PageRequest{Resource: r, Full: true})
		s.wantRecords(r, found, names, filledSince)
		if len(found) != len(names) {
			s.t.Errorf("%d of %s, want %d", len(found), r, len(names))
		}
	}
}

func (s *reading) since() {
	const old = 200
	for _, r := range s.Resources {
		names := s.Fill(s.t, r, manyRecords, filledSince)
		since := filledSince.Add(old * time.Second)
		found := s.records(ports.PageRequest{Resource: r, Since: since})
		s.wantRecords(r, found, names[old:], since)
	}
}

func (s *reading) nothing() {
	for _, r := range s.Resources {
		for _, since := range []time.Time{{}, filledSince} {
			pages := s.pages(ports.PageRequest{Resource: r, Since: since})
			if len(pages) != 1 || len(pages[0].Records) != 0 {
				s.t.Errorf("%s since %s: %+v", r, since, pages)
			}
		}
	}
}

// again: a process that resumes a run after a crash requests a page that was read before.
func (s *reading) again() {
	for _, r := range s.Resources {
		s.Fill(s.t, r, manyRecords, filledSince)
		for _, request := range []ports.PageRequest{{Resource: r}, {Resource: r, Since: filledSince}} {
			first, err := s.read(request)
			if err != nil {
				s.t.Fatal(err)
			}
			if request.Cursor = first.Next; request.Cursor == "" {
				s.t.Fatalf("%d of %s are one page", manyRecords, r)
			}
			second, err := s.read(request)
			repeated, errRepeated := s.read(request)
			if err != nil || errRepeated != nil {
				s.t.Fatal(err, errRepeated)
			}
			porttest.Same(s.t, "the page "+request.Cursor, remotes(repeated), remotes(second))
		}
	}
}

func remotes(p ports.RecordPage) (names []string) {
	for _, r := range p.Records {
		names = append(names, r.Remote)
	}
	return names
}

func (s *reading) circle() {
	if s.Circle == nil {
		s.t.Skip("the platform does not say which page is next")
	}
	for _, r := range s.Resources {
		s.Fill(s.t, r, manyRecords, filledSince)
		s.Circle(r)
		var seen []string
		request := ports.PageRequest{Resource: r}
		for {
			page, err := s.read(request)
			if isFailure(err) || slices.Contains(seen, page.Next) {
				break
			}
			if err != nil || page.Next == "" || len(seen) > manyRecords {
				s.t.Fatalf("%s: after %d pages: next %q, %v", r, len(seen)+1, page.Next, err)
			}
			seen, request.Cursor = append(seen, page.Next), page.Next
		}
	}
}

func isFailure(err error) bool {
	var failure *ports.PlatformFailure
	return errors.As(err, &failure)
}

// ask calls every method of the port, over a platform that fails.
func (s *reading) ask(judge func(err error) bool) {
	s.t.Helper()
	_, err := s.Inspect(ports.NewOutbound(s.ctx), s.Connection)
	s.judge("inspecting", err, judge)
	for _, r := range s.Resources {
		for _, request := range []ports.PageRequest{{Resource: r}, {Resource: r, Since: filledSince}, {Resource: r, Full: true}} {
			page, err := s.read(request)
			s.judge(fmt.Sprintf("reading %s since %s", r, request.Since), err, judge)
			if len(page.Records) > 0 {
				s.t.Errorf("reading %s has records beside %v", r, err)
			}
		}
	}
}

func (s *reading) judge(doing string, err error, judge func(err error) bool) {
	s.t.Helper()
	if !judge(err) {
		s.t.Errorf("%s: %T %v", doing, err, err)
	}
	mum(s.t, err, append(s.Secrets, s.Connection.Credentials.Key, s.Connection.Credentials.Secret, s.Connection.Credentials.Refresh))
}

// mum checks that an error, and the errors that it wraps, contain no secret.
func mum(t *testing.T, err error, secrets []string) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		for _, secret := range secrets {
			if secret != "" && strings.Contains(err.Error(), secret) {
				t.Errorf("%T tells a secret: %v", err, err)
			}
		}
	}
}

func (s *reading) refused() {
	s.Platform.Refuse()
	s.ask(func(err error) bool { return errors.Is(err, ports.ErrCredentialsRefused) })
}

func (s *reading) throttled() {
	asked := map[string]func() string{
		"seconds": func() string { return "90" },
		"a date":  func() string { return time.Now().UTC().Add(90 * time.Second).Format(http.TimeFormat) },
	}
	for name, form := range asked {
		s.Platform.Throttle(form())
		s.ask(func(err error) bool {
			var wish ports.Throttled
			if !errors.As(err, &wish) {
				return false
			}
			if off := wish.After - 90*time.Second; off > time.Second || off < -10*time.Second {
				s.t.Errorf("asked in %s to wait 90s: %v", name, wish)
			}
			return true
		})
	}
}

func (s *reading) throttledVaguely() {
	for _, text := range []string{"", "soon", "-5"} {
		s.Platform.Throttle(text)
		s.ask(func(err error) bool {
			var wish ports.Throttled
			return errors.As(err, &wish) && wish.After > 0 && wish.After <= 5*time.Minute
		})
	}
}

func (s *reading) failing() {
	s.Platform.Fail()
	s.ask(isFailure)
}

func (s *reading) babbling() {
	s.Platform.Babble()
	s.ask(isFailure)
}

func (s *reading) flooding() {
	s.Platform.Flood()
	s.ask(isFailure)
	if s.Platform.Swallowed() {
		s.t.Error("all of an answer of 50 MB was read")
	}
}

func (s *reading) hanging() {
	s.Platform.Hang()
	s.ask(isFailure)
}

func (s *reading) gone() {
	s.Platform.Close()
	s.ask(isFailure)
}

func (s *reading) canceled() {
	gone, cancel := context.WithCancel(s.ctx)
	defer cancel()
	s.Platform.Await(cancel)
	s.ctx = gone
	s.ask(func(err error) bool { return errors.Is(err, context.Canceled) && !isFailure(err) })
}
