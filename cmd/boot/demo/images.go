package demo

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html"
	"net/http"
	"strings"
	"sync"
)

// ImagesPath is the path of the catalogue's pictures: ImagesPath + sku + ".svg".
const ImagesPath = "/demo/images/"

// Images serves a drawn tile for each product of the catalogue, and 404 for everything else.
func Images() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ImagesPath+"{file}", serveTile)
	return mux
}

func serveTile(w http.ResponseWriter, r *http.Request) {
	sku, isSVG := strings.CutSuffix(r.PathValue("file"), ".svg")
	shown, known := pictured()[sku]
	if !isSVG || !known {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "image/svg+xml")
	header.Set("Cache-Control", "public, max-age=86400")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	header.Set("X-Content-Type-Options", "nosniff")
	fmt.Fprint(w, tile(sku, shown.Name, shown.Category))
}

// picture is what a tile shows about a product.
type picture struct{ SKU, Name, Category string }

// pictured decodes the catalogue once. It panics if the embedded file is invalid.
var pictured = sync.OnceValue(func() map[string]picture {
	all := make(map[string]picture, Count())
	for line := range strings.Lines(catalogue) {
		var p picture
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			panic("demo: catalogue.ndjson: " + err.Error())
		}
		all[p.SKU] = p
	}
	return all
})

const tileForm = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 480" role="img">
<title>%s</title>
<defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="%s"/><stop offset="1" stop-color="%s"/></linearGradient></defs>
<rect width="480" height="480" fill="url(#g)"/>
<circle cx="%d" cy="%d" r="%d" fill="#fff" opacity=".1"/>
<circle cx="240" cy="180" r="116" fill="#fff" opacity=".16"/>
<g transform="translate(150 90) scale(7.5 7.5)" fill="none" stroke="#fff" stroke-width="1.1" stroke-linecap="round" stroke-linejoin="round"><path d="%s"/></g>
<g fill="#fff" font-family="system-ui, sans-serif" text-anchor="middle">
%s<text x="240" y="456" font-size="15" letter-spacing="1.5" opacity=".75">%s</text>
</g>
</svg>
`

// tile draws a product: the colors and icon of its category, its name, and a highlight whose position depends on the sku, so
// that neighbors in a list differ.
func tile(sku, name, category string) string {
	department, _, _ := strings.Cut(category, "/")
	look := looks[department]
	h := fnv.New32a()
	h.Write([]byte(sku))
	n := int(h.Sum32() >> 4)
	return fmt.Sprintf(tileForm,
		html.EscapeString(name), look.from, look.to,
		40+n%400, 20+n/400%260, 90+n/7%120,
		look.icon, lines(name), html.EscapeString(strings.ReplaceAll(category, "/", " · ")))
}

// lines draws the name in up to three centered lines.
func lines(name string) string {
	var text strings.Builder
	wrapped := wrap(name, 26, 3)
	for i, line := range wrapped {
		y := 384 + 32*i - 16*(len(wrapped)-1)
		fmt.Fprintf(&text, "<text x=\"240\" y=\"%d\" font-size=\"26\" font-weight=\"600\">%s</text>\n", y, html.EscapeString(line))
	}
	return text.String()
}

// wrap breaks text between words into at most most lines of about width characters. Text that does not fit ends in an ellipsis.
func wrap(text string, width, most int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		switch {
		case last >= 0 && len([]rune(lines[last]))+1+len([]rune(word)) <= width:
			lines[last] += " " + word
		case len(lines) == most:
			lines[last] += " …"
			return lines
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
