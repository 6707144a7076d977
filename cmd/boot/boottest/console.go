package boottest

import "github.com/haggle-commerce/haggle/adapters/console"

// ConsoleRoutes returns the patterns of all pages and forms of a shop in the console.
func ConsoleRoutes() []string { return console.ShopRoutes() }
