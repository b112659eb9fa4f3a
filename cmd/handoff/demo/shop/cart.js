// total is the price of the items, in cents.
export function total(items) {
  return items.reduce((sum, item) => sum + item.cents * item.count, 0);
}
