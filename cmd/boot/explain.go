package boot

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
)

// Explain returns an error in the words of the database at the URL, where the database caused it, and names the variable.
// Other errors are returned as they are.
func Explain(databaseURL string, err error) error {
	described := sqlstore.Describe(databaseURL, err)
	if described == err { // identity: nothing was found to say
		return err
	}
	return fmt.Errorf("%w (HAGGLE_DATABASE_URL)", described)
}

// explain is Explain for what the program did, which other errors are said to have kept from being done.
func (c Config) explain(doing string, err error) error {
	if explained := Explain(c.DatabaseURL, err); explained != err {
		return explained
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// ExistingFile fails where the URL names a SQLite file that is not there: opening it would make it.
func ExistingFile(databaseURL string) error {
	path, ok := strings.CutPrefix(databaseURL, "sqlite://")
	if !ok {
		return nil
	}
	_, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no database at %s (HAGGLE_DATABASE_URL)", path)
	case err != nil:
		return fmt.Errorf("cannot open the database: %w (HAGGLE_DATABASE_URL)", err)
	}
	return nil
}

// listen takes an address that a variable names.
func listen(variable, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	var op *net.OpError
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: %s is in use", variable, address)
	case errors.As(err, &op):
		return nil, fmt.Errorf("%s: cannot listen on %s: %w", variable, address, op.Err)
	}
	return nil, fmt.Errorf("%s: cannot listen on %s: %w", variable, address, err)
}
