package accounts_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// machine is a fake of the dependencies of an access service: its codes are the number of their step.
type machine struct{ step atomic.Int64 }

var drawn atomic.Uint32 // random bits so far

func (m *machine) Now() time.Time { return time.Unix(1_700_000_000+30*m.step.Load(), 0).UTC() }

func (*machine) Bits128() (bits [16]byte) {
	binary.BigEndian.PutUint32(bits[:], drawn.Add(1))
	return bits
}

func (e *machine) IDBits() [16]byte { return e.Bits128() }

func (*machine) Secret(n int) string { return fmt.Sprintf("%0*d", n*8/5, drawn.Add(1)) }

func (*machine) Enrol(name string) (secret, address string, err error) {
	return "secret of " + name, "otpauth://totp/x", nil
}

func (m *machine) Step(_, code string, now time.Time) (int64, bool) {
	step, err := strconv.ParseInt(code, 10, 64)
	return step, err == nil && step >= m.step.Load()-1 && step <= m.step.Load()+1
}

func (*machine) Seal(plain []byte, purpose string) []byte {
	return []byte(purpose + "|" + string(plain))
}

func (*machine) Open(sealed []byte, purpose string) ([]byte, error) {
	plain, ok := strings.CutPrefix(string(sealed), purpose+"|")
	if !ok {
		return nil, errors.New("sealed for something else")
	}
	return []byte(plain), nil
}

// accessFixture is an account with an access service on a real store.
type accessFixture struct {
	*testing.T
	*access.Service
	store   *storetest.Store
	owner   *account.Account
	outside *machine
}

// later moves the clock by steps.
func (o *accessFixture) later(steps int64) {
	o.outside.step.Add(steps)
}

func newAccessFixture(t *testing.T, s *storetest.Store) *accessFixture {
	t.Helper()
	o := &accessFixture{
		T:       t,
		outside: &machine{},
		store:   s,
	}
	o.outside.step.Store(1000)
	o.Service = &access.Service{
		Stores: &ports.Stores{
			Accounts:       s.Accounts(),
			Keys:           s.Keys(),
			Authenticators: s.Authenticators(),
		},
		Tries:       s.Tries(),
		TOTP:        o.outside,
		Vault:       o.outside,
		Clock:       o.outside,
		Entropy:     o.outside,
		Environment: account.Sandbox,
	}
	var err error
	if o.owner, err = o.OpenAccount(t.Context(), "Zoë's", account.Growth); err != nil {
		t.Fatal(err)
	}
	return o
}

// within runs work in a transaction, which rolls back if work fails.
func (o *accessFixture) within(work func(*access.Service) error) error {
	return o.store.Within(o.Context(), nil, func(view *storetest.Store) error {
		bound := o.Service.In(&ports.Stores{
			Accounts:       view.Accounts(),
			Keys:           view.Keys(),
			Authenticators: view.Authenticators(),
		})
		bound.Tries = view.Tries() // outside the transaction, no matter which view they come from
		return work(bound)
	})
}

func (o *accessFixture) holder() account.Holder { return account.Holder{Account: o.owner.ID} }

func (o *accessFixture) code(offset int64) string {
	return strconv.FormatInt(o.outside.step.Load()+offset, 10)
}

func (o *accessFixture) enrolled() access.Enrolment {
	o.Helper()
	made, err := o.Enrol(o.Context(), o.holder(), "")
	if err == nil {
		err = o.Activate(o.Context(), o.holder(), o.code(-1))
	}
	if err != nil {
		o.Fatal(err)
	}
	return made
}

// wants checks the code of an error: "" for none.
func (o *accessFixture) wants(what string, err error, code string) {
	o.Helper()
	if (err == nil) != (code == "") || err != nil && !fault.Is(err, code) {
		o.Errorf("%s: %v, want %q", what, err, code)
	}
}

func (o *accessFixture) confirm(code string) error { return o.Confirm(o.Context(), o.holder(), code) }

func TestAuthenticators_confirm(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		o := newAccessFixture(t, s)
		o.wants("without an authenticator", o.confirm("1000"), "mfa_required")
		o.wants("where none is needed", o.ConfirmIfEnrolled(t.Context(), o.holder(), ""), "")
		recovery := o.enrolled().RecoveryCodes
		for _, c := range []struct{ what, code, want string }{
			{"no code", "", "mfa_required"},
			{"the code that activated it", o.code(-1), "mfa_required"},
			{"the next step", o.code(1), ""},
			{"the next step again", o.code(1), "mfa_required"},
			{"an older step", o.code(0), "mfa_required"},
			{"a recovery code", recovery[3], ""},
			{"a recovery code again", recovery[3], "mfa_required"},
			{"another one, typed from paper", " " + strings.ToUpper(strings.ReplaceAll(recovery[9], "-", " ")), ""},
			{"a wrong code", "77", "mfa_required"},
		} {
			o.wants(c.what, o.confirm(c.code), c.want)
		}
		o.later(3)
		o.wants("a minute later", o.confirm(o.code(0)), "")
		if enabled, left, err := o.MFA(t.Context(), o.holder()); !enabled || left != 8 || err != nil {
			t.Errorf("%v, %d recovery codes left, %v", enabled, left, err)
		}
	})
}

