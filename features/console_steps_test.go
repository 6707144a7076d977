package features

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/haggle-commerce/haggle/simulator/openid"
)

func consoleSteps(sc stepRegistry, s *scenario) {
	consolePlaceSteps(sc, s)
	consoleMemberSteps(sc, s)
	consoleShopSteps(sc, s)

	sc.Step(`^"([^"]*)" opens (/\S*)$`, s.console.opensPage)
	sc.Step(`^"([^"]*)" opens the link$`, s.console.opensLink)
	sc.Step(`^"([^"]*)" (?:signs|signed) in to the console$`, s.console.signsInToConsole)
	sc.Step(`^"([^"]*)" fills in "([^"]*)" with "([^"]*)"$`, s.console.fillsIn)
	sc.Step(`^"([^"]*)" fills in "([^"]*)" with (a fresh code|a recovery code|a wrong code)$`, s.console.fillsInCode)
	sc.Step(`^"([^"]*)" presses "([^"]*)" with (a fresh code|a recovery code|a wrong code)$`, s.console.decidesPayment)
	sc.Step(`^"([^"]*)" uses a phone$`, s.console.looksOnPhone)
	sc.Step(`^"([^"]*)" turns scripts off$`, s.console.looksWithoutScripts)
	sc.Step(`^"([^"]*)" presses "([^"]*)"$`, s.console.presses)
	sc.Step(`^"([^"]*)" (consents|declines) at the platform by "([^"]*)"$`, s.connections.decidesInTab)
	sc.Step(`^"([^"]*)" presses the keys? "([^"]*)"$`, s.console.pressesKeys)
	sc.Step(`^"([^"]*)" sees "([^"]*)"$`, s.console.seesText)
	sc.Step(`^"([^"]*)" (?:checks|unchecks) "([^"]*)"$`, s.console.togglesBox)
	sc.Step(`^"([^"]*)" selects "([^"]*)"$`, s.console.selectsRow)
	sc.Then(`^the file contains "([^"]*)"$`, s.console.fileContains)
	sc.Then(`^"([^"]*)" does not see "([^"]*)"$`, s.console.doesNotSee)
	sc.Then(`^"([^"]*)" finds no "([^"]*)" to press$`, s.console.findsNoControl)
	sc.Then(`^"([^"]*)" sees "([^"]*)" next to "([^"]*)" in the navigation$`, s.console.seesNavigationCount)
	sc.Then(`^"([^"]*)" sees nothing next to "([^"]*)" in the navigation$`, func(name, place string) error {
		return s.console.seesNavigationCount(name, "", place)
	})
	sc.Then(`^"([^"]*)" is asked "([^"]*)"$`, s.console.seesDialog)
	sc.Then(`^"([^"]*)" no longer sees "([^"]*)"$`, s.console.seesNoLonger)
	sc.Then(`^the page of "([^"]*)" prints on one sheet$`, s.console.printsOnOneSheet)
	sc.Then(`^"([^"]*)" sees no dialog$`, func(name string) error { return s.console.seesDialog(name, "") })
	sc.Then(`^"([^"]*)" has the focus on "([^"]*)"$`, s.console.hasFocusOn)
	sc.Then(`^"([^"]*)" is at (/\S*)$`, s.console.isAtPath)
}

// startOpenIDProvider starts an OpenID Connect provider that signs in any e-mail address.
func startOpenIDProvider(t testing.TB) *openid.Provider {
	t.Helper()
	p, err := openid.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	p.Asks()
	return p
}

func (c *consoleContext) opensPage(name, path string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.run(chromedp.Navigate(c.app.URL() + c.expand(path)))
}

