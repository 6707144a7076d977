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

func consoleSteps(sc stepRegistry, w *world) {
	sc.Step(`^"([^"]*)" opens (/\S*)$`, w.opensPage)
	sc.Step(`^"([^"]*)" opens the link$`, w.opensLink)
	sc.Step(`^"([^"]*)" (?:signs|signed) in to the console$`, w.signsInToConsole)
	sc.Step(`^"([^"]*)" fills in "([^"]*)" with "([^"]*)"$`, w.fillsIn)
	sc.Step(`^"([^"]*)" fills in "([^"]*)" with (a fresh code|a recovery code|a wrong code)$`, w.fillsInCode)
	sc.Step(`^"([^"]*)" decides with (a fresh code|a recovery code|a wrong code) by "([^"]*)"$`, w.decidesPayment)
	sc.Step(`^"([^"]*)" looks on a phone$`, w.looksOnPhone)
	sc.Step(`^"([^"]*)" looks without scripts$`, w.looksWithoutScripts)
	sc.Step(`^"([^"]*)" presses "([^"]*)"$`, w.presses)
	sc.Step(`^"([^"]*)" (consents|declines) at the platform by "([^"]*)"$`, w.decidesInTab)
	sc.Step(`^"([^"]*)" strikes "([^"]*)"$`, w.pressesKeys)
	sc.Step(`^"([^"]*)" sees "([^"]*)"$`, w.seesText)
	sc.Step(`^"([^"]*)" (?:checks|unchecks) "([^"]*)"$`, w.togglesBox)
	sc.Step(`^"([^"]*)" selects "([^"]*)"$`, w.selectsRow)
	sc.Step(`^"([^"]*)" downloads (/\S*)$`, w.downloadsInTab)
	sc.Then(`^the file says "([^"]*)"$`, w.fileSays)
	sc.Then(`^"([^"]*)" does not see "([^"]*)"$`, w.doesNotSee)
	sc.Then(`^"([^"]*)" finds no "([^"]*)" to press$`, w.findsNoControl)
	sc.Then(`^"([^"]*)" is told that "([^"]*)" at "([^"]*)"$`, w.seesNavigationCount)
	sc.Then(`^"([^"]*)" is asked "([^"]*)"$`, w.seesDialog)
	sc.Then(`^"([^"]*)" is no longer told "([^"]*)"$`, w.seesNoLonger)
	sc.Then(`^the page of "([^"]*)" prints on one sheet$`, w.printsOnOneSheet)
	sc.Then(`^"([^"]*)" is asked nothing$`, func(name string) error { return w.seesDialog(name, "") })
	sc.Then(`^"([^"]*)" has the focus on "([^"]*)"$`, w.hasFocusOn)
	sc.Then(`^"([^"]*)" is at (/\S*)$`, w.isAtPath)
}

// startOpenIDProvider starts an OpenID Connect provider that signs in any e-mail address.
func startOpenIDProvider(t *testing.T) *openid.Provider {
	t.Helper()
	p, err := openid.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	p.Asks()
	return p
}

func (w *world) opensPage(name, path string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.run(chromedp.Navigate(w.app.URL() + w.expand(path)))
}

// looksOnPhone emulates a phone's viewport.
func (w *world) looksOnPhone(name string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.run(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
}

func (w *world) looksWithoutScripts(name string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.run(emulation.SetScriptExecutionDisabled(true))
}

func (w *world) opensLink(name string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.run(chromedp.Navigate(w.memberLinks[name]))
}

// addBrowserVars adds the variables of members' e-mail addresses and of the other shop's slug.
func (w *world) addBrowserVars(vars map[string]string) {
	for name := range w.memberLinks {
		vars["email_"+name] = w.emailOf(name)
	}
	if len(w.otherShops) > 0 {
		vars["other_slug"] = w.otherShops[0].Slug
	}
}

func (w *world) signsInToConsole(name string) error {
	if err := w.opensPage(name, "/console/sign-in"); err != nil {
		return err
	}
	if err := w.fillsIn(name, "E-mail", w.emailOf(name)); err != nil {
		return err
	}
	if err := w.fillsIn(name, "Password", memberPassword); err != nil {
		return err
	}
	return w.presses(name, "Sign in")
}

// focusFieldScript focuses a field by its label and selects its content.
const focusFieldScript = `(label) => {
	const found = [...document.querySelectorAll("label")].find(l => l.checkVisibility() && l.innerText.trim().startsWith(label));
	if (!found?.control) return false;
	found.control.focus();
	found.control.select();
	return true;
}`

func (w *world) fillsIn(name, label, text string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	err = t.until("has a field "+label, func() (found bool, err error) {
		err = t.script(&found, focusFieldScript, w.expand(label))
		return found, err
	})
	if err != nil {
		return err
	}
	return t.run(chromedp.KeyEvent(w.expand(text)))
}

// decidesPayment resolves an unresolved payment. It retries while background work is asking the provider about the payment.
func (w *world) decidesPayment(name, code, words string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.until("is free to be decided", func() (bool, error) {
		if err := w.fillsInCode(name, "Authenticator's code", code); err != nil {
			return false, err
		}
		err := w.presses(name, words)
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

func (w *world) fillsInCode(name, label, which string) error {
	code := "000000"
	if which != "a wrong code" {
		app := w.authenticators[name]
		if app == nil {
			return fmt.Errorf("%q has no authenticator", name)
		}
		var err error
		if code, err = app.codeFor(which); err != nil {
			return err
		}
	}
	return w.fillsIn(name, label, code)
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

func (w *world) presses(name, words string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	var outcome string
	err = t.until("has something to press that says "+words, func() (found bool, err error) {
		err = t.script(&outcome, pressScript, w.expand(words))
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
func (w *world) pressesKeys(name, keys string) error {
	t, err := w.tab(name)
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
func (w *world) findsNoControl(name, words string) error {
	t, err := w.tab(name)
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
func (w *world) seesText(name, text string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	wanted := w.expand(text)
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

func (w *world) doesNotSee(name, text string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	if shown := t.text(); strings.Contains(shown, w.expand(text)) {
		return fmt.Errorf("the page shows %q:\n%s", text, shown)
	}
	return nil
}

func (w *world) isAtPath(name, path string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.until("is at "+path, func() (bool, error) {
		var at string
		err := t.script(&at, `() => location.pathname + location.search`)
		return at == w.expand(path), err
	})
}

// toggleScript clicks the label of a checkbox.
const toggleScript = `(words) => {
	const found = [...document.querySelectorAll("label")].find(l => l.checkVisibility() && l.innerText.trim() === words);
	found?.click();
	return !!found?.control;
}`

func (w *world) togglesBox(name, words string) error {
	t, err := w.tab(name)
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

func (w *world) selectsRow(name, words string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.until("has a box for "+words, func() (found bool, err error) {
		err = t.script(&found, selectRowScript, w.expand(words))
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

func (w *world) downloadsInTab(name, path string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.script(&w.file, downloadScript, w.expand(path))
}

func (w *world) fileSays(text string) error {
	if wanted := w.expand(text); !strings.Contains(w.file, wanted) {
		return fmt.Errorf("the file does not say %q:\n%s", wanted, w.file)
	}
	return nil
}
