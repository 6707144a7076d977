// A merchant's program that adds a product and finds it again, with types that openapi-typescript generated from the OpenAPI
// document of the Management API.
import createClient from "openapi-fetch";
import type { paths } from "./haggle.js";

const project = process.env.HAGGLE_PROJECT ?? "";
const client = createClient<paths>({
  baseUrl: process.env.HAGGLE_URL ?? "",
  headers: { Authorization: `Bearer ${process.env.HAGGLE_KEY}` },
});

const added = await client.POST("/v1/catalog/products", {
  params: { header: { "X-Project-ID": project } },
  body: { sku: "LAMP-TS", name: "Reading lamp", price: 49.9 },
});
if (added.error) throw new Error(JSON.stringify(added.error));

const found = await client.GET("/v1/catalog/products", {
  params: { header: { "X-Project-ID": project }, query: { q: "LAMP-TS" } },
});
if (found.error) throw new Error(JSON.stringify(found.error));
for (const product of found.data.data) console.log(product.name, product.price);
