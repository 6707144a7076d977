package shoptest

// document lets every endpoint answer with any object. Only orders have a required field, so that a test can break it.
const document = `{
  "openapi": "3.1.0",
  "paths": {
    "/p/{slug}/.well-known/acp/manifest.json": {"get": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/search": {"post": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/products/{id}": {"get": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/availability": {"post": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/quote": {"post": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/checkout/init": {"post": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/checkout/finalize": {"post": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/sessions/{id}": {"get": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/sessions/{id}/extend": {"post": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/orders/{id}": {"get": {"responses": {"200": {"description": "an order", "content": {"application/json": {
      "schema": {"type": "object", "required": ["order"], "properties": {"order": {"type": "object", "required": ["id"]}}}}}},
      "default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/returns": {"post": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}},
    "/p/{slug}/acp/returns/{id}": {"get": {"responses": {"default": {"$ref": "#/components/responses/Object"}}}}
  },
  "components": {"responses": {"Object": {"description": "any", "content": {"application/json": {"schema": {"type": "object"}}}}}}
}`
