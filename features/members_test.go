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

// membersContext invites members, signs them in, and checks their sessions.
type membersContext struct {
	*scenario

	memberLinks    map[string]string // invitation and password links, by member
	ids            map[string]string // by kind and name
	authenticators map[string]*authenticator
	signInErr      error // why the latest join or sign-in was refused
	joined         int
}

func (c *membersContext) record(kind, name, id string) {
	if c.ids == nil {
		c.ids, c.memberLinks, c.authenticators = map[string]string{}, map[string]string{}, map[string]*authenticator{}
	}
	c.ids[kind+"_"+name] = id
}

func (c *membersContext) addMemberVars(vars map[string]string) {
	for name, id := range c.ids {
		vars[name] = id
	}
}

func (c *membersContext) consoleClient() boottest.MemberClient {
	return boottest.MemberClient{App: c.app, Address: c.name}
}

func (c *membersContext) emailOf(name string) string {
	if strings.Contains(name, "@") {
		return name
	}
	return strings.ToLower(name) + "@" + c.name + ".example"
}

func (c *membersContext) invites(name, fields string) error {
	return c.invitedBy(c.merchant, name, fields, nil)
}

func (c *membersContext) invitedBy(client *merchant.Client, name, fields string, header http.Header) error {
	body := c.expand(fmt.Sprintf(`{"email": %q, %s`, c.emailOf(name), fields[1:]))
	return c.attempt(func() error {
		if err := c.sendBy(client, "POST", membersPath+"/invitations", body, header); err != nil {
			return err
		}
		var made struct{ ID, Link string }
		err := json.Unmarshal(c.recorder.last().body, &made)
		c.record("invitation", name, made.ID)
		c.memberLinks[name] = made.Link
		return err
	})
}

func (c *membersContext) memberInvites(by, name, role, code string) error {
	header := http.Header{}
	if code != "no code" {
		var err error
		if header, err = c.codeHeader(by); err != nil {
			return err
		}
	}
	key, err := c.keys.keyNamed(by)
	if err != nil {
		return err
	}
	return c.invitedBy(c.merchant.As(key.Secret).In(""), name, fmt.Sprintf(`{"role": %q}`, role), header)
}

// codeHeader returns a header with a fresh code of a member's authenticator.
func (c *membersContext) codeHeader(name string) (http.Header, error) {
	app := c.authenticators[name]
	if app == nil {
		return nil, fmt.Errorf("%q has no authenticator", name)
	}
	text, err := app.freshCode()
	return http.Header{"X-Mfa-Code": {text}}, err
}

func (c *membersContext) resetsFactor(by, of, code string) error {
	header := http.Header{}
	if code != "no code" && c.authenticators[by] != nil {
		var err error
		if header, err = c.codeHeader(by); err != nil {
			return err
		}
	}
	key, err := c.keys.keyNamed(by)
	if err != nil {
		return err
	}
	path := membersPath + "/" + c.ids["member_"+of] + "/reset-mfa"
	return c.attempt(func() error { return c.sendBy(c.merchant.As(key.Secret).In(""), "POST", path, "", header) })
}

func (c *membersContext) hasInvitations(n int) error {
	for i := range n {
		if err := c.invites(fmt.Sprint("Guest", i), `{"role": "analyst"}`); err != nil {
			return err
		}
		if err := c.unexpectedRefusal(); err != nil {
			return err
		}
	}
	return nil
}

// recordSession records a session as the member's key, because its token is sent like an API key. It keeps err for a Then step.
func (c *membersContext) recordSession(name string, in boottest.Session, err error) error {
	c.signInErr = err
	if err != nil {
		return nil
	}
	if c.keys.keys == nil {
		c.keys.keys = map[string]merchant.APIKey{}
	}
	c.keys.keys[name] = merchant.APIKey{Name: name, Secret: in.Token}
	c.record("member", name, in.Member)
	c.record("session", name, in.ID)
	c.ids["due_"+name] = fmt.Sprint(in.CodeDue)
	return nil
}

func (c *membersContext) becomesMember(name, fields string) error {
	if err := c.invites(name, fields); err != nil {
		return err
	}
	if err := c.unexpectedRefusal(); err != nil {
		return err
	}
	return errors.Join(c.joins(name), c.signInErr)
}

func (c *membersContext) joins(name string) error {
	in, err := c.consoleClient().Join(c.ctx, c.memberLinks[name], name, memberPassword)
	return c.recordSession(name, in, err)
}

func (c *membersContext) joinsAs(link, name, password string) error {
	in, err := c.consoleClient().Join(c.ctx, c.memberLinks[link], name, password)
	return c.recordSession(link, in, err)
}

func (c *membersContext) joinConcurrently(n int, link string) {
	var all sync.WaitGroup
	results := make([]error, n)
	for i := range n {
		all.Go(func() { _, results[i] = c.consoleClient().Join(c.ctx, c.memberLinks[link], "Racer", memberPassword) })
	}
	all.Wait()
	for _, err := range results {
		if err == nil {
			c.joined++
		} else {
			c.signInErr = err
		}
	}
}

