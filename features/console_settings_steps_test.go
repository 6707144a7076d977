package features

import (
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func consoleSettingsSteps(sc stepRegistry, w *world) {
	sc.Step(`^"([^"]*)" chooses "([^"]*)" for "([^"]*)"$`, w.chooses)
	sc.Step(`^"([^"]*)" ticks "([^"]*)"$`, w.ticks)
	sc.Step(`^"([^"]*)" hands the link that is shown to "([^"]*)"$`, w.passesLink)
	sc.Step(`^"([^"]*)" types the key that is shown into an authenticator$`, w.entersAuthenticatorKey)
	sc.Step(`^"([^"]*)" keeps the secret that is shown as the key "([^"]*)"$`, w.keepsShownSecret)
	sc.Then(`^"([^"]*)" still has "([^"]*)" in "([^"]*)"$`, w.fieldStillHas)
}

// labelledScript finds the control of a visible label.
const labelledScript = `const labelled = (label) => [...document.querySelectorAll("label")]
	.find(l => l.checkVisibility() && l.innerText.trim().startsWith(label))?.control;`

const chooseOptionScript = `(label, word) => { ` + labelledScript + `
	const select = labelled(label);
	const option = [...select?.options ?? []].find(o => o.text === word);
	if (!option) return false;
	option.selected = true;
	return true;
}`

func (w *world) chooses(name, word, label string) error {
	return w.runsUntilFound(name, "has the choice "+word+" for "+label, chooseOptionScript, label, w.expand(word))
}

const tickScript = `(label) => { ` + labelledScript + `
	const box = labelled(label);
	box?.click();
	return !!box;
}`

func (w *world) ticks(name, label string) error {
	return w.runsUntilFound(name, "has "+label+" to tick", tickScript, w.expand(label))
}

// runsUntilFound repeats a script until it returns true.
func (w *world) runsUntilFound(name, what, script string, arguments ...string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.until(what, func() (found bool, err error) {
		err = t.script(&found, script, arguments...)
		return found, err
	})
}

// shownSecret waits for the secret or link that the page shows once, and returns it.
func (w *world) shownSecret(name string) (text string, err error) {
	t, err := w.tab(name)
	if err != nil {
		return "", err
	}
	err = t.until("shows a secret", func() (bool, error) {
		err := t.script(&text, `() => document.querySelector(".secret")?.innerText ?? ""`)
		return text != "", err
	})
	return text, err
}

func (w *world) passesLink(name, to string) error {
	link, err := w.shownSecret(name)
	if err == nil {
		w.memberLinks[to] = link
	}
	return err
}

func (w *world) entersAuthenticatorKey(name string) error {
	secret, err := w.shownSecret(name)
	if err == nil {
		w.authenticators[name] = &authenticator{enrolment: merchant.Enrolment{Secret: strings.ReplaceAll(secret, " ", "")}}
	}
	return err
}

func (w *world) keepsShownSecret(name, as string) error {
	secret, err := w.shownSecret(name)
	if err == nil {
		w.keys[as] = merchant.APIKey{Name: as, Secret: secret}
	}
	return err
}

func (w *world) fieldStillHas(name, text, label string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	var held string
	err = t.script(&held, `(label) => { `+labelledScript+` return labelled(label)?.value ?? ""; }`, label)
	if err == nil && held != w.expand(text) {
		err = fmt.Errorf("%s holds %q", label, held)
	}
	return err
}
