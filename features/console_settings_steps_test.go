package features

import (
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func consoleSettingsSteps(sc book, w *world) {
	sc.Step(`^"([^"]*)" chooses "([^"]*)" for "([^"]*)"$`, w.chooses)
	sc.Step(`^"([^"]*)" ticks "([^"]*)"$`, w.ticks)
	sc.Step(`^"([^"]*)" hands the link that is shown to "([^"]*)"$`, w.handsLink)
	sc.Step(`^"([^"]*)" types the key that is shown into an authenticator$`, w.typesKey)
	sc.Step(`^"([^"]*)" keeps the secret that is shown as the key "([^"]*)"$`, w.keepsSecret)
	sc.Then(`^"([^"]*)" still has "([^"]*)" in "([^"]*)"$`, w.stillHas)
}

// labelled finds what a label that can be seen is for.
const labelled = `const labelled = (label) => [...document.querySelectorAll("label")]
	.find(l => l.checkVisibility() && l.innerText.trim().startsWith(label))?.control;`

const choose = `(label, word) => { ` + labelled + `
	const select = labelled(label);
	const option = [...select?.options ?? []].find(o => o.text === word);
	if (!option) return false;
	option.selected = true;
	return true;
}`

func (w *world) chooses(name, word, label string) error {
	return w.finds(name, "has the choice "+word+" for "+label, choose, label, w.expand(word))
}

const tick = `(label) => { ` + labelled + `
	const box = labelled(label);
	box?.click();
	return !!box;
}`

func (w *world) ticks(name, label string) error {
	return w.finds(name, "has "+label+" to tick", tick, w.expand(label))
}

// finds runs a script until it says that it has found something on the page.
func (w *world) finds(name, what, script string, arguments ...string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	return t.until(what, func() (found bool, err error) {
		err = t.script(&found, script, arguments...)
		return found, err
	})
}

// shown is the secret or the link that the page shows once.
func (w *world) shown(name string) (text string, err error) {
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

func (w *world) handsLink(name, to string) error {
	link, err := w.shown(name)
	if err == nil {
		w.crewLinks[to] = link
	}
	return err
}

func (w *world) typesKey(name string) error {
	secret, err := w.shown(name)
	if err == nil {
		w.phones[name] = &authenticator{enrolment: merchant.Enrolment{Secret: strings.ReplaceAll(secret, " ", "")}}
	}
	return err
}

func (w *world) keepsSecret(name, as string) error {
	secret, err := w.shown(name)
	if err == nil {
		w.keys[as] = merchant.APIKey{Name: as, Secret: secret}
	}
	return err
}

func (w *world) stillHas(name, text, label string) error {
	t, err := w.tab(name)
	if err != nil {
		return err
	}
	var held string
	err = t.script(&held, `(label) => { `+labelled+` return labelled(label)?.value ?? ""; }`, label)
	if err == nil && held != w.expand(text) {
		err = fmt.Errorf("%s holds %q", label, held)
	}
	return err
}
