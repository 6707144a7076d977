// Command generate writes the demo shop's catalogue from the blueprints beside it. It holds no
// randomness: numbers such as stock and cost come from a hash of the sku, so the same blueprints
// always give the same file.
//
// A blueprint file is one top-level category. A line with @ opens a subcategory with what its
// reviews like and dislike; every product below takes three lines:
//
//	@ tents | a quick pitch; staying dry in heavy rain | thin stakes; a tight stuff sack
//	SKU | brand | name | price | size: S, M +5; color: Red, Blue
//	  description
//	  attribute=value; attribute=value | tag, tag | SKU, SKU of what goes with it
//
// A size with "+5" costs five more. Without sizes and colours the product has one stock of its own.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	text, err := catalogue()
	if err == nil {
		err = os.WriteFile(os.Args[1], text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// catalogue returns the whole file: one product per line, in the format of imports.
func catalogue() ([]byte, error) {
	blueprints, err := readBlueprints()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	for _, b := range blueprints {
		if err := lines.Encode(b.product()); err != nil {
			return nil, fmt.Errorf("%s: %w", b.sku, err)
		}
	}
	return text.Bytes(), nil
}
