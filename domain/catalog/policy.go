package catalog

// InventoryPolicy is how the stock of a variant limits its sale. The zero value is Tracked.
type InventoryPolicy struct{ name string }

var (
	// Tracked variants are sold while they are in stock.
	Tracked = InventoryPolicy{}
	// AlwaysAvailable variants are made to order, or are services. Their stock is ignored, and a sale takes none.
	AlwaysAvailable = InventoryPolicy{"always_available"}
	// Backorder variants are sold even if they are out of stock. The pieces sold beyond the stock are oversold at a
	// location, and new stock is used for them first.
	Backorder = InventoryPolicy{"backorder"}
)

// InventoryPolicies are all policies.
var InventoryPolicies = []InventoryPolicy{Tracked, AlwaysAvailable, Backorder}

const wrongPolicy = "must be tracked, always_available or backorder"

func (p InventoryPolicy) String() string {
	if p == Tracked {
		return "tracked"
	}
	return p.name
}

// ParseInventoryPolicy reads the name of a policy.
func ParseInventoryPolicy(name string) (InventoryPolicy, bool) {
	for _, p := range InventoryPolicies {
		if p.String() == name {
			return p, true
		}
	}
	return Tracked, false
}

// Availability is what a buyer can see of a variant's stock.
type Availability struct{ name string }

var (
	InStock = Availability{"in_stock"}
	// OnBackorder variants can be bought, and are shipped once they are in stock again.
	OnBackorder = Availability{"backorder"}
	OutOfStock  = Availability{"out_of_stock"}
)

func (a Availability) String() string { return a.name }

// Availability returns the availability of so many pieces of the variant at the given stock.
func (v Variant) Availability(pieces, stock int) Availability {
	switch {
	case v.InventoryPolicy == AlwaysAvailable, stock >= pieces:
		return InStock
	case v.InventoryPolicy == Backorder:
		return OnBackorder
	}
	return OutOfStock
}

// Available reports whether one piece of the variant can be bought at the given stock.
func (v Variant) Available(stock int) bool { return v.Availability(1, stock) != OutOfStock }
