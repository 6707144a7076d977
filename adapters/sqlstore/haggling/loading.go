package haggling

import (
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// loading are the statements of one way to identify the subject of an offer. The parameters are those of Load; $5 is
// the Ref if the ask has one.
type loading struct {
	session, cart, decided            string
	quote, priorOfQuote, priorOfItem  string
	product, variants, probedVariants string
}

// The ways. Each has statements of its own, so that none makes another one slower.
var (
	byIDs     = newLoading("$2", askedProduct, "$4", askedVariant)
	byVariant = newLoading("$2", productOfVariant, productOfVariant, "$5")
	bySKU     = newLoading("$2", productOfSKU, productOfSKU, variantOfSKU)
	byProduct = newLoading("$2", "$5", "$5", onlyVariant)
	byQuote   = newLoading(sessionOfQuote, askedProduct, "$4", askedVariant) // in whichever session it is
)

func loadingOf(ask ports.HaggleAsk) *loading {
	switch {
	case ask.Session.IsZero() && !ask.Quote.IsZero():
		return byQuote
	case ask.Ref == "":
		return byIDs
	}
	if _, err := id.Parse[id.Variant](ask.Ref); err == nil {
		return byVariant
	}
	if _, err := id.Parse[id.Product](ask.Ref); err == nil {
		return byProduct
	}
	return bySKU // which may look like anything
}

// newLoading builds the statements from expressions for the session, the product, the product if the ask names no
// quote, and the variant then.
func newLoading(session, product, item, variant string) *loading {
	fill := strings.NewReplacer("{variant}", variant, "$2", session, "{product}", product, "{item}", item)
	// The expressions contain placeholders for others.
	of := func(statement string) string { return fill.Replace(fill.Replace(fill.Replace(statement))) }
	return &loading{
		session:        of(SelectSession),
		cart:           of(selectCart),
		decided:        of(selectDecided),
		quote:          of(selectQuote + quoteInSession),
		priorOfQuote:   of(selectQuote + priorOfQuote),
		priorOfItem:    of(selectQuote + priorOfItem),
		product:        of(selectAskedProduct),
		variants:       of(selectVariantsWith("0")),
		probedVariants: of(selectVariantsWith(countProbes)),
	}
}

const (
	askedVariant = `CASE WHEN $5 <> '' THEN $5 ELSE ` + onlyVariant + ` END`

	onlyVariant = `(
    SELECT MIN(id)
    FROM variants
    WHERE project_id = $1
      AND product_id = {item}
    HAVING COUNT(*) = 1
  )`

	// sessionOfQuote finds the session of a quote, because a quote's id grants access to its session.
	sessionOfQuote = `(SELECT found.session_id FROM quotes AS found WHERE found.project_id = $1 AND found.id = $3)`

	productOfVariant = `(SELECT product_id FROM variants WHERE project_id = $1 AND id = $5)`

	// productOfSKU is the active product with the SKU: the SKU of one of its variants or, if it has one variant, its
	// own. If two products have it, it names none.
	productOfSKU = `(
  SELECT MIN(named.id)
  FROM (
    SELECT p.id
    FROM variants AS v
    JOIN products AS p ON p.project_id = v.project_id AND p.id = v.product_id
    WHERE v.project_id = $1
      AND v.sku = $5
      AND p.status = 'active'
      AND p.deleted_at IS NULL
    UNION
    SELECT p.id
    FROM products AS p
    WHERE p.project_id = $1
      AND p.sku = $5
      AND p.status = 'active'
      AND p.deleted_at IS NULL
      AND (SELECT COUNT(*) FROM variants AS v WHERE v.project_id = p.project_id AND v.product_id = p.id) = 1
  ) AS named
  HAVING COUNT(*) = 1
)`

	variantOfSKU = `(
    SELECT MIN(v.id)
    FROM variants AS v
    WHERE v.project_id = $1
      AND v.product_id = {item}
      AND (v.sku = $5 OR (SELECT COUNT(*) FROM variants AS o WHERE o.project_id = $1 AND o.product_id = v.product_id) = 1)
    HAVING COUNT(*) = 1
  )`

	priorOfItem = `
  AND session_id = $2
  AND product_id = {item}
  AND variant_id = {variant}
  AND quantity = $6
ORDER BY seq DESC
LIMIT 1`

	// countProbes is how many of the client's newest other sessions about the product led to no order of it. The index
	// decisions_probes has one row for each of these sessions, so that neither decisions about other products nor many in
	// one session hide any, and no more than $9 rows are read. A count instead of EXISTS has PostgreSQL look up each
	// session: without statistics it would rather read all quotes of the product for each.
	countProbes = `(
SELECT count(*)
FROM (
  SELECT session_id, product_id
  FROM decisions
  WHERE project_id = $1
    AND client = $7
    AND probe = 1
    AND at >= $8
    AND product_id = {product}
    AND session_id <> $2
  ORDER BY at DESC
  LIMIT $9
) AS tried
WHERE (
  SELECT count(*)
  FROM quotes AS bought
  WHERE bought.project_id = $1
    AND bought.session_id = tried.session_id
    AND bought.product_id = tried.product_id
    AND bought.redeemed_by <> ''
) = 0
)`
)

var selectAskedProduct = catalogue.SelectProducts + `
WHERE project_id = $1
  AND id = {product}
  AND status = 'active'
  AND deleted_at IS NULL`

// selectVariantsWith counts probes in the statement that reads the variants: once, because the count does not depend on
// the variant.
func selectVariantsWith(probes string) string {
	return "SELECT " + catalogue.StockedColumns + ", " + probes + " AS probes" +
		catalogue.OfProducts + "({product})" + catalogue.ByPosition
}
