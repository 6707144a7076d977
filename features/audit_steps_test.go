package features

func auditSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^the merchant changed the shop's name (\d+) times$`, s.audit.renamesShop)
	sc.Then(`^no event tells a secret$`, s.audit.auditHasNoSecret)
}
