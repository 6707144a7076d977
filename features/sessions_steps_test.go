package features

func sessionSteps(sc stepRegistry, w *world) {
	sc.When(`^the buyer reads the session$`, func() error { return w.act(func(b *shopper) { b.ReadSession() }) })
	sc.When(`^the buyer reads the session in the other shop$`, func() error { return w.buyerSendsToOtherShop("GET", "/acp/sessions/$session", "") })
	sc.When(`^the buyer extends the session by (\d+) minutes$`, w.extendsSession)
	sc.Then(`^the session ends (\d+) minutes later$`, w.sessionEndsLater)
}