func TestAuthenticators_confirmRace(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		o := newAccessFixture(t, s)
		recovery := o.enrolled().RecoveryCodes
		for _, code := range []string{o.code(0), recovery[0]} {
			var won atomic.Int64
			var all sync.WaitGroup
			for range 16 {
				all.Go(func() {
					err := o.within(func(bound *access.Service) error { return bound.Confirm(t.Context(), o.holder(), code) })
					if err == nil {
						won.Add(1)
					} else if !fault.Is(err, "mfa_required") {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if won.Load() != 1 {
				t.Errorf("%d of sixteen confirmed with %s", won.Load(), code)
			}
		}
	})
}

var errOtherwise = errors.New("it fails for another reason")

// Rolling back a request's transaction does not undo the use of a code: wrong codes are counted and right ones are used
// up.
func TestAuthenticators_confirmRolledBack(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		o := newAccessFixture(t, s)
		o.enrolled()
		again := func() error {
			return o.within(func(bound *access.Service) error {
				return errors.Join(bound.Confirm(t.Context(), o.holder(), o.code(0)), errOtherwise)
			})
		}
		if err := again(); !errors.Is(err, errOtherwise) || fault.Is(err, "mfa_required") {
			t.Errorf("a right code: %v", err)
		}
		o.wants("a code that was used for what failed", again(), "mfa_required")
		for range account.MaxTries {
			o.wants("a wrong code", o.within(func(bound *access.Service) error {
				return bound.Confirm(t.Context(), o.holder(), "1")
			}), "mfa_required")
		}
		err := o.confirm(o.code(0))
		o.wants("a right code after five wrong ones", err, "rate_limited")
		var e *fault.Error
		if !errors.As(err, &e) || e.Kind != fault.Limited || e.RetryAfter != account.TriesWindow {
			t.Errorf("to wait: %+v", e)
		}
		other := newAccessFixture(t, s)
		other.enrolled()
		other.wants("another account", other.confirm(other.code(0)), "")
		o.later(int64(account.TriesWindow / (30 * time.Second)))
		o.wants("five minutes later", o.confirm(o.code(0)), "")
	})
}

func TestAuthenticators_enrolment(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		o := newAccessFixture(t, s)
		enrol := func(code string) error { _, err := o.Enrol(t.Context(), o.holder(), code); return err }
		activate := func(code string) error { return o.Activate(t.Context(), o.holder(), code) }
		o.wants("nothing to activate", activate(o.code(0)), "mfa_not_found")
		o.wants("nothing to disable", o.Disable(t.Context(), o.holder(), ""), "mfa_not_found")
		o.wants("enrol", enrol(""), "")
		o.wants("a pending one confirms nothing", o.confirm(o.code(0)), "mfa_required")
		o.wants("a wrong code", activate("1"), "validation_error")
		o.wants("activate", activate(o.code(0)), "")
		o.wants("activate again", activate(o.code(1)), "mfa_not_found")
		o.wants("enrol another without a code", enrol(""), "mfa_required")
		o.wants("enrol another", enrol(o.code(1)), "")
		o.later(2)
		o.wants("the first still confirms", o.confirm(o.code(0)), "")
		o.wants("activate the other", activate(o.code(0)), "")
		o.wants("disable without a code", o.Disable(t.Context(), o.holder(), ""), "mfa_required")
		o.wants("disable", o.Disable(t.Context(), o.holder(), o.code(1)), "")
		if enabled, left, err := o.MFA(t.Context(), o.holder()); enabled || left != 0 || err != nil {
			t.Errorf("%v, %d, %v", enabled, left, err)
		}
		// Confirming counts wrong codes, too.
		o.wants("enrol", enrol(""), "")
		for range account.MaxTries - 1 {
			o.wants("a wrong code", activate("1"), "validation_error")
		}
		o.wants("too many", activate(o.code(0)), "rate_limited")
	})
}

// A key that would reach a project with mfa_required needs a code, whether it names the project or not.
func TestKeys_Reach_guardedProjects(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		o := newAccessFixture(t, s)
		shop := func(n byte, guarded bool) id.Project {
			name := id.New[id.Project]([16]byte{n})
			p, err := project.Open(name, o.owner.ID, project.Draft{
				Name:     "Shop",
				Slug:     fmt.Sprint("shop-", n),
				Settings: project.SettingsPatch{MFARequired: patch.To(guarded)},
			}, o.outside.Now())
			if err == nil {
				err = s.Projects().Create(t.Context(), p)
			}
			if err != nil {
				t.Fatal(err)
			}
			return name
		}
		plain, guarded := shop(1, false), shop(2, true)
		o.enrolled()
		from := access.Caller{Account: o.owner, Key: &account.Key{Scopes: []string{"*"}}}
		for _, c := range []struct {
			what     string
			projects []id.Project
			code     string
			want     string
		}{
			{"plain", []id.Project{plain}, "", ""},
			{"guarded", []id.Project{plain, guarded}, "", "mfa_required"},
			{"all", nil, "", "mfa_required"},
			{"guarded, with a code", []id.Project{guarded}, o.code(1), ""},
		} {
			err := o.within(func(bound *access.Service) error {
				_, _, err := bound.GiveKey(context.Background(), from, account.KeyDraft{
					Name:     "n",
					Scopes:   []string{"*"},
					Projects: c.projects,
				}, c.code)
				return err
			})
			o.wants(c.what, err, c.want)
		}
	})
}
