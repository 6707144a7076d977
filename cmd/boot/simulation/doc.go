// Package simulation holds tests that run the application's real code over models of what is outside of it,
// under schedules that no running server meets in a test's time. Nothing here is part of the program.
//
// # Payments, refunds and events
//
// TestSchedules runs two or three replicas of purchase, refunds, reconciliation and publishing, with the real
// Stripe adapter, over the store in memory (ports/porttest/memstore, which passes the store's contract suites)
// and a model of Stripe's API with its rules for idempotency keys, lists and search. The replicas' clocks are
// up to an hour off, Stripe's a quarter of an hour, the store's is right. At each call of the store, of Stripe
// and of a receiver of events, chance from a seed may let it pass, fail it before or after its effect, delay it,
// stop the replica for longer than a lease, or kill it; a dead replica is started again. Buyers pay with cards
// that are taken or declined, from one replica or another, at the same time, again, and ask for refunds. A
// checkout's row becomes unreadable. Then nothing fails any more, all comes to rest, and the books of the shop
// must agree with Stripe's.
//
// Time is a bubble's of testing/synctest, and one call goes on at a time, so that a seed is one schedule
// (TestASeedIsOneSchedule).
//
// What is not simulated: SQL, locks and isolation levels (a transaction is one step; the store's own tests and
// features/faults have them), HTTP in front of the services, PayPal, refunds that fail after they succeeded,
// disputes, and stock that is set by hand.
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
