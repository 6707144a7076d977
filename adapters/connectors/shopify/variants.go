package shopify

import (
	"context"

	"github.com/haggle-commerce/haggle/ports"
)

const variantFields = `id sku barcode price inventoryPolicy selectedOptions { name value } inventoryItem { id tracked requiresShipping }`

// saleFields are those of a product that tell how it is for sale.
const saleFields = `publishedAt isGiftCard requiresSellingPlan`

// variantsQuery reads what a page of products, or a webhook, does not have. A product has up to 2,048 variants
// (shopify.dev changelog, "The product variant limit is now 2048 for all merchants", 2025-10-15). A single product's can be asked
// for by 2,000 at once (changelog, "Enhanced variant query limits for single product queries", 2025-01-01), but a query may
// cost 1,000 points, and each variant costs some: 250 is what any connection gives.
const variantsQuery = `query Variants($id: ID!, $first: Int!, $after: String) {
  product(id: $id) {
    ` + saleFields + `
    variants(first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { ` + variantFields + ` }
    }
  }
}`

// variantsRead is how far the variants of a product have been read.
type variantsRead struct {
	list   []variantNode
	sale   saleNode
	veiled bool // the app may not read when it was published
	after  string
	done   bool
}

// mostReadings bounds the products of a shop whose variants are kept until their page is complete.
const mostReadings = 50

// readings are kept because a shop's budget lasts for two or three queries: a reader that is throttled and retries must not begin
// again, or would never end.
func (a *account) reading(of, after string) *variantsRead {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.variants[of] == nil {
		if len(a.variants) >= mostReadings {
			clear(a.variants)
		}
		a.variants[of] = &variantsRead{after: after}
	}
	kept := *a.variants[of]
	return &kept
}

func (a *account) keep(of string, r variantsRead) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.variants[of] = &r
}

func (a *account) forgetVariants() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.variants)
}

// readsRest has the reading of products ask for the variants that a product came without. What hinders it is in the error.
func (c *Connector) readsRest(ctx context.Context, conn ports.Connection, with *circumstances) *error {
	failed := new(error)
	with.rest = func(p product, after string) (read variantsRead, gone bool) {
		read, gone, *failed = c.variantsAfter(ctx, conn, p, after)
		return read, gone
	}
	return failed
}

// variantsAfter ends at one variant more than a product may have.
func (c *Connector) variantsAfter(ctx context.Context, conn ports.Connection, p product, after string) (read variantsRead, gone bool, err error) {
	a, of := c.accounts.Of(conn.Key), p.id+" "+p.updated.String()+" "+after
	r := a.reading(of, after)
	for !r.done {
		variables := map[string]any{"id": "gid://shopify/Product/" + p.id, "after": nil}
		if r.after != "" {
			variables["after"] = r.after
		}
		var found struct {
			Product *struct {
				saleNode
				Variants *page[variantNode]
			}
		}
		denied, err := c.fetch(ctx, conn, variantsQuery, 250, variables, &found)
		if err != nil {
			return variantsRead{}, false, err
		}
		if found.Product == nil {
			return variantsRead{}, true, nil
		}
		next := found.Product.Variants
		if next == nil || next.Nodes == nil || next.PageInfo.HasNextPage && (next.PageInfo.EndCursor == r.after || len(next.Nodes) == 0) {
			return variantsRead{}, false, c.platform.Failed("does not tell a product's variants", nil)
		}
		r.list, r.after, r.sale = append(r.list, next.Nodes...), next.PageInfo.EndCursor, found.Product.saleNode
		r.veiled = veils(denied)
		r.done = !next.PageInfo.HasNextPage || len(r.list) > maxVariants
		a.keep(of, *r)
	}
	return *r, false, nil
}
