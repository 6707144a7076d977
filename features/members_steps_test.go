package features

func memberSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^"([^"]*)" is a member with (\{.*\})$`, s.members.becomesMember)
	sc.Step(`^the merchant invites "([^"]*)" with (\{.*\})$`, s.members.invites)
	sc.Given(`^the account has (\d+) invitations$`, s.members.hasInvitations)
	sc.Step(`^"([^"]*)" enrols an authenticator of their own$`, s.members.memberEnrolsAuthenticator)

	sc.Step(`^"([^"]*)" (?:joins|joined) by the link$`, s.members.joins)
	sc.When(`^somebody joins by the link of "([^"]*)" as "([^"]*)" with the password "([^"]*)"$`, s.members.joinsAs)
	sc.When(`^(\d+) people join by the link of "([^"]*)" at once$`, s.members.joinConcurrently)
	sc.Step(`^"([^"]*)" (?:signs|signed) in$`, func(name string) error { return s.members.signsInWith(name, memberPassword) })
	sc.When(`^"([^"]*)" signs in with the password "([^"]*)"$`, s.members.signsInWith)
	sc.When(`^"([^"]*)" signs in from elsewhere$`, s.members.signsInElsewhere)
	sc.Then(`^within (\d+) seconds the merchant's audit log has a "([^"]*)" of "([^"]*)"$`, s.members.auditHasWithin)
	sc.When(`^somebody signs in as "([^"]*)" with the password "([^"]*)"$`, s.members.signsInAs)
	sc.Step(`^somebody guesses passwords until they have to wait, as "([^"]*)"$`, s.members.guessesPasswords)
	sc.When(`^"([^"]*)" gives (a fresh code|the same code|a recovery code|a wrong code)$`, s.members.givesCode)
	sc.When(`^"([^"]*)" sets the password "([^"]*)" by the link$`, s.members.setsPassword)

	sc.Then(`^coming in is refused: (\w+)$`, s.members.signInRefused)
	sc.Then(`^coming in is refused: (\w+), naming "([^"]*)"$`, s.members.signInRefusedNaming)
	sc.Then(`^a code of "([^"]*)" is due$`, s.members.codeIsDue)
	sc.Then(`^the session of "([^"]*)" is good for nothing$`, s.members.sessionIsOver)
	sc.Then(`^the session of "([^"]*)" works$`, s.members.sessionWorks)
	sc.Then(`^(\d+) of them joins?$`, s.members.haveJoined)
	sc.When(`^with (no code|a fresh code of "[^"]*") "([^"]*)" invites "([^"]*)" with (\{.*\})$`, s.members.memberInvites)
	sc.When(`^"([^"]*)" resets the second factor of "([^"]*)" with (no code|a fresh code)$`, s.members.resetsFactor)
	sc.Then(`^the link of "([^"]*)" was shown once$`, s.members.linkShownOnce)
}
