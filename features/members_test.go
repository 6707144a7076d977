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

// crew is what a scenario knows of the members of an account.
type crew struct {
	crewLinks map[string]string // of invitations, and to set a password, by whom they are for
	ids       map[string]string // by kind and name
	phones    map[string]*authenticator
	came      error // why somebody did not come in
	joined    int
}

func (c *crew) note(kind, name, id string) {
	if c.ids == nil {
		c.ids, c.crewLinks, c.phones = map[string]string{}, map[string]string{}, map[string]*authenticator{}
	}
	c.ids[kind+"_"+name] = id
}

func (w *world) nameMembers(known map[string]string) {
	for name, id := range w.crew.ids {
		known[name] = id
	}
}

func (w *world) door() boottest.Door { return boottest.Door{App: w.app, Address: w.name} }

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
		err := json.Unmarshal(w.tape.last().body, &made)
		w.crew.note("invitation", name, made.ID)
		w.crewLinks[name] = made.Link
		return err
	})
}

func (w *world) memberInvites(code, by, name, fields string) error {
	header := http.Header{}
	if code != "no code" {
		var err error
		if header, err = w.confirmedBy(by); err != nil {
			return err
		}
	}
	key, err := w.held(by)
	if err != nil {
		return err
	}
	return w.invitedBy(w.merchant.As(key.Secret).In(""), name, fields, header)
}

// confirmedBy has a fresh code of somebody's authenticator.
func (w *world) confirmedBy(name string) (http.Header, error) {
	phone := w.phones[name]
	if phone == nil {
		return nil, fmt.Errorf("%q has no authenticator", name)
	}
	text, err := phone.fresh()
	return http.Header{"X-Mfa-Code": {text}}, err
}

func (w *world) resetsFactor(by, of, code string) error {
	header := http.Header{}
	if code != "no code" && w.phones[by] != nil {
		var err error
		if header, err = w.confirmedBy(by); err != nil {
			return err
		}
	}
	key, err := w.held(by)
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
		if err := w.unjudged(); err != nil {
			return err
		}
	}
	return nil
}

// comes notes a session under a member's name, whose token is sent like an API key.
func (w *world) comes(name string, in boottest.Session, err error) error {
	w.came = err
	if err != nil {
		return nil
	}
	if w.keys == nil {
		w.keys = map[string]merchant.APIKey{}
	}
	w.keys[name] = merchant.APIKey{Name: name, Secret: in.Token}
	w.crew.note("member", name, in.Member)
	w.crew.note("session", name, in.ID)
	w.ids["due_"+name] = fmt.Sprint(in.CodeDue)
	return nil
}

func (w *world) isMember(name, fields string) error {
	if err := w.invites(name, fields); err != nil {
		return err
	}
	if err := w.unjudged(); err != nil {
		return err
	}
	return errors.Join(w.joins(name), w.came)
}

func (w *world) joins(name string) error {
	in, err := w.door().Join(w.ctx, w.crewLinks[name], name, memberPassword)
	return w.comes(name, in, err)
}

func (w *world) joinsAs(link, name, password string) error {
	in, err := w.door().Join(w.ctx, w.crewLinks[link], name, password)
	return w.comes(link, in, err)
}

func (w *world) joinAtOnce(n int, link string) {
	var all sync.WaitGroup
	results := make([]error, n)
	for i := range n {
		all.Go(func() { _, results[i] = w.door().Join(w.ctx, w.crewLinks[link], "Racer", memberPassword) })
	}
	all.Wait()
	for _, err := range results {
		if err == nil {
			w.joined++
		} else {
			w.came = err
		}
	}
}

func (w *world) haveJoined(n int) error {
	if w.joined != n {
		return fmt.Errorf("%d joined", w.joined)
	}
	return w.comingInRefused("link_not_found")
}

func (w *world) signsInWith(name, password string) error {
	in, err := w.door().SignIn(w.ctx, w.emailOf(name), password)
	return w.comes(name, in, err)
}

func (w *world) signsInElsewhere(name string) error {
	door := w.door()
	door.Address += " elsewhere"
	in, err := door.SignIn(w.ctx, w.emailOf(name), memberPassword)
	return w.comes(name, in, err)
}

