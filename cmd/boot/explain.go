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

// Explain describes an error that the database at the URL caused, and names the variable HAGGLE_DATABASE_URL. It returns other
// errors unchanged.
func Explain(databaseURL string, err error) error {
	described := sqlstore.Describe(databaseURL, err)
	if described == err { // comparison by identity: Describe did not know the error
		return err
	}
	return fmt.Errorf("%w (HAGGLE_DATABASE_URL)", described)
}

// explain is Explain, but prefixes errors that the database did not cause with what the program was doing.
func (c Config) explain(doing string, err error) error {
	if explained := Explain(c.DatabaseURL, err); explained != err {
		return explained
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// ExistingFile returns an error if the URL names a SQLite file that does not exist, because opening it would create it.
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

// listen listens on the address that is the value of a variable.
func listen(variable, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	var op *net.OpError
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: address %s is already in use", variable, address)
	case errors.As(err, &op):
		return nil, fmt.Errorf("%s: cannot listen on %s: %w", variable, address, op.Err)
	}
	return nil, fmt.Errorf("%s: cannot listen on %s: %w", variable, address, err)
}
