package features

import (
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func consoleSettingsSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^"([^"]*)" chooses "([^"]*)" for "([^"]*)"$`, s.console.chooses)
	sc.Step(`^"([^"]*)" ticks "([^"]*)"$`, s.console.ticks)
	sc.Step(`^"([^"]*)" gives the link that is shown to "([^"]*)"$`, s.console.passesLink)
	sc.Step(`^"([^"]*)" types the key that is shown into an authenticator$`, s.console.entersAuthenticatorKey)
	sc.Step(`^"([^"]*)" keeps the secret that is shown as the key "([^"]*)"$`, s.console.keepsShownSecret)
	sc.Then(`^"([^"]*)" still has "([^"]*)" in "([^"]*)"$`, s.console.fieldStillHas)
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

func (c *consoleContext) chooses(name, word, label string) error {
	return c.runsUntilFound(name, "has the choice "+word+" for "+label, chooseOptionScript, label, c.expand(word))
}

const tickScript = `(label) => { ` + labelledScript + `
	const box = labelled(label);
	box?.click();
	return !!box;
}`

func (c *consoleContext) ticks(name, label string) error {
	return c.runsUntilFound(name, "has "+label+" to tick", tickScript, c.expand(label))
}

// runsUntilFound repeats a script until it returns true.
func (c *consoleContext) runsUntilFound(name, what, script string, arguments ...string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	return t.until(what, func() (found bool, err error) {
		err = t.script(&found, script, arguments...)
		return found, err
	})
}

// shownSecret waits for the secret or link that the page shows once, and returns it.
func (c *consoleContext) shownSecret(name string) (text string, err error) {
	t, err := c.tab(name)
	if err != nil {
		return "", err
	}
	err = t.until("shows a secret", func() (bool, error) {
		err := t.script(&text, `() => document.querySelector(".secret")?.innerText ?? ""`)
		return text != "", err
	})
	return text, err
}

func (c *consoleContext) passesLink(name, to string) error {
	link, err := c.shownSecret(name)
	if err == nil {
		c.members.memberLinks[to] = link
	}
	return err
}

func (c *consoleContext) entersAuthenticatorKey(name string) error {
	secret, err := c.shownSecret(name)
	if err == nil {
		c.members.authenticators[name] = &authenticator{enrolment: merchant.Enrolment{Secret: strings.ReplaceAll(secret, " ", "")}}
	}
	return err
}

func (c *consoleContext) keepsShownSecret(name, as string) error {
	secret, err := c.shownSecret(name)
	if err == nil {
		c.keys.keys[as] = merchant.APIKey{Name: as, Secret: secret}
	}
	return err
}

func (c *consoleContext) fieldStillHas(name, text, label string) error {
	t, err := c.tab(name)
	if err != nil {
		return err
	}
	var held string
	err = t.script(&held, `(label) => { `+labelledScript+` return labelled(label)?.value ?? ""; }`, label)
	if err == nil && held != c.expand(text) {
		err = fmt.Errorf("%s holds %q", label, held)
	}
	return err
}