// looksOnPhone emulates a phone's viewport.
func (c *consoleContext) looksOnPhone(name string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.run(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
}

func (c *consoleContext) looksWithoutScripts(name string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.run(emulation.SetScriptExecutionDisabled(true))
}

func (c *consoleContext) opensLink(name string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.run(chromedp.Navigate(c.members.memberLinks[name]))
}

// addBrowserVars adds the variables of members' e-mail addresses and of the other shop's slug.
func (c *consoleContext) addBrowserVars(vars map[string]string) {
	for name := range c.members.memberLinks {
		vars["email_"+name] = c.members.emailOf(name)
	}
	if len(c.otherShops) > 0 {
		vars["other_slug"] = c.otherShops[0].Slug
	}
}

func (c *consoleContext) signsInToConsole(name string) error {
	if err := c.opensPage(name, "/console/sign-in"); err != nil {
		return err
	}
	if err := c.fillsIn(name, "E-mail", c.members.emailOf(name)); err != nil {
		return err
	}
	if err := c.fillsIn(name, "Password", memberPassword); err != nil {
		return err
	}
	return c.presses(name, "Sign in")
}

// focusFieldScript focuses a field by its label and selects its content.
const focusFieldScript = `(label) => {
	const found = [...document.querySelectorAll("label")].find(l => l.checkVisibility() && l.innerText.trim().startsWith(label));
	if (!found?.control) return false;
	found.control.focus();
	found.control.select();
	return true;
}`

func (c *consoleContext) fillsIn(name, label, text string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	err = t.until("has a field "+label, func() (found bool, err error) {
		err = t.script(&found, focusFieldScript, c.expand(label))
		return found, err
	})
	if err != nil {
		return err
	}
	return t.run(chromedp.KeyEvent(c.expand(text)))
}

// decidesPayment resolves an unresolved payment. It retries while background work is asking the provider about the payment.
func (c *consoleContext) decidesPayment(name, words, code string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.until("is free to be decided", func() (bool, error) {
		if err := c.fillsInCode(name, "Authenticator's code", code); err != nil {
			return false, err
		}
		err := c.presses(name, words)
		return err == nil && !strings.Contains(t.text(), "is being asked for the outcome"), err
	})
}

// codeFor returns a fresh code or the next recovery code.
func (a *authenticator) codeFor(which string) (string, error) {
	if which != "a recovery code" {
		return a.freshCode()
	}
	a.recoveryCodesUsed++
	return a.enrolment.RecoveryCodes[a.recoveryCodesUsed-1], nil
}

func (c *consoleContext) fillsInCode(name, label, which string) error {
	code := "000000"
	if which != "a wrong code" {
		app := c.members.authenticators[name]
		if app == nil {
			return fmt.Errorf("%q has no authenticator", name)
		}
		var err error
		if code, err = app.codeFor(which); err != nil {
			return err
		}
	}
	return c.fillsIn(name, label, code)
}

// pressScript presses a visible button or link by its text, or with look only finds it. It returns "leaves" if another page
// loads, "stays" if not, and "missing" if there is none.
const pressScript = `(words, look) => {
	const over = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document; // only the top dialog is reachable
	const all = [...over.querySelectorAll("button, a, summary")].filter(e => e.checkVisibility());
	const word = e => e.querySelector(":scope > .count") ? e.querySelector(":scope > span") : e; // an entry of the navigation
	const found = all.filter(e => word(e).innerText.trim() === words || e.getAttribute("aria-label") === words);
	const button = found.find(e => e.matches("form button")) ?? found[0];
	if (!button) return "missing";
	const path = l => l.pathname + l.search;
	const submits = button.type === "submit" && button.form && button.form.method !== "dialog";
	const leaves = submits || button.matches("a[href]") && path(button) !== path(location);
	if (leaves) window.pressed = true;
	if (!look) button.click();
	return leaves ? "leaves" : "stays";
}`

func (c *consoleContext) presses(name, words string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	var outcome string
	err = t.until("has something to press that says "+words, func() (found bool, err error) {
		err = t.script(&outcome, pressScript, c.expand(words))
		return err == nil && outcome != "missing", err
	})
	if err != nil || outcome == "stays" {
		return err
	}
	return t.until("gives way to the next one", func() (next bool, err error) {
		err = t.script(&next, `() => !window.pressed && document.readyState === "complete"`)
		return next, err
	})
}

// pressesKeys presses keys one after the other, as in "g m", or a named key: "Enter", "Escape", "Ctrl K".
func (c *consoleContext) pressesKeys(name, keys string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	err = t.until("is loaded", func() (loaded bool, err error) {
		err = t.script(&loaded, `() => document.readyState === "complete"`)
		return loaded, err
	})
	if err != nil {
		return err
	}
	var actions []chromedp.Action
	switch keys {
	case "Ctrl K":
		actions = append(actions, chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)))
	case "Escape":
		actions = append(actions, chromedp.KeyEvent(kb.Escape))
	case "Enter":
		actions = append(actions, chromedp.KeyEvent(kb.Enter))
	default:
		for key := range strings.FieldsSeq(keys) {
			actions = append(actions, chromedp.KeyEvent(key))
		}
	}
	return t.run(actions...)
}

