package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const (
	membersPath    = "/v1/members"
	memberPassword = "correct horse battery"
)

// memberState holds the members of a scenario's account.
type memberState struct {
	memberLinks    map[string]string // invitation and password links, by member
	ids            map[string]string // by kind and name
	authenticators map[string]*authenticator
	signInErr      error // why the latest join or sign-in was refused
	joined         int
}

func (c *memberState) record(kind, name, id string) {
	if c.ids == nil {
		c.ids, c.memberLinks, c.authenticators = map[string]string{}, map[string]string{}, map[string]*authenticator{}
	}
	c.ids[kind+"_"+name] = id
}

func (w *world) addMemberVars(vars map[string]string) {
	for name, id := range w.memberState.ids {
		vars[name] = id
	}
}

func (w *world) consoleClient() boottest.MemberClient {
	return boottest.MemberClient{App: w.app, Address: w.name}
}

func (w *world) emailOf(name string) string {
	if strings.Contains(name, "@") {
		return name
	}
	return strings.ToLower(name) + "@" + w.name + ".example"
}

func (w *world) invites(name, fields string) error {
	return w.invitedBy(w.merchant, name, fields, nil)
}

func (w *world) invitedBy(client *merchant.Client, name, fields string, header http.Header) error {
	body := w.expand(fmt.Sprintf(`{"email": %q, %s`, w.emailOf(name), fields[1:]))
	return w.attempt(func() error {
		if err := w.sendBy(client, "POST", membersPath+"/invitations", body, header); err != nil {
			return err
		}
		var made struct{ ID, Link string }
		err := json.Unmarshal(w.recorder.last().body, &made)
		w.memberState.record("invitation", name, made.ID)
		w.memberLinks[name] = made.Link
		return err
	})
}

func (w *world) memberInvites(code, by, name, fields string) error {
	header := http.Header{}
	if code != "no code" {
		var err error
		if header, err = w.codeHeader(by); err != nil {
			return err
		}
	}
	key, err := w.keyNamed(by)
	if err != nil {
		return err
	}
	return w.invitedBy(w.merchant.As(key.Secret).In(""), name, fields, header)
}

// codeHeader returns a header with a fresh code of a member's authenticator.
func (w *world) codeHeader(name string) (http.Header, error) {
	app := w.authenticators[name]
	if app == nil {
		return nil, fmt.Errorf("%q has no authenticator", name)
	}
	text, err := app.freshCode()
	return http.Header{"X-Mfa-Code": {text}}, err
}

func (w *world) resetsFactor(by, of, code string) error {
	header := http.Header{}
	if code != "no code" && w.authenticators[by] != nil {
		var err error
		if header, err = w.codeHeader(by); err != nil {
			return err
		}
	}
	key, err := w.keyNamed(by)
	if err != nil {
		return err
	}
	path := membersPath + "/" + w.ids["member_"+of] + "/reset-mfa"
	return w.attempt(func() error { return w.sendBy(w.merchant.As(key.Secret).In(""), "POST", path, "", header) })
}

func (w *world) hasInvitations(n int) error {
	for i := range n {
		if err := w.invites(fmt.Sprint("Guest", i), `{"role": "analyst"}`); err != nil {
			return err
		}
		if err := w.unexpectedRefusal(); err != nil {
			return err
		}
	}
	return nil
}

// recordSession records a session as the member's key, because its token is sent like an API key. It keeps err for a Then step.
func (w *world) recordSession(name string, in boottest.Session, err error) error {
	w.signInErr = err
	if err != nil {
		return nil
	}
	if w.keys == nil {
		w.keys = map[string]merchant.APIKey{}
	}
	w.keys[name] = merchant.APIKey{Name: name, Secret: in.Token}
	w.memberState.record("member", name, in.Member)
	w.memberState.record("session", name, in.ID)
	w.ids["due_"+name] = fmt.Sprint(in.CodeDue)
	return nil
}

func (w *world) becomesMember(name, fields string) error {
	if err := w.invites(name, fields); err != nil {
		return err
	}
	if err := w.unexpectedRefusal(); err != nil {
		return err
	}
	return errors.Join(w.joins(name), w.signInErr)
}

func (w *world) joins(name string) error {
	in, err := w.consoleClient().Join(w.ctx, w.memberLinks[name], name, memberPassword)
	return w.recordSession(name, in, err)
}

func (w *world) joinsAs(link, name, password string) error {
	in, err := w.consoleClient().Join(w.ctx, w.memberLinks[link], name, password)
	return w.recordSession(link, in, err)
}

func (w *world) joinConcurrently(n int, link string) {
	var all sync.WaitGroup
	results := make([]error, n)
	for i := range n {
		all.Go(func() { _, results[i] = w.consoleClient().Join(w.ctx, w.memberLinks[link], "Racer", memberPassword) })
	}
	all.Wait()
	for _, err := range results {
		if err == nil {
			w.joined++
		} else {
			w.signInErr = err
		}
	}
}

func (w *world) haveJoined(n int) error {
	if w.joined != n {
		return fmt.Errorf("%d joined", w.joined)
	}
	return w.signInRefused("link_not_found")
}

