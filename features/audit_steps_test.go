package features

func auditSteps(sc stepRegistry, w *world) {
	sc.Given(`^the merchant changed the shop's name (\d+) times$`, w.renamesShop)
	sc.Then(`^no event tells a secret$`, w.auditHasNoSecret)
}
