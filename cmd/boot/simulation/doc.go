// Package simulation holds tests that run the application's real code over models of what is outside of it,
// under schedules that no running server meets in a test's time. Nothing here is part of the program.
//
// TestWebhooksOfOneProduct tries every interleaving of receipt, claim, kill, stop and sync page for three
// changes of one product, with the real inbox worker, taker and custom connector.
//
//	go test ./cmd/boot/simulation               a few seconds of it
//	SCHEDULES=1 go test ./cmd/boot/simulation   all of it, some minutes
package simulation
