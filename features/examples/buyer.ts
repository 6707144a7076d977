// A buyer's agent: finds a product, haggles over it, buys it, and asks to return it. All it knows is the shop's URL.
//
//   npm ci && npm run build && node .build/buyer.js http://127.0.0.1:8080/p/demo "light tent" spt_sandbox_ok
//
// Node.js 22.18 or later runs it as it is: node buyer.ts …

/** Gets a URL, or posts a body to it, and returns the JSON of the answer. */
async function call(url: string, body?: object): Promise<any> {
  const answer = await fetch(url, body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const [shop, query, token] = process.argv.slice(2);
const { urls, payment_methods: methods } = await call(`${shop}/.well-known/acp/manifest.json`);
const cents = (amount: number) => Math.round(amount * 100) / 100;

const found = await call(urls.search, { query, limit: 1, filters: { in_stock: true } });
const [product] = found.results;
if (!product) throw new Error(`the shop has nothing for ${query}`);
const variant = product.variants.find((v: any) => v.in_stock).id;
console.log(`${product.name} costs ${product.list_price} ${product.currency}`);

const item = { product_id: product.product_id, variant_id: variant, quantity: 1 };
let offer = cents(product.list_price * 0.75);
let quote = await call(urls.quote, { session_id: found.session_id, ...item, offer_price: offer });
while (quote.status !== "accept") { // move half the way to what the shop asks; what it asks last is its price
  const asked = quote.counter_price ?? quote.offered_price;
  console.log(`offered ${offer}, the shop asks ${asked}`);
  offer = quote.next_actions.includes("counter") && asked - offer > asked / 50 ? cents((offer + asked) / 2) : asked;
  quote = await call(urls.quote, { session_id: quote.session_id, quote_id: quote.quote_id, offer_price: offer });
}
console.log(`agreed on ${quote.final_price}`);

const checkout = await call(urls.checkout, {
  session_id: quote.session_id, checkout_token: quote.checkout_token,
  shipping_address: { name: "A. Buyer", line1: "12 Harbor Street", city: "Portland", state: "OR", postal_code: "97205", country: "US" },
});
console.log(`with shipping and tax it is ${checkout.summary.total}`);
const paid = await call(urls.finalize, {
  checkout_id: checkout.checkout_id, payment: { method: methods[0].type, token }, buyer_email: "buyer@example.com",
});
if (paid.status !== "success") throw new Error(`payment failed: ${paid.error.message}`);
console.log(`ordered: ${paid.order.confirmation_number}`);

const back = await call(urls.returns, { order_id: paid.order.id, items: [{ ...item, reason: "Too small" }] });
console.log(`return ${back.status}: ${back.refund_estimate} ${back.currency}`);