func (c *membersContext) haveJoined(n int) error {
	if c.joined != n {
		return fmt.Errorf("%d joined", c.joined)
	}
	return c.signInRefused("link_not_found")
}

func (c *membersContext) signsInWith(name, password string) error {
	in, err := c.consoleClient().SignIn(c.ctx, c.emailOf(name), password)
	return c.recordSession(name, in, err)
}

func (c *membersContext) signsInElsewhere(name string) error {
	client := c.consoleClient()
	client.Address += " elsewhere"
	in, err := client.SignIn(c.ctx, c.emailOf(name), memberPassword)
	return c.recordSession(name, in, err)
}

// auditHasWithin waits for an audit event that background work records.
func (c *membersContext) auditHasWithin(seconds int, action, name string) error {
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	for {
		if err := c.send("GET", "/v1/audit-events?action="+action, "", nil); err != nil {
			return err
		}
		if bytes.Contains(c.recorder.last().body, []byte(c.ids["member_"+name])) {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("the audit log has no %s of %s", action, name)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// signsInAs does not record the session, so the member's own session stays.
func (c *membersContext) signsInAs(name, password string) error {
	_, c.signInErr = c.consoleClient().SignIn(c.ctx, c.emailOf(name), password)
	return nil
}

// guessesPasswords guesses until the limiter requires a wait of more than five seconds, so that the limit still applies in the
// next step. If the wait is shorter because the machine is slow, guessesPasswords waits and uses that attempt up, too; the next
// wait is 30 seconds.
func (c *membersContext) guessesPasswords(name string) error {
	for i := range 100 {
		if err := c.signsInAs(name, fmt.Sprint("guess ", i)); err != nil {
			return err
		}
		wait := boottest.RetryAfter(c.signInErr)
		if wait > 5*time.Second {
			return c.signInRefused("rate_limited")
		}
		time.Sleep(wait)
	}
	return fmt.Errorf("100 guesses did not have to wait; the last met %w", c.signInErr)
}

func (c *membersContext) memberEnrolsAuthenticator(name string) error {
	key, err := c.keys.keyNamed(name)
	if err != nil {
		return err
	}
	client := c.merchant.As(key.Secret).In("")
	made, err := client.EnrolMFA(c.ctx)
	if err != nil {
		return err
	}
	app := &authenticator{enrolment: made}
	c.authenticators[name] = app
	code, err := app.freshCode()
	if err == nil {
		app.lastCode = code
		_, err = client.ConfirmMFA(c.ctx, code)
	}
	return err
}

func (c *membersContext) givesCode(name, kind string) error {
	key, err := c.keys.keyNamed(name)
	if err != nil {
		return err
	}
	app, code := c.authenticators[name], "not it"
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
	in, err := c.consoleClient().Prove(c.ctx, key.Secret, code)
	return c.recordSession(name, in, err)
}

func (c *membersContext) setsPassword(name, password string) error {
	var made struct{ Link string }
	if err := json.Unmarshal(c.recorder.last().body, &made); err == nil && made.Link != "" {
		c.memberLinks[name] = made.Link
	}
	c.signInErr = c.consoleClient().SetPassword(c.ctx, c.memberLinks[name], password)
	return nil
}

func (c *membersContext) signInRefused(code string) error {
	if c.signInErr == nil || !strings.HasPrefix(c.signInErr.Error(), code+":") {
		return fmt.Errorf("they came in, or met %v", c.signInErr)
	}
	return nil
}

func (c *membersContext) signInRefusedNaming(code, field string) error {
	if err := c.signInRefused(code); err != nil {
		return err
	}
	if !strings.Contains(c.signInErr.Error(), "["+field+" ") {
		return fmt.Errorf("it names something else: %w", c.signInErr)
	}
	return nil
}

func (c *membersContext) codeIsDue(name string) error {
	if c.signInErr != nil || c.ids["due_"+name] != "true" {
		return fmt.Errorf("no code is due: %v", c.signInErr)
	}
	return nil
}

func (c *membersContext) sessionIsOver(name string) error {
	key, err := c.keys.keyNamed(name)
	if err != nil {
		return err
	}
	return wantRefusal(c.sendBy(c.merchant.As(key.Secret).In(""), "GET", "/v1/console-sessions", "", nil), http.StatusUnauthorized, "unauthenticated")
}

func (c *membersContext) sessionWorks(name string) error {
	key, err := c.keys.keyNamed(name)
	if err != nil {
		return err
	}
	return errors.Join(c.signInErr, c.sendBy(c.merchant.As(key.Secret).In(""), "GET", "/v1/console-sessions", "", nil))
}

// linkShownOnce checks that later answers do not contain an invitation's secret.
func (c *membersContext) linkShownOnce(name string) error {
	for _, path := range []string{membersPath + "/invitations", "/v1/audit-events"} {
		if err := c.send("GET", path, "", nil); err != nil {
			return err
		}
		if link := c.memberLinks[name]; link == "" || bytes.Contains(c.recorder.last().body, []byte(link[strings.LastIndex(link, "/")+1:])) {
			return fmt.Errorf("%s tells the link %q", path, link)
		}
	}
	return nil
}
