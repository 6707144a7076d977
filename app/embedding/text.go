// Package embedding keeps the vectors of products' texts. On any one replica at a time, a Worker has a model
// make those that are missing and stores them; on every replica, a Refresher gives the index those that are
// stored. Buyers' queries are not its business.
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

// longest is how many characters a text has at most: more dilutes its meaning, and costs.
const longest = 2000

// Text is what a model reads of a product, a line for each field. What changes often and means nothing, as price
// and stock, is not in it.
func Text(p *catalog.Product) string {
	lines := []string{p.Name, p.Brand, strings.ReplaceAll(p.Category, "/", " > "), strings.Join(p.Tags, ", ")}
	for _, name := range slices.Sorted(maps.Keys(p.Attributes)) {
		lines = append(lines, name+": "+p.Attributes[name])
	}
	lines = append(lines, p.Description)
	text := strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" }), "\n")
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest])
	}
	return text
}

func hashOf(text string) ports.TextHash {
	sum := sha256.Sum256([]byte(text))
	return ports.TextHash(hex.EncodeToString(sum[:]))
}
