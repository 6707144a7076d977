package boot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/haggle-commerce/haggle/adapters/archive"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/backup"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/verify"
	"github.com/haggle-commerce/haggle/adapters/vault"
)

// copyTimeout limits a statement of a backup or a restore.
const copyTimeout = 24 * time.Hour

// The text that a backup's header holds sealed, and the purpose it is sealed for. It proves which master key was in use.
const (
	proofText    = "haggle backup"
	proofPurpose = "backup"
)

// errOtherMasterKey is returned when the master key cannot open the credentials in a backup.
var errOtherMasterKey = errors.New("HAGGLE_MASTER_KEY is not the master key of the backup, so the server could not decrypt the credentials of platforms, payment providers and " +
	"receivers. Set the master key of the backup, or use --without-master-key and enter the credentials again")

// Backup writes the database to a file, which gets its name once it is complete; "-" is standard output. A server may be using
// the database, and the schema may be another release's.
func Backup(ctx context.Context, c Config, path string, keys archive.Keys, progress backup.Progress) (s backup.Summary, size int64, err error) {
	store, seals, err := c.openWhole(ctx)
	if err != nil {
		return s, 0, err
	}
	defer store.Close()
	write := func(to io.Writer) (err error) {
		s, err = store.Backup(ctx, to, backup.Header{Version: Version, Proof: seals.Seal([]byte(proofText), proofPurpose)}, progress)
		return err
	}
	if path == "-" {
		return s, 0, archive.Write(os.Stdout, keys, write)
	}
	size, err = archive.Create(path, keys, write)
	return s, size, err
}

// CheckBackup reads a whole backup and fails unless it is complete and unchanged.
func CheckBackup(path string, keys archive.Keys, progress backup.Progress) (s backup.Summary, err error) {
	err = archive.Read(path, keys, func(from io.Reader) (err error) {
		s, err = backup.Check(from, progress)
		return err
	})
	return s, err
}

// Restore loads a checked backup into an empty database, migrates the schema, and verifies the result.
func Restore(ctx context.Context, c Config, path string, keys archive.Keys, of backup.Summary, anyMasterKey bool, progress backup.Progress) (v verify.Verification, err error) {
	known, err := sqlstore.SchemaVersion()
	if err != nil {
		return v, err
	}
	if of.Header.Schema > known {
		return v, fmt.Errorf("haggle %s, a newer release, made the backup (schema %d; this program has %d): restore it with that release or a later one",
			of.Header.Version, of.Header.Schema, known)
	}
	if err := c.restore(ctx, path, keys, of, anyMasterKey, progress); err != nil {
		return v, err
	}
	return Verify(ctx, c, "", 0, nil)
}

func (c Config) restore(ctx context.Context, path string, keys archive.Keys, of backup.Summary, anyMasterKey bool, progress backup.Progress) error {
	store, seals, err := c.openWhole(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	if _, err := seals.Open(of.Header.Proof, proofPurpose); err != nil && !anyMasterKey {
		return errOtherMasterKey
	}
	if err := store.MigrateTo(ctx, of.Header.Schema); err != nil {
		return fmt.Errorf("cannot restore: the database must be new and empty: %w", err)
	}
	err = archive.Read(path, keys, func(from io.Reader) error {
		loaded, err := store.Restore(ctx, from, progress)
		if err == nil && loaded.SHA256 != of.SHA256 {
			err = errors.New("the file changed during the restore")
		}
		return err
	})
	if err != nil {
		return err
	}
	return store.Migrate(ctx)
}

// openWhole opens the database to read or write all of its data. It also returns the vault of the master keys.
func (c Config) openWhole(ctx context.Context) (*sqlstore.Store, *vault.Vault, error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	pooler, err := c.pooler()
	if err != nil {
		return nil, nil, err
	}
	seals, err := vault.New(c.masterKeys()...)
	if err != nil {
		return nil, nil, fmt.Errorf("HAGGLE_MASTER_KEY: %w", err)
	}
	store, err := sqlstore.Open(ctx, sqlstore.Config{
		URL:        c.DatabaseURL,
		Pooler:     pooler,
		Statement:  copyTimeout,
		AllowNewer: c.AllowNewer,
	})
	if err != nil {
		return nil, nil, c.explain("cannot open the database", err)
	}
	return store, seals, nil
}
