// Package simulation holds tests that run the application's real code over models of what is outside of it,
// under schedules that no running server meets in a test's time. Nothing here is part of the program.
//
// # Payments, refunds and events
//
// TestSchedules runs two or three replicas of purchase, refunds, reconciliation and publishing over the store in
// memory (ports/porttest/memstore, which passes the store's contract suites) and models of payment providers: Stripe
// with its rules for idempotency keys, lists and search, and PayPal with its two steps. Every sixteenth seed runs
// the real Stripe adapter over HTTP requests, every eighth PayPal, and the others Stripe at the level of the port, which
// costs a tenth; TestGateways holds all three to the same cases. The replicas' clocks are up to an hour off, the
// providers' a quarter of an hour, the store's is right. At each call of the store, of a provider and of a receiver of
// events, chance from a seed may let it pass, fail it before or after its effect, delay it, stop the replica for longer
// than a lease, or kill it; a dead replica is started again.
//
// Buyers pay with cards that are taken or declined, from one replica or another, at the same time, again, and ask for
// refunds. Refunds are taken back by the provider, charges are disputed, and some providers charge what they promised
// not to. A checkout's row and the project's settings become unreadable, and receivers do not answer. In every fourth
// schedule there is a second project, whose own provider, receiver and rows are sound: it must notice nothing of the
// first one's. The invariants (invariants_test.go) are checked after each commit, a quarter of an hour after the last
// failure, and when all has come to rest and the books of the shops must agree with their providers'.
//
// Time is a bubble's of testing/synctest, and one call goes on at a time, so that a seed is one schedule
// (TestASeedIsOneSchedule).
//
// What is not simulated: SQL, locks and isolation levels (a transaction is one step; the store's own tests and
// features/faults have them), HTTP in front of the services, PayPal's adapter, and stock that is set by hand.
//
//	make schedules                  100,000 schedules; the seed of one that fails is printed with its trace
//	make schedules SEED=5437        this one
//
// # Webhooks of one product
//
// TestWebhooksOfOneProduct tries every interleaving of receipt, claim, kill, stop and sync page for three
// changes of one product, with the real inbox worker, taker and custom connector. Without SCHEDULES it tries
// those with one worker before the end, or one repeated call and one page.
package simulation
