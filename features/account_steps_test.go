package features

func accountSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a merchant with an authenticator$`, s.account.hasAuthenticator)
	sc.Given(`^a shop that requires a second factor$`, s.account.opensGuardedShop)
	sc.Given(`^the merchant confirms five times with a wrong code$`, s.account.confirmsWrongCodes)

	sc.Step(`^the merchant enrols an authenticator$`, func() error { return s.account.enrol("no code") })
	sc.Step(`^the merchant confirms it with `+codePattern+`$`, s.account.confirm)
	sc.Step(`^with `+codePattern+` (?:under the key "([^"]*)" )?the merchant (.+)$`, s.account.doesWithCode)

	sc.Then(`^the second factor is (on|off)$`, s.account.secondFactorIs)
	sc.Then(`^the merchant may try again within (\d+) seconds$`, s.account.mayTryAgain)
	sc.Then(`^there are (\d+) recovery codes left$`, s.account.recoveryCodesLeft)
	sc.Then(`^the authenticator's secret was shown once$`, s.account.secretShownOnce)
}
