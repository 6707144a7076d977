package catalog

// InventoryPolicy says what the stock of a variant means for its sale. The zero value is Tracked.
type InventoryPolicy struct{ name string }

var (
	// Tracked variants are sold as long as there are pieces of them.
	Tracked = InventoryPolicy{}
	// AlwaysAvailable variants are made to order, or are services: their stock means nothing, and a sale takes none.
	AlwaysAvailable = InventoryPolicy{"always_available"}
	// Backorder variants are sold on when there are none left. What is sold beyond the stock is oversold at a location, and
	// what comes in makes up for it first.
	Backorder = InventoryPolicy{"backorder"}
)

// InventoryPolicies are all there are.
var InventoryPolicies = []InventoryPolicy{Tracked, AlwaysAvailable, Backorder}

const wrongPolicy = "must be tracked, always_available or backorder"

func (p InventoryPolicy) String() string {
	if p == Tracked {
		return "tracked"
	}
	return p.name
}

// ParseInventoryPolicy knows the names of all policies.
func ParseInventoryPolicy(name string) (InventoryPolicy, bool) {
	for _, p := range InventoryPolicies {
		if p.String() == name {
			return p, true
		}
	}
	return Tracked, false
}

// Availability is what a buyer is told of a variant.
type Availability struct{ name string }

var (
	InStock = Availability{"in_stock"}
	// OnBackorder variants can be bought, and are sent once they have come in.
	OnBackorder = Availability{"backorder"}
	OutOfStock  = Availability{"out_of_stock"}
)

func (a Availability) String() string { return a.name }

// Availability is that of pieces of the variant, of which there are some in stock.
func (v Variant) Availability(pieces, stock int) Availability {
	switch {
	case v.InventoryPolicy == AlwaysAvailable, stock >= pieces:
		return InStock
	case v.InventoryPolicy == Backorder:
		return OnBackorder
	}
	return OutOfStock
}

// Available reports whether a piece of the variant can be bought, if there are so many in stock.
func (v Variant) Available(stock int) bool { return v.Availability(1, stock) != OutOfStock }
