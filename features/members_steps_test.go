package features

func memberSteps(sc stepRegistry, w *world) {
	sc.Given(`^"([^"]*)" is a member with (\{.*\})$`, w.becomesMember)
	sc.Step(`^the merchant invites "([^"]*)" with (\{.*\})$`, w.invites)
	sc.Given(`^the account has (\d+) invitations$`, w.hasInvitations)
	sc.Step(`^"([^"]*)" enrols an authenticator of their own$`, w.memberEnrolsAuthenticator)

	sc.Step(`^"([^"]*)" (?:joins|joined) by the link$`, w.joins)
	sc.When(`^somebody joins by the link of "([^"]*)" as "([^"]*)" with the password "([^"]*)"$`, w.joinsAs)
	sc.When(`^(\d+) people join by the link of "([^"]*)" at once$`, w.joinConcurrently)
	sc.Step(`^"([^"]*)" (?:signs|signed) in$`, func(name string) error { return w.signsInWith(name, memberPassword) })
	sc.When(`^"([^"]*)" signs in with the password "([^"]*)"$`, w.signsInWith)
	sc.When(`^"([^"]*)" signs in from elsewhere$`, w.signsInElsewhere)
	sc.Then(`^within (\d+) seconds the merchant's audit log has a "([^"]*)" of "([^"]*)"$`, w.auditHasWithin)
	sc.When(`^somebody signs in as "([^"]*)" with the password "([^"]*)"$`, w.signsInAs)
	sc.Step(`^somebody guesses passwords until they have to wait, as "([^"]*)"$`, w.guessesPasswords)
	sc.When(`^"([^"]*)" gives (a fresh code|the same code|a recovery code|a wrong code)$`, w.givesCode)
	sc.When(`^"([^"]*)" sets the password "([^"]*)" by the link$`, w.setsPassword)

	sc.Then(`^coming in is refused: (\w+)$`, w.signInRefused)
	sc.Then(`^coming in is refused: (\w+), naming "([^"]*)"$`, w.signInRefusedNaming)
	sc.Then(`^a code of "([^"]*)" is due$`, w.codeIsDue)
	sc.Then(`^the session of "([^"]*)" is good for nothing$`, w.sessionIsOver)
	sc.Then(`^the session of "([^"]*)" works$`, w.sessionWorks)
	sc.Then(`^(\d+) of them joins?$`, w.haveJoined)
	sc.When(`^with (no code|a fresh code of "[^"]*") "([^"]*)" invites "([^"]*)" with (\{.*\})$`, w.memberInvites)
	sc.When(`^"([^"]*)" resets the second factor of "([^"]*)" with (no code|a fresh code)$`, w.resetsFactor)
	sc.Then(`^the link of "([^"]*)" was shown once$`, w.linkShownOnce)
}
