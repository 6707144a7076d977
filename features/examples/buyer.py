#!/usr/bin/env python3
"""A buyer's agent: finds a product, haggles over it, buys it, and asks to return it. All it knows is the shop's URL.

    buyer.py http://127.0.0.1:8080/p/demo "light tent" spt_sandbox_ok
"""
import json, sys, urllib.error, urllib.request

def call(url, body=None):
    """Gets a URL, or posts a body to it, and returns the JSON of the answer."""
    request = urllib.request.Request(url, body and json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{url}: {error.code} {error.read().decode()}")

shop, query, token = sys.argv[1:]
manifest = call(shop + "/.well-known/acp/manifest.json")
urls, method = manifest["urls"], manifest["payment_methods"][0]["type"]

found = call(urls["search"], {"query": query, "limit": 1, "filters": {"in_stock": True}})
if not found["results"]:
    sys.exit(f"the shop has nothing for {query!r}")
product = found["results"][0]
variant = next(v["id"] for v in product["variants"] if v["in_stock"])
print(f"{product['name']} costs {product['list_price']} {product['currency']}")

item = {"product_id": product["product_id"], "variant_id": variant, "quantity": 1}
offer = round(product["list_price"] * 0.75, 2)
quote = call(urls["quote"], {"session_id": found["session_id"], **item, "offer_price": offer})
while quote["status"] != "accept":  # move half the way to what the shop asks; what it asks last is its price
    asked = quote.get("counter_price") or quote["offered_price"]
    print(f"offered {offer}, the shop asks {asked}")
    offer = round((offer + asked) / 2, 2) if "counter" in quote["next_actions"] and asked - offer > asked / 50 else asked
    quote = call(urls["quote"], {"session_id": quote["session_id"], "quote_id": quote["quote_id"], "offer_price": offer})
print(f"agreed on {quote['final_price']}")

checkout = call(urls["checkout"], {
    "session_id": quote["session_id"], "checkout_token": quote["checkout_token"],
    "shipping_address": {"name": "A. Buyer", "line1": "12 Harbor Street", "city": "Portland", "state": "OR", "postal_code": "97205", "country": "US"}})
print(f"with shipping and tax it is {checkout['summary']['total']}")
paid = call(urls["finalize"], {"checkout_id": checkout["checkout_id"], "payment": {"method": method, "token": token}, "buyer_email": "buyer@example.com"})
if paid["status"] != "success":
    sys.exit(f"payment failed: {paid['error']['message']}")
print(f"ordered: {paid['order']['confirmation_number']}")

back = call(urls["returns"], {"order_id": paid["order"]["id"], "items": [{**item, "reason": "Too small"}]})
print(f"return {back['status']}: {back['refund_estimate']} {back['currency']}")
