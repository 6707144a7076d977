// Package simulation tests the application's real code with models of everything outside it, under schedules that a running
// server would not meet within a test's time. Nothing here is part of the program.
//
// # Payments, refunds and events
//
// TestSchedules runs two or three replicas of purchase, refunds, reconciliation and publishing over the in-memory store
// (ports/porttest/memstore, which passes the store's contract suites) and models of payment providers: Stripe with its rules
// for idempotency keys, lists and search, and PayPal with its two steps. Every sixteenth seed runs the real Stripe adapter over
// HTTP requests, every eighth PayPal, and the others Stripe at the level of the port, which takes a tenth of the time.
// TestGateways runs all three on the same cases. The replicas' clocks are wrong by up to an hour, the providers' by a quarter
// of an hour, and the store's is right. At each call of the store, of a provider and of a receiver of events, a random choice
// from the seed lets the call pass, fails it before or after its effect, delays it, stops the replica for longer than a lease,
// or kills it. A dead replica is restarted.
//
// Buyers pay with cards that are accepted or declined, through one replica or another, at the same time, again, and ask for
// refunds. Providers reverse refunds, charges are disputed, and some providers charge what they promised not to. A checkout's
// row and the project's settings become unreadable, and receivers do not respond. Every fourth schedule has a second project
// whose own provider, receiver and rows are healthy: the first project's problems must not affect it. The invariants
// (invariants_test.go) are checked after each commit, a quarter of an hour after the last failure, and at the end, when the
// shops' ledgers must agree with their providers'.
//
// Time is that of a testing/synctest bubble, and one call runs at a time, so that a seed determines the schedule
// (TestASeedIsOneSchedule).
//
// The simulation does not cover SQL, locks and isolation levels (a transaction is one step; the store's own tests and
// features/faults cover them), HTTP in front of the services, PayPal's adapter, and stock that is set by hand.
//
//	make schedules                  100,000 schedules; the seed of one that fails is printed with its trace
//	make schedules SEED=5437        this one
//
// # Webhooks of one product
//
// TestWebhooksOfOneProduct tries every interleaving of receipt, claim, kill, stop and sync page for three changes of one
// product, with the real inbox worker, importer and custom connector. Without SCHEDULES it tries those with one worker before
// the end, or with one repeated call and one page.
package simulation
