package shopify

// written returns a part of an order by its id. It returns an untyped nil if there is none.
func (s *Platform) written(kind, id string) any {
	number, is := numberOf(id, kind)
	if !is {
		return nil
	}
	switch kind {
	case "FulfillmentOrder":
		if f, found := s.findFulfillmentOrder(id); found {
			return f
		}
		return nil
	case "OrderCancelJobResult":
		if n := number - jobBase; n >= 0 && n < len(s.orders.jobs) {
			return s.result(s.orders.jobs[n], s.orders.jobs[n].done)
		}
		return nil
	}
	for n := range s.orders.all {
		if found := s.partOf(orderObject{s, s.purchase(n)}, kind, number); found != nil {
			return found
		}
	}
	return nil
}

func (s *Platform) partOf(o orderObject, kind string, number int) any {
	switch kind {
	case "LineItem":
		for k, l := range o.p.lines {
			if l.id == number {
				return o.line(k)
			}
		}
	case "OrderTransaction":
		for _, t := range o.p.transactions {
			if t.id == number {
				return o.transaction(t)
			}
		}
	case "Refund":
		for _, r := range o.p.refunds {
			if r.id == number {
				return o.refund(r)
			}
		}
	case "Fulfillment":
		for _, f := range o.p.fulfillments {
			if f.id == number {
				return o.fulfillment(f)
			}
		}
	}
	return nil
}
