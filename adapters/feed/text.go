package feed

import (
	"strings"

	"github.com/haggle-commerce/haggle/adapters/plaintext"
)

// lineBreaks replaces line breaks in descriptions: Shopify writes a newline, WooCommerce the two characters \n.
var lineBreaks = strings.NewReplacer("\n", "<br>", `\n`, "<br>")

func fromHTML(text string) string { return plaintext.FromHTML(lineBreaks.Replace(text)) }

// path converts "Clothing > T-shirts" to the category path Clothing/T-shirts.
func path(category string) string {
	var parts []string
	for part := range strings.SplitSeq(category, ">") {
		if part = plaintext.Line(strings.ReplaceAll(part, "/", " ")); part != "" {
			parts = append(parts, part)
		}
	}
	return plaintext.Cut(strings.Join(parts, "/"), 200)
}

// listed splits a list and returns its distinct values.
func listed(text, separator string, most int) (all []string) {
	seen := map[string]bool{}
	for one := range strings.SplitSeq(text, separator) {
		if one = plaintext.Line(one); one != "" && !seen[one] && len(all) < most {
			seen[one] = true
			all = append(all, one)
		}
	}
	return all
}
