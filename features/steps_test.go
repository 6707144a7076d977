package features

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	gherkin "github.com/cucumber/gherkin/go/v26"
	messages "github.com/cucumber/messages/go/v21"
)

// Every step of the features matches one expression, and every expression a step.
func TestStepGroups(t *testing.T) {
	t.Parallel()
	registry := stepRegistry{expressions: &[]string{}}
	s := newScenario(serverOf("sqlite"))
	for _, register := range stepGroups {
		register(registry, s)
	}
	used := map[string]bool{}
	for _, step := range stepsOf(t) {
		var matching []string
		for _, expression := range *registry.expressions {
			if compile(expression).MatchString(step) {
				matching = append(matching, expression)
				used[expression] = true
			}
		}
		if len(matching) != 1 {
			t.Errorf("%q matches %q", step, matching)
		}
	}
	for _, expression := range *registry.expressions {
		if !used[expression] {
			t.Errorf("no step matches %s", expression)
		}
	}
}

// stepsOf returns the texts of all steps, with the values of their examples.
func stepsOf(t *testing.T) (texts []string) {
	t.Helper()
	names, err := filepath.Glob("*.feature")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		document, err := gherkin.ParseGherkinDocument(f, (&messages.Incrementing{}).NewId)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, pickle := range gherkin.Pickles(*document, name, (&messages.Incrementing{}).NewId) {
			for _, step := range pickle.Steps {
				texts = append(texts, step.Text)
			}
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}
