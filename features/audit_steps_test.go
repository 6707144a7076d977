package features

func auditSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^the merchant changed the shop's name (\d+) times$`, s.audit.renamesShop)
	sc.Then(`^no event contains a secret$`, s.audit.auditHasNoSecret)
	sc.Then(`^the audit log holds, newest first: ([a-z, -]+)$`, s.audit.holds)
	sc.Then(`^the latest event says that "([^"]*)" did ([a-z-]+)$`, s.audit.latestIsBy)
	sc.Then(`^("[^"]*") sees (\d+) events?, of this shop$`, s.audit.seesShopEvents)
	sc.Then(`^the merchant sees no event of the shop$`, s.audit.seesNoShopEvent)

}
