// Package demo has the data of the shop that `haggle serve --demo` opens: a catalogue, its pictures and its history. The caller
// imports them into a store.
package demo

import (
	_ "embed"
	"io"
	"strings"
)

//go:generate go run ./generate catalogue.ndjson

//go:embed catalogue.ndjson
var catalogue string

// Catalogue returns the shop's products in the format of imports: one JSON object per line.
func Catalogue() io.Reader { return strings.NewReader(catalogue) }

//go:embed history.gz
var remembered string

// History returns the shop's last ninety days before it is opened, in the format of the package sqlstore/history. makehistory
// writes it.
func History() io.Reader { return strings.NewReader(remembered) }

// Count returns the number of products in the catalogue.
func Count() int { return strings.Count(catalogue, "\n") }
