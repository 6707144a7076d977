package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"
)

// Every configuration file is a valid template, and the operators' guide mentions it.
func TestConfigurationFiles(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join(deploy, "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(deploy, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files in %s, %v", len(files), deploy, err)
	}
	for _, file := range files {
		if _, err := template.ParseFiles(file); err != nil {
			t.Error(err)
		}
		if name := filepath.Base(file); !strings.Contains(string(guide), "(cluster/"+name+")") {
			t.Errorf("README.md does not name %s", name)
		}
	}
}
