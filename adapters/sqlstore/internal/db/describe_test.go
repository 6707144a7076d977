package db

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/domain/fault"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	const url = "postgres://shop:secret@db.example.com/shop"
	for text, err := range map[string]error{
		"PostgreSQL at db.example.com:5432 cannot write: the disk is full: no space": translate(t.Context(), &pq.Error{Code: "53100", Message: "no space"}),
		"PostgreSQL at db.example.com:5432 says: odd (XX000)":                        translate(t.Context(), &pq.Error{Code: "XX000", Message: "odd"}),
		"lost the connection to PostgreSQL at db.example.com:5432":                   translate(t.Context(), io.ErrUnexpectedEOF),
	} {
		if got := Describe(url, err); got.Error() != text || !errors.Is(got, err) {
			t.Errorf("%v is described as %q, want %q", err, got, text)
		}
	}
	refusal := fmt.Errorf("work: %w", fault.Missing("order").Because(&pq.Error{Code: "53100"}))
	if got := Describe(url, refusal); got != refusal {
		t.Errorf("a refusal is described as %q", got)
	}
	once := Describe(url, &pq.Error{Code: "XX000"})
	if got := Describe(url, once); got != once {
		t.Errorf("an error that is described already is described as %q", got)
	}
}

func TestDescribe_noSQLiteFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	url := "sqlite://" + path
	_, err := Open(t.Context(), Config{URL: url}, nil)
	if text := Describe(url, err); text == nil || text.Error() != path+" is not a SQLite database" {
		t.Errorf("got %v", text)
	}
}