func (w *world) signsInWith(name, password string) error {
	in, err := w.consoleClient().SignIn(w.ctx, w.emailOf(name), password)
	return w.recordSession(name, in, err)
}

func (w *world) signsInElsewhere(name string) error {
	client := w.consoleClient()
	client.Address += " elsewhere"
	in, err := client.SignIn(w.ctx, w.emailOf(name), memberPassword)
	return w.recordSession(name, in, err)
}

// auditHasWithin waits for an audit event that background work records.
func (w *world) auditHasWithin(seconds int, action, name string) error {
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	for {
		if err := w.send("GET", "/v1/audit-events?action="+action, "", nil); err != nil {
			return err
		}
		if bytes.Contains(w.recorder.last().body, []byte(w.ids["member_"+name])) {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("the audit log has no %s of %s", action, name)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// signsInAs does not record the session, so the member's own session stays.
func (w *world) signsInAs(name, password string) error {
	_, w.signInErr = w.consoleClient().SignIn(w.ctx, w.emailOf(name), password)
	return nil
}

// guessesPasswords guesses until the limiter requires a wait of more than five seconds, so that the limit still applies in the
// next step. If the wait is shorter because the machine is slow, guessesPasswords waits and uses that attempt up, too; the next
// wait is 30 seconds.
func (w *world) guessesPasswords(name string) error {
	for i := range 100 {
		if err := w.signsInAs(name, fmt.Sprint("guess ", i)); err != nil {
			return err
		}
		wait := boottest.RetryAfter(w.signInErr)
		if wait > 5*time.Second {
			return w.signInRefused("rate_limited")
		}
		time.Sleep(wait)
	}
	return fmt.Errorf("100 guesses did not have to wait; the last met %w", w.signInErr)
}

func (w *world) memberEnrolsAuthenticator(name string) error {
	key, err := w.keyNamed(name)
	if err != nil {
		return err
	}
	client := w.merchant.As(key.Secret).In("")
	made, err := client.EnrolMFA(w.ctx)
	if err != nil {
		return err
	}
	app := &authenticator{enrolment: made}
	w.authenticators[name] = app
	code, err := app.freshCode()
	if err == nil {
		app.lastCode = code
		_, err = client.ConfirmMFA(w.ctx, code)
	}
	return err
}

func (w *world) givesCode(name, kind string) error {
	key, err := w.keyNamed(name)
	if err != nil {
		return err
	}
	app, code := w.authenticators[name], "not it"
	switch kind {
	case "a fresh code":
		if app.lastCode, err = app.freshCode(); err != nil {
			return err
		}
		code = app.lastCode
	case "the same code":
		code = app.lastCode
	case "a recovery code":
		code = app.enrolment.RecoveryCodes[app.recoveryCodesUsed]
		app.recoveryCodesUsed++
	}
	in, err := w.consoleClient().Prove(w.ctx, key.Secret, code)
	return w.recordSession(name, in, err)
}

func (w *world) setsPassword(name, password string) error {
	var made struct{ Link string }
	if err := json.Unmarshal(w.recorder.last().body, &made); err == nil && made.Link != "" {
		w.memberLinks[name] = made.Link
	}
	w.signInErr = w.consoleClient().SetPassword(w.ctx, w.memberLinks[name], password)
	return nil
}

func (w *world) signInRefused(code string) error {
	if w.signInErr == nil || !strings.HasPrefix(w.signInErr.Error(), code+":") {
		return fmt.Errorf("they came in, or met %v", w.signInErr)
	}
	return nil
}

func (w *world) signInRefusedNaming(code, field string) error {
	if err := w.signInRefused(code); err != nil {
		return err
	}
	if !strings.Contains(w.signInErr.Error(), "["+field+" ") {
		return fmt.Errorf("it names something else: %w", w.signInErr)
	}
	return nil
}

func (w *world) codeIsDue(name string) error {
	if w.signInErr != nil || w.ids["due_"+name] != "true" {
		return fmt.Errorf("no code is due: %v", w.signInErr)
	}
	return nil
}

func (w *world) sessionIsOver(name string) error {
	key, err := w.keyNamed(name)
	if err != nil {
		return err
	}
	return wantRefusal(w.sendBy(w.merchant.As(key.Secret).In(""), "GET", "/v1/console-sessions", "", nil), http.StatusUnauthorized, "unauthenticated")
}

func (w *world) sessionWorks(name string) error {
	key, err := w.keyNamed(name)
	if err != nil {
		return err
	}
	return errors.Join(w.signInErr, w.sendBy(w.merchant.As(key.Secret).In(""), "GET", "/v1/console-sessions", "", nil))
}

// linkShownOnce checks that later answers do not contain an invitation's secret.
func (w *world) linkShownOnce(name string) error {
	for _, path := range []string{membersPath + "/invitations", "/v1/audit-events"} {
		if err := w.send("GET", path, "", nil); err != nil {
			return err
		}
		if link := w.memberLinks[name]; link == "" || bytes.Contains(w.recorder.last().body, []byte(link[strings.LastIndex(link, "/")+1:])) {
			return fmt.Errorf("%s tells the link %q", path, link)
		}
	}
	return nil
}
