package features

import "github.com/cucumber/godog"

func consoleCatalogueSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^"([^"]*)" types "([^"]*)" over "([^"]*)"$`, s.console.typesOver)
	sc.Step(`^"([^"]*)" gives the file "([^"]*)" for "([^"]*)":$`, func(name, file, label string, text *godog.DocString) error {
		return s.console.runsUntilFound(name, "has a field "+label+" for a file", chooseFileScript, label, file, text.Content)
	})
}

// fillByAriaLabelScript fills in a field that has an aria-label instead of a visible label.
const fillByAriaLabelScript = `(label, text) => {
	const found = [...document.querySelectorAll("input[aria-label]")].find(i => i.checkVisibility() && i.ariaLabel === label);
	if (!found) return false;
	found.value = text;
	return true;
}`

func (c *consoleContext) typesOver(name, text, label string) error {
	return c.runsUntilFound(name, "has a field "+label, fillByAriaLabelScript, label, text)
}

// chooseFileScript chooses a file for a file field.
const chooseFileScript = `(label, name, text) => { ` + labelledScript + `
	const input = labelled(label);
	if (input?.type !== "file") return false;
	const files = new DataTransfer();
	files.items.add(new File([text], name));
	input.files = files.files;
	return true;
}`
