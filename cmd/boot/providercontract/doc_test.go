// Package providercontract tests the behavior of payment providers that the payment adapters rely on. The tests run against the
// simulated provider, and with `make provider-contract` also against the providers' own test modes. Tests of the adapters
// against the simulator are here too, because only packages in cmd may import both.
package providercontract
