package features

func auditSteps(sc book, w *world) {
	sc.Given(`^the merchant changed the shop's name (\d+) times$`, w.renamedOften)
	sc.Then(`^no event tells a secret$`, w.auditTellsNoSecret)
}
