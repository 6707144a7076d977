package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/lib/pq"
	"modernc.org/sqlite"
	"modernc.org/sqlite/lib"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Described is a database error in the words of the database, the network or the operating system, for the operators of
// the program. It never contains a password.
type Described struct {
	text  string
	cause error
}

func (d *Described) Error() string { return d.text }

func (d *Described) Unwrap() error { return d.cause }

// Describe returns a description of an error that the database with a URL caused, such as "cannot connect to PostgreSQL
// at 127.0.0.1:5432: connection refused". Other errors are returned as they are.
func Describe(address string, err error) error {
	var known *Described
	var refusal *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if errors.As(err, &refusal) && refusal.Kind != fault.Internal && refusal.Kind != fault.Unavailable {
		return err
	}
	describe := describePostgres
	if strings.HasPrefix(address, "sqlite://") {
		describe = describeSQLite
	}
	if text := describe(address, err); text != "" {
		return &Described{text, err}
	}
	return err
}

// describePostgres returns "" for an error that PostgreSQL, or the way to it, did not cause.
func describePostgres(address string, err error) string {
	server := "PostgreSQL at " + serverOf(address, err)
	var pgErr *pq.Error
	if errors.As(err, &pgErr) {
		return server + " " + serverMessage(pgErr)
	}
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("cannot connect to %s: %s: %s", server, dns.Name, dns.Err)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), errors.As(err, &op) && op.Timeout():
		return fmt.Sprintf("cannot connect to %s: it does not answer in time", server)
	case errors.As(err, &op):
		return fmt.Sprintf("cannot connect to %s: %s", server, systemError(op.Err))
	case errors.Is(err, pq.ErrSSLNotSupported):
		return fmt.Sprintf("cannot connect to %s: it does not encrypt connections: set sslmode=disable if that is meant", server)
	case Lost(err):
		return fmt.Sprintf("lost the connection to %s", server)
	}
	return ""
}

// serverMessage returns PostgreSQL's error message. The codes are in appendix A of its manual.
func serverMessage(e *pq.Error) string {
	switch e.Code {
	case "28P01":
		return "refuses the password: " + e.Message
	case "28000":
		return "refuses the login: " + e.Message
	case "3D000":
		return "refuses the login: " + e.Message + ". Create it with createdb"
	case "53100":
		return "cannot write: the disk is full: " + e.Message
	case "42P01":
		if strings.Contains(e.Message, "goose_db_version") {
			return "has no tables of Haggle yet: run `haggle migrate`"
		}
	case "42501":
		if strings.Contains(e.Message, "create role") {
			return "says: " + e.Message + ". The first migration makes the role haggle_app. Let a superuser run: " +
				"ALTER ROLE login CREATEROLE, or CREATE ROLE haggle_app NOLOGIN and GRANT haggle_app TO login"
		}
	}
	return fmt.Sprintf("says: %s (%s)", e.Message, e.Code)
}

// serverOf is the address that a connection was tried at, or else the one that the URL names.
func serverOf(address string, err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" && op.Addr != nil {
		return op.Addr.String()
	}
	config, err := pq.NewConfig(address)
	if err != nil {
		return "its address"
	}
	if strings.HasPrefix(config.Host, "/") || strings.HasPrefix(config.Host, "@") {
		return config.Host
	}
	return net.JoinHostPort(config.Host, fmt.Sprint(config.Port))
}

func systemError(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number.Error()
	}
	return err.Error()
}

// describeSQLite returns "" for an error that SQLite did not cause.
func describeSQLite(address string, err error) string {
	path := strings.TrimPrefix(address, "sqlite://")
	var liteErr *sqlite.Error
	if !errors.As(err, &liteErr) {
		return ""
	}
	switch liteErr.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return "cannot write " + path + ": the disk is full"
	case sqlite3.SQLITE_IOERR:
		return "cannot read or write " + path + ": the disk is full or fails: " + liteErr.Error()
	case sqlite3.SQLITE_NOTADB:
		return path + " is not a SQLite database"
	case sqlite3.SQLITE_READONLY:
		return "cannot write " + path + ": the file or its folder is read-only"
	case sqlite3.SQLITE_CANTOPEN:
		return "cannot open " + path + ": " + liteErr.Error()
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return path + " is locked by another process"
	case sqlite3.SQLITE_CORRUPT:
		return path + " is damaged: " + liteErr.Error()
	}
	return "SQLite at " + path + " says: " + liteErr.Error()
}
