package boottest

import "github.com/haggle-commerce/haggle/adapters/console"

// ConsoleRoutes are the patterns of all pages and forms of one shop in the console.
func ConsoleRoutes() []string { return console.ShopRoutes() }
