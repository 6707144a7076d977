package features

func sessionSteps(sc stepRegistry, s *scenario) {
	sc.When(`^the buyer reads the session$`, func() error { return s.act(func(b *shopper) { b.ReadSession() }) })
	sc.When(`^the buyer reads the session in the other shop$`, func() error { return s.buyerSendsToOtherShop("GET", "/acp/sessions/$session", "") })
	sc.When(`^the buyer extends the session by (\d+) minutes$`, s.aftersales.extendsSession)
	sc.Then(`^the session ends (\d+) minutes later$`, s.aftersales.sessionEndsLater)
}