// auditHasBySoon waits for an event that background work records.
func (w *world) auditHasBySoon(seconds int, action, name string) error {
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	for {
		if err := w.send("GET", "/v1/audit-events?action="+action, "", nil); err != nil {
			return err
		}
		if bytes.Contains(w.tape.last().body, []byte(w.ids["member_"+name])) {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("the audit log has no %s of %s", action, name)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// signsInAs forgets the session, so that the member's own stays.
func (w *world) signsInAs(name, password string) error {
	_, w.came = w.door().SignIn(w.ctx, w.emailOf(name), password)
	return nil
}

// guessesPasswords guesses until the limiter asks for a wait of more than five seconds, so that the limit still holds in the next
// step. If a slow machine takes so long that the wait is shorter, guessesPasswords waits, uses that attempt up, too, and the
// next wait is 30 seconds.
func (w *world) guessesPasswords(name string) error {
	for i := range 100 {
		if err := w.signsInAs(name, fmt.Sprint("guess ", i)); err != nil {
			return err
		}
		wait := boottest.RetryAfter(w.came)
		if wait > 5*time.Second {
			return w.comingInRefused("rate_limited")
		}
		time.Sleep(wait)
	}
	return fmt.Errorf("100 guesses did not have to wait; the last met %w", w.came)
}

func (w *world) memberEnrols(name string) error {
	key, err := w.held(name)
	if err != nil {
		return err
	}
	client := w.merchant.As(key.Secret).In("")
	made, err := client.EnrolMFA(w.ctx)
	if err != nil {
		return err
	}
	phone := &authenticator{enrolment: made}
	w.phones[name] = phone
	code, err := phone.fresh()
	if err == nil {
		phone.latest = code
		_, err = client.ConfirmMFA(w.ctx, code)
	}
	return err
}

func (w *world) proves(name, kind string) error {
	key, err := w.held(name)
	if err != nil {
		return err
	}
	phone, code := w.phones[name], "not it"
	switch kind {
	case "a fresh code":
		if phone.latest, err = phone.fresh(); err != nil {
			return err
		}
		code = phone.latest
	case "the same code":
		code = phone.latest
	case "a recovery code":
		code = phone.enrolment.RecoveryCodes[phone.recovered]
		phone.recovered++
	}
	in, err := w.door().Prove(w.ctx, key.Secret, code)
	return w.comes(name, in, err)
}

func (w *world) setsPassword(name, password string) error {
	var made struct{ Link string }
	if err := json.Unmarshal(w.tape.last().body, &made); err == nil && made.Link != "" {
		w.crewLinks[name] = made.Link
	}
	w.came = w.door().SetPassword(w.ctx, w.crewLinks[name], password)
	return nil
}

func (w *world) comingInRefused(code string) error {
	if w.came == nil || !strings.HasPrefix(w.came.Error(), code+":") {
		return fmt.Errorf("they came in, or met %v", w.came)
	}
	return nil
}

func (w *world) comingInRefusedNaming(code, field string) error {
	if err := w.comingInRefused(code); err != nil {
		return err
	}
	if !strings.Contains(w.came.Error(), "["+field+" ") {
		return fmt.Errorf("it names something else: %w", w.came)
	}
	return nil
}

func (w *world) codeIsDue(name string) error {
	if w.came != nil || w.ids["due_"+name] != "true" {
		return fmt.Errorf("no code is due: %v", w.came)
	}
	return nil
}

func (w *world) sessionIsOver(name string) error {
	key, err := w.held(name)
	if err != nil {
		return err
	}
	return wantRefusal(w.sendBy(w.merchant.As(key.Secret).In(""), "GET", "/v1/console-sessions", "", nil), http.StatusUnauthorized, "unauthenticated")
}

func (w *world) sessionWorks(name string) error {
	key, err := w.held(name)
	if err != nil {
		return err
	}
	return errors.Join(w.came, w.sendBy(w.merchant.As(key.Secret).In(""), "GET", "/v1/console-sessions", "", nil))
}

// linkShownOnce looks for an invitation's secret in what the merchant reads later.
func (w *world) linkShownOnce(name string) error {
	for _, path := range []string{membersPath + "/invitations", "/v1/audit-events"} {
		if err := w.send("GET", path, "", nil); err != nil {
			return err
		}
		if link := w.crewLinks[name]; link == "" || bytes.Contains(w.tape.last().body, []byte(link[strings.LastIndex(link, "/")+1:])) {
			return fmt.Errorf("%s tells the link %q", path, link)
		}
	}
	return nil
}
