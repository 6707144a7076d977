// Package licenses embeds and prints the license texts of everything that is linked into haggle and haggle-sim: their own,
// Go's, the modules', and those of embedded third-party files. The generator's test fails if a linked module's text is missing.
package licenses

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
)

//go:generate go run ./generate texts.json.gz

//go:embed texts.json.gz
var packed []byte

// Component is a linked module or an embedded file. Name is the module's path or another name.
type Component struct {
	Name  string `json:"name"`
	Files []File `json:"files"`
}

// File is a license, a notice or a list of patents. Components share texts, because most are copies of a few.
type File struct {
	Name string `json:"name"`
	Text int    `json:"text"` // index in Collection.Texts
}

// Collection is the generator's output: components by name, the program itself first.
type Collection struct {
	Texts      []string    `json:"texts"`
	Components []Component `json:"components"`
}

// Load decodes the embedded collection.
func Load() (*Collection, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var c Collection
	return &c, json.NewDecoder(reader).Decode(&c)
}

// Print writes all texts, and the versions of the modules that the running program was built with.
func Print(w io.Writer) error {
	info, _ := debug.ReadBuildInfo()
	return PrintFor(w, info)
}

// PrintFor is Print for another program's build information. If info is nil, it prints no versions.
func PrintFor(w io.Writer, info *debug.BuildInfo) error {
	c, err := Load()
	if err != nil {
		return err
	}
	versions := map[string]string{}
	if info != nil {
		versions["Go"] = info.GoVersion
		for _, m := range info.Deps {
			versions[m.Path] = m.Version
		}
	}
	for i, component := range c.Components {
		title := component.Name
		if version := versions[component.Name]; version != "" {
			title += " " + version
		}
		if i > 0 {
			title = "\n" + title
		}
		for _, f := range component.Files {
			if _, err := fmt.Fprintf(w, "%s: %s\n%s\n\n%s\n", title, f.Name, bytes.Repeat([]byte("="), 80), c.Texts[f.Text]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Of returns a component's texts, or none if it is unknown.
func (c *Collection) Of(name string) (texts []string) {
	i := slices.IndexFunc(c.Components, func(one Component) bool { return one.Name == name })
	if i < 0 {
		return nil
	}
	for _, f := range c.Components[i].Files {
		texts = append(texts, c.Texts[f.Text])
	}
	return texts
}
