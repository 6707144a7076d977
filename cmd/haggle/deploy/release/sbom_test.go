package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// bomSchema returns the CycloneDX schema from the tests of the library that writes SBOMs.
func bomSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	for url, name := range map[string]string{
		"http://cyclonedx.org/schema/bom-1.6.schema.json":  "bom-1.6.schema.json",
		"http://cyclonedx.org/schema/spdx.schema.json":     "spdx.schema.json",
		"http://cyclonedx.org/schema/jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		file, err := os.Open(filepath.Join(strings.TrimSpace(string(folder)), "schema", name))
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource(url, document); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, sbom []byte) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(sbom))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(document)
}

// bill is the part of an SBOM that tests read.
type bill struct {
	Metadata struct {
		Timestamp string
		Component struct{ Name, Version string }
	}
	Components   []struct{ Type, Name, Version, Purl string }
	Dependencies []struct {
		Ref       string
		DependsOn []string
	}
}

func TestBillOfMaterials(t *testing.T) {
	t.Parallel()
	schema, one := bomSchema(t), self(t)
	sbom, err := billOfMaterials("1.2.3", platform{"linux", "amd64"}, []program{one}, time.Unix(0, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, schema, sbom); err != nil {
		t.Errorf("the SBOM does not follow CycloneDX 1.6: %v", err)
	}
	if err := validate(t, schema, bytes.Replace(sbom, []byte(`"library"`), []byte(`"libary"`), 1)); err == nil {
		t.Error("the schema takes any type of component")
	}
	var b bill
	if err := json.Unmarshal(sbom, &b); err != nil {
		t.Fatal(err)
	}
	if b.Metadata.Component.Name != "haggle" || b.Metadata.Component.Version != "1.2.3" || b.Metadata.Timestamp != "1970-01-01T00:00:00Z" {
		t.Errorf("%+v", b.Metadata)
	}
	purls := map[string]bool{}
	for _, c := range b.Components {
		purls[c.Purl] = true
	}
	for _, m := range one.info.Deps {
		if purl := "pkg:golang/" + strings.ToLower(m.Path) + "@" + m.Version; !purls[purl] {
			t.Errorf("%s is not in the SBOM", purl)
		}
	}
	if len(b.Components) != len(one.info.Deps)+2 { // plus the program and the standard library
		t.Errorf("%d components of %d modules", len(b.Components), len(one.info.Deps))
	}
	if len(b.Dependencies) != 1 || len(b.Dependencies[0].DependsOn) != len(one.info.Deps)+1 {
		t.Errorf("%+v", b.Dependencies)
	}
}
