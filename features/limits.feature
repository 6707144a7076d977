Feature: Limits
  Nobody can take more than a share of a server. The strict server of these scenarios allows an account 60 requests a
  minute and 20 at once, and a buyer's address 60 a minute and 10 at once in each shop. It stands behind a proxy, which it
  trusts to name the address of the sender.

  Rule: An account has a rate, whichever of its keys are used

    Scenario: Too many requests of a merchant
      Given a merchant on the strict server
      When the merchant sends requests until one is refused
      Then there are too many requests
      And it had been answered 20 times before, and once more for each second that passed
      And a request is answered after the time that the refusal names

    Scenario: Another key of the account has no rate of its own
      Given a merchant on the strict server
      And the account has another key
      When the merchant sends requests until one is refused
      Then there are too many requests
      And requests with the other key are refused, too

    Scenario: Another merchant is not affected
      Given a merchant on the strict server
      When the merchant sends requests until one is refused
      Then there are too many requests
      And another merchant is answered

  Rule: A buyer's address has a rate in each shop

    Scenario: Too many requests of a buyer
      Given a merchant on the strict server
      And a shop
      When a buyer sends requests from "198.51.100.7" until one is refused
      Then there are too many requests
      And it had been answered 10 times before, and once more for each second that passed
      And a request is answered after the time that the refusal names

    Scenario: Other addresses, other shops and the merchant are not affected
      Given a merchant on the strict server
      And a shop
      And another shop
      When a buyer sends requests from "198.51.100.7" until one is refused
      Then there are too many requests
      And a buyer is answered from "198.51.100.8"
      And a buyer is answered from "198.51.100.7" in the other shop
      And the merchant is answered from "198.51.100.7"

    Scenario: The addresses of an IPv6 network share one rate
      Given a merchant on the strict server
      And a shop
      When a buyer sends requests from "2001:db8:0:1::1" until one is refused
      Then there are too many requests
      And a buyer is refused from "2001:db8:0:1:ffff::2"
      And a buyer is answered from "2001:db8:0:2::1"

    Scenario: Only the proxy is trusted to name an address
      Given a merchant on the strict server
      And a shop
      When a buyer sends requests from "203.0.113.5, 198.51.100.7" until one is refused
      Then there are too many requests
      And a buyer is refused from "203.0.113.6, 198.51.100.7"
      And a buyer is answered from "198.51.100.7, 203.0.113.5"

  Rule: An address without a valid key has a rate

    Scenario: Guessing keys
      Given a merchant on the strict server
      And the merchant is answered from "198.51.100.9"
      When somebody without a key sends requests from "198.51.100.9" until too many were refused
      Then there are too many requests
      And it had been answered 150 times before, and once more for each 600 ms that passed
      And somebody without a key at "198.51.100.10" is asked for a key
      And the merchant is answered from "198.51.100.9"

  Rule: A shop may admit some addresses only

    Scenario: Buyers come from anywhere
      Given a merchant on the strict server
      And a shop
      And the shop is managed only from "198.51.100.7"
      Then a buyer is answered from "203.0.113.5"
