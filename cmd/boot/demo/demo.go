// Package demo is the shop that `haggle serve --demo` opens: a catalogue and its pictures. It holds
// data and draws tiles; putting the products into a store is the caller's job.
package demo

import (
	_ "embed"
	"io"
	"strings"
)

//go:generate go run ./generate catalogue.ndjson

//go:embed catalogue.ndjson
var catalogue string

// Catalogue is the shop's products, one JSON object a line, in the form that imports take.
func Catalogue() io.Reader { return strings.NewReader(catalogue) }

//go:embed history.gz
var remembered string

// History is what happened in the shop in the ninety days before it is opened, in the form that the store's package history
// reads. It is made by makehistory.
func History() io.Reader { return strings.NewReader(remembered) }

// Count is how many products the catalogue has.
func Count() int { return strings.Count(catalogue, "\n") }
