// Package backup writes all rows of a database to a stream, and loads them into an empty one. A backup is a snapshot of
// the database, taken while others write. The format is the same for both engines: a backup of PostgreSQL can be
// restored into a SQLite file, and the other way round.
//
// A backup is lines of JSON: a header; for each table an object that names it and its columns, and an array for each
// row, in the order of the primary key; at the end the number of rows of each table and the SHA-256 of all that is
// before it. Truth values are 0 and 1, bytes are base64.
package backup

import (
	"errors"
	"fmt"
	"time"
)

// Format is the version of the format that this package writes, and the only one that it reads.
const Format = 1

// Header begins a backup.
type Header struct {
	Format  int       `json:"haggle_backup"`
	Version string    `json:"version"` // of the program that wrote it
	Schema  int64     `json:"schema"`  // the version of its database
	Engine  string    `json:"engine"`  // postgres or sqlite
	At      time.Time `json:"at"`      // the database's clock
	// Proof is encrypted with the master key that encrypts the credentials in the backup.
	Proof []byte `json:"proof"`
}

// tableLine begins a table.
type tableLine struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
}

// endLine ends a backup.
type endLine struct {
	Rows   map[string]int64 `json:"rows"`
	SHA256 string           `json:"sha256"`
}

// Summary describes a complete backup.
type Summary struct {
	Header Header
	Rows   map[string]int64 // of each table
	SHA256 string           // of the rows and the header
}

// Total is the number of rows.
func (s Summary) Total() (n int64) {
	for _, rows := range s.Rows {
		n += rows
	}
	return n
}

// Progress is called with the number of rows that were written, read or loaded since the last call.
type Progress func(table string, rows int64)

var (
	// ErrIncomplete means that a backup ends too early: it was cut off, or its writing failed.
	ErrIncomplete = errors.New("the backup is not complete: it was cut off, or is still being written")
	// ErrDamaged means that a backup was changed since it was written.
	ErrDamaged = errors.New("the backup is damaged: its checksum is not that of its content")
	// ErrNoBackup means that a stream is no backup.
	ErrNoBackup = errors.New("this is no backup of haggle, or one of a later format")
	// ErrNotEmpty refuses a database that has data.
	ErrNotEmpty = errors.New("the database has data: restore into a new, empty one")
)

func notEmpty(table string, rows int64) error {
	return fmt.Errorf("%w (%d rows in %s)", ErrNotEmpty, rows, table)
}
