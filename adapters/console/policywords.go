package console

// policyGroups are the numbers of a policy in words, by what they are about.
var policyGroups = []policyGroup{
	{"Limits", []policyNumber{
		{
			name:  "enabled",
			kind:  switchNumber,
			label: "Haggling",
			help:  "Off: everything sells at its list price.",
		},
		{
			name:  "max_discount_percent",
			label: "Most discount",
			help:  "0 to 90, of the list price.",
		},
		{
			name:  "min_margin_percent",
			label: "Least margin to keep",
			help:  "0 to 1,000, over cost and of cost, where cost is known.",
		},
		{
			name:  "unverified_share_percent",
			label: "Weight of what buyers say of themselves",
			help:  "0 to 100. What claims that nobody vouches for move at most.",
		},
		{
			name:  "round_cap",
			kind:  wholeNumber,
			label: "Moves before the price is final",
			help:  "1 to 20.",
		},
		{
			name:  "depth_percent",
			label: "Floor, on the way to the lowest price",
			help:  "0 to 100. At 100 the floor is the lowest price that the limits allow.",
		},
		{
			name:  "anchor_percent",
			label: "First price, on the way to the floor",
			help:  "0 to 100. At 0 the first price is the list price.",
		},
	}},
	{"How you come down", []policyNumber{
		{
			name:  "curve.reach_percent",
			label: "Meets first offers from, as the floor over the offer",
			help:  "100 to 200. At 111 an offer is met if 1.11 times as much is the floor or more.",
		},
		{
			name:  "curve.markup_percent",
			label: "Price that meets a first offer, over the offer",
			help:  "100 to 200.",
		},
		{
			name:  "curve.give_percent",
			kind:  stepNumbers,
			label: "Way to the floor, move by move",
			help:  "1 to 8 numbers, none less than the one before. The last goes for all later moves.",
		},
		{
			name:  "curve.take_percent",
			kind:  stepNumbers,
			label: "Close enough, move by move",
			help:  "As above: how far below your price, on the way to the floor, an offer may be and is accepted.",
		},
	}},
	{"Loyalty", []policyNumber{
		{name: "leanings.tiers.bronze", label: "Bronze buyers"},
		{name: "leanings.tiers.silver", label: "Silver buyers"},
		{name: "leanings.tiers.gold", label: "Gold buyers"},
		{name: "leanings.tiers.platinum", label: "Platinum buyers"},
		{
			name:  "leanings.purchases",
			kind:  breakNumbers,
			label: "Earlier purchases",
			help:  "Such as 1: 2.5, 5: 5, which is 2.5% from 1 purchase on, 5% from 5.",
		},
		{
			name:  "leanings.flexible_percent",
			label: "Buyers without haste",
			help:  "Those in a hurry lose as much.",
		},
	}},
	{"Volume", []policyNumber{
		{
			name:  "leanings.volume",
			kind:  breakNumbers,
			label: "Pieces asked for",
			help:  "Such as 2: 5, 10: 15, which is 5% from 2 pieces on, 15% from 10.",
		},
		{name: "leanings.cart_percent", label: "Full carts"},
		{
			name:  "leanings.cart_times",
			kind:  wholeNumber,
			label: "A cart is full at so many times the list price",
			help:  "0: never.",
		},
	}},
	{"Stock", []policyNumber{
		{
			name:  "leanings.scarce_percent",
			label: "Few pieces left",
			help:  "Less than 0 holds back.",
		},
		{
			name:  "leanings.scarce_below",
			kind:  wholeNumber,
			label: "Few are fewer than",
		},
		{name: "leanings.plenty_percent", label: "Plenty of pieces"},
		{
			name:  "leanings.plenty_from",
			kind:  wholeNumber,
			label: "Plenty begins at",
			help:  "0: never.",
		},
	}},
	{"Competitor", []policyNumber{
		{name: "leanings.competitor_percent", label: "A competitor is cheaper"},
		{
			name:  "leanings.match_competitor",
			kind:  switchNumber,
			label: "Come down to a competitor's price",
			help:  "Not below the floor.",
		},
	}},
	{"High margins", []policyNumber{
		{name: "leanings.high_margin_percent", label: "Larger steps where the margin is high"},
		{
			name:  "leanings.high_margin_from_percent",
			label: "The margin is high from",
			help:  "0 to 100: what the lowest price keeps of the margin at the list price. 0: never.",
		},
	}},
	{"Bundles", []policyNumber{
		{
			name:  "bundles.enabled",
			kind:  switchNumber,
			label: "Suggest bundles",
		},
		{
			name:  "bundles.share_percent",
			label: "Bundled products, on the way to the floor",
			help:  "0 to 100.",
		},
	}},
	{"Trying out", []policyNumber{
		{
			name:  "probing.session",
			kind:  wholeNumber,
			label: "Offers below the floor, of one buyer",
			help:  "After so many the price no longer moves. 0: without bound.",
		},
		{
			name:  "probing.client",
			kind:  wholeNumber,
			label: "Visits in a day, from one address",
			help:  "0: without bound.",
		},
		{
			name:  "probing.product",
			kind:  wholeNumber,
			label: "Visits in an hour about one product, without an order",
			help:  "0: without bound.",
		},
	}},
}

// moreGroups are those under "More", below the sliders.
var moreGroups = []string{"Loyalty", "Volume", "Stock", "Competitor", "Bundles"}
