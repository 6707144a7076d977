// Package embedding maintains the vectors of products' texts. A Worker, on one replica at a time, lets a model compute missing
// vectors and stores them. A Refresher, on every replica, copies stored vectors into the index. Embedding buyers' queries is not
// part of this package.
package embedding

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
)

// maxText bounds a text, in characters. A longer text dilutes its meaning and costs more.
const maxText = 2000

// Text returns the text of a product for a model, with a line for each field. It leaves out fields that change often and do not
// describe the product, such as price and stock.
func Text(p *catalog.Product) string {
	lines := []string{p.Name, p.Brand, strings.ReplaceAll(p.Category, "/", " > "), strings.Join(p.Tags, ", ")}
	for _, name := range slices.Sorted(maps.Keys(p.Attributes)) {
		lines = append(lines, name+": "+p.Attributes[name])
	}
	lines = append(lines, p.Description)
	text := strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" }), "\n")
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText])
	}
	return text
}

func hashOf(text string) ports.TextHash {
	sum := sha256.Sum256([]byte(text))
	return ports.TextHash(hex.EncodeToString(sum[:]))
}
