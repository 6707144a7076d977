// Package provider is a look-alike of two payment providers: it answers in Stripe's and in PayPal's wire format over
// real HTTP and keeps a durable ledger of its own, so that a merchant can be tested for charging twice or losing money.
// It moves no real money and knows nothing of the merchant; it shares no type with it.
//
//	p, err := provider.Open(provider.Config{Ledger: "provider.ledger"})
//	go p.Run(ctx)                    // sends webhooks
//	http.Serve(listener, p.Handler())
//
// # Ledger
//
// The ledger is a file of JSON lines. One line holds everything that one request changed, the answer kept under its
// idempotency key included, so a request has happened wholly or not at all. An answer leaves only after the lines it
// rests on are synced to disk. Open replays the file and cuts off a torn last line. One process per file.
//
// # Stripe
//
// Form bodies, Bearer or basic authentication. Each secret key (sk_test_, sk_live_, rk_…) is an account of its own, id
// acct_… (see [StripeAccount]); keys starting sk_test_refused or sk_live_refused answer 401.
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
// shared_payment_granted_token. It belongs to one seller and currency, covers max_amount in all until expires_at, and is
// used up by one successful charge. A charge outside of that is 400 and takes nothing: resource_missing (unknown, or
// another seller's), token_already_used, payment_intent_invalid_parameter (expired, revoked),
// payment_method_currency_mismatch, amount_too_large. Stripe does not document these codes; they are its general ones.
//
// Idempotency-Key is scoped to the account and kept for Config.StripeKeyAge. Kept are answers from when execution began,
// 402 and 500 too; not a parameter error, 409 or 429. A kept 500 carries Stripe-Should-Retry: false.
//
// # PayPal
//
// JSON bodies, a bearer token from the client credentials. Each client id is a merchant of its own (see
// [PayPalMerchant]); client ids starting "refused" answer 401.
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
// PayPal-Request-Id is scoped to the merchant and the path and kept for Config.PayPalKeyAge. A repeat shows the present
// state of what the first request made, with 200 in place of 201, even where the first was answered with 500. A kept
// refusal (422) is repeated as it was.
//
// # Scripts
//
// A token may carry a script: steps separated by semicolons, tried from the left. A step with a count applies that many
// times and then makes way for the next; "refund.STEP" applies to refunds of what the token paid.
//
//	ok                   nothing special
//	decline:CODE[:n]     refuses with CODE (Stripe's decline code, PayPal's issue)
//	error_before:n       500, nothing done or remembered, n times (default 1)
//	error_kept           500, nothing done, and Stripe remembers the 500 under the key
//	error_after          takes the money, then answers 500
//	hang_after           takes the money, then never answers (until the caller leaves or Config.Hang is over)
//	malformed            takes the money, then answers half of the JSON
//	reset_after          takes the money, then cuts the connection
//	rate_limited:n       429 with Retry-After, n times (default 1)
//	in_use:n             409 as if the key were in use, n times (default 1)
//	slow:ms              waits, holding the key, and goes on with the next step
//	pending              PayPal: the capture is pending until /lookalike/captures/settle
//
// So "rate_limited:2;hang_after" answers 429 twice and then charges in silence. A repeat under a kept key is answered
// before any script is asked and counts as no use of a step.
//
// # Endpoints of the look-alike's own
//
// They need no authentication and take and give JSON; amounts are in minor units, times in Unix seconds.
//
//	POST   /lookalike/tokens      {kind: stripe|paypal, script, seller, payment_method, currency, max_amount, expires_at, uses}
//	                              uses: default 1, negative for any number; an absent limit is none
//	POST   /lookalike/agreements  {seller, currency, max_amount, expires_at, single_use, script} → {id: "B-…"}
//	POST   /lookalike/faults      {fault, count, operation}: the next count requests of the operation (charge, capture,
//	                              refund, dispute, list, read, order, cancel, token, webhook, *; default charge, capture and
//	                              refund) meet the fault, whatever their token's script. GET shows, DELETE clears them.
//	POST   /lookalike/webhooks    {seed, duplicates, shuffle, early, delay_ms, drop, tamper}; GET shows
//	POST   /lookalike/refunds     {charge, amount}: a refund made in the dashboard; charge may be a payment intent
//	POST   /lookalike/refunds/fail    {refund, reason}: Stripe takes back a refund that had succeeded
//	POST   /lookalike/disputes    {charge, amount, reason, inquiry}; …/close {dispute, outcome: won|lost}. Stripe takes the
//	                              amount and the fee at once; PayPal reverses the capture of a lost one. The merchant has
//	                              seven days for a response
//	POST   /lookalike/captures/settle {capture, denied}: decides a pending capture
//	POST   /lookalike/payouts     {provider, account, currency, amount}
//	POST   /lookalike/intents     {account, count, from, to}: other intents, to make a Stripe account busy
//	POST   /lookalike/clock       {ahead_ms}: how far the look-alike's clock, also that of Date, is ahead of the machine's
//	GET    /ledger                all charges and refunds, and totals by currency; ?metadata.NAME=VALUE picks charges
//
// # Webhooks
//
// Stripe: payment_intent.succeeded, .payment_failed, .canceled, charge.refunded, refund.created, .updated, .failed,
// charge.dispute.created, .updated, .funds_withdrawn, .funds_reinstated, .closed, signed by the endpoint's secret. PayPal:
// PAYMENT.CAPTURE.COMPLETED, .PENDING, .DENIED, .REFUNDED, .REVERSED, CUSTOMER.DISPUTE.CREATED, .UPDATED, .RESOLVED, with a signature
// that only the look-alike can verify. They are repeated with growing pauses until a 2xx, at most Config.WebhookAttempts times. One endpoint
// gets them one at a time. duplicates sends each so many times; shuffle holds so many and sends them in another order
// (what is held for two seconds leaves anyway); early sends before the charge is answered; drop loses that share;
// tamper adds so many deliveries with a changed body under the old signature. The same seed and the same sequence of
// events give the same choices.
//
// # Limits
//
// Cards only, captured at once: no manual capture, no customers, search by metadata alone. PayPal: no payer
// approval, one purchase unit. Everything is kept in memory as well as in the file.
package provider
