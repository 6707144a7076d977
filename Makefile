SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help build release image cluster run demo-history test features gallery bench bench-journey simulate schedules histories fairness faults soak mcp-conformance clients documents bare-install curve acceptance provider-contract fuzz lint

BENCHTIME ?= 1s
FUZZTIME  ?= 10s
SCHEDULES ?= 100000
HISTORIES ?= 100000
JOURNEYS  ?= 2000
PRODUCTS  ?= 1000
CLIENTS   ?= 8
HISTORY   ?= 0
REPLICAS  ?= 1
HOT       ?= 0
FRESH     ?= 0
FAIRNESS  ?= 100000
FLUSH     ?= 0
SOAK      ?= 60m

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build haggle and haggle-sim into .bin
	@echo "Building haggle and haggle-sim (the first build takes a minute or two) ..."
	@go build -o .bin/ ./cmd/haggle ./cmd/haggle-sim

release: ## build archives of both programs for Linux and macOS into .bin/release, static, with licenses, SBOMs and checksums, and check them
	go run ./cmd/haggle/deploy/release -out .bin/release
	RELEASE=$(CURDIR)/.bin/release go test -count=1 -timeout 30m -run TestRelease_built ./cmd/haggle/deploy/release
	@ls -l .bin/release

image: ## pack both programs into an image with buildah, as Dockerfile says, and sell something in it (root, on Linux)
	@.ci/need buildah
	@rm -rf .bin/image && mkdir -p .bin/image/data .bin/image/files/etc/ssl/certs
	@cp /etc/ssl/certs/ca-certificates.crt .bin/image/files/etc/ssl/certs/
	CGO_ENABLED=0 GOFLAGS= go build -trimpath -buildvcs=auto -ldflags "-s -w" -o .bin/image/files/ ./cmd/haggle ./cmd/haggle-sim
	IMAGE=1 go test -v -count=1 -timeout 10m -run TestImage ./cmd/haggle/deploy

run: build ## build, then serve the demo shop
	@exec .bin/haggle serve --demo

test: ## run every test, on SQLite and PostgreSQL (installs PostgreSQL, PgBouncer, Redis, WordNet, Python, Node.js, Chromium, systemd, Caddy and promtool where they are missing)
	@.ci/need postgres pgbouncer redis wordnet python node chromium systemd caddy promtool
	GOGC=400 go test -vet=off -timeout 30m ./...

features: ## run the specification's scenarios alone
	@.ci/need postgres redis python node chromium
	FEATURES=full go test -timeout 30m ./features/...

gallery: ## take pictures of every page into .gallery, light and dark, and fail on overflow, complaints of the browser and axe-core findings (SCREENS=part of a name: those)
	@.ci/need chromium
	GALLERY=$(CURDIR)/.gallery SCREENS=$(SCREENS) go test -v -count=1 -timeout 60m -run TestGallery ./features/gallery
	@echo "Look at .gallery/index.html"

bench: ## run the benchmarks, BENCHTIME=1s each (1x: once, on little data)
	@.ci/need postgres redis
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(if $(filter 1x,$(BENCHTIME)),-short) $$(grep -rl --include='*_test.go' --exclude-dir=journey '^func Benchmark' . | xargs -n1 dirname | sort -u)

bench-journey: ## measure what a buyer's journey costs: JOURNEYS=2000 PRODUCTS=1000 CLIENTS=8 (features/journey/README.md)
	@.ci/need postgres
	PRODUCTS=$(PRODUCTS) CLIENTS=$(CLIENTS) HISTORY=$(HISTORY) REPLICAS=$(REPLICAS) HOT=$(HOT) FRESH=$(FRESH) FLUSH=$(FLUSH) go test -run '^$$' -bench BenchmarkJourney -benchtime $(JOURNEYS)x -timeout 30m ./features/journey

demo-history: ## make the demo's ninety days of history anew (a minute or two); commit what changes
	go run ./cmd/boot/demo/makehistory -out cmd/boot/demo/history.gz

simulate: build ## let buyer agents loose on the demo shop
	.bin/haggle simulate --demo

schedules: ## run payments and events over SCHEDULES=100000 simulated schedules of failures (SEED=n: that one)
	SCHEDULES=$(if $(SEED),1,$(SCHEDULES)) SEED=$(SEED) go test -v -count=1 -timeout 60m -run 'TestSchedules|TestWebhooksOfOneProduct' ./cmd/boot/simulation

histories: ## run HISTORIES=100000 random histories of carts and checkouts on both engines, beside a model of the rules (an hour)
	@.ci/need postgres
	HISTORIES=$(HISTORIES) go test -v -count=1 -timeout 180m -run TestHistories ./cmd/boot/cartmodel

