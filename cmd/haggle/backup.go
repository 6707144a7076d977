package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/adapters/archive"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/backup"
	"github.com/haggle-commerce/haggle/cmd/boot"
)

// secrets are the passphrases and keys that encrypt or decrypt a backup.
type secrets struct {
	PassphraseFile string `help:"File that contains the passphrase of the backup."`
}

func (s secrets) keys() (archive.Keys, error) {
	if s.PassphraseFile == "" {
		return archive.Keys{}, nil
	}
	text, err := os.ReadFile(s.PassphraseFile)
	if err != nil {
		return archive.Keys{}, err
	}
	phrase := strings.TrimRight(string(text), "\r\n")
	if phrase == "" {
		return archive.Keys{}, fmt.Errorf("--passphrase-file: %s is empty", s.PassphraseFile)
	}
	return archive.Passphrase(phrase)
}

type backupCmd struct {
	database
	secrets
	File      string `arg:"" help:"Path of the new file, compressed with zstd; - writes to standard output."`
	Recipient string `help:"Public age key, age1…, to encrypt the backup with. Separate several keys with commas."`
}

func (b backupCmd) Help() string {
	return `The backup is a consistent snapshot of the whole database. Servers can keep running, with SQLite and with PostgreSQL.

  haggle backup /backups/shop-$(date +%F).haggle
  haggle backup - --recipient age1… | aws s3 cp - s3://backups/shop.haggle

The backup contains credentials that are encrypted with HAGGLE_MASTER_KEY. Store that key in another place: a restore needs both.`
}

func (b backupCmd) Run(ctx context.Context) error {
	if err := boot.CheckEnvironment(os.Environ()); err != nil {
		return err
	}
	if err := boot.ExistingFile(b.DatabaseURL); err != nil {
		return err
	}
	keys, err := b.keys()
	if err != nil {
		return err
	}
	if b.Recipient != "" {
		if b.PassphraseFile != "" {
			return errors.New("--recipient cannot be combined with --passphrase-file")
		}
		if keys, err = archive.Recipients(b.Recipient); err != nil {
			return fmt.Errorf("--recipient: %w", err)
		}
	}
	began := time.Now()
	show, done := rows("backing up")
	s, size, err := boot.Backup(ctx, b.config(), b.File, keys, show)
	done()
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "Wrote %s: %d rows of %d tables as of %s, %s in %s.\n",
		b.File, s.Total(), len(s.Rows), s.Header.At.Format(time.RFC3339), megabytes(size), time.Since(began).Round(100*time.Millisecond))
	return nil
}

func megabytes(size int64) string { return fmt.Sprintf("%.1f MB", float64(size)/1e6) }

type restoreCmd struct {
	database
	secrets
	File             string `arg:"" type:"existingfile" help:"Path of the backup."`
	Identity         string `help:"File that contains the age identity (secret key) to decrypt the backup with."`
	Check            bool   `help:"Only check that the backup is complete and undamaged, and print a summary."`
	WithoutMasterKey bool   `help:"Restore even if HAGGLE_MASTER_KEY differs from the master key of the backup. Stored credentials are lost."`
}

func (r restoreCmd) Help() string {
	return `The database must be new or empty. The command checks the whole file first, writes it in one transaction, and then runs the checks of
haggle verify. You can restore a backup of PostgreSQL into SQLite, and a backup of SQLite into PostgreSQL.

  haggle restore /backups/shop-2026-11-27.haggle --database-url postgres://haggle@db/haggle
  haggle restore --check /backups/shop-2026-11-27.haggle`
}

func (r restoreCmd) Run(ctx context.Context) error {
	if err := boot.CheckEnvironment(os.Environ()); err != nil {
		return err
	}
	keys, err := r.keys()
	if err != nil {
		return err
	}
	if r.Identity != "" {
		if keys, err = archive.Identities(r.Identity); err != nil {
			return fmt.Errorf("--identity: %w", err)
		}
	}
	show, done := rows("checking")
	s, err := boot.CheckBackup(r.File, keys, show)
	done()
	if err != nil {
		return err
	}
	fmt.Printf("%s is complete: %d rows of %d tables as of %s, made by haggle %s on %s.\n",
		r.File, s.Total(), len(s.Rows), s.Header.At.Format(time.RFC3339), s.Header.Version, s.Header.Engine)
	if r.Check {
		return nil
	}
	show, done = rows("restoring")
	found, err := boot.Restore(ctx, r.config(), r.File, keys, s, r.WithoutMasterKey, show)
	done()
	if err != nil {
		return err
	}
	if printVerification(os.Stdout, found) {
		return errDoesNotHold
	}
	fmt.Println("Restored and verified.")
	return nil
}

// rows shows how many rows were copied.
func rows(doing string) (show backup.Progress, done func()) {
	p := newProgress(doing, "rows")
	var all atomic.Int64
	return func(table string, n int64) { p.showAt(table, all.Add(n), 0, 0) }, p.end
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
