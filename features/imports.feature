Feature: Imports
  A merchant sends a file of products. It is imported as a job: the merchant looks at it, reads what was refused and why,
  mends it and sends it again.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |

  Rule: A file is imported as far as it is right

    Scenario: Some products are refused
      When the merchant imports the "text/csv" file "":
        """
        sku,name,price,cost,quantity
        M-1,Mug,12.50,99,3
        M-2,Mat,"12,50",,3
        M-3,,5,,1
        M-1,Mug again,1,,
        M-4,Pot
        """
      Then it answers 202
      And the answer shows:
        | kind           | "import"  |
        | status         | "queued"  |
        | agent_id       | ""        |
        | result         | null      |
        | import.format  | "haggle"  |
        | import.dry_run | false     |
        | import.created | 0         |
      And the answer's "id" is called "job"
      When the merchant sends GET /v1/jobs/$job
      Then within 30 seconds the answer shows:
        | status                  | "succeeded" |
        | import.products_read    | 5           |
        | import.created          | 1           |
        | import.refused          | 4           |
        | import.errors.#         | 4           |
        | import.errors.0.line    | 3           |
        | import.errors.0.sku     | "M-2"       |
        | import.errors.0.field   | "price"     |
        | import.errors.0.value   | "12,50"     |
        | import.errors.0.problem | "is not a decimal number; write 12.50" |
        | import.errors.*.line    | [3, 4, 5, 6] |
        | import.errors.2.problem | "is also on line 2" |
        | import.errors.3.problem | "has 2 fields, the header has 5" |
        | import.warnings.0.problem | "is above the price, 12.50" |
        | import.errors_url       | "/v1/imports/$job/errors" |
      When the merchant sends GET /v1/imports/$job/errors
      Then it answers 200
      When the merchant lists products with "q=M-"
      Then the answer shows:
        | meta.total | 1 |

    Scenario: A dry run stores nothing
      When the merchant imports the "application/x-ndjson" file "dry_run=true":
        """
        {"sku":"M-1","name":"Mug","price":12.50}
        """
      And the answer's "id" is called "job"
      And the merchant sends GET /v1/jobs/$job
      Then within 30 seconds the answer shows:
        | status            | "succeeded" |
        | import.created    | 1           |
        | import.dry_run    | true        |
        | import.errors_url | null        |
      When the merchant lists products with "q=M-1"
      Then the answer shows:
        | meta.total | 0 |

    Scenario: A second import changes only what differs
      When the merchant imports the "text/csv" file "":
        """
        sku,name,price,quantity
        M-1,Mug,12.50,3
        M-2,Mat,5,1
        """
      And the answer's "id" is called "first"
      And the merchant sends GET /v1/jobs/$first
      Then within 30 seconds the answer shows:
        | import.created | 2 |
      When the merchant imports the "text/csv" file "":
        """
        sku,name,price,quantity
        M-1,Mug,12.50,3
        M-2,Mat,5,2
        """
      And the answer's "id" is called "second"
      And the merchant sends GET /v1/jobs/$second
      Then within 30 seconds the answer shows:
        | status           | "succeeded" |
        | import.unchanged | 1           |
        | import.updated   | 1           |

    Scenario: A product file of Shopify
      When the merchant imports the "text/csv" file "format=shopify":
        """
        Handle,Title,Body (HTML),Option1 Name,Option1 Value,Variant SKU,Variant Inventory Qty,Variant Price,Variant Compare At Price
        shirt,Shirt,<p>Soft.</p>,Size,M,S-M,4,20.00,25.00
        shirt,,,,L,S-L,0,22.00,
        """
      And the answer's "id" is called "job"
      And the merchant sends GET /v1/jobs/$job
      Then within 30 seconds the answer shows:
        | status         | "succeeded" |
        | import.created | 1           |
      When the merchant lists products with "q=shirt"
      Then the answer shows:
        | data.0.sku               | "shirt" |
        | data.0.description       | "Soft." |
        | data.0.variants.1.sku    | "S-L"   |
        | data.0.variants.1.price  | 22      |

    Scenario: A file in another format than it was sent as
      When the merchant imports the "text/csv" file "":
        """
        Handle,Title,Body (HTML),Option1 Name,Variant Price
        """
      And the answer's "id" is called "job"
      And the merchant sends GET /v1/jobs/$job
      Then within 30 seconds the answer shows:
        | status        | "failed"          |
        | error.code    | "unreadable_file" |
        | error.message | matches choose the format shopify |

  Rule: Who manages the catalogue sees imports, and nothing of agents

    Scenario: A key for the catalogue
      Given a key "Clerk" with {"scopes": ["catalog:write"], "project_ids": ["$shop"]}
      And the active agent
      When the merchant imports the "text/csv" file "":
        """
        sku,name,price
        M-1,Mug,12.50
        """
      And the answer's "id" is called "import"
      And the merchant sends POST /v1/agents/$active/market {"buyers": 50}
      And the answer's "id" is called "market"
      And the holder of "Clerk" sends GET /v1/jobs/$import
      Then it answers 200
      When the holder of "Clerk" sends GET /v1/jobs/$market
      Then it is refused: 404 job_not_found
      When the holder of "Clerk" sends POST /v1/jobs/$market/cancel {}
      Then it is refused: 404 job_not_found
      When the holder of "Clerk" sends GET /v1/jobs
      Then the answer shows:
        | data.*.id  | ["$import"] |
        | meta.total | 1           |

    Scenario: An import that is canceled
      When the merchant imports the "text/csv" file "":
        """
        sku,name,price
        M-1,Mug,12.50
        """
      And the answer's "id" is called "job"
      And the merchant sends GET /v1/jobs/$job
      Then within 30 seconds the answer shows:
        | status | "succeeded" |
      When the merchant sends POST /v1/jobs/$job/cancel
      Then it is refused: 409 job_finished

  Rule: What is no such file is refused at once

    Scenario: A body that is no file
      When the merchant imports the "application/json" file "":
        """
        {}
        """
      Then it is refused: 415 unsupported_media_type

    Scenario: A format that is not known
      When the merchant imports the "text/csv" file "format=magento":
        """
        sku
        """
      Then it is refused: 400 invalid_request

    Scenario: NDJSON of a platform
      When the merchant imports the "application/x-ndjson" file "format=shopify":
        """
        {}
        """
      Then it is refused: 422 validation_error
