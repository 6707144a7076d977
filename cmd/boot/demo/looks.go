package demo

// look is how a department's tiles are drawn: two background colors, and an icon as an SVG path in a box of 24 by 24.
type look struct{ from, to, icon string }

var looks = map[string]look{
	"outdoor": {"#2f6b4f", "#16382c", // a tent under a moon
		"M2 20h20M4 20 12 6l8 14M12 6l-1-2M12 6l1-2M12 12l-4 8M12 12l4 8M19 4a2 2 0 1 0 .01 0"},
	"kitchen": {"#b8552f", "#6d2a18", // a cup with steam
		"M5 10h11v6a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4zM16 11h1.5a2.5 2.5 0 0 1 0 5H16M8 7c0-1.5 1-1.5 1-3M12 7c0-1.5 1-1.5 1-3M3 22h15"},
	"home": {"#8a6f4e", "#4a3a2a", // an armchair
		"M6 11V8a3 3 0 0 1 3-3h6a3 3 0 0 1 3 3v3M4 11a2 2 0 0 1 2 2v2h12v-2a2 2 0 1 1 3 1.7V19H3v-4.3A2 2 0 0 1 4 11M6 19v2M18 19v2"},
	"electronics": {"#2d5a8e", "#16294a", // headphones
		"M4 15v-2a8 8 0 0 1 16 0v2M4 14h2a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zM20 14h-2a1 1 0 0 0-1 1v4a1 1 0 0 0 1 1h1a1 1 0 0 0 1-1z"},
	"apparel": {"#7b4a78", "#3d2340", // a shirt
		"M9 4 4 6.5 2.5 11l3.5 1V20h12v-8l3.5-1L20 6.5 15 4a3 3 0 0 1-6 0"},
	"sports": {"#b23a48", "#5c1a2c", // a stopwatch
		"M12 7a7 7 0 1 0 .01 0M12 7V4M10 3.5h4M12 14l3-3M18 7l1.5-1.5"},
	"garden": {"#5d7f2b", "#2d4416", // a seedling in a pot
		"M7 16h10l-1.2 6H8.2zM12 16v-6M12 11c0-3 2-5 6-5 0 3-2 5-6 5M12 13c0-2.5-2-4-5-4 0 2.5 2 4 5 4"},
	"kids": {"#d08a1d", "#8a4b12", // three blocks
		"M3 13h8v8H3zM13 13h8v8h-8zM8 4h8v8H8zM6 16v2h2M16 19l1-3 1 3M12 6.5a1.5 1.5 0 1 0 .01 0"},
}
