package console

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// marks maps parts of User-Agent headers to names of browsers and systems. The first match counts, because most browsers also
// claim to be others.
var (
	browserMarks = [][2]string{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	}
	systemMarks = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"},
		{"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// browserName describes a User-Agent header: "Firefox on Windows".
func browserName(agent string) string {
	browser, system := markIn(agent, browserMarks), markIn(agent, systemMarks)
	switch {
	case browser == "" && system == "":
		return "An unknown browser"
	case browser == "":
		return "A browser on " + system
	case system == "":
		return browser
	}
	return browser + " on " + system
}

func markIn(agent string, marks [][2]string) string {
	for _, m := range marks {
		if strings.Contains(agent, m[0]) {
			return m[1]
		}
	}
	return ""
}

// quiet is the blank border of a QR code, in modules (ISO/IEC 18004, 5.3.8).
const quiet = 4

// qrCode draws a text as an SVG, dark on light in every color scheme. It returns "" for a text that is too long.
func qrCode(text string) template.HTML {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return ""
	}
	size := code.Bounds().Dx()
	var path strings.Builder
	for y := range size {
		for x := range size {
			if dark, _, _, _ := code.At(x, y).RGBA(); dark == 0 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	side := size + 2*quiet
	return template.HTML(fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" shape-rendering="crispEdges" role="img" aria-label="QR code with the address"><path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="%[3]s"/></svg>`,
		side, side, path.String()))
}
