package features

func accountSteps(sc stepRegistry, w *world) {
	sc.Given(`^a merchant with an authenticator$`, w.hasAuthenticator)
	sc.Given(`^the merchant confirms five times with a wrong code$`, w.confirmsWrongCodes)

	sc.Step(`^the merchant enrols an authenticator$`, func() error { return w.enrol("no code") })
	sc.Step(`^the merchant confirms it with `+codePattern+`$`, w.confirm)
	sc.Step(`^with `+codePattern+` (?:under the key "([^"]*)" )?the merchant (.+)$`, w.doesWithCode)
	sc.When(`^the merchant renames the account to (.+)$`, w.renameAccount)

	sc.Then(`^the second factor is (on|off)$`, w.secondFactorIs)
	sc.Then(`^there are (\d+) recovery codes left$`, w.recoveryCodesLeft)
	sc.Then(`^the authenticator's secret was shown once$`, w.secretShownOnce)
}
