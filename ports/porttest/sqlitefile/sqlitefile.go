// Package sqlitefile creates migrated SQLite databases for tests, as copies of one. It knows no schema: the caller
// migrates.
package sqlitefile

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest/memdir"
)

var template struct {
	once    sync.Once
	content []byte
	err     error
}

// Migrated makes a database with the schema and without a row, and returns its URL. It is a copy of one that migrate
// made, once for this process: always the same migrate.
func Migrated(tb testing.TB, migrate func(url string) error) (url string) {
	tb.Helper()
	t := &template
	t.once.Do(func() { t.content, t.err = migrated(migrate) })
	if t.err != nil {
		tb.Fatal(t.err)
	}
	path := filepath.Join(memdir.New(tb), "haggle.db")
	if err := os.WriteFile(path, t.content, 0o600); err != nil {
		tb.Fatal(err)
	}
	return "sqlite://" + path
}

func migrated(migrate func(url string) error) ([]byte, error) {
	dir, err := os.MkdirTemp(memdir.Parent(), "haggle-sqlite-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	if err := migrate("sqlite://" + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
