package project

import (
	"slices"
	"time"
)

// DemoSlug is the slug of the demo project, and of no other.
const DemoSlug = "demo"

const (
	// SlugKept is how long a released slug stays with the account that released it. Agents and links know it, and would
	// pay at the shop of whoever took it.
	SlugKept = 90 * 24 * time.Hour
	// MostSlugsKept is how many released slugs stay with an account: the newest.
	MostSlugsKept = 1_000
)

// reservedSlugs are names that hosts and paths of the installation itself have or may have.
var reservedSlugs = []string{
	"www", "api", "admin", "console", "docs", "mcp", "ucp", "app", "static", "assets", "hooks", "health", "metrics", DemoSlug,
}

func reserved(slug string) bool { return slices.Contains(reservedSlugs, slug) }

const slugReserved = "is reserved"
