package features

import (
	"encoding/csv"
	"strings"

	"github.com/cucumber/godog"
)

func consoleCatalogueSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^"([^"]*)" types "([^"]*)" over "([^"]*)"$`, s.console.typesOver)
	sc.Step(`^"([^"]*)" chooses a file for "([^"]*)" with:$`, s.console.choosesFile)
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

// choosesFile chooses a CSV file with the rows of a table.
func (c *consoleContext) choosesFile(name, label string, table *godog.Table) error {
	var content strings.Builder
	writer := csv.NewWriter(&content)
	for _, row := range table.Rows {
		var record []string
		for _, cell := range row.Cells {
			record = append(record, cell.Value)
		}
		if err := writer.Write(record); err != nil {
			return err
		}
	}
	writer.Flush()
	return c.runsUntilFound(name, "has a field "+label+" for a file", chooseFileScript, label, "products.csv", content.String())
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
