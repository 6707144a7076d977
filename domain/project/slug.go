package project

import (
	"slices"
	"time"
)

// DemoSlug is the slug of the demo project, and of no other.
const DemoSlug = "demo"

const (
	// SlugKept is how long a released slug stays reserved for its account. Agents and links still use it, and would
	// pay at the shop of another account that took it.
	SlugKept = 90 * 24 * time.Hour
	// MostSlugsKept is how many released slugs stay reserved for an account: the latest ones.
	MostSlugsKept = 1_000
)

// reservedSlugs are names that hosts and paths of the installation itself have or may get.
var reservedSlugs = []string{
	"www", "api", "admin", "console", "docs", "mcp", "ucp", "app", "static", "assets", "hooks", "health", "metrics", DemoSlug,
}

func reserved(slug string) bool { return slices.Contains(reservedSlugs, slug) }

const slugReserved = "is reserved"
