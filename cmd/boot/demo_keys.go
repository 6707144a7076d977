package boot

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	demoKeyName = "demo"
	// demoKeys is how many of them are valid at the same time.
	demoKeys = 5
	// demoKeyTime is how long a key is valid, and demoKeyRest how much of that must be left to reuse it.
	demoKeyTime = 7 * 24 * time.Hour
	demoKeyRest = 24 * time.Hour
)

// demoKey returns the key of an earlier start, or creates one. The database holds only its hash, so the key is kept in a file
// that only its owner may read. It is not derived from the master key, because a sandbox's master key is public.
func (a *App) demoKey(ctx context.Context, owner id.Account) (string, error) {
	file := a.demoKeyFile()
	secret, err := a.knownDemoKey(ctx, file, owner)
	if secret != "" || err != nil {
		return secret, err
	}
	if err := a.endDemoKeys(ctx, owner); err != nil {
		return "", err
	}
	expires := a.clock.Now().Add(demoKeyTime)
	if secret, err = a.Access.CreateKey(ctx, owner, demoKeyName, []string{"*"}, nil, &expires); err != nil || file == "" {
		return secret, err
	}
	if err := writePrivate(file, secret+"\n"); err != nil {
		a.log.WarnContext(ctx, "cannot store the API key of the demo: the next start creates another key", "error", err)
	}
	return secret, nil
}

// demoKeyFile returns the file of the demo's key, or "" if it is not kept. For SQLite it is next to the database's file. For
// PostgreSQL it is in the folder DemoKeys, named after a hash of the database's address.
func (a *App) demoKeyFile() string {
	if path, ok := strings.CutPrefix(a.config.DatabaseURL, "sqlite://"); ok {
		return path + ".demo-key"
	}
	address, err := url.Parse(a.config.DatabaseURL)
	if err != nil || a.config.DemoKeys == "" {
		return ""
	}
	query := address.Query()
	query.Del("password") // the password may change
	place := address.Host + address.Path + "?" + query.Encode()
	return filepath.Join(a.config.DemoKeys, fmt.Sprintf("%.8x.demo-key", sha256.Sum256([]byte(place))))
}

// knownDemoKey returns the key in the file, or "" if there is none or it is not valid for the owner.
func (a *App) knownDemoKey(ctx context.Context, file string, owner id.Account) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil // the caller creates a new one
	}
	secret := strings.TrimSpace(string(text))
	key, of, err := a.store.Accounts().KeyByHash(ctx, sha256.Sum256([]byte(secret)))
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return "", nil
	case err != nil:
		return "", err
	case of.ID != owner || !key.Valid(a.clock.Now().Add(demoKeyRest)):
		return "", nil
	}
	return secret, nil
}

// endDemoKeys revokes the keys of earlier starts except the newest ones, because an account may have only so many keys.
func (a *App) endDemoKeys(ctx context.Context, owner id.Account) error {
	keys, _, err := a.store.Keys().List(ctx, owner, nil, ports.Page{Limit: account.MaxKeys})
	if err != nil {
		return err
	}
	kept := 1
	for _, k := range keys { // newest first
		if k.Name != demoKeyName {
			continue
		}
		if kept++; kept > demoKeys {
			if err := a.Access.RevokeKeyOf(ctx, owner, k.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// writePrivate atomically replaces a file by one that only its owner may read.
func writePrivate(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	part, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = part.WriteString(text)
	if closed := part.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(part.Name(), 0o600) // a file left by an interrupted start may have other permissions
	}
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	return err
}
