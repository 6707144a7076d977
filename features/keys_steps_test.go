package features

// scopesPattern matches the scopes of a key: "everything", or "catalog:read, keys:read and keys:write".
const scopesPattern = `(everything|[a-z:, ]+?)`

func keySteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a merchant with an account of its own$`, s.keys.createsAccount)
	sc.Given(`^a key "([^"]*)" for `+scopesPattern+`(, in this shop only|, in both shops)?$`, s.keys.hasKeyFor)
	sc.Given(`^a key "([^"]*)" that ends in (\d+) seconds?$`, s.keys.hasExpiringKey)
	sc.Given(`^the account may have one key more$`, s.keys.hasManyKeys)

	sc.When(`^the merchant creates a key named "([^"]*)"$`, func(name string) error { return s.keys.createKeyWith("name", `"`+name+`"`) })
	sc.When(`^the merchant creates (\d+) keys at once$`, s.keys.createKeysConcurrently)
	sc.When(`^"([^"]*)" creates a key for `+scopesPattern+`$`, s.keys.holderCreatesKeyFor)
	sc.Step(`^the merchant revokes the key "([^"]*)"$`, s.keys.revokeKey)
	sc.Step(`^("[^"]*") renames the shop$`, func(who string) error { return s.keys.may(who, "", "rename the shop") })
	sc.Step(`^("[^"]*") adds a product$`, func(who string) error { return s.keys.may(who, "", "add a product") })

	sc.Then(`^the key works$`, func() error { return s.keys.keyWorks("") })
	sc.Step(`^the key "([^"]*)" works$`, s.keys.keyWorks)
	sc.Then(`^the key "([^"]*)" was shown once$`, s.keys.keyShownOnce)
	sc.Then(`^the key "([^"]*)" is shown as (\w+)$`, s.keys.keyStatusIs)
	sc.Then(`^within (\d+) seconds? the key "([^"]*)" no longer works$`, s.keys.keyStopsWorking)
	sc.Then(`^(the merchant|"[^"]*") finds no key "([^"]*)"$`, s.keys.keyNotFound)
	sc.Then(`^(the merchant|"[^"]*") sees no key but "([^"]*)"$`, s.keys.seesOnlyKey)
	sc.Then(`^("[^"]*") sees no shop but "([^"]*)"$`, s.keys.seesOnlyShop)
	sc.Then(`^("[^"]*") does not find the other shop$`, func(who string) error { return s.keys.findsNoShop(who, "GET /v1/projects/$other") })
	sc.Then(`^("[^"]*") finds neither the shop nor its products$`, func(who string) error {
		return s.keys.findsNoShop(who, "GET /v1/projects/$shop", "GET /v1/catalog/products")
	})
	sc.Then(`^("[^"]*") may (not )?(.+)$`, s.keys.may)
}
