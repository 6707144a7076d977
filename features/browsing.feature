Feature: Narrowing, sorting and paging
  A buyer's agent says which products it wants, in which order, and reads page after page until it has seen them all. A
  search that finds nothing says why.

  Rule: A buyer narrows a search

    Background:
      Given a shop selling:
        | name     | price  | brand | category | stock | variants             |
        | Tent One | 100.00 | Fjord | tents    |       | 2P/Green=0, 3P/Red=1 |
        | Tent Two | 200.00 | Lumi  | tents    | 3     |                      |
        | Toy Tent | 20.00  | Lumi  | toys     | 0     |                      |
        | Tent Peg | 1.50   | Ember | parts    | 5     |                      |

    Scenario: By brand and price
      When a buyer searches for "tent" of the brand "LUMI" from 100 up to 250
      Then the search finds exactly "Tent Two"
      And the facets count what was found

    Scenario: By category and stock
      When a buyer searches for "tent" in the category "tents" in stock
      Then the search finds exactly "Tent One", "Tent Two"
      And the facets count what was found

    Scenario: No variant has both the size and the color
      When a buyer searches for "tent" in size "2P" in the color "red"
      Then the search finds exactly nothing

  Rule: Results come in the order that the buyer asks for

    Background:
      Given a shop whose tents were reviewed:
        | name   | price  | stock | rating | reviews |
        | Tent B | 200.00 | 5     | 4      | 2       |
        | Tent A | 90.00  | 0     | 4      | 9       |
        | Tent C | 140.00 | 5     | 5      | 1       |

    Scenario Outline: By price or rating
      When a buyer searches for "tent", <order> first
      Then the search shows <names> in this order

      Examples:
        | order          | names                        |
        | cheapest       | "Tent A", "Tent C", "Tent B" |
        | most expensive | "Tent B", "Tent C", "Tent A" |
        | best rated     | "Tent C", "Tent A", "Tent B" |

    Scenario: The newest first
      Given the shop also sells:
        | name   | price | stock |
        | Tent D | 10.00 | 5     |
      When a buyer searches for "tent", newest first
      Then the first result is "Tent D"

  Rule: A buyer sees each result once on its way through the pages

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Tent One   | 100.00 | 5     |
        | Tent Two   | 200.00 | 5     |
        | Tent Three | 300.00 | 5     |
        | Tent Four  | 400.00 | 5     |
        | Tent Five  | 500.00 | 5     |

    Scenario Outline: Page by page
      When a buyer reads all results for "tent", <limit> a page, <order> first
      Then the buyer has seen "Tent One", "Tent Two", "Tent Three", "Tent Four", "Tent Five", each once, on <pages> pages

      Examples:
        | limit | order          | pages |
        | 2     | best matching  | 3     |
        | 5     | cheapest       | 1     |
        | 1     | newest         | 5     |
        | 3     | most expensive | 2     |

    Scenario: The catalog changes meanwhile
      When a buyer reads the first results for "tent", 2 a page, cheapest first
      Then the search shows "Tent One", "Tent Two" in this order
      When the merchant lowers the price of the "Tent Five" to 1
      And the merchant lowers the price of the "Tent One" to 450
      Given the merchant has 0 of the "Tent Three" left
      When the buyer reads the other pages
      Then the buyer has seen "Tent One", "Tent Two", "Tent Three", "Tent Four", "Tent Five", each once, on 3 pages

  Rule: A search for a misspelt word finds similar words of the shop

    Scenario: One letter is wrong
      Given a shop selling:
        | name        | price  | stock |
        | Trail Tent  | 249.00 | 5     |
        | Family Tent | 399.00 | 5     |
        | Camp Stove  | 49.00  | 5     |
      When a buyer searches for "tant"
      Then the search finds exactly "Trail Tent", "Family Tent"

  Rule: Words without spaces between them are found

    Background:
      Given a shop selling:
        | name                              | price  | stock |
        | 小米手机14 Pro 徕卡光学镜头       | 499.00 | 5     |
        | ワイヤレスイヤホン 防水           | 89.00  | 5     |
        | 농심 신라면 매운맛                | 9.00   | 5     |
        | กาแฟอาราบิก้าคั่วบด                | 19.00  | 5     |

    Scenario Outline: A piece of a name
      When a buyer searches for "<query>"
      Then the search finds exactly "<name>"

      Examples:
        | query    | name                        |
        | 手机     | 小米手机14 Pro 徕卡光学镜头 |
        | 光       | 小米手机14 Pro 徕卡光学镜头 |
        | イヤホン | ワイヤレスイヤホン 防水     |
        | ｲﾔﾎﾝ     | ワイヤレスイヤホン 防水     |
        | 라면     | 농심 신라면 매운맛          |
        | กาแฟ     | กาแฟอาราบิก้าคั่วบด          |