// findsNoControl waits until the page has no such control, because pages update themselves when the server's data changes.
func (c *consoleContext) findsNoControl(name, words string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.until("has nothing to press that says "+words, func() (gone bool, err error) {
		var outcome string
		err = t.script(&outcome, pressScript, words, "look")
		return err == nil && outcome == "missing", err
	})
}

// seesText waits for a text. It also fails if the page is wider than its window.
func (c *consoleContext) seesText(name, text string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	wanted := c.expand(text)
	over := -1
	err = t.until("shows "+wanted, func() (found bool, err error) {
		err = t.script(&over, overflowScript, wanted)
		return err == nil && over >= 0, err
	})
	if err == nil && over > 0 {
		err = fmt.Errorf("the page is %d pixels wider than its window", over)
	}
	return err
}

// overflowScript returns by how many pixels the page is wider than its window, or -1 if it does not show the text.
const overflowScript = `(text) => document.body?.innerText.includes(text)
	? Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth) : -1`

func (c *consoleContext) doesNotSee(name, text string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	if shown := t.text(); strings.Contains(shown, c.expand(text)) {
		return fmt.Errorf("the page shows %q:\n%s", text, shown)
	}
	return nil
}

func (c *consoleContext) isAtPath(name, path string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.until("is at "+path, func() (bool, error) {
		var at string
		err := t.script(&at, `() => location.pathname + location.search`)
		return at == c.expand(path), err
	})
}

// toggleScript clicks the label of a checkbox.
const toggleScript = `(words) => {
	const found = [...document.querySelectorAll("label")].find(l => l.checkVisibility() && l.innerText.trim() === words);
	found?.click();
	return !!found?.control;
}`

func (c *consoleContext) togglesBox(name, words string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.until("has a box "+words, func() (found bool, err error) {
		err = t.script(&found, toggleScript, words)
		return found, err
	})
}

// selectRowScript clicks the checkbox of a table row.
const selectRowScript = `(words) => {
	const found = [...document.querySelectorAll("td input[type=checkbox]")].find(b => b.checkVisibility() && b.ariaLabel === "Select " + words);
	found?.click();
	return !!found;
}`

func (c *consoleContext) selectsRow(name, words string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.until("has a box for "+words, func() (found bool, err error) {
		err = t.script(&found, selectRowScript, c.expand(words))
		return found, err
	})
}

// downloadScript downloads a file with the page's session, and returns status, headers and content.
const downloadScript = `(path) => {
	const request = new XMLHttpRequest();
	request.open("GET", path, false);
	request.send();
	return [request.status, request.getResponseHeader("Content-Type"), request.getResponseHeader("Content-Disposition"), request.responseText].join("\n");
}`

func (c *consoleContext) downloadsInTab(name, path string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.script(&c.file, downloadScript, c.expand(path))
}

func (c *consoleContext) fileContains(text string) error {
	if wanted := c.expand(text); !strings.Contains(c.file, wanted) {
		return fmt.Errorf("the file does not contain %q:\n%s", wanted, c.file)
	}
	return nil
}

func (c *consoleContext) downloadRefused() error {
	if !strings.HasPrefix(c.file, "400\n") {
		return fmt.Errorf("the download answers:\n%s", c.file)
	}
	return nil
}
