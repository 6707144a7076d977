package features

import (
	"fmt"
	"net/http"
)

func eventSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a server beside the merchant's systems$`, func() error {
		s.useServer(s.server.loopback)
		return nil
	})
	sc.Step(`^a subscription to (\[.*\])$`, s.events.isSubscribed)
	sc.Given(`^a subscription to all events$`, func() error { return s.events.isSubscribed(`["*"]`) })
	sc.Given(`^a subscription to "([^"]*)"$`, func(kind string) error { return s.events.isSubscribed(fmt.Sprintf(`[%q]`, kind)) })
	sc.Given(`^(\d+) subscriptions to all events$`, s.events.hasSubscriptions)
	sc.Given(`^the receiver fails once$`, func() error { return s.events.receiverAnswers(http.StatusInternalServerError) })
	sc.Given(`^the receiver answers once that it is gone$`, func() error { return s.events.receiverAnswers(http.StatusGone) })
	sc.Given(`^the merchant switches to another shop$`, s.events.switchesShop)

	sc.When(`^the merchant subscribes (\d+) times at once$`, s.events.subscribesConcurrently)
	sc.When(`^the merchant sends a test event$`, s.events.sendsTest)
	sc.When(`^the merchant rotates the subscription's secret$`, s.events.rotatesSecret)
	sc.Step(`^the merchant disables the subscription$`, func() error { return s.events.setsStatus("disabled") })
	sc.Step(`^the merchant enables the subscription$`, func() error { return s.events.setsStatus("active") })
	sc.When(`^the merchant asks for the event again$`, s.events.redelivers)

	sc.Step(`^(\d+) events? "([^"]*)" arrives?, signed$`, s.events.eventsArriveSigned)
	sc.Then(`^(\d+) events? "([^"]*)" arrives?, signed by both secrets$`, s.events.eventsArriveSignedByBoth)
	sc.Then(`^no event "([^"]*)" arrived$`, s.events.noEventArrived)
	sc.Then(`^every event that arrived is of the current shop$`, s.events.allEventsOfShop)
	sc.Then(`^they are the same event$`, s.events.sameEvent)
	sc.Then(`^it names the order$`, s.events.eventNamesOrder)
	sc.Then(`^within (\d+) seconds the subscription is disabled because its receiver is gone$`, s.events.isDisabledAsGone)
}
