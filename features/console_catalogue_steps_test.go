package features

import "github.com/cucumber/godog"

func consoleCatalogueSteps(sc book, w *world) {
	sc.Step(`^"([^"]*)" types "([^"]*)" over "([^"]*)"$`, w.typesOver)
	sc.Step(`^"([^"]*)" gives the file "([^"]*)" for "([^"]*)":$`, func(name, file, label string, text *godog.DocString) error {
		return w.finds(name, "has a field "+label+" for a file", give, label, file, text.Content)
	})
}

// over fills in a field that is named for screen readers only.
const over = `(label, text) => {
	const found = [...document.querySelectorAll("input[aria-label]")].find(i => i.checkVisibility() && i.ariaLabel === label);
	if (!found) return false;
	found.value = text;
	return true;
}`

func (w *world) typesOver(name, text, label string) error {
	return w.finds(name, "has a field "+label, over, label, text)
}

// give chooses a file.
const give = `(label, name, text) => { ` + labelled + `
	const input = labelled(label);
	if (input?.type !== "file") return false;
	const files = new DataTransfer();
	files.items.add(new File([text], name));
	input.files = files.files;
	return true;
}`