fairness: ## compare FAIRNESS=100000 negotiations over HTTP, and as many without it, in pairs of buyers who differ in what must not move a price (a quarter of an hour)
	go test -v -count=1 -timeout 60m -run TestPrepareQuote_ignoresBuyerIdentity ./app/haggling -rapid.checks=$$(($(FAIRNESS) / 20))
	FAIRNESS=$(FAIRNESS) go test -v -count=1 -timeout 60m -run TestPrices ./features/fairness

faults: ## kill, hang and cut off servers while buyers pay, everywhere (a quarter of an hour)
	@.ci/need postgres
	FAULTS=full go test -v -count=1 -timeout 60m ./features/faults

cluster: ## kill, cut off and pause the nodes of clusters of PostgreSQL, Redis and NATS while buyers pay (half an hour)
	@.ci/need postgres pgbouncer patroni etcd haproxy redis sentinel nats
	CLUSTER=full go test -v -count=1 -timeout 60m ./features/cluster

soak: ## run two replicas on clusters for SOAK=60m with kills, a failover and a switchover, and judge orders, memory and disk (SOAK_TABLE=file: the samples as CSV)
	@.ci/need postgres pgbouncer patroni etcd haproxy redis sentinel nats
	SOAK=$(SOAK) go test -v -count=1 -timeout 24h -run 'TestSoak$$' ./features/cluster

curve: build ## search for the built-in policy's curve by worst-case regret, and leave out each part of the buyers' families (ten minutes)
	.bin/haggle simulate curve --html .bin/curve.html
	@echo "Look at .bin/curve.html"

mcp-conformance: build ## run the official MCP conformance suite against both MCP endpoints of a demo shop (npm; a minute)
	@.ci/mcp-conformance

clients: ## generate clients in Go and TypeScript from the OpenAPI document, and make calls with them (a minute or two)
	@.ci/need node
	CLIENTS=full go test -v -count=1 -timeout 15m ./features/examples/clients

bare-install: release ## install the archive on a bare Debian root and sell in it, each step timed (root; debootstrap)
	@.ci/bare-install

documents: ## run the commands of every document in a fresh clone, beside a demo shop at the documents' ports (five minutes)
	DOCUMENTS=full go test -v -count=1 -timeout 60m -run TestCommands ./features/documents

acceptance: features gallery mcp-conformance clients documents faults schedules histories fairness release bare-install image cluster soak ## what takes longer than make test: all scenarios on both engines, the gallery, MCP conformance, generated clients, the commands of the documents, faults, schedules, histories of carts, 100,000 negotiations of unequal buyers, query plans at 100,000 rows, journeys as a shop grows, release archives, an install on a bare Debian root, the image, clusters, a soak of an hour (four hours)
	PLANS=100000 go test -v -count=1 -timeout 30m -run TestPlans ./features/journey
	$(MAKE) bench-journey
	$(MAKE) bench-journey PRODUCTS=100000
	$(MAKE) bench-journey HISTORY=1000000
	$(MAKE) bench-journey CLIENTS=128 JOURNEYS=5000
	$(MAKE) bench-journey REPLICAS=4
	$(MAKE) bench-journey HOT=1

provider-contract: ## check what we rely on in Stripe's test mode and PayPal's sandbox (STRIPE_TEST_KEY, PAYPAL_TEST_CLIENT, PAYPAL_TEST_SECRET)
	@[ -n "$${STRIPE_TEST_KEY:-}$${PAYPAL_TEST_CLIENT:-}" ] || { echo "Set STRIPE_TEST_KEY, or PAYPAL_TEST_CLIENT and PAYPAL_TEST_SECRET, to credentials of a test account."; exit 2; }
	@case "$${STRIPE_TEST_KEY:-sk_test_}" in sk_test_*|rk_test_*) ;; *) echo "STRIPE_TEST_KEY is no test key: it must begin sk_test_ or rk_test_."; exit 2;; esac
	PROVIDER_CONTRACT=1 go test -v -count=1 -timeout 15m -run Contract ./cmd/boot/providercontract

fuzz: ## fuzz each fuzz target for FUZZTIME=10s
	@go test -list '^Fuzz' ./... | awk '/^Fuzz/{f[n++]=$$1} /^ok/{while(n) print $$2, f[--n]}' | while read -r package target; do \
		echo "== $$target in $$package"; \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" </dev/null; \
	done

lint: ## check format, the words of code and commits, vet, staticcheck, go.mod and, where its database can be reached, govulncheck
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not gofmt'ed:" $$unformatted; exit 1; }
	@long=$$(git log --format=%s --max-count=40 --no-merges 2>/dev/null | awk 'length > 72'); [ -z "$$long" ] || { echo "commit subjects over 72 characters:"; echo "$$long"; exit 1; }
	go run ./cmd/stylecheck
	GOGC=400 go vet ./...
	GOGC=400 go tool staticcheck ./...
	go mod tidy -diff
	@.ci/vulncheck
