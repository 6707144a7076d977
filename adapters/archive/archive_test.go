package archive_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/haggle-commerce/haggle/adapters/archive"
)

var text = strings.Repeat("a line that repeats, and more of it\n", 10_000)

func create(t *testing.T, path string, keys archive.Keys) {
	t.Helper()
	size, err := archive.Create(path, keys, func(to io.Writer) error {
		_, err := io.WriteString(to, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != size || size > int64(len(text))/10 || info.Mode().Perm() != 0o600 {
		t.Errorf("%d, %v, %v", size, info, err)
	}
}

func read(path string, keys archive.Keys) (string, error) {
	var got bytes.Buffer
	err := archive.Read(path, keys, func(from io.Reader) error {
		_, err := got.ReadFrom(from)
		return err
	})
	return got.String(), err
}

// identity creates a key and a file of it like the one that age-keygen writes.
func identity(t *testing.T) (recipient, path string) {
	t.Helper()
	i, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(path, []byte("# a comment\n"+i.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return i.Recipient().String(), path
}

func TestRead_whatWasCreated(t *testing.T) {
	t.Parallel()
	recipient, secret := identity(t)
	other, otherSecret := identity(t)
	both, err := archive.Recipients(recipient + "," + other)
	if err != nil {
		t.Fatal(err)
	}
	phrase, err := archive.Passphrase("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := archive.Passphrase("wrong horse")
	if err != nil {
		t.Fatal(err)
	}
	_, stranger := identity(t)
	ids := func(path string) archive.Keys {
		t.Helper()
		k, err := archive.Identities(path)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	for name, c := range map[string]struct {
		with  archive.Keys
		opens []archive.Keys
		wrong []archive.Keys
	}{
		"plain":      {archive.Keys{}, []archive.Keys{{}, phrase}, nil},
		"passphrase": {phrase, []archive.Keys{phrase}, []archive.Keys{wrong, ids(secret)}},
		"recipients": {both, []archive.Keys{ids(secret), ids(otherSecret)}, []archive.Keys{ids(stranger), phrase}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "file")
			create(t, path, c.with)
			for _, keys := range c.opens {
				if got, err := read(path, keys); err != nil || got != text {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			}
			for _, keys := range c.wrong {
				if got, err := read(path, keys); !errors.Is(err, archive.ErrWrongKey) || got != "" {
					t.Errorf("%q, %v", got, err)
				}
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if sealed := len(c.with.Recipients) > 0; sealed {
				if _, err := read(path, archive.Keys{}); !errors.Is(err, archive.ErrEncrypted) {
					t.Error(err)
				}
			}
			for _, size := range []int{len(content) / 2, len(content) - 1} {
				if err := os.Truncate(path, int64(size)); err != nil {
					t.Fatal(err)
				}
				if _, err := read(path, c.opens[0]); err == nil {
					t.Errorf("%d of %d bytes were read without an error", size, len(content))
				}
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// An existing file is kept, and a failed write leaves no file.
func TestCreate_wholeOrNot(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	broken := errors.New("broken")
	if _, err := archive.Create(path, archive.Keys{}, func(to io.Writer) error {
		_, err := io.WriteString(to, text)
		return errors.Join(err, broken)
	}); !errors.Is(err, broken) {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
	create(t, path, archive.Keys{})
	if _, err := archive.Create(path, archive.Keys{}, func(io.Writer) error { return nil }); !errors.Is(err, archive.ErrExists) {
		t.Error(err)
	}
	if got, err := read(path, archive.Keys{}); err != nil || got != text {
		t.Error("the file was changed", err)
	}
}

func TestRecipients_bad(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "age1", "nobody"} {
		if _, err := archive.Recipients(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
