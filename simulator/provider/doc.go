// Package provider is a look-alike of two payment providers. It answers in Stripe's and PayPal's wire formats over real
// HTTP and keeps a durable ledger, so that tests can find out whether a merchant charges twice or loses money. It moves
// no real money and shares no type with the server that calls it.
//
//	p, err := provider.Open(provider.Config{Ledger: "provider.ledger"})
//	go p.Run(ctx)                    // sends webhooks
//	http.Serve(listener, p.Handler())
//
// # Ledger
//
// The ledger is a file of JSON lines. One line has everything that one request changed, including the answer kept under
// its idempotency key, so a request is recorded completely or not at all. An answer is sent only after the lines that it
// depends on are synced to disk. Open replays the file and cuts off an incomplete last line. Only one process may use a file.
//
// # Stripe
//
// Form bodies, Bearer or basic authentication. Each secret key (sk_test_, sk_live_, rk_…) has its own account with the id
// acct_… (see [StripeAccount]); keys that start with sk_test_refused or sk_live_refused get 401.
//
//	POST   /v1/payment_intents            with confirm=true it charges at once
//	GET    /v1/payment_intents            limit, starting_after, ending_before, created[gte…]; newest first
//	GET    /v1/payment_intents/{id}       expand[]=latest_charge
//	GET    /v1/payment_intents/search     query metadata['NAME']:'VALUE', of what is older than Config.SearchLag
//	POST   /v1/payment_intents/{id}/confirm, /cancel
//	GET    /v1/charges/{id}
//	POST   /v1/refunds                    GET /v1/refunds (payment_intent, charge, created), GET /v1/refunds/{id}
//	GET    /v1/balance_transactions       created, expand[]=data.source; charges cost 2.9 % and 30, disputes 15.00
//	GET    /v1/disputes/{id}
//	POST   /v1/disputes/{id}              evidence[…] of text, submit: the dispute is under review, or decided by the texts
//	                                      winning_evidence and losing_evidence; …/close: it is lost
//	GET    /v1/account
//	POST   /v1/webhook_endpoints          GET (list, one), DELETE
//	GET    /v1/events                     type, types[], created; GET /v1/events/{id}
//	POST   /v1/test_helpers/shared_payment/granted_tokens, …/{id}/revoke
//	GET    /v1/shared_payment/granted_tokens/{id}
//
// A granted token is charged with payment_method_data[shared_payment_granted_token] or, as in the earlier preview,
// shared_payment_granted_token. It belongs to one seller and currency, allows charges of max_amount in total until
// expires_at, and is used up by one successful charge. A charge that it does not allow fails with 400: resource_missing
// (unknown, or another seller's), token_already_used, payment_intent_invalid_parameter (expired, revoked),
// payment_method_currency_mismatch, amount_too_large. Stripe documents no codes for this; these are its general ones.
//
// Idempotency-Key is scoped to the account and kept for Config.StripeKeyAge. Answers are kept once execution has begun,
// including 402 and 500, but not parameter errors, 409 and 429. A kept 500 has Stripe-Should-Retry: false.
//
// # PayPal
//
// JSON bodies, and a bearer token from the client credentials. Each client id is its own merchant (see [PayPalMerchant]);
// client ids that start with "refused" get 401.
//
//	POST   /v1/oauth2/token
//	POST   /v2/checkout/orders            one purchase unit; intent CAPTURE or AUTHORIZE
//	GET    /v2/checkout/orders/{id}       PATCH: /intent, and invoice_id, custom_id, description, amount of the unit
//	POST   /v2/checkout/orders/{id}/capture   payment_source.token {id, type: BILLING_AGREEMENT}
//	GET    /v2/payments/captures/{id}     POST …/refund
//	GET    /v2/payments/refunds/{id}
//	GET    /v1/customer/disputes/{id}     POST …/provide-evidence (a form whose part "input" is JSON), …/accept-claim
//	GET    /v1/reporting/transactions     at most 31 days; T0006 captures (they cost 3.49 % and 49), T1107 refunds,
//	                                      T1106 reversals, T0403 payouts
//	POST   /v1/notifications/webhooks     GET (list), DELETE, GET …/webhooks-event-types
//	POST   /v1/notifications/verify-webhook-signature
//
// PayPal-Request-Id is scoped to the merchant and the path and kept for Config.PayPalKeyAge. A repeat shows the current
// state of the object that the first request created, with 200 instead of 201, even if the first answer was a 500. A kept
// refusal (422) is repeated unchanged.
//
// # Scripts
//
// A token may have a script: steps separated by semicolons, of which the first applicable one is used. A step with a count
// applies that many times, and then the next step does. "refund.STEP" applies to refunds of the token's payments.
//
//	ok                   no fault
//	decline:CODE[:n]     refuses with CODE (Stripe's decline code, PayPal's issue)
//	error_before:n       500 without execution, not kept under the key, n times (default 1)
//	error_kept           500 without execution; Stripe keeps the 500 under the key
//	error_after          charges, then answers 500
//	hang_after           charges, then sends no answer (until the client is gone or Config.Hang is over)
//	malformed            charges, then answers half of the JSON
//	reset_after          charges, then cuts the connection
//	rate_limited:n       429 with Retry-After, n times (default 1)
//	in_use:n             409 as if the key were in use, n times (default 1)
//	slow:ms              waits with the key in use, then applies the next step
//	pending              PayPal: the capture is pending until /lookalike/captures/settle
//
// For example, "rate_limited:2;hang_after" answers 429 twice and then charges without an answer. A repeat with a kept key
// is answered without the script and does not count as an application of a step.
//
// # Control
//
// The look-alike's own endpoints speak JSON and need no authentication. Amounts are in minor units, times in Unix seconds.
//
//	POST   /lookalike/tokens      {kind: stripe|paypal, script, seller, payment_method, currency, max_amount, expires_at, uses}
//	                              uses: default 1, negative for no limit; missing limits mean no limit
//	POST   /lookalike/agreements  {seller, currency, max_amount, expires_at, single_use, script} → {id: "B-…"}
//	POST   /lookalike/faults      {fault, count, operation}: the next count requests of the operation (charge, capture,
//	                              refund, dispute, list, read, order, cancel, token, webhook, *; default charge, capture and
//	                              refund) get the fault instead of their token's script. GET lists, DELETE clears them.
//	POST   /lookalike/webhooks    {seed, duplicates, shuffle, early, delay_ms, drop, tamper}; GET shows
//	POST   /lookalike/refunds     {charge, amount}: a refund made in the dashboard; charge may be a payment intent
//	POST   /lookalike/refunds/fail    {refund, reason}: a Stripe refund fails that had succeeded
//	POST   /lookalike/disputes    {charge, amount, reason, inquiry}; …/close {dispute, outcome: won|lost}. Stripe
//	                              withdraws amount and fee at once; PayPal reverses the capture if the dispute is lost. The
//	                              merchant has seven days to respond
//	POST   /lookalike/captures/settle {capture, denied}: decides a pending capture
//	POST   /lookalike/payouts     {provider, account, currency, amount}
//	POST   /lookalike/intents     {account, count, from, to}: adds other intents to a Stripe account
//	POST   /lookalike/clock       {ahead_ms}: sets how far the look-alike's clock, including the Date header, is ahead of the machine's
//	GET    /ledger                all charges and refunds, and totals by currency; ?metadata.NAME=VALUE filters charges
//
// # Webhooks
//
// Stripe: payment_intent.succeeded, .payment_failed, .canceled, charge.refunded, refund.created, .updated, .failed,
// charge.dispute.created, .updated, .funds_withdrawn, .funds_reinstated, .closed, signed by the endpoint's secret.
// PayPal: PAYMENT.CAPTURE.COMPLETED, .PENDING, .DENIED, .REFUNDED, .REVERSED, CUSTOMER.DISPUTE.CREATED, .UPDATED,
// .RESOLVED, with a signature that only the look-alike can verify. Deliveries are repeated with growing pauses until a
// 2xx, at most Config.WebhookAttempts times. Each endpoint gets one delivery at a time. duplicates is how often each
// event is sent; shuffle is how many events are held and sent in another order (at the latest after two seconds); early
// sends before the request is answered; drop is the share of events that are lost; tamper is the number of extra
// deliveries with a changed body and the old signature. The same seed and sequence of events give the same choices.
//
// # Limits
//
// Stripe: cards only, captured at once, no customers, search by metadata only. PayPal: no payer approval, one purchase
// unit. The whole ledger is kept in memory as well as in the file.
package provider
