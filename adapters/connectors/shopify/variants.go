package shopify

import (
	"context"

	"github.com/haggle-commerce/haggle/ports"
)

const variantFields = `id sku barcode price inventoryPolicy selectedOptions { name value } inventoryItem { id tracked requiresShipping }`

// saleFields are the fields that say how a product is for sale.
const saleFields = `publishedAt isGiftCard requiresSellingPlan`

// variantsQuery reads the variants that are missing in a page of products or a webhook. A product has up to 2,048 variants
// (shopify.dev changelog, "The product variant limit is now 2048 for all merchants", 2025-10-15). A query for a single
// product can request 2,000 variants at once (changelog, "Enhanced variant query limits for single product queries", 2025-01-01), but a query may
// cost at most 1,000 points, and each variant costs some. 250 is the limit of any connection.
const variantsQuery = `query Variants($id: ID!, $first: Int!, $after: String) {
  product(id: $id) {
    ` + saleFields + `
    variants(first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { ` + variantFields + ` }
    }
  }
}`

// variantsRead has the variants of a product that have been read so far.
type variantsRead struct {
	list              []variantNode
	sale              saleNode
	publicationHidden bool // the app may not read the time of publication
	after             string
	done              bool
}

// maxVariantReads limits the products of a shop whose variants are kept until their page is complete.
const maxVariantReads = 50

// variantsOfProduct returns the variants that were read before. They are kept, because a shop's budget lasts for two or three queries: a
// read that is throttled and retried would never end if it started again.
func (a *account) variantsOfProduct(of, after string) *variantsRead {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.variants[of] == nil {
		if len(a.variants) >= maxVariantReads {
			clear(a.variants)
		}
		a.variants[of] = &variantsRead{after: after}
	}
	kept := *a.variants[of]
	return &kept
}

func (a *account) storeVariants(of string, r variantsRead) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.variants[of] = &r
}

func (a *account) forgetVariants() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.variants)
}

// setRest sets with.rest to read missing variants from the API. The returned pointer holds the error of the last such read.
func (c *Connector) setRest(ctx context.Context, conn ports.Connection, with *recordContext) *error {
	failed := new(error)
	with.rest = func(p product, after string) (read variantsRead, gone bool) {
		read, gone, *failed = c.variantsAfter(ctx, conn, p, after)
		return read, gone
	}
	return failed
}

// variantsAfter reads the variants of a product after a cursor. It stops when it has more than maxVariants.
func (c *Connector) variantsAfter(ctx context.Context, conn ports.Connection, p product, after string) (read variantsRead, gone bool, err error) {
	a, of := c.accounts.Of(conn.Key), p.id+" "+p.updated.String()+" "+after
	r := a.variantsOfProduct(of, after)
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
		r.publicationHidden = hidesPublication(denied)
		r.done = !next.PageInfo.HasNextPage || len(r.list) > maxVariants
		a.storeVariants(of, *r)
	}
	return *r, false, nil
}
