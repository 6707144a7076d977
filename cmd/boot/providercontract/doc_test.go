// Package providercontract holds the sentences about payment providers on which the payment adapters rest, as tests
// with two targets: the look-alike, always, and the providers' own test modes with `make provider-contract`. Tests of
// the adapters against the look-alike are here, too: both packages may be imported only from cmd.
package providercontract
